//! Comparisons by hand and at random.

use eaves_model::SliceKind::{self, Annotation, Kernel, Op, Runtime};
use eaves_model::{Allocation, Ident, MaybeI64, MaybeU32, Ns, RuntimeCall, SliceId};
use proptest::prelude::*;

use super::*;
use crate::section::{Outcome, Section, Unit, Value};
use crate::test_trace::{TestTrace, add_slice, column, integers, number, texts};
use crate::{Options, RankView, Selection};

/// A trace with one host thread, where calls stand inside operators.
#[derive(Default)]
struct Sketch {
    test: TestTrace,
    correlation: i64,
}

impl Sketch {
    fn host(&mut self, kind: SliceKind, name: &str, start: i64, end: i64) -> SliceId {
        add_slice(&mut self.test.trace, (1, 1), kind, name, (start, end))
    }

    fn step(&mut self, number: u64, start: i64, end: i64) -> &mut Self {
        self.test.step(number, start, end);
        self
    }

    /// A range around everything that starts in it.
    fn range(&mut self, name: &str, start: i64, end: i64) -> &mut Self {
        self.host(Annotation, name, start, end);
        self
    }

    /// An operator of ten nanoseconds that launches a kernel, which runs at once.
    fn op(&mut self, operator: &str, kernel: &str, start: i64, length: i64) -> &mut Self {
        self.host(Op, operator, start, start + 10);
        self.call("cudaLaunchKernel", start + 2, start + 6);
        self.test.kernel(kernel, self.correlation, start + 20, start + 20 + length);
        self
    }

    fn call(&mut self, name: &str, start: i64, end: i64) -> &mut Self {
        let slice = self.host(Runtime, name, start, end);
        self.correlation += 1;
        self.test.trace.runtime.push(RuntimeCall {
            slice,
            correlation: MaybeI64::new(self.correlation),
            ..RuntimeCall::default()
        });
        self
    }

    fn allocated(&mut self, time: i64, total: i64) -> &mut Self {
        let track = self.test.trace.tracks.get_or_add(Ident::number(1), Ident::number(1));
        self.test.trace.allocations.push(Allocation {
            time: Ns(time),
            track,
            total_allocated: MaybeI64::new(total),
            device_type: MaybeU32::new(1),
            device: MaybeI64::new(3),
            ..Allocation::default()
        });
        self
    }

    fn profile(&self) -> Profile {
        Profile::new(vec![measure(&RankView::new(&self.test.trace, &Options::default()))])
    }
}

fn section(base: &Profile, new: &Profile) -> Section {
    let outcomes = Comparison::new(base, new).outcomes(&[]);
    outcomes[0].section().unwrap().clone()
}

/// Steps of 1000, in each a product of some length and a sum of 30.
fn training(lengths: &[i64]) -> Sketch {
    let mut sketch = Sketch::default();
    for (index, &length) in lengths.iter().enumerate() {
        let start = 1000 * index as i64;
        sketch.step(index as u64, start, start + 1000);
        sketch.op("aten::mm", "gemm", start + 100, length).op("aten::add", "add", start + 600, 30);
    }
    sketch
}

fn cell(section: &Section, table: &str, row: &str, id: &str) -> Value {
    let table = section.tables.iter().find(|known| known.id == table).unwrap();
    let index = table.columns.iter().position(|column| column.id == id).unwrap();
    table.rows.iter().find(|cells| cells[0] == Value::from(row)).unwrap()[index].clone()
}

#[test]
fn means_per_step_are_compared_whatever_the_number_of_steps() {
    let section = section(&training(&[200, 202]).profile(), &training(&[300, 302, 304]).profile());
    assert_eq!(column(&section, "kernels", "name"), texts(["gemm", "add"]));
    assert_eq!(column(&section, "kernels", "base_ns"), integers([201, 30]));
    assert_eq!(column(&section, "kernels", "new_ns"), integers([302, 30]));
    assert_eq!(column(&section, "kernels", "delta_ns"), integers([101, 0]));
    assert_eq!(column(&section, "kernels", "base_calls"), integers([1, 1]));
    assert_eq!(column(&section, "kernels", "verdict"), texts(["slower", "unchanged"]));
    assert_eq!(cell(&section, "summary", "kernels_time", "delta_ns"), Value::Integer(101));
    assert_eq!(cell(&section, "summary", "step", "verdict"), Value::from("unchanged"));
    assert_eq!(cell(&section, "summary", "busy", "delta_ns"), Value::Integer(101));
    assert_eq!(cell(&section, "summary", "idle", "delta_ns"), Value::Integer(-101));
    assert_eq!(cell(&section, "counts", "kernels", "new_count"), Value::Integer(2));
    assert_eq!(number(&section, "new_steps", None), Value::Integer(3));
    // The third step of the new run has no partner.
    assert_eq!(column(&section, "steps", "verdict"), texts(["unchanged", "unchanged", "added"]));
    assert_eq!(column(&section, "steps", "delta_ns"), integers([0, 0, 1000]));
}

