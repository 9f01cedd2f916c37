//! Batches from small to large, and where narrow weights stop to pay.
//!
//! A product of few rows waits for weights, and narrow ones arrive sooner; a product of many computes, and widening them
//! costs time. Between the two lies the crossover.

use eaves_roofline::measured::{CacheState, Conditions, Measurement, Spec};
use eaves_section::{Column, Finding, Severity, Table, Unit, Value};

use super::results::is_fp32;
use super::seconds;

const SWEEP: [Column; 5] = [
    Column::new("batch", "Batch", Unit::Count),
    Column::new("series", "Precision", Unit::None),
    Column::new("time_ns", "Time", Unit::Nanoseconds),
    Column::new("gflops", "Rate", Unit::GigaflopsPerSecond),
    Column::new("speedup", "x FP32", Unit::None),
];

const CROSSOVERS: [Column; 6] = [
    Column::new("series", "Precision", Unit::None),
    Column::new("speedup_smallest", "x FP32 at smallest", Unit::None),
    Column::new("speedup_largest", "x FP32 at largest", Unit::None),
    Column::new("crossover_batch", "Crossover at batch", Unit::None),
    Column::new("quicker_up_to", "Quicker up to", Unit::Count),
    Column::new("slower_from", "Slower from", Unit::Count),
];

/// The same product at growing batches, in one precision under the same conditions.
struct Series {
    name: String,
    conditions: Under,
    is_base: bool,
    /// Batch and seconds, by batch.
    places: Vec<(usize, f64)>,
}

/// What must be the same for two times to be compared.
#[derive(Clone, Debug, PartialEq)]
struct Under {
    threads: usize,
    state: CacheState,
    backend: String,
}

impl Under {
    fn of(measurement: &Measurement) -> Self {
        let Conditions { threads, state, backend, .. } = &measurement.conditions;
        Self { threads: *threads, state: *state, backend: backend.clone() }
    }
}

/// Where series cross FP32.
pub(super) struct Crossings(Vec<Crossing>);

struct Crossing {
    name: String,
    first: Option<f64>,
    last: Option<f64>,
    /// The last batch at which it is faster, and the first from which it is not.
    between: (Option<usize>, Option<usize>),
    /// The batch at which times would be equal, on straight lines through logarithms of batch and speed-up.
    at: Option<f64>,
}

/// The tables of a sweep, if these are one: a product at several batches.
pub(super) fn tables(measured: &[&Measurement]) -> (Option<Table>, Option<Crossings>) {
    let series = series(measured);
    let mut batches: Vec<usize> =
        series.iter().flat_map(|series| series.places.iter().map(|place| place.0)).collect();
    batches.sort_unstable();
    batches.dedup();
    if batches.len() < 2 {
        return (None, None);
    }
    let base_of =
        |one: &Series| series.iter().find(|series| series.is_base && series.conditions == one.conditions);
    let mut rows = Vec::new();
    for batch in &batches {
        for one in &series {
            let Some(time) = one.at(*batch) else { continue };
            let flops = flops(measured, *batch);
            rows.push(vec![
                (*batch).into(),
                one.name.as_str().into(),
                Value::known(Some(time * 1e9), ""),
                Value::known(flops.map(|flops| flops / time / 1e9), ""),
                Value::known(
                    base_of(one).and_then(|base| base.at(*batch)).map(|base| base / time),
                    "no FP32 kernel to compare with",
                ),
            ]);
        }
    }
    let table = Table { id: "sweep", title: "Batches", columns: SWEEP.to_vec(), rows };
    let others = series.iter().filter(|series| !series.is_base);
    let crossings: Vec<Crossing> =
        others.filter_map(|other| Some(Crossing::of(other, base_of(other)?))).collect();
    (Some(table), (!crossings.is_empty()).then_some(Crossings(crossings)))
}

/// Batch, outputs and inputs of a product.
fn extents(spec: &Spec) -> Option<(usize, usize, usize)> {
    match *spec {
        Spec::Gemv { n, k, .. } => Some((1, n, k)),
        Spec::Gemm { m, n, k, .. } => Some((m, n, k)),
        _ => None,
    }
}

fn flops(measured: &[&Measurement], batch: usize) -> Option<f64> {
    let (_, n, k) = measured.iter().find_map(|measurement| extents(&measurement.spec))?;
    Some(2.0 * batch as f64 * n as f64 * k as f64)
}

