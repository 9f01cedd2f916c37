//! Kernel tables whose columns are metrics of Nsight Compute or nvprof: `Name, dram__bytes.sum, flop_count_sp, Duration`.
//! Scripts make them; what `ncu --csv` itself prints is read elsewhere.

use eaves_model::{Measurement, MeasurementKind};

use super::fields::Fields;

const NAME: [&str; 4] = ["Name", "Kernel Name", "Kernel Name Short", "name"];
const DURATION: [&str; 2] = ["Duration", "duration"];
const GPU_TIME: [&str; 2] = ["gpu__time_duration.sum", "gpu__time_duration"];
const TOTAL_BYTES: [&str; 2] = ["dram__bytes.sum", "dram__bytes"];
const READ: [&str; 2] = ["dram__bytes_read.sum", "dram__bytes_read"];
const WRITTEN: [&str; 2] = ["dram__bytes_write.sum", "dram__bytes_write"];

/// Units of times as the profilers spell them, in nanoseconds.
const TIMES: [(&str, f64); 12] = [
    ("ns", 1.0),
    ("nsecond", 1.0),
    ("nanosecond", 1.0),
    ("us", 1e3),
    ("usecond", 1e3),
    ("microsecond", 1e3),
    ("ms", 1e6),
    ("msecond", 1e6),
    ("millisecond", 1e6),
    ("s", 1e9),
    ("second", 1e9),
    ("sec", 1e9),
];

/// Units of sizes.
const SIZES: [(&str, f64); 5] =
    [("byte", 1.0), ("bytes", 1.0), ("kbyte", 1e3), ("mbyte", 1e6), ("gbyte", 1e9)];

/// Which columns say what, each with what to multiply it by.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Metrics {
    name: Option<String>,
    bytes: Vec<(String, f64)>,
    flops: Vec<(String, f64)>,
    time: Option<(String, f64)>,
    /// The column of times and the unit that was assumed, if it says none.
    assumed: Option<(String, &'static str)>,
}

impl Metrics {
    /// The metrics of a header; nothing if it has no metric of these profilers.
    pub(super) fn of(header: &[String]) -> Option<Self> {
        let is_metric = |column: &String| {
            ["dram__bytes", "flop_count_", "gpu__time_duration"].iter().any(|stem| column.starts_with(stem))
        };
        if !header.iter().any(is_metric) {
            return None;
        }
        let find = |names: &[&str]| {
            names.iter().find_map(|name| header.iter().find(|column| split(column).0 == *name))
        };
        let sized = |names: &[&str]| {
            let column = find(names)?;
            let unit = split(column).1.map(|unit| unit_of(unit, &SIZES));
            unit.unwrap_or(Some(1.0)).map(|scale| (column.clone(), scale))
        };
        // Bytes a second and shares of a peak have the same stem, and other endings.
        let bytes = match sized(&TOTAL_BYTES) {
            Some(total) => vec![total],
            None => [sized(&READ), sized(&WRITTEN)].into_iter().flatten().collect(),
        };
        let mut metrics = Self { name: find(&NAME).cloned(), bytes, ..Self::default() };
        for precision in ["sp", "hp", "dp"] {
            metrics.flops.extend(operations(precision, &|name| find(&[name]).cloned()));
        }
        // nvprof and the scripts after it count milliseconds; the metric itself is in nanoseconds.
        let time = find(&DURATION).map(|column| (column, "ms")).or_else(|| Some((find(&GPU_TIME)?, "ns")));
        if let Some((column, otherwise)) = time {
            let said = split(column).1;
            let scale = unit_of(said.unwrap_or(otherwise), &TIMES);
            metrics.time = scale.map(|scale| (column.clone(), scale));
            metrics.assumed = said.is_none().then(|| (column.clone(), otherwise));
        }
        Some(metrics)
    }

    /// True with enough to make something of.
    pub(super) fn are_enough(&self) -> bool {
        !self.bytes.is_empty() || !self.flops.is_empty() || (self.time.is_some() && self.name.is_some())
    }

    /// What was assumed, for people.
    pub(super) fn assumption(&self) -> Option<String> {
        let (column, unit) = self.assumed.as_ref()?;
        Some(format!("column `{column}` has no unit and is read as {unit}; write `{column} ({unit})`"))
    }

