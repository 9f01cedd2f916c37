//! Our own format, which peaks files of older tools are a part of. `docs/devices.md` describes it.

use eaves_model::suggestion::slip_of;

use super::Problem;
use super::tree::{Entry, Node};
use crate::Counts;
use crate::device::{Confidence, Device, Fact, Link, LinkKind, Memory, Peak, Rate, Source, key};

/// The keys of a device, but for blocks of peaks.
const KEYS: [&str; 21] = [
    "aliases",
    "architecture",
    "clock_MHz",
    "confidence",
    "form",
    "hbm_bw_GBps",
    "id",
    "isa",
    "links",
    "memory",
    "name",
    "notes",
    "rates",
    "reports",
    "scope",
    "source",
    "sources",
    "tdp_W",
    "unit_kind",
    "units",
    "vendor",
];
const PEAK_KEYS: [&str; 3] = ["confidence", "source", "value"];
const LINK_KEYS: [&str; 7] = ["aliases", "bw_GBps", "confidence", "count", "kind", "name", "source"];
const MEMORY_KEYS: [&str; 13] = [
    "bw_GBps",
    "confidence",
    "copy_GBps",
    "id",
    "name",
    "size_GB",
    "size_GiB",
    "size_KiB",
    "size_MB",
    "size_MiB",
    "source",
    "triad_GBps",
    "write_GBps",
];
const RATE_KEYS: [&str; 4] = ["G_per_s", "confidence", "id", "source"];
const DENSE: &str = "compute_peaks_";
const SPARSE: &str = "sparse_peaks_";

/// Units of a block of peaks, as its key ends.
const RATES: [(&str, f64, Counts); 6] = [
    ("GFLOPs", 1e9, Counts::Operations),
    ("TFLOPs", 1e12, Counts::Operations),
    ("GOPs", 1e9, Counts::Operations),
    ("TOPs", 1e12, Counts::Operations),
    ("GMACs", 1e9, Counts::Macs),
    ("TMACs", 1e12, Counts::Macs),
];

/// Units of a size, as its key ends.
const SIZES: [(&str, f64); 5] = [
    ("size_GB", 1e9),
    ("size_GiB", 1_073_741_824.0),
    ("size_KiB", 1024.0),
    ("size_MB", 1e6),
    ("size_MiB", 1_048_576.0),
];

/// The device of a map.
pub(super) fn device(node: &Node, id: &str, file: Source) -> Result<Device, Problem> {
    let source = inherited(node, &file)?;
    let blocks = RATES.map(|(unit, ..)| [format!("{DENSE}{unit}"), format!("{SPARSE}{unit}")]);
    let keys: Vec<&str> = KEYS.into_iter().chain(blocks.iter().flatten().map(String::as_str)).collect();
    let is_block = |entry: &&Entry| entry.key.starts_with(DENSE) || entry.key.starts_with(SPARSE);
    for entry in node.entries().iter().filter(|entry| !is_block(entry)) {
        known(entry, &keys)?;
    }
    let name = text(node, "name")?.ok_or_else(|| {
        Problem::new(node.line, "no `name`").hint(
            "a peaks file needs at least `name`, `hbm_bw_GBps` and `compute_peaks_GFLOPs`: see docs/devices.md",
        )
    })?;
    let mut peaks = Vec::new();
    for entry in node.entries().iter().filter(|entry| entry.key.starts_with(DENSE)) {
        dense(entry, &source, &mut peaks)?;
    }
    for entry in node.entries().iter().filter(|entry| entry.key.starts_with(SPARSE)) {
        sparse(entry, &source, &mut peaks)?;
    }
    let device = Device {
        id: text(node, "id")?.unwrap_or_else(|| id.to_owned()),
        name,
        aliases: texts(node, "aliases")?,
        reports: texts(node, "reports")?,
        vendor: text(node, "vendor")?,
        architecture: text(node, "architecture")?,
        isa: text(node, "isa")?,
        form: text(node, "form")?,
        scope: text(node, "scope")?,
        units: optional(node, "units", 1.0, &source)?,
        unit_kind: text(node, "unit_kind")?,
        clock: optional(node, "clock_MHz", 1e6, &source)?,
        peaks,
        memory: memory(node, &source)?,
        rates: rates(node, &source)?,
        links: links(node, &source)?,
        tdp: optional(node, "tdp_W", 1.0, &source)?,
        notes: text(node, "notes")?,
    };
    Ok(device)
}

/// The source that holds within a map: what it says itself, and what is above it otherwise.
fn inherited(node: &Node, above: &Source) -> Result<Source, Problem> {
    let confidence = match node.get("confidence") {
        None => above.confidence,
        Some(value) => value.text().and_then(Confidence::from_id).ok_or_else(|| {
            Problem::new(value.line, format!("{} is no confidence", value.described()))
                .hint("expected one of unverified, low, medium, high, measured")
        })?,
    };
    let text = text(node, "source")?.unwrap_or_else(|| above.text.clone());
    Ok(Source { text, confidence })
}

