//! Counters that a profiler recorded for kernels themselves, and what it remarks on them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use eaves_model::{Extent, Ns, StringId};
use eaves_roofline::counters::{Done, adds_up, level, unit};
use eaves_section::kernel_name::short_kernel_name;
use serde::{Deserialize, Serialize};

use super::Rank;
use super::measure::Part;
use crate::kernel_counters::{Gathered, architecture};
use crate::section::{Column, Finding, Severity, Table, Unit, Value};
use crate::{CounterSums, Job, RankView};

/// The launches of one name and size.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub(in crate::analyses) struct Kernel {
    name: String,
    grid: Extent,
    block: Extent,
    launches: u64,
    time: Ns,
    counters: CounterSums,
}

/// What the profiler remarks, each once, with how many launches it is about.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(in crate::analyses) struct Remark {
    kernel: String,
    rule: String,
    kind: String,
    text: String,
    speedup_pct: Option<f64>,
    speedup_of: String,
    launches: u64,
}

/// The kernels of a rank that have counters, longest first.
pub(super) fn kernels(rank: &RankView<'_>) -> Vec<Kernel> {
    let trace = rank.trace;
    if trace.range_counters.is_empty() {
        return Vec::new();
    }
    let mut places: HashMap<(StringId, Extent, Extent), usize> = HashMap::new();
    let mut found: Vec<(Kernel, Gathered, Option<u32>)> = Vec::new();
    for (index, activity) in rank.gpu.row.iter().enumerate() {
        let row = activity.index();
        let slice = trace.gpu.slice[row];
        if !rank.counters().has(trace, slice) {
            continue;
        }
        let (grid, block) = (trace.gpu.grid[row], trace.gpu.block[row]);
        let place = *places.entry((rank.gpu.name[index], grid, block)).or_insert_with(|| {
            let name = trace.slice_name(slice).to_owned();
            let kernel = Kernel { name, grid, block, ..Kernel::default() };
            found.push((kernel, Gathered::default(), trace.gpu.device[row].get()));
            found.len() - 1
        });
        let (kernel, gathered, _) = &mut found[place];
        let duration = trace.slices.duration[slice.index()];
        kernel.launches += 1;
        kernel.time += duration;
        gathered.add(rank.counters().of_slice(trace, slice), duration.as_f64());
    }
    let mut kernels: Vec<Kernel> = found
        .into_iter()
        .map(|(kernel, gathered, device)| Kernel {
            counters: gathered.sums(trace, architecture(trace, device)),
            ..kernel
        })
        .collect();
    kernels.sort_by(|a, b| Reverse(a.time).cmp(&Reverse(b.time)).then_with(|| a.key().cmp(&b.key())));
    kernels
}

impl Kernel {
    fn key(&self) -> (&str, [u32; 3], [u32; 3]) {
        (&self.name, self.grid.0, self.block.0)
    }

    fn cells(&self) -> [Value; 4] {
        let extent = |extent: Extent| match extent.get() {
            Some([x, y, z]) => format!("({x}, {y}, {z})").into(),
            None => Value::Missing("not recorded"),
        };
        [self.name.as_str().into(), extent(self.grid), extent(self.block), self.launches.into()]
    }
}

/// The remarks on selected kernels, those that expect most first.
pub(super) fn remarks(rank: &RankView<'_>) -> Vec<Remark> {
    let (trace, table) = (rank.trace, &rank.trace.remarks);
    if table.is_empty() {
        return Vec::new();
    }
    let mut selected: Vec<_> =
        rank.gpu.row.iter().map(|activity| trace.gpu.slice[activity.index()]).collect();
    selected.sort_unstable();
    let mut found: BTreeMap<(&str, &str, &str), Remark> = BTreeMap::new();
    for row in (0..table.len()).filter(|&row| selected.binary_search(&table.slice[row]).is_ok()) {
        let text = |id: StringId| trace.strings.get(id);
        let kernel = trace.slice_name(table.slice[row]);
        let remark =
            found.entry((kernel, text(table.rule[row]), text(table.text[row]))).or_insert_with(|| Remark {
                kernel: kernel.to_owned(),
                rule: text(table.rule[row]).to_owned(),
                kind: text(table.kind[row]).to_owned(),
                text: text(table.text[row]).to_owned(),
                speedup_pct: None,
                speedup_of: text(table.speedup_of[row]).to_owned(),
                launches: 0,
            });
        remark.launches += 1;
        let speedup = table.speedup_pct[row].get().filter(|pct| pct.is_finite());
        remark.speedup_pct = remark.speedup_pct.into_iter().chain(speedup).reduce(f64::max);
    }
    let mut remarks: Vec<Remark> = found.into_values().collect();
    remarks.sort_by(|a, b| b.speedup_pct.unwrap_or(-1.0).total_cmp(&a.speedup_pct.unwrap_or(-1.0)));
    remarks
}

