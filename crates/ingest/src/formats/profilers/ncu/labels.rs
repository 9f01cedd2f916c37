//! Metrics of the details page, which shows labels: `Duration` is `gpu__time_duration.sum`.
//!
//! Section and unit belong to the label: `Memory Throughput` is a percentage in one section and a rate in another. Pairs
//! of the speed of light, launch statistics and occupancy are those that a report of Nsight Compute 2022.3 lists in its
//! sections (field 17 of a result), except what later versions gave another metric (`SM Frequency`). The others are
//! those of the section files that come with the tool; on a real table of a T4, `Memory Throughput` is 61.84 % of
//! 2 x 4.9636 GHz x 256 bit, and `Executed Instructions` is 160 schedulers times their average.

/// Section, label, base unit, metric.
const LABELS: &[(&str, &str, &str, &str)] = &[
    (
        "Compute Workload Analysis",
        "Executed Ipc Active",
        "inst/cycle",
        "sm__inst_executed.avg.per_cycle_active",
    ),
    (
        "Compute Workload Analysis",
        "Executed Ipc Elapsed",
        "inst/cycle",
        "sm__inst_executed.avg.per_cycle_elapsed",
    ),
    ("Compute Workload Analysis", "Issued Ipc Active", "inst/cycle", "sm__inst_issued.avg.per_cycle_active"),
    (
        "GPU Speed Of Light Throughput",
        "Compute (SM) Throughput",
        "%",
        "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    ),
    ("GPU Speed Of Light Throughput", "DRAM Frequency", "hz", "dram__cycles_elapsed.avg.per_second"),
    (
        "GPU Speed Of Light Throughput",
        "DRAM Throughput",
        "%",
        "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
    ),
    ("GPU Speed Of Light Throughput", "Duration", "ns", "gpu__time_duration.sum"),
    ("GPU Speed Of Light Throughput", "Elapsed Cycles", "cycle", "gpc__cycles_elapsed.max"),
    (
        "GPU Speed Of Light Throughput",
        "L1/TEX Cache Throughput",
        "%",
        "l1tex__throughput.avg.pct_of_peak_sustained_active",
    ),
    (
        "GPU Speed Of Light Throughput",
        "L2 Cache Throughput",
        "%",
        "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    ),
    (
        "GPU Speed Of Light Throughput",
        "Memory Throughput",
        "%",
        "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
    ),
    ("GPU Speed Of Light Throughput", "SM Active Cycles", "cycle", "sm__cycles_active.avg"),
    ("Instruction Statistics", "Executed Instructions", "inst", "smsp__inst_executed.sum"),
    ("Instruction Statistics", "Issued Instructions", "inst", "smsp__inst_issued.sum"),
    ("Launch Statistics", "# SMs", "SM", "launch__sm_count"),
    ("Launch Statistics", "Block Size", "", "launch__block_size"),
    ("Launch Statistics", "Cluster Size", "", "launch__cluster_size"),
    (
        "Launch Statistics",
        "Driver Shared Memory Per Block",
        "byte/block",
        "launch__shared_mem_per_block_driver",
    ),
    (
        "Launch Statistics",
        "Dynamic Shared Memory Per Block",
        "byte/block",
        "launch__shared_mem_per_block_dynamic",
    ),
    ("Launch Statistics", "Grid Size", "", "launch__grid_size"),
    ("Launch Statistics", "Registers Per Thread", "register/thread", "launch__registers_per_thread"),
    ("Launch Statistics", "Shared Memory Configuration Size", "byte", "launch__shared_mem_config_size"),
    (
        "Launch Statistics",
        "Static Shared Memory Per Block",
        "byte/block",
        "launch__shared_mem_per_block_static",
    ),
    ("Launch Statistics", "Threads", "thread", "launch__thread_count"),
    ("Launch Statistics", "Waves Per SM", "", "launch__waves_per_multiprocessor"),
    ("Memory Workload Analysis", "L1/TEX Hit Rate", "%", "l1tex__t_sector_hit_rate.pct"),
    ("Memory Workload Analysis", "L2 Hit Rate", "%", "lts__t_sector_hit_rate.pct"),
    ("Memory Workload Analysis", "Memory Throughput", "byte/s", "dram__bytes.sum.per_second"),
    ("Occupancy", "Achieved Active Warps Per SM", "warp", "sm__warps_active.avg.per_cycle_active"),
    ("Occupancy", "Achieved Occupancy", "%", "sm__warps_active.avg.pct_of_peak_sustained_active"),
    ("Occupancy", "Block Limit Registers", "block", "launch__occupancy_limit_registers"),
    ("Occupancy", "Block Limit SM", "block", "launch__occupancy_limit_blocks"),
    ("Occupancy", "Block Limit Shared Mem", "block", "launch__occupancy_limit_shared_mem"),
    ("Occupancy", "Block Limit Warps", "block", "launch__occupancy_limit_warps"),
    ("Occupancy", "Theoretical Active Warps per SM", "warp", "sm__maximum_warps_avg_per_active_cycle"),
    ("Occupancy", "Theoretical Occupancy", "%", "sm__maximum_warps_per_active_cycle_pct"),
];

/// Units that need not be said, because every value has them by its kind.
const PLAIN: [&str; 5] = ["", "%", "byte", "hz", "ns"];

/// The metric that a row of the narrow form is about: the name that stands there, the one that its label means, or
/// `Section: Label` with the unit where it says something.
pub(super) fn metric(section: &str, name: &str, unit: &str) -> String {
    // A label may stand next to the name (`--print-metric-name label-name`).
    let is_metric = |word: &&str| word.contains("__") && !word.contains(' ');
    let word = name.split([' ', '(', ')']).find(is_metric);
    if let Some(word) = word {
        return word.to_owned();
    }
    let known = LABELS.iter().find(|&&(its_section, label, its_unit, _)| {
        label == name && its_unit == unit && its_section == section
    });
    if let Some((.., metric)) = known {
        return (*metric).to_owned();
    }
    // Metrics of the source page have names of one word: `inst_executed`.
    if section.is_empty() || (!name.contains(' ') && name.contains('_') && name == name.to_ascii_lowercase())
    {
        return name.to_owned();
    }
    if PLAIN.contains(&unit) { format!("{section}: {name}") } else { format!("{section}: {name} [{unit}]") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_listed_once_and_in_order() {
        assert!(LABELS.is_sorted());
        let mut keys: Vec<_> =
            LABELS.iter().map(|&(section, label, unit, _)| (section, label, unit)).collect();
        keys.dedup();
        assert_eq!(keys.len(), LABELS.len());
    }

    #[test]
    fn section_and_unit_belong_to_the_label() {
        let of = metric;
        assert_eq!(
            of("GPU Speed Of Light Throughput", "Memory Throughput", "%"),
            "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"
        );
        assert_eq!(
            of("Memory Workload Analysis", "Memory Throughput", "byte/s"),
            "dram__bytes.sum.per_second"
        );
        assert_eq!(of("PM Sampling", "Maximum Buffer Size", "byte"), "PM Sampling: Maximum Buffer Size");
        assert_eq!(of("Occupancy", "Something", "warp"), "Occupancy: Something [warp]");
        assert_eq!(of("Command line profiler metrics", "dram__bytes.sum", "byte"), "dram__bytes.sum");
        assert_eq!(of("Any", "Duration (gpu__time_duration.sum)", "ns"), "gpu__time_duration.sum");
        assert_eq!(of("Command line profiler metrics", "inst_executed", ""), "inst_executed");
    }
}
