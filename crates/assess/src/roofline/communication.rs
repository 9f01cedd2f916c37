//! The `comm-roofline` section: messages against the bandwidth of links.
//!
//! Rates are bus bandwidth in one direction, as nccl-tests defines it: what a link carried, whatever the algorithm. The
//! wire roof is that of all links of a kind together; the protocol roof is what packets leave of it.

use eaves_roofline::Device;
use eaves_roofline::device::Link;
use eaves_section::{Chart, Column, Finding, Number, Section, Severity, Table, Unit, Value};

use super::bandwidth_fit::bandwidth_fit;
use super::links::{self, Protocol};

/// A message, or many of the same size.
#[derive(Clone, Debug, PartialEq)]
pub struct Transfer {
    /// Its name.
    pub name: String,
    /// The link it went over, if the input says.
    pub link: Option<String>,
    /// Bytes of one message.
    pub bytes: Option<f64>,
    /// How many messages.
    pub calls: u64,
    /// Time of all in nanoseconds.
    pub time: Option<f64>,
    /// The protocol of the library that sent it, if the input says: `LL128`.
    pub protocol: Option<String>,
    /// What a link carries for each byte of the message: 1 for copies, more or less for collectives.
    pub bus_factor: f64,
}

const EVENTS: [Column; 12] = [
    Column::new("link", "Link", Unit::None),
    Column::new("name", "Name", Unit::None),
    Column::new("bytes", "Bytes a message", Unit::Bytes),
    Column::new("calls", "Messages", Unit::Count),
    Column::new("time_ns", "Time", Unit::Nanoseconds),
    Column::new("achieved_gbps", "Bus bandwidth", Unit::GigabytesPerSecond),
    Column::new("roof_gbps", "Wire roof", Unit::GigabytesPerSecond),
    Column::new("utilisation_pct", "Of wire roof", Unit::Percent),
    Column::new("flag", "Flag", Unit::None),
    Column::new("matched_link", "Link of device", Unit::None),
    Column::new("protocol", "Protocol", Unit::None),
    Column::new("protocol_gbps", "Protocol roof", Unit::GigabytesPerSecond),
];

const LINKS: [Column; 8] = [
    Column::new("name", "Link", Unit::None),
    Column::new("per_direction_gbps", "One link, one direction", Unit::GigabytesPerSecond),
    Column::new("count", "Links", Unit::Count),
    Column::new("total_gbps", "Wire roof", Unit::GigabytesPerSecond),
    Column::new("protocol_gbps", "Protocol roof", Unit::GigabytesPerSecond),
    Column::new("source", "Source", Unit::None),
    Column::new("confidence", "Confidence", Unit::None),
    Column::new("protocol", "Protocol", Unit::None),
];

const NO_LINK: &str = "unknown link";
const NO_PROTOCOL: &str = "no published packet size";

/// Holds messages against the links of a device. `default_link` is that of messages that name none.
pub fn communication(transfers: &[Transfer], device: &Device, default_link: Option<&str>) -> Section {
    let events: Vec<Event<'_>> =
        transfers.iter().map(|transfer| Event::new(transfer, device, default_link)).collect();
    let above = events.iter().filter(|event| event.is_above()).count();
    let number = Number::formula;
    let time: f64 = transfers.iter().filter_map(|transfer| transfer.time).sum();
    let best = events
        .iter()
        .filter_map(Event::utilisation)
        .fold(None, |best: Option<f64>, next| Some(best.map_or(next, |best| best.max(next))));
    Section {
        id: "comm-roofline",
        title: "Communication roofline",
        numbers: vec![
            number("events", events.len().into(), Unit::Count, "Messages."),
            number(
                "time_ns",
                Value::Integer(time.round() as i64),
                Unit::Nanoseconds,
                "Summed time of all messages.",
            ),
            number(
                "best_utilisation_pct",
                best.map_or(Value::Missing(NO_LINK), |best| Value::float(best, NO_LINK)),
                Unit::Percent,
                "Highest percentage of a wire roof reached by a message.",
            ),
            number(
                "above_roof",
                above.into(),
                Unit::Count,
                "Messages above the wire roof, which is impossible; the flag names the likely cause.",
            ),
        ],
        tables: [
            Table {
                id: "events",
                title: "Messages by link",
                columns: EVENTS.to_vec(),
                rows: events.iter().map(Event::cells).collect(),
            },
            Table {
                id: "links",
                title: "Links",
                columns: LINKS.to_vec(),
                rows: device.links.iter().map(link_cells).collect(),
            },
        ]
        .into_iter()
        .chain(bandwidth_fit(transfers))
        .collect(),
        charts: vec![Chart::Links { events: "events", links: "links" }],
        findings: findings(&events, device),
    }
}

