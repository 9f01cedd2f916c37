//! `--counters`: a file, names or sets, as passes that the device can count.

use std::path::Path;

use eaves_capture::counters::{
    self as hardware, Architecture, Dialect, Fault, Input, SETS, architecture, architectures,
};
use eaves_capture::{CounterRequest, Tool};

use eaves_app::verbs::counters::{
    architecture_here, architecture_named, counter_names, problem_line, read_input, set_names,
};

use super::Arguments;
use crate::failure::hinted;

/// What to count, and what of it was changed.
#[derive(Debug, Default)]
pub(super) struct Counted {
    pub(super) request: CounterRequest,
    pub(super) notes: Vec<String>,
}

/// What `--counters` means for a profiler.
pub(super) fn counters(arguments: &Arguments, tool: &Tool) -> anyhow::Result<Counted> {
    let Some(text) = &arguments.counters else { return Ok(Counted::default()) };
    let device = match &arguments.arch {
        Some(name) => Some(architecture_named(name)?),
        None => architecture_here(),
    };
    let dialect = Dialect::of_tool(tool.id);
    let path = Path::new(text);
    let is_file = path.is_file() || path.extension().is_some_and(|end| end == "txt" || end == "xml");
    if is_file {
        return from_file(read_input(path)?, device, dialect, tool);
    }
    let words: Vec<String> =
        text.split([',', ' ']).filter(|word| !word.is_empty()).map(str::to_owned).collect();
    let Some(device) = device else { return unchecked(words, tool) };
    let names = counter_names(&words, device, dialect)?;
    let request = CounterRequest { passes: hardware::fit(device, &names), ..CounterRequest::default() };
    let notes = several(&request).into_iter().collect();
    Ok(Counted { request, notes })
}

fn from_file(
    input: Input,
    device: Option<&'static Architecture>,
    dialect: Dialect,
    tool: &Tool,
) -> anyhow::Result<Counted> {
    let mut counted = Counted { request: input.request, notes: Vec::new() };
    for (line, text) in &input.unknown {
        counted.notes.push(format!("skipping line {line} of the counter file: {text}"));
    }
    if !input.traced.is_empty() {
        counted.notes.push("ignoring lists of calls to trace; --hip and --hsa trace all".to_owned());
    }
    let Some(device) = device else {
        let words = counted.request.passes.iter().flatten().cloned().collect();
        let names = unchecked(words, tool)?;
        counted.notes.extend(names.notes);
        return Ok(counted);
    };
    let checked = hardware::check(device, &counted.request.passes, dialect);
    // A block without room is not a fault of a name; its pass is split.
    let names: Vec<String> = checked
        .problems
        .iter()
        .filter(|problem| problem.fault == Fault::Name)
        .map(|problem| {
            let line = input.lines.get(problem.pass).copied().unwrap_or_default();
            format!("line {line}: {}", problem_line(problem))
        })
        .collect();
    if !names.is_empty() {
        let hint = format!(
            "`eaves counters check FILE --arch {} --with {}` shows what to write",
            device.name, tool.id
        );
        return Err(hinted(names.join("\n"), hint));
    }
    for problem in &checked.problems {
        counted.notes.push(format!("pass {} was split: {}", problem.pass + 1, problem_line(problem)));
    }
    counted.request.passes = checked.passes;
    counted.notes.extend(several(&counted.request));
    Ok(counted)
}

/// The names of an unknown device: that they exist on some is all that can be checked.
fn unchecked(words: Vec<String>, tool: &Tool) -> anyhow::Result<Counted> {
    if let Some(set) = words.iter().find(|word| SETS.iter().any(|set| set.id == **word)) {
        return Err(hinted(
            format!("the counters of `{set}` depend on the device, and no AMD device was detected"),
            "name the architecture, such as --arch gfx942",
        ));
    }
    let known = |name: &str| {
        let base = name.split('[').next().unwrap_or(name);
        architectures()
            .any(|device| architecture(device).is_some_and(|device| device.counter(base).is_some()))
    };
    if let Some(name) = words.iter().find(|name| !known(name)) {
        let newest = architecture("gfx942");
        let meant = newest.and_then(|device| {
            let checked = hardware::check(device, &[vec![name.clone()]], Dialect::of_tool(tool.id));
            checked.problems.into_iter().find_map(|problem| problem.write)
        });
        let hint = match meant {
            Some(meant) => format!("did you mean {meant}?"),
            None => format!("`eaves counters list --arch GFX` lists them; sets are {}", set_names()),
        };
        return Err(hinted(format!("unknown counter `{name}`"), hint));
    }
    let note = "unknown device: use --arch to check names and passes before the program runs";
    let request = CounterRequest { passes: vec![words], ..CounterRequest::default() };
    Ok(Counted { request, notes: vec![note.to_owned()] })
}

/// People wonder why their program runs several times.
fn several(request: &CounterRequest) -> Option<String> {
    let passes = request.passes.len();
    (passes > 1).then(|| format!("the counters need {passes} passes; the program runs once per pass"))
}
