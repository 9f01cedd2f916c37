//! Formulas by hand, where there is no recording to check them on.

use super::*;

fn of(architecture: &str, counters: &[(&str, f64)]) -> Done {
    done(architecture, &|name: &str| counters.iter().find(|(key, _)| *key == name).map(|&(_, value)| value))
}

fn count(done: &Done, arithmetic: Arithmetic, engine: Engine) -> Option<f64> {
    let mut found = done.operations.iter().filter(|one| one.arithmetic == arithmetic && one.engine == engine);
    found.next().map(|one| one.count)
}

fn thread(operation: &str) -> String {
    format!("smsp__sass_thread_inst_executed_op_{operation}_pred_on.sum")
}

#[test]
fn pairs_count_for_both_numbers() {
    let names = ["hadd", "hmul", "hfma", "fadd", "fmul", "ffma", "fadd2", "fmul2", "ffma2"].map(thread);
    let values = [1.0, 10.0, 100.0, 1.0, 10.0, 100.0, 1000.0, 1e4, 1e5];
    let counters: Vec<(&str, f64)> = names.iter().map(String::as_str).zip(values).collect();
    let blackwell = of("sm_100", &counters);
    assert_eq!(count(&blackwell, Arithmetic::Fp16, Engine::Vector), Some(2.0 + 20.0 + 400.0));
    assert_eq!(
        count(&blackwell, Arithmetic::Fp32, Engine::Vector),
        Some(1.0 + 10.0 + 200.0 + 2000.0 + 2e4 + 4e5)
    );
    assert!(blackwell.conventions.contains(&Convention::HalfPairs));
    assert!(blackwell.conventions.contains(&Convention::SinglePairs));
    // Without the metrics of pairs the sum is a lower bound there, and whole on Hopper.
    let without = of("sm_121", &counters[..6]);
    assert_eq!(count(&without, Arithmetic::Fp32, Engine::Vector), Some(211.0));
    assert!(without.conventions.contains(&Convention::SinglePairsUncounted));
    assert!(!of("sm_90a", &counters[..6]).conventions.contains(&Convention::SinglePairsUncounted));
}

#[test]
fn a_type_with_a_missing_counter_is_unknown() {
    let names = ["dadd", "dmul"].map(thread);
    let counters: Vec<(&str, f64)> = names.iter().map(|name| (name.as_str(), 5.0)).collect();
    let found = of("sm_80", &counters);
    assert_eq!(found.operations, []);
    let missing = found.missing.iter().find(|missing| missing.what == "fp64 vector operations").unwrap();
    assert_eq!(missing.how, "`ncu --metrics smsp__sass_thread_inst_executed_op_dfma_pred_on.sum`");
}

/// The roofline sections record rates: per cycle, with cycles per second.
#[test]
fn rates_and_the_time_give_amounts() {
    let names = ["fadd", "fmul", "ffma"].map(|name| thread(name) + ".per_cycle_elapsed");
    let mut counters: Vec<(&str, f64)> = names.iter().map(|name| (name.as_str(), 2.0)).collect();
    counters.extend([
        ("smsp__cycles_elapsed.avg.per_second", 1e9),
        ("gpu__time_duration.sum", 1e6),
        ("dram__bytes.sum.per_second", 5e11),
    ]);
    let found = of("sm_86", &counters);
    // 8 operations a cycle, 1e9 cycles a second, a thousandth of a second.
    assert_eq!(count(&found, Arithmetic::Fp32, Engine::Vector), Some(8e6));
    assert_eq!(found.bytes_at(level::MAIN), Some(5e8));
    assert!(found.conventions.contains(&Convention::FromRates));
}

