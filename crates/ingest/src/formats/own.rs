//! What eaves itself wrote: saved reports and partial reports. They are recognized here and read by those who know what
//! they mean.

use super::{Detect, Document, Format};
use crate::{Kind, Wanted};

/// A report, as the JSON that `--json` prints or inside a page.
pub(super) const REPORT: Format = Format {
    id: "eaves-report",
    kind: Kind::SavedReport,
    in_folders: Some(Wanted::Everything),
    wanted: Wanted::Everything,
    detect: Detect::File(|_, first| is_report(first)),
    read: |_| Ok(Document::Recognized),
    ..Format::PROFILER
};

/// A partial report.
pub(super) const PARTIAL: Format = Format {
    id: "eaves-partial",
    kind: Kind::Partial,
    in_folders: Some(Wanted::Everything),
    wanted: Wanted::Everything,
    detect: Detect::File(|path, first| path.ends_with(".eaves-partial") || is_partial(first)),
    read: |_| Ok(Document::Recognized),
    ..Format::PROFILER
};

/// How much of a page is looked at: `<head>` comes first.
const HEAD: usize = 4096;

/// True for a page with our name as its generator, or JSON whose first key is our schema.
fn is_report(first: &[u8]) -> bool {
    let text = first.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(first).trim_ascii_start();
    if text.starts_with(b"<!DOCTYPE html>") {
        let head = text.get(..HEAD).unwrap_or(text);
        return memchr::memmem::find(head, b"name=\"generator\" content=\"eaves ").is_some();
    }
    let words: [&[u8]; 4] = [b"{", b"\"schema\"", b":", b"\"eaves."];
    words.iter().try_fold(text, |rest, word| rest.trim_ascii_start().strip_prefix(*word)).is_some()
}

/// True for an Arrow stream whose schema says that it is a partial report.
fn is_partial(first: &[u8]) -> bool {
    first.starts_with(&[0xFF; 4]) && memchr::memmem::find(first, b"eaves.partial.format").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_told_by_their_first_key_or_their_generator() {
        assert!(is_report(b"{\"schema\":\"eaves.report/1\",\"tool\":{}}"));
        assert!(is_report(b"\xEF\xBB\xBF{\n  \"schema\": \"eaves.bench/1\""));
        assert!(is_report(b"<!DOCTYPE html>\n<html>\n<meta name=\"generator\" content=\"eaves 0.1.0\">"));
        assert!(!is_report(b"<!DOCTYPE html>\n<html>\n<title>Log in</title>"));
        assert!(!is_report(b"{\"schemaVersion\":1,\"traceEvents\":[]}"));
        assert!(!is_report(b"{\"tool\":1,\"schema\":\"eaves.report/1\"}"));
    }
}
