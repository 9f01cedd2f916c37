//! `rocprof`, after its script `rpl_run.sh`.

use std::process::Command;

use super::{code, write};

const WITH_VALUE: [&str; 16] = [
    "-i",
    "-o",
    "-d",
    "-t",
    "-m",
    "--basenames",
    "--timestamp",
    "--ctx-wait",
    "--ctx-limit",
    "--heartbeat",
    "--trace-start",
    "--trace-period",
    "--flush-rate",
    "--obj-tracking",
    "--cmd-qts",
    "--tool-version",
];
const FLAGS: [&str; 8] = [
    "--stats",
    "--roctx-trace",
    "--hsa-trace",
    "--sys-trace",
    "--hip-trace",
    "--roctx-rename",
    "--parallel-kernels",
    "--verbose",
];

pub(super) fn main(arguments: &[String]) -> i32 {
    println!("RPL: on '261116_070000' from '/opt/rocm' in '.'");
    let (mut input, mut output, mut data, mut stats, mut hip, mut hsa) =
        (None, None, "/tmp".to_owned(), false, false, false);
    let mut timestamps = false;
    let mut rest = arguments;
    while let [first, after @ ..] = rest {
        if FLAGS.contains(&first.as_str()) {
            stats |= matches!(
                first.as_str(),
                "--stats" | "--hip-trace" | "--hsa-trace" | "--sys-trace" | "--roctx-trace"
            );
            hip |= matches!(first.as_str(), "--hip-trace" | "--sys-trace");
            hsa |= matches!(first.as_str(), "--hsa-trace" | "--sys-trace");
            rest = after;
        } else if WITH_VALUE.contains(&first.as_str()) {
            let Some((value, after)) = after.split_first() else { return 1 };
            match first.as_str() {
                "-i" => input = Some(value.clone()),
                "-o" if !value.ends_with(".csv") => {
                    println!("error: file name must have .CSV extension");
                    return 1;
                }
                "-o" => output = Some(value.clone()),
                "-d" => data = value.clone(),
                "--timestamp" => timestamps = value == "on",
                _ => {}
            }
            rest = after;
        } else {
            break;
        }
    }
    if let Some(option) = rest.first().filter(|word| word.starts_with('-')) {
        println!("/opt/rocm/bin/rocprof: Error: Wrong option '{option}'\n");
        return 1;
    }
    let output = output.unwrap_or_else(|| "results.csv".to_owned());
    // The arguments are put in double quotes and read by a shell again, which splits and joins them on the way.
    let quoted: Vec<String> = rest.iter().map(|word| format!("\"{word}\"")).collect();
    let line = quoted.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
    println!("RPL: profiling '{line}'\nRPL: input file '{}'", input.as_deref().unwrap_or_default());
    let passes: Vec<String> = match &input {
        None => vec![String::new()],
        Some(path) => match std::fs::read_to_string(path) {
            Err(_) => {
                println!("/opt/rocm/bin/rocprof: Error: Bad input file '{path}'\n");
                return 1;
            }
            Ok(text) => {
                text.lines().filter_map(|line| line.strip_prefix("pmc:")).map(str::to_owned).collect()
            }
        },
    };
    let results = format!("{data}/rpl_data_261116_070000_{}", std::process::id());
    println!("RPL: output dir '{results}'");
    let mut ended = 1;
    let mut counters: Vec<&str> = Vec::new();
    for (index, pass) in passes.iter().enumerate() {
        let result = format!("{results}/input{index}_results_261116_070000");
        println!("RPL: result dir '{result}'\nROCProfiler: input from \"{results}/input{index}.xml\"");
        println!("  {} metrics", pass.split_whitespace().count());
        if let Some(name) = pass.split_whitespace().find(|name| *name == "TCC_HIT" || *name == "TCP_READ") {
            println!("Profiling error found: 'input metric {name}' is not found'");
            return 1;
        }
        counters.extend(pass.split_whitespace());
        write(format!("{result}/results.txt"), &raw(pass));
        ended = match Command::new("sh").args(["-c", &format!("{{ {line}\n}} 2>&1")]).status() {
            Ok(status) => code(status),
            Err(_) => 127,
        };
        write(format!("{result}/exit.txt"), &format!("exit({ended})\n"));
        println!("\nROCPRofiler: 2 contexts collected, output directory {result}");
    }
    let named = |suffix: &str| output.replace(".csv", suffix);
    if stats {
        if !hip || hsa {
            table(&output, &[], true, true);
        }
        generated(&named(".stats.csv"), STATS);
        if hip {
            print!("scan hip API data 1:2\rscan hip API data 2:2\n");
            generated(
                &named(".hip_stats.csv"),
                "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\"\n\"hipLaunchKernel\",2,8000,4000,100.0\n",
            );
            generated(
                &named(".copy_stats.csv"),
                "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\"\n",
            );
        }
        println!("dump json 1:2");
        generated(&named(".json"), JSON);
        // What the real one wrote, where a test has it.
        if let Some(folder) = std::env::var_os("STAND_IN_RESULTS") {
            for suffix in [".db", ".json"] {
                let from = std::path::Path::new(&folder).join(format!("results{suffix}"));
                if std::fs::copy(&from, named(suffix)).is_err() {
                    println!("no results of the real profiler: {}", from.display());
                    return 1;
                }
            }
        }
    } else {
        table(&output, &counters, timestamps, false);
    }
    ended
}