#[test]
fn what_repeated_steps_differ_by_is_noise() {
    let verdict = |base: &[i64], new: &[i64]| {
        let section = section(&training(base).profile(), &training(new).profile());
        cell(&section, "kernels", "gemm", "verdict")
    };
    assert_eq!(verdict(&[200, 220, 210, 190], &[205, 225, 215, 195]), Value::from("noise"));
    assert_eq!(verdict(&[200, 202, 201, 199], &[240, 242, 241, 239]), Value::from("slower"));
    assert_eq!(verdict(&[240, 242, 241, 239], &[200, 202, 201, 199]), Value::from("faster"));
    // Nobody knows how much single steps differ.
    assert_eq!(verdict(&[200], &[201]), Value::from("slower"));
}

/// Steps of these lengths, in each a product of a tenth of it.
fn steps_of(lengths: &[i64]) -> Profile {
    let (mut sketch, mut start) = (Sketch::default(), 0);
    for (index, &length) in lengths.iter().enumerate() {
        sketch.step(index as u64, start, start + length);
        sketch.op("aten::mm", "gemm", start + 100, length / 10);
        start += length;
    }
    sketch.profile()
}

/// The first step is short because the queue was empty. Without it the means are (9700 + 11100 + 11000) / 3 = 10600 and
/// (36700 + 37800 + 37700) / 3 = 37400.
#[test]
fn a_short_first_step_makes_no_noise() {
    let base = steps_of(&[1_300, 9_700, 11_100, 11_000]);
    let new = steps_of(&[1_300, 36_700, 37_800, 37_700]);
    let found = section(&base, &new);
    assert_eq!(cell(&found, "summary", "step", "base_ns"), Value::Integer(10_600));
    assert_eq!(cell(&found, "summary", "step", "new_ns"), Value::Integer(37_400));
    assert_eq!(cell(&found, "summary", "step", "verdict"), Value::from("slower"));
    assert_eq!(cell(&found, "kernels", "gemm", "base_ns"), Value::Integer(1_060));
    assert_eq!(cell(&found, "kernels", "gemm", "delta_ns"), Value::Integer(2_680));
    assert_eq!(cell(&found, "summary", "kernels_time", "delta_ns"), Value::Integer(2_680));
    // Nothing gets lost unsaid.
    assert_eq!(number(&found, "base_steps", None), Value::Integer(3));
    assert_eq!(number(&found, "base_left_out_steps", None), Value::Integer(1));
    assert_eq!(number(&found, "new_left_out_ns", None), Value::Integer(130));
    assert_eq!(column(&found, "steps", "verdict"), texts(["left_out", "slower", "slower", "slower"]));
    assert_eq!(column(&found, "steps", "delta_ns"), integers([0, 27_000, 26_700, 26_700]));
    assert!(found.findings[0].claim.contains("without the first step of each run"), "{:?}", found.findings);
    // A run whose first step is like the others keeps it.
    let found = section(&steps_of(&[10_000, 9_700, 11_100, 11_000]), &new);
    assert_eq!(number(&found, "base_left_out_steps", None), Value::Integer(0));
    assert_eq!(cell(&found, "summary", "step", "base_ns"), Value::Integer(10_450));
    assert!(found.findings[0].claim.contains("first step of the new run"), "{:?}", found.findings);
}

#[test]
fn who_names_steps_means_them() {
    let mut sketch = Sketch::default();
    sketch.step(0, 0, 100).step(1, 100, 1_100).step(2, 1_100, 2_100).step(3, 2_100, 3_100);
    let run = crate::test_trace::run_of(vec![sketch.test]);
    let kept = |selection: Selection| {
        let options = Options::default().with_selection(selection.clone());
        let measured = vec![measure(&RankView::new(&run.recordings[0].trace, &options))];
        Profile::of_run(&run.recordings, measured, &selection).unwrap().kept_rank_steps()
    };
    assert_eq!(kept(Selection::default()), 3);
    assert_eq!(kept(Selection::default().with_steps(0..=3)), 4);
}

