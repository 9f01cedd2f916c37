//! Values by hand.

use eaves_model::SliceKind::Kernel;
use eaves_model::{DistributedInfo, Interval, Ns, ProcessGroup, Run};

use crate::section::{Section, Value};
use crate::test_trace::{
    TestTrace, analyse, column, column_ids, integers, number, run_of, section_of, texts,
};
use crate::{Outcome, Selection};

const ALL_REDUCE: &str = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
const ALL_GATHER: &str = "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)";

fn section(traces: Vec<TestTrace>) -> Section {
    section_of(&run_of(traces), "collectives")
}

fn floats<const N: usize>(values: [f64; N]) -> Vec<Value> {
    values.map(Value::Float).to_vec()
}

#[test]
fn bandwidths_are_those_of_nccl_tests() {
    let mut test = TestTrace::default();
    // 1000 floats in 100 ns and in 300 ns, on 4 ranks: 8000 bytes in 400 ns are 20 GB/s, times 2 * 3/4.
    test.gpu(Kernel, ALL_REDUCE, 0, 100)
        .collective("allreduce", (1000, 1000), "Float", ("0", 4))
        .gpu(Kernel, ALL_REDUCE, 200, 500)
        .collective("allreduce", (1000, 1000), "Float", ("0", 4))
        // What comes out of an all-gather counts: 800 halves in 200 ns are 8 GB/s, times 3/4.
        .gpu(Kernel, ALL_GATHER, 600, 800)
        .collective("_allgather_base", (200, 800), "BFloat16", ("0", 4))
        .gpu(Kernel, "ncclDevKernel_Broadcast_RING_LL", 900, 950)
        .collective("broadcast", (10, 10), "Mystery", ("0", 4));
    let section = section(vec![test]);
    let expected = [
        "kind",
        "runs_on",
        "group",
        "description",
        "group_size",
        "dtype",
        "bytes",
        "calls",
        "total_ns",
        "mean_ns",
        "min_ns",
        "max_ns",
        "exposed_ns",
        "exposed_pct",
        "algorithm_gbps",
        "bus_factor",
        "bus_gbps",
        "transfer_ns",
        "wait_ns",
        "launch_skew_ns",
        "unknown_ns",
        "rule",
    ];
    assert_eq!(column_ids(&section, "by_collective"), expected);
    let of = |id| column(&section, "by_collective", id);
    assert_eq!(of("kind"), texts(["all_reduce", "all_gather", "broadcast"]));
    assert_eq!(of("dtype"), texts(["float32", "bfloat16", "Mystery"]));
    assert_eq!(of("group_size"), integers([4, 4, 4]));
    let unknown = Value::Missing("unknown element size");
    assert_eq!(of("bytes"), [Value::Integer(4000), Value::Integer(1600), unknown.clone()]);
    assert_eq!(of("calls"), integers([2, 1, 1]));
    assert_eq!(of("total_ns"), integers([400, 200, 50]));
    assert_eq!((of("min_ns"), of("max_ns")), (integers([100, 200, 50]), integers([300, 200, 50])));
    assert_eq!(of("mean_ns"), floats([200.0, 200.0, 50.0]));
    assert_eq!(of("algorithm_gbps"), [Value::Float(20.0), Value::Float(8.0), unknown.clone()]);
    assert_eq!(of("bus_factor"), floats([1.5, 0.75, 1.0]));
    assert_eq!(of("bus_gbps"), [Value::Float(30.0), Value::Float(6.0), unknown]);
    assert_eq!(number(&section, "calls", None), Value::Integer(4));
    // One rank alone: no waiting can be told.
    let alone = Value::Missing("needs recordings of two or more ranks");
    assert_eq!(column(&section, "by_rank", "wait_ns")[0], alone);
    assert_eq!(of("transfer_ns"), [alone.clone(), alone.clone(), alone]);
    assert_eq!(of("unknown_ns"), of("total_ns"));
    assert_eq!(of("rule")[0], "needs recordings of two or more ranks".into());
    assert!(!section.tables.iter().any(|table| table.id == "skew"));
}

