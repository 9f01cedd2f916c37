//! `--pair`: an input with its device.

use std::path::PathBuf;
use std::str::FromStr;

use super::InputForm;

/// An input and the device to compare it with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// A catalog device or a peaks file.
    pub peaks: Option<String>,
    /// The input.
    pub input: PathBuf,
    /// The type of kernels that name none.
    pub dtype: Option<String>,
    /// What the input is.
    pub from: Option<InputForm>,
}

impl FromStr for Pair {
    type Err = String;

    /// `peaks=a.yaml,input=a.csv,dtype=fp16,from=events`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (mut peaks, mut input, mut dtype, mut from) = (None, None, None, None);
        for part in text.split(',') {
            let (key, value) =
                part.split_once('=').ok_or_else(|| format!("expected KEY=VALUE instead of `{part}`"))?;
            let value = value.trim().to_owned();
            match key.trim() {
                "peaks" | "device" => peaks = Some(value),
                "input" => input = Some(PathBuf::from(value)),
                "dtype" => dtype = Some(value),
                "from" | "fmt" => from = Some(value.parse()?),
                other => {
                    return Err(format!("unknown key `{other}`; keys are peaks, input, dtype and from"));
                }
            }
        }
        let input = input.ok_or("expected an input: peaks=FILE,input=FILE")?;
        Ok(Self { peaks, input, dtype, from })
    }
}

#[cfg(test)]
mod tests {
    use eaves_ingest::Form;

    use super::*;

    #[test]
    fn pairs_are_read_as_they_are_meant() {
        let pair = "peaks=a.yaml, input=b.csv,dtype=fp16,from=csv".parse::<Pair>().unwrap();
        assert_eq!((pair.peaks.as_deref(), pair.dtype.as_deref()), (Some("a.yaml"), Some("fp16")));
        assert_eq!((pair.input, pair.from), (PathBuf::from("b.csv"), Some(InputForm(Form::KernelsCsv))));
        for text in ["", "input", "peaks=a", "input=a,size=3", "input=a,from=xml"] {
            assert!(text.parse::<Pair>().is_err(), "{text}");
        }
    }
}
