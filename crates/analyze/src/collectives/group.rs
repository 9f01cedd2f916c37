//! Who takes part in a collective.

use eaves_model::{MaybeI64, ProcessGroup, Trace};
use serde::{Deserialize, Serialize};

/// Where the work of a collective is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
pub(crate) enum Place {
    /// As a kernel.
    Gpu,
    /// On a thread, as by gloo.
    Host,
}

impl Place {
    /// A stable lower-case name.
    pub(crate) fn id(self) -> &'static str {
        match self {
            Self::Gpu => "gpu",
            Self::Host => "host",
        }
    }
}

/// A process group as one rank recorded it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
pub(crate) struct Group {
    /// Where its work is done.
    pub(crate) place: Place,
    /// Name and ranks, if the calls name their group.
    pub(crate) named: Option<(String, String)>,
    /// Stream of calls that name no group: a communicator has its own stream.
    pub(crate) stream: MaybeI64,
    /// Number of ranks.
    pub(crate) size: Option<u32>,
    /// Description.
    pub(crate) description: Option<String>,
    /// True if calls of different ranks can be told to belong together.
    pub(crate) is_comparable: bool,
}

/// What is the same on every rank of a group, and differs between groups: place, name and ranks, stream, size.
pub(crate) type GroupKey<'a> = (Place, Option<(&'a str, &'a str)>, MaybeI64, Option<u32>);

impl Group {
    /// What it is known by on every rank.
    pub(crate) fn key(&self) -> GroupKey<'_> {
        let named = self.named.as_ref().map(|(name, ranks)| (name.as_str(), ranks.as_str()));
        (self.place, named, self.stream, self.size)
    }
}

/// What the header of a recording says of the group of calls that name none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SoleGroup<'a> {
    /// The group, if there is but one set of ranks to choose from.
    pub(crate) group: Option<&'a ProcessGroup>,
    /// False if there are several sets.
    pub(crate) is_certain: bool,
}

impl<'a> SoleGroup<'a> {
    /// Groups of one rank exchange nothing and are not looked at. A header without groups leaves no choice but all
    /// ranks, though not how many these are.
    pub(crate) fn of(trace: &'a Trace) -> Self {
        let groups = trace.metadata.distributed.iter().flat_map(|info| &info.groups);
        let mut several = groups.filter(|group| group.size.unwrap_or(2) > 1);
        let first = several.next();
        let is_certain = several.all(|other| first.is_some_and(|first| first.ranks == other.ranks));
        Self { group: first.filter(|_| is_certain), is_certain }
    }
}

#[cfg(test)]
mod tests {
    use eaves_model::DistributedInfo;

    use super::*;

    fn trace(groups: &[(&str, &[i64])]) -> Trace {
        let group = |&(name, ranks): &(&str, &[i64])| ProcessGroup {
            name: name.to_owned(),
            size: Some(ranks.len() as i64),
            ranks: ranks.to_vec(),
            ..ProcessGroup::default()
        };
        let mut trace = Trace::default();
        trace.metadata.distributed = Some(DistributedInfo {
            groups: groups.iter().map(group).collect(),
            ..DistributedInfo::default()
        });
        trace
    }

    #[test]
    fn one_set_of_ranks_leaves_no_choice() {
        let name = |groups: &[(&str, &[i64])]| {
            let trace = trace(groups);
            let sole = SoleGroup::of(&trace);
            (sole.group.map(|group| group.name.clone()), sole.is_certain)
        };
        assert_eq!(name(&[]), (None, true));
        assert_eq!(name(&[("0", &[0, 1])]), (Some("0".to_owned()), true));
        assert_eq!(name(&[("0", &[0, 1]), ("1", &[0]), ("2", &[0, 1])]), (Some("0".to_owned()), true));
        assert_eq!(name(&[("0", &[0, 1, 2, 3]), ("1", &[0, 1])]), (None, false));
        assert!(SoleGroup::of(&Trace::default()).is_certain);
    }
}
