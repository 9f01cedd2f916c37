//! Every sample, also those that were dropped, so that anybody can judge them again.

use eaves_roofline::measured::Measurement;
use eaves_section::{Column, Table, Unit, Value};

/// `row` counts the rows of `results` from 1. Times are of all calls of the sample.
const COLUMNS: [Column; 10] = [
    Column::new("row", "Row", Unit::Count),
    Column::new("piece", "Piece", Unit::Count),
    Column::new("calls", "Calls", Unit::Count),
    Column::new("wall_ns", "Time", Unit::Nanoseconds),
    Column::new("other_ns", "Processor or host", Unit::Nanoseconds),
    Column::new("switches", "Switches", Unit::Count),
    Column::new("steal_ticks", "Stolen", Unit::Count),
    Column::new("clock_ghz", "GHz", Unit::None),
    Column::new("contamination", "Dropped", Unit::None),
    Column::new("time_ns", "One call", Unit::Nanoseconds),
];

const NOT_TOLD: &str = "not reported by the system";

pub(super) fn table(measured: &[&Measurement]) -> Table {
    let count = |value: Option<u32>| value.map_or(Value::Missing(NOT_TOLD), |value| i64::from(value).into());
    let rows = measured.iter().enumerate().flat_map(|(index, measurement)| {
        measurement.samples.iter().map(move |sample| {
            vec![
                (index + 1).into(),
                i64::from(sample.piece).into(),
                i64::from(sample.calls).into(),
                sample.wall_ns.into(),
                sample.other_ns.map_or(Value::Missing(NOT_TOLD), Value::from),
                count(sample.switches),
                count(sample.steal),
                Value::known(sample.clock.map(|clock| clock / 1e9), "clock not measurable"),
                Value::known_text(sample.contamination.map(|reason| reason.id()), "it is clean"),
                Value::known(Some(sample.seconds() * 1e9), ""),
            ]
        })
    });
    Table { id: "samples", title: "Every sample", columns: COLUMNS.to_vec(), rows: rows.collect() }
}
