//! Architectures, counters and sets by name, and files that name counters.

use std::io::Read;
use std::path::Path;

use eaves_capture::counters::{
    Architecture, Dialect, Input, Problem, SETS, architecture, architectures, check,
};
use eaves_roofline::device::detect::Machine;

use crate::Failure;

/// Reads an input file.
///
/// # Errors
/// If it cannot be read, or is something else.
pub fn read_input(path: &Path) -> Result<Input, Failure> {
    /// Larger ones are something else.
    const LARGEST: u64 = 1 << 20;
    let failed = |reason: String| {
        let hint = "a counter file has lines such as `pmc: SQ_WAVES GRBM_COUNT`";
        Failure::new(format!("cannot read the counters: {reason}: {}", path.display()), hint)
    };
    let opened: std::io::Result<Box<dyn Read>> = if path == Path::new("-") {
        Ok(Box::new(std::io::stdin().lock()))
    } else {
        std::fs::File::open(path).map(|file| Box::new(file) as Box<dyn Read>)
    };
    let mut bytes = Vec::new();
    opened
        .and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes))
        .map_err(|error| failed(error.kind().to_string()))?;
    if bytes.len() as u64 > LARGEST {
        return Err(failed("larger than 1 MB".to_owned()));
    }
    Input::parse(&String::from_utf8_lossy(&bytes))
        .map_err(|error| Failure::new(format!("{error}: {}", path.display()), error.hint()))
}

/// The architecture of this machine's first device in the catalog.
pub fn architecture_here() -> Option<&'static Architecture> {
    Machine::here().detect().iter().find_map(|found| architecture(found.device.isa.as_deref()?))
}

/// The architecture of a name.
///
/// # Errors
/// If the catalog has none.
pub fn architecture_named(name: &str) -> Result<&'static Architecture, Failure> {
    /// `gfx9` begins half of them.
    const LEAST_IN_COMMON: usize = 5;
    let in_common =
        |known: &str| known.bytes().zip(name.bytes()).take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count();
    architecture(name).ok_or_else(|| {
        let nearest = architectures().max_by_key(|known| in_common(known));
        let hint = match nearest.filter(|known| in_common(known) >= LEAST_IN_COMMON) {
            Some(near) => format!("did you mean {near}?"),
            None => format!("architectures are {}", architectures().collect::<Vec<_>>().join(", ")),
        };
        Failure::usage(format!("no counters known for `{name}`"), hint)
    })
}

/// The counters of sets and names, all of which must exist.
///
/// # Errors
/// If the architecture lacks one.
pub fn counter_names(
    words: &[String],
    device: &'static Architecture,
    dialect: Dialect,
) -> Result<Vec<String>, Failure> {
    let mut names: Vec<String> = Vec::new();
    let mut wrong: Vec<String> = Vec::new();
    for word in words.iter().map(|word| word.trim()).filter(|word| !word.is_empty()) {
        if let Some(set) = SETS.iter().find(|set| set.id == word) {
            names.extend(set.counters(device).into_iter().map(str::to_owned));
            continue;
        }
        let checked = check(device, &[vec![word.to_owned()]], dialect);
        names.push(word.to_owned());
        wrong.extend(checked.problems.iter().map(problem_line));
    }
    if wrong.is_empty() {
        return Ok(names);
    }
    let hint = format!("`eaves counters list --arch {}` lists all; sets are {}", device.name, set_names());
    Err(Failure::usage(wrong.join("\n"), hint))
}

/// A problem in one line.
pub fn problem_line(problem: &Problem) -> String {
    let meant = problem.write.as_ref().map(|name| format!("; did you mean {name}?")).unwrap_or_default();
    format!("{}: {}{meant}", problem.name, problem.what)
}

/// The names of the sets.
pub fn set_names() -> String {
    SETS.iter().map(|set| set.id).collect::<Vec<_>>().join(", ")
}
