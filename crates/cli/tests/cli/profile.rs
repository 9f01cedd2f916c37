//! `eaves profile` from end to end, with stand-ins that take and refuse what the real profilers do.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use eaves_testing::data;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Answer, eaves, names};

/// The stand-in; built with the tests, but for those who ask for this test alone.
fn stand_in() -> PathBuf {
    let path = Path::new(env!("CARGO_BIN_EXE_eaves")).parent().unwrap().join("examples/stand_in");
    if !path.exists() {
        let built = Command::new(env!("CARGO"))
            .args(["build", "-p", "eaves-cli", "--example", "stand_in"])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .status();
        assert!(built.unwrap().success());
    }
    path
}

/// A directory with the profilers in `bin`.
fn machine(profilers: &[&str]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir(directory.path().join("bin")).unwrap();
    for name in profilers {
        std::os::unix::fs::symlink(stand_in(), directory.path().join("bin").join(name)).unwrap();
    }
    directory
}

fn command(machine: &TempDir, arguments: &[&str]) -> Command {
    let mut command = eaves(machine.path(), ["profile"].iter().chain(arguments));
    let path = std::env::var("PATH").unwrap();
    command.env("PATH", format!("{}:{path}", machine.path().join("bin").display())).env_remove("LC_ALL");
    command
}

fn profile(machine: &TempDir, arguments: &[&str]) -> Answer {
    command(machine, arguments).output().unwrap().into()
}

fn below(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name().into_string().unwrap();
        match entry.file_type().unwrap().is_dir() {
            true => found.extend(below(&entry.path()).into_iter().map(|file| format!("{name}/{file}"))),
            false => found.push(name),
        }
    }
    found.sort_unstable();
    found
}

const PROGRAM: [&str; 4] = ["--", "sh", "-c", "echo out; echo err >&2; exit ${CODE:-0}"];
const AMD: [&str; 3] = ["rocprof", "rocprofv2", "rocprofv3"];
const ALL: [&str; 5] = ["rocprof", "rocprofv2", "rocprofv3", "ncu", "nsys"];

#[test]
fn the_program_is_seen_and_the_profiler_is_not() {
    for tool in ALL {
        let machine = machine(&ALL);
        let answer = profile(&machine, &[&["--with", tool, "--output-dir", "out"], &PROGRAM[..]].concat());
        assert!(
            answer.stdout.starts_with("out\n")
                || answer.stdout.starts_with("\nout\n")
                || answer.stdout.starts_with("\n\nout\n"),
            "{tool}: {answer:?}"
        );
        for noise in
            ["RPL:", "File '", "scan hip", "ROCP", "phasing out", "==PROF==", "Generated", "E2026", "[1/1]"]
        {
            assert!(
                !answer.stdout.contains(noise) && !answer.stderr.contains(noise),
                "{tool}: {noise}: {answer:?}"
            );
        }
        // The first of AMD's lets both streams of the program run together.
        let err = if tool == "rocprof" { &answer.stdout } else { &answer.stderr };
        assert!(err.contains("err\n"), "{tool}: {answer:?}");
        let family = if AMD.contains(&tool) { "rocprof" } else { tool };
        let files = below(&machine.path().join(format!("out/{family}_raw")));
        let expected = match tool {
            "rocprof" => "results.hip_stats.csv",
            "rocprofv2" => "results_run.csv",
            "rocprofv3" => "run_results.json",
            "ncu" => "ncu.csv",
            _ => "report.nsys-rep",
        };
        assert!(files.iter().any(|file| file == expected), "{tool}: {files:?}");
        assert!(files.iter().any(|file| *file == format!("{tool}.log")), "{tool}: {files:?}");
    }
}

