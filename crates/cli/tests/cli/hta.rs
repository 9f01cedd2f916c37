//! `eaves hta`: its own keys, and what they say when there is nothing to say.

use serde_json::{Value, json};

use crate::support::{TRACE, run};

fn answer(trace: &str) -> Value {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("trace.json"), trace).unwrap();
    let answer = run(directory.path(), &["hta", "trace.json", "--json"]);
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{answer:?}");
    serde_json::from_str(&answer.stdout).unwrap()
}

/// The span is 10..110: computing 30 + 10, communicating 50, nothing 10.
#[test]
fn the_keys_of_other_tools_have_the_values_of_the_sections() {
    let hta = answer(TRACE);
    let breakdown = &hta["temporal_breakdown"];
    for (key, value) in [
        ("compute_pct", 40.0),
        ("communication_pct", 50.0),
        ("memory_pct", 0.0),
        ("gpu_idle_pct", 10.0),
        ("gpu_idle_time_pct", 10.0),
        ("communication_total_pct", 50.0),
    ] {
        assert_eq!(breakdown[key], value, "{key}");
    }
    let kernels = hta["kernel_analysis"]["top_kernels"].as_array().unwrap();
    assert_eq!(kernels.len(), 3);
    assert_eq!((&kernels[1]["name"], &kernels[1]["count"]), (&json!("gemm"), &json!(1)));
    assert_eq!((&kernels[1]["time_us"], &kernels[1]["duration_us"]), (&json!(30.0), &json!(30.0)));
    let launches = &hta["kernel_analysis"]["launch_stats"];
    assert_eq!((&launches["total_kernels"], &launches["by_rank"][0]["calls"]), (&json!(3), &json!(3)));
    assert_eq!(hta["communication"]["breakdown"]["overlap_pct"], 0.0);
    assert_eq!(hta["communication"]["collective_ops"][0]["time_us"], 50.0);
    assert_eq!(hta["memory"]["bandwidth_gbps"], Value::Null);
    assert_eq!(hta["memory"]["missing"]["bandwidth_gbps"], "no memcpy or memset has a known size");
    let bottlenecks = hta["bottlenecks"].as_array().unwrap();
    // The step goes on behind the last kernel: a tail as long as the longest gap counts, so 50 µs are of 110.
    assert!(bottlenecks[0].as_str().unwrap().contains("exposed communication takes 45.5%"));
    assert!(!hta["recommendations"].as_array().unwrap().is_empty());
    assert_eq!(hta["sections"][0]["id"], "hta-summary");
}

#[test]
fn what_was_not_recorded_is_null_and_says_why() {
    let hta = answer(
        r#"[{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 2}]"#,
    );
    for (object, key) in [
        ("temporal_breakdown", "gpu_idle_pct"),
        ("temporal_breakdown", "memory_pct"),
        ("kernel_analysis", "top_kernels"),
        ("kernel_analysis", "launch_stats"),
        ("communication", "breakdown"),
        ("communication", "collective_ops"),
        ("memory", "bandwidth_gbps"),
        ("memory", "efficiency_pct"),
    ] {
        assert_eq!(hta[object][key], Value::Null, "{object}.{key}");
        assert!(hta[object]["missing"][key].is_string(), "{object}.{key}");
    }
    assert_eq!((&hta["bottlenecks"], &hta["recommendations"]), (&json!([]), &json!([])));
}

#[test]
fn a_page_is_made_of_it() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("trace.json"), TRACE).unwrap();
    let answer = run(directory.path(), &["hta", "trace.json", "-o", "hta_report.html"]);
    assert_eq!((answer.code, answer.stdout.as_str()), (Some(0), ""), "{answer:?}");
    let page = std::fs::read_to_string(directory.path().join("hta_report.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("id=\"hta-summary\""));
}
