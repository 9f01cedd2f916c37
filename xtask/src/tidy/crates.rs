//! Rules about crates: who may depend on whom, what a crate says of itself, where dependencies come from.

use super::Problem;
use super::manifest::section;
use super::sources::Sources;

/// The pipeline: which of our crates a crate depends on. Any other edge goes in the wrong direction; an edge that no
/// longer exists is taken out, so that the list stays true.
const EDGES: [(&str, &[&str]); 17] = [
    // tidy-alphabetical-start
    ("analyze", &["assess", "model", "roofline", "section"]),
    ("app", OF_APP),
    ("assess", &["model", "roofline", "section"]),
    ("bench", &["roofline"]),
    ("capture", &["model"]),
    ("cli", OF_CLI),
    ("ingest", &["model", "store"]),
    ("model", &[]),
    ("present", &["model", "roofline", "section", "store", "webui"]),
    ("python", OF_PYTHON),
    ("query", &["analyze", "model", "roofline", "store"]),
    ("roofline", &["model"]),
    ("section", &["model"]),
    ("serve", &["analyze", "app", "model", "present", "query", "roofline", "store", "webui"]),
    ("store", &["model"]),
    ("testing", &[]),
    ("webui", &[]),
    // tidy-alphabetical-end
];

const OF_APP: &[&str] = &[
    "analyze", "assess", "bench", "capture", "ingest", "model", "present", "query", "roofline", "section",
    "store",
];

const OF_CLI: &[&str] = &["app", "capture", "ingest", "present", "section", "serve"];

/// The Python package is the program too.
const OF_PYTHON: &[&str] = &["app", "cli", "model", "present", "query", "section", "store"];

/// What only tests of a crate depend on.
const EDGES_OF_TESTS: [(&str, &[&str]); 10] = [
    // tidy-alphabetical-start
    ("analyze", &["ingest", "testing"]),
    ("app", &["testing"]),
    ("assess", &["ingest", "testing"]),
    ("bench", &["testing"]),
    ("capture", &["testing"]),
    ("cli", &["testing"]),
    ("ingest", &["testing"]),
    ("present", &["analyze", "assess", "ingest", "testing"]),
    ("query", &["ingest"]),
    ("roofline", &["testing"]),
    // tidy-alphabetical-end
];

/// Crates that the core never sees, because the edges convert.
const OUTSIDE: [&str; 7] = ["axum", "clap", "hyper", "pyo3", "serde_json", "sonic-rs", "tokio"];
const CORE: [&str; 3] = ["analyze", "assess", "model"];

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
        let of_tests =
            EDGES_OF_TESTS.iter().find(|(name, _)| *name == folder).map_or(&[][..], |(_, edges)| edges);
        problems.extend(unlisted(folder, manifest, text, "dependencies", allowed));
        problems.extend(unlisted(folder, manifest, text, "dev-dependencies", of_tests));
        for entry in section(text, "dependencies") {
            match entry.key.strip_prefix("eaves-") {
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

/// Edges that the list does not have, and those that only the list has.
fn unlisted(
    folder: &str,
    manifest: &str,
    text: &str,
    table: &str,
    listed: &'static [&'static str],
) -> Vec<Problem> {
    let entries = section(text, table);
    let is_there =
        |ours: &&&str| !entries.iter().any(|entry| entry.key.strip_prefix("eaves-") == Some(**ours));
    let gone = listed.iter().filter(is_there).map(|ours| {
        Problem::new(
            manifest,
            1,
            format!("`{folder}` no longer depends on `{ours}`: take it out of tidy/crates.rs"),
        )
    });
    let wrong = entries.iter().filter_map(|entry| {
        let ours = entry.key.strip_prefix("eaves-").filter(|ours| !listed.contains(ours))?;
        Some(Problem::new(manifest, entry.line, format!("`{folder}` must not depend on `{ours}`")))
    });
    gone.chain(wrong).collect()
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
            ("crates/store/Cargo.toml", "[dependencies]\neaves-model.workspace = true\n"),
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
    fn an_edge_of_tests_is_an_edge() {
        let sources = Sources::of(&[
            ("crates/store/Cargo.toml", "[dev-dependencies]\neaves-ingest.workspace = true\n"),
            ("crates/assess/Cargo.toml", ASSESS),
        ]);
        let found: Vec<String> = edges(&sources).iter().map(Problem::to_string).collect();
        assert_eq!(
            found,
            [
                "crates/store/Cargo.toml:1: `store` no longer depends on `model`: take it out of tidy/crates.rs",
                "crates/store/Cargo.toml:2: `store` must not depend on `ingest`",
            ]
        );
    }

    /// What the table says of this crate, to the letter.
    const ASSESS: &str = "[dependencies]\neaves-model.workspace = true\neaves-roofline.workspace = true\n\
                          eaves-section.workspace = true\n[dev-dependencies]\neaves-ingest.workspace = true\n\
                          eaves-testing.workspace = true\n";

    #[test]
    fn other_registries_are_found() {
        let sources =
            Sources::of(&[("Cargo.lock", "name = \"a\"\nsource = \"git+https://example.org/a\"\n")]);
        assert_eq!(lock_file(&sources)[0].line, 2);
    }
}
