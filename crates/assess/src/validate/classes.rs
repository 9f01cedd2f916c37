//! Errors of a class of kernels together.

use eaves_section::{Column, Table, Unit, Value};

use super::{Judged, class};

/// In the order of the table.
const CLASSES: [&str; 5] = ["stream", "gemm", "gemv", "quantised gemv", "attention"];

const COLUMNS: [Column; 10] = [
    Column::new("class", "Class", Unit::None),
    Column::new("rows", "Rows", Unit::Count),
    Column::new("median_error_pct", "Error", Unit::Percent),
    Column::new("p90_error_pct", "Error p90", Unit::Percent),
    Column::new("inside_pct", "Inside", Unit::Percent),
    Column::new("median_width_pct", "Width", Unit::Percent),
    Column::new("median_efficiency_pct", "Efficiency", Unit::Percent),
    Column::new("median_ln_error", "|ln|", Unit::None),
    Column::new("slower", "Slower", Unit::Count),
    Column::new("datasheet_median_error_pct", "Datasheet error", Unit::Percent),
];

/// Errors of some measurements.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Errors {
    pub(super) count: usize,
    pub(super) median: Option<f64>,
    pub(super) p90: Option<f64>,
    pub(super) inside: Option<f64>,
    pub(super) width: Option<f64>,
    pub(super) efficiency: Option<f64>,
    pub(super) logarithm: Option<f64>,
    /// How many took longer than predicted.
    pub(super) slower: usize,
    pub(super) datasheet: Option<f64>,
}

impl Errors {
    pub(super) fn of<'a>(rows: impl Iterator<Item = &'a Judged<'a>>) -> Self {
        let rows: Vec<&Judged<'_>> = rows.filter(|row| row.error().is_some()).collect();
        let of = |read: fn(&Judged<'_>) -> Option<f64>| {
            let mut values: Vec<f64> = rows.iter().filter_map(|row| read(row)).collect();
            values.sort_by(f64::total_cmp);
            values
        };
        let errors = of(|row| row.error());
        let inside = rows.iter().filter(|row| row.is_inside() == Some(true)).count();
        let logarithms = of(|row| row.logarithm().map(f64::abs));
        Self {
            count: rows.len(),
            median: median(&errors),
            p90: nearest_rank(&errors, 0.9),
            inside: (!rows.is_empty()).then(|| 100.0 * inside as f64 / rows.len() as f64),
            width: median(&of(|row| row.width())),
            efficiency: median(&of(|row| row.efficiency())),
            logarithm: median(&logarithms),
            slower: rows.iter().filter(|row| row.logarithm().is_some_and(|size| size > 0.0)).count(),
            datasheet: median(&of(|row| row.datasheet_error())),
        }
    }
}

/// The median of sorted numbers; of an even count the mean of the two in the middle.
fn median(sorted: &[f64]) -> Option<f64> {
    let half = sorted.len() / 2;
    let upper = *sorted.get(half)?;
    match sorted.len() % 2 {
        0 => sorted.get(half - 1).map(|lower| f64::midpoint(*lower, upper)),
        _ => Some(upper),
    }
}

/// The smallest of sorted numbers that at least this share of them does not exceed.
fn nearest_rank(sorted: &[f64], share: f64) -> Option<f64> {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied()
}

pub(super) fn table(judged: &[Judged<'_>]) -> Table {
    let rows = CLASSES.iter().filter_map(|name| {
        let errors = Errors::of(judged.iter().filter(|row| class(&row.measurement.spec) == Some(name)));
        let known = |value: Option<f64>| Value::known(value, "nothing was judged");
        (errors.count > 0).then(|| {
            vec![
                (*name).into(),
                errors.count.into(),
                known(errors.median),
                known(errors.p90),
                known(errors.inside),
                known(errors.width),
                known(errors.efficiency),
                known(errors.logarithm),
                errors.slower.into(),
                Value::known(errors.datasheet, "no datasheet"),
            ]
        })
    });
    Table { id: "classes", title: "By class", columns: COLUMNS.to_vec(), rows: rows.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 1..=10 nine are not above 9, and the two in the middle are 5 and 6.
    #[test]
    fn medians_and_ranks() {
        let numbers: Vec<f64> = (1..=10).map(f64::from).collect();
        assert_eq!((median(&numbers), nearest_rank(&numbers, 0.9)), (Some(5.5), Some(9.0)));
        assert_eq!((median(&numbers[..3]), nearest_rank(&numbers[..3], 0.9)), (Some(2.0), Some(3.0)));
        assert_eq!((median(&[]), nearest_rank(&[], 0.9)), (None, None));
        assert_eq!((median(&[7.0]), nearest_rank(&[7.0], 0.9)), (Some(7.0), Some(7.0)));
    }
}
