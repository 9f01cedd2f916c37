//! `eaves counters`: hardware counters of AMD devices, and the file that profilers read them from.

mod sections;

use std::io::Read;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use eaves_analyze::section::{Outcome, Section};
use eaves_capture::counters::{Architecture, Dialect, Input, SETS, architecture, architectures, check, fit};
use eaves_present::Document;
use eaves_roofline::device::detect::Machine;

use crate::Status;
use crate::arguments::OutputArguments;
use crate::failure::hinted;
use eaves_app::HELP_TEMPLATE;

/// List, check and choose hardware counters of AMD devices
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves counters list --arch gfx942 --search TCC
  eaves counters check input.txt --arch gfx942
  eaves counters write --for roofline --arch gfx942 -o input.txt"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    List(List),
    Check(Check),
    Write(Write),
}

/// List counters by block
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves counters list --arch gfx90a
  eaves counters list --arch gfx942 --search mfma
  eaves counters list                     architectures and sets"
)]
struct List {
    /// Of this architecture; that of this machine if it has one
    #[arg(long, value_name = "GFX")]
    arch: Option<String>,
    /// Only those with this in their name
    #[arg(long, value_name = "TEXT")]
    search: Option<String>,
}

/// Check names, instances and passes of an input file
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves counters check input.txt --arch gfx942
  eaves counters check input.txt --arch gfx90a --with rocprofv3"
)]
struct Check {
    /// The file: `pmc: NAME NAME` lines; `-` reads standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// For this architecture; that of this machine if it has one
    #[arg(long, value_name = "GFX")]
    arch: Option<String>,
    /// For this profiler
    #[arg(long, value_name = "TOOL", default_value = "rocprof", value_parser = ["rocprof", "rocprofv2", "rocprofv3"], hide_possible_values = true)]
    with: String,
}

/// Write an input file whose passes fit the device
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves counters write --for roofline --arch gfx942 -o input.txt
  eaves counters write --for SQ_WAVES,TCC_HIT_sum,FETCH_SIZE --arch gfx90a"
)]
struct Write {
    /// A purpose or names of counters, separated by commas
    #[arg(long = "for", value_name = "SET|NAMES", required = true, value_delimiter = ',')]
    wanted: Vec<String>,
    /// For this architecture; that of this machine if it has one
    #[arg(long, value_name = "GFX")]
    arch: Option<String>,
    /// For this profiler
    #[arg(long, value_name = "TOOL", default_value = "rocprof", value_parser = ["rocprof", "rocprofv2", "rocprofv3"], hide_possible_values = true)]
    with: String,
}

/// Does it.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> anyhow::Result<Status> {
    match &arguments.what {
        What::List(list) => {
            let section = match (&list.arch, here()) {
                (Some(name), _) => sections::counters(named(name)?, list.search.as_deref()),
                (None, Some(device)) => sections::counters(device, list.search.as_deref()),
                (None, None) if list.search.is_some() => return Err(no_architecture()),
                (None, None) => sections::overview(),
            };
            write(section, &[], output)?;
        }
        What::Check(arguments) => {
            let input = read(&arguments.file)?;
            let device = chosen(arguments.arch.as_deref())?;
            let checked = check(device, &input.request.passes, dialect(&arguments.with));
            let sound = checked.problems.is_empty() && input.unknown.is_empty();
            write(
                sections::checked(device, &input, &checked),
                std::slice::from_ref(&arguments.file),
                output,
            )?;
            if !sound {
                return Ok(Status::ConditionHolds);
            }
        }
        What::Write(arguments) => {
            let device = chosen(arguments.arch.as_deref())?;
            let names = wanted(&arguments.wanted, device, dialect(&arguments.with))?;
            let lines: String =
                fit(device, &names).iter().map(|pass| format!("pmc: {}\n", pass.join(" "))).collect();
            output.write_text(&lines)?;
        }
    }
    Ok(Status::Done)
}

fn write(section: Section, inputs: &[PathBuf], output: &OutputArguments) -> anyhow::Result<()> {
    let destination = output.destination(inputs)?;
    let outcomes = vec![Outcome::Section(section)];
    output.finish(&Document { verb: "counters", outcomes, ..Document::default() }, destination, 0)
}

/// The rules of names of a profiler.
pub(super) fn dialect(tool: &str) -> Dialect {
    if tool == "rocprof" { Dialect::First } else { Dialect::Later }
}

/// Reads an input file.
pub(super) fn read(path: &Path) -> anyhow::Result<Input> {
    /// Larger ones are something else.
    const LARGEST: u64 = 1 << 20;
    let failed = |reason: String| {
        let hint = "an input file has lines such as `pmc: SQ_WAVES GRBM_COUNT`";
        hinted(format!("cannot read the counters: {reason}: {}", path.display()), hint)
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
        return Err(failed("it is larger than 1 MB".to_owned()));
    }
    Input::parse(&String::from_utf8_lossy(&bytes))
        .map_err(|error| hinted(format!("{error}: {}", path.display()), error.hint()))
}

/// The architecture of this machine's first device that the catalogue knows.
pub(super) fn here() -> Option<&'static Architecture> {
    Machine::here().detect().iter().find_map(|found| architecture(found.device.isa.as_deref()?))
}

/// The architecture that was named.
pub(super) fn named(name: &str) -> anyhow::Result<&'static Architecture> {
    /// `gfx9` begins half of them.
    const LEAST_IN_COMMON: usize = 5;
    let in_common =
        |known: &str| known.bytes().zip(name.bytes()).take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count();
    architecture(name).ok_or_else(|| {
        let nearest = architectures().max_by_key(|known| in_common(known));
        let hint = match nearest.filter(|known| in_common(known) >= LEAST_IN_COMMON) {
            Some(near) => format!("did you mean {near}?"),
            None => format!("there are {}", architectures().collect::<Vec<_>>().join(", ")),
        };
        hinted(format!("the counters of `{name}` are not known"), hint)
    })
}

fn chosen(name: Option<&str>) -> anyhow::Result<&'static Architecture> {
    match name {
        Some(name) => named(name),
        None => here().ok_or_else(no_architecture),
    }
}

fn no_architecture() -> anyhow::Error {
    let known = architectures().collect::<Vec<_>>().join(", ");
    hinted(
        "this machine has no AMD device whose counters are known",
        format!("name one with --arch: {known}"),
    )
}

/// The counters of sets and names, all of which must exist.
pub(super) fn wanted(
    words: &[String],
    device: &'static Architecture,
    dialect: Dialect,
) -> anyhow::Result<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    let mut wrong: Vec<String> = Vec::new();
    for word in words.iter().map(|word| word.trim()).filter(|word| !word.is_empty()) {
        if let Some(set) = SETS.iter().find(|set| set.id == word) {
            names.extend(set.counters(device).into_iter().map(str::to_owned));
            continue;
        }
        let checked = check(device, &[vec![word.to_owned()]], dialect);
        names.push(word.to_owned());
        wrong.extend(checked.problems.iter().map(told));
    }
    if wrong.is_empty() {
        return Ok(names);
    }
    let hint = format!("`eaves counters list --arch {}` shows all; sets are {}", device.name, sets());
    Err(hinted(wrong.join("\n"), hint))
}

/// A problem in one line.
pub(super) fn told(problem: &eaves_capture::counters::Problem) -> String {
    let meant = problem.write.as_ref().map(|name| format!("; did you mean {name}?")).unwrap_or_default();
    format!("{}: {}{meant}", problem.name, problem.what)
}

/// The names of the sets.
pub(super) fn sets() -> String {
    SETS.iter().map(|set| set.id).collect::<Vec<_>>().join(", ")
}
