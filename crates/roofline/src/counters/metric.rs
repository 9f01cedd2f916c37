//! What a metric is, by its name: whether values of several launches add up, and what they count.

/// True if the values of several launches add up to a total. Of averages, extremes, shares and rates only the mean
/// means something, weighed by how long each launch took.
pub fn adds_up(name: &str) -> bool {
    if let Some((_, suffix)) = name.split_once('.') {
        return suffix == "sum";
    }
    // Metrics of Nsight Compute without a suffix describe the launch or the device.
    if name.contains("__") || name.contains(' ') {
        return false;
    }
    if matches!(name, "FETCH_SIZE" | "WRITE_SIZE" | "Wavefronts") {
        return true;
    }
    // Blocks of AMD's hardware: counters of theirs are events. `TCC_HIT[0]` is one instance.
    const BLOCKS: [&str; 12] =
        ["CPC", "CPF", "GRBM", "SPI", "SQ", "SQC", "TA", "TCA", "TCC", "TCP", "TD", "TOTAL"];
    if let Some((block, rest)) = name.split_once('_')
        && BLOCKS.contains(&block)
    {
        return !["_avr", "_avg", "_max", "_min"].iter().any(|suffix| rest.ends_with(suffix));
    }
    // nvprof.
    name.starts_with("flop_count_")
        || name.ends_with("_transactions")
        || name.ends_with("_bytes")
        || matches!(name, "inst_executed" | "inst_issued" | "issue_slots")
        || (name.starts_with("inst_")
            && name.chars().all(|letter| letter.is_ascii_lowercase() || "_1364x2".contains(letter))
            && !name.contains("per_warp")
            && !name.contains("overhead"))
}

/// Unit of a metric, if its name says so. Values are in base units.
pub fn unit(name: &str) -> Option<&str> {
    // Labels of sections of Nsight Compute that have no metric behind them carry their unit.
    if let Some((_, unit)) = name.strip_suffix(']').and_then(|name| name.rsplit_once(" [")) {
        return Some(unit);
    }
    let (base, suffix) = name.split_once('.').unwrap_or((name, ""));
    if suffix.contains("pct")
        || base.ends_with("_pct")
        || base.ends_with("_efficiency")
        || base.ends_with("_utilization_pct")
    {
        return Some("%");
    }
    if base.ends_with("_throughput") && suffix.is_empty() && !base.contains("__") {
        return Some("byte/s");
    }
    let counted = if base.contains("bytes") {
        "byte"
    } else if base.contains("time_duration") {
        "ns"
    } else if base.contains("cycles") || base.starts_with("GRBM_COUNT") || base.contains("CYCLES") {
        "cycle"
    } else if base.contains("sectors") {
        "sector"
    } else if base.contains("requests") || base.ends_with("_REQ_sum") || base.ends_with("REQ") {
        "request"
    } else if base.contains("transactions") {
        "transaction"
    } else if base.starts_with("flop_count") || base.contains("ops_path_tensor") {
        "op"
    } else if base.contains("inst_executed") || base.contains("inst_issued") || base.starts_with("SQ_INSTS") {
        "inst"
    } else if matches!(base, "FETCH_SIZE" | "WRITE_SIZE") {
        "KiB"
    } else if matches!(base, "SQ_WAVES" | "Wavefronts") {
        "wave"
    } else {
        return None;
    };
    Some(match (counted, suffix) {
        (_, suffix) if suffix.ends_with("ratio") => return None,
        ("byte", suffix) if suffix.ends_with("per_second") => "byte/s",
        ("cycle", suffix) if suffix.ends_with("per_second") => "hz",
        ("inst", suffix) if suffix.contains("per_cycle") => "inst/cycle",
        (_, suffix) if suffix.contains("per_") || suffix.contains("peak") => return None,
        (counted, _) => counted,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_add_up_and_shares_do_not() {
        for name in [
            "dram__bytes.sum",
            "SQ_WAVES",
            "TCC_HIT_sum",
            "TCC_HIT[12]",
            "FETCH_SIZE",
            "flop_count_sp",
            "gld_transactions",
            "inst_fp_32",
        ] {
            assert!(adds_up(name), "{name}");
        }
        for name in [
            "dram__bytes.sum.per_second",
            "sm__throughput.avg.pct_of_peak_sustained_elapsed",
            "launch__registers_per_thread",
            "TA_BUSY_avr",
            "MfmaUtil",
            "GPUBusy",
            "inst_per_warp",
            "inst_replay_overhead",
            "achieved_occupancy",
            "Memory Throughput",
        ] {
            assert!(!adds_up(name), "{name}");
        }
    }

    #[test]
    fn units_follow_from_names_or_are_unknown() {
        for (name, expected) in [
            ("dram__bytes.sum", Some("byte")),
            ("dram__bytes.sum.per_second", Some("byte/s")),
            ("gpu__time_duration.sum", Some("ns")),
            ("sm__cycles_elapsed.avg.per_second", Some("hz")),
            ("sm__throughput.avg.pct_of_peak_sustained_elapsed", Some("%")),
            ("smsp__inst_executed.avg.per_cycle_active", Some("inst/cycle")),
            ("smsp__thread_inst_executed_per_inst_executed.ratio", None),
            ("FETCH_SIZE", Some("KiB")),
            ("SQ_WAVES", Some("wave")),
            ("dram_read_transactions", Some("transaction")),
            ("launch__waves_per_multiprocessor", None),
            ("Occupancy: Block Limit Barriers [block]", Some("block")),
        ] {
            assert_eq!(unit(name), expected, "{name}");
        }
    }
}
