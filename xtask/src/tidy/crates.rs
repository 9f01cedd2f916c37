//! Rules about crates: who may depend on whom, what a crate says of itself, where dependencies come from.

use super::Problem;
use super::manifest::section;
use super::sources::Sources;

/// The pipeline: which of our crates a crate may depend on. Everything else is an edge in the wrong direction.
const EDGES: [(&str, &[&str]); 13] = [
    // tidy-alphabetical-start
    ("analyze", &["model", "roofline"]),
    ("bench", &["model", "roofline"]),
    ("capture", &["model"]),
    ("cli", ALL),
    ("ingest", &["model", "store"]),
    ("model", &[]),
    ("present", &["analyze", "model", "roofline", "store", "webui"]),
    ("python", ALL_AND_CLI),
    ("query", &["analyze", "ingest", "model", "present", "roofline", "store"]),
    ("roofline", &["model"]),
    ("serve", ALL_BUT_OUTER),
    ("store", &["model"]),
    ("webui", &[]),
    // tidy-alphabetical-end
];

/// What the server may use: everything but the outermost crates, the server among them.
const ALL_BUT_OUTER: &[&str] =
    &["analyze", "bench", "capture", "ingest", "model", "present", "query", "roofline", "store", "webui"];

/// What the outermost crates may use: everything but each other.
const ALL: &[&str] = &[
    "analyze", "bench", "capture", "ingest", "model", "present", "query", "roofline", "serve", "store",
    "webui",
];

/// The Python package is the program too.
const ALL_AND_CLI: &[&str] = &[
    "analyze", "bench", "capture", "cli", "ingest", "model", "present", "query", "roofline", "serve",
    "store", "webui",
];

/// Crates that the core never sees, because the edges convert.
const OUTSIDE: [&str; 7] = ["axum", "clap", "hyper", "pyo3", "serde_json", "sonic-rs", "tokio"];
const CORE: [&str; 2] = ["analyze", "model"];

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Dependencies go along the pipeline only.
pub(super) fn edges(sources: &Sources) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (folder, manifest, text) in sources.crates() {
        let Some((_, allowed)) = EDGES.iter().find(|(name, _)| *name == folder) else {
            let message =
                format!("`{folder}` is not in the table of crates; add it to EDGES in tidy/crates.rs");
            problems.push(Problem::new(manifest, 1, message));
            continue;
        };
        for entry in section(text, "dependencies") {
            match entry.key.strip_prefix("eaves-") {
                Some(ours) if !allowed.contains(&ours) => {
                    let message = format!("`{folder}` must not depend on `{ours}`");
                    problems.push(Problem::new(manifest, entry.line, message));
                }
                None if CORE.contains(&folder) && OUTSIDE.contains(&entry.key) => {
                    let message = format!("`{folder}` is the core and must not see `{}`", entry.key);
                    problems.push(Problem::new(manifest, entry.line, message));
                }
                _ => {}
            }
        }
    }
    let tasks = "xtask/Cargo.toml";
    for entry in section(sources.get(tasks).unwrap_or_default(), "dependencies") {
        if entry.key.starts_with("eaves-") {
            let message = "tasks must not depend on what they build, test and measure";
            problems.push(Problem::new(tasks, entry.line, message));
        }
    }
    problems
}

/// Every crate says in one line what it knows.
pub(super) fn descriptions(sources: &Sources) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (_, manifest, text) in sources.crates() {
        let described = section(text, "package")
            .iter()
            .any(|entry| entry.key == "description" && entry.value.len() > "\"0123456789\"".len());
        if !described {
            problems.push(Problem::new(manifest, 1, "no description of at least ten characters"));
        }
    }
    problems
}

/// Everything is from crates.io.
pub(super) fn lock_file(sources: &Sources) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (name, text) in sources.ending("Cargo.lock") {
        for (index, line) in text.lines().enumerate() {
            let source = line.strip_prefix("source = \"").and_then(|rest| rest.strip_suffix('"'));
            if let Some(source) = source.filter(|source| *source != CRATES_IO) {
                problems.push(Problem::new(name, index + 1, format!("`{source}` is not crates.io")));
            }
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_against_the_stream_is_found() {
        let sources = Sources::of(&[
            ("crates/model/Cargo.toml", "[dependencies]\neaves-ingest.workspace = true\nclap = \"4\"\n"),
            ("crates/ingest/Cargo.toml", "[dependencies]\neaves-model.workspace = true\n"),
            ("crates/new/Cargo.toml", ""),
            ("xtask/Cargo.toml", "[dependencies]\neaves-model.workspace = true\n"),
        ]);
        let found: Vec<String> = edges(&sources).iter().map(Problem::to_string).collect();
        assert_eq!(
            found,
            [
                "crates/model/Cargo.toml:2: `model` must not depend on `ingest`",
                "crates/model/Cargo.toml:3: `model` is the core and must not see `clap`",
                "crates/new/Cargo.toml:1: `new` is not in the table of crates; add it to EDGES in tidy/crates.rs",
                "xtask/Cargo.toml:2: tasks must not depend on what they build, test and measure",
            ]
        );
    }

    #[test]
    fn other_registries_are_found() {
        let sources =
            Sources::of(&[("Cargo.lock", "name = \"a\"\nsource = \"git+https://example.org/a\"\n")]);
        assert_eq!(lock_file(&sources)[0].line, 2);
    }
}