#[test]
fn recordings_are_reported_on_and_kernels_written() {
    for tool in ["rocprof", "rocprofv2", "rocprofv3", "ncu"] {
        let machine = machine(&[tool]);
        let answer =
            profile(&machine, &[&["--with", tool, "--json", "--output-dir", "out"], &PROGRAM[..]].concat());
        assert_eq!(answer.code, Some(0), "{tool}: {answer:?}");
        // An answer for programs is alone on stdout.
        assert!(answer.stderr.contains("out\n"), "{tool}: {answer:?}");
        let document: Value = serde_json::from_str(&answer.stdout).unwrap();
        assert_eq!(document["schema"], "eaves.profile/1");
        let sections = document["sections"].as_array().unwrap();
        let kernels = sections.iter().find(|section| section["id"] == "kernels").unwrap();
        let row = &kernels["tables"][0]["rows"][0];
        assert!(row[0].as_str().unwrap().starts_with("vector_add"), "{tool}: {row}");
        // Two launches of 3 431 611 ns each.
        let cells: Vec<&Value> = row.as_array().unwrap().iter().collect();
        assert!(
            cells.contains(&&Value::from(2)) && cells.contains(&&Value::from(6_863_222)),
            "{tool}: {row}"
        );
        let family = if tool == "ncu" { "ncu" } else { "rocprof" };
        assert_eq!(
            names(&machine.path().join("out")),
            [format!("{family}_kernels.parquet"), format!("{family}_raw")]
        );
    }
}

#[test]
fn the_exit_code_is_the_programs() {
    for tool in ALL {
        let machine = machine(&[tool]);
        let answer: Answer =
            command(&machine, &[&["--with", tool, "--env", "CODE=3"], &PROGRAM[..]].concat())
                .output()
                .unwrap()
                .into();
        assert_eq!(answer.code, Some(3), "{tool}: {answer:?}");
        assert!(answer.stderr.contains("note: the program ended with exit code 3"), "{tool}: {answer:?}");
    }
}

#[test]
fn arguments_arrive_as_they_are() {
    let word = "a  b \"c\" $HOME `id` \\ 'd' *";
    for tool in ALL {
        let machine = machine(&[tool]);
        let answer = profile(&machine, &["--with", tool, "--", "printf", "<%s>", word]);
        assert!(answer.stdout.contains(&format!("<{word}>")), "{tool}: {answer:?}");
    }
}

/// Profiles a shell script that prints `begun` and never ends. A machine may be too slow to begin it within the timeout; then
/// the timeout is longer.
fn profile_endless(tool: &str, grace: &str, script: &str) -> (TempDir, Answer) {
    let mut seconds = 1;
    loop {
        let machine = machine(&[tool]);
        let timeout = format!("{seconds}s");
        let options =
            ["--with", tool, "--timeout", &timeout, "--grace", grace, "--full", "--output-dir", "out"];
        let answer = profile(&machine, &[&options[..], &["--", "sh", "-c", script]].concat());
        assert_eq!(answer.code, Some(124), "{tool}: {answer:?}");
        if answer.stdout.contains("begun") {
            return (machine, answer);
        }
        seconds *= 4;
    }
}

#[test]
fn a_program_that_takes_too_long_is_ended_with_all_it_started() {
    for tool in ALL {
        let script = "sleep 3600 & echo $! > child; echo begun; sleep 3600";
        let (machine, answer) = profile_endless(tool, "600s", script);
        let child = std::fs::read_to_string(machine.path().join("child")).unwrap();
        let alive = Command::new("kill").args(["-0", child.trim()]).stderr(Stdio::null()).status().unwrap();
        assert!(!alive.success(), "{tool}: what the program started is still there");
        if ["rocprof", "rocprofv3"].contains(&tool) {
            assert!(answer.stdout.contains("vector_add"), "{tool}: what was written is shown: {answer:?}");
        }
        if tool == "rocprof" {
            let files = below(&machine.path().join("out/rocprof_raw/data"));
            assert!(files.iter().any(|file| file.ends_with("results.txt")), "{files:?}");
        }
    }
}

#[test]
fn a_program_that_ignores_the_request_is_ended_for_good() {
    // It would never end by itself.
    profile_endless("rocprofv2", "500ms", "trap '' TERM INT; echo begun; while :; do sleep 0.1; done");
}

