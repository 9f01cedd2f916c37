//! What is in the inputs, before any analysis.

mod contents;
mod recording;

use eaves_model::Run;

use crate::Outcome;

/// The sections behind `eaves info`: what the inputs hold, and what was recorded or not.
pub fn info(run: &Run) -> Vec<Outcome> {
    vec![Outcome::Section(contents::section(run)), Outcome::Section(recording::section(run))]
}

#[cfg(test)]
mod tests {
    use eaves_model::SliceKind::{Kernel, Memcpy};

    use super::*;
    use crate::section::{Section, Value};
    use crate::test_trace::{TestTrace, column, integers, number, run_of, texts};

    fn sections(traces: Vec<TestTrace>) -> Vec<Section> {
        info(&run_of(traces)).iter().filter_map(|outcome| outcome.section().cloned()).collect()
    }

    #[test]
    fn contents_are_counted() {
        let mut test = TestTrace::default();
        test.step(4, 0, 100).step(5, 100, 250).launch(1, 10, 20).kernel("gemm", 1, 30, 40).gpu_on(
            1,
            None,
            Memcpy,
            "Memcpy DtoD (Device -> Device)",
            50,
            60,
        );
        let sections = sections(vec![test]);
        let contents = &sections[0];
        let of = |id| column(contents, "inputs", id);
        assert_eq!([of("slices"), of("gpus"), of("streams"), of("steps")].concat(), integers([5, 2, 2, 2]));
        assert_eq!(of("span_ns"), integers([250]));
        assert_eq!(of("rank_from"), texts(["the file name"]));
        assert_eq!(
            column(contents, "slices_by_kind", "kind"),
            texts(["runtime", "kernel", "memcpy", "annotation"])
        );
        assert_eq!(column(contents, "steps", "last"), integers([5]));
        assert_eq!(number(contents, "inputs", None), Value::Integer(1));
    }

    #[test]
    fn what_is_missing_comes_with_the_option_that_records_it() {
        let mut test = TestTrace::default();
        test.gpu(Kernel, "gemm", 0, 10);
        let sections = sections(vec![test, TestTrace::default()]);
        let what = column(&sections[1], "recorded", "what");
        let present = column(&sections[1], "recorded", "present");
        let note = column(&sections[1], "recorded", "note");
        let row = |name: &str| what.iter().position(|what| *what == Value::from(name)).unwrap();
        assert_eq!(present[row("GPU activity")], Value::from("1 of 2 inputs"));
        assert_eq!(present[row("memory")], Value::from("no"));
        assert_eq!(note[row("memory")], Value::from("allocations over time: `profile_memory=True`"));
    }
}
