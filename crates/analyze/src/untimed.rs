//! Recordings without durations: their times are unknown, and not zero.

use crate::section::{Section, Unit, Value};

const UNKNOWN: Value = Value::Missing("no durations recorded");

/// Takes the times out of a section, which are made of durations that were not recorded.
pub(crate) fn without_times(section: &mut Section) {
    let is_time = |unit: Unit| unit == Unit::Nanoseconds;
    for number in section.numbers.iter_mut().filter(|number| is_time(number.unit)) {
        number.value = UNKNOWN;
    }
    for table in &mut section.tables {
        let times: Vec<usize> =
            (0..table.columns.len()).filter(|&column| is_time(table.columns[column].unit)).collect();
        for row in &mut table.rows {
            for &column in &times {
                if let Some(cell) = row.get_mut(column) {
                    *cell = UNKNOWN;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use eaves_model::SliceKind::Kernel;
    use eaves_model::Times;

    use crate::section::Value;
    use crate::test_trace::{TestTrace, column, integers, number, run_of, section_of};

    #[test]
    fn what_was_not_recorded_is_not_zero() {
        let mut test = TestTrace::default();
        test.gpu(Kernel, "gemm", 0, 0).gpu(Kernel, "gemm", 0, 0);
        test.trace.metadata.times = Times::NotRecorded;
        let section = section_of(&run_of(vec![test]), "kernels");
        assert_eq!(column(&section, "by_name", "calls"), integers([2]));
        for id in ["total_ns", "mean_ns", "max_ns"] {
            assert!(matches!(column(&section, "by_name", id)[0], Value::Missing(_)), "{id}");
        }
        assert!(matches!(number(&section, "total_ns", None), Value::Missing(_)));
    }
}
