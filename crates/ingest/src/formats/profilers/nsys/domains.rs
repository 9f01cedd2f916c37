//! Domains of NVTX: names that stand before those of the ranges in them.

use eaves_model::{StringId, Strings, Trace};

use super::super::Map;

/// A domain: the process and its number there. Nobody names the one that programs are in without asking, 0.
pub(super) type Domain = (i64, i64);

/// What has a name that that of its domain is put before.
#[derive(Clone, Copy)]
pub(super) enum Named {
    Slice(usize),
    Instant(usize),
}

/// The domains that were met.
#[derive(Default)]
pub(super) struct Domains {
    names: Map<Domain, StringId>,
    /// Names combined, by their parts.
    whole: Map<(StringId, StringId), StringId>,
    /// What came before the name of its domain did.
    waiting: Vec<(Domain, Named)>,
}

impl Domains {
    /// A domain has a name. The first one counts.
    pub(super) fn add(&mut self, domain: Domain, name: &str, strings: &mut Strings) {
        self.names.entry(domain).or_insert_with(|| strings.intern(name));
    }

    /// A name in a domain, as `nsys stats` writes it; nothing if the domain has no name so far.
    pub(super) fn whole(
        &mut self,
        domain: Domain,
        name: StringId,
        strings: &mut Strings,
    ) -> Option<StringId> {
        let &before = self.names.get(&domain)?;
        let whole = self.whole.entry((before, name)).or_insert_with(|| {
            let whole = format!("{}:{}", strings.get(before), strings.get(name));
            strings.intern(&whole)
        });
        Some(*whole)
    }

    /// Something has a name in a domain that may get one later.
    pub(super) fn wait(&mut self, domain: Domain, named: Named) {
        self.waiting.push((domain, named));
    }

    /// Gives names to what waited for those of their domains.
    pub(super) fn finish(&mut self, trace: &mut Trace) {
        for (domain, named) in std::mem::take(&mut self.waiting) {
            let name = match named {
                Named::Slice(row) => trace.slices.name.get_mut(row),
                Named::Instant(row) => trace.instants.name.get_mut(row),
            };
            let Some(name) = name else { continue };
            if let Some(whole) = self.whole(domain, *name, &mut trace.strings) {
                *name = whole;
            }
        }
    }
}
