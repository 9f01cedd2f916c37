//! `ncu`, after its manual: a wide table with a row of units into the log file.

use super::{run, write};

const FLAGS: [&str; 5] = ["--csv", "--print-fp", "--disable-extra-suffixes", "--nvtx", "--query-metrics"];
const WITH_VALUE: [&str; 6] =
    ["--page", "--print-units", "--log-file", "--metrics", "--target-processes", "--chips"];
const METRICS: [&str; 18] = [
    "gpu__time_duration",
    "sm__cycles_elapsed",
    "dram__bytes",
    "dram__bytes_read",
    "dram__bytes_write",
    "lts__t_bytes",
    "l1tex__t_bytes",
    "sm__ops_path_tensor_src_bf16_dst_fp32",
    "sm__inst_executed_pipe_tensor",
    "smsp__sass_thread_inst_executed_op_dadd_pred_on",
    "smsp__sass_thread_inst_executed_op_dmul_pred_on",
    "smsp__sass_thread_inst_executed_op_dfma_pred_on",
    "smsp__sass_thread_inst_executed_op_fadd_pred_on",
    "smsp__sass_thread_inst_executed_op_fmul_pred_on",
    "smsp__sass_thread_inst_executed_op_ffma_pred_on",
    "smsp__sass_thread_inst_executed_op_hadd_pred_on",
    "smsp__sass_thread_inst_executed_op_hmul_pred_on",
    "smsp__sass_thread_inst_executed_op_hfma_pred_on",
];

pub(super) fn main(arguments: &[String]) -> i32 {
    let (mut flags, mut page, mut log, mut metrics) = (Vec::new(), String::new(), String::new(), Vec::new());
    let mut rest = arguments;
    while let [first, after @ ..] = rest {
        if FLAGS.contains(&first.as_str()) {
            flags.push(first.as_str());
            rest = after;
        } else if WITH_VALUE.contains(&first.as_str()) {
            let Some((value, after)) = after.split_first() else { return 1 };
            match first.as_str() {
                "--page" => page = value.clone(),
                "--log-file" => log = value.clone(),
                "--metrics" => metrics = value.split(',').map(str::to_owned).collect(),
                _ => {}
            }
            rest = after;
        } else if first.starts_with('-') {
            println!("==ERROR== unrecognised option '{first}'. Use --help for further information.");
            return 1;
        } else {
            break;
        }
    }
    if flags.contains(&"--query-metrics") {
        println!(
            "Device NVIDIA H100 (GH100)\n----- -----\nMetric Name  Metric Type  Metric Unit  Metric Description"
        );
        METRICS.iter().for_each(|name| println!("{name}  Counter  -  -"));
        return 0;
    }
    let always = |name: &str| name.starts_with("launch__") || name.starts_with("device__attribute_");
    let unknown =
        metrics.iter().find(|name| !always(name) && !METRICS.contains(&name.split('.').next().unwrap_or("")));
    if let Some(name) = unknown {
        println!("==ERROR== Failed to find metric {name}");
        return 1;
    }
    let code = run(rest);
    if page == "raw" && !log.is_empty() {
        write(&log, &table(&metrics));
    }
    code
}

fn table(metrics: &[String]) -> String {
    let identity = [
        "ID",
        "Process ID",
        "Process Name",
        "Host Name",
        "Kernel Name",
        "Context",
        "Stream",
        "Block Size",
        "Grid Size",
        "Device",
        "CC",
    ];
    let row = |cells: Vec<String>| {
        cells.iter().map(|cell| format!("\"{cell}\"")).collect::<Vec<_>>().join(",") + "\n"
    };
    let head = identity.iter().map(|name| (*name).to_owned()).chain(metrics.iter().cloned()).collect();
    let unit = |name: &String| match name.split('.').next().unwrap_or("") {
        "gpu__time_duration" => "ns",
        name if name.contains("bytes") => "byte",
        name if name.contains("inst_executed") => "inst",
        _ => "",
    };
    let units = identity
        .iter()
        .map(|_| String::new())
        .chain(metrics.iter().map(|name| unit(name).to_owned()))
        .collect();
    // Numbers follow the locale; so does the real one.
    let plain = std::env::var("LC_ALL").is_ok_and(|locale| locale == "C");
    let mut text = format!(
        "==PROF== Connected to process 7 (/app)\n==PROF== Disconnected from process 7\n{}{}",
        row(head),
        row(units)
    );
    for id in 0..2 {
        let same = [
            "7",
            "app",
            "127.0.0.1",
            "vector_add(float *, float *, float *, int)",
            "1",
            "7",
            "(256, 1, 1)",
            "(3906250, 1, 1)",
            "0",
            "9.0",
        ];
        let value = |name: &String| match name.split('.').next().unwrap_or("") {
            "device__attribute_display_name" => "NVIDIA H100 80GB HBM3".to_owned(),
            "gpu__time_duration" if plain => "3431611.00".to_owned(),
            "gpu__time_duration" => "3,431,611.00".to_owned(),
            "dram__bytes" => "12000000000.00".to_owned(),
            "smsp__sass_thread_inst_executed_op_fadd_pred_on" => "1000000000".to_owned(),
            _ => "0".to_owned(),
        };
        let cells = std::iter::once(format!("{id}"))
            .chain(same.iter().map(|cell| (*cell).to_owned()))
            .chain(metrics.iter().map(value));
        text.push_str(&row(cells.collect()));
    }
    text
}
