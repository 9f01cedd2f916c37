//! Tables and numbers of each rank, when there are too many ranks to read: how the figures are distributed, and the ranks
//! furthest out.
//!
//! Here and not in the analyses, which need not know how many ranks are too many.

use std::collections::{BTreeMap, BTreeSet};

use crate::constants::constant;
use crate::section::{Column, DISTRIBUTION_ENDING, Number, Section, Table, Unit, Value, words};
use crate::{Job, Outcome};

/// More ranks than this nobody reads row by row.
const MOST_RANKS: usize = 64;
/// Rows that are kept.
const FURTHEST: usize = 10;
/// Parts of a histogram, between the smallest and the largest figure.
const BINS: usize = 12;

const NO_FIGURE: &str = "no rank has this value";

/// Replaces what there is of each rank by its distribution and by what there is of the most extreme ranks, if there are
/// many ranks and neither details nor some ranks were asked for.
pub(crate) fn of_many_ranks(job: &Job, outcome: Outcome) -> Outcome {
    let wants_rows = job.options.details || job.options.selection.ranks.is_some();
    match outcome {
        Outcome::Section(section) if job.ranks.len() > MOST_RANKS && !wants_rows => {
            let mut tables: Vec<Table> = section.tables.into_iter().flat_map(condensed).collect();
            let (numbers, distribution) = condensed_numbers(section.numbers, &tables);
            tables.extend(distribution);
            Outcome::Section(Section { numbers, tables, ..section })
        }
        other => other,
    }
}

/// The table, or what stands for it if it has rows for each of many ranks.
fn condensed(table: Table) -> Vec<Table> {
    if let Some((distribution, figures)) = distribution(&table) {
        let rows =
            furthest(&figures, table.rows.len()).into_iter().map(|row| table.rows[row].clone()).collect();
        return vec![distribution, Table { rows, ..table }];
    }
    let Some(sums) = sums_by_rank(&table) else { return vec![table] };
    let figures: Vec<Figures> =
        (1..sums.columns.len()).filter_map(|column| Figures::of(&sums, column)).collect();
    let kept: BTreeSet<i64> =
        furthest(&figures, sums.rows.len()).into_iter().filter_map(|row| rank(&sums.rows[row])).collect();
    let is_kept = |row: &Vec<Value>| rank(row).is_some_and(|rank| kept.contains(&rank));
    let title =
        constant(&format!("{}: the {FURTHEST} most extreme ranks", table.title)).unwrap_or(table.title);
    vec![Table { title, rows: table.rows.into_iter().filter(is_kept).collect(), ..table }]
}

/// The numbers of the whole and of the most extreme ranks, and how those of all ranks are distributed, if no table says
/// so already.
fn condensed_numbers(mut numbers: Vec<Number>, tables: &[Table]) -> (Vec<Number>, Option<Table>) {
    let Some((mut all, figures, ranks)) = by_rank(&numbers)
        .and_then(|table| distribution(&table).map(|(all, figures)| (all, figures, table.rows)))
    else {
        return (numbers, None);
    };
    let kept: BTreeSet<i64> =
        furthest(&figures, ranks.len()).into_iter().filter_map(|row| rank(&ranks[row])).collect();
    numbers.retain(|number| number.rank.is_none_or(|rank| kept.contains(&rank)));
    let is_told = |id: &str| {
        tables
            .iter()
            .any(|table| table.is_distribution() && table.columns.iter().any(|column| column.id == id))
    };
    let untold: Vec<usize> =
        (1..all.columns.len()).filter(|&column| !is_told(all.columns[column].id)).collect();
    if untold.is_empty() {
        return (numbers, None);
    }
    let columns: Vec<usize> = std::iter::once(0).chain(untold).collect();
    all.columns = columns.iter().map(|&column| all.columns[column]).collect();
    for row in &mut all.rows {
        *row = columns.iter().map(|&column| row[column].clone()).collect();
    }
    (numbers, Some(all))
}

