//! `rocprofv2`, after its script.

use super::{run, write};

const FLAGS: [&str; 13] = [
    "--hip-api",
    "--hip-activity",
    "--hip-trace",
    "--hsa-api",
    "--hsa-activity",
    "--hsa-trace",
    "--roctx-trace",
    "--kernel-trace",
    "--sys-trace",
    "--basenames",
    "-ns",
    "--no-serialization",
    "--disable-json-data-flows",
];
const WITH_VALUE: [&str; 14] = [
    "-i",
    "--input",
    "-o",
    "--output-file-name",
    "-d",
    "--output-directory",
    "-m",
    "--plugin",
    "--plugin-version",
    "-fi",
    "--flush-interval",
    "-tp",
    "--trace-period",
    "--tool-version",
];

pub(super) fn main(arguments: &[String]) -> i32 {
    println!("\n\u{1b}[0;31mWARNING: We are phasing out development and support for rocprofv2\u{1b}[0m\n");
    let (mut input, mut directory, mut flags) = (None, ".".to_owned(), Vec::new());
    let mut rest = arguments;
    while let [first, after @ ..] = rest {
        if FLAGS.contains(&first.as_str()) {
            flags.push(first.as_str());
            rest = after;
        } else if WITH_VALUE.contains(&first.as_str()) {
            let Some((value, after)) = after.split_first() else { return 1 };
            match first.as_str() {
                "-i" | "--input" => input = Some(value.clone()),
                "-d" | "--output-directory" => directory = value.clone(),
                "--plugin"
                    if !["cli", "file", "json", "perfetto", "ctf", "att"].contains(&value.as_str()) =>
                {
                    println!("Wrong input \"{value}\" for plugin!");
                    return 1;
                }
                _ => {}
            }
            rest = after;
        } else if first.starts_with('-') {
            println!("Wrong option \"{first}\", Please use the following options:\n");
            return 1;
        } else {
            break;
        }
    }
    let Some(input) = input else {
        let code = run(rest);
        let name = |kind: &str| format!("{directory}/{kind}_{}.csv", std::process::id());
        if flags.contains(&"--kernel-trace") {
            write(name("results"), &results(""));
        }
        if flags.iter().any(|flag| matches!(*flag, "--hip-trace" | "--sys-trace")) {
            let calls = "Domain,Function,Start_Timestamp,End_Timestamp,Correlation_ID\n\nHIP_API_DOMAIN,hipLaunchKernel,999000000,999004000,1\n";
            write(name("hip_api_trace"), calls);
        }
        return code;
    };
    let Ok(text) = std::fs::read_to_string(&input) else {
        println!("Error: \"{input}\" doesn't exist!");
        return 1;
    };
    for (index, line) in text.lines().filter(|line| line.contains("pmc")).enumerate() {
        let code = run(rest);
        if code != 0 {
            return code;
        }
        let path = format!("{directory}/pmc_{}", index + 1);
        let counters = line.split_once(':').map_or("", |(_, names)| names.trim());
        write(format!("{path}/results_{}.csv", std::process::id()), &results(counters));
        println!("\nThe output path for the following counters: {path}");
    }
    0
}

fn results(counters: &str) -> String {
    let names: Vec<&str> = counters.split_whitespace().collect();
    let columns: String = names.iter().map(|name| format!(",{name}")).collect();
    let values: String = names.iter().map(|_| ",15625000.000000").collect();
    format!(
        "Dispatch_ID,GPU_ID,Queue_ID,PID,TID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,Scratch_Per_Workitem,Arch_VGPR,\
         Accum_VGPR,SGPR,Wave_Size,Kernel_Name,Start_Timestamp,End_Timestamp,Correlation_ID{columns}\n\
         1,60633,1,7,7,1000000000,256,0,0,8,0,16,64,\"vector_add.kd\",1000000000,1003431611,1{values}\n\
         2,60633,1,7,7,1000000000,256,0,0,8,0,16,64,\"vector_add.kd\",1005000000,1008431611,2{values}\n"
    )
}
