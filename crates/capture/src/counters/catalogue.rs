//! The names in `catalogue.txt`, by architecture.

use std::collections::BTreeMap;
use std::sync::OnceLock;

/// A counter of one architecture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counter {
    /// Its name.
    pub name: String,
    /// The block of the device that counts it; none for those that are computed from others.
    pub block: Option<&'static str>,
    /// The counters it is computed from: one for a sum over instances.
    pub needs: Vec<&'static str>,
}

/// A block of a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Block {
    limit: Option<usize>,
    instances: bool,
}

/// The counters of one architecture.
#[derive(Clone, Debug, Default)]
pub struct Architecture {
    /// Its name: `gfx942`.
    pub name: &'static str,
    counters: BTreeMap<String, Counter>,
    blocks: BTreeMap<&'static str, Block>,
}

impl Architecture {
    /// The counters, by name.
    pub fn counters(&self) -> impl Iterator<Item = &Counter> {
        self.counters.values()
    }

    /// The counter of a name.
    pub fn counter(&self, name: &str) -> Option<&Counter> {
        self.counters.get(name)
    }

    /// How many counters of a block can be counted in one pass, where that is known.
    pub fn limit(&self, block: &str) -> Option<usize> {
        self.blocks.get(block).and_then(|block| block.limit)
    }

    /// True if the block is there several times, so that a counter of it is one of an instance or a sum.
    pub fn has_instances(&self, block: &str) -> bool {
        self.blocks.get(block).is_some_and(|block| block.instances)
    }
}

const TEXT: &str = include_str!("catalogue.txt");

fn all() -> &'static [Architecture] {
    static ALL: OnceLock<Vec<Architecture>> = OnceLock::new();
    ALL.get_or_init(|| parsed(TEXT).0)
}

/// The names of the architectures.
pub fn architectures() -> impl Iterator<Item = &'static str> {
    all().iter().map(|architecture| architecture.name)
}

/// The architecture of a name; `gfx942:sramecc+:xnack-` is the same as `gfx942`.
pub fn architecture(name: &str) -> Option<&'static Architecture> {
    let name = name.split(':').next().unwrap_or(name);
    all().iter().find(|architecture| architecture.name.eq_ignore_ascii_case(name))
}

/// The architectures of a catalog, and the lines that nothing could be made of.
fn parsed(text: &'static str) -> (Vec<Architecture>, Vec<&'static str>) {
    let mut groups: BTreeMap<&str, Vec<&'static str>> = BTreeMap::new();
    let mut found: BTreeMap<&'static str, Architecture> = BTreeMap::new();
    let mut wrong = Vec::new();
    let mut block: Option<(&'static str, Block)> = None;
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some((group, members)) = line.strip_prefix('@').and_then(|rest| rest.split_once('=')) {
            groups.insert(group.trim(), members.split_whitespace().collect());
        } else if let Some(heading) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            let mut words = heading.split_whitespace();
            let name = words.next().filter(|name| *name != "derived");
            let limit = words.next().and_then(|word| word.parse().ok());
            block = name.map(|name| (name, Block { limit, instances: words.next().is_some() }));
        } else if let Some((names, rest)) = line.split_once(':') {
            let members = |name: &'static str| groups.get(name).cloned().unwrap_or_else(|| vec![name]);
            for architecture in names.split_whitespace().flat_map(members) {
                let architecture = found
                    .entry(architecture)
                    .or_insert_with(|| Architecture { name: architecture, ..Architecture::default() });
                add(architecture, block, rest);
            }
        } else {
            wrong.push(line);
        }
    }
    (found.into_values().collect(), wrong)
}

fn add(architecture: &mut Architecture, block: Option<(&'static str, Block)>, rest: &'static str) {
    let Some((name, facts)) = block else {
        if let Some((name, needs)) = rest.split_once('=') {
            let name = name.trim().to_owned();
            let needs = needs.split_whitespace().collect();
            architecture.counters.insert(name.clone(), Counter { name, block: None, needs });
        }
        return;
    };
    // What the other architectures' limits are is not published.
    let limit = facts.limit.filter(|_| architecture.name.starts_with("gfx9"));
    architecture.blocks.insert(name, Block { limit, ..facts });
    for word in rest.split_whitespace() {
        let base = word.trim_end_matches('*');
        let mut insert = |counter: String, needs: Vec<&'static str>| {
            let entry = Counter { name: counter.clone(), block: Some(name), needs };
            architecture.counters.insert(counter, entry);
        };
        insert(base.to_owned(), Vec::new());
        if word.ends_with('*') {
            insert(format!("{base}_sum"), vec![base]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_catalogue_means_something() {
        let (architectures, wrong) = parsed(TEXT);
        assert_eq!(wrong, Vec::<&str>::new());
        for architecture in &architectures {
            assert!(architecture.name.starts_with("gfx"), "{}", architecture.name);
            for counter in architecture.counters() {
                for needed in &counter.needs {
                    let known = architecture.counter(needed);
                    assert!(known.is_some(), "{}: {} needs {needed}", architecture.name, counter.name);
                }
            }
        }
    }

    /// What is known of the generations from elsewhere: names in recordings and in the formulas of rocprof-compute.
    #[test]
    fn architectures_differ_as_published() {
        let has = |name: &str, counter: &str| architecture(name).unwrap().counter(counter).is_some();
        // The first generation of MI300 renamed the ports to memory.
        assert!(has("gfx90a", "TCC_EA_RDREQ_sum") && !has("gfx90a", "TCC_EA0_RDREQ_sum"));
        assert!(has("gfx942", "TCC_EA0_RDREQ_sum") && !has("gfx942", "TCC_EA_RDREQ_sum"));
        assert!(has("gfx942", "TCC_BUBBLE_sum") && !has("gfx90a", "TCC_BUBBLE_sum"));
        assert!(
            has("gfx950", "SQ_INSTS_VALU_MFMA_MOPS_F6F4") && !has("gfx942", "SQ_INSTS_VALU_MFMA_MOPS_F6F4")
        );
        assert!(!has("gfx942", "TCP_TCP_LATENCY") && has("gfx950", "TCP_TCP_LATENCY"));
        assert!(has("gfx1100", "GL2C_HIT_sum") && !has("gfx1100", "TCC_HIT_sum"));
        assert!(has("gfx906", "TCC_EA1_RDREQ_sum") && !has("gfx908", "TCC_EA1_RDREQ_sum"));
        for name in architectures() {
            assert!(has(name, "SQ_WAVES") && has(name, "GRBM_GUI_ACTIVE"), "{name}");
        }
        assert_eq!(architecture("gfx942:sramecc+:xnack-").unwrap().name, "gfx942");
        assert!(architecture("gfx9").is_none());
        assert_eq!(architecture("gfx942").unwrap().limit("TCC"), Some(4));
        assert_eq!(architecture("gfx1100").unwrap().limit("SQ"), None);
    }
}
