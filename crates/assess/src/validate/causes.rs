//! Why a measurement is far from its prediction, by what was measured: the core clock next to it, the rates of memory
//! levels, and the same kernel with its operands in a cache, where memory has no part in its time.

use eaves_roofline::device::Memory;
use eaves_roofline::measured::{
    Attend, CacheState, Interval, MEASURED_BESIDE, Measurement, RoofKind, Spec, Stream, level,
};
use eaves_section::quantity;
use eaves_section::{Column, Table, Unit, Value};

use super::{Judged, Suite, TOLERANCE, judged, rows};
use crate::bench;
use crate::bench::results::working_set;

/// A clock lower than that of the roofs by more than this is a cause.
const CLOCK: f64 = 0.97;

/// The same kernel on less, with its operands in a cache.
#[derive(Clone, Debug, PartialEq)]
pub struct Twin {
    /// The place in the suite of the kernel it is a twin of.
    pub of: usize,
    /// What was measured.
    pub measurement: Measurement,
}

/// Why a row is off.
#[derive(Debug)]
pub(super) struct Cause {
    /// The place of the row in the suite.
    pub(super) of: usize,
    pub(super) text: String,
    /// Whether it accounts for the time within the tolerance.
    pub(super) explains: bool,
    /// Seconds by the cause.
    seconds: Option<f64>,
}

/// Twins that are to be measured, in [`CacheState::Hot`] and on as many threads, to explain rows with large errors: the
/// place of the row, and what to run.
pub fn twins(suite: &Suite<'_>) -> Vec<(usize, Spec)> {
    let wanted = judged(suite).into_iter().filter(Judged::needs_cause);
    wanted
        .flat_map(|row| twin(&row).into_iter().flat_map(with_smaller).map(move |spec| (row.index, spec)))
        .collect()
}

/// A product of a vector and a second one of a quarter of the rows: what both take is for their activations.
fn with_smaller(spec: Spec) -> Vec<Spec> {
    match spec {
        Spec::Gemv { n, k, weights, activations } if n >= 64 => {
            vec![spec, Spec::Gemv { n: n / 4, k, weights, activations }]
        }
        _ => vec![spec],
    }
}

/// The kernel on so few operands that they stay in the second cache, or wherever half a megabyte stays.
fn twin(row: &Judged<'_>) -> Option<Spec> {
    /// Smaller caches are too small for anything but streams.
    const LEAST: f64 = 256.0 * 1024.0;
    let sizes = row.device.memory.iter().skip(1).filter_map(|level| level.size.as_ref());
    let large = sizes.map(|size| size.value).filter(|size| *size >= LEAST);
    let room = large.min_by(f64::total_cmp).unwrap_or(2.0 * LEAST) / 2.0;
    let shrunk = |extent: usize, bytes: f64, least: usize| {
        let share = (room / bytes).min(1.0);
        ((extent as f64 * share) as usize / least * least).max(least).min(extent)
    };
    let bytes = row.measurement.work.bytes();
    match row.measurement.spec {
        Spec::Gemv { n, k, weights, activations } => {
            let rows = shrunk(n, bytes, 16);
            Some(Spec::Gemv { n: rows, k, weights, activations })
        }
        Spec::Gemm { m, n, k, weights, activations } => {
            const SIDE: usize = 192;
            let (m, k) = (m.min(SIDE), k.min(SIDE));
            Some(Spec::Gemm { m, n: n.min(SIDE), k, weights, activations })
        }
        Spec::Attention { shape, precision } => {
            let context = shrunk(shape.context, bytes, 64);
            let queries = shape.queries.min(context);
            Some(Spec::Attention { shape: Attend { queries, context, ..shape }, precision })
        }
        // A quarter of the set, if that is in the same cache: whether less of it is as quick as the roof.
        Spec::Stream { stream, bytes } if row.measurement.conditions.state != CacheState::Cold => {
            let level =
                |bytes: usize| level(row.device, bytes as f64, CacheState::Hot).map(|level| &level.id);
            let part = bytes / 4;
            (level(part) == level(bytes)).then_some(Spec::Stream { stream, bytes: part })
        }
        _ => None,
    }
}

