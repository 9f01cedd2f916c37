//! The examples are simulated so that it is known what costs their time. The first finding has to be that.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::run;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn report(example: &str) -> Value {
    let answer = run(&root(), &["report", &format!("examples/{example}"), "--json"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    serde_json::from_str(&answer.stdout).unwrap()
}

/// The findings of all sections, in the order in which people see them.
fn findings(document: &Value) -> Vec<&Value> {
    let sections = document["sections"].as_array().unwrap();
    let mut findings: Vec<&Value> =
        sections.iter().flat_map(|section| section["findings"].as_array().unwrap()).collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding["gain_ns"][1].as_i64()));
    findings
}

fn ids<'a>(findings: &[&'a Value]) -> Vec<&'a str> {
    findings.iter().map(|finding| finding["id"].as_str().unwrap()).collect()
}

/// A number of a rank.
fn number(document: &Value, section: &str, id: &str, rank: i64) -> f64 {
    let section = document["sections"].as_array().unwrap().iter().find(|one| one["id"] == section).unwrap();
    let mut numbers = section["numbers"].as_array().unwrap().iter();
    numbers.find(|number| number["id"] == id && number["rank"] == rank).unwrap()["value"].as_f64().unwrap()
}

#[test]
fn nothing_is_found_in_a_healthy_job() {
    let document = report("healthy");
    assert_eq!(ids(&findings(&document)), [] as [&str; 0]);
    for rank in [0, 1] {
        assert!(number(&document, "temporal-breakdown", "busy_pct", rank) > 95.0);
    }
    let text = run(&root(), &["report", "examples/healthy"]).stdout;
    assert!(text.contains("No findings: nothing costs noticeable time."), "{text}");
}

/// By the simulation a step of this job has 67 kernels and 7 copies and memsets. A kernel takes 1.7 µs and little more; a
/// launch takes 2.4 to 4.8 µs by itself and comes with an operator around it, which takes 1.15 µs at least. So the
/// host needs more than 74 * 3.55 = 263 µs for a step, the device less than 74 * 2.5 = 185 µs and the all-reduce. A
/// read number costs the return from its wait, of 2.5 to 5.5 µs, and the launch of the next copy: four of them in a
/// step are less than 4 * 25 = 100 µs. So most of it is launching, and reading comes second.
#[test]
fn launching_is_what_a_job_of_short_kernels_waits_for() {
    let document = report("host-bound");
    let found = findings(&document);
    // The three short kernels of each linear backward repeat, so that fusing them comes third.
    assert_eq!(ids(&found), ["host_bound", "synchronisation", "fusion_candidate"]);
    let [launching, reading] = [0, 1].map(|index| found[index]["gain_ns"][1].as_i64().unwrap());
    assert!(launching > 100_000 && reading < 100_000, "{launching} {reading}");
    assert_eq!(found[0]["severity"], "critical");
    let facts = found[0]["evidence"].as_str().unwrap();
    assert!(facts.contains("74 launches per step"), "{facts}");
    assert!(found[0]["next"].as_str().unwrap().contains("CUDA graph"));
    let claim = found[1]["claim"].as_str().unwrap();
    assert!(claim.contains("`cudaStreamSynchronize` of `aten::item` at `train.py(52): train`"), "{claim}");
}

/// Two ranks, the second of which needs 390 to 440 µs to decode each of 16 samples, the first 52 to 68 µs. It has
/// nothing queued then, because the loss of the last step was read.
#[test]
fn a_rank_that_loads_slowly_is_found() {
    let document = report("training");
    let found = findings(&document);
    let place = ids(&found).iter().position(|id| *id == "data_loading").unwrap();
    // The other rank waits for this one inside the all-reduce.
    let before = &ids(&found)[..place];
    assert!(before.iter().all(|id| ["exposed_communication", "straggler"].contains(id)), "{before:?}");
    // It loads on the host, so its launches are what is late.
    let late = found.iter().find(|finding| finding["id"] == "straggler").unwrap()["claim"].as_str().unwrap();
    assert!(
        late.starts_with("the other ranks wait for rank 1 ") && late.ends_with("it launches late"),
        "{late}"
    );
    let claim = found[place]["claim"].as_str().unwrap();
    assert!(claim.starts_with("rank 1 is worst: "), "{claim}");
    let evidence = found[place]["evidence"].as_str().unwrap();
    assert!(evidence.contains("`dataset.py(41): decode`"), "{evidence}");
    let gain = found[place]["gain_ns"][1].as_i64().unwrap();
    // Samples, and in between what is not decoding.
    assert!((16 * 390_000..16 * 440_000 + 200_000).contains(&gain), "{gain}");
}

/// Two equal ranks over a link of 3 bytes a nanosecond. In a step they exchange 33 million parameters of an embedding
/// and a head, 1024 wide for 16000 words, two bytes each: 22 ms at least, of which the backward hides 7 ms at most.
#[test]
fn a_slow_link_is_found() {
    let document = report("communication-bound");
    let found = findings(&document);
    assert_eq!(ids(&found), ["exposed_communication"]);
    assert!(found[0]["gain_ns"][1].as_i64().unwrap() > 15_000_000);
}

#[test]
fn a_damaged_recording_is_read_as_far_as_it_goes() {
    let document = report("damaged");
    let warnings = document["warnings"].as_array().unwrap();
    let kinds: Vec<&str> = warnings.iter().map(|warning| warning["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["truncated", "garbage", "bad-timestamp", "implausible-duration"]);
    let sections: Vec<&str> = document["sections"]
        .as_array()
        .unwrap()
        .iter()
        .map(|section| section["id"].as_str().unwrap())
        .collect();
    for id in ["temporal-breakdown", "idle-causes", "kernels", "steps"] {
        assert!(sections.contains(&id), "{sections:?}");
    }
    // A kernel of 292 years is in no total.
    assert!(number(&document, "temporal-breakdown", "span_ns", 0) < 1e9);
}

/// The jobs are the same but for the network. The first step of both is short on the host, because the queue is empty.
#[test]
fn a_slow_network_is_slower_and_not_noise() {
    let answer = run(&root(), &["diff", "examples/healthy", "examples/communication-bound", "--json"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let document: Value = serde_json::from_str(&answer.stdout).unwrap();
    let found = findings(&document);
    assert_eq!(ids(&found), ["slower"]);
    assert!(found[0]["claim"].as_str().unwrap().contains("without the first step of each run"), "{found:?}");
    let numbers = document["sections"][0]["numbers"].as_array().unwrap();
    let value = |id: &str| numbers.iter().find(|number| number["id"] == id).unwrap()["value"].clone();
    // Two ranks with four steps each.
    assert_eq!((value("base_steps"), value("base_left_out_steps")), (6.into(), 2.into()));
}
