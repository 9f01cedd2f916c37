//! Durations that cannot be true. One of them can dwarf everything else, so they are kept but put in quarantine. What
//! is merely unusual counts, and is said.

use eaves_model::{GpuId, Impossibility, Ns, SliceId, SliceKind, Trace, WarningKind};

/// A stream in which at most one activity in this many overruns others is an in-order stream.
const IN_ORDER: usize = 100;

/// A stream in which one activity in this many overlaps its successor is not an in-order stream, and overlaps mean
/// nothing.
const CONCURRENT: usize = 4;

/// Too few activities to call a stream in-order.
const FEW: usize = 10;

/// Letters of a name that a warning shows.
const SHOWN: usize = 48;

/// Too few slices to know how long the recording was.
const FEW_SLICES: usize = 100;

/// What Kineto marks the end of a recording with. It drops activities that end later
/// (`CuptiActivityProfiler::outOfRange`).
const TRAILERS: [&str; 2] = ["Record Window End", "Trace End"];

/// How far the clock of a device may be from that of the host, which the trailer is of.
const SKEW: Ns = Ns(1_000_000);

/// Puts durations that cannot be true in quarantine, and notes those that are merely unusual.
pub(crate) fn check(trace: &mut Trace) {
    let ends = Ends::of(trace);
    let mut negative = Vec::new();
    let mut impossible = Vec::new();
    let mut suspicious = Vec::new();
    let slices = &mut trace.slices;
    for row in 0..slices.len() {
        let (duration, end) = (slices.duration[row], slices.end(row));
        if duration < Ns::ZERO {
            slices.duration[row] = Ns::ZERO;
            negative.push(SliceId::from(row));
        } else if duration > Impossibility::LONGEST || (end > ends.possible && !is_range(slices.kind[row])) {
            impossible.push(SliceId::from(row));
        } else if end > ends.usual.min(ends.possible) && slices.kind[row] != SliceKind::Span {
            suspicious.push(SliceId::from(row));
        }
    }
    note(trace, WarningKind::NegativeDuration, &negative);
    note(trace, WarningKind::ImplausibleDuration, &impossible);
    trace.quarantined = negative;
    trace.quarantined.append(&mut impossible);
    trace.quarantined.sort_unstable();
    overruns(trace, &mut suspicious);
    suspicious.sort_unstable();
    suspicious.dedup();
    note(trace, WarningKind::SuspiciousDuration, &suspicious);
}

/// True for what is named and no work: ranges may be open when the recording ends, and spans are of the recording.
fn is_range(kind: SliceKind) -> bool {
    matches!(kind, SliceKind::Annotation | SliceKind::GpuAnnotation | SliceKind::Span)
}

/// Notes slices, which are in order; the first one by name.
fn note(trace: &mut Trace, kind: WarningKind, slices: &[SliceId]) {
    let Some(&first) = slices.first() else { return };
    let offset = trace.slices.position[first.index()] as u64;
    let name: String = trace.slice_name(first).chars().take(SHOWN).collect();
    let length = trace.slices.duration[first.index()];
    let detail = if kind == WarningKind::NegativeDuration {
        format!("first `{name}`")
    } else {
        format!("first `{name}` with {length}")
    };
    trace.diagnostics.note_detail(kind, Some(offset), detail);
    trace.diagnostics.note_many(kind, slices.len() as u64 - 1, Some(offset));
}

/// When a recording ended.
struct Ends {
    /// Nothing can have ended later.
    possible: Ns,
    /// What ended later lasted longer than everything before it.
    usual: Ns,
}