const KERNEL: &str = "vector_add(float*, float*, float*, int) [clone .kd]";
const STATS: &str = "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\"\n\"vector_add(float*, float*, float*, int) [clone .kd]\",2,6863222,3431611,100.0\n";

fn raw(pass: &str) -> String {
    let mut text = String::new();
    for index in 0..2 {
        let begin = 1_000_000_000 + index * 5_000_000;
        text.push_str(&format!(
            "dispatch[{index}], gpu-id(4), queue-id(0), queue-index({index}), pid(7), tid(7), grd(1000000000), wgr(256), \
             lds(0), scr(0), arch_vgpr(8), accum_vgpr(0), sgpr(16), wave_size(64), sig(0x0), obj(0x7faada620900), \
             kernel-name(\"{KERNEL}\"), time({},{begin},{},{})\n",
            begin - 1000,
            begin + 3_431_611,
            begin + 3_440_000,
        ));
        for name in pass.split_whitespace() {
            text.push_str(&format!("  {name} (15625000)\n"));
        }
    }
    text
}

fn table(path: &str, counters: &[&str], timestamps: bool, quoted: bool) {
    let mut columns = vec![
        "Index",
        "KernelName",
        "gpu-id",
        "queue-id",
        "queue-index",
        "pid",
        "tid",
        "grd",
        "wgr",
        "lds",
        "scr",
        "arch_vgpr",
        "accum_vgpr",
        "sgpr",
        "wave_size",
        "sig",
        "obj",
    ];
    columns.extend(counters);
    if timestamps {
        columns.extend(["DispatchNs", "BeginNs", "EndNs", "CompleteNs"]);
    }
    if quoted {
        columns.push("DurationNs");
    }
    let quote = |text: &str| if quoted { format!("\"{text}\"") } else { text.to_owned() };
    let mut text = columns.iter().map(|column| quote(column)).collect::<Vec<_>>().join(",");
    text.push('\n');
    for index in 0..2_u64 {
        let begin = 1_000_000_000 + index * 5_000_000;
        text.push_str(&format!(
            "{index},\"{KERNEL}\",4,0,{index},7,7,1000000000,256,0,0,8,0,16,64,{},{}",
            quote("0x0"),
            quote("0x7faada620900")
        ));
        for _ in counters {
            text.push_str(",15625000.0000000000");
        }
        if timestamps {
            text.push_str(&format!(",{},{begin},{},{}", begin - 1000, begin + 3_431_611, begin + 3_440_000));
        }
        text.push_str(if quoted { ",3431611\n" } else { "\n" });
    }
    generated(path, &text);
}

fn generated(path: &str, content: &str) {
    write(path, content);
    println!("File '{path}' is generating");
}

/// Numbers are strings, the first element is empty, and `otherData` says one key twice.
const JSON: &str = r#"{ "traceEvents":[{}
,{"args":{"name":"0 CPU HIP API"},"ph":"M","pid":2,"name":"process_name","sort_index":1}
,{"args":{"name":"1 GPU0"},"ph":"M","pid":6,"name":"process_name","sort_index":2}
,{"ts":"999000","dur":"4","ph":"X","pid":2,"tid":7,"name":"hipLaunchKernel","args":{"BeginNs":"999000000","EndNs":"999004000","pid":"7","tid":"7","Name":"hipLaunchKernel","args":"( function_address(0x2) numBlocks({z(1) y(1) x(3906250}) dimBlocks({z(1) y(1) x(256}) args(0x7) sharedMemBytes(0) stream(1))","Index":"1","Data":"","DurationNs":"4000"}}
,{"ts":"1000000","dur":"3431","ph":"X","pid":6,"tid":1,"name":"vector_add(float*, float*, float*, int) [clone .kd]","args":{"BeginNs":"1000000000","EndNs":"1003431611","dev-id":"0","queue-id":"0","Name":"vector_add(float*, float*, float*, int) [clone .kd]","pid":"7","tid":"7","roctx-range":"","stream-id":"1","Index":"1","Data":"","DurationNs":"3431611"}}
,{"ts":"1005000","dur":"3431","ph":"X","pid":6,"tid":1,"name":"vector_add(float*, float*, float*, int) [clone .kd]","args":{"BeginNs":"1005000000","EndNs":"1008431611","dev-id":"0","queue-id":"0","Name":"vector_add(float*, float*, float*, int) [clone .kd]","pid":"7","tid":"7","roctx-range":"","stream-id":"1","Index":"2","Data":"","DurationNs":"3431611"}}
],
"otherData":{"Agent":"gfx942","Agent":"CPU"}}
"#;
