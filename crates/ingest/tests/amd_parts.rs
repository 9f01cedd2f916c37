//! Several files of one run, written by hand, and what AMD's profilers wrote in other years.

use std::path::Path;

use eaves_ingest::{Options, open_with, read_bytes};
use eaves_model::{Extent, Recording, SliceId, SliceKind, Times, Trace, WarningKind};

/// Recordings of a directory with these files.
fn directory(files: &[(&str, &str)]) -> Vec<Recording> {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).unwrap();
        std::fs::write(path, content).unwrap();
    }
    open_with(&[folder.path().to_owned()], &Options::default(), None, |_| ()).unwrap().run.recordings
}

fn only(recordings: Vec<Recording>) -> Trace {
    assert_eq!(recordings.len(), 1, "{:?}", recordings.iter().map(|one| &one.path).collect::<Vec<_>>());
    recordings.into_iter().next().unwrap().trace
}

fn file(name: &str, content: &str) -> Trace {
    read_bytes(name, content.as_bytes()).unwrap().trace
}

/// Kernels with start, duration and counters, in order of the table.
fn shown(trace: &Trace) -> Vec<String> {
    let kernels = (0..trace.slices.len()).filter(|&row| trace.slices.kind[row] == SliceKind::Kernel);
    kernels
        .map(|row| {
            let slice = SliceId::from(row);
            let mut counters: Vec<String> = (0..trace.range_counters.len())
                .map(|at| trace.range_counters.row(at))
                .filter(|counter| counter.slice == slice)
                .map(|counter| {
                    format!("{}={}", trace.strings.get(counter.metric), counter.value.get().unwrap())
                })
                .collect();
            counters.sort();
            let (start, duration) = (trace.slices.start[row].0, trace.slices.duration[row].0);
            format!("{} {start}+{duration} {}", trace.slice_name(slice), counters.join(" "))
                .trim_end()
                .to_owned()
        })
        .collect()
}

const KERNELS: &str = r#""Kind","Agent_Id","Queue_Id","Stream_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name","Correlation_Id","Start_Timestamp","End_Timestamp","LDS_Block_Size","Scratch_Size","VGPR_Count","Accum_VGPR_Count","SGPR_Count","Workgroup_Size_X","Workgroup_Size_Y","Workgroup_Size_Z","Grid_Size_X","Grid_Size_Y","Grid_Size_Z"
"KERNEL_DISPATCH","Agent 4",1,3,77,1,10,"f(int, "x", 2)",11,1000100,1000150,512,0,8,4,16,64,2,1,100,4,1
"KERNEL_DISPATCH","Agent 4",1,3,77,2,10,"f(int, "x", 2)",12,1000200,1000270,512,0,8,4,16,64,2,1,100,4,1
"KERNEL_DISPATCH","Agent 4",1,3,77,3,11,"g",13,1000300,1000310,0,0,8,0,16,64,1,1,64,1,1
"#;

const CALLS: &str = r#""Domain","Function","Process_Id","Thread_Id","Correlation_Id","Start_Timestamp","End_Timestamp"
"HIP_RUNTIME_API_EXT","hipLaunchKernel",7,77,11,1000000,1000090
"HIP_RUNTIME_API_EXT","hipDeviceSynchronize",7,77,14,1000280,1000400
"#;

const COUNTERS: &str = "Correlation_Id,Dispatch_Id,Agent_Id,Queue_Id,Process_Id,Thread_Id,Grid_Size,Kernel_Id,Kernel_Name,Workgroup_Size,LDS_Block_Size,Scratch_Size,VGPR_Count,Accum_VGPR_Count,SGPR_Count,Counter_Name,Counter_Value,Start_Timestamp,End_Timestamp\n";

/// A dispatch of a pass.
fn counted(number: u32, kernel: &str, grid: u32, counter: &str, value: f64, start: i64, end: i64) -> String {
    format!(
        "{number},{number},\"Agent 4\",1,9,9,{grid},1,\"{kernel}\",64,0,0,8,4,16,\"{counter}\",{value:.6},{start},{end}\n"
    )
}

