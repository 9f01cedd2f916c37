//! `eaves counters`: names by architecture, checks of input files, and files that fit.

use serde_json::Value;

use crate::support::run;

#[test]
fn counters_are_listed_by_architecture() {
    let directory = tempfile::tempdir().unwrap();
    let answer =
        run(directory.path(), &["counters", "list", "--arch", "gfx942", "--search", "rdreq", "--json"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let document: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(document["schema"], "eaves.counters/1");
    let rows = document["sections"][0]["tables"][1]["rows"].as_array().unwrap();
    assert!(
        rows.iter().any(|row| row[1] == "TCC_EA0_RDREQ_sum") && rows.iter().all(|row| row[0] == "TCC"),
        "{rows:?}"
    );
    let wrong = run(directory.path(), &["counters", "list", "--arch", "gfx90b"]);
    assert!(wrong.code == Some(2) && wrong.stderr.contains("did you mean gfx90a?"), "{wrong:?}");
}

#[test]
fn a_file_is_checked_and_a_better_one_is_sound() {
    let directory = tempfile::tempdir().unwrap();
    let input = directory.path().join("input.txt");
    std::fs::write(
        &input,
        "pmc: GRBM_COUNT SQ_WAVES\npmc: TCC_HIT TCP_READ # as in many guides\nrange: 1 : 4\npcm: X\n",
    )
    .unwrap();
    let answer = run(directory.path(), &["counters", "check", "input.txt", "--arch", "gfx90a", "--json"]);
    assert_eq!(answer.code, Some(1), "{answer:?}");
    let document: Value = serde_json::from_str(&answer.stdout).unwrap();
    let problems = document["sections"][0]["tables"][0]["rows"].as_array().unwrap();
    let short: Vec<(i64, &str, &str)> = problems
        .iter()
        .map(|row| (row[0].as_i64().unwrap(), row[1].as_str().unwrap(), row[3].as_str().unwrap()))
        .collect();
    assert_eq!(
        short,
        [(2, "TCC_HIT", "TCC_HIT_sum"), (2, "TCP_READ", "TCP_TOTAL_READ_sum"), (4, "pcm: X", "")]
    );
    std::fs::write(&input, "pmc: GRBM_COUNT SQ_WAVES\npmc: TCC_HIT_sum TCP_TOTAL_READ_sum\n").unwrap();
    let sound = run(directory.path(), &["counters", "check", "input.txt", "--arch", "gfx90a"]);
    assert_eq!(sound.code, Some(0), "{sound:?}");
    std::fs::write(&input, "<metric name=SQ_WAVES></metric>").unwrap();
    let xml = run(directory.path(), &["counters", "check", "input.txt", "--arch", "gfx90a"]);
    assert!(xml.code == Some(2) && xml.stderr.contains("pmc: NAME"), "{xml:?}");
    let missing = run(directory.path(), &["counters", "check", "none.txt", "--arch", "gfx90a"]);
    assert!(missing.code == Some(2) && missing.stderr.contains("none.txt"), "{missing:?}");
}

#[test]
fn a_written_file_passes_the_check() {
    let directory = tempfile::tempdir().unwrap();
    for arch in ["gfx906", "gfx90a", "gfx942", "gfx950", "gfx1100"] {
        for set in ["roofline", "memory", "occupancy", "instructions", "lds"] {
            let written = run(
                directory.path(),
                &["counters", "write", "--for", set, "--arch", arch, "-o", "input.txt"],
            );
            assert_eq!((written.code, written.stdout.as_str()), (Some(0), ""), "{arch} {set}: {written:?}");
            let checked = run(directory.path(), &["counters", "check", "input.txt", "--arch", arch]);
            assert_eq!(checked.code, Some(0), "{arch} {set}: {checked:?}");
        }
    }
    let names = run(
        directory.path(),
        &["counters", "write", "--for", "SQ_WAVES,FETCH_SIZE,WRITE_SIZE", "--arch", "gfx942"],
    );
    // 3 and 2 counters of TCC do not fit together.
    assert_eq!(names.stdout, "pmc: SQ_WAVES FETCH_SIZE\npmc: WRITE_SIZE\n");
    let wrong = run(directory.path(), &["counters", "write", "--for", "TCP_READ", "--arch", "gfx942"]);
    assert!(wrong.code == Some(2) && wrong.stderr.contains("did you mean TCP_TOTAL_READ_sum?"), "{wrong:?}");
}

#[test]
fn counters_come_from_standard_input_too() {
    use std::io::Write;
    let directory = tempfile::tempdir().unwrap();
    let mut child = crate::support::eaves(directory.path(), ["counters", "check", "-", "--arch", "gfx90a"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"pmc: TCP_READ\n").unwrap();
    let answer = child.wait_with_output().unwrap();
    assert_eq!(answer.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&answer.stdout).contains("TCP_TOTAL_READ_sum"), "{answer:?}");
}
