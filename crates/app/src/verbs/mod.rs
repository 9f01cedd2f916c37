//! The verbs, one file each. To add one: copy a file, add a `mod` line, a `pub use` and an entry, in name order.

// tidy-alphabetical-start
pub mod bench;
mod comm;
mod compile;
pub mod counters;
pub mod device;
mod diff;
mod export;
mod flame;
mod hta;
mod info;
mod ingest;
mod kernels;
mod memory;
pub mod ops;
pub mod predict;
mod query;
mod report;
mod roofline;
mod timeline;
mod trigger;
pub mod validate;
// tidy-alphabetical-end

// tidy-alphabetical-start
pub use bench::Bench;
pub use comm::Comm;
pub use compile::Compile;
pub use counters::Counters;
pub use device::Device;
pub use diff::{Diff, Inputs};
pub use export::{Export, ExportFormat};
pub use flame::{Flame, MetricName, OrderName};
pub use hta::{Hta, hta_sections};
pub use info::Info;
pub use ingest::Ingest;
pub use kernels::Kernels;
pub use memory::Memory;
pub use ops::Ops;
pub use predict::Predict;
pub use query::Query;
pub use report::{Report, check_sections};
pub use roofline::{ColorBy, Factor, InputForm, Pair, PaletteName, Percent, Roofline, ThemeName};
pub use timeline::Timeline;
pub use trigger::Trigger;
pub use validate::Validate;
// tidy-alphabetical-end

pub(crate) use compile::HIDDEN as HIDDEN_OF_COMPILE;

use crate::Entry;

/// Every verb whose requests are data.
pub static ALL: &[Entry] = &[
    // tidy-alphabetical-start
    Entry::of::<Bench>(),
    Entry::of::<Comm>(),
    Entry::of::<Compile>(),
    Entry::of::<Counters>(),
    Entry::of::<Device>(),
    Entry::of::<Diff>(),
    Entry::of::<Export>(),
    Entry::of::<Flame>(),
    Entry::of::<Hta>(),
    Entry::of::<Info>(),
    Entry::of::<Ingest>(),
    Entry::of::<Kernels>(),
    Entry::of::<Memory>(),
    Entry::of::<Ops>(),
    Entry::of::<Predict>(),
    Entry::of::<Query>(),
    Entry::of::<Report>(),
    Entry::of::<Roofline>(),
    Entry::of::<Timeline>(),
    Entry::of::<Trigger>(),
    Entry::of::<Validate>(),
    // tidy-alphabetical-end
];

/// The verb of a name.
pub fn find(name: &str) -> Option<&'static Entry> {
    ALL.iter().find(|entry| entry.name == name)
}