#[test]
fn kernels_calls_and_passes_are_one_recording() {
    let f = r#"f(int, "x", 2)"#;
    // Passes are other runs, a day later, in which the processes have other numbers.
    let later = 86_400_000_000_000;
    let first = [
        counted(1, f, 400, "SQ_WAVES", 8.0, later + 10, later + 90),
        counted(2, f, 400, "SQ_WAVES", 9.0, later + 100, later + 190),
        counted(3, "g", 64, "SQ_WAVES", 1.0, later + 300, later + 390),
    ];
    let second = [
        counted(1, f, 400, "SQ_WAVES", 8.0, later + 5000, later + 5090),
        counted(1, f, 400, "GRBM_COUNT", 70.0, later + 5000, later + 5090),
        counted(2, f, 400, "SQ_WAVES", 9.5, later + 5100, later + 5190),
        counted(3, "h", 64, "SQ_WAVES", 2.0, later + 5300, later + 5390),
    ];
    let trace = only(directory(&[
        ("7_kernel_trace.csv", KERNELS),
        ("7_hip_api_trace.csv", CALLS),
        ("pmc_1/7_counter_collection.csv", &format!("{COUNTERS}{}", first.concat())),
        ("pmc_2/7_counter_collection.csv", &format!("{COUNTERS}{}", second.concat())),
    ]));
    // `h` ran in the second pass alone: 300 ns after the first kernel of that pass, which is `f` at 100.
    assert_eq!(
        shown(&trace),
        [
            r#"f(int, "x", 2) 100+50 GRBM_COUNT=70 SQ_WAVES=8"#,
            r#"f(int, "x", 2) 200+70 SQ_WAVES=9"#,
            "g 300+10 SQ_WAVES=1",
            "h 400+90 SQ_WAVES=2",
        ]
    );
    assert_eq!(trace.metadata.base_time_ns, Some(1_000_000));
    assert_eq!(trace.gpu.grid[0], Extent([2, 2, 1]));
    assert_eq!((trace.gpu.registers[0].get(), trace.gpu.stream[0].get()), (Some(12), Some(3)));
    assert_eq!(trace.diagnostics.count(WarningKind::PassesDiffer), 1);
    assert!(trace.diagnostics.warnings().iter().all(|warning| warning.kind.is_harmless()));
    let clock = trace.metadata.clock.unwrap();
    assert!(clock.contains("those of `7_kernel_trace.csv`"), "{clock}");
    assert!(clock.contains("2 files are from other runs"), "{clock}");
    assert_eq!(trace.runtime.len(), 2);
}

#[test]
fn passes_without_a_trace_make_the_kernels() {
    // Without a name, files go by the process, which is another in each pass.
    let pass = |start: i64, counter: &str| {
        let rows = [
            counted(1, "f", 400, counter, 8.0, start, start + 60),
            counted(2, "f", 128, counter, 4.0, start + 100, start + 120),
        ];
        format!("{COUNTERS}{}", rows.concat())
    };
    let trace = only(directory(&[
        ("d/pmc_1/host/101_counter_collection.csv", &pass(5_000, "A")),
        ("d/pmc_2/host/202_counter_collection.csv", &pass(9_000, "B")),
    ]));
    assert_eq!(shown(&trace), ["f 0+60 A=8 B=8", "f 100+20 A=4 B=4"]);
    assert_eq!(trace.dispatches.total_work_items[0].get(), Some(400));
    // 400 / 64 = 6.25: the last of 7 groups is not full.
    assert_eq!((trace.gpu.grid[0], trace.gpu.grid[1]), (Extent([7, 1, 1]), Extent([2, 1, 1])));
}

#[test]
fn processes_of_one_run_stay_apart() {
    let recordings = directory(&[("1_kernel_trace.csv", KERNELS), ("2_kernel_trace.csv", KERNELS)]);
    assert_eq!(recordings.len(), 2);
}

