//! The header of a table: which column is what. Versions of Nsight Compute differ in their columns, so they are told by
//! name.

use eaves_model::{StringId, Strings};

use super::super::shared::cells::{Cells, text};
use super::facts::{Meaning, meaning};
use super::kept_metrics::is_used;
use super::unit::unit;
use super::wide_rows::WideRows;

/// Columns that say what a launch is, and those of the narrow form. What is absent was not written.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Columns {
    pub(super) id: usize,
    pub(super) process: Option<usize>,
    pub(super) host: Option<usize>,
    pub(super) kernel: Option<usize>,
    pub(super) context: Option<usize>,
    pub(super) stream: Option<usize>,
    pub(super) block: Option<usize>,
    pub(super) grid: Option<usize>,
    pub(super) device: Option<usize>,
    pub(super) capability: Option<usize>,
    pub(super) section: Option<usize>,
    pub(super) metric: Option<usize>,
    pub(super) unit: Option<usize>,
    pub(super) value: Option<usize>,
    pub(super) rule: Option<usize>,
    pub(super) rule_type: Option<usize>,
    pub(super) rule_text: Option<usize>,
    pub(super) speedup_of: Option<usize>,
    pub(super) speedup: Option<usize>,
}

/// A column of the wide form.
#[derive(Clone, Debug)]
pub(super) struct Column {
    /// Its place.
    pub(super) place: usize,
    /// The metric.
    pub(super) metric: StringId,
    /// What it means besides.
    pub(super) meaning: Meaning,
    /// Factor to its base unit.
    pub(super) factor: f64,
    /// True if it is kept of large files too.
    pub(super) is_used: bool,
}

/// Metrics that are kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Kept {
    /// Their places in [`Header::metrics`].
    pub(super) metrics: Vec<usize>,
    /// How their cells are found without looking at all others.
    pub(super) quick: Option<WideRows>,
}

/// A table.
#[derive(Clone, Debug)]
pub(super) struct Header {
    /// Columns with their own meaning.
    pub(super) columns: Columns,
    /// Columns of metrics: the wide form. Empty in the narrow one.
    pub(super) metrics: Vec<Column>,
    /// Of the metrics, those of the launch: all, and those kept of large files.
    pub(super) of_launch: Kept,
    pub(super) used: Kept,
    /// Number of columns.
    pub(super) width: usize,
    /// True if cells are in quotes.
    pub(super) is_quoted: bool,
}

/// True for the line that tables begin with.
pub(super) fn is_header(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"\"").unwrap_or(line);
    (line.starts_with(b"ID\",\"") || line.starts_with(b"ID,"))
        && memchr::memmem::find(line, b"Kernel Name").is_some()
}

impl Header {
    /// The header that a line is.
    pub(super) fn read(line: &[u8], cells: &mut Cells, strings: &mut Strings) -> Option<Self> {
        if !is_header(line) {
            return None;
        }
        cells.split(line);
        let name = |place| String::from_utf8_lossy(&text(cells.get(line, place))).into_owned();
        let names: Vec<String> = (0..cells.len()).map(name).collect();
        let find = |name: &str| names.iter().position(|its| its == name);
        let columns = Columns {
            id: find("ID")?,
            process: find("Process ID"),
            host: find("Host Name"),
            kernel: Some(find("Kernel Name")?),
            context: find("Context"),
            stream: find("Stream"),
            block: find("Block Size"),
            grid: find("Grid Size"),
            device: find("Device"),
            capability: find("CC"),
            section: find("Section Name"),
            metric: find("Metric Name"),
            unit: find("Metric Unit"),
            value: find("Metric Value"),
            rule: find("Rule Name"),
            rule_type: find("Rule Type"),
            rule_text: find("Rule Description"),
            speedup_of: find("Estimated Speedup Type"),
            speedup: find("Estimated Speedup"),
        };
        let is_quoted = line.starts_with(b"\"");
        let is_narrow = columns.metric.is_some() && columns.value.is_some();
        let mut metrics = if is_narrow { Vec::new() } else { metrics(&names, strings) };
        for column in &mut metrics {
            // Extents stand in columns of their own nearly always.
            column.is_used |= match column.meaning {
                Meaning::Grid(_) => columns.grid.is_none(),
                Meaning::Block(_) => columns.block.is_none(),
                _ => false,
            };
        }
        let kept = |is_kept: fn(&Column) -> bool| {
            let chosen = metrics.iter().enumerate();
            let chosen = chosen.filter(|(_, column)| column.meaning != Meaning::Device && is_kept(column));
            let (metrics, cells): (Vec<usize>, Vec<usize>) =
                chosen.map(|(place, column)| (place, column.place)).unzip();
            let quick = WideRows::new(&columns, names.len(), &cells).filter(|_| is_quoted && !is_narrow);
            Kept { metrics, quick }
        };
        let (of_launch, used) = (kept(|_| true), kept(|column| column.is_used));
        Some(Self { columns, metrics, of_launch, used, width: names.len(), is_quoted })
    }

    /// True for one row a launch and metric, false for one row a launch.
    pub(super) fn is_narrow(&self) -> bool {
        self.columns.value.is_some()
    }

    /// Takes in the row of units that follows the header of the wide form.
    pub(super) fn units(&mut self, row: &[u8], cells: &Cells) {
        for column in &mut self.metrics {
            column.factor = unit(&String::from_utf8_lossy(cells.get(row, column.place))).factor;
        }
    }
}

/// The columns of metrics: what is not a word of the launch's own. Names of metrics have neither spaces nor colons, which
/// those of ranges and other texts have.
fn metrics(names: &[String], strings: &mut Strings) -> Vec<Column> {
    const OTHERS: [&str; 6] = ["CC", "Context", "Device", "Device Name", "ID", "Stream"];
    let is_metric = |name: &str| !name.is_empty() && !name.contains([' ', ':']) && !OTHERS.contains(&name);
    let named = names.iter().enumerate().filter(|(_, name)| is_metric(name));
    let mut columns: Vec<Column> = Vec::new();
    let mut known = std::collections::HashSet::new();
    for (place, name) in named {
        let metric = strings.intern(name);
        // A name that stands there twice counts once.
        if known.insert(metric) {
            columns.push(Column {
                place,
                metric,
                meaning: meaning(name),
                factor: 1.0,
                is_used: is_used(name),
            });
        }
    }
    columns
}
