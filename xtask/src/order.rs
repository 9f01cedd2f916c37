//! Writes the order in which the linker lays out the functions of the program.
//!
//! A command runs some nine hundred of twenty thousand functions, and the linker strews them over the whole text, of which
//! the system then maps three times as much as ever runs. Side by side they are a third of the pages. Which ones run is
//! recorded by valgrind on small inputs of our own. A name that a build does not know costs nothing but its place, so
//! the list may age; it is written anew before a release.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use anyhow::{Context, Result};

use crate::generate::profilers::rocprofv3;
use crate::options::Options;
use crate::project;

/// Where the linker reads it, by `crates/cli/build.rs`.
const FILE: &str = "crates/cli/function_order.txt";

/// Records the commands people start with and writes the list.
pub(crate) fn run(options: Options) -> Result<()> {
    options.finish()?;
    project::run(project::cargo().args(["build", "--release", "--package", "eaves-cli"]))?;
    let folder = project::target().join("order");
    std::fs::create_dir_all(&folder)?;
    let rocprof = folder.join("results.json");
    if !rocprof.is_file() {
        rocprofv3::write(&rocprof, 200_000)?;
    }
    let rocprof = rocprof.to_string_lossy();
    let commands: [&[&str]; 5] = [
        &["roofline", "examples/training/rank0.json.gz"],
        &["kernels", &rocprof],
        &["report", "examples/training"],
        &["roofline", "examples/measurements/kernels.csv", "--device", "examples/measurements/peaks.yaml"],
        &["info", "examples/training/rank0.json.gz"],
    ];
    // A bit for each command that runs the function, as text and as JSON.
    let mut used: HashMap<String, usize> = HashMap::new();
    let ways = commands.into_iter().flat_map(|command| [command.to_vec(), [command, &["--json"]].concat()]);
    for (bit, command) in ways.enumerate() {
        for name in functions(&folder, &command)? {
            *used.entry(name).or_default() |= 1 << bit;
        }
    }
    // Functions of the same commands side by side, those of most commands first.
    let mut groups: BTreeMap<(std::cmp::Reverse<u32>, usize), Vec<String>> = BTreeMap::new();
    for (name, commands) in used {
        groups.entry((std::cmp::Reverse(commands.count_ones()), commands)).or_default().push(name);
    }
    let mut names: Vec<String> = Vec::new();
    for group in groups.values_mut() {
        group.sort_unstable();
        names.append(group);
    }
    names.push(String::new());
    std::fs::write(project::root().join(FILE), names.join("\n"))?;
    println!("{FILE}: {} functions", names.len() - 1);
    Ok(())
}

/// The functions of the program that a command runs.
fn functions(folder: &Path, command: &[&str]) -> Result<Vec<String>> {
    let profile = folder.join("callgrind.out");
    let program = project::target().join("release/eaves");
    let mut option = std::ffi::OsString::from("--callgrind-out-file=");
    option.push(&profile);
    project::output(
        project::command("valgrind")
            .args(["--tool=callgrind", "--demangle=no"])
            .arg(option)
            .arg(program)
            .args(command)
            .arg("--quiet"),
    )
    .context("`apt install valgrind` if it is missing")?;
    Ok(executed(&std::fs::read_to_string(profile)?))
}

/// The functions with a cost of their own in a profile of callgrind, of our program alone.
///
/// Names are given once, `fn=(12) name`, and by number afterwards; so are the objects they are in, `ob=(3) path`. See
/// "Callgrind Format Specification" in the manual of valgrind.
fn executed(profile: &str) -> Vec<String> {
    let mut objects = HashMap::new();
    let mut names = HashMap::new();
    let mut ours = false;
    let mut executed = Vec::new();
    for line in profile.lines() {
        let Some((key, value)) = line.split_once('=') else { continue };
        let table = match key {
            "ob" | "cob" => &mut objects,
            "fn" | "cfn" => &mut names,
            _ => continue,
        };
        let Some((number, name)) = value.split_once(')') else { continue };
        if let Some(name) = name.strip_prefix(' ') {
            // A function that calls itself has the depth behind its name.
            table.insert(number, name.split('\'').next().unwrap_or(name));
        }
        match (key, table.get(number)) {
            ("ob", Some(object)) => ours = object.ends_with("/eaves"),
            ("fn", Some(name)) if ours && name.starts_with('_') => executed.push((*name).to_owned()),
            _ => {}
        }
    }
    executed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_functions_with_a_cost_are_listed() {
        // `_called` has no cost of its own before the second object, where it is written by its number.
        let profile = "version: 1\nob=(1) /somewhere/eaves\nfl=(1) file.rs\nfn=(1) _first\n3 5\ncob=(2) /lib/libc.so\n\
            cfn=(2) _called\ncalls=1 0\n3 9\nfn=(3) _second'2\n4 1\nob=(2)\nfn=(2)\n1 1\nob=(1)\nfn=(4) 0x31\n1 1\n";
        assert_eq!(executed(profile), ["_first", "_second"]);
    }
}
