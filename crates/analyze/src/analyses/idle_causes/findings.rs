//! What follows from the causes. Every instant of idle time is in the gain of one finding at most, so the gains of a
//! rank add up to no more than its idle time. The start-up is in none of them, and has a finding of its own.

use eaves_model::Ns;

use super::cause::Cause;
use super::gains::Range;
use super::part::{Part, Place, is_notable};
use crate::analyses::Rank;
use crate::section::{Budget, Finding, Gain, Severity};
use crate::text::{duration, percent, percentage};

/// A cause that takes so much of the span is the first thing to work on.
const CRITICAL_PCT: f64 = 20.0;
/// Pauses before activities that were launched in time are everywhere; less than this is the ordinary cost of starting
/// kernels. Idle time of which nothing is known has to be as much.
const NOT_THE_HOST_PCT: f64 = 10.0;

/// At most one finding a rule, about the rank where it costs most.
pub(super) fn findings(ranks: &[&Rank<'_, Part>]) -> Vec<Finding> {
    let of = |cause: Cause| move |part: &Part| part.steady(cause);
    let recompiling =
        |part: &Part| if part.recompiles() { part.steady(Cause::Compilation) } else { Ns::ZERO };
    let rules = [
        finding(ranks, of(Cause::DataLoading), data_loading),
        finding(ranks, |part| part.steady(Cause::Synchronisation) + part.after_sync(), synchronisation),
        finding(ranks, of(Cause::GarbageCollection), garbage_collection),
        finding(ranks, of(Cause::Allocation), allocator_calls),
        finding(ranks, recompiling, compilation),
        finding(ranks, Part::host_work, host_bound),
        finding(ranks, |part| part.short_pauses, kernel_gaps),
        finding(ranks, |part| part.steady(Cause::Device) - part.short_pauses, device_wait),
        finding(ranks, of(Cause::Unknown), unexplained_idle),
        profiler_overhead(ranks),
        start_up(ranks),
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

/// The time that counts, of which shares are told.
fn whole(rank: &Rank<'_, Part>) -> Ns {
    rank.steady.time()
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
    let gain = Gain::new(text.gain.low, text.gain.high, rank.steady.steps, text.basis)
        .out_of(rank.rank, Budget::Idle);
    let worst = if ranks.len() > 1 { format!("rank {} is worst: ", rank.rank) } else { String::new() };
    let each = Ns(spent.0 / i64::try_from(rank.steady.steps).unwrap_or(i64::MAX).max(1));
    let per_step = if gain.per_step { " per step" } else { "" };
    Some(Finding {
        id: text.id,
        severity: if share(rank) < CRITICAL_PCT { Severity::Warning } else { Severity::Critical },
        claim: format!(
            "{worst}{} for {} of the time ({}{per_step})",
            text.subject,
            percent(spent, whole(rank)),
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

const REMOVED: &str = "all of it if it goes away or goes on in the background; nothing if it cannot";

fn data_loading(rank: &Rank<'_, Part>) -> Option<Text> {
    let next = if rank.part.loads_in_process {
        "the training process loads its batches itself: give the `DataLoader` workers (`num_workers=4` or more), \
         `pin_memory=True`, and enough `prefetch_factor`"
    } else {
        "load faster or further ahead: more `num_workers`, a larger `prefetch_factor`, `pin_memory=True`, \
         `persistent_workers=True`, data that needs less decoding"
    };
    Some(Text {
        id: "data_loading",
        subject: "loading data keeps the GPU waiting".to_owned(),
        gain: rank.part.gains.data_loading,
        basis: REMOVED,
        evidence: evidence(rank, Cause::DataLoading),
        next: next.to_owned(),
    })
}

fn synchronisation(rank: &Rank<'_, Part>) -> Option<Text> {
    let place = rank.part.places.first()?;
    Some(Text {
        id: "synchronisation",
        subject: format!("{} waits until the GPU has run dry, which leaves it idle", described(place)),
        gain: rank.part.gains.synchronisation,
        basis: "at least the idle time inside the calls; with the way from there to the next launch, if the host can \
                run ahead instead",
        evidence: format!("table synchronising_calls, rank {}, first row", rank.rank),
        next: "leave values on the device and read them rarely (the loss every 100 steps), copy with \
               `non_blocking=True` from pinned memory; `torch.cuda.set_sync_debug_mode(\"warn\")` names every such call"
            .to_owned(),
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

fn garbage_collection(rank: &Rank<'_, Part>) -> Option<Text> {
    Some(Text {
        id: "garbage_collection",
        subject: "Python's garbage collection keeps the GPU waiting".to_owned(),
        gain: rank.part.gains.garbage_collection,
        basis: REMOVED,
        evidence: evidence(rank, Cause::GarbageCollection),
        next: "collect when it suits: `gc.disable()` (or `gc.freeze()` after setting up) and `gc.collect()` every so \
               many steps, on all ranks at the same one"
            .to_owned(),
    })
}

fn allocator_calls(rank: &Rank<'_, Part>) -> Option<Text> {
    Some(Text {
        id: "allocator_calls",
        subject: "allocating and freeing device memory keeps the GPU waiting".to_owned(),
        gain: rank.part.gains.allocation,
        basis: REMOVED,
        evidence: evidence(rank, Cause::Allocation),
        next: "let the caching allocator keep what it has: no `torch.cuda.empty_cache()` in the loop, \
               `PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True`, shapes that do not change; pin host memory once"
            .to_owned(),
    })
}

fn compilation(rank: &Rank<'_, Part>) -> Option<Text> {
    Some(Text {
        id: "compilation",
        subject: "compiling or loading code again and again keeps the GPU waiting".to_owned(),
        gain: rank.part.gains.compilation,
        basis: REMOVED,
        evidence: format!("{}; in {} steps", evidence(rank, Cause::Compilation), rank.part.compiling_steps),
        next: "find out with `TORCH_LOGS=recompiles` why code is compiled again (`dynamic=True` for shapes that \
               change)"
            .to_owned(),
    })
}

fn kernel_gaps(rank: &Rank<'_, Part>) -> Option<Text> {
    is_much(rank, rank.part.short_pauses).then(|| Text {
        id: "kernel_gaps",
        subject: "the GPU pauses between kernels that are already queued".to_owned(),
        gain: Range { low: Ns::ZERO, high: rank.part.short_pauses },
        basis: "all of it at most; starting a kernel always takes a moment",
        evidence: device_evidence(rank),
        next:
            "fewer and larger kernels: `torch.compile` fuses them, CUDA graphs start them with shorter pauses"
                .to_owned(),
    })
}

fn device_wait(rank: &Rank<'_, Part>) -> Option<Text> {
    is_much(rank, rank.part.steady(Cause::Device) - rank.part.short_pauses).then(|| Text {
        id: "device_wait",
        subject: "the GPU is idle though work is queued, which waits for something else,".to_owned(),
        gain: Range { low: Ns::ZERO, high: rank.part.steady(Cause::Device) - rank.part.short_pauses },
        basis: "all of it at most; nothing says how much can be avoided",
        evidence: device_evidence(rank),
        next: "see what ends these gaps (`--details`, table by_gap): an event of another stream, another device or \
               another rank is the usual reason"
            .to_owned(),
    })
}

fn device_evidence(rank: &Rank<'_, Part>) -> String {
    let total = rank.part.totals[Cause::Device as usize];
    format!(
        "table by_cause, rank {}, cause {}: {} gaps, {} at most in one",
        rank.rank,
        Cause::Device.id(),
        total.gaps,
        duration(total.longest)
    )
}

fn is_much(rank: &Rank<'_, Part>, time: Ns) -> bool {
    percentage(time, whole(rank)) >= NOT_THE_HOST_PCT
}

fn unexplained_idle(rank: &Rank<'_, Part>) -> Option<Text> {
    is_much(rank, rank.part.steady(Cause::Unknown)).then(|| Text {
        id: "unexplained_idle",
        subject: "the GPU is idle, and no recorded launch says why,".to_owned(),
        gain: Range { low: Ns::ZERO, high: rank.part.steady(Cause::Unknown) },
        basis: "all of it at most; nothing is known of its cause",
        evidence: format!("table by_cause, rank {}, cause {}", rank.rank, Cause::Unknown.id()),
        next: "record the host as well: `activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]`"
            .to_owned(),
    })
}

/// Fewer launches than this in a step are not worth a graph.
const LAUNCHES_FOR_A_GRAPH: u64 = 50;

fn host_bound(rank: &Rank<'_, Part>) -> Option<Text> {
    let launches = rank.part.launches?;
    let work = rank.part.host_work();
    let share = |causes: &[Cause]| {
        let totals = causes.iter().map(|&cause| rank.part.totals[cause as usize]);
        percentage(totals.map(|total| total.steady - total.after_sync).sum(), work)
    };
    let parts: Vec<String> = Cause::HOST_WORK
        .iter()
        .map(|&cause| (share(&[cause]), cause))
        .filter(|&(share, _)| share >= 1.0)
        .map(|(share, cause)| format!("{} {share:.0}%", cause.id()))
        .collect();
    let per_step = launches.calls / rank.steps.max(1);
    let medians = launches.work.zip(launches.interval).map(|(work, interval)| {
        format!(
            "; in {} gaps the host took {} to launch more after work of {} (medians)",
            launches.gaps,
            duration(interval),
            duration(work)
        )
    });
    let next = if launches.is_same_every_step
        && per_step >= LAUNCHES_FOR_A_GRAPH
        && 2 * launches.graphs < launches.calls
    {
        "every step launches the same kernels, so a CUDA graph can launch them at once: \
         `torch.compile(mode=\"reduce-overhead\")` or `torch.cuda.graph`; larger batches make the kernels longer"
    } else if share(&[Cause::Ranges, Cause::Nothing]) >= 50.0 {
        "record with `with_stack=True` to see what the host does; larger batches, `torch.compile` and fused \
         optimizers (`fused=True`) need fewer launches"
    } else if share(&[Cause::Python]) >= 50.0 {
        "most of it is Python between operators: `torch.compile` takes it out of the loop"
    } else {
        "fewer launches: larger batches, `torch.compile`, fused optimizers (`fused=True`)"
    };
    let per = if rank.steps > 0 { " per step" } else { "" };
    Some(Text {
        id: "host_bound",
        subject: "the GPU waits for the host to launch work".to_owned(),
        gain: rank.part.gains.host_work,
        basis: "all of it if the host runs ahead of the GPU throughout",
        evidence: format!(
            "tables by_cause and by_name, rank {}: {}; {per_step} launches{per}{}",
            rank.rank,
            parts.join(", "),
            medians.unwrap_or_default()
        ),
        next: next.to_owned(),
    })
}

/// Not time that can be gained: a run without the profiler does not have it. So it has no gain, but the numbers are
/// that much off.
fn profiler_overhead(ranks: &[&Rank<'_, Part>]) -> Option<Finding> {
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
            "the profiler was at work for {} ({}) of the recording of rank {}",
            percent(overhead.time, overhead.whole),
            duration(overhead.time),
            rank.rank
        );
        (claim, format!("slices of category `overhead`, the longest `{}`", overhead.name))
    };
    Some(Finding {
        id: "profiler_overhead",
        severity: if idle.max(host) < CRITICAL_PCT { Severity::Warning } else { Severity::Critical },
        claim: format!("{claim}: times are longer than without it"),
        gain: None,
        evidence,
        next: "record less: fewer steps, without `with_stack`, `record_shapes` and `profile_memory`; a warm-up step in \
               the schedule keeps the start of the profiler out of the recording"
            .to_owned(),
    })
}

/// Share of the recording above which the profiler's own work is worth a sentence, idle GPU or not.
const OVERHEAD_PCT: f64 = 2.0;

/// Share of the recording above which its start-up is worth a sentence: the totals of all sections have it.
const START_UP_PCT: f64 = 10.0;
/// Less is what the first launch of any recording takes.
const SHORT_START_UP: Ns = Ns(1_000_000);

/// Says what of the recording is no steady state. It is paid once, so there is no gain.
fn start_up(ranks: &[&Rank<'_, Part>]) -> Option<Finding> {
    let compiling = |part: &Part| if part.recompiles() { Ns::ZERO } else { part.steady(Cause::Compilation) };
    let time = |rank: &Rank<'_, Part>| rank.steady.lead_in + rank.part.start_up + compiling(rank.part);
    let recorded = |rank: &Rank<'_, Part>| whole(rank) + rank.steady.lead_in;
    let share = |rank: &Rank<'_, Part>| percentage(time(rank), recorded(rank));
    let rank = ranks.iter().max_by(|a, b| share(a).total_cmp(&share(b)).then(b.rank.cmp(&a.rank)))?;
    if share(rank) < START_UP_PCT || time(rank) < SHORT_START_UP {
        return None;
    }
    let call = rank.part.start_up_call.as_ref().map_or_else(String::new, |call| format!(" (`{call}`)"));
    let parts = [
        (rank.steady.lead_in, "before the first GPU activity".to_owned()),
        (rank.part.start_up, format!("in calls that happen once{call}")),
        (compiling(rank.part), "compiling or loading code".to_owned()),
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
            "{worst}starting up takes {} ({}) of the recording, which no other finding counts: {}",
            percent(time(rank), recorded(rank)),
            duration(time(rank)),
            parts.join(", ")
        ),
        gain: None,
        evidence: format!("tables by_cause and by_name, rank {}", rank.rank),
        next: "record after a few steps of warm-up, so that the totals show the steady state: \
               `schedule(wait=1, warmup=2, active=3)`"
            .to_owned(),
    })
}
