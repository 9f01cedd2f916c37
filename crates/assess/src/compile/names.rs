//! How places and functions are called in tables and sentences.

use eaves_model::StringId;
use eaves_model::compile::{Compile, CompileLog};

/// `comp.py:12`, by the name of the file alone.
pub(super) fn place(file: &str, line: u32) -> String {
    format!("{}:{line}", file_name(file))
}

/// The last part of a path.
pub(super) fn file_name(file: &str) -> &str {
    file.rsplit(['/', '\\']).next().unwrap_or(file)
}

/// The function of a compilation, without what Dynamo calls the rest of it behind a graph break.
pub(super) fn function(log: &CompileLog, compile: &Compile) -> String {
    match log.strings.get(compile.function) {
        "" => "?".to_owned(),
        name => match resumed(name) {
            Some((function, line)) => format!("{function} (from line {line})"),
            None => name.to_owned(),
        },
    }
}

/// `torch_dynamo_resume_in_f_at_12` is the rest of `f` from line 12.
pub(super) fn resumed(name: &str) -> Option<(&str, u32)> {
    let (function, line) = name.strip_prefix("torch_dynamo_resume_in_")?.rsplit_once("_at_")?;
    Some((function, line.parse().ok()?))
}

/// The compilation that something of a log belongs to.
pub(super) fn compile_of(log: &CompileLog, at: Option<u32>) -> Option<&Compile> {
    log.compiles.get(at? as usize)
}

/// The text of an id that may not be there.
pub(super) fn text(log: &CompileLog, id: Option<StringId>) -> Option<&str> {
    id.map(|id| log.strings.get(id))
}

/// True for files of PyTorch itself and of what runs tests and notebooks.
pub(super) fn is_library(file: &str) -> bool {
    const LIBRARIES: &[&str] = &[
        "/site-packages/torch/",
        "/dist-packages/torch/",
        "/pytorch/torch/",
        "/site-packages/ipykernel/",
        "/site-packages/IPython/",
        "/site-packages/_pytest/",
        "/site-packages/pluggy/",
        "/unittest/",
        "<frozen ",
        "/runpy.py",
    ];
    let file = file.replace('\\', "/");
    LIBRARIES.iter().any(|part| file.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short() {
        assert_eq!(place("/srv/proj/comp.py", 12), "comp.py:12");
        assert_eq!(resumed("torch_dynamo_resume_in_with_breaks_at_12"), Some(("with_breaks", 12)));
        assert_eq!(resumed("forward"), None);
        assert!(is_library("/usr/lib/python3.11/site-packages/torch/nn/modules/module.py"));
        assert!(!is_library("/srv/torch/model.py"));
    }
}
