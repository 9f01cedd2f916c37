//! `rocprofv3` before version 1.0, which had JSON and no database, after `rocprofv3.py`.

use std::sync::Mutex;

use super::{run, write};

/// Held while files are written: one end of the program must not empty what the other wrote.
static WRITING: Mutex<()> = Mutex::new(());

const FLAGS: [&str; 14] = [
    "--hip-trace",
    "--hip-runtime-trace",
    "--hip-compiler-trace",
    "--hsa-trace",
    "--marker-trace",
    "--kernel-trace",
    "--memory-copy-trace",
    "--memory-allocation-trace",
    "--scratch-memory-trace",
    "--rccl-trace",
    "--sys-trace",
    "--runtime-trace",
    "--stats",
    "--summary",
];
const WITH_VALUE: [&str; 9] = [
    "-i",
    "--input",
    "-o",
    "--output-file",
    "-d",
    "--output-directory",
    "-A",
    "--agent-index",
    "--log-level",
];
const FORMATS: [&str; 4] = ["csv", "json", "pftrace", "otf2"];

pub(super) fn main(arguments: &[String]) -> i32 {
    if arguments.iter().any(|word| word == "--help" || word == "-h") {
        println!("usage: rocprofv3 [options] -- <application> [application options]");
        println!("{}\n{}\n{{{}}}", FLAGS.join(" "), WITH_VALUE.join(" "), FORMATS.join(","));
        return 0;
    }
    let end = arguments.iter().position(|word| word == "--");
    let (own, program) = match end {
        Some(at) => (&arguments[..at], &arguments[at + 1..]),
        None => (arguments, &[][..]),
    };
    let (mut input, mut name, mut directory, mut formats) =
        (None, "%pid%".to_owned(), ".".to_owned(), Vec::new());
    let mut words = own.iter().peekable();
    while let Some(word) = words.next() {
        if FLAGS.contains(&word.as_str()) {
            // Each takes a truth value, and would take the next word for it.
            if let Some(value) = words.next_if(|next| !next.starts_with('-')) {
                return wrong(&format!("invalid truth value {value}"));
            }
        } else if word == "-f" || word == "--output-format" {
            while let Some(format) = words.next_if(|next| !next.starts_with('-')) {
                if !FORMATS.contains(&format.as_str()) {
                    return wrong(&format!("argument -f/--output-format: invalid choice: '{format}'"));
                }
                formats.push(format.clone());
            }
        } else if WITH_VALUE.contains(&word.as_str()) {
            let Some(value) = words.next() else {
                return wrong(&format!("argument {word}: expected one argument"));
            };
            match word.as_str() {
                "-i" | "--input" => input = Some(value.clone()),
                "-o" | "--output-file" => name = value.clone(),
                "-d" | "--output-directory" => directory = value.clone(),
                _ => {}
            }
        } else {
            return wrong(&format!("unrecognized arguments: {word}"));
        }
    }
    if program.is_empty() {
        eprintln!("Fatal error: No application provided");
        return 1;
    }
    let name = name.replace("%pid%", &std::process::id().to_string());
    let jobs = match &input {
        None => vec![None],
        Some(path) => {
            let text = std::fs::read_to_string(path).unwrap_or_default();
            let Ok(file) = serde_json::from_str::<serde_json::Value>(&text) else {
                eprintln!("Fatal error: {path}");
                return 1;
            };
            let jobs = file["jobs"].as_array().cloned().unwrap_or_default();
            jobs.iter().map(|job| Some(job["pmc"].as_array().cloned().unwrap_or_default())).collect()
        }
    };
    for (index, job) in jobs.iter().enumerate() {
        let place = match job {
            Some(_) => format!("{directory}/pass_{}/{name}", index + 1),
            None => format!("{directory}/{name}"),
        };
        // The real one has handlers in the program that write at its end, whatever ends it.
        let files = move |job: &Option<Vec<serde_json::Value>>, formats: &[String]| {
            for format in formats {
                match (format.as_str(), job) {
                    ("json", _) => write(format!("{place}_results.json"), &results()),
                    ("csv", Some(counters)) => {
                        write(format!("{place}_kernel_trace.csv"), KERNELS);
                        write(format!("{place}_counter_collection.csv"), &collected(counters));
                    }
                    ("csv", None) => write(format!("{place}_kernel_trace.csv"), KERNELS),
                    _ => {}
                }
            }
            eprintln!(
                "E20261116 07:00:00.000001 {} output.cpp:42] Opened result file: {place}",
                std::process::id()
            );
        };
        let (handler, for_handler) = (files.clone(), (job.clone(), formats.clone()));
        let handled = ctrlc::set_handler(move || {
            let _alone = WRITING.lock();
            handler(&for_handler.0, &for_handler.1);
            std::process::exit(143);
        });
        drop(handled);
        let code = run(program);
        let alone = WRITING.lock();
        files(job, &formats);
        if code != 0 {
            // What is written stays as it is until the end.
            std::mem::forget(alone);
            return code;
        }
    }
    0
}

