//! Whether the counters that are asked for exist on a device and fit into its passes.

use super::catalogue::Architecture;
use super::passes::{Load, fit, loads};
use eaves_model::suggestion::did_you_mean;

/// Whose rules of names hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `rocprof`: a counter of a block that is there several times is one of an instance or a sum.
    First,
    /// `rocprofv2` and `rocprofv3`: the name alone is the sum; the latter has no instances.
    Later,
}

impl Dialect {
    /// The rules of a tool.
    pub fn of_tool(id: &str) -> Self {
        if id == "rocprof" { Self::First } else { Self::Later }
    }
}

/// Subject of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A name, which somebody must put right.
    Name,
    /// Room, which another pass has.
    Room,
}

/// Something that a profiler would refuse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What it is about.
    pub fault: Fault,
    /// Index of the pass.
    pub pass: usize,
    /// The counter, or the block that has no room.
    pub name: String,
    /// What is wrong.
    pub what: String,
    /// What to write in its place, where that is known.
    pub write: Option<String>,
}

/// Result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// What a profiler would refuse, in order.
    pub problems: Vec<Problem>,
    /// Passes of the same counters, with the names that were meant, that fit.
    pub passes: Vec<Vec<String>>,
}

/// Checks passes for a device.
pub fn check(architecture: &Architecture, passes: &[Vec<String>], dialect: Dialect) -> Checked {
    let mut checked = Checked::default();
    for (index, pass) in passes.iter().enumerate() {
        let mut names: Vec<String> = Vec::with_capacity(pass.len());
        for name in pass {
            match wrong(architecture, name, dialect) {
                None => names.push(name.clone()),
                Some((what, write)) => {
                    names.extend(write.clone());
                    checked.problems.push(Problem {
                        fault: Fault::Name,
                        pass: index,
                        name: name.clone(),
                        what,
                        write,
                    });
                }
            }
        }
        let over: Vec<Load> = loads(architecture, &names).into_iter().filter(Load::is_over).collect();
        for load in &over {
            let limit = load.limit.unwrap_or_default();
            let what = format!("{} counters in one pass; the block has room for {limit}", load.counters);
            checked.problems.push(Problem {
                fault: Fault::Room,
                pass: index,
                name: load.block.to_owned(),
                what,
                write: None,
            });
        }
        if over.is_empty() {
            // A pass without counters records times.
            checked.passes.push(names);
        } else {
            checked.passes.extend(fit(architecture, &names));
        }
    }
    checked
}

/// What is wrong with a name, and which one was meant.
fn wrong(architecture: &Architecture, name: &str, dialect: Dialect) -> Option<(String, Option<String>)> {
    let (base, instance) = match name.split_once('[') {
        Some((base, rest)) => (base, Some(rest.trim_end_matches(']'))),
        None => (name, None),
    };
    let Some(counter) = architecture.counter(base) else {
        let meant = meant(architecture, base);
        let sum = |name: String| summed(architecture, &name, dialect).unwrap_or(name);
        return Some((format!("{} has no such counter", architecture.name), meant.map(sum)));
    };
    let several = counter.block.is_some_and(|block| architecture.has_instances(block));
    match (instance, dialect) {
        (Some(_), _) if !several || !counter.needs.is_empty() => {
            Some(("it has no instances".to_owned(), Some(base.to_owned())))
        }
        (Some(number), _) if number.parse::<u32>().is_err() => {
            Some(("an instance is a number".to_owned(), summed(architecture, base, dialect)))
        }
        (None, Dialect::First) if several => {
            let sum = summed(architecture, base, dialect)?;
            Some((format!("rocprof needs {base}[n] or the sum"), Some(sum)))
        }
        _ => None,
    }
}

/// The sum over instances, where `rocprof` needs it and there is one.
fn summed(architecture: &Architecture, name: &str, dialect: Dialect) -> Option<String> {
    let counter = architecture.counter(name)?;
    let several = counter.block.is_some_and(|block| architecture.has_instances(block));
    if !several || dialect == Dialect::Later || !counter.needs.is_empty() {
        return None;
    }
    let sum = format!("{name}_sum");
    architecture.counter(&sum).map(|_| sum)
}