/// Series of the shape that the first product has.
fn series(measured: &[&Measurement]) -> Vec<Series> {
    let mut found: Vec<Series> = Vec::new();
    let Some((_, n, k)) = measured.iter().find_map(|measurement| extents(&measurement.spec)) else {
        return found;
    };
    for measurement in measured {
        let (Some((m, own_n, own_k)), Some(time)) = (extents(&measurement.spec), seconds(measurement)) else {
            continue;
        };
        if (own_n, own_k) != (n, k) {
            continue;
        }
        let (name, conditions) = (measurement.spec.precision(), Under::of(measurement));
        match found.iter_mut().find(|series| series.name == name && series.conditions == conditions) {
            // Of several codes the fastest counts.
            Some(series) => match series.places.iter_mut().find(|place| place.0 == m) {
                Some(place) => place.1 = place.1.min(time),
                None => series.places.push((m, time)),
            },
            None => found.push(Series {
                name,
                conditions,
                is_base: is_fp32(&measurement.spec),
                places: vec![(m, time)],
            }),
        }
    }
    // What differs names the series too.
    let differs = |read: fn(&Under) -> String| {
        let first = found.first().map(|series| read(&series.conditions));
        found.iter().any(|series| Some(read(&series.conditions)) != first)
    };
    let threads = differs(|under| under.threads.to_string());
    let state = differs(|under| under.state.id().to_owned());
    let backend = differs(|under| under.backend.clone());
    for series in &mut found {
        series.places.sort_by_key(|place| place.0);
        let Under { threads: count, state: place, backend: name } = &series.conditions;
        let said = [
            threads.then(|| format!("{count} {}", if *count == 1 { "thread" } else { "threads" })),
            state.then(|| place.id().to_owned()),
            backend.then(|| name.clone()),
        ];
        for word in said.into_iter().flatten() {
            series.name.push_str(", ");
            series.name.push_str(&word);
        }
    }
    found
}

impl Series {
    fn at(&self, batch: usize) -> Option<f64> {
        self.places.iter().find(|place| place.0 == batch).map(|place| place.1)
    }
}

impl Crossing {
    fn of(series: &Series, base: &Series) -> Self {
        let gains: Vec<(usize, f64)> = series
            .places
            .iter()
            .filter_map(|(batch, time)| Some((*batch, base.at(*batch)? / time)))
            .collect();
        let crossing = gains.windows(2).find_map(|pair| match pair {
            [(small, quicker), (large, slower)] if *quicker > 1.0 && *slower <= 1.0 => {
                let share = quicker.ln() / (quicker.ln() - slower.ln());
                let (low, high) = ((*small as f64).ln(), (*large as f64).ln());
                Some(((Some(*small), Some(*large)), (low + share * (high - low)).exp()))
            }
            _ => None,
        });
        let first = gains.first().map(|gain| gain.1);
        let last = gains.last().map(|gain| gain.1);
        let always = match (first, last) {
            (Some(first), _) if first <= 1.0 => (None, gains.first().map(|gain| gain.0)),
            (_, Some(last)) if last > 1.0 => (gains.last().map(|gain| gain.0), None),
            _ => (None, None),
        };
        Self {
            name: series.name.clone(),
            first,
            last,
            between: crossing.map_or(always, |(between, _)| between),
            at: crossing.map(|(_, at)| at),
        }
    }
}

impl Crossings {
    pub(super) fn table(&self) -> Table {
        let rows = self.0.iter().map(|crossing| {
            let batch = |batch: Option<usize>, reason| batch.map_or(Value::Missing(reason), Value::from);
            vec![
                crossing.name.as_str().into(),
                Value::known(crossing.first, "no batch ran in both"),
                Value::known(crossing.last, "no batch ran in both"),
                Value::known(crossing.at, "does not cross FP32 in these batches"),
                batch(crossing.between.0, "never faster"),
                batch(crossing.between.1, "always faster"),
            ]
        });
        Table {
            id: "crossovers",
            title: "Batch crossover",
            columns: CROSSOVERS.to_vec(),
            rows: rows.collect(),
        }
    }

    pub(super) fn findings(&self) -> Vec<Finding> {
        let finding = |crossing: &Crossing| {
            let claim = match crossing.between {
                (Some(quicker), Some(slower)) => format!(
                    "{} is faster than FP32 up to batch {quicker} and slower from {slower}.",
                    crossing.name
                ),
                (None, Some(_)) => format!("{} is slower than FP32 from the smallest batch.", crossing.name),
                _ => return None,
            };
            Some(Finding {
                id: "crossover",
                severity: Severity::Info,
                claim,
                gain: None,
                evidence: "crossovers, sweep".to_owned(),
                next: "widen the weights once for larger batches".to_owned(),
            })
        };
        self.0.iter().filter_map(finding).collect()
    }
}
