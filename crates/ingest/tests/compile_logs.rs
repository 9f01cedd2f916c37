//! Logs of `torch.compile` as PyTorch wrote them. The samples are not part of this repository.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use eaves_ingest::{Options, read_compile_log, read_compile_logs};
use eaves_model::WarningKind;
use eaves_model::compile::{Cache, CacheAnswer, CompileLog, GraphKind};

/// Where the samples are, if they are.
fn samples() -> Option<PathBuf> {
    eaves_testing::data("torch/compile")
}

fn read(path: &Path) -> CompileLog {
    let mut logs = read_compile_logs(&[path.to_owned()], &Options::default()).unwrap();
    assert_eq!(logs.len(), 1);
    logs.remove(0)
}

fn unpacked(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    flate2::read::MultiGzDecoder::new(std::fs::File::open(path).unwrap()).read_to_end(&mut bytes).unwrap();
    bytes
}

#[test]
fn every_line_of_every_sample_is_read() {
    let Some(samples) = samples() else { return };
    let mut count = 0;
    for directory in [samples.clone(), samples.join("tlparse_inputs")] {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if !name.ends_with(".gz") || name.starts_with("torch_logs") {
                continue;
            }
            count += 1;
            // Independent: the standard library's lines, and a general parser of JSON.
            let text = String::from_utf8(unpacked(&path)).unwrap();
            let records: Vec<serde_json::Value> = text
                .lines()
                .filter(|line| !line.starts_with('\t'))
                .map(|line| serde_json::from_str(&line[line.find("] {").unwrap() + 2..]).unwrap())
                .collect();
            let log = read(&path);
            assert_eq!(log.lines, text.lines().count() as u64, "{name}");
            assert_eq!(log.bytes, text.len() as u64, "{name}");
            assert_eq!(log.records, records.len() as u64, "{name}");
            assert_eq!(log.diagnostics.count(WarningKind::BadLine), 0, "{name}");
            assert!(log.unknown.is_empty(), "{name}: {:?}", log.unknown);
            let artifacts =
                |wanted: &str| records.iter().filter(|record| record["artifact"]["name"] == *wanted).count();
            let keys = |wanted: &str| records.iter().filter(|record| record.get(wanted).is_some()).count();
            assert_eq!(log.breaks.len(), artifacts("dynamo_graph_break_reason"), "{name}");
            assert_eq!(log.recompiles.len(), artifacts("recompile_reasons"), "{name}");
            assert_eq!(log.graphs.len(), keys("inductor_output_code"), "{name}");
            assert_eq!(
                log.compiles.iter().filter(|one| one.forward.is_some()).count(),
                keys("compilation_metrics"),
                "{name}"
            );
            for (cache, start) in [(Cache::FxGraph, "fx_graph_cache"), (Cache::Autograd, "aotautograd_cache")]
            {
                for (answer, end) in
                    [(CacheAnswer::Hit, "hit"), (CacheAnswer::Miss, "miss"), (CacheAnswer::Bypass, "bypass")]
                {
                    let found = log.caches.iter().filter(|one| one.cache == cache && one.answer == answer);
                    assert_eq!(found.count(), artifacts(&format!("{start}_{end}")), "{name} {start} {end}");
                }
            }
        }
    }
    assert_eq!(count, 9);
}

#[test]
fn breaks_are_found_with_place_kind_and_hints() {
    let Some(samples) = samples() else { return };
    let log = read(&samples.join("torch_trace_mixed_2.15.log.gz"));
    let text = |id| log.strings.get(id);
    let found: Vec<_> = log
        .breaks
        .iter()
        .map(|one| (text(one.file), one.line, one.kind, text(one.title), one.hints.len()))
        .collect();
    let file = "/srv/research/proj/comp.py";
    assert_eq!(
        found,
        [
            (file, 12, Some(59), "Failed to trace builtin operator", 3),
            (file, 14, Some(170), "Data-dependent branching", 3),
            (file, 16, Some(124), "Unsupported Tensor.item() call with capture_scalar_outputs=False", 1),
        ]
    );
    let first = &log.breaks[0];
    assert!(
        text(first.explanation).starts_with("Dynamo does not know how to trace builtin operator `print`")
    );
    assert!(text(first.context).starts_with("builtin print"));
    assert_eq!(text(first.code), "print('side effect')                        # builtin print -> break");
    let stack: Vec<_> =
        first.stack.of(&log.frames).iter().map(|frame| (frame.line, text(frame.function))).collect();
    assert_eq!(stack, [(26, "<module>"), (12, "with_breaks")]);
    // The catalog of PyTorch itself has the same titles under these numbers.
    let catalogue: BTreeMap<String, serde_json::Value> =
        serde_json::from_slice(&std::fs::read(samples.join("graph_break_registry.json")).unwrap()).unwrap();
    for one in &log.breaks {
        let entry = &catalogue[&format!("GB{:04}", one.kind.unwrap())];
        assert_eq!(entry[0]["Gb_type"], text(one.title));
    }
}