/// One percent of noise, the same values in another order, and five percent more.
#[test]
fn noise_is_no_change_and_five_percent_are() {
    let verdict = |base: &[i64], new: &[i64]| {
        let found = section(&steps_of(base), &steps_of(new));
        let row = |metric| cell(&found, "summary", metric, "verdict");
        (row("step"), row("kernels_time"))
    };
    let both = |word: &str| (Value::from(word), Value::from(word));
    let base = [100_000, 101_000, 99_000, 100_500, 99_500, 100_300, 98_900, 101_100];
    let again = [99_400, 100_200, 101_200, 99_000, 100_900, 98_800, 100_600, 100_100];
    let slower = again.map(|step| step * 105 / 100);
    assert_eq!(verdict(&base, &again), both("noise"));
    assert_eq!(verdict(&base, &slower), both("slower"));
    assert_eq!(verdict(&slower, &base), both("faster"));
    // A slow start in one of them, or one odd step in the middle, changes neither.
    let mut warm_up = base.to_vec();
    warm_up.insert(0, 900_000);
    assert_eq!(verdict(&warm_up, &again), both("noise"));
    assert_eq!(verdict(&warm_up, &slower), both("slower"));
    let mut odd = slower.to_vec();
    odd[4] = 400_000;
    assert_eq!(verdict(&base, &odd), both("slower"));
    let mut odd = again.to_vec();
    odd[4] = 400_000;
    assert_eq!(verdict(&base, &odd), both("noise"));
}

#[test]
fn operators_have_their_own_time_and_that_of_the_gpu() {
    let section = section(&training(&[200]).profile(), &training(&[230]).profile());
    // Ten nanoseconds each, of which four are the call.
    assert_eq!(cell(&section, "operators", "aten::mm", "base_ns"), Value::Integer(6));
    assert_eq!(cell(&section, "operators", "aten::mm", "base_total_ns"), Value::Integer(10));
    assert_eq!(cell(&section, "operators", "aten::mm", "delta_gpu_ns"), Value::Integer(30));
    assert_eq!(cell(&section, "operators", "cudaLaunchKernel", "base_ns"), Value::Integer(8));
    assert_eq!(cell(&section, "operators", "cudaLaunchKernel", "kind"), Value::from("launch"));
    assert_eq!(cell(&section, "summary", "operators_time", "base_ns"), Value::Integer(20));
}

#[test]
fn kernels_of_another_vendor_are_matched_below_the_same_operator() {
    let (mut base, mut new) = (Sketch::default(), Sketch::default());
    base.step(0, 0, 1000)
        .range("forward", 10, 900)
        .op("aten::mm", "ampere_gemm", 100, 50)
        .op("aten::layer_norm", "norm", 200, 20)
        .op("aten::relu", "relu", 300, 10);
    new.step(7, 0, 1000)
        .range("forward", 10, 900)
        .op("aten::mm", "Cijk_gemm", 100, 40)
        .op("fused", "triton_norm", 200, 15)
        .op("aten::gelu", "gelu", 600, 5)
        .op("aten::gelu", "gelu", 700, 5);
    let section = section(&base.profile(), &new.profile());
    let names = ["ampere_gemm", "gelu", "relu", "norm"];
    assert_eq!(column(&section, "kernels", "name"), texts(names));
    let same = Value::Missing("the same name");
    let new_names = vec![Value::from("Cijk_gemm"), same.clone(), same, Value::from("triton_norm")];
    assert_eq!(column(&section, "kernels", "new_name"), new_names);
    let by = column(&section, "kernels", "matched_by");
    assert_eq!((&by[0], &by[3]), (&Value::from("operator"), &Value::from("position")));
    assert_eq!(column(&section, "kernels", "verdict"), texts(["faster", "added", "removed", "faster"]));
    assert_eq!(column(&section, "kernels", "delta_ns"), integers([-10, 10, -10, -5]));
    assert_eq!(cell(&section, "summary", "kernels_time", "delta_ns"), Value::Integer(-15));
    assert_eq!(column(&section, "steps", "matched_by"), texts(["position"]));
}

#[test]
fn runtime_calls_of_two_vendors_have_one_name() {
    let (mut base, mut new) = (Sketch::default(), Sketch::default());
    base.call("cudaDeviceSynchronize", 0, 10);
    new.call("hipDeviceSynchronize", 0, 12);
    let section = section(&base.profile(), &new.profile());
    assert_eq!(column(&section, "operators", "matched_by"), texts(["name"]));
    assert_eq!(column(&section, "operators", "new_name"), texts(["hipDeviceSynchronize"]));
}