#[test]
fn ctrl_c_stops_the_program_and_shows_what_there_is() {
    let machine = machine(&["rocprofv3"]);
    // No clock decides here: on a loaded machine the stand-in may take long to write its files.
    let program =
        ["--with", "rocprofv3", "--full", "--grace", "3600s", "--", "sh", "-c", "touch begun; sleep 3600"];
    let mut child =
        command(&machine, &program).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while !machine.path().join("begun").exists() {
        assert!(child.try_wait().unwrap().is_none(), "eaves ended before the program began");
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let status = child.wait().unwrap();
    let mut text = String::new();
    std::io::Read::read_to_string(&mut child.stdout.take().unwrap(), &mut text).unwrap();
    assert_eq!(status.code(), Some(130));
    assert!(text.contains("vector_add"), "{text}");
}

#[test]
fn a_signal_is_told_as_shells_do() {
    let machine = machine(&["rocprofv2"]);
    let answer = profile(&machine, &["--with", "rocprofv2", "--", "sh", "-c", "kill -SEGV $$"]);
    assert_eq!(answer.code, Some(139), "{answer:?}");
}

#[test]
fn counters_take_a_run_for_each_pass() {
    let text = "pmc: GRBM_COUNT, SQ_WAVES  # first\npmc: TCC_HIT_sum TCC_MISS_sum TCC_READ_sum TCC_WRITE_sum TCC_REQ_sum\n";
    for (tool, files) in [
        ("rocprof", &["results.csv"][..]),
        ("rocprofv2", &["pmc_1/results_run.csv", "pmc_2/results_run.csv", "pmc_3/results_run.csv"]),
        (
            "rocprofv3",
            &[
                "pass_1/run_counter_collection.csv",
                "pass_2/run_counter_collection.csv",
                "pass_3/run_counter_collection.csv",
            ],
        ),
    ] {
        let machine = machine(&[tool]);
        std::fs::write(machine.path().join("input.txt"), text).unwrap();
        let arguments = [
            "--with",
            tool,
            "--counters",
            "input.txt",
            "--arch",
            "gfx942",
            "--full",
            "--output-dir",
            "out",
            "--",
            "sh",
            "-c",
            "echo run",
        ];
        let answer = profile(&machine, &arguments);
        // The second pass has 5 counters of a block that has room for 4.
        assert_eq!(answer.stdout.matches("run\n").count(), 3, "{tool}: {answer:?}");
        assert!(
            answer.stderr.contains("pass 2 was split") && answer.stderr.contains("3 passes"),
            "{tool}: {answer:?}"
        );
        // All passes are one recording.
        assert_eq!(answer.code, Some(0), "{tool}: {answer:?}");
        assert!(answer.stdout.contains("eaves profile  1 input "), "{tool}: {answer:?}");
        assert!(answer.stdout.contains("vector_add"), "{tool}: {answer:?}");
        let found = below(&machine.path().join("out/rocprof_raw"));
        for file in files {
            assert!(found.iter().any(|found| found == file), "{tool}: {file}: {found:?}");
        }
        if tool == "rocprof" {
            let table = std::fs::read_to_string(machine.path().join("out/rocprof_raw/results.csv")).unwrap();
            assert!(
                table.lines().next().unwrap().ends_with("TCC_REQ_sum,DispatchNs,BeginNs,EndNs,CompleteNs"),
                "{table}"
            );
        }
    }
}

#[test]
fn a_trace_and_counters_are_one_recording() {
    for tool in AMD {
        let machine = machine(&[tool]);
        let arguments = [
            "--with",
            tool,
            "--hip",
            "--kernels",
            "--counters",
            "SQ_WAVES",
            "--arch",
            "gfx942",
            "--",
            "echo",
            "run",
        ];
        let answer = profile(&machine, &arguments);
        assert_eq!(answer.code, Some(0), "{tool}: {answer:?}");
        assert_eq!(answer.stdout.matches("run\n").count(), 2, "{tool}: {answer:?}");
        assert!(answer.stdout.contains("eaves profile  1 input "), "{tool}: {answer:?}");
    }
}

#[test]
fn what_cannot_work_is_said_before_the_program_runs() {
    let machine = machine(&["rocprof", "ncu", "nsys"]);
    std::fs::write(machine.path().join("input.txt"), "pmc: TCC_HIT TCP_READ\n").unwrap();
    std::fs::write(machine.path().join("input.xml"), "<metric name=SQ_WAVES></metric>").unwrap();
    std::fs::create_dir_all(machine.path().join("old/rocprof_raw")).unwrap();
    std::fs::write(machine.path().join("old/rocprof_raw/results.csv"), "").unwrap();
    for (arguments, message) in [
        (&["--with", "rocprofv3"][..], "sudo apt install rocprofiler-sdk"),
        (&["--with", "rocprofv9"], "rocprofv2"),
        (
            &["--with", "rocprof", "--counters", "input.txt", "--arch", "gfx90a"],
            "did you mean TCP_TOTAL_READ_sum?",
        ),
        (&["--with", "rocprof", "--counters", "input.xml"], "XML"),
        (&["--with", "rocprof", "--counters", "roofline", "--arch", "gfx943"], "did you mean gfx94"),
        (&["--with", "rocprof", "--counters", "missing.txt"], "missing.txt"),
        (&["--with", "rocprof", "--output-dir", "with blank"], "--output-dir"),
        (&["--with", "rocprof", "--output-dir", "old"], "earlier run"),
        (&["--with", "ncu", "--metrics", "dram__byte.sum"], "did you mean dram__bytes?"),
        (&["--with", "ncu", "--hip"], "nsys"),
        (&["--with", "nsys", "--hsa"], "HSA"),
        (&["--with", "nsys", "-o", "report.xyz"], ".html"),
        (&["--with", "nsys", "--env", "NOVALUE"], "NAME=VALUE"),
    ] {
        let answer = profile(&machine, &[arguments, &["--", "touch", "ran"]].concat());
        assert_eq!(answer.code, Some(2), "{arguments:?}: {answer:?}");
        assert!(answer.stderr.contains(message), "{arguments:?}: {answer:?}");
        assert!(!machine.path().join("ran").exists(), "{arguments:?}");
    }
    assert_eq!(names(machine.path()), ["bin", "input.txt", "input.xml", "old"]);
}

/// Whatever is asked for, no profiler is given something that it refuses.
#[test]
fn no_option_is_refused_by_the_profiler() {
    let options = ["--hip", "--hsa", "--sys", "--markers", "--kernels", "--stats", "--counters=SQ_WAVES"];
    for tool in AMD {
        let machine = machine(&[tool]);
        for choice in 0..1_u32 << options.len() {
            // Every single one, every pair, and all: more would say nothing new.
            if choice.count_ones() > 2 && choice.count_ones() < 7 {
                continue;
            }
            let mut arguments = vec!["--with", tool, "--arch", "gfx942"];
            arguments.extend(
                options
                    .iter()
                    .enumerate()
                    .filter(|(bit, _)| choice >> bit & 1 == 1)
                    .map(|(_, option)| *option),
            );
            arguments.extend(["--", "touch", "ran"]);
            let answer = profile(&machine, &arguments);
            for refusal in
                ["Wrong option", "error: file name", "Wrong input", "rocprofv3: error", "Fatal error"]
            {
                assert!(
                    !answer.stdout.contains(refusal) && !answer.stderr.contains(refusal),
                    "{arguments:?}: {answer:?}"
                );
            }
            assert!(machine.path().join("ran").exists(), "{arguments:?}: {answer:?}");
            std::fs::remove_file(machine.path().join("ran")).unwrap();
        }
    }
}

#[test]
fn a_profiler_that_fails_is_told_from_a_program_that_does() {
    let machine = machine(&["rocprof"]);
    // Without an architecture the wrong counter reaches the profiler.
    let arguments = ["--with", "rocprof", "--counters", "TCC_HIT", "--", "echo", "ran"];
    let answer = profile(&machine, &arguments);
    assert_eq!(answer.code, Some(2), "{answer:?}");
    assert!(answer.stderr.contains("rocprof failed: Profiling error found"), "{answer:?}");
    assert!(answer.stderr.contains("rocprof.log"), "{answer:?}");
}

#[test]
fn a_dry_run_prints_the_commands() {
    let machine = machine(&[]);
    let answer = profile(
        &machine,
        &[
            "--with",
            "rocprof",
            "--hip",
            "--env",
            "HIP_VISIBLE_DEVICES=0",
            "--dry-run",
            "--",
            "./app",
            "-n",
            "1",
        ],
    );
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let raw = machine.path().canonicalize().unwrap().join("eaves-profile/rocprof_raw").display().to_string();
    let expected = format!(
        "mkdir -p {raw}\nHIP_VISIBLE_DEVICES=0 rocprof --hip-trace -d {raw}/data -o {raw}/results.csv ./app -n 1\n"
    );
    assert_eq!(answer.stdout, expected);
    assert_eq!(names(machine.path()), ["bin"]);
    let wrong = profile(&machine, &["--with", "rocprof", "--env", "A B=1", "--dry-run", "--", "./app"]);
    assert!(wrong.code == Some(2) && wrong.stderr.contains("HIP_VISIBLE_DEVICES=0"), "{wrong:?}");
    let json = profile(&machine, &["--with", "nsys", "--dry-run", "--json", "--", "./app"]);
    let document: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(document["sections"][0]["tables"][0]["rows"].as_array().unwrap().len(), 2);
}

#[test]
fn the_export_of_a_timeline_is_reported_on() {
    let Some(sample) = data("formats/nvidia/nsys/perlmutter-cloverleaf-cuda.sqlite") else { return };
    let machine = machine(&["nsys"]);
    let answer: Answer =
        command(&machine, &["--with", "nsys", "--full", "--output-dir", "out", "--", "true"])
            .env("STAND_IN_SQLITE", &sample)
            .output()
            .unwrap()
            .into();
    let files = below(&machine.path().join("out/nsys_raw"));
    assert_eq!(files, ["nsys.log", "report.nsys-rep", "report.sqlite"], "{answer:?}");
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert!(answer.stdout.contains("A100"), "{answer:?}");
}

#[test]
fn programs_read_from_where_we_do() {
    let machine = machine(&["rocprofv3"]);
    let mut child = command(&machine, &["--with", "rocprofv3", "--", "cat"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"from stdin\n").unwrap();
    let answer: Answer = child.wait_with_output().unwrap().into();
    assert!(answer.stdout.starts_with("from stdin\n"), "{answer:?}");
}

/// What a real rocprof wrote on an MI300A: the report of the recording knows what a report of its folder knows.
#[test]
fn a_profile_is_the_report_of_its_folder() {
    let parse = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let traced = ["--hip", "--stats"];
    let counted = ["--counters", "SQ_WAVES"];
    let both = ["--hip", "--counters", "SQ_WAVES"];
    for (tool, recorded) in [
        ("rocprof", &[&traced[..], &counted, &both][..]),
        ("rocprofv2", &[&traced, &counted, &both]),
        // Its JSON has all that its tables have, and those of the stand-in are of another run.
        ("rocprofv3", &[&counted, &both]),
    ] {
        for options in recorded {
            let machine = machine(&[tool]);
            let place = ["--with", tool, "--arch", "gfx942", "--output-dir", "out", "--json"];
            let profiled = profile(&machine, &[&place[..], options, &PROGRAM[..]].concat());
            assert_eq!(profiled.code, Some(0), "{tool} {options:?}: {profiled:?}");
            let report: Answer =
                eaves(machine.path(), ["report", "out/rocprof_raw", "--json"]).output().unwrap().into();
            let (profiled, reported) = (parse(&profiled.stdout), parse(&report.stdout));
            let events = |document: &Value| -> Vec<u64> {
                let inputs = document["inputs"].as_array().unwrap();
                inputs.iter().map(|input| input["events"].as_u64().unwrap()).collect()
            };
            assert_eq!(events(&profiled), events(&reported), "{tool} {options:?}");
            assert_eq!(profiled["sections"], reported["sections"], "{tool} {options:?}");
            assert_eq!(profiled["skipped"], reported["skipped"], "{tool} {options:?}");
        }
    }
}

#[test]
fn a_recording_is_reported_as_its_folder_is() {
    let Some(results) = data("sources/003/real_rocprof_v1_vector_add") else { return };
    let machine = machine(&["rocprof"]);
    let arguments =
        ["--with", "rocprof", "--hip", "--stats", "--output-dir", "out", "-o", "profile.json", "--", "true"];
    let answer: Answer =
        command(&machine, &arguments).env("STAND_IN_RESULTS", &results).output().unwrap().into();
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let report: Answer =
        eaves(machine.path(), ["report", "out/rocprof_raw", "--json"]).output().unwrap().into();
    let parse = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let profiled = parse(&std::fs::read_to_string(machine.path().join("profile.json")).unwrap());
    let reported = parse(&report.stdout);
    let section = |document: &Value| {
        let sections = document["sections"].as_array().unwrap();
        sections.iter().find(|section| section["id"] == "roofline").cloned().unwrap_or_default()
    };
    assert!(section(&profiled)["numbers"].to_string().contains("AMD Instinct MI300A"), "{profiled}");
    assert_eq!(section(&profiled), section(&reported));
    assert_eq!(profiled["inputs"][0]["events"], reported["inputs"][0]["events"]);
}
