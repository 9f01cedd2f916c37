//! The exact command lines. Each is what the profiler's own source or manual says it takes.

use std::path::PathBuf;

use eaves_capture::{CounterRequest, Plan, Record, Refused, Request, find};

fn request(program: &[&str]) -> Request {
    Request {
        directory: PathBuf::from("/out/raw"),
        program: program.iter().map(Into::into).collect(),
        ..Request::default()
    }
}

fn counters(passes: &[&[&str]]) -> CounterRequest {
    let passes = passes.iter().map(|pass| pass.iter().map(|name| (*name).to_owned()).collect()).collect();
    CounterRequest { passes, ..CounterRequest::default() }
}

fn plan(tool: &str, request: &Request) -> Plan {
    find(tool).unwrap().plan(request, None).unwrap()
}

fn lines(tool: &str, request: &Request) -> Vec<String> {
    plan(tool, request).runs.iter().map(|run| run.to_shell().replace("/out/raw", "D")).collect()
}

fn refused(tool: &str, request: &Request) -> Refused {
    find(tool).unwrap().plan(request, None).unwrap_err()
}

const RUNTIME: Record =
    Record { runtime: true, hsa: false, system: false, markers: false, kernels: false, stats: false };

#[test]
fn without_options_each_records_what_a_report_needs() {
    let request = request(&["python", "inference.py"]);
    assert_eq!(
        lines("rocprof", &request),
        ["rocprof --stats --hip-trace -d D/data -o D/results.csv python inference.py"]
    );
    assert_eq!(
        lines("rocprofv2", &request),
        ["rocprofv2 --hip-trace --kernel-trace --plugin file -d D python inference.py"]
    );
    assert_eq!(
        lines("rocprofv3", &request),
        ["rocprofv3 --kernel-trace --memory-copy-trace --marker-trace --hip-runtime-trace --rccl-trace \
          -f rocpd -A absolute -d D -o %pid% -- python inference.py"]
    );
    assert_eq!(
        lines("nsys", &request),
        [
            "nsys profile --force-overwrite=true --trace=cuda,nvtx --sample=none --cpuctxsw=none \
             --output=D/report python inference.py",
            "nsys export --type=sqlite --force-overwrite=true --output=D/report.sqlite D/report.nsys-rep",
        ]
    );
    let ncu = lines("ncu", &request);
    let begin = "LC_ALL=C ncu --csv --page raw --print-units base --print-fp --log-file D/ncu.csv \
                 --target-processes all --disable-extra-suffixes --metrics gpu__time_duration.sum,";
    assert!(
        ncu.len() == 1 && ncu[0].starts_with(begin) && ncu[0].ends_with(" python inference.py"),
        "{ncu:?}"
    );
    assert!(!ncu[0].contains("ops_path_tensor"), "{ncu:?}");
}

#[test]
fn options_are_translated() {
    let every = Record { runtime: true, hsa: true, system: true, markers: true, kernels: true, stats: true };
    let mut request = request(&["./app", "-n", "1"]);
    request.record = Record { hsa: false, system: false, ..every };
    assert_eq!(
        lines("rocprof", &request),
        ["rocprof --stats --hip-trace --roctx-trace -d D/data -o D/results.csv ./app -n 1"]
    );
    assert_eq!(
        lines("rocprofv2", &request),
        ["rocprofv2 --hip-trace --roctx-trace --kernel-trace --plugin file -d D ./app -n 1"]
    );
    assert_eq!(
        lines("rocprofv3", &request),
        ["rocprofv3 --hip-trace --marker-trace --kernel-trace --memory-copy-trace -f rocpd csv --stats \
          -A absolute -d D -o %pid% -- ./app -n 1"]
    );
    request.record = Record { hsa: true, system: true, ..Record::default() };
    assert_eq!(
        lines("rocprof", &request),
        ["rocprof --hsa-trace --sys-trace -d D/data -o D/results.csv ./app -n 1"]
    );
    request.record = Record { system: true, stats: true, ..Record::default() };
    let nsys = lines("nsys", &request);
    assert!(nsys[0].contains("--trace=cuda,nvtx,osrt --output=D/report ./app -n 1"), "{nsys:?}");
    assert!(nsys[2].starts_with("nsys stats --report=cuda_gpu_kern_sum,"), "{nsys:?}");
    request.record = Record { markers: true, ..Record::default() };
    assert!(lines("ncu", &request)[0].contains(" --nvtx "));
    assert_eq!(
        lines("rocprof", &request),
        ["rocprof --hip-trace --roctx-trace -d D/data -o D/results.csv ./app -n 1"]
    );
    request.record = Record { kernels: true, ..Record::default() };
    assert_eq!(lines("rocprof", &request), ["rocprof --stats -d D/data -o D/results.csv ./app -n 1"]);
}