fn wrong(what: &str) -> i32 {
    eprintln!("usage: rocprofv3 [options] -- <application> [application options]\nrocprofv3: error: {what}");
    2
}

const KERNELS: &str = "\
\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Stream_Id\",\"Thread_Id\",\"Dispatch_Id\",\"Kernel_Id\",\"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\",\"LDS_Block_Size\",\"Scratch_Size\",\"VGPR_Count\",\"Accum_VGPR_Count\",\"SGPR_Count\",\"Workgroup_Size_X\",\"Workgroup_Size_Y\",\"Workgroup_Size_Z\",\"Grid_Size_X\",\"Grid_Size_Y\",\"Grid_Size_Z\"
\"KERNEL_DISPATCH\",\"Agent 4\",1,1,7,1,10,\"vector_add(float*, float*, float*, int)\",1,1000000000,1003431611,0,0,8,0,16,256,1,1,1000000000,1,1
";

fn collected(counters: &[serde_json::Value]) -> String {
    let mut text = "\"Correlation_Id\",\"Dispatch_Id\",\"Agent_Id\",\"Queue_Id\",\"Process_Id\",\"Thread_Id\",\"Grid_Size\",\"Kernel_Id\",\"Kernel_Name\",\"Workgroup_Size\",\"LDS_Block_Size\",\"Scratch_Size\",\"VGPR_Count\",\"Accum_VGPR_Count\",\"SGPR_Count\",\"Counter_Name\",\"Counter_Value\",\"Start_Timestamp\",\"End_Timestamp\"\n".to_owned();
    for counter in counters {
        text.push_str(&format!(
            "1,1,\"Agent 4\",1,7,7,1000000000,10,\"vector_add(float*, float*, float*, int)\",256,0,0,8,0,16,{counter},15625000.000000,1000000000,1003431611\n"
        ));
    }
    text
}

fn results() -> String {
    serde_json::json!({"rocprofiler-sdk-tool": [{
        "metadata": {"node": {"hostname": "stand-in"}, "pid": 7, "init_time": 990_000_000_u64, "fini_time": 1_010_000_000_u64, "command": ["app"]},
        "agents": [
            {"size": 1, "id": {"handle": 1}, "type": 1, "node_id": 0, "name": "CPU"},
            {"size": 1, "id": {"handle": 4}, "type": 2, "node_id": 1, "name": "gfx942", "product_name": "AMD Instinct MI300X", "cu_count": 304, "max_engine_clk_fcompute": 2100, "wave_front_size": 64, "num_xcc": 8}
        ],
        "counters": [],
        "strings": {"buffer_records": [{"kind": "NONE", "operations": []}], "callback_records": []},
        "code_objects": [],
        "kernel_symbols": [
            {"kernel_id": 0, "kernel_name": ""},
            {"kernel_id": 1, "kernel_name": "_Z10vector_addPfS_S_i.kd", "formatted_kernel_name": "vector_add(float*, float*, float*, int)", "sgpr_count": 16, "arch_vgpr_count": 8, "accum_vgpr_count": 0}
        ],
        "host_functions": [], "summary": [], "callback_records": {"counter_collection": []},
        "buffer_records": {"kernel_dispatch": [dispatch(1, 1_000_000_000), dispatch(2, 1_005_000_000)], "hip_api": [], "hsa_api": [], "marker_api": [], "memory_copy": []}
    }]})
    .to_string()
}

fn dispatch(id: u64, start: u64) -> serde_json::Value {
    serde_json::json!({"size": 1, "kind": 11, "operation": 1, "thread_id": 7, "correlation_id": {"internal": id, "external": 0},
        "start_timestamp": start, "end_timestamp": start + 3_431_611,
        "dispatch_info": {"size": 1, "agent_id": {"handle": 4}, "queue_id": {"handle": 1}, "kernel_id": 1, "dispatch_id": id,
            "private_segment_size": 0, "group_segment_size": 0, "workgroup_size": {"x": 256, "y": 1, "z": 1}, "grid_size": {"x": 1_000_000_000_u64, "y": 1, "z": 1}},
        "stream_id": {"handle": 1}})
}