    /// A row.
    pub(super) fn kernel(&self, fields: &mut Fields<'_>) -> Measurement {
        let mut sum = |columns: &[(String, f64)]| {
            let values: Vec<f64> = columns
                .iter()
                .filter_map(|(column, scale)| Some(fields.number(&[column])? * scale))
                .collect();
            (!values.is_empty()).then(|| values.iter().sum())
        };
        let (flops, bytes) = (sum(&self.flops), sum(&self.bytes));
        let time = sum(self.time.as_slice());
        Measurement {
            kind: MeasurementKind::Compute,
            name: self.name.as_ref().and_then(|name| fields.text(&[name])).unwrap_or_default(),
            dtype: fields.text(&super::columns::DTYPE).unwrap_or_default(),
            flops,
            bytes,
            time,
            calls: fields.calls(),
            record: fields.record(),
            ..Measurement::default()
        }
    }
}

/// The operations of one precision: the count of all, or else of each kind, where a multiply-add is two.
fn operations(precision: &str, find: &dyn Fn(&str) -> Option<String>) -> Vec<(String, f64)> {
    if let Some(total) = find(&format!("flop_count_{precision}")) {
        return vec![(total, 1.0)];
    }
    let kinds = [("add", 1.0), ("mul", 1.0), ("fma", 2.0)];
    let of = |(kind, weight)| Some((find(&format!("flop_count_{precision}_{kind}"))?, weight));
    kinds.into_iter().filter_map(of).collect()
}

/// A column as `Duration (us)` or `dram__bytes.sum [Mbyte]`: its name and its unit.
fn split(column: &str) -> (&str, Option<&str>) {
    let unit = column.strip_suffix([')', ']']).and_then(|rest| rest.rsplit_once(['(', '[']));
    match unit {
        Some((name, unit)) => (name.trim_end(), Some(unit)),
        None => (column, None),
    }
}

fn unit_of(unit: &str, known: &[(&str, f64)]) -> Option<f64> {
    let unit = unit.trim().to_ascii_lowercase();
    known.iter().find(|(name, _)| *name == unit).map(|(_, scale)| *scale)
}

#[cfg(test)]
mod tests {
    use crate::{Form, read_measurements};

    type Row = (Option<f64>, Option<f64>, Option<f64>);

    fn rows(text: &str) -> (Vec<Row>, Vec<String>) {
        let found = read_measurements("t.csv", text.as_bytes(), None).unwrap();
        let said = read_measurements("t.csv", text.as_bytes(), Form::from_id("nsight")).unwrap();
        assert_eq!((&found.records, found.format), (&said.records, "kernels-csv"));
        let rows = found.records.iter().map(|record| (record.flops, record.bytes, record.time)).collect();
        let details = found.diagnostics.warnings().iter().filter_map(|warning| warning.detail.clone());
        (rows, details.collect())
    }

    #[test]
    fn a_duration_is_milliseconds_and_that_is_said() {
        let text = "Name,dram__bytes.sum,flop_count_sp,Duration\ngemm,3.5e10,2.2e12,8.0\nsoftmax,1.8e10,2.0e11,3.0\n";
        let (found, details) = rows(text);
        let wanted = [(Some(2.2e12), Some(3.5e10), Some(8e6)), (Some(2e11), Some(1.8e10), Some(3e6))];
        assert_eq!(found, wanted);
        assert_eq!(details, ["column `Duration` has no unit and is read as ms; write `Duration (ms)`"]);
    }

    #[test]
    fn units_are_those_of_the_header() {
        let text = "Kernel Name,dram__bytes_read.sum [Mbyte],dram__bytes_write.sum [Kbyte],gpu__time_duration.sum [us]\nk,2,5,7\n";
        assert_eq!(rows(text), (vec![(None, Some(2_005_000.0), Some(7_000.0))], vec![]));
    }

    /// A count of all operations has those of each kind in it, and a rate is not an amount.
    #[test]
    fn nothing_counts_twice() {
        let text = "Name,dram__bytes.sum,dram__bytes.sum.per_second,flop_count_sp,flop_count_sp_fma,flop_count_hp_add,\
                    flop_count_hp_fma,Duration (ns)\nk,10,99,6,3,1,2,5\n";
        assert_eq!(rows(text), (vec![(Some(11.0), Some(10.0), Some(5.0))], vec![]));
    }
}
