//! Several files of one run become one recording: `1_kernel_trace.csv` and `1_hip_api_trace.csv`, `pmc_1/` and
//! `pmc_2/`, the files of a workload of rocprof-compute.
//!
//! Files are taken in the order of their [roles](crate::formats::profilers::Role). What two of them list appears once, with what each knows of it.
//! Times are those of the first file that has them; the times of all files count from the same moment within a run, and
//! a file that shows otherwise is another run of the same program and is brought over by the first kernel of the same
//! name. How, the recording's [`clock`](eaves_model::Metadata::clock) says.

mod launches;
mod matching;
mod merge;

mod sets;

use std::path::Path;

use eaves_model::{RankSource, Recording, Times, Trace, WarningKind};

use self::merge::Alignment;

use crate::formats::profilers::{Part, Role, pftrace};
use crate::place::{Place, directory_of};
use crate::reading::{Done, One};
use crate::{Error, plausibility, ranks};

/// A part and where it was found.
pub(crate) struct Found {
    pub(crate) path: String,
    pub(crate) container: &'static str,
    pub(crate) part: Part,
}

/// Where the inputs are, to tell which of them may belong together.
pub(crate) struct Neighbours {
    places: Vec<(Place, bool)>,
}

impl Neighbours {
    /// Of the paths of all inputs.
    pub(crate) fn of<'p>(paths: impl Iterator<Item = &'p str>) -> Self {
        Self { places: paths.map(|path| (Place::of(path), is_table(path))).collect() }
    }

    /// True if another input may be of the same run: by its name, or because it is a table, of which several may lie
    /// next to a trace under names of their own.
    pub(crate) fn can_join(&self, found: &Found) -> bool {
        let own = Place::of(&found.path);
        let is_near = |(place, is_table): &&(Place, bool)| {
            place.directory == own.directory && (*is_table || place.run == own.run)
        };
        // Passes go by processes, which have other numbers in each.
        found.part.role != Role::Whole || own.pass.is_some() || self.places.iter().filter(is_near).count() > 1
    }
}

fn is_table(path: &str) -> bool {
    [".csv", ".txt", ".csv.gz"].iter().any(|ending| path.ends_with(ending))
}

/// Puts the parts of each set together, in the place of the set's first, and does the work on them. Sums that lie
/// next to a set say nothing new: they are skipped, which the set says. Everything else stays as it is.
pub(crate) fn put_together<R>(
    results: Vec<(Done<R>, bool)>,
    work: &impl Fn(&mut Recording) -> R,
) -> Vec<(Done<R>, bool)> {
    let mut others = Vec::with_capacity(results.len());
    let mut parts = Vec::new();
    for (result, named) in results {
        match result {
            Ok(One::Part(found)) => {
                parts.push(sets::Member { place: others.len(), named, found: *found });
                others.push(None);
            }
            other => others.push(Some((other, named))),
        }
    }
    let sets = sets::of(parts);
    let directories: Vec<String> =
        sets.iter().flatten().map(|member| directory_of(&member.found.path)).collect();
    let mut passed_over: Vec<(String, String)> = Vec::new();
    for other in &mut others {
        let beside = match &*other {
            Some((Ok(One::Measurements(sums)), false)) => Some(&sums.path),
            Some((Err(Error::Sums { path, .. }), false)) => Some(path),
            _ => None,
        };
        let beside = beside.map(|path| (directory_of(path), file_name(path).to_owned()));
        if let Some(sums) = beside.filter(|(directory, _)| directories.contains(directory)) {
            passed_over.push(sums);
            *other = None;
        }
    }
    for set in sets {
        let place = set.iter().map(|member| member.place).min();
        let named = set.iter().any(|member| member.named);
        let directories: Vec<String> = set.iter().map(|member| directory_of(&member.found.path)).collect();
        let mut recording = recording(set.into_iter().map(|member| member.found).collect());
        // The first set of the directory tells of them.
        for (_, file) in passed_over.extract_if(.., |(directory, _)| directories.contains(directory)) {
            recording.trace.diagnostics.note_detail(WarningKind::SumsBeside, None, format!("`{file}`"));
        }
        ranks::tell(&mut recording);
        let answer = work(&mut recording);
        if let Some(slot) = place.and_then(|place| others.get_mut(place)) {
            *slot = Some((Ok(One::Trace(Box::new(recording), answer)), named));
        }
    }
    others.into_iter().flatten().collect()
}

