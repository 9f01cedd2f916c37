//! What fits into one run of the program. Each block of a device has a few registers to count with.

use std::collections::{BTreeMap, BTreeSet};

use super::catalogue::Architecture;

/// How much of a block a pass needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Load {
    /// The block.
    pub block: &'static str,
    /// Counters of it that the pass needs.
    pub counters: usize,
    /// How many it has room for, where that is known.
    pub limit: Option<usize>,
}

impl Load {
    /// True if it is more than there is room for.
    pub fn is_over(&self) -> bool {
        self.limit.is_some_and(|limit| self.counters > limit)
    }
}

/// The counters of the device that a name comes to, with their blocks. `TCC_HIT[3]` is an instance of `TCC_HIT`.
fn registers(architecture: &Architecture, name: &str, into: &mut BTreeSet<(&'static str, String)>) {
    /// No counter is computed from others that deeply.
    const DEEPEST: usize = 4;
    fn add(
        architecture: &Architecture,
        name: &str,
        depth: usize,
        into: &mut BTreeSet<(&'static str, String)>,
    ) {
        let Some(counter) = architecture.counter(name.split('[').next().unwrap_or(name)) else { return };
        if counter.needs.is_empty() || depth == 0 {
            into.extend(counter.block.map(|block| (block, counter.name.clone())));
        }
        for needed in &counter.needs {
            add(architecture, needed, depth.saturating_sub(1), into);
        }
    }
    add(architecture, name, DEEPEST, into);
}

/// Counters per block in a pass.
pub fn loads<S: AsRef<str>>(architecture: &Architecture, pass: &[S]) -> Vec<Load> {
    let mut needed = BTreeSet::new();
    for name in pass {
        registers(architecture, name.as_ref(), &mut needed);
    }
    let mut blocks: BTreeMap<&'static str, usize> = BTreeMap::new();
    for (block, _) in needed {
        *blocks.entry(block).or_default() += 1;
    }
    let load = |(block, counters)| Load { block, counters, limit: architecture.limit(block) };
    blocks.into_iter().map(load).collect()
}

/// Puts names into as few passes as first come, first served makes of them, in order.
pub fn fit<S: AsRef<str>>(architecture: &Architecture, names: &[S]) -> Vec<Vec<String>> {
    let mut passes: Vec<Vec<String>> = Vec::new();
    for name in names {
        let name = name.as_ref();
        if passes.iter().flatten().any(|known| known == name) {
            continue;
        }
        let room = passes.iter_mut().find(|pass| {
            let with: Vec<&str> = pass.iter().map(String::as_str).chain([name]).collect();
            !loads(architecture, &with).iter().any(Load::is_over)
        });
        match room {
            Some(pass) => pass.push(name.to_owned()),
            None => passes.push(vec![name.to_owned()]),
        }
    }
    passes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counters::architecture;

    #[test]
    fn counters_of_a_block_are_limited_and_shared() {
        let device = architecture("gfx942").unwrap();
        let names = ["FETCH_SIZE", "TCC_EA0_RDREQ_sum", "TCC_BUBBLE", "WRITE_SIZE"];
        // FETCH_SIZE is 3 counters of TCC, of which the next two name 2 again; WRITE_SIZE is 2 more.
        let load = loads(device, &names);
        assert_eq!(load, [Load { block: "TCC", counters: 5, limit: Some(4) }]);
        assert_eq!(fit(device, &names), [&names[..3], &names[3..]]);
        assert_eq!(loads(device, &["TCC_HIT[0]", "TCC_HIT[1]"])[0].counters, 1);
        assert!(loads(device, &["NO_SUCH_COUNTER"]).is_empty());
    }

    #[test]
    fn every_name_is_in_one_pass_and_no_pass_is_over() {
        for name in crate::counters::architectures() {
            let device = architecture(name).unwrap();
            let names: Vec<&str> = device.counters().map(|counter| counter.name.as_str()).collect();
            let passes = fit(device, &names);
            let mut placed: Vec<&str> = passes.iter().flatten().map(String::as_str).collect();
            placed.sort_unstable();
            let mut expected = names.clone();
            expected.sort_unstable();
            assert_eq!(placed, expected, "{name}");
            for pass in passes {
                assert!(!loads(device, &pass).iter().any(Load::is_over), "{name}: {pass:?}");
            }
        }
    }
}
