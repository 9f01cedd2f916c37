//! What a verb has to say, ready to be drawn: the inputs, what was odd about them, and the outcomes.

use eaves_model::compile::CompileLog;
use eaves_model::{Diagnostics, Measurements, RankSource, Run, WarningKind};
use eaves_section::{Finding, Outcome, Section, Skipped, Table};

/// The answer of a verb.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// The verb, as in the schema `eaves.<verb>/1`.
    pub verb: &'static str,
    /// What was read, in order of rank.
    pub inputs: Vec<Input>,
    /// What was odd about it.
    pub warnings: Vec<InputWarning>,
    /// What was found.
    pub outcomes: Vec<Outcome>,
    /// An overview shows people the first table of each section, and the sections named here only when asked for.
    /// Files for programs have everything always.
    pub overview: Option<Vec<&'static str>>,
    /// True for a report of everything, of which a terminal shows the first screen.
    pub has_first_screen: bool,
    /// The answer as frames in frames, `{name, value, children}`, where readers of other tools look for them: JSON, at the
    /// root of the document.
    pub tree: Option<String>,
}

/// One recording that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// The input as the user named it.
    pub path: String,
    /// Its side where two runs are compared: `base` or `new`.
    pub role: Option<&'static str>,
    /// Format of the content.
    pub format: &'static str,
    /// How it was packed.
    pub container: &'static str,
    /// Rank in the job.
    pub rank: i64,
    /// How the rank became known: `trace`, `file-name` or `assumed`.
    pub rank_source: &'static str,
    /// Number of events.
    pub events: u64,
    /// Size of the content after unpacking.
    pub bytes: u64,
}

/// An oddity of one input, or of all together.
#[derive(Clone, Debug, PartialEq)]
pub struct InputWarning {
    /// The kind.
    pub kind: WarningKind,
    /// How often.
    pub count: u64,
    /// Offset of the first one in the unpacked input.
    pub first_offset: Option<u64>,
    /// The input; nothing for the inputs as a set.
    pub path: Option<String>,
    /// What exactly, where the kind alone does not say it.
    pub detail: Option<String>,
}

impl InputWarning {
    /// What happened, what follows from it, and the particulars.
    pub fn message(&self) -> String {
        match &self.detail {
            Some(detail) => format!("{} ({detail})", self.kind.message()),
            None => self.kind.message().to_owned(),
        }
    }
}

impl Document {
    /// The document of a verb that read a run.
    pub fn new(verb: &'static str, run: &Run, outcomes: Vec<Outcome>) -> Self {
        let inputs = run
            .recordings
            .iter()
            .map(|recording| Input {
                path: recording.path.clone(),
                role: None,
                format: recording.format,
                container: recording.container,
                rank: recording.rank,
                rank_source: source_id(recording.rank_source),
                events: recording.trace.events,
                bytes: recording.bytes,
            })
            .collect();
        let mut warnings = warnings_of(&run.diagnostics, None);
        for recording in &run.recordings {
            warnings.extend(warnings_of(&recording.trace.diagnostics, Some(&recording.path)));
        }
        Self { verb, inputs, warnings, outcomes, overview: None, has_first_screen: false, tree: None }
    }

    /// The document of a verb that read logs of compilations.
    pub fn of_compile_logs(verb: &'static str, logs: &[CompileLog], outcomes: Vec<Outcome>) -> Self {
        let input = |log: &CompileLog| Input {
            path: log.path.clone(),
            role: None,
            format: log.format,
            container: log.container,
            rank: log.rank,
            rank_source: source_id(log.rank_source),
            events: log.records,
            bytes: log.bytes,
        };
        let warnings = logs.iter().flat_map(|log| warnings_of(&log.diagnostics, Some(&log.path)));
        let (inputs, warnings) = (logs.iter().map(input).collect(), warnings.collect());
        Self { verb, inputs, warnings, outcomes, overview: None, has_first_screen: false, tree: None }
    }

    /// The document of a verb that read a measurement file. Such a file is of no rank, so it is the first.
    pub fn of_measurements(verb: &'static str, read: &Measurements, outcomes: Vec<Outcome>) -> Self {
        let input = Input {
            path: read.path.clone(),
            role: None,
            format: read.format,
            container: read.container,
            rank: 0,
            rank_source: "assumed",
            events: read.records.len() as u64,
            bytes: read.bytes,
        };
        let warnings = warnings_of(&read.diagnostics, Some(&read.path));
        Self {
            verb,
            inputs: vec![input],
            warnings,
            outcomes,
            overview: None,
            has_first_screen: false,
            tree: None,
        }
    }

    /// With one more measurement file among its inputs.
    #[must_use]
    pub fn with_measurements(mut self, read: &Measurements) -> Self {
        let other = Self::of_measurements(self.verb, read, Vec::new());
        self.inputs.extend(other.inputs);
        self.warnings.extend(other.warnings);
        self
    }

    /// Makes it an overview without some sections.
    #[must_use]
    pub fn with_overview(mut self, hidden: Vec<&'static str>) -> Self {
        self.overview = Some(hidden);
        self.has_first_screen = true;
        self
    }

    /// The sections that people see.
    pub fn shown(&self) -> impl Iterator<Item = &Section> {
        self.sections().filter(|section| !self.is_hidden(section.id))
    }

