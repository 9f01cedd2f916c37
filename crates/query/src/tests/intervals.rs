//! The aggregates equal the algebra of the model.

use eaves_model::{Interval, IntervalSet, Ns, SliceKind};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{ask, ranks, recording};
use crate::Limits;
use crate::engine::query_in;

/// Name, kind, start and length.
type Row = (u8, bool, i64, i64);

const SQL: &str = "SELECT name, interval_union(start_ns, end_ns), interval_idle(start_ns, end_ns),
    interval_intersection(start_ns, end_ns, kind = 'op', kind = 'runtime'),
    interval_difference(start_ns, end_ns, kind = 'op', kind = 'runtime'),
    interval_union(start_ns, end_ns) FILTER (WHERE kind = 'op')
    FROM slices GROUP BY name ORDER BY name";

fn set<'a>(rows: impl Iterator<Item = &'a Row>) -> IntervalSet {
    IntervalSet::union_of(rows.map(|row| Interval::new(Ns(row.2), Ns(row.2 + row.3))).collect())
}

/// What the model says of a group.
fn expected(name: u8, rows: &[Row]) -> Value {
    let of = |op: bool| set(rows.iter().filter(|row| row.0 == name && row.1 == op));
    let (first, second) = (of(true), of(false));
    let all = first.union(&second);
    // Rows of no length count for where time begins and ends, as in the report.
    let own = || rows.iter().filter(|row| row.0 == name);
    let span = own().map(|row| row.2).min().zip(own().map(|row| row.2 + row.3).max());
    let idle = span.map(|(start, end)| end - start - all.measure().0);
    json!([
        name.to_string(),
        all.measure().0,
        idle,
        first.intersection(&second).measure().0,
        first.difference(&second).measure().0,
        first.measure().0
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn sql_is_the_algebra_of_the_model(
        rows in prop::collection::vec((0u8..4, any::<bool>(), -500i64..500, 0i64..60), 0..120),
        number_of_ranks in 1usize..6,
        partitions in 1usize..5,
    ) {
        let names: Vec<String> = rows.iter().map(|row| row.0.to_string()).collect();
        let mut slices = vec![Vec::new(); number_of_ranks];
        for (index, row) in rows.iter().enumerate() {
            let kind = if row.1 { SliceKind::Op } else { SliceKind::Runtime };
            slices[index % number_of_ranks].push((kind, names[index].as_str(), row.2, row.2 + row.3));
        }
        let recordings = slices.iter().enumerate().map(|(rank, slices)| recording(rank as i64, slices));
        let ranks = ranks(recordings.collect());
        let limits = Limits { threads: 2, ..Limits::default() };
        let answer = query_in(SQL, &ranks, &limits, partitions).unwrap().json();
        let mut groups: Vec<u8> = rows.iter().map(|row| row.0).collect();
        groups.sort_unstable();
        groups.dedup();
        let wanted: Vec<Value> = groups.iter().map(|&name| expected(name, &rows)).collect();
        prop_assert_eq!(&answer["rows"], &Value::from(wanted));
    }
}

#[test]
fn a_window_asks_after_every_row() {
    let slices = [(0, 10), (20, 30), (40, 50), (60, 60)].map(|(start, end)| (SliceKind::Op, "a", start, end));
    let ranks = ranks(vec![recording(0, &slices)]);
    let answer = ask(
        "SELECT interval_union(start_ns, end_ns) OVER (ORDER BY start_ns),
            interval_idle(start_ns, end_ns) OVER (ORDER BY start_ns) FROM slices ORDER BY start_ns",
        &ranks,
    );
    assert_eq!(answer, json!([[10, 0], [20, 10], [30, 20], [30, 30]]));
}

#[test]
fn many_intervals_are_merged_on_the_way() {
    // Beyond the number at which they are merged, in an order that is none.
    let slices: Vec<(SliceKind, &str, i64, i64)> = (0..5000)
        .map(|index| (index * 7919) % 5000 * 10)
        .map(|start| (SliceKind::Op, "a", start, start + 4))
        .collect();
    let ranks = ranks(vec![recording(0, &slices)]);
    let answer =
        ask("SELECT interval_union(start_ns, end_ns), interval_idle(start_ns, end_ns) FROM slices", &ranks);
    assert_eq!(answer, json!([[20_000, 29_994]]));
}

#[test]
fn nothing_covers_no_time_and_what_is_missing_is_left_out() {
    let ranks = ranks(vec![recording(0, &[(SliceKind::Op, "a", 5, 9)])]);
    let answer = ask(
        "SELECT interval_union(start_ns, end_ns), interval_idle(start_ns, end_ns) FROM slices WHERE name = 'b'",
        &ranks,
    );
    assert_eq!(answer, json!([[0, null]]));
    let answer = ask(
        "SELECT interval_union(start_ns, CASE WHEN name = 'b' THEN end_ns END), interval_union(9, 5) FROM slices",
        &ranks,
    );
    assert_eq!(answer, json!([[0, 0]]));
    // The widest span there is overflows nothing.
    let answer = ask("SELECT interval_union(-9223372036854775807, 9223372036854775807) FROM slices", &ranks);
    assert_eq!(answer, json!([[i64::MAX]]));
}
