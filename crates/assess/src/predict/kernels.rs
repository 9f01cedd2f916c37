//! One operator in one or more precisions.

use eaves_roofline::measured::{Chore, Interval, interval};
use eaves_roofline::{Assessment, Device, Roof, Settings, Work, assess};
use eaves_section::{Column, Number, Section, Table, Unit, Value};

use super::{COLUMNS, class, count, nanoseconds};
use crate::unverified;

/// An operator of a shape, in a precision.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// The operator with its shape: `gemm 4096x4096x4096`.
    pub op: String,
    /// The precision as asked for.
    pub precision: String,
    /// What it must do.
    pub work: Work,
    /// What it must do next to arithmetic and movement; bounds it on devices that have rates.
    pub chores: Vec<Chore>,
}

/// Seconds at the ceilings of main memory and of arithmetic.
#[derive(Clone, Copy, Debug)]
struct Times {
    memory: Option<f64>,
    compute: Option<f64>,
}

impl Kernel {
    /// The best that a device can do.
    pub(super) fn assessed(&self, device: &Device) -> Assessment {
        let roof = Roof::new(device, self.work.arithmetic, self.work.engine);
        let main = roof.levels.first().map(|level| level.id.as_str()).unwrap_or_default();
        let amount = self.work.amount(roof.counts());
        assess(&roof, amount, &[(main, self.work.bytes())], None, &Settings::default())
    }

    /// How long movement and arithmetic take at best, each by itself.
    fn times(&self, device: &Device) -> Times {
        let roof = Roof::new(device, self.work.arithmetic, self.work.engine);
        let amount = self.work.amount(roof.counts());
        Times {
            memory: roof.levels.first().map(|level| self.work.bytes() / level.rate),
            compute: roof.compute.as_ref().map(|ceiling| amount / ceiling.rate),
        }
    }

    /// The interval of the three roofs, if the device has rates.
    fn interval(&self, device: &Device) -> Option<Interval> {
        (!device.rates.is_empty()).then(|| interval(&self.work, &self.chores, device, device.main_memory()))
    }

    /// Why a device has no time for it.
    fn refused(&self, device: &Device) -> String {
        match self.work.arithmetic {
            Some(arithmetic) => {
                format!("not supported by {}: no {arithmetic} {} peak", device.name, self.work.engine)
            }
            None => format!("no arithmetic in {}: choose one with --compute", self.precision),
        }
    }
}

/// Predicts operators. What the device has no peak for is in its own table.
pub fn kernels(kernels: &[Kernel], device: &Device) -> Section {
    let assessed: Vec<(&Kernel, Assessment)> =
        kernels.iter().map(|kernel| (kernel, kernel.assessed(device))).collect();
    let (known, unknown): (Vec<_>, Vec<_>) = assessed.iter().partition(|(_, found)| found.ideal.is_some());
    let least = |kernel: &Kernel, found: &Assessment| match kernel.interval(device) {
        Some(interval) => interval.low(),
        None => found.ideal,
    };
    let fastest = known
        .iter()
        .filter_map(|(kernel, found)| Some((least(kernel, found)?, kernel.precision.as_str())))
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, precision)| precision);
    let mut numbers = vec![Number::datasheet("device", device.name.as_str().into(), Unit::None, "Device.")];
    if let Some(precision) = fastest.filter(|_| known.len() > 1) {
        numbers.push(Number::formula(
            "fastest",
            precision.into(),
            Unit::None,
            "Precision with the shortest best time; the first if several tie.",
        ));
    }
    let base = base(&known).map(|(kernel, found)| (kernel.precision.as_str(), least(kernel, found)));
    if let Some((precision, _)) = base {
        numbers.push(Number::formula(
            "speedup_base",
            precision.into(),
            Unit::None,
            "Reference precision of speedups: FP16, or the first one.",
        ));
    }
    let mut columns = COLUMNS.to_vec();
    columns.extend(OF_TIMES);
    if !device.rates.is_empty() {
        columns.extend(OF_RATES);
    }
    let mut tables = vec![Table {
        id: "predictions",
        title: "Best times",
        columns,
        rows: known
            .iter()
            .map(|(kernel, found)| {
                let interval = kernel.interval(device);
                let speedup = base.and_then(|(_, base)| Some(base? / least(kernel, found)?));
                row(kernel, found, interval, kernel.times(device), speedup)
            })
            .collect(),
    }];
    if !unknown.is_empty() {
        tables.push(Table {
            id: "unsupported",
            title: "Not supported",
            columns: vec![
                Column::new("op", "Operator", Unit::None),
                Column::new("precision", "Precision", Unit::None),
                Column::new("reason", "Why", Unit::None),
                Column::new("flops", "FLOPs", Unit::Flop),
                Column::new("bytes", "Bytes", Unit::Bytes),
                Column::new("intensity", "Intensity", Unit::FlopPerByte),
            ],
            rows: unknown
                .iter()
                .map(|(kernel, found)| {
                    vec![
                        kernel.op.as_str().into(),
                        kernel.precision.as_str().into(),
                        kernel.refused(device).into(),
                        // The work is the same on every device.
                        Value::known(Some(kernel.work.flops), ""),
                        Value::known(Some(kernel.work.bytes()), ""),
                        Value::known(found.intensity, "nothing is moved"),
                    ]
                })
                .collect(),
        });
    }
    let peaks = known.iter().filter_map(|(kernel, _)| super::peak(&kernel.work, device));
    let findings = unverified::note(device, peaks).into_iter().collect();
    Section { id: "predict", title: "Prediction", numbers, tables, charts: Vec::new(), findings }
}