#[test]
fn counters_are_passes() {
    let mut request = request(&["./app"]);
    request.counters = counters(&[&["GRBM_COUNT", "SQ_WAVES"], &["TCC_HIT_sum"]]);
    request.counters.kernels = vec!["vector_add<4>".to_owned(), "gemm".to_owned()];
    request.counters.ranges = vec!["1:4".to_owned()];
    request.counters.devices = vec!["0".to_owned()];
    let text = "pmc: GRBM_COUNT SQ_WAVES\npmc: TCC_HIT_sum\nrange: 1:4\ngpu: 0\nkernel: vector_add<4> gemm\n";
    for tool in ["rocprof", "rocprofv2"] {
        assert_eq!(plan(tool, &request).files, [(PathBuf::from("/out/raw/counters.txt"), text.to_owned())]);
    }
    assert_eq!(
        lines("rocprof", &request),
        ["rocprof -i D/counters.txt --timestamp on -d D/data -o D/results.csv ./app"]
    );
    assert_eq!(lines("rocprofv2", &request), ["rocprofv2 -i D/counters.txt --plugin file -d D ./app"]);
    assert_eq!(
        lines("rocprofv3", &request),
        ["rocprofv3 -i D/counters.json --kernel-trace -f csv -A absolute -d D -o %pid% -- ./app"]
    );
    let v3 = plan("rocprofv3", &request);
    let jobs: serde_json::Value = serde_json::from_str(&v3.files[0].1).unwrap();
    assert_eq!(jobs["jobs"][0]["pmc"], serde_json::json!(["GRBM_COUNT", "SQ_WAVES"]));
    assert_eq!(jobs["jobs"][1]["kernel_include_regex"], "vector_add<4>|gemm");
    assert_eq!(v3.notes.len(), 1, "{:?}", v3.notes);
    // A trace and counters are two runs of the program, and the files of one do not replace those of the other.
    request.record = RUNTIME;
    assert_eq!(
        lines("rocprof", &request),
        [
            "rocprof --hip-trace -d D/data -o D/results.csv ./app",
            "rocprof -i D/counters.txt --timestamp on -d D/data -o D/pmc_1/results.csv ./app",
        ]
    );
    request.record.stats = true;
    assert_eq!(
        lines("rocprofv3", &request),
        [
            "rocprofv3 --hip-trace --kernel-trace --memory-copy-trace -f csv --stats -A absolute -d D -o %pid% -- ./app",
            "rocprofv3 -i D/counters.json --kernel-trace -f csv -A absolute -d D -o %pid% -- ./app",
        ]
    );
    request.counters.passes[0].push("TCC_HIT[0]".to_owned());
    assert!(refused("rocprofv3", &request).hint.contains("use TCC_HIT,"));
}

