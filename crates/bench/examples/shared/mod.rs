//! Options of the command line, as all examples read them.

use eaves_bench::cpu::InstructionSet;

/// The value of an option, or what it is without.
pub(crate) fn option(name: &str, default: &str) -> String {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let at = arguments.iter().position(|argument| argument == name);
    at.and_then(|at| arguments.get(at + 1)).map_or(default, String::as_str).to_owned()
}

/// The parts of a list that are numbers.
pub(crate) fn numbers(list: &str, between: char) -> Vec<usize> {
    list.split(between).filter_map(|text| text.parse().ok()).collect()
}

/// The instructions of `--instructions`, or else the best that this processor has.
pub(crate) fn instructions(default: &str) -> InstructionSet {
    let wanted = option("--instructions", default);
    let mut known = InstructionSet::all().iter().copied();
    known.find(|instructions| instructions.to_string() == wanted).unwrap_or_else(InstructionSet::best)
}
