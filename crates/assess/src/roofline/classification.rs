//! Points as the flat table that scripts of older tools read: their seven columns by name, then ours.

use eaves_section::{Column, Outcome, Section, Table, Unit, Value};

/// Columns with the names of older tools: where their numbers stand among points.
const KEPT: [(Column, &str); 7] = [
    (Column::new("name", "Name", Unit::None), "name"),
    (Column::new("operational_intensity", "Operational intensity", Unit::FlopPerByte), "intensity"),
    (Column::new("achieved_GFLOPs", "Achieved", Unit::GigaflopsPerSecond), "achieved_gflops"),
    (Column::new("achieved_GBps", "Bandwidth", Unit::GigabytesPerSecond), "achieved_gbps"),
    (Column::new("time_ms", "Time (ms)", Unit::None), "time_ns"),
    (Column::new("class", "Class", Unit::None), "class"),
    (Column::new("delta_log10_oi_to_knee", "To knee (log10)", Unit::None), "delta_log10_oi_to_knee"),
];

/// What follows the kept columns in the flat table: everything of points that is not among them.
const NAMED: [Column; 2] =
    [Column::new("input", "Input", Unit::None), Column::new("device", "Device", Unit::None)];

/// A `roofline` section with the table that has the column names of older tools.
pub fn classified(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Section(mut section) => {
            section.tables.push(classification(&section));
            Outcome::Section(section)
        }
        skipped => skipped,
    }
}

/// The kept columns of a `roofline` section.
pub(super) fn classification(section: &Section) -> Table {
    let rows = points(section).map_or_else(Vec::new, |table| {
        table
            .rows
            .iter()
            .map(|row| KEPT.iter().map(|(column, id)| kept(table, row, column, id)).collect())
            .collect()
    });
    let columns = KEPT.iter().map(|(column, _)| *column).collect();
    Table {
        id: "classification",
        title: "Classification, with the column names of older tools",
        columns,
        rows,
    }
}

/// One flat table of several inputs: the kept columns, the other columns of points, the input and the device.
pub fn flat_table<'a>(sections: impl Iterator<Item = (&'a str, &'a Section)>) -> Table {
    let sections: Vec<(&str, &Section)> = sections.collect();
    let mut others: Vec<Column> = Vec::new();
    for column in sections.iter().filter_map(|(_, section)| points(section)).flat_map(|table| &table.columns)
    {
        let is_known = KEPT.iter().any(|(kept, _)| kept.id == column.id);
        if !is_known && others.iter().all(|other| other.id != column.id) {
            others.push(*column);
        }
    }
    let mut rows = Vec::new();
    for (input, section) in sections {
        let Some(table) = points(section) else { continue };
        let device = section.numbers.iter().find(|number| number.id == "device");
        let device = device.map_or(Value::Missing("not known"), |number| number.value.clone());
        for row in &table.rows {
            let mut cells: Vec<Value> =
                KEPT.iter().map(|(column, id)| kept(table, row, column, id)).collect();
            // Columns that only some inputs have stand in every row.
            cells.extend(others.iter().map(|column| {
                let place = table.columns.iter().position(|own| own.id == column.id);
                place.and_then(|place| row.get(place)).cloned().unwrap_or(Value::Missing("not in this input"))
            }));
            cells.extend([Value::from(input), device.clone()]);
            rows.push(cells);
        }
    }
    let kept = KEPT.iter().map(|(column, _)| *column);
    let columns = kept.chain(others).chain(NAMED).collect();
    Table { id: "classification", title: "Classification", columns, rows }
}

fn points(section: &Section) -> Option<&Table> {
    section.tables.iter().find(|table| table.id == "points")
}

fn kept(table: &Table, row: &[Value], column: &Column, id: &str) -> Value {
    let index = table.columns.iter().position(|column| column.id == id);
    let value = index.and_then(|index| row.get(index)).cloned().unwrap_or(Value::Missing("not known"));
    match value {
        Value::Integer(nanoseconds) if column.id == "time_ms" => Value::Float(nanoseconds as f64 / 1e6),
        value => value,
    }
}
