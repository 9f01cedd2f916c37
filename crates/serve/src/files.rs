//! Files that the page keeps: the configuration of the roofline view, and the user's formulas.

use std::io::Write;
use std::path::{Path, PathBuf};

use eaves_app::npu_config::check_key;
use eaves_store::staging::StagedFile;
use serde_json::{Map, Value, json};

use crate::Problem;

/// Larger ones are something else.
const MOST_BYTES: u64 = 1 << 20;

/// What a configuration has if it does not say so: those of the NPU tool whose files these are.
const DEFAULTS: [(&str, f64); 7] = [
    ("peak_tops", 32.0),
    ("mem_bw", 50.0),
    ("mem_thresh", 40.0),
    ("comp_thresh", 40.0),
    ("issue_eff_limit", 50.0),
    ("issue_waste_limit", 20.0),
    ("issue_perf_limit", 1.0),
];

/// A configuration, and what was wrong with its file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Config {
    pub(crate) values: Map<String, Value>,
    pub(crate) problem: Option<String>,
}

/// Reads a configuration. What is missing has its default; a corrupt file is kept aside, and so never overwritten.
pub(crate) fn read_config(path: &Path) -> Config {
    let mut problem = None;
    let mut values = Map::new();
    match read_text(path) {
        Ok(None) => {}
        Ok(Some(text)) => match serde_json::from_str::<Value>(&text) {
            Ok(Value::Object(read)) => match checked(read) {
                Ok(read) => values = read,
                Err(wrong) => problem = Some(wrong.message().to_owned()),
            },
            Ok(_) => problem = Some("not a JSON object".to_owned()),
            Err(error) => problem = Some(error.to_string()),
        },
        Err(error) => return Config { values: with_defaults(values), problem: Some(error.to_string()) },
    }
    let problem = problem.map(|why| match keep_aside(path) {
        Ok(kept) => format!(
            "{} is corrupt ({why}) and was moved to {}; using defaults",
            path.display(),
            kept.display()
        ),
        Err(error) => format!(
            "{} is corrupt ({why}) and cannot be moved aside ({error}); using defaults",
            path.display()
        ),
    });
    Config { values: with_defaults(values), problem }
}

/// Writes a configuration. What nothing reads was mistyped.
pub(crate) fn write_config(path: &Path, values: Map<String, Value>) -> Result<Config, Problem> {
    values.keys().try_for_each(|key| check_key(key))?;
    let values = with_defaults(checked(values)?);
    let mut text = serde_json::to_string_pretty(&values).unwrap_or_default();
    text.push('\n');
    write_text(path, &text)?;
    Ok(Config { values, problem: None })
}

/// Numbers where numbers belong, and nothing but plain values.
fn checked(values: Map<String, Value>) -> Result<Map<String, Value>, Problem> {
    for (key, value) in &values {
        if value.is_array() || value.is_object() || key.len() > 100 {
            return Err(Problem::bad(format!("`{key}` is not a plain value")));
        }
        let number = value.as_f64().filter(|number| number.is_finite() && *number >= 0.0);
        let is_share = matches!(key.as_str(), "mem_thresh" | "comp_thresh");
        let is_known = DEFAULTS.iter().any(|(known, _)| known == key);
        if is_known && number.is_none() || is_share && number.is_some_and(|share| share > 100.0) {
            let what = if is_share { "a percentage from 0 to 100" } else { "a number of at least 0" };
            return Err(Problem::bad(format!("`{key}` is {what}")));
        }
    }
    if values.len() > 100 { Err(Problem::bad("more than 100 values")) } else { Ok(values) }
}

fn with_defaults(mut values: Map<String, Value>) -> Map<String, Value> {
    for (key, usual) in DEFAULTS {
        values.entry(key).or_insert_with(|| json!(usual));
    }
    values
}

/// Gives a file a name under which it is in nobody's way.
fn keep_aside(path: &Path) -> std::io::Result<PathBuf> {
    let named = |number: usize| {
        let mut name = path.as_os_str().to_owned();
        name.push(".corrupt");
        if number > 0 {
            name.push(format!("-{number}"));
        }
        PathBuf::from(name)
    };
    let free = (0..1_000).map(named).find(|path| !path.exists()).unwrap_or_else(|| named(0));
    std::fs::rename(path, &free)?;
    Ok(free)
}

/// The text of a file; nothing if there is none.
pub(crate) fn read_text(path: &Path) -> std::io::Result<Option<String>> {
    let size = match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => metadata.len(),
        Ok(_) => return Err(std::io::Error::other(format!("{} is no file", path.display()))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if size > MOST_BYTES {
        return Err(std::io::Error::other(format!("{} exceeds {MOST_BYTES} bytes", path.display())));
    }
    Ok(Some(String::from_utf8_lossy(&std::fs::read(path)?).into_owned()))
}

/// Writes a file that is there whole or as it was.
pub(crate) fn write_text(path: &Path, text: &str) -> Result<(), Problem> {
    let failed =
        |error: std::io::Error| Problem::failed(format!("cannot write {}: {}", path.display(), error.kind()));
    let mut file = StagedFile::create(path).map_err(failed)?;
    file.file().write_all(text.as_bytes()).map_err(failed)?;
    file.complete().map(drop).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_has_its_default() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("roofline_config.json");
        let config = read_config(&path);
        assert_eq!((config.values["peak_tops"].as_f64(), config.problem), (Some(32.0), None));
        assert!(!path.exists());
        std::fs::write(&path, r#"{"mem_bw": 100, "note": "mine"}"#).unwrap();
        let config = read_config(&path);
        assert_eq!(config.values["mem_bw"], 100);
        assert_eq!(config.values["comp_thresh"].as_f64(), Some(40.0));
        assert_eq!(config.values["note"], "mine");
    }

    #[test]
    fn a_corrupt_file_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.json");
        for (number, text) in ["{\"peak_tops\": ", "[1]", "{\"mem_thresh\": 400}"].into_iter().enumerate() {
            std::fs::write(&path, text).unwrap();
            let config = read_config(&path);
            assert_eq!(config.values["peak_tops"].as_f64(), Some(32.0));
            assert!(config.problem.unwrap().contains("corrupt"));
            let name =
                if number == 0 { "c.json.corrupt".to_owned() } else { format!("c.json.corrupt-{number}") };
            assert_eq!(std::fs::read_to_string(folder.path().join(name)).unwrap(), text);
            assert!(!path.exists());
        }
    }

    #[test]
    fn only_what_can_be_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.json");
        let map = |value: Value| value.as_object().unwrap().clone();
        for wrong in [
            json!({"peak_tops": "x"}),
            json!({"mem_bw": -1}),
            json!({"comp_thresh": 101}),
            json!({"name": []}),
            json!({"peak_topz": 8}),
        ] {
            assert!(write_config(&path, map(wrong)).is_err());
        }
        assert!(!path.exists());
        let written = write_config(&path, map(json!({"peak_tops": 8}))).unwrap();
        assert_eq!(read_config(&path), written);
    }
}
