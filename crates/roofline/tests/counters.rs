//! Counters of real recordings against what the programs are known to have done, by their sizes.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use eaves_roofline::counters::{Convention, Done, done, level};
use eaves_roofline::{Arithmetic, Engine};

fn sample(name: &str) -> Option<PathBuf> {
    eaves_testing::data(&format!("formats/{name}"))
}

type Counters = HashMap<String, f64>;

/// The rows of a wide table of rocprof-compute: kernel name and every number.
fn wide(path: &Path) -> Vec<(String, Counters)> {
    let mut reader = csv::Reader::from_path(path).unwrap();
    let header = reader.headers().unwrap().clone();
    let rows = reader.records().map(|record| {
        let record = record.unwrap();
        let name = header.iter().position(|column| column == "Kernel_Name").unwrap();
        let numbers =
            header.iter().zip(&record).filter_map(|(key, value)| Some((key.to_owned(), value.parse().ok()?)));
        (record[name].to_owned(), numbers.collect())
    });
    rows.collect()
}

fn of(architecture: &str, counters: &Counters) -> Done {
    done(architecture, &|name: &str| counters.get(name).copied())
}

fn near(found: f64, expected: f64, percent: f64) -> bool {
    (found - expected).abs() <= expected * percent / 100.0
}

/// A copy of 1 Mi doubles: that much is read and that much written.
const COPIED: f64 = 8.0 * 1_048_576.0;

#[test]
fn a_copy_on_mi200_moves_what_it_copies() {
    let Some(path) = sample("amd/rocprof_compute/tests_workloads/vcopy/MI200/pmc_perf.csv") else { return };
    let rows = wide(&path);
    assert_eq!(rows.len(), 3);
    // Of the second and third launch a part of what was written was still in the L2 of 8 MiB when they ended.
    let first = of("gfx90a", &rows[0].1);
    assert!(near(first.bytes_at(level::MAIN).unwrap(), 2.0 * COPIED, 0.2), "{first:?}");
    for (name, counters) in &rows {
        assert!(name.starts_with("vecCopy"), "{name}");
        let found = of("gfx90a", counters);
        let written = found.bytes_at(level::MAIN).unwrap() - 64.0 * counters["TCC_EA_RDREQ_sum"];
        assert!(written <= COPIED * 1.002, "{found:?}");
        // Requests of 64 bytes on this architecture, both ways.
        assert!(near(found.bytes_at(level::L2).unwrap(), 2.0 * COPIED, 0.2));
        // Lines that were looked up: twice what was used.
        assert!(near(found.bytes_at(level::L1).unwrap(), 4.0 * COPIED, 0.2));
        assert_eq!(found.bytes_at(level::LOCAL), Some(0.0));
        // All types were counted and none used, so that exists no arithmetic is known.
        assert_eq!((found.flops(), found.integer_operations()), (Some(0.0), Some(0.0)));
        assert_eq!(found.vector_integers, Some(64.0 * counters["SQ_INSTS_VALU_INT32"]));
        assert_eq!(found.missing, []);
        assert!(!found.conventions.contains(&Convention::FabricUpperBound));
        // The counters tell the architecture.
        assert_eq!(of("", counters).bytes, found.bytes);
    }
}

#[test]
fn a_copy_on_mi300x_moves_what_it_copies() {
    let Some(path) = sample("amd/rocprof_compute/tests_workloads/vcopy/MI300X_A1/pmc_perf.csv") else {
        return;
    };
    for (_, counters) in wide(&path) {
        let found = of("gfx942", &counters);
        assert!(near(found.bytes_at(level::MAIN).unwrap(), 2.0 * COPIED, 0.2), "{found:?}");
        // With reads of 64 bytes it would be three quarters of this.
        assert!(near(found.bytes_at(level::L2).unwrap(), 2.0 * COPIED, 0.2), "{found:?}");
        assert!(found.conventions.contains(&Convention::FabricUpperBound));
        assert!(found.conventions.contains(&Convention::WideReads));
        // This version of the profiler did not count FP8.
        let missing: Vec<&str> = found.missing.iter().map(|missing| missing.what).collect();
        assert_eq!(missing, ["fp8 matrix operations"]);
        assert_eq!(found.missing[0].counters, ["SQ_INSTS_VALU_MFMA_MOPS_F8"]);
        assert_eq!(of("", &counters).bytes, found.bytes);
    }
}

