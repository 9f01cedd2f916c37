//! Kernels whose launches came before the recording.

use eaves_model::{Extent, SliceKind, Trace};

use crate::roofline::{Class, TracePoints, trace_points};
use crate::test_threads::ThreadTrace;
use crate::{Options, RankView};

/// An operator of a program: its matrices are squares of this many rows, and its kernels have these names, numbers of blocks
/// and times.
type Step = (u32, &'static [(&'static str, u32, i64)]);

/// A program, which runs on one thread and one stream.
#[derive(Default)]
struct Program {
    test: ThreadTrace,
    now: i64,
    has_sizes: bool,
}

impl Program {
    fn kernels(&mut self, step: Step, correlations: Option<i64>) {
        for (kernel, number) in step.1.iter().zip(0..) {
            let &(name, blocks, time) = kernel;
            let correlation = correlations.map(|first| first + number);
            self.test.activity(7, SliceKind::Kernel, name, correlation, (self.now, self.now + time));
            if self.has_sizes || correlations.is_some() {
                let last = self.test.trace.gpu.len() - 1;
                self.test.trace.gpu.grid.set(last, Extent([blocks, 1, 1]));
            }
            self.now += time;
        }
    }

    /// A call that was recorded.
    fn recorded(&mut self, step: Step) {
        let start = self.now;
        self.test.op(1, "aten::mm", (start, start + 10));
        let trace = &mut self.test.trace;
        let dims = trace.strings.intern(&format!("[[{0},{0}],[{0},{0}]]", step.0));
        let types = trace.strings.intern(r#"["float","float"]"#);
        *trace.ops.input_dims.last_mut().unwrap() = dims;
        *trace.ops.input_types.last_mut().unwrap() = types;
        for number in 0..step.1.len() as i64 {
            self.test.launch(1, start + number, (start + 1 + number, start + 2 + number));
        }
        self.now += 10;
        self.kernels(step, Some(start));
    }

    /// Ranges of steps before the recording, then some that were recorded.
    fn of(before: &[Step], recorded: &[Step], has_sizes: bool) -> TracePoints {
        let mut program = Self { has_sizes, ..Self::default() };
        before.iter().for_each(|step| program.kernels(*step, None));
        recorded.iter().for_each(|step| program.recorded(*step));
        points(&program.test.trace)
    }
}

fn points(trace: &Trace) -> TracePoints {
    let options = Options::default();
    trace_points(&RankView::new(trace, &options))
}

/// What was not recorded, as `class rows-of-the-matrix by: calls time`.
fn lines(points: &TracePoints) -> Vec<String> {
    let others = points.rows.iter().filter(|row| row.class != Class::Operator);
    let mut lines: Vec<String> = others
        .map(|row| {
            let rows =
                row.arguments.dims.split(['[', ',']).find(|part| !part.is_empty()).unwrap_or(&row.name);
            let (by, calls, time) = (row.arguments.matched_by, row.times.count(), row.time().0);
            format!("{} {rows} {by}: {calls} {time}", row.class.id())
        })
        .collect();
    lines.sort();
    lines
}

const LARGE: Step = (64, &[("gemm", 8, 100)]);
const SMALL: Step = (16, &[("gemm", 2, 40)]);
const SPLIT: Step = (32, &[("gemm", 4, 60), ("reduce", 1, 5)]);

#[test]
fn names_and_sizes_tell_a_call_without_its_launch() {
    let found = Program::of(&[SMALL, SPLIT, LARGE], &[LARGE, SMALL, SPLIT, LARGE], true);
    assert_eq!(
        lines(&found),
        [
            "matched 16 kernel name and launch size: 1 40",
            "matched 32 kernel name and launch size: 1 65",
            "matched 64 kernel name and launch size: 1 100",
        ]
    );
    let (covered, whole) = found.covered();
    assert_eq!((covered, found.counted(Class::Unattributed).0), (whole, 0));
    // What it must do is that of the calls it is taken for.
    let row = found.rows.iter().find(|row| row.class == Class::Matched && row.activities == 2).unwrap();
    assert_eq!((row.name.as_str(), row.load.as_ref().unwrap().flops), ("aten::mm", 2.0 * 32.0 * 32.0 * 32.0));
}

/// One round of a program: what is around tells which of those with the same kernel name a call is.
const ROUND: [Step; 9] = [SMALL, SMALL, SPLIT, SMALL, SPLIT, SPLIT, LARGE, SPLIT, SMALL];

#[test]
fn order_tells_where_sizes_are_missing() {
    let rounds = [ROUND, ROUND, ROUND].concat();
    let found = Program::of(&ROUND, &rounds, false);
    assert_eq!(
        lines(&found),
        [
            "matched 16 kernel names in order: 4 160",
            "matched 32 kernel names in order: 4 260",
            "matched 64 kernel names in order: 1 100",
        ]
    );
    // Names alone say nothing: here no call has eight before or behind it that are the same.
    let found = Program::of(&[SMALL, LARGE], &[LARGE, SMALL, SPLIT], false);
    assert_eq!(lines(&found), ["unattributed gemm : 2 140"]);
}

#[test]
fn a_call_that_took_much_longer_is_another_if_only_order_tells() {
    let slow = [SMALL, SMALL, SPLIT, SMALL, SPLIT, SPLIT, (64, &[("gemm", 8, 300)]), SPLIT, SMALL];
    let rounds = [ROUND, ROUND, ROUND].concat();
    let found = Program::of(&slow, &rounds, false);
    assert_eq!(lines(&found)[2..], ["unattributed gemm : 1 300"]);
    // A size that is the same leaves no doubt.
    let found = Program::of(&slow, &rounds, true);
    assert_eq!(lines(&found)[2..], ["matched 64 kernel names and launch sizes in order: 1 300"]);
}

#[test]
fn what_recorded_calls_do_not_agree_on_stays_unknown() {
    // Two shapes with the same blocks, and nothing around that tells them apart.
    let other: Step = (60, &[("gemm", 8, 100)]);
    let found = Program::of(&[LARGE], &[other, LARGE], true);
    assert_eq!(lines(&found), ["unattributed gemm : 1 100"]);
    // Nobody launched it.
    let found = Program::of(&[(8, &[("copy", 1, 3)])], &[LARGE], true);
    assert_eq!(lines(&found), ["unattributed copy : 1 3"]);
}

#[test]
fn a_part_of_a_call_is_not_the_call() {
    let rest: Step = (32, &[("reduce", 1, 5)]);
    let found = Program::of(&[rest, SMALL], &[LARGE, SPLIT, SMALL], true);
    assert_eq!(lines(&found), ["matched 16 kernel name and launch size: 1 40", "unattributed reduce : 1 5"]);
}

#[test]
fn what_fills_memory_needs_no_launch() {
    const FILL: &str = "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, \
                        at::detail::Array<char*, 1> >(int)";
    let mut test = ThreadTrace::default();
    for (blocks, start) in [(Some(1_000), 0), (Some(2_000), 100), (None, 200)] {
        test.activity(7, SliceKind::Kernel, FILL, None, (start, start + 50));
        let last = test.trace.gpu.len() - 1;
        if let Some(blocks) = blocks {
            test.trace.gpu.grid.set(last, Extent([blocks, 1, 1]));
            test.trace.gpu.block.set(last, Extent([128, 1, 1]));
        }
    }
    let points = points(&test.trace);
    let bytes: Vec<Option<f64>> =
        points.rows.iter().map(|row| row.load.as_ref().ok().map(|load| load.bytes)).collect();
    assert_eq!(bytes, [None, Some(2_048_000.0), Some(4_096_000.0)]);
    assert_eq!(points.rows[1].arguments.dims, "grid (1000, 1, 1), block (128, 1, 1)");
}
