//! The events of a trace as HTA holds them: which, in microseconds, rounded or not, without the last step.

use std::collections::{BTreeMap, HashMap};

use eaves_analyze::{KernelType, StepIndex};
use eaves_model::{Ident, LaunchLinks, Run, SliceId, SliceKind, Trace};

use crate::common::checks::microseconds;

/// An event as HTA holds it. Times in microseconds.
#[derive(Clone)]
pub(crate) struct Event {
    pub(crate) start: f64,
    pub(crate) duration: f64,
    /// Known once the start counts from the run's zero: HTA adds the two after that.
    pub(crate) end: f64,
    /// The end on the clock of the recording.
    pub(crate) absolute_end: f64,
    pub(crate) name: String,
    pub(crate) category: String,
    pub(crate) process: String,
    pub(crate) thread: String,
    pub(crate) stream: i64,
    pub(crate) correlation: i64,
    /// The slice, which tells the order in the file.
    pub(crate) slice: SliceId,
    /// The call that launched it, by our links.
    pub(crate) launch: Option<SliceId>,
    /// The number of its step, or -1; -999 on stream 0, where HTA knows none.
    pub(crate) iteration: i64,
}

impl Event {
    /// HTA's parser's idea of a GPU event.
    pub(crate) fn is_on_gpu(&self) -> bool {
        (self.stream >= 0 && self.correlation >= 0) || ["Event Sync", "Context Sync"].contains(&&*self.name)
    }

    pub(crate) fn step(&self) -> Option<&str> {
        let rest = self.name.strip_prefix("ProfilerStep#")?;
        rest.starts_with(|c: char| c.is_ascii_digit()).then_some(rest)
    }
}

/// The type of a kernel by HTA's regular expressions; nothing for its OTHER.
pub(crate) fn hta_type(name: &str) -> Option<KernelType> {
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    let contains = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    if starts(&["nccl", "hip", "hccl"]) || contains(&["ncclKernel"]) {
        return Some(KernelType::Communication);
    }
    if starts(&["Memcpy", "Memset", "dma"]) {
        return Some(KernelType::Memory);
    }
    let other = contains(&["Memcpy", "Memset", "dma", "Sync"])
        || starts(&["Stream Wait Event", "runFunction", "job_exe", "packet", "pe_exe", "cpum_exe_subgraph"])
        || starts(&["collective_subgraph_execution"])
        || (name.starts_with("cuda") && name.contains("LaunchKernel"));
    (!other).then_some(KernelType::Compute)
}

/// The kernel name without its arguments, those of templates included, and what it returns.
pub(crate) fn short_name(name: &str) -> String {
    if name.starts_with("Mem") || !name.contains(['<', '(']) {
        return name.to_owned();
    }
    let mut kept: Vec<char> = Vec::new();
    for letter in name.replace("->", "").chars() {
        let opening = match letter {
            '>' => '<',
            ')' => '(',
            _ => {
                kept.push(letter);
                continue;
            }
        };
        while kept.pop().is_some_and(|last| last != opening) {}
    }
    kept.into_iter().collect::<String>().rsplit(' ').next().unwrap_or_default().to_owned()
}