/// A message with its link.
struct Event<'a> {
    transfer: &'a Transfer,
    asked: Option<&'a str>,
    link: Result<&'a Link, String>,
    /// The library's protocol on top of the link's.
    protocol: Option<Protocol>,
}

impl<'a> Event<'a> {
    fn new(transfer: &'a Transfer, device: &'a Device, default_link: Option<&'a str>) -> Self {
        let asked = transfer.link.as_deref().or(default_link);
        let link = match asked {
            Some(name) => links::link(device, name),
            None => Err("the input does not name the link; use `--link`".to_owned()),
        };
        Self { transfer, asked, link, protocol: transfer.protocol.as_deref().and_then(links::nccl) }
    }

    /// Bytes per second of the bus.
    fn achieved(&self) -> Option<f64> {
        let time = self.transfer.time.filter(|time| *time > 0.0)?;
        Some(
            self.transfer.bytes? * self.transfer.bus_factor * self.transfer.calls.max(1) as f64
                / (time * 1e-9),
        )
    }

    fn utilisation(&self) -> Option<f64> {
        let roof = self.link.as_ref().ok()?.total();
        self.achieved().filter(|_| roof > 0.0).map(|achieved| 100.0 * achieved / roof)
    }

    fn is_above(&self) -> bool {
        // Rates of the same decimal figures may differ in the last bit.
        self.utilisation().is_some_and(|pct| pct > 100.0 * (1.0 + 1e-9))
    }

    /// Why it cannot be, or what is not known.
    fn flag(&self) -> Option<String> {
        match &self.link {
            Err(reason) => Some(reason.clone()),
            Ok(link) if self.is_above() => {
                let pct = self.utilisation().unwrap_or_default();
                let links = (pct / 100.0 * f64::from(link.count)).ceil();
                Some(if link.count == 1 {
                    format!(
                        "above the wire roof: {} is the figure of one link; {links} links or both directions together \
                         would carry it (set `count` in the device's file)",
                        link.name
                    )
                } else {
                    format!(
                        "above the wire roof of {} links of {}: bytes of both directions are counted, the time is too \
                         short, or it went over another link",
                        link.count, link.name
                    )
                })
            }
            Ok(_) => None,
        }
    }

    fn cells(&self) -> Vec<Value> {
        let number = |value: Option<f64>, otherwise| {
            value.map_or(Value::Missing(otherwise), |value| Value::float(value, otherwise))
        };
        let text = |value: Option<&str>, otherwise| value.map_or(Value::Missing(otherwise), Value::from);
        let link = self.link.as_ref().ok();
        let packets = link.and_then(|link| links::protocol(link));
        let names: Vec<&str> = packets.iter().chain(&self.protocol).map(|protocol| protocol.name).collect();
        let efficiency: f64 =
            packets.iter().chain(&self.protocol).map(|protocol| protocol.efficiency).product();
        let roof = link.map(|link| link.total() / 1e9);
        vec![
            text(self.asked, "the input names no link"),
            self.transfer.name.as_str().into(),
            number(self.transfer.bytes, "the input has no size"),
            self.transfer.calls.into(),
            self.transfer
                .time
                .map_or(Value::Missing("no time recorded"), |time| Value::Integer(time.round() as i64)),
            number(self.achieved().map(|rate| rate / 1e9), "no time or size recorded"),
            number(roof, NO_LINK),
            number(self.utilisation(), NO_LINK),
            text(self.flag().as_deref(), "not above the roof"),
            text(link.map(|link| link.name.as_str()), NO_LINK),
            text(Some(names.join(", ").as_str()).filter(|names| !names.is_empty()), NO_PROTOCOL),
            number(roof.filter(|_| !names.is_empty()).map(|roof| roof * efficiency), NO_PROTOCOL),
        ]
    }
}

