//! One operator in one or more precisions.

use eaves_roofline::measured::{Chore, Interval, interval};
use eaves_roofline::{Assessment, Device, Roof, Settings, Work, assess};

use super::{COLUMNS, class, count, nanoseconds};
use crate::section::{Column, Number, Provenance, Section, Table, Unit, Value};
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
    /// What it must do beside arithmetic and movement; bounds it on devices that have rates.
    pub chores: Vec<Chore>,
}

impl Kernel {
    /// The best that a device can do.
    pub(super) fn assessed(&self, device: &Device) -> Assessment {
        let roof = Roof::new(device, self.work.arithmetic, self.work.engine);
        let main = roof.levels.first().map(|level| level.id.as_str()).unwrap_or_default();
        let amount = self.work.amount(roof.counts());
        assess(&roof, amount, &[(main, self.work.bytes())], None, &Settings::default())
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
            None => format!("nothing computes in {}: say what does with --compute", self.precision),
        }
    }
}

/// Predicts operators. What the device has no peak for is in a table of its own.
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
    let mut numbers = vec![Number {
        id: "device",
        rank: None,
        value: device.name.as_str().into(),
        unit: Unit::None,
        provenance: Provenance::Datasheet,
        explain: "The device that is predicted.",
    }];
    if let Some(precision) = fastest.filter(|_| known.len() > 1) {
        numbers.push(Number {
            id: "fastest",
            rank: None,
            value: precision.into(),
            unit: Unit::None,
            provenance: Provenance::Formula,
            explain: "The precision with the shortest best time, the first of several.",
        });
    }
    let mut columns = COLUMNS.to_vec();
    if !device.rates.is_empty() {
        columns.extend(OF_RATES);
    }
    let mut tables = vec![Table {
        id: "predictions",
        title: "Best times",
        columns,
        rows: known.iter().map(|(kernel, found)| row(kernel, found, kernel.interval(device))).collect(),
    }];
    if !unknown.is_empty() {
        tables.push(Table {
            id: "unsupported",
            title: "Not supported",
            columns: vec![
                Column::new("op", "Operator", Unit::None),
                Column::new("precision", "Precision", Unit::None),
                Column::new("reason", "Why", Unit::None),
            ],
            rows: unknown
                .iter()
                .map(|(kernel, _)| {
                    vec![
                        kernel.op.as_str().into(),
                        kernel.precision.as_str().into(),
                        kernel.refused(device).into(),
                    ]
                })
                .collect(),
        });
    }
    let peaks = known.iter().filter_map(|(kernel, _)| super::peak(&kernel.work, device));
    let findings = unverified::note(device, peaks).into_iter().collect();
    Section { id: "predict", title: "Prediction", numbers, tables, findings }
}

/// What devices with rates of their own add: the other end of the interval, and what it is without.
const OF_RATES: [Column; 2] = [
    Column::new("most_ns", "At most", Unit::Nanoseconds),
    Column::new("unknown_rates", "Without", Unit::None),
];

fn row(kernel: &Kernel, found: &Assessment, interval: Option<Interval>) -> Vec<Value> {
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
    ];
    if let Some(interval) = interval {
        let unknown = interval.unknown.join(", ");
        row.push(nanoseconds(interval.high()));
        row.push(Value::known_text(
            Some(unknown.as_str()).filter(|text| !text.is_empty()),
            "every rate is known",
        ));
    }
    row
}
