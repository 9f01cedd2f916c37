//! What a trace says about roofs: its operators, and its collectives as messages.

use eaves_assess::roofline::{classified, communication, transfers_of};
use eaves_roofline::Device;

use crate::analyses::{self, Analysis};
use crate::section::Outcome;

/// The sections of a trace that are compared with a device.
const SECTIONS: [&str; 2] = ["collectives", "roofline"];

/// The analyses whose outcomes [`of_traces`] takes.
pub fn analyses_of_traces() -> Vec<&'static Analysis> {
    analyses::REPORT.iter().filter(|analysis| SECTIONS.contains(&analysis.id)).collect()
}

/// The roofline of operators and, if the traces have collectives, that of messages. Messages that name no link go over
/// `link`.
pub fn of_traces(outcomes: Vec<Outcome>, device: &Device, link: Option<&str>) -> Vec<Outcome> {
    let collectives =
        outcomes.iter().filter_map(Outcome::section).find(|section| section.id == "collectives");
    let transfers = collectives.map(transfers_of).unwrap_or_default();
    let mut held: Vec<Outcome> =
        outcomes.into_iter().filter(|outcome| outcome.id() == "roofline").map(classified).collect();
    if !transfers.is_empty() {
        held.push(Outcome::Section(communication(&transfers, device, link)));
    }
    held
}
