//! The list of exported files.

use eaves_present::export::files::ExportedFile;
use eaves_section::{Column, Number, Section, Table, Unit, Value};

const TOO_LARGE: &str =
    "Numbers too large for their 32-bit column: empty there, stored in the 64-bit column after it.";

/// What follows from more hardware counters than a kernel table has columns for.
const COUNTERS_LEFT_OUT: &str = "Hardware counters that have no column of their own in the table of kernels, because there are too many: \
     `--table range_counters` writes them.";

/// The list of exported files.
pub(super) fn section(files: &[ExportedFile]) -> Section {
    let columns = vec![
        Column::new("file", "File", Unit::None),
        Column::new("table", "Table", Unit::None),
        Column::RANK,
        Column::new("rows", "Rows", Unit::Count),
        Column::new("bytes", "Size", Unit::Bytes),
    ];
    let row = |file: &ExportedFile| {
        vec![
            Value::from(file.path.display().to_string()),
            file.table.map_or(Value::Missing("entire trace"), Value::from),
            file.rank.map_or(Value::Missing("single recording, or all"), Value::from),
            Value::from(file.rows),
            Value::from(file.bytes),
        ]
    };
    let rows = files.iter().map(row).collect();
    let table = Table { id: "files", title: "Files", columns, rows };
    let number = |id, value: u64, explain| {
        (value > 0).then(|| Number::counter(id, value.into(), Unit::Count, explain))
    };
    let sum = |of: fn(&ExportedFile) -> u64| files.iter().map(of).sum();
    let numbers = [
        number("too_large", sum(|file| file.too_large), TOO_LARGE),
        number("counters_left_out", sum(|file| file.counters_left_out), COUNTERS_LEFT_OUT),
    ];
    let numbers = numbers.into_iter().flatten().collect();
    Section { id: "export", title: "Export", numbers, tables: vec![table], ..Section::default() }
}