#[test]
fn without_steps_whole_recordings_are_compared() {
    let (mut base, mut new) = (TestTrace::default(), TestTrace::default());
    base.gpu(Kernel, "gemm", 0, 100).gpu(Kernel, "gemm", 150, 250);
    new.gpu(Kernel, "gemm", 0, 100);
    let [base, new] =
        [base, new].map(|test| Profile::new(vec![measure(&RankView::new(&test.trace, &Options::default()))]));
    let outcomes = Comparison::new(&base, &new).outcomes(&[]);
    let section = outcomes[0].section().unwrap();
    assert_eq!(cell(section, "summary", "span", "delta_ns"), Value::Integer(-150));
    assert_eq!(cell(section, "summary", "idle", "delta_ns"), Value::Integer(-50));
    assert_eq!(cell(section, "kernels", "gemm", "delta_ns"), Value::Integer(-100));
    assert_eq!(
        cell(section, "kernels", "gemm", "band_ns"),
        Value::Missing("only one run has steps, or neither")
    );
    assert_eq!(section.findings[0].id, "faster");
    let skipped: Vec<_> = outcomes[1..].iter().map(Outcome::id).collect();
    assert_eq!(skipped, ["diff-operators", "diff-steps", "diff-memory"]);
}

#[test]
fn what_no_step_launched_is_counted_apart() {
    let (mut base, new) = (training(&[200, 200]), training(&[200, 200]));
    base.op("aten::zeros", "fill", 5000, 70);
    let section = section(&base.profile(), &new.profile());
    assert_eq!(number(&section, "base_outside_ns", None), Value::Integer(70));
    assert_eq!(column(&section, "kernels", "name"), texts(["add", "gemm"]));
    assert_eq!(cell(&section, "summary", "kernels_time", "delta_ns"), Value::Integer(0));
}

#[test]
fn ranks_are_averaged() {
    let rank = |lengths: &[i64]| measure(&RankView::new(&training(lengths).test.trace, &Options::default()));
    let base = Profile::new(vec![rank(&[100, 100]), rank(&[300, 300])]);
    let new = Profile::new(vec![rank(&[210, 210])]);
    let section = section(&base, &new);
    assert_eq!(cell(&section, "kernels", "gemm", "base_ns"), Value::Integer(200));
    assert_eq!(cell(&section, "kernels", "gemm", "delta_ns"), Value::Integer(10));
    // The ranks differ, the steps do not.
    assert_eq!(cell(&section, "kernels", "gemm", "band_ns"), Value::Integer(0));
    assert_eq!(number(&section, "base_ranks", None), Value::Integer(2));
}

#[test]
fn a_selection_that_is_not_there_is_an_error() {
    let run = crate::test_trace::run_of(vec![training(&[200]).test]);
    let of = |selection: Selection| {
        let options = Options::default().with_selection(selection.clone());
        let measured = vec![measure(&RankView::new(&run.recordings[0].trace, &options))];
        Profile::of_run(&run.recordings, measured, &selection).map(|profile| profile.rank_steps())
    };
    assert_eq!(of(Selection::default()), Ok(1));
    assert!(of(Selection::default().with_ranks(vec![4])).is_err());
    assert!(of(Selection::default().with_steps(5..=6)).is_err());
}

#[test]
fn peaks_of_the_only_device_are_compared() {
    let (mut base, mut new) = (training(&[200]), training(&[200]));
    base.allocated(10, 1_000).allocated(20, 4_000).allocated(30, 2_000);
    new.allocated(10, 5_000);
    let section = section(&base.profile(), &new.profile());
    assert_eq!(column(&section, "memory", "name"), texts(["device allocated"]));
    assert_eq!(column(&section, "memory", "delta_bytes"), integers([1_000]));
    assert_eq!(column(&section, "memory", "verdict"), texts(["more"]));
}

fn condition(subject: Subject, above: bool, threshold: Threshold) -> Condition {
    Condition { text: String::new(), subject, above, threshold }
}