const WHICH: [Column; 4] = [
    Column::new("name", "Name", Unit::None),
    Column::new("grid", "Grid", Unit::None),
    Column::new("block", "Block", Unit::None),
    Column::new("calls", "Calls", Unit::Count),
];

const WORK: [Column; 11] = [
    Column::new("time_ns", "Time", Unit::Nanoseconds),
    Column::new("flops", "FLOPs per call", Unit::Flop),
    Column::new("integer_ops", "Integer operations of matrix units per call", Unit::Count),
    Column::new("operations", "Operations by type", Unit::None),
    Column::new("bytes", "Bytes of main memory per call", Unit::Bytes),
    Column::new("bytes_llc", "LLC bytes", Unit::Bytes),
    Column::new("bytes_l2", "L2 bytes", Unit::Bytes),
    Column::new("bytes_l1", "L1 bytes", Unit::Bytes),
    Column::new("bytes_lds", "LDS bytes", Unit::Bytes),
    Column::new("conventions", "Counting method", Unit::None),
    Column::new("missing", "Not counted", Unit::None),
];

const METRICS: [Column; 9] = [
    Column::new("metric", "Metric", Unit::None),
    Column::new("total", "Total", Unit::None),
    Column::new("mean", "Per call", Unit::None),
    Column::new("unit", "Unit", Unit::None),
    Column::new("name", "Name", Unit::None),
    Column::new("grid", "Grid", Unit::None),
    Column::new("block", "Block", Unit::None),
    Column::new("calls", "Calls", Unit::Count),
    Column::new("launches", "Calls with it", Unit::Count),
];

const REMARKS: [Column; 7] = [
    Column::new("name", "Name", Unit::None),
    Column::new("rule", "Rule", Unit::None),
    Column::new("kind", "Kind", Unit::None),
    Column::new("calls", "Calls", Unit::Count),
    Column::new("speedup_pct", "Expected gain", Unit::Percent),
    Column::new("speedup_of", "Of", Unit::None),
    Column::new("text", "Remark", Unit::None),
];

