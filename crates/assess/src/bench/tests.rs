use eaves_roofline::measured::{CacheState, Violation};
use eaves_section::{Severity, Table};

use super::test_measurements::{contaminated, gemm, gemv, measured};
use super::*;

fn table<'a>(section: &'a Section, id: &str) -> &'a Table {
    section.tables.iter().find(|table| table.id == id).expect(id)
}

fn cell<'a>(table: &'a Table, row: usize, id: &str) -> &'a Value {
    let column = table.columns.iter().position(|column| column.id == id).expect(id);
    &table.rows[row][column]
}

fn near(value: &Value, expected: f64) {
    let Value::Float(value) = value else { panic!("{value:?}") };
    assert!((value / expected - 1.0).abs() < 1e-3, "{value} {expected}");
}

/// 16 777 216 weights of 4 bytes in 2.5 ms: 13.42 GFLOP/s and 26.84 GB/s; in 1.25 ms twice as fast.
#[test]
fn rates_are_amounts_by_the_median() {
    let ran = [
        Ran::Measured(measured(gemv(4096, 4096, "fp32"), 2500.0)),
        Ran::Measured(measured(gemv(4096, 4096, "bf16"), 1250.0)),
    ];
    let section = section(&ran, &Roofs::default());
    let results = table(&section, "results");
    near(cell(results, 0, "time_ns"), 2.5e6);
    near(cell(results, 0, "gflops"), 13.4218);
    near(cell(results, 0, "gbps"), 26.8435);
    near(cell(results, 1, "gbps"), 26.8435);
    near(cell(results, 1, "speedup"), 2.0);
    near(cell(results, 0, "flop_per_cycle"), 13.4218 / 3.2);
    assert_eq!(cell(results, 0, "clean"), &Value::Integer(10));
    assert_eq!(cell(results, 0, "samples"), &Value::Integer(12));
    assert_eq!(cell(results, 0, "dropped"), &Value::from("stolen 1, switched 1"));
    assert!(matches!(cell(results, 0, "pct_of_roof"), Value::Missing(_)));
    assert_eq!(table(&section, "samples").rows.len(), 24);
    assert!(section.findings.is_empty());
}

#[test]
fn contaminated_wrong_and_impossible_measurements_have_no_number() {
    let mut wrong = measured(gemv(64, 64, "fp32"), 10.0);
    wrong.verification.as_mut().unwrap().error = f64::NAN;
    wrong.violations = vec![Violation::WrongResult { error: f64::NAN, tolerance: 1e-6 }];
    let mut impossible = measured(gemv(128, 64, "fp32"), 10.0);
    impossible.violations = vec![Violation::AbovePeak { peak: "fp32".into(), share: 1.5 }];
    let mut compiled = contaminated(gemv(256, 64, "fp32"));
    compiled.execution = Execution::CompiledOnly;
    compiled.samples.clear();
    let spec = gemv(512, 64, "nf4");
    let ran = [
        Ran::Measured(contaminated(gemv(32, 64, "fp32"))),
        Ran::Measured(wrong),
        Ran::Measured(impossible),
        Ran::Measured(compiled),
        Ran::Refused { spec, why: "there is none".into() },
    ];
    let section = section(&ran, &Roofs::default());
    let results = table(&section, "results");
    for (row, part) in ["contaminated", "wrong", "impossible", "compiled only"].iter().enumerate() {
        for column in ["time_ns", "min_ns", "gflops", "gbps", "pct_of_roof"] {
            let Value::Missing(reason) = cell(results, row, column) else { panic!("{row} {column}") };
            assert!(column == "pct_of_roof" || reason.contains(part), "{row} {column}: {reason}");
        }
    }
    let critical: Vec<&str> = section
        .findings
        .iter()
        .filter(|finding| finding.severity == Severity::Critical)
        .map(|finding| finding.id)
        .collect();
    assert_eq!(critical, ["wrong_result", "impossible_number"]);
    assert!(section.findings.iter().any(|finding| finding.id == "contaminated"));
    assert_eq!(
        table(&section, "refused").rows,
        [["gemv 1x512x64", "nf4/fp32", "there is none"].map(Value::from)]
    );
    assert_eq!(points(&ran.iter().filter_map(Ran::measured).collect::<Vec<_>>()), []);
}

