//! What a build without a feature says: what is missing, and the command that adds it.
#![cfg(any(not(feature = "cloud"), not(feature = "cuda"), not(feature = "png")))]

use crate::support::{TRACE, run};

/// Fails like a wrong argument, names what is missing and how to get it, and leaves no file behind.
fn is_missing(arguments: &[&str], what: &str, feature: &str) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("trace.json"), TRACE).unwrap();
    let answer = run(folder.path(), arguments);
    assert_eq!((answer.code, answer.stdout.as_str()), (Some(2), ""), "{answer:?}");
    let hint = format!("--features {feature}");
    assert!(answer.stderr.contains(what) && answer.stderr.contains(&hint), "{}", answer.stderr);
    let files = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(files, 1, "only the trace is there");
}

#[cfg(not(feature = "png"))]
#[test]
fn a_build_without_png_says_how_to_get_it() {
    is_missing(&["timeline", "trace.json", "-o", "t.png"], "no PNG", "png");
    is_missing(&["flame", "trace.json", "-o", "f.png"], "no PNG", "png");
}

#[cfg(not(feature = "cloud"))]
#[test]
fn a_build_without_object_stores_says_how_to_get_them() {
    is_missing(&["report", "s3://bucket/job"], "no object store support", "cloud");
    is_missing(&["ingest", "trace.json", "-o", "gs://bucket/dataset"], "no object store support", "cloud");
}

#[cfg(not(feature = "cuda"))]
#[test]
fn a_build_without_cuda_says_how_to_get_it() {
    is_missing(&["bench", "gemv", "--backend", "cuda"], "without CUDA", "cuda");
}
