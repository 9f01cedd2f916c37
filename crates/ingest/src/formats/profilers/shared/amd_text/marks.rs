//! Beginnings and ends of named ranges, where a file tells neither from marks.
//!
//! rocprofv2 writes marks, beginnings and ends alike: an end has no text, a range with its own number is not 0.

use eaves_model::WarningKind;

use super::cells::Stamp;
use super::recorder::{Recorder, When};

/// A line of such a file.
#[derive(Debug)]
pub(in super::super::super) struct Mark {
    /// Number of a range that need not be nested; 0 for marks and nested ranges.
    pub(in super::super::super) id: i64,
    /// The text; empty at an end.
    pub(in super::super::super) message: Vec<u8>,
    pub(in super::super::super) time: Stamp,
    pub(in super::super::super) offset: u64,
}

/// Makes ranges of them. Nested ranges can be told from marks only where every text has an end.
pub(in super::super::super) fn pair(marks: &[Mark], recorder: &mut Recorder) {
    let nested =
        |is_end: bool| marks.iter().filter(|mark| mark.id == 0 && mark.message.is_empty() == is_end).count();
    let (begins, ends) = (nested(false), nested(true));
    let is_clear = ends == 0 || begins == ends;
    let mut open: Vec<&Mark> = Vec::new();
    for mark in marks {
        if !mark.message.is_empty() {
            if mark.id == 0 && (ends == 0 || !is_clear) {
                point(mark, recorder);
            } else {
                open.push(mark);
            }
            continue;
        }
        if mark.id == 0 && !is_clear {
            continue;
        }
        match open.iter().rposition(|begin| begin.id == mark.id) {
            Some(at) => {
                let begin = open.remove(at);
                let when = When { start: begin.time, end: mark.time, offset: begin.offset };
                recorder.annotation(&begin.message, (None, None), when);
            }
            None => recorder.diagnostics().note(WarningKind::UnmatchedEnd, Some(mark.offset)),
        }
    }
    for mark in open {
        recorder.diagnostics().note(WarningKind::UnmatchedBegin, Some(mark.offset));
        point(mark, recorder);
    }
    if !is_clear {
        let detail = "this file does not distinguish roctx marks from nested ranges";
        let first = marks.first().map(|mark| mark.offset);
        recorder.diagnostics().note_detail(WarningKind::MissingDuration, first, detail);
    }
}

fn point(mark: &Mark, recorder: &mut Recorder) {
    let when = When { start: mark.time, end: mark.time, offset: mark.offset };
    recorder.annotation(&mark.message, (None, None), when);
}