/// The cause of each row that needs one.
pub(super) fn causes(judged: &[Judged<'_>], twins: &[Twin]) -> Vec<Cause> {
    judged
        .iter()
        .filter(|row| row.needs_cause())
        .map(|row| {
            let mut twins = twins.iter().filter(|twin| twin.of == row.index).map(|twin| &twin.measurement);
            let (twin, smaller) = (twins.next(), twins.next());
            let found = [
                own_rate(row, twin, smaller),
                clock(row),
                spilled(row, twin),
                code(row, twin),
                nearer(row),
                overlap(row),
            ];
            let best =
                found.into_iter().flatten().reduce(|best, next| match (best.explains, next.explains) {
                    (false, true) => next,
                    _ => best,
                });
            best.unwrap_or_else(|| Cause {
                of: row.index,
                text: "not found".to_owned(),
                explains: false,
                seconds: None,
            })
        })
        .collect()
}

/// What roofs say of a kernel whose operands are in a cache: the middle of the interval without that of memory.
fn without_memory(interval: &Interval) -> f64 {
    let others = interval.times.iter().filter(|time| time.kind != RoofKind::Memory).map(|time| time.seconds);
    let (longest, sum) =
        others.fold((0.0, 0.0), |(longest, sum): (f64, f64), seconds| (longest.max(seconds), sum + seconds));
    f64::midpoint(longest, sum)
}

fn memory(interval: &Interval) -> f64 {
    interval.times.iter().filter(|time| time.kind == RoofKind::Memory).map(|time| time.seconds).sum()
}

/// The kernel's own rate in a cache, and the bytes from where they are: at least the longer, at most both.
///
/// With a second, smaller twin, what takes no longer with more rows is known, and is not scaled.
fn own_rate(row: &Judged<'_>, twin: Option<&Measurement>, smaller: Option<&Measurement>) -> Option<Cause> {
    let measured = row.measured()?;
    let twin = twin?;
    if matches!(row.measurement.spec, Spec::Stream { .. }) {
        return None;
    }
    let (time, work) = (row.read(twin)?, twin.work.flops);
    let each = smaller
        .and_then(|smaller| Some((time - row.read(smaller)?) / (work - smaller.work.flops)))
        .filter(|each| (0.0..=time / work).contains(each))
        .unwrap_or(time / work);
    let own = time + each * (row.measurement.work.flops - work);
    let moved = memory(&row.interval);
    let (least, most) = (own.max(moved), own + moved);
    let explains = ((1.0 - TOLERANCE) * least..=(1.0 + TOLERANCE) * most).contains(&measured);
    let nanoseconds = |seconds: f64| quantity::duration(eaves_model::Ns((seconds * 1e9) as i64));
    Some(Cause {
        of: row.index,
        text: format!(
            "with operands in the cache ({}) the kernel itself takes {} for as much work, where roofs say {}; bytes take {}",
            bench::name(&twin.spec),
            nanoseconds(own),
            nanoseconds(without_memory(&row.interval)),
            nanoseconds(moved),
        ),
        explains,
        seconds: Some(f64::midpoint(least, most)),
    })
}

/// A lower clock than roofs were measured at.
fn clock(row: &Judged<'_>) -> Option<Cause> {
    let (own, roofs) = (row.measurement.clock?, row.device.clock.as_ref()?.value);
    let share = own / roofs;
    if share > CLOCK {
        return None;
    }
    let measured = row.measured()?;
    let slowed = row.interval.holds(measured * share, TOLERANCE)?;
    Some(Cause {
        of: row.index,
        text: format!("the core ran at {:.2} GHz, roofs were measured at {:.2}", own / 1e9, roofs / 1e9),
        explains: slowed,
        seconds: row.interval.middle().map(|middle| middle / share),
    })
}

/// What is inside the interval, but far from its middle. How much of the roofs overlapped is then known, but not why: only
/// another cause explains it.
fn overlap(row: &Judged<'_>) -> Option<Cause> {
    let measured = row.measured()?;
    let (low, high) = (row.interval.low()?, row.interval.high()?);
    if high <= low || !row.is_inside()? {
        return None;
    }
    let hidden = ((high - measured) / (high - low)).clamp(0.0, 1.0);
    Some(Cause {
        of: row.index,
        text: format!(
            "inside the interval: {:.0} % of what the other roofs ask for passes while {} does its part, where the middle is half; why was not measured",
            100.0 * hidden,
            row.interval.bound_by()?.roof,
        ),
        explains: false,
        seconds: None,
    })
}

/// The level that holds the bytes of a row that memory bounds, the one before it (farther away) and the one after, each with
/// its rate.
struct Levels<'a> {
    rate: f64,
    set: f64,
    own: (&'a str, f64),
    farther: Option<(&'a str, f64)>,
    nearer: Option<(&'a Memory, f64)>,
}

fn levels<'a>(row: &Judged<'a>) -> Option<Levels<'a>> {
    if row.interval.bound_by()?.kind != RoofKind::Memory {
        return None;
    }
    let set = working_set(row.measurement);
    let own = level(row.device, set, row.measurement.conditions.state)?;
    // Main memory first: the one before is farther away.
    let known: Vec<(&Memory, f64)> =
        row.device.memory.iter().filter_map(|level| Some((level, level.bandwidth.as_ref()?.value))).collect();
    let place = known.iter().position(|(level, _)| level.id == own.id)?;
    let named = |(level, rate): &(&'a Memory, f64)| (level.name.as_str(), *rate);
    Some(Levels {
        rate: row.measurement.work.bytes() / row.measured()?,
        set,
        own: named(known.get(place)?),
        farther: place.checked_sub(1).and_then(|before| known.get(before)).map(named),
        nearer: known.get(place + 1).copied(),
    })
}

/// Bytes of which not all stay in the cache that should hold them: a quarter of them moves as quickly as the roof says, and
/// all of them at a rate between that and the level behind.
fn spilled(row: &Judged<'_>, twin: Option<&Measurement>) -> Option<Cause> {
    let Levels { rate, set, own: (own, own_rate), farther, .. } = levels(row)?;
    let (name, far) = farther?;
    let twin = twin?;
    let part = twin.work.bytes() / row.read(twin)?;
    // The roof as it is for this kind of stream.
    let roof = row.measurement.work.bytes() / row.interval.low()?;
    if !matches!(row.measurement.spec, Spec::Stream { .. }) || rate >= own_rate {
        return None;
    }
    let explains = part >= roof * (1.0 - 2.0 * TOLERANCE) && rate >= far * (1.0 - TOLERANCE);
    Some(Cause {
        of: row.index,
        text: format!(
            "{} moved at {:.1} GB/s, between {own} ({:.1}) and {name} ({:.1}), and a quarter of them at {:.1}: not all stay in {own}",
            quantity::size(set as i64),
            rate / 1e9,
            own_rate / 1e9,
            far / 1e9,
            part / 1e9,
        ),
        explains,
        seconds: None,
    })
}

/// A stream that ran with other instructions than its roof, and of which a quarter, in the same cache, is as slow: it is the
/// instructions, not the set. Longer vectors are not always the faster ones.
fn code(row: &Judged<'_>, twin: Option<&Measurement>) -> Option<Cause> {
    let Spec::Stream { stream, .. } = row.measurement.spec else { return None };
    let own = level(row.device, working_set(row.measurement), row.measurement.conditions.state)?;
    let roof = match stream {
        Stream::Read { .. } => own.bandwidth.as_ref(),
        Stream::Write(_) => own.write.as_ref(),
        Stream::Copy(_) => own.copy.as_ref(),
        Stream::Triad(_) => own.triad.as_ref(),
    }?;
    let code = row.measurement.conditions.implementation.as_str();
    let (_, other) = roof.source.text.split_once(MEASURED_BESIDE)?;
    let other = other.split(',').next()?;
    let twin = twin.filter(|_| other != code)?;
    let rate = row.measurement.work.bytes() / row.measured()?;
    let part = twin.work.bytes() / row.read(twin)?;
    Some(Cause {
        of: row.index,
        text: format!(
            "a quarter of the set moves at {:.1} GB/s, all of it at {:.1}, where the roof is {:.1} by {other}: {code} is slower, whatever the size",
            part / 1e9,
            rate / 1e9,
            roof.value / 1e9,
        ),
        explains: rate < roof.value && (part / rate - 1.0).abs() <= 2.0 * TOLERANCE,
        seconds: None,
    })
}

/// Bytes of which at least half fit a nearer cache than the one that holds all of them.
fn nearer(row: &Judged<'_>) -> Option<Cause> {
    let Levels { rate, set, own: (own, own_rate), nearer, .. } = levels(row)?;
    let (near, near_rate) = nearer?;
    let fits = near.size.as_ref()?.value;
    if rate < own_rate || row.measurement.conditions.state == CacheState::Cold {
        return None;
    }
    Some(Cause {
        of: row.index,
        text: format!(
            "{} moved at {:.1} GB/s, between {own} ({:.1}) and {} ({:.1}), which holds {}",
            quantity::size(set as i64),
            rate / 1e9,
            own_rate / 1e9,
            near.name,
            near_rate / 1e9,
            quantity::size(fits as i64),
        ),
        explains: set <= 2.0 * fits && rate <= near_rate * (1.0 + TOLERANCE),
        seconds: None,
    })
}

pub(super) fn table(judged: &[Judged<'_>], causes: &[Cause]) -> Table {
    let rows = causes.iter().filter_map(|cause| {
        let row = judged.iter().find(|row| row.index == cause.of)?;
        Some(vec![
            rows::name(row).into(),
            Value::known(row.error(), "no error"),
            (if cause.explains { "yes" } else { "no" }).into(),
            Value::known(cause.seconds.map(|seconds| seconds * 1e9), "no cause with a time"),
            cause.text.as_str().into(),
        ])
    });
    Table {
        id: "causes",
        title: "Errors above 20%, with causes",
        columns: vec![
            Column::new("name", "Kernel", Unit::None),
            Column::new("error_pct", "Error", Unit::Percent),
            Column::new("explained", "Explained", Unit::None),
            Column::new("explained_ns", "By the cause", Unit::Nanoseconds),
            Column::new("reason", "Measured cause", Unit::None),
        ],
        rows: rows.collect(),
    }
}