fn link_cells(link: &Link) -> Vec<Value> {
    let total = link.total() / 1e9;
    let protocol = links::protocol(link);
    let source = &link.per_direction.source;
    vec![
        link.name.as_str().into(),
        Value::float(link.per_direction.value / 1e9, "not known"),
        Value::Integer(i64::from(link.count)),
        Value::float(total, "not known"),
        protocol.map_or(Value::Missing(NO_PROTOCOL), |protocol| {
            Value::float(total * protocol.efficiency, "not known")
        }),
        source.text.as_str().into(),
        source.confidence.id().into(),
        protocol.map_or(Value::Missing(NO_PROTOCOL), |protocol| protocol.name.into()),
    ]
}

fn findings(events: &[Event<'_>], device: &Device) -> Vec<Finding> {
    let mut findings = Vec::new();
    let above: Vec<&Event<'_>> = events.iter().filter(|event| event.is_above()).collect();
    if let Some(first) = above.first() {
        findings.push(Finding {
            id: "comm-above-roof",
            severity: Severity::Warning,
            claim: format!("{} of {} messages are faster than their link", above.len(), events.len()),
            gain: None,
            evidence: format!("{}: {}", first.transfer.name, first.flag().unwrap_or_default()),
            next: "check how many links work together, and whether the figure is for one direction"
                .to_owned(),
        });
    }
    let unknown = events.iter().filter(|event| event.link.is_err()).count();
    if let Some(reason) = events.iter().find_map(|event| event.link.as_ref().err()) {
        let links: Vec<&str> = device.links.iter().map(|link| link.name.as_str()).collect();
        let next = if links.is_empty() {
            "add `links` to the device's file".to_owned()
        } else {
            format!("name one of {} with `--link`, or add an alias to the device's file", links.join(", "))
        };
        findings.push(Finding {
            id: "comm-unknown-link",
            severity: Severity::Info,
            claim: format!("{unknown} of {} messages have no known link", events.len()),
            gain: None,
            evidence: reason.clone(),
            next,
        });
    }
    findings
}

/// The messages of the `collectives` section of a trace. Where calls were matched over ranks, the time is that of the
/// transfer alone; else waiting for other ranks is in it.
pub fn transfers_of(collectives: &Section) -> Vec<Transfer> {
    let table = |id: &str| collectives.tables.iter().find(|table| table.id == id && !table.rows.is_empty());
    let (table, calls, mean) = match (table("skew"), table("by_collective")) {
        (Some(table), _) => (table, "collectives", "mean_transfer_ns"),
        (None, Some(table)) => (table, "calls", "mean_ns"),
        (None, None) => return Vec::new(),
    };
    let column = |id: &str| table.columns.iter().position(|column| column.id == id);
    let number = |row: &[Value], id: &str| match row.get(column(id)?)? {
        Value::Integer(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        _ => None,
    };
    let text = |row: &[Value], id: &str| match row.get(column(id)?)? {
        Value::Text(text) => Some(text.clone()),
        _ => None,
    };
    table
        .rows
        .iter()
        .filter_map(|row| {
            // Kinds without a factor move no data, or nothing says how.
            let bus_factor = number(row, "bus_factor")?;
            let count = number(row, calls)?;
            let group = text(row, "group").map(|group| format!(" ({group})")).unwrap_or_default();
            Some(Transfer {
                name: format!("{}{group}", text(row, "kind")?),
                link: None,
                bytes: number(row, "bytes"),
                calls: count as u64,
                time: number(row, mean).map(|mean| mean * count),
                protocol: None,
                bus_factor,
            })
        })
        .collect()
}