    /// The sections that people see when they ask for them.
    pub fn hidden(&self) -> impl Iterator<Item = &Section> {
        self.sections().filter(|section| self.is_hidden(section.id))
    }

    /// The tables of a section that people see.
    pub fn shown_tables<'a>(&self, section: &'a Section) -> &'a [Table] {
        let wanted = match section.tables.first() {
            _ if self.overview.is_none() => section.tables.len(),
            // It stands for the first table together with the rows furthest out.
            Some(first) if first.is_distribution() => 2,
            _ => 1,
        };
        let shown = wanted.min(section.tables.len());
        &section.tables[..shown]
    }

    /// True if people see a section only when they ask for it.
    pub(crate) fn is_hidden(&self, id: &str) -> bool {
        self.overview.iter().flatten().any(|hidden| *hidden == id)
    }

    /// The name of the schema that the JSON form follows.
    pub fn schema(&self) -> String {
        format!("eaves.{}/1", self.verb)
    }

    /// The sections that have something to say.
    pub fn sections(&self) -> impl Iterator<Item = &Section> {
        self.outcomes.iter().filter_map(|outcome| match outcome {
            Outcome::Section(section) => Some(section),
            Outcome::Skipped(_) => None,
        })
    }

    /// The sections that lack something.
    pub fn skipped(&self) -> impl Iterator<Item = &Skipped> {
        self.outcomes.iter().filter_map(|outcome| match outcome {
            Outcome::Section(_) => None,
            Outcome::Skipped(skipped) => Some(skipped),
        })
    }

    /// Every table with its section.
    pub fn tables(&self) -> impl Iterator<Item = (&Section, &Table)> {
        self.sections().flat_map(|section| section.tables.iter().map(move |table| (section, table)))
    }

    /// True if it is worth saying that exist no findings: somebody could see where the time went.
    pub(crate) fn says_nothing_found(&self) -> bool {
        let looked = |section: &Section| matches!(section.id, "cpu-time" | "temporal-breakdown");
        self.verb == "report" && self.sections().any(looked) && self.findings().is_empty()
    }

    /// The findings of all sections: what may gain most first, what gains nothing by severity.
    pub fn findings(&self) -> Vec<(&Section, &Finding)> {
        let mut findings: Vec<_> = self
            .sections()
            .flat_map(|section| section.findings.iter().map(move |finding| (section, finding)))
            .collect();
        findings.sort_by_key(|(_, finding)| {
            let gain = finding.gain.as_ref().map(|gain| (gain.high, gain.low));
            (std::cmp::Reverse(gain), std::cmp::Reverse(finding.severity))
        });
        findings
    }
}

fn source_id(source: RankSource) -> &'static str {
    match source {
        RankSource::Trace => "trace",
        RankSource::FileName => "file-name",
        RankSource::Assumed => "assumed",
    }
}

fn warnings_of(diagnostics: &Diagnostics, path: Option<&String>) -> Vec<InputWarning> {
    let warning = |warning: &eaves_model::Warning| InputWarning {
        kind: warning.kind,
        count: warning.count,
        first_offset: warning.first_offset,
        path: path.cloned(),
        detail: warning.detail.clone(),
    };
    diagnostics.warnings().iter().map(warning).collect()
}

#[cfg(test)]
mod tests {
    use eaves_model::{Ns, Recording, Trace};
    use eaves_section::{Gain, Severity};

    use super::*;

    #[test]
    fn a_document_tells_where_each_warning_comes_from() {
        let mut trace = Trace { events: 7, ..Trace::default() };
        trace.diagnostics.note_detail(WarningKind::Garbage, Some(12), "3 bytes");
        let mut run = Run::default();
        run.diagnostics.note(WarningKind::UnknownRank, None);
        run.recordings.push(Recording {
            path: "a.json".to_owned(),
            format: "kineto",
            container: "plain",
            bytes: 100,
            rank: 0,
            rank_source: RankSource::Assumed,
            trace,
        });
        let document = Document::new("report", &run, Vec::new());
        assert_eq!(document.schema(), "eaves.report/1");
        assert_eq!(document.inputs[0].events, 7);
        let paths: Vec<_> = document.warnings.iter().map(|warning| warning.path.as_deref()).collect();
        assert_eq!(paths, [None, Some("a.json")]);
        assert!(document.warnings[1].message().ends_with("(3 bytes)"));
    }

    #[test]
    fn findings_are_ranked_by_gain() {
        let finding = |id, severity, gain: Option<(i64, i64)>| Finding {
            id,
            severity,
            claim: String::new(),
            gain: gain.map(|(low, high)| Gain::new(Ns(low), Ns(high), 0, "")),
            evidence: String::new(),
            next: String::new(),
        };
        let section = Section {
            findings: vec![
                finding("info", Severity::Info, None),
                finding("critical", Severity::Critical, None),
                finding("small", Severity::Critical, Some((0, 5))),
                finding("large", Severity::Info, Some((1, 9))),
            ],
            ..Section::default()
        };
        let document = Document { outcomes: vec![Outcome::Section(section)], ..Document::default() };
        let ids: Vec<_> = document.findings().iter().map(|(_, finding)| finding.id).collect();
        assert_eq!(ids, ["large", "small", "critical", "info"]);
    }
}
