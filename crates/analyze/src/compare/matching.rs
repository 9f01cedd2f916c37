//! Which entry of one run is which of the other.
//!
//! By name first, because a name that both have means the same. What is left then is matched by who launched it: a
//! kernel of another vendor below the same operator. What is left then, by its place in the call tree. Every entry is
//! in exactly one pair, so that the pairs add up to the runs.

use std::collections::{BTreeMap, BTreeSet};

use super::profile::Entry;

/// How a pair was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchedBy {
    /// The same name, but for the vendor's prefix of a runtime call.
    Name,
    /// Launched by an operator of the same name, at the same place of its sequence.
    Operator,
    /// At the same place of the call tree and of the sequence there, equally often.
    Position,
}

impl MatchedBy {
    /// The name in tables.
    pub fn id(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Operator => "operator",
            Self::Position => "position",
        }
    }
}

/// Entries of both runs that are the same thing; one side is empty if the other run has nothing like it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) base: Vec<usize>,
    pub(super) new: Vec<usize>,
    pub(super) by: Option<MatchedBy>,
}

/// The entries of one run that are not matched yet.
struct Open<'a> {
    entries: &'a [Entry],
    left: BTreeSet<usize>,
}

/// The entries of one name inside a group.
struct Member<'a> {
    name: &'a str,
    entries: Vec<usize>,
}

impl<'a> Open<'a> {
    fn new(entries: &'a [Entry]) -> Self {
        Self { entries, left: (0..entries.len()).collect() }
    }