/// The counter that was probably meant: the shortest that has all the words of the name in their order, as
/// `TCP_TOTAL_READ` has those of `TCP_READ`, or the one that looks most like it.
fn meant(architecture: &Architecture, name: &str) -> Option<String> {
    let upper = name.to_ascii_uppercase();
    let words: Vec<&str> = upper.split('_').collect();
    let has_words = |candidate: &&str| {
        let mut parts = candidate.split('_');
        words.len() > 1 && words.iter().all(|word| parts.any(|part| part.eq_ignore_ascii_case(word)))
    };
    let names = || architecture.counters().map(|counter| counter.name.as_str());
    let extended = names().filter(has_words).min_by_key(|candidate| (candidate.len(), *candidate));
    extended.or_else(|| did_you_mean(name, names())).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counters::architecture;

    fn passes(text: &[&str]) -> Vec<Vec<String>> {
        text.iter().map(|pass| pass.split_whitespace().map(str::to_owned).collect()).collect()
    }

    fn writes(checked: &Checked) -> Vec<(&str, Option<&str>)> {
        checked.problems.iter().map(|problem| (problem.name.as_str(), problem.write.as_deref())).collect()
    }

    /// The counters of the source document, of which some do not exist and some need a sum.
    #[test]
    fn names_of_the_document_are_put_right() {
        let asked = passes(&[
            "GRBM_COUNT GRBM_GUI_ACTIVE SQ_WAVES",
            "TCC_HIT TCC_MISS TCC_READ TCC_WRITE",
            "TCP_READ TCP_WRITE",
        ]);
        let device = architecture("gfx942").unwrap();
        let later = check(device, &asked, Dialect::Later);
        assert_eq!(
            writes(&later),
            [("TCP_READ", Some("TCP_TOTAL_READ")), ("TCP_WRITE", Some("TCP_TOTAL_WRITE"))]
        );
        assert_eq!(later.passes[2], ["TCP_TOTAL_READ", "TCP_TOTAL_WRITE"]);
        let first = check(device, &asked, Dialect::First);
        assert_eq!(
            writes(&first),
            [
                ("TCC_HIT", Some("TCC_HIT_sum")),
                ("TCC_MISS", Some("TCC_MISS_sum")),
                ("TCC_READ", Some("TCC_READ_sum")),
                ("TCC_WRITE", Some("TCC_WRITE_sum")),
                ("TCP_READ", Some("TCP_TOTAL_READ_sum")),
                ("TCP_WRITE", Some("TCP_TOTAL_WRITE_sum")),
            ]
        );
        assert!(check(device, &first.passes, Dialect::First).problems.is_empty());
    }

    #[test]
    fn names_of_another_architecture_are_told_apart() {
        let device = architecture("gfx942").unwrap();
        let checked = check(device, &passes(&["TCC_EA_RDREQ_sum sq_waves Wavefront XYZZY"]), Dialect::Later);
        assert_eq!(
            writes(&checked),
            [
                ("TCC_EA_RDREQ_sum", Some("TCC_EA0_RDREQ_sum")),
                ("sq_waves", Some("SQ_WAVES")),
                ("Wavefront", None),
                ("XYZZY", None)
            ]
        );
    }

    #[test]
    fn instances_are_of_blocks_that_have_them() {
        let device = architecture("gfx90a").unwrap();
        let asked = passes(&["TCC_HIT[0] TCC_HIT[15] SQ_WAVES[0] TCC_HIT_sum[1] TCC_MISS[x]"]);
        let checked = check(device, &asked, Dialect::First);
        assert_eq!(
            writes(&checked),
            [
                ("SQ_WAVES[0]", Some("SQ_WAVES")),
                ("TCC_HIT_sum[1]", Some("TCC_HIT_sum")),
                ("TCC_MISS[x]", Some("TCC_MISS_sum"))
            ]
        );
    }

    #[test]
    fn a_pass_over_the_limits_is_split() {
        let device = architecture("gfx90a").unwrap();
        let asked = passes(&[
            "GRBM_COUNT TCC_HIT_sum TCC_MISS_sum TCC_READ_sum TCC_WRITE_sum TCC_REQ_sum SQ_WAVES",
            "",
        ]);
        let checked = check(device, &asked, Dialect::First);
        assert_eq!(checked.problems.len(), 1);
        assert!(checked.problems[0].what.contains("5 counters") && checked.problems[0].name == "TCC");
        assert_eq!(
            checked.passes,
            passes(&[
                "GRBM_COUNT TCC_HIT_sum TCC_MISS_sum TCC_READ_sum TCC_WRITE_sum SQ_WAVES",
                "TCC_REQ_sum",
                ""
            ])
        );
    }
}
