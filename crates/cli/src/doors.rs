//! Every option of every verb is at every door: the command line, JSON over HTTP, and Python.

use std::collections::{BTreeMap, BTreeSet};

use clap::{Command, CommandFactory};
use eaves_app::{catalog, verbs};

/// Where verbs can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Door {
    CommandLine,
    /// The schema of requests, which HTTP takes.
    Json,
    Python,
}

const ALL: [Door; 3] = [Door::CommandLine, Door::Json, Door::Python];
const ONLY_COMMAND_LINE: &[Door] = &[Door::Json, Door::Python];

/// Options that doors lack, with the reason. The name of a verb alone stands for all its options.
const EXCEPTIONS: &[(&str, &[Door], &str)] = &[
    // tidy-alphabetical-start
    ("attach", ONLY_COMMAND_LINE, RUNS_A_PROGRAM),
    ("cluster", ONLY_COMMAND_LINE, RUNS_A_PROGRAM),
    ("compile.grace", ONLY_COMMAND_LINE, RUNS_A_PROGRAM),
    ("compile.output_dir", ONLY_COMMAND_LINE, RUNS_A_PROGRAM),
    ("compile.program", ONLY_COMMAND_LINE, RUNS_A_PROGRAM),
    ("compile.timeout", ONLY_COMMAND_LINE, RUNS_A_PROGRAM),
    ("memory.grace", ONLY_COMMAND_LINE, RUNS_A_PROGRAM),
    ("memory.output_dir", ONLY_COMMAND_LINE, RUNS_A_PROGRAM),
    ("memory.program", ONLY_COMMAND_LINE, RUNS_A_PROGRAM),
    ("memory.steps", ONLY_COMMAND_LINE, RUNS_A_PROGRAM),
    ("memory.timeout", ONLY_COMMAND_LINE, RUNS_A_PROGRAM),
    ("memory.warmup", ONLY_COMMAND_LINE, RUNS_A_PROGRAM),
    ("memory.window", ONLY_COMMAND_LINE, RUNS_A_PROGRAM),
    ("open", ONLY_COMMAND_LINE, SERVES),
    ("profile", ONLY_COMMAND_LINE, RUNS_A_PROGRAM),
    ("query.tables", &[Door::Python], ROWS_IN_PYTHON),
    ("report.partial", ONLY_COMMAND_LINE, "it checks the names after `-o`; other doors ask for a form"),
    ("self", ONLY_COMMAND_LINE, "it is about the command line itself"),
    ("serve", ONLY_COMMAND_LINE, SERVES),
    ("watch", ONLY_COMMAND_LINE, "it is a stream without end; HTTP has `/api/v1/live`"),
    // tidy-alphabetical-end
];

const RUNS_A_PROGRAM: &str = "it runs a program that has the user's terminal";
const ROWS_IN_PYTHON: &str =
    "`eaves.query` returns rows; `eaves.ask(\"query\", tables=True)` has the sections";
const SERVES: &str = "it serves until it is stopped";

/// The options of every verb at every door, such as `report.step` and `bench gemm.m`.
type Options = BTreeMap<String, BTreeSet<Door>>;

fn name(verb: &str, variant: Option<&str>, option: &str) -> String {
    match variant {
        Some(variant) => format!("{verb} {variant}.{option}"),
        None => format!("{verb}.{option}"),
    }
}

fn of_command_line() -> BTreeSet<String> {
    let of = |verb: &str, variant: Option<&str>, command: &Command| -> Vec<String> {
        let own = command.get_arguments().filter(|argument| !argument.is_global_set());
        own.map(|argument| name(verb, variant, argument.get_id().as_str())).collect()
    };
    let program = crate::Arguments::command();
    let mut options = BTreeSet::new();
    for verb in program.get_subcommands() {
        options.extend(of(verb.get_name(), None, verb));
        for variant in verb.get_subcommands() {
            options.extend(of(verb.get_name(), Some(variant.get_name()), variant));
        }
    }
    options
}