/// All complete events of a trace in the order of the file.
fn events(trace: &Trace, rounded: bool) -> Vec<Event> {
    let slices = &trace.slices;
    let mut streams = vec![-1i64; slices.len()];
    let mut correlations = vec![-1i64; slices.len()];
    let mut launches = vec![None; slices.len()];
    let (links, steps) = (LaunchLinks::build(trace), StepIndex::build(trace));
    for (row, slice) in trace.gpu.slice.iter().enumerate() {
        streams[slice.index()] = trace.gpu.stream[row].unwrap_or(-1);
        correlations[slice.index()] = trace.gpu.correlation[row].unwrap_or(-1);
        launches[slice.index()] = links.launch(row.into());
    }
    for (row, slice) in trace.syncs.slice.iter().enumerate() {
        streams[slice.index()] = trace.syncs.stream[row].unwrap_or(-1);
        correlations[slice.index()] = trace.syncs.correlation[row].unwrap_or(-1);
    }
    for (row, slice) in trace.triton.slice.iter().enumerate() {
        streams[slice.index()] = trace.triton.stream[row].unwrap_or(-1);
    }
    let mut calls: HashMap<i64, SliceId> = HashMap::new();
    for (row, slice) in trace.runtime.slice.iter().enumerate() {
        correlations[slice.index()] = trace.runtime.correlation[row].unwrap_or(-1);
        calls.insert(correlations[slice.index()], *slice);
    }
    // Our links are of activities; to HTA records of synchronization are linked too.
    for slice in &trace.syncs.slice {
        launches[slice.index()] = calls.get(&correlations[slice.index()]).copied();
    }
    // HTA rounds if any timestamp of the file has a fraction.
    let rounded = rounded && slices.start.iter().any(|start| start.0 % 1000 != 0);
    let times = |row: usize| {
        let (start, duration) = (microseconds(slices.start[row]), microseconds(slices.duration[row]));
        if rounded { (start.ceil(), (start + duration).floor() - start.ceil()) } else { (start, duration) }
    };
    // A step as the device draws it is a step to HTA, and of two the later one counts. To us it is none. Rounded steps
    // hold other events than ours, too.
    let is_drawn = |row: &usize| {
        (slices.kind[*row] == SliceKind::GpuAnnotation
            || (rounded && slices.kind[*row] == SliceKind::Annotation))
            && trace.slice_name(SliceId::from(*row)).starts_with("ProfilerStep#")
    };
    let drawn: Vec<(i64, f64, f64)> = (0..slices.len())
        .filter(is_drawn)
        .map(|row| {
            let ((start, duration), name) = (times(row), trace.slice_name(SliceId::from(row)));
            (name["ProfilerStep#".len()..].parse().unwrap(), start, start + duration)
        })
        .collect();
    let step_of = |row: usize| {
        let start = times(row).0;
        let is_inside = |(_, from, to): &&(i64, f64, f64)| *from <= start && start < *to;
        let number = |step| steps.number(step) as i64;
        drawn
            .iter()
            .rfind(is_inside)
            .map(|(number, ..)| *number)
            .or_else(|| steps.at(slices.start[row]).filter(|_| !rounded).map(number))
    };
    (0..slices.len())
        .filter(|&row| slices.kind[row] != SliceKind::Span)
        .map(|row| {
            let (start, duration) = times(row);
            let ident = |ident: Ident| match ident.as_text() {
                Some(text) => trace.strings.get(text).to_owned(),
                None => ident.as_number().map_or_else(String::new, |number| number.to_string()),
            };
            let category = trace.strings.get(slices.category[row]).to_owned();
            let step = match streams[row] {
                stream if stream < 0 || (stream == 0 && category == "cpu_op") => step_of(row),
                _ => launches[row].and_then(|launch| step_of(launch.index())),
            };
            let unknown = if streams[row] == 0 && category != "cpu_op" { -999 } else { -1 };
            Event {
                start,
                duration,
                end: f64::NAN,
                absolute_end: start + duration,
                name: trace.slice_name(SliceId::from(row)).to_owned(),
                process: ident(trace.tracks.threads.process[slices.track[row].index()]),
                thread: ident(trace.tracks.threads.thread[slices.track[row].index()]),
                stream: streams[row],
                correlation: correlations[row],
                slice: SliceId::from(row),
                launch: launches[row],
                iteration: match step {
                    _ if unknown == -999 => unknown,
                    Some(step) => step,
                    None => unknown,
                },
                category,
            }
        })
        .collect()
}

/// The events of all ranks after alignment and step filter, by rank.
pub(crate) fn load(run: &Run, rounded: bool) -> BTreeMap<i64, Vec<Event>> {
    let mut ranks: BTreeMap<i64, Vec<Event>> = BTreeMap::new();
    for recording in &run.recordings {
        ranks.insert(recording.rank, events(&recording.trace, rounded));
    }
    let zero = ranks.values().flatten().map(|event| event.start).fold(f64::INFINITY, f64::min);
    for event in ranks.values_mut().flatten() {
        event.start -= zero;
        event.end = event.start + event.duration;
    }
    let mut steps: Vec<&str> = ranks.values().flatten().filter_map(Event::step).collect();
    steps.sort_unstable();
    steps.dedup();
    if steps.len() > 1 {
        ranks.values_mut().for_each(drop_last_step);
    }
    ranks
}

/// Keeps the CPU events before the last step, and each GPU event once for every CPU event of its correlation.
fn drop_last_step(events: &mut Vec<Event>) {
    let (gpu, cpu): (Vec<Event>, Vec<Event>) = events.drain(..).partition(Event::is_on_gpu);
    let steps = cpu.iter().filter(|event| event.step().is_some());
    let last = steps.map(|event| event.start).fold(f64::NEG_INFINITY, f64::max);
    let cpu: Vec<Event> = cpu.into_iter().filter(|event| event.start < last).collect();
    let mut launches: HashMap<i64, usize> = HashMap::new();
    for event in &cpu {
        *launches.entry(event.correlation).or_default() += 1;
    }
    for event in gpu {
        let times = launches.get(&event.correlation).copied().unwrap_or(0);
        events.extend(std::iter::repeat_n(event, times));
    }
    events.extend(cpu);
}