/// Speed-ups 2, 1.25 and 0.8 at batches 1, 4 and 16: on straight lines through logarithms the last two, which are
/// reciprocal, meet 1 in the middle, at 8.
#[test]
fn the_crossover_is_where_speed_ups_pass_one() {
    let times = [("fp32", [100.0, 100.0, 400.0]), ("mxfp4", [50.0, 80.0, 500.0])];
    let ran: Vec<Ran> = times
        .iter()
        .flat_map(|(weights, times)| {
            [1, 4, 16].iter().zip(times).map(|(m, time)| Ran::Measured(measured(gemm(*m, weights), *time)))
        })
        .collect();
    let section = section(&ran, &Roofs::default());
    assert_eq!(table(&section, "sweep").rows.len(), 6);
    let crossovers = table(&section, "crossovers");
    assert_eq!(cell(crossovers, 0, "series"), &Value::from("mxfp4/fp32"));
    near(cell(crossovers, 0, "speedup_smallest"), 2.0);
    near(cell(crossovers, 0, "speedup_largest"), 0.8);
    near(cell(crossovers, 0, "crossover_batch"), 8.0);
    assert_eq!(cell(crossovers, 0, "quicker_up_to"), &Value::Integer(4));
    assert_eq!(cell(crossovers, 0, "slower_from"), &Value::Integer(16));
    assert!(section.findings[0].claim.contains("faster than FP32 up to batch 4 and slower from 16"));
}

#[test]
fn names_say_what_ran() {
    use eaves_roofline::measured::{Store, Stream};
    let stream = Spec::Stream { stream: Stream::Triad(Store::NonTemporal), bytes: 192 << 20 };
    assert_eq!(name(&stream), "triad-nt 192.0 MiB");
    let mut hot = measured(stream, 1.0);
    hot.conditions.state = CacheState::Hot;
    assert_eq!(points(&[&hot])[0].name, "triad-nt 192.0 MiB");
}

/// On one thread BF16 is faster by 2 at batch 1 and slower at 8; on four it is faster throughout. Merged, the faster of each
/// would stand for both.
#[test]
fn thread_counts_are_series_of_their_own() {
    let at = |spec: Spec, threads: usize, microseconds: f64| {
        let mut one = measured(spec, microseconds);
        one.conditions.threads = threads;
        Ran::Measured(one)
    };
    let ran = [
        at(gemm(1, "fp32"), 1, 100.0),
        at(gemm(8, "fp32"), 1, 200.0),
        at(gemm(1, "bf16"), 1, 50.0),
        at(gemm(8, "bf16"), 1, 400.0),
        at(gemm(1, "fp32"), 4, 60.0),
        at(gemm(8, "fp32"), 4, 80.0),
        at(gemm(1, "bf16"), 4, 20.0),
        at(gemm(8, "bf16"), 4, 40.0),
    ];
    let section = section(&ran, &Roofs::default());
    let table = section.tables.iter().find(|table| table.id == "crossovers").unwrap();
    let rows: Vec<(String, f64, f64)> = table
        .rows
        .iter()
        .map(|row| match row.as_slice() {
            [Value::Text(name), Value::Float(first), Value::Float(last), ..] => (name.clone(), *first, *last),
            other => panic!("{other:?}"),
        })
        .collect();
    let [one, four] = rows.as_slice() else { panic!("{rows:?}") };
    assert!(one.0.ends_with(", 1 thread") && four.0.ends_with(", 4 threads"), "{rows:?}");
    for (got, expected) in [(one.1, 2.0), (one.2, 0.5), (four.1, 3.0), (four.2, 2.0)] {
        assert!((got / expected - 1.0).abs() < 1e-3, "{rows:?}");
    }
}

/// A call that goes through 1 MiB of a set of 8 in 40 us: the set takes 320 us, at the same rate.
#[test]
fn the_time_of_a_stream_is_that_of_its_set() {
    let bytes = 8 << 20;
    let spec = Spec::Stream { stream: eaves_roofline::measured::Stream::Read { streams: 1 }, bytes };
    let mut one = measured(spec, 40.0);
    one.work = eaves_roofline::Work::movement().reads(
        "x",
        f64::from(1 << 20) / 4.0,
        eaves_roofline::Precision::FP32,
    );
    let section = section(&[Ran::Measured(one)], &Roofs::default());
    let results = table(&section, "results");
    near(cell(results, 0, "time_ns"), 320e3);
    near(cell(results, 0, "min_ns"), 320e3);
    near(cell(results, 0, "bytes"), bytes as f64);
    near(cell(results, 0, "gbps"), f64::from(1 << 20) / 40e3);
}
