//! Distributions over many ranks.

use eaves_model::SliceKind::Kernel;

use super::*;
use crate::section::Provenance;
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
            Column::RANK,
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
    let mut of_steps = table();
    of_steps.columns[0].id = "step";
    assert_eq!(condensed(of_steps.clone()), [of_steps]);
}

/// By hand: rank 0 has two rows, all others one, and 40 the odd share; then 1000, 20 and 990 and so on are furthest from
/// 505, the middle of 10, 20, ..., 1000.
#[test]
fn of_several_rows_a_rank_those_of_the_ranks_furthest_out() {
    let mut twice = table();
    twice.rows[1][0] = Value::Integer(0);
    let [kept] = condensed(twice.clone()).try_into().unwrap();
    let ranks: Vec<_> = kept.rows.iter().map(|row| row[0].clone()).collect();
    assert_eq!(ranks, [0, 0, 2, 3, 4, 5, 40, 97, 98, 99, 100].map(Value::Integer));
    assert_eq!((kept.id, kept.title), ("by_rank", "By rank: the 10 most extreme ranks"));
    assert!(kept.rows.iter().all(|row| twice.rows.contains(row)));
}

#[test]
fn numbers_of_many_ranks_are_distributed_as_their_table() {
    let number = |id, rank: Option<i64>, value| Number {
        id,
        rank,
        value,
        unit: Unit::Nanoseconds,
        provenance: Provenance::Measured,
        explain: "",
    };
    let of_ranks = table().rows.into_iter().flat_map(|row| {
        let rank = rank(&row);
        [number("time_ns", rank, row[1].clone()), number("share_pct", rank, row[2].clone())]
    });
    let whole = number("whole_ns", None, Value::Integer(3));
    let numbers: Vec<Number> = std::iter::once(whole.clone()).chain(of_ranks).collect();
    let [distribution, _] = condensed(table()).try_into().unwrap();

    let (kept, own) = condensed_numbers(numbers.clone(), &[]);
    let own = own.unwrap();
    assert_eq!((own.id, own.columns[1].title), ("numbers_distribution", "Time"));
    assert_eq!(own.rows, distribution.rows);
    let ranks: BTreeSet<i64> = kept.iter().filter_map(|number| number.rank).collect();
    assert_eq!(ranks, [0, 1, 2, 3, 4, 40, 97, 98, 99, 100].into());
    assert_eq!((kept.len(), &kept[0]), (21, &whole));

    // What a table says already is not said again.
    let mut of_time = distribution.clone();
    of_time.columns.truncate(2);
    let (_, own) = condensed_numbers(numbers.clone(), &[of_time]);
    let ids: Vec<_> = own.unwrap().columns.iter().map(|column| column.id).collect();
    assert_eq!(ids, ["statistic", "share_pct"]);
    assert_eq!(condensed_numbers(numbers.clone(), &[distribution]).1, None);

    let few: Vec<Number> = numbers.into_iter().filter(|number| number.rank < Some(64)).collect();
    assert_eq!(condensed_numbers(few.clone(), &[]), (few, None));
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