    /// What is left by name.
    fn by_name(&self) -> BTreeMap<&'a str, Vec<usize>> {
        let mut names: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for &index in &self.left {
            names.entry(self.entries[index].place.common_name()).or_default().push(index);
        }
        names
    }

    /// What is left by some key; in each group the names in the order in which they first came.
    fn groups<K: Ord>(&self, key: impl Fn(&'a Entry) -> Option<K>) -> BTreeMap<K, Vec<Member<'a>>> {
        let mut sorted: Vec<usize> = self.left.iter().copied().collect();
        sorted.sort_by_key(|&index| (self.entries[index].order, &self.entries[index].place.name));
        let mut groups: BTreeMap<K, Vec<Member<'a>>> = BTreeMap::new();
        for index in sorted {
            let Some(key) = key(&self.entries[index]) else { continue };
            let name = self.entries[index].place.name.as_str();
            let members = groups.entry(key).or_default();
            match members.iter_mut().find(|member| member.name == name) {
                Some(member) => member.entries.push(index),
                None => members.push(Member { name, entries: vec![index] }),
            }
        }
        groups
    }

    fn take(&mut self, indices: &[usize]) {
        for index in indices {
            self.left.remove(index);
        }
    }
}

/// Matches everything. `divisors` are the steps or ranks of the runs, to compare how often something is called.
pub(super) fn pairs(base: &[Entry], new: &[Entry], divisors: (u64, u64)) -> Vec<Pair> {
    let (mut base, mut new) = (Open::new(base), Open::new(new));
    let mut pairs = Vec::new();
    let mut other = new.by_name();
    for (name, entries) in base.by_name() {
        if let Some(others) = other.remove(name) {
            pairs.push(Pair { base: entries, new: others, by: Some(MatchedBy::Name) });
        }
    }
    close(&mut base, &mut new, &pairs);
    let operator = |entry: &Entry| Some((entry.place.class, entry.place.operator.clone()?));
    let found = in_sequence(base.groups(operator), new.groups(operator), MatchedBy::Operator);
    close(&mut base, &mut new, &found);
    pairs.extend(found);
    // Where nothing stands around it the place says nothing. Multiplied by the steps of the other run, equal rates are
    // equal numbers.
    let path = |other_divisor: u64| {
        move |entry: &Entry| {
            let (place, rate) = (&entry.place, entry.calls.sum() * i128::from(other_divisor));
            (!place.path.is_empty()).then(|| (place.class, place.path.clone(), rate))
        }
    };
    let found = in_sequence(base.groups(path(divisors.1)), new.groups(path(divisors.0)), MatchedBy::Position);
    close(&mut base, &mut new, &found);
    pairs.extend(found);
    pairs.extend(base.by_name().into_values().map(|base| Pair { base, ..Pair::default() }));
    pairs.extend(new.by_name().into_values().map(|new| Pair { new, ..Pair::default() }));
    pairs
}

fn close(base: &mut Open<'_>, new: &mut Open<'_>, pairs: &[Pair]) {
    for pair in pairs {
        base.take(&pair.base);
        new.take(&pair.new);
    }
}

/// Pairs the members of equal groups one after the other.
fn in_sequence<K: Ord>(
    base: BTreeMap<K, Vec<Member<'_>>>,
    mut new: BTreeMap<K, Vec<Member<'_>>>,
    by: MatchedBy,
) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (key, members) in base {
        let others = new.remove(&key).unwrap_or_default();
        let matched = members.into_iter().zip(others);
        pairs.extend(matched.map(|(one, other)| Pair {
            base: one.entries,
            new: other.entries,
            by: Some(by),
        }));
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::super::profile::{Place, Series};
    use super::*;

    fn entry(name: &str, operator: Option<&str>, path: &str, order: u64, calls: i64) -> Entry {
        Entry {
            place: Place {
                name: name.to_owned(),
                class: "compute",
                operator: operator.map(str::to_owned),
                path: path.to_owned(),
            },
            order,
            calls: Series { inside: Vec::new(), outside: calls },
            ..Entry::default()
        }
    }

    fn matched(base: &[Entry], new: &[Entry]) -> Vec<(String, String, &'static str)> {
        let name = |entries: &[Entry], indices: &[usize]| {
            indices.first().map_or("-", |&index| &entries[index].place.name).to_owned()
        };
        pairs(base, new, (1, 1))
            .iter()
            .map(|pair| (name(base, &pair.base), name(new, &pair.new), pair.by.map_or("none", MatchedBy::id)))
            .collect()
    }

    fn expected(rows: &[(&str, &str, &'static str)]) -> Vec<(String, String, &'static str)> {
        rows.iter().map(|&(base, new, by)| (base.to_owned(), new.to_owned(), by)).collect()
    }

    #[test]
    fn names_come_first_then_operators_in_sequence_then_places() {
        let base = [
            entry("relu", Some("aten::relu"), "model", 0, 1),
            entry("ampere_gemm", Some("aten::mm"), "model", 1, 1),
            entry("splitk", Some("aten::mm"), "model", 2, 1),
            entry("old_norm", Some("aten::layer_norm"), "model", 3, 4),
            entry("gone", None, "", 4, 1),
        ];
        let new = [
            entry("relu", Some("triton"), "elsewhere", 9, 7),
            entry("Cijk_gemm", Some("aten::mm"), "model", 5, 1),
            entry("triton_norm", Some("fused"), "model", 6, 4),
            entry("fresh", None, "", 8, 1),
        ];
        assert_eq!(
            matched(&base, &new),
            expected(&[
                ("relu", "relu", "name"),
                ("ampere_gemm", "Cijk_gemm", "operator"),
                // The second kernel of `aten::mm` stands before it, but is not called as often.
                ("old_norm", "triton_norm", "position"),
                ("gone", "-", "none"),
                ("splitk", "-", "none"),
                ("-", "fresh", "none"),
            ])
        );
    }

    #[test]
    fn a_name_below_several_operators_is_one_row_if_both_have_it() {
        let base = [entry("copy", Some("aten::to"), "", 0, 1), entry("copy", Some("aten::cat"), "", 1, 1)];
        let new = [entry("copy", Some("aten::cat"), "", 0, 1)];
        let pairs = pairs(&base, &new, (1, 1));
        assert_eq!(pairs, [Pair { base: vec![0, 1], new: vec![0], by: Some(MatchedBy::Name) }]);
    }

    #[test]
    fn only_like_is_matched_with_like() {
        let base = [entry("gemm", Some("aten::mm"), "", 0, 1)];
        let mut new = [entry("Memset", Some("aten::mm"), "", 0, 1)];
        assert_eq!(matched(&base, &new)[0].2, "operator");
        new[0].place.class = "memory";
        assert_eq!(matched(&base, &new)[0].2, "none");
    }
}