fn of_json() -> BTreeSet<String> {
    let of = |entry: &eaves_app::Entry| {
        let fields = catalog::fields(entry).into_iter();
        fields.map(|(variant, field)| name(entry.name, variant.as_deref(), &field)).collect::<Vec<_>>()
    };
    verbs::ALL.iter().flat_map(of).collect()
}

/// The keywords of the functions of the package, as its stub declares them.
fn of_python() -> BTreeSet<String> {
    let stub = include_str!("../../../python/eaves/_verbs.pyi");
    let mut options = BTreeSet::new();
    for (function, verb) in verbs_of_functions() {
        for declared in stub.split(&format!("\ndef {function}(")).skip(1) {
            let (parameters, _) = declared.split_once(") -> ").unwrap();
            let parameters = split(parameters);
            let variant = parameters
                .iter()
                .find_map(|parameter| parameter.strip_prefix("op: Literal[\"")?.strip_suffix("\"]"));
            let named = parameters.iter().filter_map(|parameter| Some(parameter.split_once(':')?.0));
            let keywords = named.filter(|keyword| *keyword != "op");
            let field = |keyword: &str| keyword.trim_start_matches('*').trim_end_matches('_').to_owned();
            options.extend(keywords.map(|keyword| name(verb, variant, &field(keyword))));
        }
    }
    options
}

/// Functions with the verbs that they ask.
fn verbs_of_functions() -> Vec<(&'static str, &'static str)> {
    let module = include_str!("../../../python/eaves/_verbs.py");
    let of = |definition: &'static str| {
        let (function, _) = definition.split_once('(')?;
        let (verb, _) = definition.split_once("return ask(\"")?.1.split_once('"')?;
        Some((function, verb))
    };
    module.split("\ndef ").skip(1).map(|definition| of(definition).unwrap()).collect()
}

/// Parameters, which may have brackets with commas in them.
fn split(parameters: &str) -> Vec<&str> {
    let mut depth = 0;
    let is_between = |letter: char| {
        match letter {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            _ => {}
        }
        letter == ',' && depth == 0
    };
    parameters.split(is_between).map(str::trim).filter(|parameter| !parameter.is_empty()).collect()
}

fn options() -> Options {
    let mut options = Options::new();
    for (door, there) in ALL.into_iter().zip([of_command_line(), of_json(), of_python()]) {
        for option in there {
            options.entry(option).or_default().insert(door);
        }
    }
    options
}

#[test]
fn every_door_has_every_option_of_every_verb() {
    let options = options();
    let excepted = |option: &str, door: Door| {
        let verb = option.split(['.', ' ']).next().unwrap_or_default();
        EXCEPTIONS.iter().any(|(name, doors, _)| (*name == option || *name == verb) && doors.contains(&door))
    };
    let mut wrong: Vec<String> = Vec::new();
    for (option, doors) in &options {
        for door in ALL {
            match (doors.contains(&door), excepted(option, door)) {
                (false, false) => wrong.push(format!("{option} is not at {door:?}")),
                (true, true) => wrong.push(format!("{option} is at {door:?} and among the exceptions")),
                _ => {}
            }
        }
    }
    for (name, ..) in EXCEPTIONS {
        if !options.keys().any(|option| option == name || option.split(['.', ' ']).next() == Some(name)) {
            wrong.push(format!("{name} is among the exceptions and at no door"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The reader of stubs must not pass over options that it cannot read.
#[test]
fn the_stub_is_read_whole() {
    assert_eq!(verbs_of_functions().len(), verbs::ALL.len());
    let parameters = "a: str, *b: Path | tuple[int, int], *, c_: Literal[\"x\", \"y\"] = \"x\"";
    assert_eq!(split(parameters).len(), 4);
    let of_python = of_python();
    for option in ["report.inputs", "report.step", "bench gemm.m", "bench.preset", "compile.against"] {
        assert!(of_python.contains(option), "{option}");
    }
}