#[test]
fn recompilations_have_all_their_reasons() {
    let Some(samples) = samples() else { return };
    let log = read(&samples.join("torch_trace_mixed_2.15.log.gz"));
    let text = |id| log.strings.get(id);
    let found: Vec<(String, Vec<(&str, &str)>)> = log
        .recompiles
        .iter()
        .map(|one| {
            let id = log.compiles[one.compile.unwrap() as usize].id.to_string();
            (id, one.reasons.iter().map(|reason| (text(reason.of), text(reason.guard))).collect())
        })
        .collect();
    let value = ("5/0", "k == 1");
    let kind = ("5/1", "___check_type_id(k, 140332520275168), type=<class 'int'>");
    let size = ("5/2", "tensor 'x' size mismatch at index 0. expected 8, actual 9");
    assert_eq!(
        found,
        [
            ("5/1".into(), vec![value]),
            ("5/2".into(), vec![kind, value]),
            ("5/3".into(), vec![size, kind, value])
        ]
    );
}

#[test]
fn fusion_is_as_published() {
    let Some(samples) = samples() else { return };
    let log = read(&samples.join("torch_trace_mixed_2.15.log.gz"));
    let counts: Vec<_> = log
        .graphs
        .iter()
        .take(2)
        .map(|one| (one.kind, one.operators, one.generated.unwrap() + one.external + one.fallback))
        .collect();
    assert_eq!(counts, [(GraphKind::Forward, Some(19), 4), (GraphKind::Backward, Some(38), 7)]);
    // Found in a cache, the same program has the same graphs.
    let warm = read(&samples.join("torch_trace_warm_cache_2.15.log.gz"));
    let cold = read(&samples.join("torch_trace_provenance_2.15.log.gz"));
    assert_eq!(warm.graphs, cold.graphs);
    assert!(warm.graphs.iter().all(|graph| graph.operators.is_some()));
    // Older versions log the graph under another name.
    let older = read(&samples.join("tlparse_inputs/inductor_provenance_jit_cuda_log.txt.gz"));
    assert!(older.graphs[0].operators.unwrap() > 0 && older.graphs[0].generated.unwrap() > 0);
}

#[test]
fn times_are_those_that_the_process_itself_gave() {
    let Some(samples) = samples() else { return };
    let log = read(&samples.join("torch_trace_mixed_2.15.log.gz"));
    let metrics: Vec<serde_json::Value> =
        serde_json::from_slice(&std::fs::read(samples.join("compilation_metrics.json")).unwrap()).unwrap();
    assert_eq!(metrics.len(), 11);
    for entry in &metrics {
        let id = entry["compile_id"].as_str().unwrap();
        let compile = log.compiles.iter().find(|one| one.id.to_string() == id).unwrap();
        let forward = entry["is_forward"].as_bool().unwrap();
        let times = if forward { compile.forward } else { compile.backward }.unwrap();
        let time = |key: &str| entry[key].as_i64().map(|time| time * 1000);
        assert_eq!(Some(times.start.0), time("start_time_us"));
        assert_eq!(Some(times.total.0), time("duration_us"));
        assert_eq!(times.backend.map(|time| time.0), time("aot_autograd_cumulative_compile_time_us"));
        assert_eq!(times.inductor.map(|time| time.0), time("inductor_cumulative_compile_time_us"));
        assert_eq!(times.code_gen.map(|time| time.0), time("inductor_code_gen_cumulative_compile_time_us"));
        assert_eq!(times.kernels.map(|time| time.0), time("triton_compile_time_us"));
        if forward {
            assert_eq!(log.strings.get(compile.function), entry["co_name"].as_str().unwrap());
            assert_eq!(compile.operators.map(i64::from), entry["graph_op_count"].as_i64());
        }
    }
    assert_eq!(log.torch_version.as_deref(), Some("2.15.0+cu132"));
}