/// What speed-ups are relative to, where there is anything to compare: FP16, as the usual precision, or the first one.
fn base<'a, 'b>(known: &'b [&'a (&'a Kernel, Assessment)]) -> Option<&'b (&'a Kernel, Assessment)> {
    let halves = known.iter().find(|(kernel, _)| kernel.precision == "fp16");
    halves.or(known.first()).copied().filter(|_| known.len() > 1)
}

/// The two times of which the longer one is the best time, and what a precision gains.
const OF_TIMES: [Column; 3] = [
    Column::new("time_memory_ns", "Memory time", Unit::Nanoseconds),
    Column::new("time_compute_ns", "Compute time", Unit::Nanoseconds),
    Column::new("speedup", "Speed-up", Unit::None),
];

/// What devices with rates of their own add: the other end of the interval, and what it is without.
const OF_RATES: [Column; 2] = [
    Column::new("most_ns", "At most", Unit::Nanoseconds),
    Column::new("unknown_rates", "Without", Unit::None),
];

fn row(
    kernel: &Kernel,
    found: &Assessment,
    interval: Option<Interval>,
    times: Times,
    speedup: Option<f64>,
) -> Vec<Value> {
    let low = interval.as_ref().map_or(found.ideal, Interval::low);
    let bound_by = match &interval {
        Some(interval) => interval.bound_by().map(|time| time.roof.as_str()),
        None => found.bound_by.as_deref(),
    };
    let attainable = match (&interval, low) {
        (Some(_), Some(seconds)) => Some(kernel.work.flops / seconds),
        _ => found.attainable,
    };
    let mut row = vec![
        kernel.op.as_str().into(),
        kernel.precision.as_str().into(),
        Value::known(Some(kernel.work.flops), ""),
        Value::known(Some(kernel.work.bytes()), ""),
        Value::known(found.intensity, "nothing is moved"),
        nanoseconds(low),
        Value::known_text(bound_by, super::NO_PEAK),
        Value::Integer(1),
        count(kernel.work.macs),
        Value::known(attainable.map(|rate| rate / 1e9), super::NO_PEAK),
        Value::known(found.knee, super::NO_PEAK),
        class(found),
        Value::known(times.memory.map(|seconds| seconds * 1e9), "the device's bandwidth is unknown"),
        nanoseconds(times.compute),
        Value::known(speedup, "only one precision"),
    ];
    if let Some(interval) = interval {
        let unknown = interval.unknown.join(", ");
        row.push(nanoseconds(interval.high()));
        row.push(Value::known_text(
            Some(unknown.as_str()).filter(|text| !text.is_empty()),
            "all rates are known",
        ));
    }
    row
}
