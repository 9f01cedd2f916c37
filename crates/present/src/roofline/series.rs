//! The numbers of a sweep: one line a series, one chart a unit.

use eaves_section::{Section, Table, Unit, Value};

use super::data::{headline, number};
use super::scale::{prefixed, size, with_unit};

/// Charts of one sweep; further units are in the table.
const MOST_CHARTS: usize = 4;

/// One line.
pub(crate) struct Series {
    pub(crate) name: String,
    /// Positive values only: axes are logarithmic.
    pub(crate) places: Vec<(f64, f64)>,
}

/// The lines of one unit.
pub(crate) struct Chart {
    pub(crate) unit: Unit,
    pub(crate) title: String,
    pub(crate) series: Vec<Series>,
}

/// Numbers over a parameter. The first column is the parameter, whose name is the number `parameter` or the
/// title of the column; the columns `series`, or all texts but `bound_by`, name the series; every other column is a
/// number of theirs.
pub(crate) struct Sweep {
    /// The name of the parameter.
    pub(crate) parameter: String,
    /// Its unit.
    pub(crate) unit: Unit,
    pub(crate) charts: Vec<Chart>,
    /// Units that are not drawn.
    pub(crate) left_out: usize,
    /// What was swept: a prediction or a measurement.
    pub(crate) what: &'static str,
}

impl Sweep {
    pub(crate) fn of(section: &Section) -> Option<Self> {
        let values = |chart: &eaves_section::Chart| match *chart {
            eaves_section::Chart::Sweep { values, is_measured } => {
                Some((section.table(values)?, is_measured))
            }
            _ => None,
        };
        let (table, is_measured) = section.charts.iter().find_map(values)?;
        let (parameter, others) = table.columns.split_first()?;
        let is_text =
            |index: usize| table.rows.iter().any(|row| matches!(row.get(index), Some(Value::Text(_))));
        let texts: Vec<usize> = (1..=others.len()).filter(|index| is_text(*index)).collect();
        let id = |index: usize| table.columns.get(index).map_or("", |column| column.id);
        let named_series: Vec<usize> = texts.iter().copied().filter(|index| id(*index) == "series").collect();
        let naming: Vec<usize> = match named_series.is_empty() {
            false => named_series,
            true => texts.iter().copied().filter(|index| id(*index) != "bound_by").collect(),
        };
        let mut charts: Vec<Chart> = Vec::new();
        for (index, column) in (1..).zip(others).filter(|(index, _)| !texts.contains(index)) {
            let series = series(table, index, &naming);
            if series.iter().all(|series| series.places.is_empty()) {
                continue;
            }
            match charts.iter_mut().find(|chart| chart.unit == column.unit) {
                Some(chart) => {
                    chart.title = format!("{}, {}", chart.title, column.title);
                    chart.series.extend(named(series, column.title));
                }
                None => charts.push(Chart {
                    unit: column.unit,
                    title: column.title.to_owned(),
                    series: named(series, column.title).collect(),
                }),
            }
        }
        let left_out = charts.len().saturating_sub(MOST_CHARTS);
        charts.truncate(MOST_CHARTS);
        let name = match headline(section, "parameter") {
            Some(Value::Text(name)) => name.clone(),
            _ => parameter.title.to_owned(),
        };
        let what = if is_measured { "Measurement" } else { "Prediction" };
        (!charts.is_empty()).then_some(Self { parameter: name, unit: parameter.unit, charts, left_out, what })
    }
}

/// Series that texts do not name have the name of their column.
fn named(series: Vec<Series>, title: &str) -> impl Iterator<Item = Series> {
    series.into_iter().map(move |series| {
        let name = if series.name.is_empty() { title.to_owned() } else { series.name };
        Series { name, ..series }
    })
}

fn series(table: &Table, index: usize, texts: &[usize]) -> Vec<Series> {
    let mut found: Vec<Series> = Vec::new();
    for row in &table.rows {
        let words = texts.iter().filter_map(|index| match row.get(*index) {
            Some(Value::Text(text)) if !text.is_empty() => Some(text.as_str()),
            _ => None,
        });
        let name = words.collect::<Vec<_>>().join(" ");
        let place = row.first().and_then(number).zip(row.get(index).and_then(number));
        let at = match found.iter().position(|series| series.name == name) {
            Some(at) => at,
            None => {
                found.push(Series { name, places: Vec::new() });
                found.len() - 1
            }
        };
        found[at].places.extend(place.filter(|(x, y)| *x > 0.0 && *y > 0.0));
    }
    for series in &mut found {
        series.places.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    found
}

/// A number along an axis of a unit.
pub(crate) fn label(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Nanoseconds if value < 1.0 => format!("{} ns", prefixed(value)),
        Unit::Nanoseconds => {
            let (divisor, unit) = match value {
                small if small < 1e3 => (1.0, "ns"),
                small if small < 1e6 => (1e3, "µs"),
                small if small < 1e9 => (1e6, "ms"),
                _ => (1e9, "s"),
            };
            format!("{} {unit}", prefixed(value / divisor))
        }
        Unit::Bytes => size(value),
        Unit::Percent => format!("{}%", prefixed(value)),
        Unit::GigabytesPerSecond => with_unit(value * 1e9, "B/s"),
        Unit::GigaflopsPerSecond => with_unit(value * 1e9, "FLOP/s"),
        Unit::Flop => with_unit(value, "FLOP"),
        Unit::None | Unit::Count | Unit::FlopPerByte => prefixed(value),
    }
}
