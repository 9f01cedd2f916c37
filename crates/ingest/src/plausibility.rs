//! Durations that cannot be true. One of them can dwarf everything else, so they are kept but put in quarantine.

use eaves_model::{GpuId, Ns, Oddity, SliceId, SliceKind, Trace};

/// No recording and nothing in it lasts a month; counters that wrapped around or were never set say so.
const LONGEST: Ns = Ns(30 * 24 * 3600 * 1_000_000_000);

/// A stream in which at most one activity in this many overruns others is an in-order stream.
const IN_ORDER: usize = 100;

/// A stream in which one activity in this many overlaps its successor is no in-order stream, and overlaps mean
/// nothing.
const CONCURRENT: usize = 4;

/// Too few activities to call a stream in-order.
const FEW: usize = 10;

/// Letters of a name that a warning shows.
const SHOWN: usize = 48;

/// Too few slices to know how long the recording was.
const FEW_SLICES: usize = 100;

/// Notes overlaps of in-order streams and puts durations that cannot be true in quarantine.
pub(crate) fn check(trace: &mut Trace) {
    let mut suspects = too_long(trace);
    overruns(trace, &mut suspects);
    suspects.sort_unstable();
    suspects.dedup();
    if let Some(&first) = suspects.first() {
        let offset = trace.slices.position[first.index()] as u64;
        let name: String = trace.slice_name(first).chars().take(SHOWN).collect();
        let detail = format!("first `{name}` with {}", trace.slices.duration[first.index()]);
        trace.diagnostics.note_detail(Oddity::ImplausibleDuration, Some(offset), detail);
        trace.diagnostics.note_many(Oddity::ImplausibleDuration, suspects.len() as u64 - 1, Some(offset));
    }
    trace.quarantined = suspects;
}

/// Slices longer than a month, or that end later than the recording could have by its own length: after the last
/// start of anything, by more than the time between the first start and the last.
fn too_long(trace: &Trace) -> Vec<SliceId> {
    let slices = &trace.slices;
    let (mut first, mut last) = (Ns::MAX, Ns::MIN);
    for &start in &slices.start {
        first = first.min(start);
        last = last.max(start);
    }
    let latest = if slices.len() < FEW_SLICES { Ns::MAX } else { last + (last - first) };
    (0..slices.len())
        .filter(|&row| {
            let end = slices.end(row);
            slices.duration[row] > LONGEST || (end > latest && slices.kind[row] != SliceKind::Span)
        })
        .map(SliceId::from)
        .collect()
}

/// Activities of one stream run one after the other, so one that is still running when two later ones have begun
/// has a wrong end; Perfetto clips such slices, others let them inflate every total. Streams in which this is
/// common are not in-order (merged hardware queues) and prove nothing.
fn overruns(trace: &mut Trace, suspects: &mut Vec<SliceId>) {
    let already: Vec<bool> = {
        let mut flags = vec![false; trace.slices.len()];
        suspects.iter().for_each(|slice| flags[slice.index()] = true);
        flags
    };
    let gpu = &trace.gpu;
    // What MTIA calls a stream runs kernels and their copies side by side.
    let mtia = trace.strings.find("mtia_ccp_events");
    let is_in_queue = |slice: SliceId| {
        !already[slice.index()] && mtia.is_none_or(|mtia| trace.slices.category[slice.index()] != mtia)
    };
    let mut order: Vec<GpuId> = (0..gpu.len())
        .filter(|&row| gpu.stream[row].is_some() && is_in_queue(gpu.slice[row]))
        .map(GpuId::from)
        .collect();
    let key = |id: &GpuId| (gpu.device[id.index()], gpu.context[id.index()], gpu.stream[id.index()]);
    let start = |id: GpuId| trace.slices.start[gpu.slice[id.index()].index()];
    let end = |id: GpuId| trace.slices.end(gpu.slice[id.index()].index());
    let sorted = |a: &GpuId, b: &GpuId| (key(a), start(*a)) <= (key(b), start(*b));
    if !order.is_sorted_by(sorted) {
        order.sort_by_key(|id| (key(id), start(*id)));
    }
    let (mut overlapping, mut first_overlap) = (0, None);
    for stream in order.chunk_by(|a, b| key(a) == key(b)) {
        let overlaps = |window: &&[GpuId]| end(window[0]) > start(window[1]);
        let overruns =
            |window: &&[GpuId]| end(window[0]) > start(window[2]) && start(window[2]) > start(window[0]);
        let crossing = stream.windows(2).filter(overlaps).count();
        if crossing == 0 {
            continue;
        }
        let wrong: Vec<SliceId> =
            stream.windows(3).filter(overruns).map(|window| gpu.slice[window[0].index()]).collect();
        if crossing * IN_ORDER <= stream.len() || (crossing == 1 && stream.len() >= FEW) {
            suspects.extend(wrong);
        }
        if crossing * CONCURRENT <= stream.len() || stream.len() < FEW {
            overlapping += crossing as u64;
            let at = stream.windows(2).find(overlaps).map(|window| gpu.slice[window[0].index()]);
            first_overlap = first_overlap.or(at.map(|slice| trace.slices.position[slice.index()] as u64));
        }
    }
    trace.diagnostics.note_many(Oddity::StreamOverlap, overlapping, first_overlap);
}