/// The numbers of ranks as a table of a row a rank.
fn by_rank(numbers: &[Number]) -> Option<Table> {
    let mut columns = vec![Column::RANK];
    let mut rows: BTreeMap<i64, Vec<Value>> = BTreeMap::new();
    for number in numbers {
        let Some(rank) = number.rank else { continue };
        let column = match columns.iter().position(|column| column.id == number.id) {
            Some(column) => column,
            None => {
                columns.push(Column::new(number.id, constant(&words(number.id))?, number.unit));
                columns.len() - 1
            }
        };
        let row = rows.entry(rank).or_insert_with(|| vec![Value::Integer(rank)]);
        row.resize(row.len().max(column + 1), Value::Missing(NO_FIGURE));
        row[column] = number.value.clone();
    }
    let mut rows: Vec<Vec<Value>> = rows.into_values().collect();
    rows.iter_mut().for_each(|row| row.resize(columns.len(), Value::Missing(NO_FIGURE)));
    Some(Table { id: "numbers", title: "Numbers by rank", columns, rows })
}

/// Of a table with several rows for each of many ranks: how many there are of each, and the sum of every figure. Only for
/// telling which ranks differ.
fn sums_by_rank(table: &Table) -> Option<Table> {
    if table.columns.first()?.id != "rank" {
        return None;
    }
    let mut sums: BTreeMap<i64, Vec<f64>> = BTreeMap::new();
    for row in &table.rows {
        let sums = sums.entry(rank(row)?).or_insert_with(|| vec![0.0; table.columns.len()]);
        sums[0] += 1.0;
        for (sum, value) in sums.iter_mut().zip(row).skip(1) {
            *sum += match value {
                Value::Integer(value) => *value as f64,
                Value::Float(value) => *value,
                Value::Missing(_) | Value::Text(_) => 0.0,
            };
        }
    }
    if sums.len() <= MOST_RANKS {
        return None;
    }
    let count = Column::new("rows_count", "Rows", Unit::Count);
    let columns =
        [table.columns.first().copied()?, count].into_iter().chain(table.columns.iter().skip(1).copied());
    let row = |(rank, sums): (i64, Vec<f64>)| {
        std::iter::once(Value::Integer(rank)).chain(sums.into_iter().map(Value::Float)).collect()
    };
    Some(Table { columns: columns.collect(), rows: sums.into_iter().map(row).collect(), ..*table })
}

/// The rank that a row is of.
fn rank(row: &[Value]) -> Option<i64> {
    match row.first() {
        Some(Value::Integer(rank)) => Some(*rank),
        _ => None,
    }
}

/// The rows furthest out, furthest first, then by rank, which is the order of the rows.
fn furthest(figures: &[Figures], rows: usize) -> Vec<usize> {
    let mut order: Vec<(f64, usize)> = (0..rows).map(|row| (how_far(figures, row), row)).collect();
    order.sort_by(|(a, first), (b, second)| b.total_cmp(a).then(first.cmp(second)));
    order.into_iter().take(FURTHEST).map(|(_, row)| row).collect()
}

/// A column of numbers, sorted, with the row of each.
struct Figures {
    sorted: Vec<(f64, usize)>,
    /// By row.
    values: Vec<Option<f64>>,
    are_integers: bool,
}

impl Figures {
    fn of(table: &Table, column: usize) -> Option<Self> {
        let mut are_integers = true;
        let mut values = Vec::with_capacity(table.rows.len());
        for row in &table.rows {
            values.push(match row.get(column)? {
                Value::Integer(value) => Some(*value as f64),
                Value::Float(value) => {
                    are_integers = false;
                    Some(*value)
                }
                Value::Missing(_) => None,
                Value::Text(_) => return None,
            });
        }
        let mut sorted: Vec<(f64, usize)> =
            values.iter().enumerate().filter_map(|(row, value)| Some(((*value)?, row))).collect();
        // Of equal figures the first rank is named.
        sorted.sort_by(|(a, first), (b, second)| a.total_cmp(b).then(first.cmp(second)));
        Some(Self { sorted, values, are_integers })
    }

    fn value(&self, value: f64) -> Value {
        if self.are_integers { Value::Integer(value.round() as i64) } else { Value::float(value, NO_FIGURE) }
    }

    /// The value below which a share of them lies, between neighbors by their distance (method 7 of Hyndman and Fan, as
    /// pandas and NumPy do by default).
    fn quantile(&self, share: f64) -> Option<f64> {
        let place = share * (self.sorted.len().checked_sub(1)? as f64);
        let (low, high) =
            (self.sorted.get(place.floor() as usize)?.0, self.sorted.get(place.ceil() as usize)?.0);
        Some(low + (high - low) * place.fract())
    }

