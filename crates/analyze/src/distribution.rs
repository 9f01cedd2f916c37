//! Tables of a row a rank, when there are too many ranks to read: how the figures are distributed, and the rows furthest out.
//!
//! Here and not in the analyses, which need not know how many ranks are too many.

use crate::constants::constant;
use crate::section::{Column, Section, Table, Unit, Value};
use crate::{Job, Outcome};

/// More ranks than this nobody reads row by row.
const MOST_RANKS: usize = 64;
/// Rows that are kept.
const FURTHEST: usize = 10;
/// Parts of a histogram, between the smallest and the largest figure.
const BINS: usize = 12;

/// How the id of a distribution ends, behind that of the table it is of.
pub(crate) const ENDING: &str = "_distribution";

const NO_FIGURE: &str = "no rank has this figure";

/// Replaces the tables of a row a rank by their distribution and the rows furthest out, if there are many ranks and
/// neither details nor some ranks were asked for.
pub(crate) fn of_many_ranks(job: &Job, outcome: Outcome) -> Outcome {
    let wants_rows = job.options.details || job.options.selection.ranks.is_some();
    match outcome {
        Outcome::Section(section) if job.ranks.len() > MOST_RANKS && !wants_rows => {
            let tables = section.tables.into_iter().flat_map(condensed).collect();
            Outcome::Section(Section { tables, ..section })
        }
        other => other,
    }
}

/// The table, or what stands for it if it has a row for each of many ranks.
fn condensed(table: Table) -> Vec<Table> {
    let Some((distribution, figures)) = distribution(&table) else { return vec![table] };
    let mut order: Vec<(f64, usize)> =
        (0..table.rows.len()).map(|row| (how_far(&figures, row), row)).collect();
    // Furthest first, then by rank, which is the order of the rows.
    order.sort_by(|(a, first), (b, second)| b.total_cmp(a).then(first.cmp(second)));
    let rows = order.iter().take(FURTHEST).map(|&(_, row)| table.rows[row].clone()).collect();
    vec![distribution, Table { rows, ..table }]
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

    /// The value below which a share of them lies, between neighbours by their distance (method 7 of Hyndman and Fan, as
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
    let rank = |row: &Vec<Value>| match row.first() {
        Some(Value::Integer(rank)) => Some(*rank),
        _ => None,
    };
    if table.columns.first()?.id != "rank" || table.rows.len() <= MOST_RANKS {
        return None;
    }
    let ranks: Vec<i64> = table.rows.iter().map(rank).collect::<Option<_>>()?;
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
    let id = constant(&format!("{}{ENDING}", table.id))?;
    let title = constant(&format!("{}: over all ranks, and below the {FURTHEST} furthest out", table.title))?;
    Some((Table { id, title, columns, rows }, figures))
}

#[cfg(test)]
mod tests {
    use eaves_model::SliceKind::Kernel;

    use super::*;
    use crate::test_trace::{TestTrace, column, run_of};
    use crate::{Options, Selection, report};

    /// 101 rows: rank r has r, and a share that is 1 but for rank 40.
    fn table() -> Table {
        let row = |rank: i64| {
            let share = if rank == 40 { 7.5 } else { 1.0 };
            vec![Value::Integer(rank), Value::Integer(10 * rank), Value::Float(share), Value::from("x")]
        };
        Table {
            id: "by_rank",
            title: "By rank",
            columns: vec![
                Column::new("rank", "Rank", Unit::None),
                Column::new("time_ns", "Time", Unit::Nanoseconds),
                Column::new("share_pct", "Share", Unit::Percent),
                Column::new("name", "Name", Unit::None),
            ],
            rows: (0..101).map(row).collect(),
        }
    }

    /// By hand: of 0, 10, ..., 1000 the 5th of a hundred is 50, the middle 500, and so on.
    #[test]
    fn the_distribution_of_many_ranks() {
        let [distribution, furthest] = condensed(table()).try_into().unwrap();
        assert_eq!((distribution.id, furthest.id), ("by_rank_distribution", "by_rank"));
        let ids: Vec<_> = distribution.columns.iter().map(|column| column.id).collect();
        assert_eq!(ids, ["statistic", "time_ns", "share_pct"]);
        let text = |text: &str| Value::from(text);
        let (whole, share) = (Value::Integer, Value::Float);
        let expected = [
            [text("min"), whole(0), share(1.0)],
            [text("at"), text("rank 0"), text("rank 0")],
            [text("p5"), whole(50), share(1.0)],
            [text("median"), whole(500), share(1.0)],
            [text("p95"), whole(950), share(1.0)],
            [text("max"), whole(1000), share(7.5)],
            [text("at"), text("rank 100"), text("rank 40")],
            // 101 in 12 parts: eight or nine in each. All but one of the shares are in the first.
            [text("min to max"), text("████████████"), text("█          ▁")],
        ];
        assert_eq!(distribution.rows, expected);
        // First the one that differs where all others are equal, then both ends by turns: 500 of 900 from the middle.
        let ranks: Vec<_> = furthest.rows.iter().map(|row| row[0].clone()).collect();
        assert_eq!(ranks, [40, 0, 100, 1, 99, 2, 98, 3, 97, 4].map(Value::Integer));
        assert_eq!(furthest.rows[0].len(), 4);
    }

    #[test]
    fn other_tables_stay() {
        let few = Table { rows: table().rows[..64].to_vec(), ..table() };
        assert_eq!(condensed(few.clone()), [few]);
        let mut twice = table();
        twice.rows[1][0] = Value::Integer(0);
        assert_eq!(condensed(twice.clone()), [twice]);
        let mut of_steps = table();
        of_steps.columns[0].id = "step";
        assert_eq!(condensed(of_steps.clone()), [of_steps]);
    }

    #[test]
    fn rows_are_there_for_whoever_asks() {
        let trace = |rank: i64| {
            let mut test = TestTrace::default();
            test.gpu(Kernel, "gemm", 0, 1000 + rank);
            test
        };
        let run = run_of((0..65).map(trace).collect());
        let rows = |options: &Options| {
            let outcomes = report(&run, options).unwrap();
            let section = outcomes[0].section().unwrap();
            (section.tables[0].id, column(section, "by_rank", "rank").len())
        };
        assert_eq!(rows(&Options::default()), ("by_rank_distribution", 10));
        assert_eq!(rows(&Options::default().with_details(true)), ("by_rank", 65));
        let some = Options::default().with_selection(Selection::default().with_ranks((0..65).collect()));
        assert_eq!(rows(&some), ("by_rank", 65));
    }
}
