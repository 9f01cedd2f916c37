//! Seeds of the fuzzer: one small input per form that traces take, and per container.

use std::io::Write;

use anyhow::Result;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use zip::write::SimpleFileOptions;

use super::examples::{Example, compress};
use super::snapshot::{self, Shape};
use super::{compile_logs, measurements};

/// A trace with every phase, every kind of slice and every argument that is decoded.
const EVERYTHING: &str = r#"{
  "schemaVersion": 1,
  "deviceProperties": [{"id": 0, "name": "GPU", "numSms": 132, "totalGlobalMem": 85017493504}],
  "distributedInfo": {"backend": "nccl", "rank": 1, "world_size": 2, "pg_config": [{"pg_name": "0", "pg_desc": "all", "pg_size": 2, "ranks": [0, 1]}], "nccl_version": "2.22.3"},
  "with_stack": 1, "cuda_driver_version": 12090, "unknown": [{"a": "]"}],
  "traceEvents": [
  {"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "ts": 0.5, "args": {"name": "python"}},
  {"ph": "M", "name": "process_labels", "pid": 1, "tid": 0, "args": {"labels": "CPU"}},
  {"ph": "M", "name": "thread_sort_index", "pid": 1, "tid": 1, "args": {"sort_index": 5}},
  {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#3", "pid": 1, "tid": 1, "ts": 0.5, "dur": 99.25, "args": {"External id": 1, "Ev Idx": 0}},
  {"ph": "X", "cat": "python_function", "name": "train.py(3): step", "pid": 1, "tid": 1, "ts": 1, "dur": 90, "args": {"Python id": 2, "Python parent id": null, "Python module id": 0, "Ev Idx": 1, "CallFrom": "train.py:9"}},
  {"ph": "X", "cat": "cpu_op", "name": "aten::addmm", "pid": 1, "tid": 1, "ts": 2.125, "dur": 20.001, "args": {"External id": 2, "Record function id": 0, "Sequence number": 7, "Fwd thread id": 0, "Concrete Inputs": ["", "1"], "Input type": ["float"], "Input Strides": [[1]], "Input Dims": [[8, 8]], "Ev Idx": 2}},
  {"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 1, "tid": 1, "ts": 30, "dur": 5, "args": {"External id": 3, "Collective name": "allreduce", "In msg nelems": 64, "Out msg nelems": 64, "Group size": 2, "dtype": "Float", "In split size": "[]", "Out split size": "[]", "Process Group Name": "0", "Process Group Description": "all", "Process Group Ranks": "[0, 1]", "Rank": 1, "Global rank start": 0, "Global rank stride": 1, "Seq": 41, "Is asynchronized op": true}},
  {"ph": "X", "cat": "cpu_op", "name": "triton_poi_0", "pid": 1, "tid": 1, "ts": 40, "dur": 5, "args": {"kernel_backend": "triton", "kernel_name": "triton_poi_0", "kernel_file": "a.py", "kernel_hash": "c0", "kernel_kwargs": "XBLOCK=1", "grid": "grid(1,)", "num_warps": 4, "num_stages": 1, "stream": 7}},
  {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 3, "dur": 4, "args": {"External id": 2, "cbid": 211, "correlation": 11}},
  {"ph": "X", "cat": "cuda_runtime", "name": "hipMemcpyAsync", "pid": 1, "tid": 1, "ts": 8, "dur": 1, "args": {"cid": 1, "correlation": 12, "bytes": "64", "src": "0x10", "dst": "0xffffffffffffffff", "kind": "1", "stream": "0x0"}},
  {"ph": "s", "id": 11, "pid": 1, "tid": 1, "ts": 3, "cat": "ac2g", "name": "ac2g"},
  {"ph": "f", "id": 11, "pid": 0, "tid": 7, "ts": 9, "cat": "ac2g", "name": "ac2g", "bp": "e"},
  {"ph": "X", "cat": "kernel", "name": "gemm<float, 8>", "pid": 0, "tid": 7, "ts": 9, "dur": 6.5, "args": {"External id": 2, "queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": 11, "registers per thread": 96, "shared memory": 4096, "blocks per SM": 0.07, "warps per SM": 1.25, "grid": [8, 1, 1], "block": [256, 1, 1], "est. achieved occupancy %": 63}},
  {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD", "pid": 0, "tid": 7, "ts": 16, "dur": 2, "args": {"device": 0, "stream": 7, "correlation": 12, "bytes": 64, "memory bandwidth (GB/s)": 0.032, "kind": "HtoD"}},
  {"ph": "X", "cat": "gpu_memset", "name": "Memset (Device)", "pid": 0, "tid": 7, "ts": 19, "dur": 1, "args": {"device": 0, "stream": 7, "correlation": 13, "bytes": 64}},
  {"ph": "X", "cat": "cuda_sync", "name": "Stream Wait Event", "pid": 0, "tid": 7, "ts": 21, "dur": 1, "args": {"cuda_sync_kind": "Stream Wait Event", "stream": 7, "correlation": 14, "wait_on_stream": 20, "wait_on_cuda_event_record_corr_id": 3, "wait_on_cuda_event_id": 1}},
  {"ph": "X", "cat": "mtia_ccp_events", "name": "dma_request", "pid": 2, "tid": 3, "ts": 5, "dur": 3, "args": {"stream": 102, "direction": "DEVICE_TO_HOST", "size": 16}},
  {"ph": "X", "cat": "cuda_profiler_range", "name": "gemm", "pid": 0, "tid": 7, "ts": 9, "dur": 6, "args": {"smsp__inst_executed.sum": 1280.5}},
  {"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 1, "tid": 1, "ts": 4, "args": {"Bytes": -512, "Addr": 140255988547584, "Total Allocated": 0, "Total Reserved": 2097152, "Device Type": 1, "Device Id": 0, "Ev Idx": 9}},
  {"ph": "i", "s": "g", "name": "Record Window End", "pid": "", "tid": "", "ts": 120},
  {"ph": "B", "name": "outer", "pid": 1, "tid": 2, "ts": 1}, {"ph": "E", "pid": 1, "tid": 2, "ts": 7},
  {"ph": "b", "cat": "request", "id": "0x1", "name": "decode", "pid": 1, "tid": 2, "ts": 1},
  {"ph": "n", "cat": "request", "id2": {"local": "0x1"}, "name": "token", "pid": 1, "tid": 2, "ts": 2},
  {"ph": "e", "cat": "request", "id": "0x1", "name": "decode", "pid": 1, "tid": 2, "ts": 8},
  {"ph": "C", "name": "queue", "pid": 1, "tid": 2, "ts": 3, "args": {"stream 7": 2, "stream 20": 0.5}},
  {"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans", "tid": "PyTorch Profiler", "ts": 0, "dur": 121, "args": {"Op count": 0}}
  ],
  "traceName": "seed.json", "displayTimeUnit": "ms", "baseTimeNanoseconds": 1751410836000000000
}
"#;

/// A bare list, compact, with times in every form and texts with every escape.
const ODD: &str = r#"[{"ph":"X","name":"a\"b\\c\u00e9\ud83d\ude00\ud800","cat":"cpu_op","pid":"p","tid":"t","ts":"1.0005","dur":1e3},{"ph":"X","name":"","pid":-1,"tid":18446744073709551615,"ts":-2.5,"dur":-1,"args":null},{"ph":"X","name":"k","cat":"kernel","pid":0,"tid":0,"ts":5,"dur":9223372036854775807,"args":{"stream":0,"stream":1,"grid":[1,2],"blocks per SM":NaN,"device":4294967296}},{"ph":"X","name":"n","ts":NaN,"dur":Infinity,"pid":0},{"ts":3},{"ph":"Z","ts":3},]"#;

/// Traces before 2022.
const OLD: &str = r#"{"traceEvents": [
{"ph": "X", "cat": "Operator", "name": "aten::add", "pid": 7, "tid": 7, "ts": 10, "dur": 40, "args": {"Device": 7, "External id": 4, "Trace name": "PyTorch Profiler", "Trace iteration": 0, "Profiler Event Index": 0, "Module Hierarchy": "net", "Call stack": "a.py(1): f;b.py(2): g"}},
{"ph": "X", "cat": "Runtime", "name": "cudaLaunchKernel", "pid": 7, "tid": 7, "ts": 12, "dur": 3, "args": {"cbid": 211, "correlation": 538860, "external id": 4, "external ts": 12}},
{"ph": "X", "cat": "Kernel", "name": "add", "pid": 0, "tid": "stream 7", "ts": 20, "dur": 4, "args": {"queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": 538860, "external id": 4, "grid": [64, 1, 1], "block": [128, 1, 1]}},
{"ph": "s", "id": 538860, "pid": 7, "tid": 7, "ts": 12, "cat": "async", "name": "launch"}
]}
"#;

/// Damage of every kind in one file.
const DAMAGED: &str = "{\"schemaVersion\" 1, [\u{1}\"traceEvents\": [ {\"ph\": \"X\", \"name\": \"a\", \"ts\": 1, \"dur\": 1, \"pid\": 1},,, @@ \
{\"ph\": \"X\", \"name: \"lost quote\", \"ts\": 2}, {\"ph\": \"X\", \"name\": \"b\", \"ts\": 3, \"dur\": 1, \"pid\": 1}}] \
{\"name\": \"c\", \"ph\": \"X\", \"ts\": 4, \"dur\": 1, \"pid\": 1, \"args\": {\"correlation\": }}, {\"ph\": \"X\", \"na";

/// Every seed with its place below the project's root.
pub(super) fn all() -> Result<Vec<(String, Example)>> {
    let texts = [("everything", EVERYTHING), ("odd", ODD), ("old", OLD), ("damaged", DAMAGED)];
    let mut files = Vec::new();
    for target in ["json", "packed_json"] {
        for (name, text) in texts {
            files.push((
                format!("fuzz/corpus/{target}/{name}.json"),
                Example::plain(text.as_bytes().to_vec()),
            ));
        }
    }
    for (name, text) in [
        ("benchmark.json", measurements::BENCHMARK.to_owned()),
        ("commands.json", measurements::COMMANDS.to_owned()),
        ("events.json", measurements::EVENTS.to_owned()),
        ("kernels.csv", measurements::kernels_csv()),
    ] {
        files.push((format!("fuzz/corpus/measurements/{name}"), Example::plain(text.into_bytes())));
    }
    for (name, text) in [
        ("explanation.txt", compile_logs::EXPLANATION.to_owned()),
        ("structured.log", compile_logs::small()),
        ("text.log", compile_logs::TEXT.to_owned()),
    ] {
        files.push((format!("fuzz/corpus/compile_log/{name}"), Example::plain(text.into_bytes())));
    }
    let (first, second) = EVERYTHING.as_bytes().split_at(1_000);
    let frame = |bytes: &[u8]| compress_to_vec(bytes, CompressionLevel::Fastest);
    let frames = [frame(first), frame(second)].concat();
    files.push(("fuzz/corpus/container/one.json.gz".to_owned(), compress(ODD.as_bytes())?));
    files.push(("fuzz/corpus/container/two.json.zst".to_owned(), Example::plain(frames)));
    files.push(("fuzz/corpus/container/two.zip".to_owned(), Example::plain(archive()?)));
    files.push(("fuzz/corpus/container/plain.json".to_owned(), Example::plain(OLD.as_bytes().to_vec())));
    for (name, layers, fails) in [("one", 1, false), ("failed", 2, true)] {
        let shape = Shape { layers, native: 1, bytes: 0, fails };
        let (bytes, _) = snapshot::write(Vec::new(), shape)?;
        files.push((format!("fuzz/corpus/pickle/{name}.pickle"), Example::plain(bytes)));
    }
    Ok(files)
}

/// Two members as they are, so that the fuzzer can change their texts.
fn archive() -> Result<Vec<u8>> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, text) in [("rank0.json", OLD), ("rank1.json", ODD)] {
        archive.start_file(name, stored)?;
        archive.write_all(text.as_bytes())?;
    }
    Ok(archive.finish()?.into_inner())
}