/// A number by itself, or a map of `value`, `source` and `confidence`. Zero means none.
pub(super) fn fact(node: &Node, factor: f64, above: &Source) -> Result<Option<Fact>, Problem> {
    if !node.is_map() {
        return Ok(positive(node, factor)?.map(|value| Fact { value, source: above.clone() }));
    }
    for entry in node.entries() {
        known(entry, &PEAK_KEYS)?;
    }
    let source = inherited(node, above)?;
    let value =
        node.get("value").ok_or_else(|| Problem::new(node.line, "a number with a source needs a `value`"))?;
    Ok(positive(value, factor)?.map(|value| Fact { value, source }))
}

fn positive(node: &Node, factor: f64) -> Result<Option<f64>, Problem> {
    let parsed = node.text().and_then(|text| scaled(text, factor));
    match parsed.filter(|value| (0.0..1e30).contains(value)) {
        Some(0.0) => Ok(None),
        Some(value) => Ok(Some(value)),
        None => Err(Problem::new(node.line, format!("{} is no amount", node.described()))
            .hint("expected a number above zero; omit unknown values")),
    }
}

/// The number of a text in a unit of so much. Decimal units move the point, so that 66.9 tera is 66 900 giga exactly.
pub(in crate::device) fn scaled(text: &str, factor: f64) -> Option<f64> {
    let text = text.replace('_', "");
    let exponent = [0, 3, 6, 9, 12].into_iter().find(|exponent| 10f64.powi(*exponent) == factor);
    match exponent {
        Some(exponent) if !text.contains(['e', 'E']) => format!("{text}e{exponent}").parse().ok(),
        _ => Some(text.parse::<f64>().ok()? * factor),
    }
}

fn optional(node: &Node, name: &str, factor: f64, source: &Source) -> Result<Option<Fact>, Problem> {
    node.get(name).map_or(Ok(None), |value| fact(value, factor, source))
}

pub(super) fn text(node: &Node, name: &str) -> Result<Option<String>, Problem> {
    let Some(value) = node.get(name) else { return Ok(None) };
    match value.text() {
        Some(text) => Ok(Some(text.to_owned())),
        None => {
            Err(Problem::new(value.line, format!("`{name}` must be a string, not {}", value.described())))
        }
    }
}

fn texts(node: &Node, name: &str) -> Result<Vec<String>, Problem> {
    let Some(value) = node.get(name) else { return Ok(Vec::new()) };
    let items = list(value, name)?;
    let text = |item: &Node| {
        let wrong = || Problem::new(item.line, format!("`{name}` must be a list of strings"));
        item.text().map(str::to_owned).ok_or_else(wrong)
    };
    items.iter().map(text).collect()
}

fn list<'a>(value: &'a Node, name: &str) -> Result<&'a [Node], Problem> {
    let wrong = || Problem::new(value.line, format!("`{name}` must be a list, not {}", value.described()));
    value.items().ok_or_else(wrong)
}

/// Fails on a key that looks like one of ours and is not. Others are somebody else's and are left alone.
pub(super) fn known(entry: &Entry, keys: &[&str]) -> Result<(), Problem> {
    if keys.contains(&entry.key.as_str()) {
        return Ok(());
    }
    match slip_of(&entry.key, keys.iter().copied()) {
        None => Ok(()),
        Some(key) => Err(Problem::new(entry.line, format!("unknown key `{}`", entry.key))
            .hint(format!("did you mean `{key}`?"))),
    }
}

/// What the rates of a block of peaks are multiplied with and count, if it is one.
fn rate(entry: &Entry) -> Option<(f64, Counts)> {
    let unit = entry.key.strip_prefix(DENSE).or_else(|| entry.key.strip_prefix(SPARSE))?;
    RATES.iter().find(|(name, ..)| *name == unit).map(|(_, factor, counts)| (*factor, *counts))
}

/// The peaks of a block: key, rate, what the rate counts.
fn block(entry: &Entry, above: &Source) -> Result<Vec<(String, usize, Fact, Counts)>, Problem> {
    let (factor, counts) = rate(entry).ok_or_else(|| {
        let units = RATES.map(|(name, ..)| name).join(", ");
        Problem::new(entry.line, format!("`{}` has no unit suffix", entry.key))
            .hint(format!("units are {units}"))
    })?;
    if !entry.value.is_map() {
        let cause =
            format!("`{}` must be a map from types to rates, not {}", entry.key, entry.value.described());
        return Err(Problem::new(entry.value.line, cause));
    }
    let source = inherited(&entry.value, above)?;
    let mut found = Vec::new();
    for peak in entry.value.entries().iter().filter(|peak| !PEAK_KEYS.contains(&peak.key.as_str())) {
        if peak.value.kind == super::Kind::Null {
            continue;
        }
        if let Some(fact) = fact(&peak.value, factor, &source)? {
            found.push((peak.key.clone(), peak.line, fact, counts));
        }
    }
    Ok(found)
}

