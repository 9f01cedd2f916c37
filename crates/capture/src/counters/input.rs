//! The input file of AMD's profilers: `pmc: A B` and a few lines that narrow down what is counted.
//!
//! The grammar is that of the script which reads it (ROCm/rocprofiler, `bin/txt2xml.sh`): `#` begins a comment; blanks
//! around `:` and `=` do not count; words are parted by blanks and commas; each `pmc` line is a run of the program, and
//! of `range`, `gpu` and `kernel` the last one holds for all of them.

use crate::request::CounterRequest;

/// Content of a counter file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// The counters and what they are counted of.
    pub request: CounterRequest,
    /// The number of the line of each pass.
    pub lines: Vec<usize>,
    /// Calls to be traced by name, by kind: `hip` or `hsa`.
    pub traced: Vec<(String, Vec<String>)>,
    /// Lines that the profiler makes nothing of, with their numbers.
    pub unknown: Vec<(usize, String)>,
}

/// Why a file is not an input file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// It is the other form that `rocprof` reads.
    #[error("XML, which only rocprof reads and which holds a single pass")]
    Xml,
    /// It is no text of counters at all.
    #[error("no `pmc:` line")]
    Empty,
}

impl InputError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Xml => {
                "write its metrics as `pmc: NAME NAME` lines in a .txt file; `eaves counters write` makes one"
            }
            Self::Empty => "a line is `pmc: SQ_WAVES GRBM_COUNT`; `eaves counters write` makes a file",
        }
    }
}

impl Input {
    /// Reads an input file.
    pub fn parse(text: &str) -> Result<Self, InputError> {
        if text.trim_start_matches('\u{feff}').trim_start().starts_with('<') {
            return Err(InputError::Xml);
        }
        let mut input = Self::default();
        for (index, line) in text.lines().enumerate() {
            let content = line.split('#').next().unwrap_or_default().trim_start_matches('\u{feff}').trim();
            if content.is_empty() {
                continue;
            }
            let Some((feature, rest)) = content.split_once(':') else {
                input.unknown.push((index + 1, content.to_owned()));
                continue;
            };
            let words = words(rest);
            match feature.trim() {
                "pmc" => {
                    input.request.passes.push(words);
                    input.lines.push(index + 1);
                }
                "range" => input.request.ranges = words,
                "gpu" => input.request.devices = words,
                "kernel" => input.request.kernels = words,
                kind @ ("hip" | "hsa") => input.traced.push((kind.to_owned(), words)),
                _ => input.unknown.push((index + 1, content.to_owned())),
            }
        }
        if input.request.passes.is_empty() && input.traced.is_empty() {
            return Err(InputError::Empty);
        }
        Ok(input)
    }
}

/// The words of a line, after what stands before its first colon.
fn words(text: &str) -> Vec<String> {
    let mut joined = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let blank = |letter: char| letter.is_whitespace() || letter == ',';
        if matches!(letter, ':' | '=') {
            joined.truncate(joined.trim_end().len());
            joined.push(letter);
            while letters.peek().is_some_and(|next| next.is_whitespace()) {
                letters.next();
            }
        } else {
            joined.push(if blank(letter) { ' ' } else { letter });
        }
    }
    joined.split_whitespace().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_manual_is_understood() {
        let text = "# Perf counters group 1\n\
            pmc : Wavefronts VALUInsts TCC_HIT[0], TCC_MISS[0]   # one run\n\
            range: 9\n\n\
            pmc:WriteSize,,  L2CacheHit\n\
            range: 1 : 4\n\
            gpu: 0 1 2 3\n\
            kernel: simple Pass1\n\
            hsa: hsa_queue_create, hsa_amd_memory_pool_allocate\n\
            pmc:\n\
            pcm: X\n\
            nothing here\n";
        let input = Input::parse(text).unwrap();
        assert_eq!(
            input.request.passes,
            [
                vec!["Wavefronts", "VALUInsts", "TCC_HIT[0]", "TCC_MISS[0]"],
                vec!["WriteSize", "L2CacheHit"],
                vec![]
            ]
        );
        assert_eq!(input.lines, [2, 5, 10]);
        // The last one holds.
        assert_eq!(input.request.ranges, ["1:4"]);
        assert_eq!(input.request.devices, ["0", "1", "2", "3"]);
        assert_eq!(input.request.kernels, ["simple", "Pass1"]);
        assert_eq!(input.traced.len(), 1);
        assert_eq!(input.unknown, [(11, "pcm: X".to_owned()), (12, "nothing here".to_owned())]);
    }

    #[test]
    fn what_is_no_input_file_is_refused() {
        assert_eq!(Input::parse("<metric name=SQ_WAVES></metric>"), Err(InputError::Xml));
        assert_eq!(Input::parse("\u{feff}  \n<metric/>"), Err(InputError::Xml));
        for text in ["", "# nothing\n", "range: 1\n", "GRBM_COUNT\n"] {
            assert_eq!(Input::parse(text), Err(InputError::Empty), "{text:?}");
        }
    }

    #[test]
    fn any_cut_of_a_file_is_read() {
        let text = "pmc: A[0], B\u{e9} : 3 = 4\nrange: : =\n\u{1f}kernel:,,,\n# x\npmc";
        for (at, _) in text.char_indices() {
            drop(Input::parse(&text[at..]));
            drop(Input::parse(&text[..at]));
        }
    }
}
