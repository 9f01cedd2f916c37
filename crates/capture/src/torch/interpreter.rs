//! Options of Python with which it would not import our `sitecustomize`.

use std::ffi::OsString;
use std::path::Path;

use crate::plan::Refused;

/// Refuses a command line of Python that keeps `PYTHONPATH` or `sitecustomize` out.
pub(super) fn check(program: &[OsString]) -> Result<(), Refused> {
    let Some((first, arguments)) = program.split_first() else { return Ok(()) };
    if !is_python(Path::new(first)) {
        return Ok(());
    }
    let Some((option, why)) = keeps_out(arguments) else { return Ok(()) };
    Err(Refused::new(
        format!("with -{option}, Python {why}, and nothing would be recorded"),
        format!("drop -{option}, or call torch.profiler in the script and pass its trace to `eaves report`"),
    ))
}

/// True if this is an interpreter of Python by its name: `python`, `python3`, `python3.14t`, `pypy3`.
fn is_python(program: &Path) -> bool {
    let Some(name) = program.file_name().and_then(|name| name.to_str()) else { return false };
    let name = name.to_ascii_lowercase();
    let name = name.strip_suffix(".exe").unwrap_or(&name);
    ["python", "pypy"].iter().any(|known| {
        name.strip_prefix(known)
            .is_some_and(|rest| rest.chars().all(|letter| letter.is_ascii_digit() || ".tdw".contains(letter)))
    })
}

/// The option that keeps us out, and what it does. Options end where the script, `-c` or `-m` begins.
fn keeps_out(arguments: &[OsString]) -> Option<(char, &'static str)> {
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let letters = argument.to_str()?.strip_prefix('-')?;
        if letters.is_empty() || letters.starts_with('-') {
            // `-` is the script itself; long options are `--check-hash-based-pycs MODE` and those that only print.
            if letters == "-check-hash-based-pycs" {
                arguments.next();
                continue;
            }
            return None;
        }
        for (at, letter) in letters.char_indices() {
            match letter {
                'I' => return Some(('I', "ignores PYTHONPATH")),
                'E' => return Some(('E', "ignores PYTHONPATH")),
                'S' => return Some(('S', "imports no sitecustomize")),
                'c' | 'm' => return None,
                // These take the rest of the word, or the next word.
                'W' | 'X' => {
                    if at + 1 == letters.len() {
                        arguments.next();
                    }
                    break;
                }
                _ => {}
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn option(line: &str) -> Option<char> {
        let words: Vec<OsString> = line.split(' ').map(Into::into).collect();
        let refused = check(&words).err()?;
        refused.what.strip_prefix("with -")?.chars().next()
    }

    #[test]
    fn options_that_keep_us_out_are_found_wherever_python_takes_them() {
        for (line, expected) in [
            ("python train.py", None),
            ("python -I train.py", Some('I')),
            ("python3 -uE train.py", Some('E')),
            ("/usr/bin/python3.12 -S -m torch.distributed.run", Some('S')),
            ("python -X importtime -I train.py", Some('I')),
            ("python -Ximporttime -W ignore -E x.py", Some('E')),
            // What comes after the script or its module is the script's.
            ("python train.py -I -E", None),
            ("python -m package -I", None),
            ("python -c print() -S", None),
            ("python - -S", None),
            // `s` keeps out the user's packages, which is another matter, and so does `W Error`.
            ("python -s -B -O train.py", None),
            ("python -W Error train.py", None),
            ("python -WError train.py", None),
            ("python --check-hash-based-pycs always -I x.py", Some('I')),
            ("pypy3 -E x.py", Some('E')),
            ("pythonista -I x.py", None),
            ("torchrun -I x.py", None),
        ] {
            assert_eq!(option(line), expected, "{line}");
        }
    }
}