#[test]
fn a_file_of_another_clock_without_kernels_begins_with_the_others() {
    let calls = CALLS.replace(",1000", ",900000000001000");
    let trace = only(directory(&[("1_kernel_trace.csv", KERNELS), ("1_hip_api_trace.csv", &calls)]));
    assert_eq!(trace.extent().map(|extent| extent.end.0), Some(400));
    assert!(trace.metadata.clock.unwrap().contains("aligned by their start"));
}

#[test]
fn a_kernel_in_two_files_appears_once() {
    let same_run = [
        counted(1, "f", 400, "A", 1.0, 1_000_100, 1_000_150),
        counted(2, "f", 400, "A", 2.0, 1_000_200, 1_000_270),
        counted(3, "g", 64, "A", 3.0, 1_000_300, 1_000_310),
    ];
    let table = KERNELS.replace(r#"f(int, "x", 2)"#, "f");
    let counters = format!("{COUNTERS}{}", same_run.concat());
    let trace = only(directory(&[("1_kernel_trace.csv", &table), ("1_counter_collection.csv", &counters)]));
    assert_eq!(shown(&trace), ["f 0+50 A=1", "f 100+70 A=2", "g 200+10 A=3"]);
    let clock = trace.metadata.clock.unwrap();
    assert!(!clock.contains("other runs"), "{clock}");
}

#[test]
fn raw_files_of_rocprof_are_one_recording() {
    let trace = only(directory(&[
        (
            "results.txt",
            "ROCProfiler: input from \"input.xml\"\n\
             dispatch[0], gpu-id(4), queue-id(0), queue-index(0), pid(7), tid(7), grd(2048), wgr(64), lds(512), scr(0), \
             arch_vgpr(8), accum_vgpr(4), sgpr(16), wave_size(64), sig(0x0), obj(0x7f01), kernel-name(\"add(int, float) \
             [clone .kd]\"), time(90,100,160,170)\n  SQ_WAVES (32)\n  TCC_HIT[0] (5.5)\n",
        ),
        (
            "hip_api_trace.txt",
            "10:80 7:8 hipLaunchKernel(kernel=add(int, float), function_address=0x2, numBlocks={z=1, y=4, x=8}, dimBlocks={z=1, y=2, x=32}, args=0x7, sharedMemBytes=16, stream=2) :5\n200:300 7:8 hipMemcpy(dst=0x1, src=0x2, sizeBytes=4096, kind=2) :6\n",
        ),
        ("hcc_ops_trace.txt", "100:160 4:0 add(int, float):5:7\n210:290 4:0 CopyDeviceToHost:6:7\n"),
        ("roctx_trace.txt", "5 7:8 1:0:\"step: one\"\n20 7:8 0:0:\"here\"\n310 7:8 2:0:\"\"\n"),
    ]));
    assert_eq!(shown(&trace), ["add(int, float) 95+60 SQ_WAVES=32 TCC_HIT[0]=5.5"]);
    let row = trace
        .gpu
        .slice
        .iter()
        .position(|slice| trace.slices.kind[slice.index()] == SliceKind::Kernel)
        .unwrap();
    // By axis of the arguments of the launch, where the line of the dispatch has the total of 2048 alone.
    assert_eq!((trace.gpu.grid[row], trace.gpu.block[row]), (Extent([8, 4, 1]), Extent([32, 2, 1])));
    assert_eq!((trace.gpu.stream[row].get(), trace.gpu.correlation[row].get()), (Some(2), Some(5)));
    assert_eq!(trace.gpu.registers[row].get(), Some(12));
    let copy = trace.gpu.detail.iter().position(|detail| !trace.strings.get(*detail).is_empty()).unwrap();
    assert_eq!(
        (trace.strings.get(trace.gpu.detail[copy]), trace.gpu.bytes[copy].get()),
        ("Memcpy DtoH (Device -> Host)", Some(4096))
    );
    let marks: Vec<(&str, i64, i64)> = (0..trace.slices.len())
        .filter(|&row| trace.slices.kind[row] == SliceKind::Annotation)
        .map(|row| {
            (trace.slice_name(SliceId::from(row)), trace.slices.start[row].0, trace.slices.duration[row].0)
        })
        .collect();
    assert_eq!(marks, [("here", 15, 0), ("step: one", 0, 305)]);
    assert_eq!(trace.diagnostics.warnings(), []);
}

#[test]
fn tables_of_older_rocprof() {
    // 2019, without process and object, and with counters whose names are nobody's.
    let old = "Index,KernelName,gpu-id,queue-id,queue-index,tid,grd,wgr,lds,scr,vgpr,sgpr,fbar,sig,MyMetric,SQ_X[3]\n\
               0,\"k(int) [clone .kd]\",0,0,0,5,512,64,0,0,24,16,0,0x0,1.5,None\n";
    let trace = file("old.csv", old);
    assert_eq!(shown(&trace), ["k(int) 0+0 MyMetric=1.5"]);
    assert_eq!((trace.gpu.registers[0].get(), trace.gpu.grid[0]), (Some(24), Extent([8, 1, 1])));
    assert_eq!((trace.metadata.times, trace.metadata.base_time_ns), (Times::NotRecorded, None));
    // ROCm 4, with what the tool says of itself before and in between.
    let noisy = "RPL: on '1'\nROCProfiler: input from \"x\"\nIndex,KernelName,gpu-id,queue-id,queue-index,pid,tid,grd,wgr,lds,scr,vgpr,sgpr,fbar,sig,obj,DispatchNs,BeginNs,EndNs,CompleteNs\n0,\"k\",0,0,0,5,5,512,64,0,0,24,16,0,0x0,0x1,5,10,20,30\nRPL: done\n";
    assert_eq!(shown(&file("noisy.csv", noisy)), ["k 0+10"]);
}

#[test]
fn times_that_a_spreadsheet_rounded_are_not_known() {
    let table = "Dispatch_ID,GPU_ID,Queue_ID,PID,TID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,Scratch_Per_Workitem,Arch_VGPR,Accum_VGPR,SGPR,Wave_Size,Kernel_Name,Start_Timestamp,End_Timestamp,Correlation_ID\n";
    for time in ["8.1097E+14", "810970000000000"] {
        let rows = format!("1,2,1,9,9,512,64,0,0,4,4,16,64,\"k\",{time},{time},0\n").repeat(3);
        let trace = file("results_9.csv", &format!("{table}\n{rows}"));
        assert_eq!(shown(&trace), ["k 0+0", "k 0+0", "k 0+0"]);
        assert_eq!(trace.diagnostics.count(WarningKind::RoundedTimes), 6);
        assert_eq!(trace.metadata.times, Times::NotRecorded);
    }
}

#[test]
fn matrix_operations_are_reached_by_name() {
    // 128 products of 128 x 512 by 512 x 128: AMD's counter counts 512 operations at a time.
    let row = counted(3, "gemm", 64, "SQ_INSTS_VALU_MFMA_MOPS_BF16", 4_194_304.0, 10, 20);
    let trace = file("1_counter_collection.csv", &format!("{COUNTERS}{row}"));
    assert_eq!(trace.range_counters.value[0].get().unwrap() * 512.0, 2.0 * 128.0 * 512.0 * 128.0 * 128.0);
    // Instances of one counter are added up; they are rows of one dispatch.
    let rows = format!("{row}{row}");
    let trace = file("1_counter_collection.csv", &format!("{COUNTERS}{rows}"));
    assert_eq!(shown(&trace), ["gemm 0+10 SQ_INSTS_VALU_MFMA_MOPS_BF16=8388608"]);
}

#[test]
fn tables_of_rocprofv2() {
    let trace = only(directory(&[
        (
            "results_9.csv",
            "Dispatch_ID,GPU_ID,Queue_ID,PID,TID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,Scratch_Per_Workitem,Arch_VGPR,Accum_VGPR,SGPR,Wave_Size,Kernel_Name,Start_Timestamp,End_Timestamp,Correlation_ID,SQ_WAVES\n1,60633,1,9,9,512,64,0,0,4,4,16,64,\"k(int) (.kd)\",100,150,7,8.000000\n",
        ),
        (
            "hip_api_trace_9.csv",
            "Domain,Function,Start_Timestamp,End_Timestamp,Correlation_ID\n\nHIP_API_DOMAIN,hipLaunchKernel,50,90,7\n",
        ),
        (
            "hcc_ops_trace_9.csv",
            "Domain,Operation,Kernel_Name,Start_Timestamp,Stop_Timestamp,Correlation_ID\n\nHIP_OPS_DOMAIN,KernelExecution,\"k(int)\",100,150,7\nHIP_OPS_DOMAIN,CopyHostToDevice,,20,40,3\n",
        ),
        (
            "roctx_trace_9.csv",
            "Domain,ROCTX_ID,Message,Timestamp\n\nROCTX_DOMAIN,0,outer,40\nROCTX_DOMAIN,0,\"in, ner\",60\nROCTX_DOMAIN,0,,95\nROCTX_DOMAIN,0,,200\n",
        ),
    ]));
    assert_eq!(shown(&trace), ["k(int) 80+50 SQ_WAVES=8"]);
    assert_eq!((trace.gpu.len(), trace.runtime.correlation[0].get()), (2, Some(7)));
    let marks: Vec<(&str, i64, i64)> = (0..trace.slices.len())
        .filter(|&row| trace.slices.kind[row] == SliceKind::Annotation)
        .map(|row| {
            (trace.slice_name(SliceId::from(row)), trace.slices.start[row].0, trace.slices.duration[row].0)
        })
        .collect();
    assert_eq!(marks, [("in, ner", 40, 35), ("outer", 20, 160)]);
    assert_eq!(trace.diagnostics.warnings(), []);
}

/// The same run as JSON and as tables, as `-f json csv` writes it.
#[test]
fn json_and_tables_of_rocprofv3_are_one_recording() {
    let json = include_str!("../../../fuzz/corpus/rocprofv3_json/everything.json");
    let alone = file("77_results.json", json);
    let base = alone.metadata.base_time_ns.unwrap();
    let mut table = KERNELS.lines().next().unwrap().to_owned() + "\n";
    let mut counters = COUNTERS.to_owned();
    let kernels = (0..alone.slices.len()).filter(|&row| alone.slices.kind[row] == SliceKind::Kernel);
    for (number, row) in kernels.enumerate() {
        let (start, name) = (base + alone.slices.start[row].0, alone.slice_name(SliceId::from(row)));
        let end = start + alone.slices.duration[row].0;
        let dispatch = alone.dispatches.slice.iter().position(|slice| slice.index() == row).unwrap();
        let [x, y, z] = alone.dispatches.work_items[dispatch].0;
        table += &format!(
            "\"KERNEL_DISPATCH\",\"Agent 4\",1,1,77,{number},1,\"{name}\",1,{start},{end},0,0,8,0,16,64,1,1,{x},{y},{z}\n"
        );
        counters += &counted(number as u32, name, x * y * z, "ANOTHER", 5.0, start + 100_000, end + 100_000);
    }
    assert!(!shown(&alone).is_empty());
    let together = only(directory(&[
        ("77_results.json", json),
        ("77_kernel_trace.csv", &table),
        ("pmc_1/77_counter_collection.csv", &counters),
    ]));
    assert_eq!(shown(&together).len(), shown(&alone).len());
    assert_eq!(together.slices.len(), alone.slices.len());
    assert!(shown(&together).iter().all(|kernel| kernel.contains("ANOTHER=5")), "{:?}", shown(&together));
}

/// The first rocprof writes times next to counters if it is asked to, of another run than the trace's.
#[test]
fn counters_with_times_of_another_run_belong_to_the_trace_of_their_directory() {
    let calls = "10:80 7:8 hipLaunchKernel(stream=2) :5\n";
    let kernels = "100:160 4:0 add(int, float):5:7\n";
    let counted = |kernel: &str| {
        format!(
            "Index,KernelName,gpu-id,queue-id,queue-index,pid,tid,grd,wgr,lds,scr,vgpr,sgpr,fbar,sig,obj,SQ_WAVES,DispatchNs,BeginNs,EndNs,CompleteNs\n\
             0,\"{kernel} [clone .kd]\",4,0,0,9,9,512,64,0,0,24,16,0,0x0,0x1,32,900050,900100,900190,900200\n"
        )
    };
    let read = |counters: &str| {
        directory(&[
            ("hip_api_trace.txt", calls),
            ("hcc_ops_trace.txt", kernels),
            ("counters.csv", &counted(counters)),
        ])
    };
    let trace = only(read("add(int, float)"));
    assert_eq!(shown(&trace), ["add(int, float) 90+60 SQ_WAVES=32"]);
    // One with other kernels is of another program.
    let others = read("sub(int, float)");
    assert_eq!(others.len(), 2);
    // Without a trace it is the recording itself.
    let alone = only(directory(&[("counters.csv", &counted("add(int, float)"))]));
    assert_eq!(shown(&alone), ["add(int, float) 0+90 SQ_WAVES=32"]);
}

#[test]
fn sums_beside_a_trace_are_passed_over_and_named() {
    let sums = "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\",\"MinNs\",\"MaxNs\",\"StdDev\"\n\
                \"g\",1,10,10.000000,100.00,10,10,0.000000\n";
    let trace = only(directory(&[("7_kernel_trace.csv", KERNELS), ("7_kernel_stats.csv", sums)]));
    assert_eq!(shown(&trace).len(), 3);
    let warnings = trace.diagnostics.warnings();
    assert_eq!((warnings.len(), warnings[0].kind, warnings[0].count), (1, WarningKind::SumsBeside, 1));
    assert_eq!(warnings[0].detail.as_deref(), Some("`7_kernel_stats.csv`"));
    assert!(warnings[0].kind.is_harmless());
}

/// `rocprofv3 -f pftrace csv` writes both; the trace has the calls, the table the counters.
#[test]
fn a_perfetto_trace_and_tables_of_rocprofv3_are_one_recording() {
    let folder = tempfile::tempdir().unwrap();
    let trace = include_bytes!("pftrace/rocprofv3.pftrace");
    std::fs::write(folder.path().join("7_results.pftrace"), trace).unwrap();
    let row = counted(1, "vector_add(float*)", 99_840, "GRBM_COUNT", 70.0, 5_003_000, 5_005_400);
    let table = format!("{COUNTERS}{row}");
    std::fs::write(folder.path().join("7_counter_collection.csv"), table).unwrap();
    let run = open_with(&[folder.path().to_owned()], &Options::default(), None, |_| ()).unwrap().run;
    let trace = only(run.recordings);
    // Times of the trace, counters of both.
    assert_eq!(shown(&trace), ["vector_add(float*) 2900+2500 GRBM_COUNT=70 SQ_WAVES=1563"]);
    assert_eq!((trace.runtime.len(), trace.slices.len()), (1, 4));
    // A kernel table tells the end of a kernel that overlapped, which was moved for the trace.
    let (header, _) = KERNELS.split_once('\n').unwrap();
    let kernel = "\"KERNEL_DISPATCH\",\"Agent 4\",2,5,77,1,10,\"vector_add(float*)\",7,1003000,1005600,4096,16,32,0,32,256,1,1,99840,1,1";
    std::fs::write(folder.path().join("7_kernel_trace.csv"), format!("{header}\n{kernel}\n")).unwrap();
    let run = open_with(&[folder.path().to_owned()], &Options::default(), None, |_| ()).unwrap().run;
    let trace = only(run.recordings);
    assert_eq!(shown(&trace), ["vector_add(float*) 2900+2600 GRBM_COUNT=70 SQ_WAVES=1563"]);
    assert_eq!((trace.runtime.len(), trace.slices.len()), (1, 4));
}
