//! Work compared with a device, by the one roofline model there is.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Float64Array, StringArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility};
use eaves_roofline::device;
use eaves_roofline::{Assessment, Counts, Level, Roof, Settings, assess};

use crate::FunctionInfo;

/// Something about work: arithmetic and bytes, and where it needs them, time, device and peak.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Function {
    pub(super) info: FunctionInfo,
    arguments: &'static [Argument],
    answer: Answer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Argument {
    Flops,
    Bytes,
    Duration,
    Device,
    Peak,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Answer {
    Class,
    Intensity,
    Percent,
}

/// All of them, by name.
pub(super) static ALL: &[Function] = &[
    Function {
        info: FunctionInfo {
            name: "arithmetic_intensity",
            call: "arithmetic_intensity(flops, bytes)",
            about: "Operations per byte; null if no bytes are moved",
        },
        arguments: &[Argument::Flops, Argument::Bytes],
        answer: Answer::Intensity,
    },
    Function {
        info: FunctionInfo {
            name: "roofline_class",
            call: "roofline_class(flops, bytes, device, peak)",
            about: "Bound of work on a catalog device at one of its peaks, such as 'fp16_matrix': compute-bound, \
                memory-bound or balanced",
        },
        arguments: &[Argument::Flops, Argument::Bytes, Argument::Device, Argument::Peak],
        answer: Answer::Class,
    },
    Function {
        info: FunctionInfo {
            name: "roofline_pct",
            call: "roofline_pct(flops, bytes, duration_ns, device, peak)",
            about: "Best possible time on a device, in percent of the actual time",
        },
        arguments: &[Argument::Flops, Argument::Bytes, Argument::Duration, Argument::Device, Argument::Peak],
        answer: Answer::Percent,
    },
];

/// A function as the engine knows it.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct OfWork {
    function: &'static Function,
    signature: Signature,
}

impl OfWork {
    pub(super) fn new(function: &'static Function) -> Self {
        let data_type = |argument: &Argument| match argument {
            Argument::Flops | Argument::Bytes | Argument::Duration => DataType::Float64,
            Argument::Device | Argument::Peak => DataType::Utf8,
        };
        let arguments = function.arguments.iter().map(data_type).collect();
        Self { function, signature: Signature::exact(arguments, Volatility::Immutable) }
    }
}

impl ScalarUDFImpl for OfWork {
    fn name(&self) -> &str {
        self.function.info.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(match self.function.answer {
            Answer::Class => DataType::Utf8,
            Answer::Intensity | Answer::Percent => DataType::Float64,
        })
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let work = Arguments::of(self.function, arguments)?;
        let mut roofs = Roofs::default();
        let assessed = (0..work.rows).map(|row| work.assess(row, &mut roofs)).collect::<Result<Vec<_>>>()?;
        let number = |of: fn(&Assessment) -> Option<f64>| -> ArrayRef {
            let of = |one: &Option<Assessment>| one.as_ref().and_then(of).filter(|value| value.is_finite());
            Arc::new(assessed.iter().map(of).collect::<Float64Array>())
        };
        Ok(ColumnarValue::Array(match self.function.answer {
            Answer::Intensity => number(|one| one.intensity),
            Answer::Percent => number(|one| one.pct_of_roof),
            Answer::Class => {
                let class =
                    |one: &Option<Assessment>| one.as_ref().and_then(|one| one.class).map(|class| class.id());
                Arc::new(assessed.iter().map(class).collect::<StringArray>())
            }
        }))
    }
}

/// The arguments of many calls.
struct Arguments {
    rows: usize,
    columns: Vec<(Argument, ArrayRef)>,
}

impl Arguments {
    fn of(function: &Function, arguments: ScalarFunctionArgs) -> Result<Self> {
        let rows = arguments.number_rows;
        let mut columns = Vec::new();
        for (&kind, value) in function.arguments.iter().zip(arguments.args) {
            let data_type = match kind {
                Argument::Flops | Argument::Bytes | Argument::Duration => DataType::Float64,
                Argument::Device | Argument::Peak => DataType::Utf8,
            };
            columns.push((kind, cast(&value.into_array(rows)?, &data_type)?));
        }
        Ok(Self { rows, columns })
    }

    fn column(&self, wanted: Argument) -> Option<&ArrayRef> {
        self.columns.iter().find(|(kind, _)| *kind == wanted).map(|(_, array)| array)
    }

    fn number(&self, wanted: Argument, row: usize) -> Option<f64> {
        let array = self.column(wanted)?;
        array.is_valid(row).then(|| array.as_primitive::<Float64Type>().value(row))
    }

    fn text(&self, wanted: Argument, row: usize) -> Option<&str> {
        let array = self.column(wanted)?;
        array.is_valid(row).then(|| array.as_string::<i32>().value(row))
    }

    /// One call compared with its roof; nothing if an argument is missing or no amount.
    fn assess(&self, row: usize, roofs: &mut Roofs) -> Result<Option<Assessment>> {
        let amount = |wanted| self.number(wanted, row).filter(|value| value.is_finite() && *value >= 0.0);
        let (Some(flops), Some(bytes)) = (amount(Argument::Flops), amount(Argument::Bytes)) else {
            return Ok(None);
        };
        let roof = match self.column(Argument::Device) {
            None => roofs.plain(),
            Some(_) => match (self.text(Argument::Device, row), self.text(Argument::Peak, row)) {
                (Some(device), Some(peak)) => roofs.find(device, peak)?,
                _ => return Ok(None),
            },
        };
        let amount = match roof.counts() {
            Counts::Operations => flops,
            // One multiply-add is two operations.
            Counts::Macs => flops / 2.0,
        };
        let moved: Vec<(&str, f64)> =
            roof.levels.first().map(|level| (level.id.as_str(), bytes)).into_iter().collect();
        let seconds = self.number(Argument::Duration, row).map(|nanoseconds| nanoseconds * 1e-9);
        Ok(Some(assess(roof, amount, &moved, seconds, &Settings::default())))
    }
}

/// Roofs that were asked for: few, and each takes a search.
#[derive(Default)]
struct Roofs {
    plain: Option<Roof>,
    known: HashMap<(String, String), Roof>,
}

impl Roofs {
    /// One that bounds nothing: for what needs no device.
    fn plain(&mut self) -> &Roof {
        self.plain.get_or_insert_with(|| {
            let level = Level { id: "memory".to_owned(), name: "memory".to_owned(), rate: 1.0 };
            Roof { compute: None, levels: vec![level], cache: None }
        })
    }

    fn find(&mut self, name: &str, peak: &str) -> Result<&Roof> {
        let key = (name.to_owned(), peak.to_owned());
        if !self.known.contains_key(&key) {
            let wrong = |what: String| DataFusionError::Execution(what);
            let device =
                device::find(name).map_err(|unknown| wrong(format!("{unknown}; {}", unknown.hint())))?;
            let Some(found) = device.peak_by_key(peak) else {
                let keys: Vec<&str> = device.peaks.iter().map(|peak| peak.key.as_str()).collect();
                return Err(wrong(format!("{name} has no peak `{peak}`; peaks are {}", keys.join(", "))));
            };
            let roof = Roof::under(&device, Some(found));
            self.known.insert(key.clone(), roof);
        }
        self.known.get(&key).ok_or_else(|| DataFusionError::Internal("a roof was lost".to_owned()))
    }
}
