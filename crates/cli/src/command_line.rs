//! The command line as data: every verb with its options, as the reference shows them.

use clap::{Arg, ArgAction, Command, CommandFactory};
use serde_json::{Value, json};

/// The program, its verbs and the options that all of them have.
pub(crate) fn described() -> Value {
    let mut program = crate::Arguments::command();
    program.build();
    let options = own(&program).filter(|argument| argument.is_global_set()).map(argument);
    let commands = program.get_subcommands().filter(|command| is_shown(command)).map(command);
    json!({"options": options.collect::<Vec<_>>(), "commands": commands.collect::<Vec<_>>()})
}

fn command(command_: &Command) -> Value {
    let mut usage = command_.clone();
    let usage = usage.render_usage().to_string();
    let options = own(command_).filter(|argument| !argument.is_global_set()).map(argument);
    let commands = command_.get_subcommands().filter(|command| is_shown(command)).map(command);
    without_defaults(json!({
        "name": command_.get_name(),
        "about": command_.get_about().map(ToString::to_string),
        "examples": command_.get_before_help().map(|help| unindented(&help.to_string())),
        "usage": usage.trim_start_matches("Usage: "),
        "options": options.collect::<Vec<_>>(),
        "commands": commands.collect::<Vec<_>>(),
    }))
}

fn is_shown(command: &Command) -> bool {
    !command.is_hide_set() && command.get_name() != "help"
}

/// The arguments that help shows, without help itself.
fn own(command: &Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|argument| {
        !argument.is_hide_set() && !matches!(argument.get_action(), ArgAction::Help | ArgAction::Version)
    })
}

fn argument(argument: &Arg) -> Value {
    let short = argument.get_short().map(|letter| format!("-{letter}"));
    let long = argument.get_long().map(|name| format!("--{name}"));
    let takes_value = argument.get_action().takes_values();
    let values = argument.get_value_names().filter(|_| takes_value).unwrap_or_default();
    let is_hidden = argument.is_hide_default_value_set() || !takes_value;
    let defaults = argument.get_default_values().iter().filter(|_| !is_hidden);
    let described = json!({
        "names": short.into_iter().chain(long).collect::<Vec<_>>(),
        "values": values.iter().map(|value| value.as_str()).collect::<Vec<_>>(),
        "heading": argument.get_help_heading(),
        "about": argument.get_help().map(ToString::to_string),
        "default": defaults.map(|value| value.to_string_lossy()).collect::<Vec<_>>(),
        "required": argument.is_required_set(),
        "repeatable": matches!(argument.get_action(), ArgAction::Append),
    });
    without_defaults(described)
}

/// An object without keys that say nothing: null, false or an empty list.
fn without_defaults(value: Value) -> Value {
    let Value::Object(mut fields) = value else { return value };
    fields.retain(|_, value| !(value.is_null() || *value == false || *value == json!([])));
    Value::Object(fields)
}

/// Lines without the indentation that help gives them.
fn unindented(text: &str) -> String {
    let lines = text.lines().map(|line| line.strip_prefix("  ").unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n")
}
