//! What files of sums say: names with calls and times, without a record of each call.

use eaves_model::Measurements;
use eaves_section::{Column, Number, Section, Table, Unit, Value};

/// Sums of all files by name, the longest first. Of several files each row says which it is from: kernels, calls and
/// copies are often summed in files of their own, and their times are not parts of one whole.
pub fn sums(files: &[Measurements]) -> Section {
    let mut rows = Vec::new();
    let (mut records, mut calls, mut all) = (0, 0, 0.0);
    for file in files {
        let total: f64 = file.records.iter().filter_map(|record| record.time).sum();
        for record in &file.records {
            let share = record.time.filter(|_| total > 0.0).map(|time| 100.0 * time / total);
            let cells = vec![
                Value::from(file.path.as_str()),
                Value::from(record.name.as_str()),
                Value::known_text(
                    Some(record.type_name.as_str()).filter(|name| !name.is_empty()),
                    "no data type",
                ),
                Value::from(record.calls),
                nanoseconds(record.time),
                nanoseconds(record.time.map(|time| time / record.calls.max(1) as f64)),
                Value::known(share, NO_TIME),
            ];
            rows.push((record.time.unwrap_or(-1.0), cells));
            records += 1;
            calls += record.calls;
        }
        all += total;
    }
    rows.sort_by(|(left, _), (right, _)| right.total_cmp(left));
    let mut rows: Vec<Vec<Value>> = rows.into_iter().map(|(_, cells)| cells).collect();
    let mut columns = columns();
    if files.len() == 1 {
        columns.remove(0);
        rows.iter_mut().for_each(|row| drop(row.remove(0)));
    }
    let number = Number::counter;
    Section {
        id: "sums",
        title: "Sums by name",
        numbers: vec![
            number("names", Value::from(records as u64), Unit::Count, "rows of the files"),
            number("calls", Value::from(calls), Unit::Count, "summed calls"),
            number(
                "total_ns",
                nanoseconds(Some(all).filter(|all| *all > 0.0)),
                Unit::Nanoseconds,
                "summed time; concurrent activities count twice, so this is not busy time",
            ),
        ],
        tables: vec![Table { id: "by_name", title: "Sums by name, shares of the total", columns, rows }],
        charts: Vec::new(),
        findings: Vec::new(),
    }
}

const NO_TIME: &str = "the file has no times";

fn nanoseconds(time: Option<f64>) -> Value {
    // A century of nanoseconds is below 2^63.
    time.map_or(Value::Missing(NO_TIME), |time| Value::Integer(time.round() as i64))
}

fn columns() -> Vec<Column> {
    vec![
        Column::new("input", "Input", Unit::None),
        Column::new("name", "Name", Unit::None),
        Column::new("type", "Type", Unit::None),
        Column::new("calls", "Calls", Unit::Count),
        Column::new("total_ns", "Total", Unit::Nanoseconds),
        Column::new("mean_ns", "Mean", Unit::Nanoseconds),
        Column::new("share_pct", "Of the file", Unit::Percent),
    ]
}

#[cfg(test)]
mod tests {
    use eaves_model::Measurement;

    use super::*;
    use eaves_section::Value::{Float, Integer, Missing};

    fn file(path: &str, records: &[(&str, u64, Option<f64>)]) -> Measurements {
        let record = |&(name, calls, time): &(&str, u64, Option<f64>)| Measurement {
            name: name.to_owned(),
            calls,
            time,
            ..Measurement::default()
        };
        let records = records.iter().map(record).collect();
        Measurements { path: path.to_owned(), records, ..Measurements::default() }
    }

    #[test]
    fn the_longest_comes_first_and_shares_are_of_its_file() {
        let kernels = file("stats.csv", &[("a", 3, Some(10.0)), ("b", 1, Some(30.0)), ("c", 2, None)]);
        let section = sums(std::slice::from_ref(&kernels));
        let rows: Vec<&[Value]> = section.tables[0].rows.iter().map(|row| &row[2..]).collect();
        assert_eq!(rows[0], [Integer(1), Integer(30), Integer(30), Float(75.0)]);
        assert_eq!(rows[1], [Integer(3), Integer(10), Integer(3), Float(25.0)]);
        assert_eq!(rows[2][1..], [Missing(NO_TIME), Missing(NO_TIME), Missing(NO_TIME)]);
        assert_eq!(section.numbers[1].value, Integer(6));
    }

    #[test]
    fn rows_of_several_files_say_where_they_are_from() {
        let files =
            [file("kernels.csv", &[("a", 1, Some(5.0))]), file("calls.csv", &[("hipMalloc", 1, Some(9.0))])];
        let section = sums(&files);
        assert_eq!(section.tables[0].columns[0].id, "input");
        assert_eq!(section.tables[0].rows[0][0], Value::from("calls.csv"));
        assert_eq!(section.tables[0].rows[0][6], Float(100.0));
    }
}