#[test]
fn conditions_fail_outside_the_noise_only() {
    let comparison = Comparison::new(
        &training(&[200, 202, 198, 200]).profile(),
        &training(&[220, 222, 218, 220]).profile(),
    );
    let check = |subject: Subject, above, threshold| {
        condition(subject, above, threshold).check(&comparison).map(|checked| checked.result)
    };
    let busy = || Subject::Metric(Metric::Busy);
    assert_eq!(check(busy(), true, Threshold::Percent(5.0)), Ok(Checkup::Fails));
    assert_eq!(check(busy(), true, Threshold::Percent(9.0)), Ok(Checkup::Passes));
    assert_eq!(check(busy(), true, Threshold::Amount(19, Unit::Nanoseconds)), Ok(Checkup::Fails));
    assert_eq!(check(busy(), true, Threshold::Amount(20, Unit::Nanoseconds)), Ok(Checkup::Passes));
    assert_eq!(check(busy(), false, Threshold::Percent(0.0)), Ok(Checkup::Passes));
    let gemm = || Subject::Kernel("gem".to_owned());
    assert_eq!(check(gemm(), true, Threshold::Percent(9.9)), Ok(Checkup::Fails));
    assert_eq!(
        check(busy(), true, Threshold::Amount(1, Unit::Bytes)),
        Err(ConditionError::OtherUnit(Unit::Nanoseconds))
    );
    let absent = Subject::Kernel("absent".to_owned());
    assert_eq!(check(absent, true, Threshold::Percent(0.0)), Err(ConditionError::NoSuchKernel));
    let span = Subject::Metric(Metric::Span);
    assert_eq!(check(span, true, Threshold::Percent(0.0)), Err(ConditionError::NotThere));
    let noisy = Comparison::new(
        &training(&[200, 220, 210, 190]).profile(),
        &training(&[205, 225, 215, 195]).profile(),
    );
    let checked = condition(gemm(), true, Threshold::Percent(1.0)).check(&noisy).unwrap();
    assert_eq!(checked.result, Checkup::Noise);
    assert!(checked.message.contains("210 ns instead of 205 ns"), "{}", checked.message);
}

/// Operators and kernels with few names, so that every way of matching occurs.
fn profiles() -> impl Strategy<Value = Profile> {
    let work = (0u8..5, 0u8..6, 1i64..40, any::<bool>());
    let steps = prop::collection::vec(prop::collection::vec(work, 0..8), 0..5);
    (steps, any::<bool>()).prop_map(|(steps, has_steps)| {
        let mut sketch = Sketch::default();
        for (index, works) in steps.iter().enumerate() {
            let start = 10_000 * index as i64;
            if has_steps {
                sketch.step(index as u64 + 3, start, start + 10_000);
            }
            for (position, &(operator, kernel, length, in_range)) in works.iter().enumerate() {
                let at = start + 100 + 1_000 * position as i64;
                if in_range {
                    sketch.range("forward", at - 10, at + 20);
                }
                sketch.op(&format!("op{operator}"), &format!("kernel{kernel}"), at, length);
            }
        }
        sketch.profile()
    })
}

/// The changes of a table by the names on both sides.
fn deltas(section: &Section, table: &str, swapped: bool) -> Vec<(String, String, i64)> {
    let Some(table) = section.tables.iter().find(|known| known.id == table) else { return Vec::new() };
    let index = |id: &str| table.columns.iter().position(|column| column.id == id).unwrap();
    let text = |value: &Value| match value {
        Value::Text(text) => text.clone(),
        _ => String::new(),
    };
    let mut rows: Vec<(String, String, i64)> = table
        .rows
        .iter()
        .map(|row| {
            let (name, other) = (text(&row[index("name")]), text(&row[index("new_name")]));
            let other = if other.is_empty() { name.clone() } else { other };
            let Value::Integer(delta) = row[index("delta_ns")] else { panic!("{row:?}") };
            if swapped { (other, name, -delta) } else { (name, other, delta) }
        })
        .collect();
    rows.sort();
    rows
}

fn sum(rows: &[(String, String, i64)]) -> i64 {
    rows.iter().map(|row| row.2).sum()
}

proptest! {
    #[test]
    fn rows_add_up_to_the_totals(base in profiles(), new in profiles()) {
        let section = section(&base, &new);
        for (table, metric) in [("kernels", "kernels_time"), ("operators", "operators_time")] {
            let has = section.tables.iter().filter(|table| table.id == "summary");
            if has.flat_map(|table| &table.rows).any(|row| row[0] == Value::from(metric)) {
                let total = cell(&section, "summary", metric, "delta_ns");
                prop_assert_eq!(Value::Integer(sum(&deltas(&section, table, false))), total);
            }
        }
    }

    #[test]
    fn nothing_differs_from_itself(base in profiles()) {
        for table in section(&base, &base).tables {
            let index = table.columns.iter().position(|column| column.id == "verdict").unwrap();
            for row in &table.rows {
                prop_assert_eq!(&row[index], &Value::from("unchanged"), "{}: {:?}", table.id, row);
            }
        }
    }

    #[test]
    fn the_other_way_round_is_the_opposite(base in profiles(), new in profiles()) {
        let (there, back) = (section(&base, &new), section(&new, &base));
        for table in ["kernels", "operators"] {
            prop_assert_eq!(deltas(&there, table, false), deltas(&back, table, true), "{}", table);
        }
    }
}
