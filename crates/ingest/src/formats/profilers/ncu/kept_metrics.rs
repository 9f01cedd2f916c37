//! Which metrics are kept of a large file. A report of thousands of launches has hundreds of metrics for each, most of
//! which no analysis looks at; all of them would need more memory than the file.

/// Files up to this size are kept whole.
pub(super) const SMALL: u64 = 64 << 20;

/// What the names of metrics begin with that some analysis uses: durations and cycles, bytes of every level, operations,
/// throughputs, occupancy, what a launch asked for. In alphabetical order.
const USED: &[&str] = &[
    "derived__sm__sass_thread_inst_executed_op_",
    "derived__smsp__sass_thread_inst_executed_op_",
    "dram__bytes",
    "dram__cycles_elapsed",
    "dram__throughput",
    "fbpa__dram_",
    "gpc__cycles_elapsed",
    "gpu__compute_memory_throughput",
    "gpu__dram_throughput",
    "gpu__time_duration",
    "l1tex__lsu_writeback_active",
    "l1tex__m_xbar2l1tex_read_bytes",
    "l1tex__t_bytes",
    "l1tex__t_sector_hit_rate",
    "l1tex__throughput",
    "launch__cluster_size",
    "launch__occupancy_limit_",
    "launch__registers_per_thread",
    "launch__shared_mem_per_block",
    "launch__waves_per_multiprocessor",
    "lts__t_bytes",
    "lts__t_sector_hit_rate",
    "lts__t_sectors",
    "lts__throughput",
    "sm__cycles_active",
    "sm__cycles_elapsed",
    "sm__inst_executed_pipe_tensor",
    "sm__maximum_warps_",
    "sm__mem_tensor_cycles_active",
    "sm__ops_path_tensor_",
    "sm__pipe_tc_cycles_active",
    "sm__pipe_tensor_",
    "sm__sass_thread_inst_executed_op_",
    "sm__throughput",
    "sm__warps_active",
    "smsp__cycles_elapsed",
    "smsp__inst_executed_pipe_tensor",
    "smsp__sass_thread_inst_executed_op_",
];

/// True if a metric is kept however large the file is. Of the roll-ups over units, those of the slowest and fastest are
/// not, nor percentages of sums, which equal those of averages, nor what was asked for rounded up.
pub(super) fn is_used(metric: &str) -> bool {
    let is_listed = USED.iter().any(|prefix| metric.starts_with(prefix));
    let is_roll_up =
        [".min", ".max.", ".sum.pct_of_peak", "_allocated"].iter().any(|part| metric.contains(part))
            || (metric.ends_with(".max") && metric != "gpc__cycles_elapsed.max");
    is_listed && !is_roll_up
}

#[cfg(test)]
mod tests {
    use super::super::facts::{Meaning, meaning};
    use super::*;

    #[test]
    fn prefixes_are_in_order_and_none_covers_another() {
        assert!(USED.is_sorted());
        for pair in USED.windows(2) {
            assert!(!pair[1].starts_with(pair[0]), "{pair:?}");
        }
    }

    /// What launches are made of is found in their counters.
    #[test]
    fn what_says_something_of_the_launch_itself_is_kept() {
        for metric in [
            "gpu__time_duration.sum",
            "sm__cycles_elapsed.avg",
            "sm__cycles_elapsed.avg.per_second",
            "smsp__cycles_elapsed.avg",
            "smsp__cycles_elapsed.avg.per_second",
            "gpc__cycles_elapsed.max",
            "gpc__cycles_elapsed.avg.per_second",
            "launch__registers_per_thread",
            "launch__shared_mem_per_block",
            "launch__shared_mem_per_block_driver",
            "launch__shared_mem_per_block_dynamic",
            "launch__shared_mem_per_block_static",
            "sm__maximum_warps_per_active_cycle_pct",
        ] {
            assert_ne!(meaning(metric), Meaning::Nothing, "{metric}");
            assert!(is_used(metric), "{metric}");
        }
    }

    #[test]
    fn what_a_roofline_needs_is_kept() {
        for metric in [
            "gpu__time_duration.sum",
            "dram__bytes.sum",
            "dram__bytes_op_read.sum",
            "dram__bytes.sum.peak_sustained",
            "lts__t_bytes.sum",
            "l1tex__t_bytes.sum",
            "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
            "sm__ops_path_tensor_src_bf16_dst_fp32.sum",
            "sm__inst_executed_pipe_tensor.sum",
            "sm__cycles_elapsed.avg.per_second",
            "gpc__cycles_elapsed.max",
            "sm__throughput.avg.pct_of_peak_sustained_elapsed",
        ] {
            assert!(is_used(metric), "{metric}");
        }
        for metric in [
            "nvlink__bandwidth",
            "sm__pipe_tensor_cycles_active.max.pct_of_peak_sustained_active",
            "sm__pipe_tensor_cycles_active.sum.pct_of_peak_sustained_active",
            "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active",
        ] {
            assert!(!is_used(metric), "{metric}");
        }
    }
}