/// 128 products of 128x512 by 512x128 in BF16 on an MI300X: the counter said 4 194 304.
#[test]
fn matrix_operations_on_mi300x_are_those_of_the_product() {
    let counters = Counters::from([("SQ_INSTS_VALU_MFMA_MOPS_BF16".to_owned(), 4_194_304.0)]);
    let found = of("gfx942", &counters);
    let bf16 = found.operations.iter().find(|one| one.arithmetic == Arithmetic::Bf16).unwrap();
    assert_eq!((bf16.engine, bf16.count), (Engine::Matrix, 2.0 * 128.0 * 512.0 * 128.0 * 128.0));
    assert_eq!(bf16.count, 2_147_483_648.0);
}

/// What fills a buffer writes 16 MiB and does no arithmetic: 16 384 wave-wide stores of 64 lanes with 16 bytes.
#[test]
fn a_fill_on_mi300x_writes_what_it_fills() {
    let Some(path) = sample("amd/rocprof_compute/bmm1_MI300X_A1_rocm7.1/pmc_perf.first2rows.csv") else {
        return;
    };
    for (_, counters) in wide(&path) {
        let filled = counters["TA_FLAT_WRITE_WAVEFRONTS_sum"] * 64.0 * 16.0;
        let found = of("gfx942", &counters);
        assert_eq!((found.flops(), found.integer_operations()), (Some(0.0), Some(0.0)));
        assert!(near(found.bytes_at(level::L2).unwrap(), filled, 0.2), "{found:?}");
        assert!(near(found.bytes_at(level::MAIN).unwrap(), filled, 0.2), "{found:?}");
        assert_eq!(found.missing, []);
    }
}

/// nvprof prints the total next to its parts, and what the program is: four million options, 5 floats each.
#[test]
fn nvprof_sums_are_its_own() {
    let Some(path) = sample("nvidia/nvprof/metrics128.csv") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let table: String =
        text.lines().filter(|line| line.starts_with('"')).map(|line| format!("{line}\n")).collect();
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let counters: Counters = reader
        .records()
        .map(Result::unwrap)
        .filter_map(|record| Some((record[3].to_owned(), record[7].parse().ok()?)))
        .collect();
    let found = of("", &counters);
    assert_eq!(found.flops(), Some(counters["flop_count_sp"]));
    let mut parts = counters.clone();
    parts.remove("flop_count_sp");
    assert_eq!(of("", &parts).flops(), Some(29_545_593.0 + 110_020_192.0 + 2.0 * 78_000_000.0));
    assert_eq!(found.flops(), Some(295_565_785.0));
    // 3 floats are read and 2 written for each option.
    assert!(near(found.bytes_at(level::MAIN).unwrap(), 4e6 * 5.0 * 4.0, 0.2), "{found:?}");
    assert!(near(found.bytes_at(level::L2).unwrap(), 4e6 * 5.0 * 4.0, 0.2), "{found:?}");
    assert!(found.conventions.contains(&Convention::SpecialsExcluded));
}

/// Nsight Compute on an RTX 5070 (sm_120): y = a*x + y reads twice what it writes.
#[test]
fn nsight_compute_2026_names_main_memory_otherwise() {
    let Some(path) = sample("nvidia/ncu_narrow/GPU-Roofline-Profiler_rtx5070_ncu2026.2/saxpy.csv") else {
        return;
    };
    let text = std::fs::read_to_string(path).unwrap();
    let table: String = text
        .lines()
        .skip_while(|line| !line.contains("\"ID\","))
        .take_while(|line| line.contains('"'))
        .map(|line| format!("{line}\n"))
        .collect();
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(table.as_bytes());
    let header = reader.headers().unwrap().clone();
    let place = |name: &str| header.iter().position(|column| column == name).unwrap();
    let (name, unit, value) = (place("Metric Name"), place("Metric Unit"), place("Metric Value"));
    let mut counters = Counters::new();
    for record in reader.records().map(Result::unwrap).filter(|record| &record[0] == "0") {
        let factor = match &record[unit] {
            "Gbyte" => 1e9,
            "Mbyte" => 1e6,
            "Kbyte" => 1e3,
            _ => 1.0,
        };
        if let Ok(number) = record[value].replace(',', "").parse::<f64>() {
            counters.insert(record[name].to_owned(), factor * number);
        }
    }
    let found = of("sm_120", &counters);
    let read = counters["dram__bytes_op_read.sum"];
    assert_eq!(found.bytes, [(level::MAIN, read + counters["dram__bytes_op_write.sum"])]);
    assert_eq!(found.flops(), None);
    let what: Vec<&str> = found.missing.iter().map(|missing| missing.what).collect();
    assert!(what.contains(&"fp32 vector operations") && !what.contains(&"main memory bytes"), "{what:?}");
}