fn dense(entry: &Entry, above: &Source, peaks: &mut Vec<Peak>) -> Result<(), Problem> {
    for (key, line, dense, counts) in block(entry, above)? {
        if peaks.iter().any(|peak| peak.key == key) {
            return Err(Problem::new(line, format!("duplicate peak of `{key}` in another unit")));
        }
        let (arithmetic, engine) = key::meaning(&key);
        peaks.push(Peak { key, arithmetic, engine, dense, sparse: None, counts });
    }
    Ok(())
}

fn sparse(entry: &Entry, above: &Source, peaks: &mut [Peak]) -> Result<(), Problem> {
    for (key, line, sparse, counts) in block(entry, above)? {
        let Some(peak) = peaks.iter_mut().find(|peak| peak.key == key && peak.counts == counts) else {
            return Err(Problem::new(
                line,
                format!("a sparse peak of `{key}` needs a dense one in the same unit"),
            )
            .hint(format!("add it under `{DENSE}...`")));
        };
        peak.sparse = Some(sparse);
    }
    Ok(())
}

fn memory(node: &Node, above: &Source) -> Result<Vec<Memory>, Problem> {
    let mut levels = Vec::new();
    for item in node.get("memory").map_or(Ok(&[][..]), |value| list(value, "memory"))? {
        for entry in item.entries() {
            known(entry, &MEMORY_KEYS)?;
        }
        let source = inherited(item, above)?;
        let id = text(item, "id")?.ok_or_else(|| Problem::new(item.line, "a memory level needs an `id`"))?;
        if levels.iter().any(|level: &Memory| level.id == id) {
            return Err(Problem::new(item.line, format!("duplicate memory level `{id}`")));
        }
        let mut size = None;
        for (key, factor) in SIZES {
            size = size.or(optional(item, key, factor, &source)?);
        }
        let bandwidth = optional(item, "bw_GBps", 1e9, &source)?;
        let name = text(item, "name")?.unwrap_or_else(|| id.to_uppercase());
        let traffic = |key: &str| optional(item, key, 1e9, &source);
        let (write, copy, triad) = (traffic("write_GBps")?, traffic("copy_GBps")?, traffic("triad_GBps")?);
        levels.push(Memory { id, name, bandwidth, write, copy, triad, size });
    }
    // The one level of older files.
    if let Some(value) = node.get("hbm_bw_GBps") {
        let bandwidth = fact(value, 1e9, above)?;
        match levels.iter_mut().find(|level| level.id == "hbm") {
            None => levels
                .insert(0, Memory { id: "hbm".into(), name: "HBM".into(), bandwidth, ..Memory::default() }),
            Some(level) if level.bandwidth.is_none() => level.bandwidth = bandwidth,
            Some(_) => {
                return Err(Problem::new(value.line, "the bandwidth of `hbm` is already under `memory`"));
            }
        }
    }
    Ok(levels)
}

fn rates(node: &Node, above: &Source) -> Result<Vec<Rate>, Problem> {
    let mut rates = Vec::new();
    for item in node.get("rates").map_or(Ok(&[][..]), |value| list(value, "rates"))? {
        for entry in item.entries() {
            known(entry, &RATE_KEYS)?;
        }
        let source = inherited(item, above)?;
        let key = text(item, "id")?.ok_or_else(|| Problem::new(item.line, "a rate needs an `id`"))?;
        if rates.iter().any(|rate: &Rate| rate.key == key) {
            return Err(Problem::new(item.line, format!("duplicate rate `{key}`")));
        }
        // Zero says that it is not known, as everywhere.
        if let Some(per_second) = optional(item, "G_per_s", 1e9, &source)? {
            rates.push(Rate { key, per_second });
        }
    }
    Ok(rates)
}

pub(super) fn links(node: &Node, above: &Source) -> Result<Vec<Link>, Problem> {
    let mut links = Vec::new();
    for item in node.get("links").map_or(Ok(&[][..]), |value| list(value, "links"))? {
        for entry in item.entries() {
            known(entry, &LINK_KEYS)?;
        }
        let source = inherited(item, above)?;
        let name = text(item, "name")?.unwrap_or_else(|| "link".to_owned());
        let per_direction = optional(item, "bw_GBps", 1e9, &source)?.ok_or_else(|| {
            Problem::new(item.line, format!("the link `{name}` has no `bw_GBps`"))
                .hint("state GB/s of one link in one direction, or omit the link if unknown")
        })?;
        let count = match item.get("count") {
            None => 1,
            Some(value) => {
                value.text().and_then(|text| text.parse().ok()).filter(|count| *count > 0).ok_or_else(
                    || Problem::new(value.line, format!("{} is not a number of links", value.described())),
                )?
            }
        };
        let kind = match item.get("kind") {
            None => None,
            Some(value) => Some(value.text().and_then(LinkKind::from_id).ok_or_else(|| {
                Problem::new(value.line, format!("{} is not a link kind", value.described()))
                    .hint("expected one of scale-up, host, network")
            })?),
        };
        links.push(Link { name, aliases: texts(item, "aliases")?, kind, per_direction, count });
    }
    Ok(links)
}
