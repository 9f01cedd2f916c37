//! What follows from the causes. Every instant of idle time is in the gain of one finding at most, so the gains of a
//! rank add up to no more than its idle time. The start-up is in none of them, and has its own finding.

use eaves_model::Ns;

use super::cause::Cause;
use super::gains::Range;
use super::launches::Launches;
use super::part::{Part, Place, is_notable};
use crate::advice::Audience;
use crate::analyses::Rank;
use crate::section::{Budget, Finding, Gain, Severity};
use crate::text::{duration, percent, percentage, shortened};

/// A cause that takes so much of the span is the first thing to work on.
const CRITICAL_PCT: f64 = 20.0;
/// Pauses before activities that were launched in time are everywhere; less than this is the ordinary cost of starting
/// kernels. Idle time of which nothing is known has to be as much.
const NOT_THE_HOST_PCT: f64 = 10.0;

/// At most one finding a rule, about the rank where it costs most.
pub(super) fn findings(audience: Audience, ranks: &[&Rank<'_, Part>]) -> Vec<Finding> {
    let of = |cause: Cause| move |part: &Part| part.steady(cause);
    let recompiling =
        |part: &Part| if part.recompiles() { part.steady(Cause::Compilation) } else { Ns::ZERO };
    // Counters are collected kernel by kernel, and the time between kernels is that of collecting them.
    let (collecting, ranks): (Vec<_>, Vec<_>) = ranks.iter().partition(|rank| rank.part.collects_counters);
    let ranks = &ranks[..];
    let rules = [
        finding(ranks, of(Cause::DataLoading), |rank| Some(data_loading(rank, audience))),
        finding(ranks, Part::synchronisation, |rank| synchronisation(rank, audience)),
        finding(ranks, of(Cause::GarbageCollection), |rank| Some(garbage_collection(rank))),
        finding(ranks, of(Cause::Allocation), |rank| Some(allocator_calls(rank, audience))),
        finding(ranks, recompiling, |rank| Some(compilation(rank, audience))),
        finding(ranks, Part::host_work, |rank| host_bound(rank, audience)),
        finding(ranks, |part| part.short_pauses, |rank| kernel_gaps(rank, audience)),
        finding(ranks, Part::held, device_wait),
        finding(ranks, of(Cause::Unknown), |rank| unexplained_idle(rank, audience)),
        profiler_overhead(ranks, audience),
        start_up(ranks, audience),
        counter_collection(&collecting),
    ];
    rules.into_iter().flatten().collect()
}

/// What a rule says of a rank.
struct Text {
    id: &'static str,
    /// What takes the time, as the subject of the claim.
    subject: String,
    /// What can be gained, over all steps.
    gain: Range,
    basis: &'static str,
    evidence: String,
    next: String,
}

/// The time that counts, of which shares are told: the steady state without what happens once.
fn whole(rank: &Rank<'_, Part>) -> Ns {
    rank.steady.time() - rank.part.once()
}

/// What shares are of, in words.
fn of_time(rank: &Rank<'_, Part>) -> &'static str {
    if percentage(rank.part.once(), rank.steady.time()) < START_UP_PCT {
        "of the time"
    } else {
        "of the time after start-up"
    }
}

fn finding(
    ranks: &[&Rank<'_, Part>],
    time: impl Fn(&Part) -> Ns,
    text: impl Fn(&Rank<'_, Part>) -> Option<Text>,
) -> Option<Finding> {
    let share = |rank: &Rank<'_, Part>| percentage(time(rank.part), whole(rank));
    let rank = ranks.iter().max_by(|a, b| share(a).total_cmp(&share(b)).then(b.rank.cmp(&a.rank)))?;
    let spent = time(rank.part);
    let text = text(rank)?;
    // What a stall delays behind it may be more than the idle time in it.
    if !is_notable(spent.max(text.gain.high), whole(rank)) || !is_notable(Ns(2 * spent.0), whole(rank)) {
        return None;
    }
    let basis = if text.gain.high > spent {
        format!("{}; more than the wait itself, because it also delays what follows", text.basis)
    } else {
        text.basis.to_owned()
    };
    let gain =
        Gain::new(text.gain.low, text.gain.high, rank.steady.steps, basis).out_of(rank.rank, Budget::Idle);
    let worst = if ranks.len() > 1 { format!("rank {} is worst: ", rank.rank) } else { String::new() };
    let each = Ns(spent.0 / i64::try_from(rank.steady.steps).unwrap_or(i64::MAX).max(1));
    let per_step = if gain.per_step { " per step" } else { "" };
    Some(Finding {
        id: text.id,
        severity: if share(rank) < CRITICAL_PCT { Severity::Warning } else { Severity::Critical },
        claim: format!(
            "{worst}{} for {} {} ({}{per_step})",
            text.subject,
            percent(spent, whole(rank)),
            of_time(rank),
            duration(each)
        ),
        gain: Some(gain),
        evidence: text.evidence,
        next: text.next,
    })
}

/// The rows of a table, and what stands first in them.
fn evidence(rank: &Rank<'_, Part>, cause: Cause) -> String {
    let longest = rank.part.names.iter().filter(|name| name.cause == cause).max_by_key(|name| name.time);
    let detail = longest.filter(|name| name.time > Ns::ZERO).map_or_else(String::new, |name| {
        format!("; most in `{}`, {} in all", name.name, duration(name.time))
    });
    format!("tables by_cause and by_name, rank {}, cause {}{detail}", rank.rank, cause.id())
}

const REMOVED: &str = "from replaying the launches without it: all of it if removed or run in the background";

fn data_loading(rank: &Rank<'_, Part>, audience: Audience) -> Text {
    let torch = if rank.part.loads_in_process {
        "the training process loads its batches itself: give the `DataLoader` workers (`num_workers=4` or more), \
         `pin_memory=True` and enough `prefetch_factor`"
    } else {
        "load faster or further ahead: more `num_workers`, a larger `prefetch_factor`, `pin_memory=True`, \
         `persistent_workers=True`, cheaper decoding"
    };
    Text {
        id: "data_loading",
        subject: "data loading keeps the GPU waiting".to_owned(),
        gain: rank.part.gains.data_loading,
        basis: REMOVED,
        evidence: evidence(rank, Cause::DataLoading),
        next: audience.either(
            torch,
            "load faster or further ahead, on separate threads or processes, into pinned memory; decode less",
        ),
    }
}

fn synchronisation(rank: &Rank<'_, Part>, audience: Audience) -> Option<Text> {
    let place = rank.part.places.first()?;
    Some(Text {
        id: "synchronisation",
        subject: format!("{} drains the GPU and leaves it idle", described(place)),
        gain: rank.part.gains.synchronisation,
        basis: "at least the idle time inside the calls; at most also the time up to the next launch, if the host \
            can run ahead",
        evidence: format!("table synchronising_calls, rank {}, first row", rank.rank),
        next: audience.either(
            "keep values on the device and read them rarely (the loss every 100 steps); copy with `non_blocking=True` \
             from pinned memory; `torch.cuda.set_sync_debug_mode(\"warn\")` reports every such call",
            "keep values on the device and read them rarely, copy asynchronously from pinned memory, and wait for an \
             event of one stream rather than for the whole device",
        ),
    })
}

fn described(place: &Place) -> String {
    let mut text = format!("`{}`", place.call);
    if let Some(operator) = place.operator.as_ref().filter(|operator| **operator != place.call) {
        text.push_str(&format!(" of `{operator}`"));
    }
    if let Some(line) = &place.line {
        text.push_str(&format!(" at `{line}`"));
    }
    text
}

fn garbage_collection(rank: &Rank<'_, Part>) -> Text {
    Text {
        id: "garbage_collection",
        subject: "Python's garbage collector keeps the GPU waiting".to_owned(),
        gain: rank.part.gains.garbage_collection,
        basis: REMOVED,
        evidence: evidence(rank, Cause::GarbageCollection),
        next: "choose when to collect: `gc.disable()` (or `gc.freeze()` after setup) and `gc.collect()` every N \
            steps, in the same step on all ranks"
            .to_owned(),
    }
}

fn allocator_calls(rank: &Rank<'_, Part>, audience: Audience) -> Text {
    Text {
        id: "allocator_calls",
        subject: "allocating and freeing device memory keeps the GPU waiting".to_owned(),
        gain: rank.part.gains.allocation,
        basis: REMOVED,
        evidence: evidence(rank, Cause::Allocation),
        next: audience.either(
            "let the caching allocator keep its memory: no `torch.cuda.empty_cache()` in the loop, \
             `PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True`, fixed shapes; pin host memory once",
            "allocate once and reuse: buffers that outlive the loop, or a pool (`cudaMallocAsync`, `hipMallocAsync`); \
             pin host memory once",
        ),
    }
}

fn compilation(rank: &Rank<'_, Part>, audience: Audience) -> Text {
    Text {
        id: "compilation",
        subject: "repeated compilation or code loading keeps the GPU waiting".to_owned(),
        gain: rank.part.gains.compilation,
        basis: REMOVED,
        evidence: format!("{}; in {} steps", evidence(rank, Cause::Compilation), rank.part.compiling_steps),
        next: audience.either(
            "see `TORCH_LOGS=recompiles` for the cause (`dynamic=True` for changing shapes)",
            "keep compiled code: build it for the device's architecture, or cache it on disk",
        ),
    }
}

fn kernel_gaps(rank: &Rank<'_, Part>, audience: Audience) -> Option<Text> {
    is_much(rank, rank.part.short_pauses).then(|| Text {
        id: "kernel_gaps",
        subject: "pauses between queued kernels leave the GPU idle".to_owned(),
        gain: Range { low: Ns::ZERO, high: rank.part.short_pauses },
        basis: "at most all of it; starting a kernel is never free",
        evidence: device_evidence(rank, &[Cause::Device]),
        next: audience.unless_compiled(
            "run fewer, larger kernels: `torch.compile` fuses them, and CUDA graphs shorten the pauses",
            "run fewer, larger kernels: fuse them, or launch them as a graph with shorter pauses",
        ),
    })
}

fn device_wait(rank: &Rank<'_, Part>) -> Option<Text> {
    is_much(rank, rank.part.held()).then(|| Text {
        id: "device_wait",
        subject: "queued work does not start, leaving the GPU idle".to_owned(),
        gain: Range { low: Ns::ZERO, high: rank.part.held() },
        basis: "at most all of it; how much is avoidable is unknown",
        evidence: device_evidence(rank, &[Cause::Device, Cause::Held]),
        next: "see what ends these gaps (`--details`, table by_gap): usually an event of another stream, device \
            or rank"
            .to_owned(),
    })
}

fn device_evidence(rank: &Rank<'_, Part>, causes: &[Cause]) -> String {
    let of = |&cause: &Cause| {
        let total = rank.part.totals[cause as usize];
        format!("{}: {} gaps, the longest {}", cause.id(), total.gaps, duration(total.longest))
    };
    let seen = causes.iter().filter(|&&cause| rank.part.totals[cause as usize].gaps > 0).map(of);
    format!("table by_cause, rank {}, {}", rank.rank, seen.collect::<Vec<_>>().join("; "))
}

fn is_much(rank: &Rank<'_, Part>, time: Ns) -> bool {
    percentage(time, whole(rank)) >= NOT_THE_HOST_PCT
}

fn unexplained_idle(rank: &Rank<'_, Part>, audience: Audience) -> Option<Text> {
    let next = if rank.part.has_launches() {
        "the activities that end these gaps were launched before the recording: start recording earlier; \
        `--details`, table by_gap, lists them"
            .to_owned()
    } else {
        audience.recorder.advice(
            "launches",
            "record the host too: `activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]`",
        )
    };
    is_much(rank, rank.part.steady(Cause::Unknown)).then(|| Text {
        id: "unexplained_idle",
        subject: "with no recorded launch to explain it, the GPU is idle".to_owned(),
        gain: Range { low: Ns::ZERO, high: rank.part.steady(Cause::Unknown) },
        basis: "at most all of it; the cause is unknown",
        evidence: format!("table by_cause, rank {}, cause {}", rank.rank, Cause::Unknown.id()),
        next,
    })
}

/// Fewer launches than this in a step are not worth a graph.
const LAUNCHES_FOR_A_GRAPH: u64 = 50;

/// Gaps this long on average are not the launching of kernels: the host does something else in them.
const LONG_GAP: Ns = Ns(1_000_000);

fn host_bound(rank: &Rank<'_, Part>, audience: Audience) -> Option<Text> {
    let launches = rank.part.launches?;
    let per_step = launches.calls / rank.steps.max(1);
    let medians = launches.work.zip(launches.interval).map(|(work, interval)| {
        format!(
            "; medians of {} gaps: {} from launch to launch, {} of GPU work",
            launches.gaps,
            duration(interval),
            duration(work)
        )
    });
    let parts: Vec<String> = Cause::HOST_WORK
        .iter()
        .map(|&cause| (host_share(rank, &[cause]), cause))
        .filter(|&(share, _)| share >= 1.0)
        .map(|(share, cause)| format!("{} {share:.0}%", cause.id()))
        .collect();
    let per = if rank.steps > 0 { " per step" } else { "" };
    Some(Text {
        id: "host_bound",
        subject: "late launches by the host keep the GPU waiting".to_owned(),
        gain: rank.part.gains.host_work,
        basis: "all of it if the host always runs ahead of the GPU",
        evidence: format!(
            "tables by_cause and by_name, rank {}: {}; {per_step} launches{per}{}",
            rank.rank,
            parts.join(", "),
            medians.unwrap_or_default()
        ),
        next: launch_earlier(rank, launches, audience),
    })
}

/// The share that some causes have in the ordinary work of the host.
fn host_share(rank: &Rank<'_, Part>, causes: &[Cause]) -> f64 {
    let totals = causes.iter().map(|&cause| rank.part.totals[cause as usize]);
    percentage(totals.map(|total| total.steady - total.after_sync).sum(), rank.part.host_work())
}

/// What helps depends on what the host does: many short launches become fewer, a long piece of work moves elsewhere.
fn launch_earlier(rank: &Rank<'_, Part>, launches: Launches, audience: Audience) -> String {
    let per_step = launches.calls / rank.steps.max(1);
    let gaps = i64::try_from(launches.gaps).unwrap_or(i64::MAX).max(1);
    let is_long = rank.part.host_work().0 / gaps >= LONG_GAP.0;
    let share = |causes: &[Cause]| host_share(rank, causes);
    if launches.is_same_every_step && per_step >= LAUNCHES_FOR_A_GRAPH && 2 * launches.graphs < launches.calls
    {
        return audience.unless_compiled(
            "every step launches the same kernels, so one CUDA graph can launch them all: \
             `torch.compile(mode=\"reduce-overhead\")` or `torch.cuda.graph`; larger batches make the kernels longer",
            "every step launches the same kernels, so one graph can launch them all (`cudaGraphLaunch`, `hipGraphLaunch`)",
        );
    }
    if share(&[Cause::Nothing]) >= 50.0 {
        return audience.either(
            "record with `with_stack=True` to see what the host does there",
            "mark parts of the program with NVTX or roctx ranges and record them to see what the host does there; \
            `eaves info` shows the option",
        );
    }
    let longest = |cause: Cause| {
        let names = rank.part.names.iter().filter(|name| name.cause == cause);
        names.max_by_key(|name| name.time).map(|name| name.name.as_str())
    };
    let mostly = [Cause::Ranges, Cause::Python].into_iter().find(|&cause| share(&[cause]) >= 50.0);
    match mostly.and_then(|cause| Some((cause, longest(cause)?))) {
        Some((Cause::Python, name)) if !is_long => {
            let torch = format!(
                "most of it is Python between operators, mainly `{}`: `torch.compile` removes it from the loop",
                shortened(name)
            );
            audience.unless_compiled(&torch, &torch)
        }
        Some((_, name)) => format!(
            "most of it is host work in `{}`: shorten it, or move it to another thread",
            shortened(name)
        ),
        None => audience.fewer_launches(),
    }
}

/// Not time that can be gained: a run without the profiler does not have it. So it has no gain, but the numbers are
/// that much off.
fn profiler_overhead(ranks: &[&Rank<'_, Part>], audience: Audience) -> Option<Finding> {
    let shares = |rank: &Rank<'_, Part>| {
        let idle = percentage(rank.part.steady(Cause::Profiler), whole(rank));
        let host = percentage(rank.part.overhead.time, rank.part.overhead.whole);
        (idle, host)
    };
    let worst = |rank: &Rank<'_, Part>| shares(rank).0.max(shares(rank).1);
    let rank = ranks.iter().max_by(|a, b| worst(a).total_cmp(&worst(b)).then(b.rank.cmp(&a.rank)))?;
    let (idle, host) = shares(rank);
    let part = rank.part;
    let waits = is_notable(part.steady(Cause::Profiler), whole(rank));
    if !waits && host < OVERHEAD_PCT {
        return None;
    }
    let (claim, evidence) = if idle >= host {
        let (time, whole) = (part.steady(Cause::Profiler), whole(rank));
        let claim = format!(
            "the profiler keeps the GPU of rank {} waiting for {} ({}) of its time",
            rank.rank,
            percent(time, whole),
            duration(time)
        );
        (claim, evidence(rank, Cause::Profiler))
    } else {
        let overhead = &part.overhead;
        let claim = format!(
            "the profiler was busy for {} ({}) of the time on rank {}",
            percent(overhead.time, overhead.whole),
            duration(overhead.time),
            rank.rank
        );
        (claim, format!("slices of category `overhead`, the longest `{}`", overhead.name))
    };
    Some(Finding {
        id: "profiler_overhead",
        severity: if idle.max(host) < CRITICAL_PCT { Severity::Warning } else { Severity::Critical },
        claim: format!("{claim}, so times are inflated"),
        gain: None,
        evidence,
        next: audience.either(
            "record less: fewer steps, without `with_stack`, `record_shapes` and `profile_memory`; add a warm-up \
            step to the schedule to exclude profiler start-up",
            "record less: fewer event kinds, and a shorter part of the run, after the warm-up",
        ),
    })
}

/// Time between kernels of which counters were collected says nothing about the program.
fn counter_collection(ranks: &[&Rank<'_, Part>]) -> Option<Finding> {
    let idle = |rank: &Rank<'_, Part>| percentage(rank.steady.idle(), rank.steady.time());
    let rank = ranks.iter().max_by(|a, b| idle(a).total_cmp(&idle(b)).then(b.rank.cmp(&a.rank)))?;
    (idle(rank) >= NOT_THE_HOST_PCT).then(|| Finding {
        id: "counter_collection",
        severity: Severity::Info,
        claim: format!(
            "{} of the time on rank {} is idle because the profiler collects counters kernel by kernel; it says nothing \
             about the program",
            percent(rank.steady.idle(), rank.steady.time()),
            rank.rank
        ),
        gain: None,
        evidence: format!("section counters, and table by_cause of rank {}", rank.rank),
        next: "record a trace without counters to see how the GPU is kept busy".to_owned(),
    })
}

/// Share of the recording above which the profiler's own work is worth a sentence, idle GPU or not.
const OVERHEAD_PCT: f64 = 2.0;

/// Share of the recording above which its start-up is worth a sentence: the totals of all sections have it.
const START_UP_PCT: f64 = 10.0;
/// Less is what the first launch of any recording takes.
const SHORT_START_UP: Ns = Ns(1_000_000);

/// Says what of the recording is not a steady state. It is paid once, so there is no gain.
fn start_up(ranks: &[&Rank<'_, Part>], audience: Audience) -> Option<Finding> {
    let time = |rank: &Rank<'_, Part>| rank.steady.lead_in + rank.part.once();
    let recorded = |rank: &Rank<'_, Part>| rank.steady.time() + rank.steady.lead_in;
    let share = |rank: &Rank<'_, Part>| percentage(time(rank), recorded(rank));
    let rank = ranks.iter().max_by(|a, b| share(a).total_cmp(&share(b)).then(b.rank.cmp(&a.rank)))?;
    if share(rank) < START_UP_PCT || time(rank) < SHORT_START_UP {
        return None;
    }
    let call = rank.part.start_up_call.as_ref().map_or_else(String::new, |call| format!(" (`{call}`)"));
    let parts = [
        (rank.steady.lead_in, "before the first GPU activity".to_owned()),
        (rank.part.start_up, format!("one-time work{call}")),
        (rank.part.compiling_once(), "compiling or loading code".to_owned()),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(time, _)| *time > Ns::ZERO)
        .map(|(time, text)| format!("{} {text}", duration(time)))
        .collect();
    let worst = if ranks.len() > 1 { format!("rank {} is worst: ", rank.rank) } else { String::new() };
    Some(Finding {
        id: "start_up",
        severity: Severity::Info,
        claim: format!(
            "{worst}start-up takes {} ({}) of the recording and is excluded from all other findings: {}",
            percent(time(rank), recorded(rank)),
            duration(time(rank)),
            parts.join(", ")
        ),
        gain: None,
        evidence: format!("tables by_cause and by_name, rank {}", rank.rank),
        next: audience.either(
            "record after a few warm-up steps, so that totals show the steady state: `schedule(wait=1, warmup=2, active=3)`",
            "start recording after the first iterations, so that totals show the steady state",
        ),
    })
}
