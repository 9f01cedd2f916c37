//! `cargo xtask test`: everything a change has to pass, with the time each part takes and a count of all tests.

use std::collections::BTreeMap;
use std::time::Instant;

use anyhow::{Result, bail};

use crate::options::Options;

mod count;
mod parts;
mod reach;

use count::Skip;
pub(crate) use count::{Counts, pytest, vitest};
use parts::{PARTS, Scope};
use reach::Reach;

/// Runs the task.
pub(crate) fn run(mut options: Options) -> Result<()> {
    let quick = options.flag("--quick");
    let changed = options.flag("--changed");
    let only = options.value("--only")?;
    options.finish()?;
    let scope = Scope { quick, reach: changed.then(Reach::find).transpose()? };
    if let Some(reach) = &scope.reach {
        println!("{}", reach.description());
    }
    let chosen = |name: &str| only.as_deref().map_or_else(|| scope.has(name), |only| only == name);
    if only.is_some() && !PARTS.iter().any(|(name, _)| chosen(name)) {
        bail!("no part has that name; there are {}", PARTS.map(|(name, _)| name).join(", "));
    }
    let mut lines =
        vec![format!("{:<14} {:>8} {:>7} {:>7} {:>8}", "part", "seconds", "passed", "failed", "skipped")];
    let mut all = Counts::default();
    for (name, part) in PARTS.into_iter().filter(|(name, _)| chosen(name)) {
        println!("== {name}");
        let start = Instant::now();
        let counts = part(&scope);
        let seconds = start.elapsed().as_secs_f64();
        let (passed, failed, skipped) = (counts.passed, counts.failed, counts.skipped.len());
        lines.push(format!("{name:<14} {seconds:>8.1} {passed:>7} {failed:>7} {skipped:>8}"));
        all = all.and(counts);
    }
    let unreached: Vec<&str> = PARTS.iter().map(|(name, _)| *name).filter(|name| !scope.has(name)).collect();
    if !unreached.is_empty() {
        lines.push(format!("not reached by the change: {}", unreached.join(", ")));
    }
    print!("{}", by_reason(&all.skipped));
    println!("\n{}\n", lines.join("\n"));
    println!("{} passed, {} failed, {} skipped", all.passed, all.failed, all.skipped.len());
    if all.failed > 0 {
        bail!("{} tests failed", all.failed);
    }
    Ok(())
}

/// Every skipped test by name, below the reason.
fn by_reason(skipped: &[Skip]) -> String {
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for skip in skipped {
        reasons.entry(&skip.reason).or_default().push(&skip.test);
    }
    let mut text = String::new();
    for (reason, tests) in reasons {
        text.push_str(&format!("\nskipped: {reason}\n"));
        for test in tests {
            text.push_str(&format!("  {test}\n"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skipped_tests_are_listed_by_reason() {
        let skipped = [Skip::new("b", "no tool"), Skip::new("a", "no data"), Skip::new("c", "no data")];
        assert_eq!(by_reason(&skipped), "\nskipped: no data\n  a\n  c\n\nskipped: no tool\n  b\n");
        assert_eq!(by_reason(&[]), "");
    }
}
