//! Devices as files: what [`super::parse`] reads again.

use std::fmt::Write;

use super::file::scaled;
use super::{Device, Fact, Link, Memory, Peak, Rate, Source};
use crate::{Arithmetic, Counts};

/// The peaks file of these devices: one as the file itself, several under `devices`.
pub fn to_yaml(devices: &[Device]) -> String {
    match devices {
        [device] => one(device),
        several => {
            let mut text = String::from("devices:\n");
            for device in several {
                for (number, line) in one(device).lines().enumerate() {
                    let lead = if number == 0 { "  - " } else { "    " };
                    text.push_str(format!("{lead}{line}").trim_end());
                    text.push('\n');
                }
            }
            text
        }
    }
}

fn one(device: &Device) -> String {
    let usual = usual_source(device);
    let mut text = Text { text: String::new(), usual };
    text.word("id", Some(&device.id));
    text.word("name", Some(&device.name));
    text.list("aliases", &device.aliases, "");
    text.list("reports", &device.reports, "");
    text.word("vendor", device.vendor.as_deref());
    text.word("architecture", device.architecture.as_deref());
    text.word("isa", device.isa.as_deref());
    text.word("form", device.form.as_deref());
    text.word("scope", device.scope.as_deref());
    if let Some(source) = usual {
        text.word("source", Some(&source.text));
        text.word("confidence", Some(source.confidence.id()));
    }
    text.fact("units", device.units.as_ref(), 1.0, "");
    text.word("unit_kind", device.unit_kind.as_deref());
    text.fact("clock_MHz", device.clock.as_ref(), 1e6, "");
    text.fact("tdp_W", device.tdp.as_ref(), 1.0, "");
    text.peaks("compute_peaks_", &device.peaks, |peak| Some(&peak.dense));
    text.peaks("sparse_peaks_", &device.peaks, |peak| peak.sparse.as_ref());
    text.memory(&device.memory);
    text.links(&device.links);
    text.rates(&device.rates);
    text.word("notes", device.notes.as_deref());
    text.text
}

/// The source that most numbers have, so that they need not say it.
fn usual_source(device: &Device) -> Option<&Source> {
    let facts = device.facts();
    let uses = |source: &Source| facts.iter().filter(|fact| fact.source == *source).count();
    // The first of equals, so that the same device gives the same file.
    facts.iter().rev().map(|fact| &fact.source).max_by_key(|source| uses(source))
}

struct Text<'a> {
    text: String,
    usual: Option<&'a Source>,
}

impl Text<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn word(&mut self, key: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.line(&format!("{key}: {}", quoted(value)));
        }
    }

    fn list(&mut self, key: &str, values: &[String], indent: &str) {
        if !values.is_empty() {
            let values: Vec<String> = values.iter().map(|value| quoted(value)).collect();
            self.line(&format!("{indent}{key}: [{}]", values.join(", ")));
        }
    }

    fn fact(&mut self, key: &str, fact: Option<&Fact>, factor: f64, indent: &str) {
        let Some(fact) = fact else { return };
        let mut line = format!("{indent}{}: ", quoted(key));
        let value = amount(fact.value, factor);
        if self.usual == Some(&fact.source) {
            line.push_str(&value);
        } else {
            let Source { text, confidence } = &fact.source;
            let source = serde_json::Value::from(text.as_str());
            // Writing to a text cannot fail.
            let _ = write!(line, "{{value: {value}, source: {source}, confidence: {}}}", confidence.id());
        }
        self.line(&line);
    }

    fn peaks(&mut self, block: &str, peaks: &[Peak], rate: impl Fn(&Peak) -> Option<&Fact>) {
        for unit in ["TFLOPs", "TOPs", "TMACs"] {
            let mut begun = false;
            for peak in peaks.iter().filter(|peak| unit_of(peak) == unit) {
                let Some(fact) = rate(peak) else { continue };
                if !begun {
                    self.line(&format!("{block}{unit}:"));
                    begun = true;
                }
                self.fact(&peak.key, Some(fact), 1e12, "  ");
            }
        }
    }

    fn memory(&mut self, levels: &[Memory]) {
        if !levels.is_empty() {
            self.line("memory:");
        }
        for (index, level) in levels.iter().enumerate() {
            self.line(&format!("  - id: {}", quoted(&level.id)));
            self.line(&format!("    name: {}", quoted(&level.name)));
            let (unit, factor) =
                if index == 0 { ("size_GiB", 1_073_741_824.0) } else { ("size_MiB", 1_048_576.0) };
            self.fact(unit, level.size.as_ref(), factor, "    ");
            self.fact("bw_GBps", level.bandwidth.as_ref(), 1e9, "    ");
            self.fact("write_GBps", level.write.as_ref(), 1e9, "    ");
            self.fact("copy_GBps", level.copy.as_ref(), 1e9, "    ");
            self.fact("triad_GBps", level.triad.as_ref(), 1e9, "    ");
        }
    }

    fn rates(&mut self, rates: &[Rate]) {
        if !rates.is_empty() {
            self.line("rates:");
        }
        for rate in rates {
            self.line(&format!("  - id: {}", quoted(&rate.key)));
            self.fact("G_per_s", Some(&rate.per_second), 1e9, "    ");
        }
    }

    fn links(&mut self, links: &[Link]) {
        if !links.is_empty() {
            self.line("links:");
        }
        for link in links {
            self.line(&format!("  - name: {}", quoted(&link.name)));
            if let Some(kind) = link.kind {
                self.line(&format!("    kind: {}", kind.id()));
            }
            self.list("aliases", &link.aliases, "    ");
            self.fact("bw_GBps", Some(&link.per_direction), 1e9, "    ");
            if link.count != 1 {
                self.line(&format!("    count: {}", link.count));
            }
        }
    }
}

fn unit_of(peak: &Peak) -> &'static str {
    let integer = peak.arithmetic.is_some_and(Arithmetic::is_integer);
    match (peak.counts, integer) {
        (Counts::Macs, _) => "TMACs",
        (Counts::Operations, true) => "TOPs",
        (Counts::Operations, false) => "TFLOPs",
    }
}

/// The shortest number that gives the value again when it is multiplied with the factor.
fn amount(value: f64, factor: f64) -> String {
    let plain = value / factor;
    let short = format!("{plain:.11e}").parse().unwrap_or(plain);
    let below = plain.next_down();
    let mut texts = [short, plain, below, plain.next_up()].map(|number| number.to_string()).into_iter();
    texts.find(|text| scaled(text, factor) == Some(value)).unwrap_or_else(|| plain.to_string())
}

/// The text by itself if it can be nothing else, or in quotes.
fn quoted(text: &str) -> String {
    let plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && !text.ends_with(' ')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || " ._/()-".contains(c))
        && !["false", "null", "true"].contains(&text.to_ascii_lowercase().as_str());
    if plain { text.to_owned() } else { serde_json::Value::from(text).to_string() }
}
