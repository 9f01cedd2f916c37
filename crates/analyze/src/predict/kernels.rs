//! One operator in one or more precisions.

use eaves_roofline::{Assessment, Device, Roof, Settings, Work, assess};

use super::{COLUMNS, class, count, nanoseconds};
use crate::section::{Column, Number, Provenance, Section, Table, Unit, Value};

/// An operator of a shape, in a precision.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// The operator with its shape: `gemm 4096x4096x4096`.
    pub op: String,
    /// The precision as asked for.
    pub precision: String,
    /// What it must do.
    pub work: Work,
}

impl Kernel {
    /// The best that a device can do.
    pub(super) fn assessed(&self, device: &Device) -> Assessment {
        let roof = Roof::new(device, self.work.arithmetic, self.work.engine);
        let main = roof.levels.first().map(|level| level.id.as_str()).unwrap_or_default();
        let amount = self.work.amount(roof.counts());
        assess(&roof, amount, &[(main, self.work.bytes())], None, &Settings::default())
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
    let fastest = known
        .iter()
        .filter_map(|(kernel, found)| Some((found.ideal?, kernel.precision.as_str())))
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
    let mut tables = vec![Table {
        id: "predictions",
        title: "Best times",
        columns: COLUMNS.to_vec(),
        rows: known.iter().map(|(kernel, found)| row(kernel, found)).collect(),
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
    Section { id: "predict", title: "Prediction", numbers, tables, findings: Vec::new() }
}

fn row(kernel: &Kernel, found: &Assessment) -> Vec<Value> {
    vec![
        kernel.op.as_str().into(),
        kernel.precision.as_str().into(),
        Value::known(Some(kernel.work.flops), ""),
        Value::known(Some(kernel.work.bytes()), ""),
        Value::known(found.intensity, "nothing is moved"),
        nanoseconds(found.ideal),
        Value::known_text(found.bound_by.as_deref(), super::NO_PEAK),
        Value::Integer(1),
        count(kernel.work.macs),
        Value::known(found.attainable.map(|rate| rate / 1e9), super::NO_PEAK),
        Value::known(found.knee, super::NO_PEAK),
        class(found),
    ]
}