#[test]
fn a_tensor_path_counts_once() {
    let both = [
        ("sm__ops_path_tensor_src_fp16.sum", 100.0),
        ("sm__ops_path_tensor_src_fp16_dst_fp32.sum", 60.0),
        ("sm__ops_path_tensor_src_fp16_dst_fp16.sum", 40.0),
        ("sm__ops_path_tensor_src_fp16_dst_fp16_sparsity_off.sum", 40.0),
        ("sm__ops_path_tensor_src_bf16_dst_fp32_sparsity_off.sum", 7.0),
        ("sm__ops_path_tensor_src_bf16_dst_fp32_sparsity_on.sum", 1.0),
        ("sm__ops_path_tensor_op_hmma_src_tf32_dst_fp32_sparsity_off.sum", 3.0),
        ("sm__ops_path_tensor_op_hgmma_src_tf32_dst_fp32.sum", 5.0),
        ("sm__ops_path_tensor_src_int8.sum", 9.0),
        ("sm__inst_executed_pipe_tensor.sum", 1e6),
    ];
    let found = of("sm_90", &both);
    let matrix = |arithmetic| count(&found, arithmetic, Engine::Matrix);
    assert_eq!(matrix(Arithmetic::Fp16), Some(100.0));
    assert_eq!(matrix(Arithmetic::Bf16), Some(8.0));
    assert_eq!(matrix(Arithmetic::Tf32), Some(8.0));
    assert_eq!((found.flops(), found.integer_operations()), (Some(116.0), Some(9.0)));
    assert_eq!(count(&of("sm_90", &both[1..]), Arithmetic::Fp16, Engine::Matrix), Some(100.0));
    let shared = of("sm_120", &[("sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp32.sum", 4.0)]);
    assert_eq!(count(&shared, Arithmetic::Fp8, Engine::Matrix), Some(4.0));
    assert!(shared.conventions.contains(&Convention::NarrowPathShared));
}

#[test]
fn tensor_instructions_stand_in_where_their_size_is_known() {
    let counters = [("sm__inst_executed_pipe_tensor.sum", 3.0)];
    let volta = of("sm_70", &counters);
    assert_eq!(count(&volta, Arithmetic::Fp16, Engine::Matrix), Some(1536.0));
    assert!(volta.conventions.contains(&Convention::TensorInstructions));
    assert_eq!(count(&of("sm_80", &counters), Arithmetic::Fp16, Engine::Matrix), Some(6144.0));
    let hopper = of("sm_90", &counters);
    assert_eq!(hopper.operations, []);
    assert!(
        hopper.missing.iter().any(|missing| missing.counters == ["regex:^sm__ops_path_tensor_src_.*sum$"])
    );
}

#[test]
fn devices_without_counters_of_main_memory_have_points_of_the_cache() {
    let found = of("sm_110", &[("lts__t_bytes.sum", 64.0)]);
    assert_eq!(found.bytes, [(level::L2, 64.0)]);
    assert!(found.conventions.contains(&Convention::NoMainMemoryCounters));
    let rates = of(
        "sm_70",
        &[("l1tex__lsu_writeback_active.sum", 2.0), ("l1tex__m_xbar2l1tex_read_bytes.sum", 96.0)],
    );
    assert_eq!(rates.bytes, [(level::L2, 96.0), (level::L1, 256.0)]);
    // Turing has the metric of local and global memory, and the other means something else.
    assert_eq!(of("sm_75", &[("l1tex__lsu_writeback_active.sum", 2.0)]).bytes, []);
}

