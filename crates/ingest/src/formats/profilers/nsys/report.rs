//! Reports as `nsys profile` writes them. Their form is not published; `nsys export` turns them into a database.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use super::super::{Detect, Format, Input, Recorder, Refused, quoted, sqlite};
use crate::export_tool::{self, Failure};
use crate::formats::Document;
use crate::plain_file::PlainFile;
use crate::source::Source;

/// A report. Nothing is known of its first bytes, so it is told by its name.
pub(crate) const REPORT: Format = Format {
    id: "nsys-rep",
    recorder: Recorder::NsightSystems,
    detect: Detect::Name(is_name),
    read: |input| Ok(read(input)?),
    ..Format::PROFILER
};

/// True for the names that reports have.
pub(crate) fn is_name(path: &str) -> bool {
    [".nsys-rep", ".qdrep"].iter().any(|ending| path.to_ascii_lowercase().ends_with(ending))
}

fn read(input: Input<'_>) -> Result<Document, Refused> {
    let report = Path::new(input.path);
    if !report.is_file() {
        let what = "a Nsight Systems report inside another file".to_owned();
        return Err(Refused { offset: 0, what, hint: format!("unpack it, then `{}`", command(report)) });
    }
    // What `nsys stats` leaves behind, unless the report was recorded again since.
    let beside = report.with_extension("sqlite");
    if is_export_of(&beside, report) {
        let note = format!("read from the export next to the report, {}", beside.display());
        return read_export(&beside, input, &note);
    }
    let outcome = export_tool::run("nsys", "report.sqlite", |to| {
        let words = ["export", "--type", "sqlite", "--force-overwrite", "true", "-o"];
        let words = words.iter().map(OsString::from);
        words.chain([to.into(), absolute(report)]).collect()
    });
    match outcome {
        Ok(exported) => read_export(&exported.path, input, "exported by `nsys export`"),
        Err(failure) => Err(refused(report, &failure)),
    }
}

/// True for an export that is not older than the report.
pub(crate) fn is_export_of(export: &Path, report: &Path) -> bool {
    let changed = |path: &Path| path.metadata().and_then(|metadata| metadata.modified()).ok();
    export.is_file() && changed(export).zip(changed(report)).is_none_or(|(export, report)| export >= report)
}

/// A name that begins with a dash is not an option.
fn absolute(path: &Path) -> OsString {
    std::path::absolute(path).map_or_else(|_| path.into(), Into::into)
}

fn read_export(path: &Path, input: Input<'_>, note: &str) -> Result<Document, Refused> {
    let report = Path::new(input.path);
    let failed = |error: &dyn std::fmt::Display| Refused {
        offset: 0,
        what: format!("cannot read the export of a Nsight Systems report: {error}"),
        hint: format!("`{}`", command(report)),
    };
    let size = path.metadata().map_err(|error| failed(&error))?.len();
    let export = PlainFile::new(path, size, &Arc::default());
    let rest = export.open(0).map_err(|error| failed(&error))?;
    let input = Input { first: &[], rest, source: &export, ..input };
    let mut document = sqlite::read(input)?;
    if let Document::Trace { trace, .. } = &mut document {
        let tool = trace.metadata.tool.take().unwrap_or_default();
        trace.metadata.tool = Some(format!("{tool} ({note})"));
    }
    Ok(document)
}

/// The command that makes a database of a report.
fn command(report: &Path) -> String {
    let quoted = |path: &Path| quoted(&path.display().to_string());
    format!("nsys export --type sqlite -o {} {}", quoted(&report.with_extension("sqlite")), quoted(report))
}

fn refused(report: &Path, failure: &Failure) -> Refused {
    let command = command(report);
    let (what, hint) = match failure {
        Failure::NoTool => (
            "a Nsight Systems report, which only `nsys` can read, but `nsys` is not on the PATH".to_owned(),
            format!("run `{command}` where Nsight Systems is installed, and pass that file"),
        ),
        Failure::Failed(said) => (
            format!("a Nsight Systems report that `nsys export` failed on: {said}"),
            format!("try `{command}`; newer reports need an equally new `nsys`"),
        ),
    };
    Refused { offset: 0, what, hint }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_told_by_their_names() {
        assert!(is_name("a/B.NSYS-REP") && is_name("old.qdrep"));
        assert!(!is_name("nsys-rep.json") && !is_name("report.sqlite"));
    }

    #[test]
    fn the_command_can_be_copied() {
        assert_eq!(
            command(Path::new("a/run 1.nsys-rep")),
            "nsys export --type sqlite -o 'a/run 1.sqlite' 'a/run 1.nsys-rep'"
        );
        assert_eq!(command(Path::new("x.qdrep")), "nsys export --type sqlite -o x.sqlite x.qdrep");
        let refused = refused(Path::new("x.nsys-rep"), &Failure::NoTool);
        assert!(refused.hint.contains("nsys export --type sqlite -o x.sqlite x.nsys-rep"));
    }
}