impl Ends {
    /// A trailer says when the recorder stopped. What still began after it, and spans of the recording, say that it went on.
    /// Spans alone may end with the last begin, so what ends later must be longer than the recording to be impossible.
    /// Without either nothing but an overflow is.
    fn of(trace: &Trace) -> Self {
        let slices = &trace.slices;
        let (mut first, mut last, mut span) = (Ns::MAX, Ns::MIN, None);
        for (row, &start) in slices.start.iter().enumerate() {
            first = first.min(start);
            last = last.max(start);
            if slices.kind[row] == SliceKind::Span && slices.duration[row] <= Impossibility::LONGEST {
                span = span.max(Some(slices.end(row)));
            }
        }
        let names = TRAILERS.map(|name| trace.strings.find(name));
        let instants = &trace.instants;
        let is_trailer = |row: &usize| names.contains(&Some(instants.name[*row]));
        let trailer = (0..instants.len()).filter(is_trailer).map(|row| instants.time[row]).max();
        let snapshot = trace.snapshot.events.time.iter().max().copied();
        let seen = last.max(span.unwrap_or(last)).max(snapshot.unwrap_or(last));
        let doubled = seen + (seen - first);
        let possible = match (trailer, span) {
            (Some(trailer), _) => trailer.max(seen) + SKEW,
            (None, Some(_)) => doubled,
            (None, None) => Ns::MAX,
        };
        let usual = if trailer.is_some() || slices.len() < FEW_SLICES { Ns::MAX } else { doubled };
        Self { possible, usual }
    }
}

/// Activities of one stream run one after the other, so one that is still running when two later ones have begun
/// may have a wrong end; Perfetto clips such slices. Streams in which this is common are not in-order (merged hardware
/// queues) and prove nothing, nor do activities of one launch: a graph runs its nodes side by side.
fn overruns(trace: &mut Trace, suspicious: &mut Vec<SliceId>) {
    let gpu = &trace.gpu;
    let has_quarantine = !trace.quarantined.is_empty();
    // What MTIA calls a stream runs kernels and their copies side by side.
    let mtia = trace.strings.find("mtia_ccp_events");
    let is_in_queue = |slice: SliceId| {
        !(has_quarantine && trace.is_quarantined(slice))
            && mtia.is_none_or(|mtia| trace.slices.category[slice.index()] != mtia)
    };
    let mut order: Vec<GpuId> = (0..gpu.len())
        .filter(|&row| gpu.stream[row].is_some() && is_in_queue(gpu.slice[row]))
        .map(GpuId::from)
        .collect();
    let key = |id: &GpuId| (gpu.device[id.index()], gpu.context[id.index()], gpu.stream[id.index()]);
    let start = |id: GpuId| trace.slices.start[gpu.slice[id.index()].index()];
    let end = |id: GpuId| trace.slices.end(gpu.slice[id.index()].index());
    let launch = |id: GpuId| gpu.correlation[id.index()];
    let is_one_launch = |a: GpuId, b: GpuId| launch(a).is_some() && launch(a) == launch(b);
    let sorted = |a: &GpuId, b: &GpuId| (key(a), start(*a)) <= (key(b), start(*b));
    if !order.is_sorted_by(sorted) {
        order.sort_by_key(|id| (key(id), start(*id)));
    }
    let (mut overlapping, mut first_overlap) = (0, None);
    for stream in order.chunk_by(|a, b| key(a) == key(b)) {
        let overlaps =
            |window: &&[GpuId]| end(window[0]) > start(window[1]) && !is_one_launch(window[0], window[1]);
        let overruns = |window: &&[GpuId]| {
            end(window[0]) > start(window[2])
                && start(window[2]) > start(window[0])
                && !is_one_launch(window[0], window[2])
        };
        let crossing = stream.windows(2).filter(overlaps).count();
        if crossing == 0 {
            continue;
        }
        let wrong: Vec<SliceId> =
            stream.windows(3).filter(overruns).map(|window| gpu.slice[window[0].index()]).collect();
        if crossing * IN_ORDER <= stream.len() || (crossing == 1 && stream.len() >= FEW) {
            suspicious.extend(wrong);
        }
        if crossing * CONCURRENT <= stream.len() || stream.len() < FEW {
            overlapping += crossing as u64;
            let at = stream.windows(2).find(overlaps).map(|window| gpu.slice[window[0].index()]);
            first_overlap = first_overlap.or(at.map(|slice| trace.slices.position[slice.index()] as u64));
        }
    }
    trace.diagnostics.note_many(WarningKind::StreamOverlap, overlapping, first_overlap);
}