#[test]
fn ranks_lie_beside_each_other() {
    let Some(samples) = samples() else { return };
    let logs =
        read_compile_logs(&[samples.join("tlparse_inputs/multi_rank*.gz")], &Options::default()).unwrap();
    assert_eq!(logs.iter().map(|log| (log.rank, log.compiles.len())).collect::<Vec<_>>(), [(0, 4), (1, 4)]);
    // One payload in four graphs of this log was edited by hand; a checksum in Python says the same of four artifacts.
    assert!(logs.iter().all(|log| log.payloads_checked > 0));
}

#[test]
fn a_text_log_tells_the_same_breaks_and_reasons() {
    let Some(samples) = samples() else { return };
    let structured = read(&samples.join("torch_trace_mixed_2.15.log.gz"));
    let text = read(&samples.join("torch_logs_text.txt"));
    assert_eq!(text.format, "torch-logs");
    let places = |log: &CompileLog| -> Vec<(String, u32, Option<u32>)> {
        log.breaks.iter().map(|one| (log.strings.get(one.file).to_owned(), one.line, one.kind)).collect()
    };
    assert_eq!(places(&text), places(&structured));
    let guards = |log: &CompileLog| -> Vec<Vec<String>> {
        let of = |one: &eaves_model::compile::Recompile| {
            one.reasons.iter().map(|reason| log.strings.get(reason.guard).to_owned()).collect()
        };
        log.recompiles.iter().map(of).collect()
    };
    assert_eq!(guards(&text), guards(&structured));
}

#[test]
fn an_explanation_is_read() {
    let Some(samples) = samples() else { return };
    let log = read(&samples.join("dynamo_explain.txt"));
    let found: Vec<_> =
        log.breaks.iter().map(|one| (one.line, one.kind, log.strings.get(one.title))).collect();
    assert_eq!(
        found,
        [(13, Some(59), "Failed to trace builtin operator"), (14, None, "generic_jump TensorVariable()")]
    );
}

#[test]
fn a_cut_log_says_where() {
    let whole = b"V1115 18:55:01.217000 6838 torch/_dynamo/utils.py:2473] {\"str\": [\"a.py\", 0]}
garbage
V1115 18:55:01.218000 6838 torch/_dynamo/utils.py:2473] {\"new_kind\": {}, \"frame_id\": 0, \"frame_compile_id\": 0}
V1115 18:55:01.219000 6838 torch/_dynamo/utils.py:2473] {\"artifact\": {\"na";
    let log = read_compile_log("cut", whole).unwrap();
    assert_eq!((log.lines, log.records), (4, 2));
    let place = |kind| log.diagnostics.warnings().iter().find(|one| one.kind == kind).unwrap().first_offset;
    let at = |text: &[u8]| Some(whole.windows(text.len()).position(|part| part == text).unwrap() as u64);
    assert_eq!(place(WarningKind::BadLine), at(b"garbage"));
    assert_eq!(place(WarningKind::UnknownRecord), at(b"V1115 18:55:01.218"));
    assert_eq!(place(WarningKind::Truncated), at(b"V1115 18:55:01.219"));
    assert_eq!(log.unknown, [("new_kind".to_owned(), 1)]);
    assert!(read_compile_log("none", b"hello\nworld\n").is_err());
}

#[test]
fn a_payload_that_was_changed_is_told() {
    let line = |sum: &str| {
        format!(
            "V1115 18:55:01.217000 6838 torch/a.py:1] {{\"artifact\": {{\"name\": \"recompile_reasons\"}}, \
             \"frame_id\": 0, \"frame_compile_id\": 1, \"has_payload\": \"{sum}\"}}\n\t0/0: k == 1\n\tx\n"
        )
    };
    // md5 of "0/0: k == 1\nx", by md5sum.
    let log = read_compile_log("sound", line("6c57b28746a743d1e6a4c06d9e956c66").as_bytes()).unwrap();
    assert_eq!((log.payloads_checked, log.diagnostics.count(WarningKind::PayloadDiffers)), (1, 0));
    let log = read_compile_log("changed", line("00000000000000000000000000000000").as_bytes()).unwrap();
    assert_eq!((log.payloads_checked, log.diagnostics.count(WarningKind::PayloadDiffers)), (1, 1));
}