/// The tables that exists something for.
pub(super) fn tables(job: &Job, ranks: &[&Rank<'_, Part>]) -> Vec<Table> {
    let mut tables = Vec::new();
    if ranks.iter().any(|rank| !rank.part.kernels.is_empty()) {
        tables.push(table(
            job,
            ranks,
            ("kernel_work", "Measured work by kernel and launch size"),
            WHICH.iter().chain(&WORK),
            |part| part.kernels.iter().map(work).collect(),
        ));
        tables.push(table(
            job,
            ranks,
            (
                "kernel_metrics",
                "Every metric by kernel: sum if additive, and mean (weighted by duration if not additive)",
            ),
            METRICS.iter(),
            |part| part.kernels.iter().flat_map(metrics).collect(),
        ));
    }
    if ranks.iter().any(|rank| !rank.part.remarks.is_empty()) {
        tables.push(table(
            job,
            ranks,
            ("remarks", "The profiler's own remarks, by expected gain"),
            REMARKS.iter(),
            |part| part.remarks.iter().map(remark).collect(),
        ));
    }
    tables
}

fn table<'a>(
    job: &Job,
    ranks: &[&Rank<'_, Part>],
    (id, title): (&'static str, &'static str),
    columns: impl Iterator<Item = &'a Column>,
    cells: impl Fn(&Part) -> Vec<Vec<Value>>,
) -> Table {
    let rows = ranks.iter().flat_map(|rank| {
        let leading = job.rank_cells(rank);
        cells(rank.part)
            .into_iter()
            .map(move |own| leading.iter().cloned().chain(own).collect())
            .collect::<Vec<_>>()
    });
    Table {
        id,
        title,
        columns: job.rank_columns().into_iter().chain(columns.copied()).collect(),
        rows: rows.collect(),
    }
}

fn work(kernel: &Kernel) -> Vec<Value> {
    const NOT_COUNTED: &str = "not counted";
    let done: Done = kernel.counters.done();
    let number = |value: Option<f64>| Value::known(value, NOT_COUNTED);
    let list = |words: Vec<String>, otherwise| match words.is_empty() {
        true => Value::Missing(otherwise),
        false => words.join("; ").into(),
    };
    let operations = done.operations.iter().filter(|one| one.count > 0.0);
    let operations =
        operations.map(|one| format!("{} {} {:.0}", one.arithmetic, one.engine, one.count)).collect();
    let conventions = done.conventions.iter().map(|convention| convention.text().to_owned()).collect();
    let missing = done.missing.iter().map(|missing| format!("{}: {}", missing.what, missing.how)).collect();
    let mut cells = kernel.cells().to_vec();
    cells.extend([
        kernel.time.into(),
        number(done.flops()),
        number(done.integer_operations()),
        list(operations, "none, or not counted"),
    ]);
    let levels = [level::MAIN, level::LAST, level::L2, level::L1, level::LOCAL];
    cells.extend(levels.map(|level| number(done.bytes_at(level))));
    cells.extend([list(conventions, "nothing to choose"), list(missing, "nothing")]);
    cells
}

fn metrics(kernel: &Kernel) -> Vec<Vec<Value>> {
    let which = kernel.cells();
    let row = |(name, values): (&String, &crate::kernel_counters::Values)| {
        let total = match adds_up(name) {
            true => Value::float(values.sum, "too large"),
            false => Value::Missing("not additive"),
        };
        let own = [
            name.as_str().into(),
            total,
            Value::float(values.of_one(name), "too large"),
            unit(name).map_or(Value::Missing("its name does not say"), Value::from),
        ];
        own.into_iter().chain(which.iter().cloned()).chain([values.count.into()]).collect()
    };
    kernel.counters.metrics.iter().map(row).collect()
}

fn remark(remark: &Remark) -> Vec<Value> {
    let text = |text: &str| if text.is_empty() { Value::Missing("not said") } else { text.into() };
    vec![
        remark.kernel.as_str().into(),
        text(&remark.rule),
        text(&remark.kind),
        remark.launches.into(),
        Value::known(remark.speedup_pct, "the profiler expects none"),
        text(&remark.speedup_of),
        text(&remark.text),
    ]
}

/// Remarks that are worth a sentence each.
const MOST: usize = 3;
/// Below this expected gain a remark is in the table alone.
const NOTABLE_PCT: f64 = 5.0;

/// The remarks with the largest expected gain.
pub(super) fn findings(ranks: &[&Rank<'_, Part>]) -> Vec<Finding> {
    let mut notable: Vec<(&Remark, f64)> = ranks
        .iter()
        .flat_map(|rank| &rank.part.remarks)
        .filter_map(|remark| Some((remark, remark.speedup_pct?)))
        .filter(|(_, pct)| *pct >= NOTABLE_PCT)
        .collect();
    notable.sort_by(|a, b| b.1.total_cmp(&a.1));
    let finding = |(remark, pct): &(&Remark, f64)| Finding {
        id: "profiler_remark",
        severity: Severity::Info,
        claim: format!(
            "the profiler expects a gain of {pct:.0}%{} for `{}` ({}): {}",
            match remark.speedup_of.as_str() {
                "" => String::new(),
                of => format!(" ({of})"),
            },
            short_kernel_name(&remark.kernel),
            remark.rule,
            first_sentence(&remark.text),
        ),
        gain: None,
        evidence: "table remarks".to_owned(),
        next: "read the remark in full in the table, or open the report in the profiler's own viewer"
            .to_owned(),
    };
    notable.iter().take(MOST).map(finding).collect()
}

/// The first sentence, cut where it is too long for a finding.
fn first_sentence(text: &str) -> String {
    const LETTERS: usize = 240;
    let sentence = text.split_inclusive(". ").next().unwrap_or(text).trim_end();
    match sentence.char_indices().nth(LETTERS) {
        Some((end, _)) => format!("{}...", &sentence[..end]),
        None => sentence.to_owned(),
    }
}