#[test]
fn a_program_that_a_shell_would_read_differently_goes_into_a_file() {
    let request = request(&["python", "-c", "print(\"it's $5\")"]);
    let plan = plan("rocprof", &request);
    let script = PathBuf::from("/out/raw/program.sh");
    let expected = "#!/bin/sh\nexec python -c 'print(\"it'\\''s $5\")'\n";
    assert_eq!(plan.files, [(script, expected.to_owned())]);
    assert!(plan.runs[0].to_shell().ends_with(" /bin/sh /out/raw/program.sh"));
    // The others pass arguments on as they are.
    for tool in ["rocprofv2", "rocprofv3", "ncu", "nsys"] {
        let plan = self::plan(tool, &request);
        assert_eq!(plan.runs[0].arguments.last().unwrap(), "print(\"it's $5\")", "{tool}");
        assert!(plan.files.is_empty());
    }
}

#[test]
fn what_an_installation_says_decides() {
    let request = request(&["./app"]);
    let old = "usage: rocprofv3 [-h] --hip-runtime-trace --kernel-trace --memory-copy-trace --marker-trace {csv,json}";
    let plan = find("rocprofv3").unwrap().plan(&request, Some(old)).unwrap();
    assert_eq!(
        plan.runs[0].to_shell().replace("/out/raw", "D"),
        "rocprofv3 --kernel-trace --memory-copy-trace --marker-trace --hip-runtime-trace -f json -d D -o %pid% -- ./app"
    );
    let metrics = "\
Device NVIDIA GB10 (GB20B)
------------- ------- ------
Metric Name   Metric Type  Metric Unit  Metric Description
gpu__time_duration  Counter  ns  incremental duration
lts__t_bytes  Counter  byte  bytes
sm__ops_path_tensor_src_bf16_dst_fp32  Counter  op  x
sm__ops_path_tensor_src_bf16_dst_fp32_sparsity_on  Counter  op  x
";
    let ncu = find("ncu").unwrap();
    let plan = ncu.plan(&request, Some(metrics)).unwrap();
    let line = plan.runs[0].to_shell();
    assert!(
        line.contains("--metrics gpu__time_duration.sum,lts__t_bytes.sum,sm__ops_path_tensor_src_bf16_dst_fp32.sum,launch__"),
        "{line}"
    );
    assert!(plan.notes[0].contains("dram__bytes.sum"), "{:?}", plan.notes);
    let mut wrong = request.clone();
    wrong.metrics = vec!["lts__t_byte.sum".to_owned()];
    assert_eq!(ncu.plan(&wrong, Some(metrics)).unwrap_err().hint, "did you mean lts__t_bytes?");
    wrong.metrics = vec!["regex:^lts".to_owned(), "lts__t_bytes.sum.per_second".to_owned()];
    assert!(ncu.plan(&wrong, Some(metrics)).is_ok());
}

#[test]
fn what_a_profiler_cannot_do_is_said_before_anything_runs() {
    let mut request = request(&["./app"]);
    request.record = RUNTIME;
    assert!(refused("ncu", &request).hint.contains("nsys"));
    request.record = Record { hsa: true, ..Record::default() };
    assert!(refused("nsys", &request).hint.contains("rocprofv3"));
    request.record = Record::default();
    request.counters = counters(&[&["SQ_WAVES"]]);
    assert!(refused("ncu", &request).hint.contains("--metrics"));
    assert!(refused("nsys", &request).hint.contains("ncu"));
    request.counters = CounterRequest::default();
    request.metrics = vec!["dram__bytes.sum".to_owned()];
    for tool in ["rocprof", "rocprofv2", "rocprofv3"] {
        assert!(refused(tool, &request).hint.contains("--counters"));
    }
    assert!(refused("nsys", &request).hint.contains("--counters"));
    request.metrics.clear();
    request.directory = PathBuf::from("/with blank/raw");
    for tool in ["rocprof", "rocprofv2"] {
        assert!(refused(tool, &request).hint.contains("--output-dir"));
    }
    for tool in ["rocprofv3", "ncu", "nsys"] {
        plan(tool, &request);
    }
    request.program.clear();
    assert!(refused("rocprofv3", &request).hint.contains("--"));
    request.program = vec!["-x".into()];
    assert!(refused("ncu", &request).hint.contains("./-name"));
}