#[test]
fn an_unknown_group_gives_no_bus_bandwidth() {
    let mut test = TestTrace::default();
    test.annotation("nccl:all_reduce", 0, 50, "[[1000]]", r#"["float"]"#)
        .launch(1, 10, 20)
        .kernel("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*)", 1, 100, 200)
        .on_one_thread();
    let of = |test: &TestTrace, id: &str| {
        let section = section(vec![TestTrace { trace: test.trace.clone() }]);
        column(&section, "by_collective", id)
    };
    assert_eq!(of(&test, "kind"), texts(["all_reduce"]));
    assert_eq!(of(&test, "bytes"), integers([4000]));
    assert_eq!(of(&test, "algorithm_gbps"), floats([40.0]));
    let unknown = Value::Missing("group size not recorded");
    assert_eq!((of(&test, "bus_factor"), of(&test, "bus_gbps")), (vec![unknown.clone()], vec![unknown]));
    // The only group of the job is the group of every call.
    test.trace.metadata.distributed = Some(DistributedInfo {
        groups: vec![ProcessGroup { size: Some(2), ranks: vec![0, 1], ..ProcessGroup::default() }],
        ..DistributedInfo::default()
    });
    assert_eq!(of(&test, "bus_gbps"), floats([40.0]));
}

#[test]
fn exposed_is_what_no_computation_covers() {
    let mut test = TestTrace::default();
    // Two all-reduces side by side, 100..300 and 200..400; compute 150..350.
    test.gpu(Kernel, ALL_REDUCE, 100, 300)
        .collective("allreduce", (100_000, 100_000), "Float", ("0", 2))
        .gpu(Kernel, ALL_REDUCE, 200, 400)
        .collective("allreduce", (100_000, 100_000), "Float", ("0", 2))
        .gpu(Kernel, "gemm", 150, 350);
    let section = section(vec![test]);
    assert_eq!(column(&section, "by_collective", "exposed_ns"), integers([100]));
    assert_eq!(column(&section, "by_collective", "exposed_pct"), floats([100.0 / 3.0]));
    assert_eq!(column(&section, "by_rank", "comm_ns"), integers([300]));
    assert_eq!(column(&section, "by_rank", "exposed_ns"), integers([100]));
    // 100 of 300 ns: worth a warning, and all of it may be gained as nothing says how much is waiting.
    let finding = section.findings.iter().find(|finding| finding.id == "exposed_communication").unwrap();
    assert_eq!(finding.gain.as_ref().map(|gain| (gain.low, gain.high)), Some((Ns(0), Ns(100))));
}

/// Three ranks that come to two all-reduces at different times; the transfers take 40 and 60 ns. The clock of rank 1
/// is wrong by `shift`.
fn three_ranks(shift: i64) -> Run {
    three_ranks_of(1000, shift)
}

fn three_ranks_of(elements: i64, shift: i64) -> Run {
    let rank = |zero: i64, first: i64, second: i64| {
        let mut test = TestTrace::default();
        test.step(1, zero, zero + 500)
            .step(2, zero + 500, zero + 1000)
            .gpu(Kernel, ALL_REDUCE, zero + first, zero + 200)
            .collective("allreduce", (elements, elements), "Float", ("0", 3))
            .gpu(Kernel, "gemm", zero + 200, zero + 600)
            .gpu(Kernel, ALL_REDUCE, zero + second, zero + 800)
            .collective("allreduce", (elements, elements), "Float", ("0", 3));
        test
    };
    run_of(vec![rank(0, 100, 740), rank(shift, 160, 700), rank(0, 130, 720)])
}

#[test]
fn waiting_is_what_a_rank_takes_longer_than_the_last() {
    let section = section_of(&three_ranks(0), "collectives");
    let by_rank = |id| column(&section, "by_rank", id);
    // Durations: 100 and 60, 40 and 100, 70 and 80.
    assert_eq!(by_rank("matched"), integers([2, 2, 2]));
    assert_eq!(by_rank("transfer_ns"), integers([100, 100, 100]));
    assert_eq!(by_rank("wait_ns"), integers([60, 40, 50]));
    assert_eq!(by_rank("wait_pct"), floats([37.5, 4000.0 / 140.0, 5000.0 / 150.0]));
    assert_eq!(number(&section, "wait_ns", Some(2)), Value::Integer(50));
    let skew = |id| column(&section, "skew", id);
    assert_eq!((skew("collectives"), skew("ranks")), (integers([2]), integers([3])));
    assert_eq!(skew("mean_transfer_ns"), floats([50.0]));
    assert_eq!((skew("min_transfer_ns"), skew("max_transfer_ns")), (integers([40]), integers([60])));
    // 8000 bytes in 100 ns, times 2 * 2/3.
    assert_eq!(
        (skew("algorithm_gbps"), skew("bus_gbps")),
        (floats([80.0]), floats([80.0 * (2.0 * 2.0 / 3.0)]))
    );
    // The first came 60 and 40 ns before the last.
    assert_eq!((skew("mean_skew_ns"), skew("max_skew_ns")), (floats([50.0]), integers([60])));
    assert_eq!((skew("mean_start_skew_ns"), skew("max_start_skew_ns")), (floats([50.0]), integers([60])));
    // Rank 1 is last once, rank 0 is last once; the lower number is named.
    assert_eq!((skew("last_rank"), skew("last_count")), (integers([0]), integers([1])));
    assert_eq!(column(&section, "matching", "calls"), integers([6]));
}

#[test]
fn a_wrong_clock_changes_nothing_but_the_start_skew() {
    let (right, wrong) = (three_ranks(0), three_ranks(7_000));
    let strip = |run: &Run| {
        let mut section = section_of(run, "collectives");
        for table in &mut section.tables {
            let kept: Vec<bool> =
                table.columns.iter().map(|column| !column.id.contains("start_skew")).collect();
            for row in &mut table.rows {
                let mut index = 0;
                row.retain(|_| {
                    index += 1;
                    kept[index - 1]
                });
            }
        }
        section
    };
    assert_eq!(strip(&right), strip(&wrong));
    assert_eq!(section_of(&right, "stragglers"), section_of(&wrong, "stragglers"));
    let skewed = section_of(&wrong, "collectives");
    // Rank 1 starts at 7160 by its clock, the first at 100; then at 7700 and 720.
    assert_eq!(column(&skewed, "skew", "max_start_skew_ns"), integers([7060]));
    assert_eq!(column(&skewed, "skew", "mean_start_skew_ns"), floats([(7060.0 + 6980.0) / 2.0]));
}

#[test]
fn zeros_of_time_are_taken_into_account_if_all_ranks_have_one() {
    let mut run = three_ranks(0);
    for (recording, base) in run.recordings.iter_mut().zip([1_000, 1_000, 1_500]) {
        recording.trace.metadata.base_time_ns = Some(base);
    }
    let section = section_of(&run, "collectives");
    assert_eq!(column(&section, "skew", "max_start_skew_ns"), integers([530]));
    run.recordings[2].trace.metadata.base_time_ns = None;
    let section = section_of(&run, "collectives");
    let reason = Value::Missing("the recordings share no time base");
    assert_eq!(column(&section, "skew", "max_start_skew_ns"), [reason]);
    assert_eq!(column(&section, "skew", "max_skew_ns"), integers([60]));
}

#[test]
fn the_gain_of_exposed_communication_leaves_out_the_waiting() {
    let section = section_of(&three_ranks_of(100_000, 0), "collectives");
    let finding = section.findings.iter().find(|finding| finding.id == "exposed_communication").unwrap();
    // Rank 0 has most: 160 ns, all exposed, 100 of it may be transfer, in two steps. Of 840 ns: the last step goes on
    // for 200 ns behind the last kernel, of which as much counts as the longest gap, 140.
    assert!(finding.claim.starts_with("rank 0 is worst: exposed communication takes 19.0%"));
    assert!(finding.claim.ends_with("at least 60 ns is waiting for other ranks"), "{}", finding.claim);
    let gain = finding.gain.as_ref().unwrap();
    assert_eq!((gain.low, gain.high, gain.per_step), (Ns(0), Ns(50), true));
}

#[test]
fn work_of_gloo_counts_on_the_host() {
    let rank = |start: i64| {
        let mut test = TestTrace::default();
        test.annotation("gloo:all_reduce", start, 1000, "[[500]]", r#"["float"]"#).annotation(
            "gloo:barrier",
            1100,
            1110,
            "[]",
            "[]",
        );
        test.trace.metadata.distributed = Some(DistributedInfo {
            groups: vec![ProcessGroup { size: Some(2), ranks: vec![0, 1], ..ProcessGroup::default() }],
            ..DistributedInfo::default()
        });
        test
    };
    let section = section(vec![rank(0), rank(900)]);
    let of = |id| column(&section, "by_collective", id);
    assert_eq!((of("kind"), of("runs_on")), (texts(["all_reduce", "barrier"]), texts(["host", "host"])));
    assert_eq!(of("total_ns"), integers([1100, 20]));
    assert!(matches!(of("exposed_ns")[0], Value::Missing(_)));
    assert_eq!(column(&section, "by_rank", "comm_ns"), integers([1010, 110]));
    // Rank 0 recorded for 1110 ns, rank 1 for 210.
    assert_eq!(column(&section, "by_rank", "comm_pct"), floats([101_000.0 / 1110.0, 11_000.0 / 210.0]));
    assert_eq!(column(&section, "by_rank", "wait_ns"), integers([900, 0]));
    // Both move little, and take nearly all the time of rank 0.
    let finding = section.findings.iter().find(|finding| finding.id == "small_messages").unwrap();
    assert!(
        finding.claim.starts_with("rank 0 is worst: 1 of 1 collectives of known size"),
        "{}",
        finding.claim
    );
}

/// A training step of mixture-of-experts layers as DeepEP records it: exchanges on their own stream, hidden behind
/// computation but for their ends, and inside autograd functions that record the tokens' shape.
#[test]
fn exchanges_of_experts_are_communication() {
    let dispatch = "void dpsk::ep::internode::dispatch<false, 8, true, 8>(int4*, float*, long*, float*)";
    let combine = "void dpsk::ep::internode::combine<(int)4, __nv_bfloat16>(int4*, float*, bool const*)";
    let notify = "void dpsk::ep::internode::notify_dispatch<false, 4>(int const*, int*, int)";
    let layout = "void dpsk::ep::cuda::get_dispatch_layout<256, 32, 8>(long const*, int*, int*)";
    let (dims, types) = ("[[4096, 7168], [4096, 8], [4096, 8]]", r#"["c10::BFloat16", "long int", "float"]"#);
    let mut test = TestTrace::default();
    test.operator("FusedDispatch", 0, 40, dims, types)
        .launch(1, 1, 2)
        .launch(2, 3, 4)
        .launch(3, 5, 6)
        .operator("FusedDispatchBackward", 50, 90, "[[4096, 7168]]", r#"["c10::BFloat16"]"#)
        .launch(4, 51, 52)
        .launch(5, 60, 61)
        .on_one_thread()
        .kernel(layout, 1, 100, 110)
        .kernel(notify, 2, 110, 130)
        .on_stream(27)
        .kernel(dispatch, 3, 130, 500)
        .on_stream(27)
        .kernel(combine, 4, 600, 900)
        .on_stream(27)
        .kernel("gemm", 5, 110, 880);
    let section = section(vec![test]);
    let of = |id| column(&section, "by_collective", id);
    assert_eq!(of("kind"), texts(["all_to_all_dispatch", "all_to_all_combine", "barrier"]));
    assert_eq!(of("total_ns"), integers([370, 300, 20]));
    let bytes = 4096 * 7168 * 2;
    let nothing = Value::Missing("a barrier moves no data");
    assert_eq!(of("bytes")[..2], integers([bytes, bytes]));
    assert!(matches!(of("bytes")[2], Value::Missing(_)));
    assert_eq!(of("dtype")[..2], texts(["bfloat16", "bfloat16"]));
    let shares = Value::Missing("number of ranks per token not recorded");
    assert_eq!(of("bus_factor"), [shares.clone(), shares, nothing]);
    // 690 ns of communication, of which the GEMM hides all but 20 ns at the end: 97.1%.
    assert_eq!(column(&section, "by_rank", "comm_ns"), integers([690]));
    assert_eq!(column(&section, "by_rank", "exposed_ns"), integers([20]));
}

/// Operators of serving engines say how much their kernels move, if both do the same.
#[test]
fn sizes_follow_from_the_operators_around_the_launch() {
    let cases = [
        ("vllm::all_reduce", "[[8, 4096], []]", r#"["c10::BFloat16", ""]"#, Some(65_536)),
        (
            "_C_custom_ar::all_reduce",
            "[[], [8, 64], [8, 64], [], []]",
            r#"["Scalar", "c10::Half", "c10::Half", "Scalar", "Scalar"]"#,
            Some(1024),
        ),
        (
            "symm_mem::one_shot_all_reduce_copy",
            "[[999], [32], [], []]",
            r#"["float", "float", "", ""]"#,
            Some(128),
        ),
        ("c10d::allreduce_", "[[[32]]]", r#"["TensorList"]"#, None),
        ("vllm::all_gather", "[[32]]", r#"["float"]"#, None),
        ("aten::add", "[[32]]", r#"["float"]"#, None),
    ];
    for (operator, dims, types, bytes) in cases {
        let mut test = TestTrace::default();
        test.operator(operator, 0, 40, dims, types).launch(1, 10, 20).on_one_thread().kernel(
            "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*)",
            1,
            100,
            110,
        );
        let section = section(vec![test]);
        assert_eq!(column(&section, "by_collective", "kind"), texts(["all_reduce"]));
        let found = column(&section, "by_collective", "bytes").remove(0);
        assert_eq!(found, bytes.map_or(Value::Missing("bytes not recorded"), Value::Integer), "{operator}");
    }
}

/// Parts of all calls add up to their time, in every table, whatever was matched and whatever was launched when.
#[test]
fn parts_add_up_in_every_table() {
    let rank = |launched: i64, came: i64, has_second: bool| {
        let mut test = TestTrace::default();
        test.launch(1, launched, launched + 1)
            .kernel(ALL_REDUCE, 1, came, 1000)
            .collective("allreduce", (1000, 1000), "Float", ("0", 2))
            .sequence(7)
            .gpu(Kernel, ALL_GATHER, 1100, 1150)
            .collective("_allgather_base", (10, 20), "Float", ("1", 8))
            .sequence(3)
            .gpu(Kernel, "ncclDevKernel_Broadcast_RING_LL", 1200, 1210)
            .collective("broadcast", (10, 10), "Float", ("0", 2))
            .sequence(9);
        if has_second {
            test.gpu(Kernel, ALL_REDUCE, 1300, 1340)
                .collective("allreduce", (1000, 1000), "Float", ("0", 2))
                .sequence(8);
        }
        test
    };
    let run = run_of(vec![rank(90, 100, true), rank(650, 700, false)]);
    let outcomes = crate::report(&run, &crate::Options::default().with_details(true)).unwrap();
    let section =
        outcomes.iter().find(|outcome| outcome.id() == "collectives").and_then(Outcome::section).unwrap();
    let time = |value: &Value| match value {
        Value::Integer(time) => *time,
        Value::Missing(_) => 0,
        other => panic!("{other:?}"),
    };
    for (table, whole) in [("by_collective", "total_ns"), ("by_rank", "comm_ns"), ("calls", "duration_ns")] {
        let whole = column(section, table, whole);
        let parts =
            ["transfer_ns", "wait_ns", "launch_skew_ns", "unknown_ns"].map(|id| column(section, table, id));
        for (row, whole) in whole.iter().enumerate() {
            let sum: i64 = parts.iter().map(|part| time(&part[row])).sum();
            assert_eq!(sum, time(whole), "{table} {row}");
        }
    }
    // 600 ns of the first: launched 560 ns apart.
    assert_eq!(column(section, "by_collective", "kind")[0], "all_reduce".into());
    let first = |id| column(section, "by_collective", id)[0].clone();
    assert_eq!((first("transfer_ns"), first("wait_ns")), (Value::Integer(600), Value::Integer(40)));
    assert_eq!((first("launch_skew_ns"), first("unknown_ns")), (Value::Integer(560), Value::Integer(40)));
    assert_eq!(
        first("rule"),
        "all ranks recorded, matched by sequence number (2); not matched: not recorded on another rank of the group (1)".into()
    );
    // Eight ranks are in the group of the all-gather, and two were recorded.
    let rules = column(section, "by_collective", "rule");
    assert_eq!(rules[1], "ranks missing, matched by sequence number".into());
    assert!(matches!(&rules[2], Value::Text(rule) if rule.starts_with("ignored")));
    assert_eq!(column(section, "calls", "sequence").len(), 7);
}

#[test]
fn clocks_that_cannot_be_right_are_not_compared() {
    let mut run = three_ranks(0);
    run.recordings[1].trace.metadata.base_time_ns = Some(50_000);
    run.recordings[0].trace.metadata.base_time_ns = Some(0);
    run.recordings[2].trace.metadata.base_time_ns = Some(0);
    let section = section_of(&run, "collectives");
    let Value::Missing(reason) = column(&section, "skew", "max_start_skew_ns")[0] else { panic!("no skew") };
    assert!(reason.starts_with("the ranks' clocks disagree"), "{reason}");
    assert_eq!(column(&section, "skew", "max_skew_ns"), integers([60]));
}

#[test]
fn bandwidth_that_varies_is_told_only_of_matched_collectives() {
    let rank = |transfers: [i64; 4], wait: i64| {
        let mut test = TestTrace::default();
        let mut start = 0;
        for transfer in transfers {
            test.gpu(Kernel, ALL_REDUCE, start, start + wait + transfer).collective(
                "allreduce",
                (1 << 20, 1 << 20),
                "Float",
                ("0", 2),
            );
            start += 10_000;
        }
        test
    };
    let ids = |traces: Vec<TestTrace>| -> Vec<&str> {
        section(traces).findings.iter().map(|finding| finding.id).collect()
    };
    let (steady, varying) = ([100, 110, 120, 100], [100, 110, 301, 100]);
    assert!(ids(vec![rank(varying, 5), rank(varying, 0)]).contains(&"slow_collective"));
    // Waiting varies much more than transfers do.
    assert!(!ids(vec![rank(varying, 5)]).contains(&"slow_collective"));
    assert!(!ids(vec![rank(steady, 900), rank(steady, 0)]).contains(&"slow_collective"));
}

#[test]
fn calls_that_a_window_cuts_are_not_compared() {
    let selection = Selection::default().with_time(Interval::new(Ns(0), Ns(750)));
    let Outcome::Section(section) = analyse(&three_ranks(0), "collectives", selection) else {
        panic!("a section")
    };
    // The second all-reduce runs beyond the window on every rank.
    assert_eq!(column(&section, "by_rank", "matched"), integers([1, 1, 1]));
    assert_eq!(column(&section, "by_rank", "calls"), integers([2, 2, 2]));
}

#[test]
fn without_collectives_it_says_what_is_missing() {
    let mut test = TestTrace::default();
    test.gpu(Kernel, "gemm", 0, 10);
    let missing = |test: &TestTrace| {
        let run = run_of(vec![TestTrace { trace: test.trace.clone() }]);
        let Outcome::Skipped(skipped) = analyse(&run, "collectives", Selection::default()) else {
            panic!("no section expected")
        };
        skipped.missing
    };
    assert!(missing(&test).starts_with("communication: no NCCL"));
    test.annotation("hccl:all_reduce", 0, 10, "", "");
    assert_eq!(
        missing(&test),
        "the work of collectives: the host called 1, but what the device did was not recorded"
    );
}