/// gfx950 has no counter of 128-byte reads under the old name: `TCC_BUBBLE` is 0 there.
#[test]
fn reads_of_gfx950_are_counted_by_size() {
    let counters = [
        ("TCC_BUBBLE_sum", 0.0),
        ("TCC_EA0_RDREQ_sum", 111.0),
        ("TCC_EA0_RDREQ_32B_sum", 1.0),
        ("TCC_EA0_WRREQ_sum", 3.0),
        ("TCC_EA0_WRREQ_64B_sum", 2.0),
        ("FETCH_SIZE", 1.0),
        ("WRITE_SIZE", 1.0),
        ("TCC_EA0_RDREQ_64B_sum", 10.0),
        ("TCC_EA0_RDREQ_128B_sum", 100.0),
    ];
    let found = of("gfx950", &counters);
    assert_eq!(found.bytes_at(level::MAIN), Some(12_800.0 + 640.0 + 32.0 + 128.0 + 32.0));
    let without = of("gfx950", &counters[..7]);
    assert_eq!(without.bytes_at(level::MAIN), None);
    let missing = without.missing.iter().find(|missing| missing.what == "main memory bytes").unwrap();
    assert_eq!(
        missing.how,
        "`pmc: TCC_EA0_RDREQ_128B_sum TCC_EA0_RDREQ_64B_sum` in the file of `rocprofv3 -i` (or `rocprof -i`)"
    );
}

#[test]
fn sums_from_different_runs_do_not_go_below_zero() {
    let counters = [
        ("TCC_BUBBLE_sum", 10.0),
        ("TCC_EA0_RDREQ_sum", 9.0),
        ("TCC_EA0_RDREQ_32B_sum", 0.0),
        ("TCC_EA0_WRREQ_sum", 1.0),
        ("TCC_EA0_WRREQ_64B_sum", 2.0),
        ("SQ_LDS_IDX_ACTIVE", 1.0),
        ("SQ_LDS_BANK_CONFLICT", 3.0),
    ];
    let found = of("gfx942", &counters);
    assert_eq!(found.bytes_at(level::MAIN), Some(1280.0 + 128.0));
    assert_eq!(found.bytes_at(level::LOCAL), Some(0.0));
}

#[test]
fn the_profilers_own_sums_are_kilobytes_and_totals_are_no_flops() {
    let found = of("gfx90a", &[("FETCH_SIZE", 2.0), ("WRITE_SIZE", 1.0), ("TOTAL_32_OPS", 1e9)]);
    assert_eq!((found.bytes_at(level::MAIN), found.flops()), (Some(3072.0), None));
    assert!(found.conventions.contains(&Convention::ProfilersKilobytes));
}

#[test]
fn names_without_the_suffix_are_sums_too() {
    let found = of("gfx90a", &[("TCP_TOTAL_CACHE_ACCESSES", 2.0)]);
    assert_eq!(found.bytes_at(level::L1), Some(128.0));
}

#[test]
fn a_run_has_room_for_so_many_counters_of_a_block() {
    let sq: Vec<String> = (0..9).map(|number| format!("SQ_{number}")).collect();
    let lines = amd::lines(&[sq, vec!["TCC_HIT_sum".into()]].concat());
    assert_eq!(lines, ["pmc: SQ_0 SQ_1 SQ_2 SQ_3 SQ_4 SQ_5 SQ_6 SQ_7 TCC_HIT_sum", "pmc: SQ_8"]);
}

#[test]
fn counters_tell_the_vendor_when_the_architecture_does_not() {
    let amd = done("", &|name: &str| (name == "SQ_INSTS_VALU_MFMA_MOPS_F16").then_some(2.0));
    assert_eq!((amd.flops(), amd.integer_operations()), (Some(1024.0), None));
    let nvidia = done("", &|name: &str| (name == "dram__bytes.sum").then_some(7.0));
    assert_eq!(nvidia.bytes, [(level::MAIN, 7.0)]);
    let legacy = done("sm_60", &|name: &str| (name == "flop_count_dp").then_some(3.0));
    assert_eq!(legacy.flops(), Some(3.0));
    assert!(done("", &|_: &str| None).is_empty());
}

#[test]
fn values_that_are_no_amounts_are_unknown() {
    for value in [f64::NAN, f64::INFINITY, -1.0] {
        assert!(done("sm_90", &|_: &str| Some(value)).is_empty());
        assert!(done("gfx942", &|_: &str| Some(value)).is_empty());
    }
}