/// What PyTorch says of a call of `print`, without its place.
const REFUSED: [&str; 5] = [
    "Failed to trace builtin operator",
    "  Explanation: Dynamo does not know how to trace builtin operator `print`",
    "  Hint: Avoid calling builtin `print`.",
    "  Hint: Please report an issue to PyTorch.",
    " For more details about this graph break, please visit: https://meta-pytorch.github.io/compile-graph-break-site/gb/gb0059.html",
];

/// File, line, kind, title, explanation and number of hints.
type Told<'a> = (&'a str, u32, Option<u32>, &'a str, &'a str, usize);

fn told(log: &CompileLog) -> Vec<Told<'_>> {
    let text = |id| log.strings.get(id);
    log.breaks
        .iter()
        .map(|one| {
            (text(one.file), one.line, one.kind, text(one.title), text(one.explanation), one.hints.len())
        })
        .collect()
}

const EXPECTED: Told<'_> = (
    "/srv/a.py",
    3,
    Some(59),
    "Failed to trace builtin operator",
    "Dynamo does not know how to trace builtin operator `print`",
    2,
);

/// With `fullgraph=True` nothing is logged as a graph break: the compilation fails, and its metrics say why.
#[test]
fn what_a_function_without_breaks_fails_at_is_a_break() {
    let metrics = |line: u32| {
        let reason = serde_json::to_string(&REFUSED.join("\n")).unwrap();
        format!(
            "V1116 17:03:39.529000 14560 torch/_dynamo/utils.py:2132] {{\"compilation_metrics\": {{\"co_name\": \"f\", \
             \"fail_type\": \"torch._dynamo.exc.Unsupported\", \"fail_reason\": {reason}, \
             \"fail_user_frame_filename\": \"/srv/a.py\", \"fail_user_frame_lineno\": {line}}}, \
             \"frame_id\": 0, \"frame_compile_id\": 0}}\n"
        )
    };
    let log = read_compile_log("full", metrics(3).as_bytes()).unwrap();
    assert_eq!(told(&log), [EXPECTED]);
    // Where the break was logged as one, the failure it led to is the same break.
    let artifact = format!(
        "V1116 17:03:39.528000 14560 torch/_dynamo/exc.py:1] {{\"artifact\": {{\"name\": \"dynamo_graph_break_reason\"}}, \
         \"frame_id\": 0, \"frame_compile_id\": 0}}\n\tGraph break in user code at /srv/a.py:3\n\tGraph Break Reason: {}\n",
        REFUSED.join("\n\t")
    );
    let log = read_compile_log("both", format!("{artifact}{}", metrics(3)).as_bytes()).unwrap();
    assert_eq!(told(&log), [EXPECTED]);
    let log = read_compile_log("another", format!("{artifact}{}", metrics(4)).as_bytes()).unwrap();
    assert_eq!(log.breaks.len(), 2);
    // A failure of another kind is none.
    let other = metrics(3).replace("Explanation: ", "").replace("/gb0059", "/other").replace("gb", "");
    assert!(told(&read_compile_log("other", other.as_bytes()).unwrap()).is_empty());
}

/// What a program prints that ends with the exception.
#[test]
fn the_text_of_an_exception_is_a_break() {
    let text = format!(
        "the program's own output\nTraceback (most recent call last):\n  File \"/srv/a.py\", line 9, in <module>\n    f(x)\n\
         torch._dynamo.exc.Unsupported: {}\n\nfrom user code:\n   File \"/srv/a.py\", line 7, in outer\n    return f(x)\n\
         \x20 File \"/srv/a.py\", line 3, in f\n    print(\"hi\")\n    ~~~~~^^^^^^\n\n\
         Set TORCHDYNAMO_VERBOSE=1 for the internal stack trace\nmore output\n",
        REFUSED.join("\n")
    );
    let log = read_compile_log("stderr", text.as_bytes()).unwrap();
    assert_eq!(told(&log), [EXPECTED]);
    let broken = &log.breaks[0];
    assert_eq!(log.strings.get(broken.code), "print(\"hi\")");
    let stack: Vec<_> = broken.stack.of(&log.frames).iter().map(|frame| frame.line).collect();
    assert_eq!(stack, [7, 3]);
}