    /// The row of the largest; of several the first.
    fn row_of_largest(&self) -> Option<usize> {
        let largest = self.sorted.last()?.0;
        self.sorted.iter().find(|(value, _)| *value == largest).map(|&(_, row)| row)
    }

    /// How many lie in each of equal parts between the smallest and the largest, as bars: the fullest is the highest, and
    /// what is not empty has a bar.
    fn histogram(&self) -> String {
        const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
        let (Some((least, _)), Some((most, _))) = (self.sorted.first(), self.sorted.last()) else {
            return String::new();
        };
        let mut counts = [0usize; BINS];
        for (value, _) in &self.sorted {
            let place = if most > least { (value - least) / (most - least) * BINS as f64 } else { 0.0 };
            counts[(place as usize).min(BINS - 1)] += 1;
        }
        let fullest = counts.iter().max().copied().unwrap_or(1).max(1);
        let bar = |count: &usize| match count {
            0 => ' ',
            count => BARS[(count * BARS.len()).div_ceil(fullest) - 1],
        };
        counts.iter().map(bar).collect()
    }
}

/// How far a row is from the middle in the figure in which it is furthest: the distance from the median, in units of
/// what lies between the 5th and the 95th part of a hundred.
fn how_far(figures: &[Figures], row: usize) -> f64 {
    let distance = |figures: &Figures| {
        let value = (*figures.values.get(row)?)?;
        let (low, middle, high) = (figures.quantile(0.05)?, figures.quantile(0.5)?, figures.quantile(0.95)?);
        match (value - middle).abs() {
            0.0 => Some(0.0),
            // Nine of ten are equal, and this one is not.
            _ if high == low => Some(f64::INFINITY),
            distance => Some(distance / (high - low)),
        }
    };
    figures.iter().filter_map(distance).fold(0.0, f64::max)
}

/// The distribution of each column of numbers, if the table has a row for each of many ranks.
fn distribution(table: &Table) -> Option<(Table, Vec<Figures>)> {
    if table.columns.first()?.id != "rank" || table.rows.len() <= MOST_RANKS {
        return None;
    }
    let ranks: Vec<i64> = table.rows.iter().map(|row| rank(row)).collect::<Option<_>>()?;
    let mut each = ranks.clone();
    each.sort_unstable();
    each.dedup();
    if each.len() != ranks.len() {
        return None;
    }
    let mut columns = vec![Column::new("statistic", "Over all ranks", Unit::None)];
    let mut figures = Vec::new();
    for (index, column) in table.columns.iter().enumerate().skip(1) {
        if let Some(found) = Figures::of(table, index) {
            columns.push(*column);
            figures.push(found);
        }
    }
    if figures.is_empty() {
        return None;
    }
    let row = |name: &str, cell: &dyn Fn(&Figures) -> Option<Value>| -> Vec<Value> {
        let cells = figures.iter().map(|of| cell(of).unwrap_or(Value::Missing(NO_FIGURE)));
        std::iter::once(Value::from(name)).chain(cells).collect()
    };
    let quantile = |share: f64| move |of: &Figures| of.quantile(share).map(|value| of.value(value));
    let named = |row: Option<usize>| Some(Value::from(format!("rank {}", ranks.get(row?)?)));
    let rows = vec![
        row("min", &quantile(0.0)),
        row("at", &|of| named(of.sorted.first().map(|&(_, row)| row))),
        row("p5", &quantile(0.05)),
        row("median", &quantile(0.5)),
        row("p95", &quantile(0.95)),
        row("max", &quantile(1.0)),
        row("at", &|of| named(of.row_of_largest())),
        row("min to max", &|of| Some(Value::from(of.histogram()))),
    ];
    let id = constant(&format!("{}{DISTRIBUTION_ENDING}", table.id))?;
    let title =
        constant(&format!("{}: over all ranks, with the {FURTHEST} most extreme below", table.title))?;
    Some((Table { id, title, columns, rows }, figures))
}

#[cfg(test)]
mod tests;
