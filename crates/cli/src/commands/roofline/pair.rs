//! `--pair`: an input with a device of its own.

use std::path::PathBuf;

use eaves_ingest::Form;

/// An input and what it is held against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    /// A device of the catalogue or a peaks file.
    pub(super) peaks: Option<String>,
    pub(super) input: PathBuf,
    pub(super) dtype: Option<String>,
    pub(super) from: Option<Form>,
}

/// `peaks=a.yaml,input=a.csv,dtype=fp16,from=events`.
pub(super) fn parse(text: &str) -> Result<Pair, String> {
    let (mut peaks, mut input, mut dtype, mut from) = (None, None, None, None);
    for part in text.split(',') {
        let (key, value) =
            part.split_once('=').ok_or_else(|| format!("expected KEY=VALUE instead of `{part}`"))?;
        let value = value.trim().to_owned();
        match key.trim() {
            "peaks" | "device" => peaks = Some(value),
            "input" => input = Some(PathBuf::from(value)),
            "dtype" => dtype = Some(value),
            "from" | "fmt" => from = Some(super::form(&value)?),
            other => return Err(format!("no such key `{other}`; there are peaks, input, dtype and from")),
        }
    }
    let input = input.ok_or("expected an input: peaks=FILE,input=FILE")?;
    Ok(Pair { peaks, input, dtype, from })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_read_as_they_are_meant() {
        let pair = parse("peaks=a.yaml, input=b.csv,dtype=fp16,from=csv").unwrap();
        assert_eq!((pair.peaks.as_deref(), pair.dtype.as_deref()), (Some("a.yaml"), Some("fp16")));
        assert_eq!((pair.input, pair.from), (PathBuf::from("b.csv"), Some(Form::KernelsCsv)));
        for text in ["", "input", "peaks=a", "input=a,size=3", "input=a,from=xml"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