/// One recording of the parts of a set, of which there is at least one.
pub(crate) fn recording(mut set: Vec<Found>) -> Recording {
    // Of two files of one role, the one with times comes first, and then the one whose name does.
    set.sort_by(|a, b| turn(a).cmp(&turn(b)).then_with(|| a.path.cmp(&b.path)));
    let path = match set.as_slice() {
        [only] => only.path.clone(),
        [first, ..] => shown_directory(&first.path),
        [] => String::new(),
    };
    let mut recording = Recording {
        path,
        format: set.first().map_or("", |found| found.part.format),
        container: set.first().map_or("plain", |found| found.container),
        bytes: set.iter().map(|found| found.part.bytes).sum(),
        rank: 0,
        rank_source: RankSource::Assumed,
        trace: Trace::default(),
    };
    recording.trace = assemble(set);
    plausibility::check(&mut recording.trace);
    recording
}

/// When it is a file's turn. rocprofv3 moves the ends of kernels for Perfetto, which cannot draw overlap, so a table of
/// kernels comes before that.
fn turn(found: &Found) -> (Role, bool, bool) {
    let Part { format, role, trace, .. } = &found.part;
    let is_for_drawing = *format == pftrace::FORMAT.id;
    let role = if is_for_drawing { Role::Kernels.max(*role) } else { *role };
    (role, is_for_drawing, trace.metadata.base_time_ns.is_none())
}

fn assemble(set: Vec<Found>) -> Trace {
    let is_single = set.len() == 1;
    let mut trace = Trace::default();
    let mut story = Story::default();
    for Found { path, part, .. } in set {
        let has_times = part.trace.metadata.base_time_ns.is_some();
        let outcome = merge::merge(&mut trace, part.trace, part.role);
        story.add(&path, outcome, has_times);
    }
    launches::adopt(&mut trace);
    merge::from_the_first(&mut trace);
    if !is_single {
        story.tell(&mut trace);
    }
    trace
}

/// How the recording came about, for its `clock`.
#[derive(Default)]
struct Story {
    /// The file that the durations of kernels are of.
    durations: Option<String>,
    /// Files of other runs, whose durations do not count.
    runs: usize,
    beginnings: usize,
}

impl Story {
    fn add(&mut self, path: &str, outcome: merge::Outcome, has_times: bool) {
        if outcome.known + outcome.new > 0 && self.durations.is_none() && has_times {
            self.durations = Some(file_name(path).to_owned());
        }
        match outcome.alignment {
            Alignment::FirstKernel => self.runs += 1,
            Alignment::Beginning => self.beginnings += 1,
            Alignment::SameClock | Alignment::NoTimes => {}
        }
    }

    fn tell(self, trace: &mut Trace) {
        let mut sentences =
            vec![trace.metadata.clock.take().unwrap_or_else(|| "no times were recorded".to_owned())];
        if let Some(file) = self.durations {
            sentences.push(format!("durations of kernels are those of `{file}`"));
        }
        if self.runs > 0 {
            let files = count(self.runs);
            sentences.push(format!(
                "{files} from other runs of the program: aligned by the first kernel of the same name"
            ));
        }
        if self.beginnings > 0 {
            let files = count(self.beginnings);
            sentences.push(format!("{files} from another clock and without kernels: aligned by their start"));
        }
        trace.metadata.clock = Some(sentences.join("; "));
        if trace.metadata.times == Times::Recorded && trace.metadata.base_time_ns.is_some() {
            forget_missing_starts(trace);
        }
    }
}

fn count(files: usize) -> String {
    if files == 1 { "1 file is".to_owned() } else { format!("{files} files are") }
}

/// A file without times is not an oddity where another file of the run has them.
fn forget_missing_starts(trace: &mut Trace) {
    let mut kept = eaves_model::Diagnostics::default();
    for warning in
        trace.diagnostics.warnings().iter().filter(|warning| warning.kind != WarningKind::NoStartTimes)
    {
        match &warning.detail {
            Some(detail) => {
                kept.note_detail(warning.kind, warning.first_offset, detail.as_str());
                kept.note_many(warning.kind, warning.count - 1, warning.first_offset);
            }
            None => kept.note_many(warning.kind, warning.count, warning.first_offset),
        }
    }
    trace.diagnostics = kept;
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\', '!']).next().unwrap_or(path)
}

fn shown_directory(path: &str) -> String {
    Path::new(path).parent().map_or_else(|| path.to_owned(), |parent| parent.display().to_string())
}
