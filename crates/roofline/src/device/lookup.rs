//! Devices by name: what people type and what recordings call the device they ran on.

use std::fmt;

use eaves_model::suggestion;

use super::{Device, catalogue};

/// A name that is not a device, or several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// What was asked for.
    pub asked: String,
    /// Ids that are near, best first.
    pub near: Vec<&'static str>,
    /// Whether the name fits all of `near`, and which is meant cannot be said.
    pub ambiguous: bool,
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.ambiguous, self.near.is_empty()) {
            (true, _) => write!(f, "`{}` may be any of {}", self.asked, self.near.join(", ")),
            (false, false) => {
                write!(f, "unknown device `{}`; did you mean {}?", self.asked, self.near.join(", "))
            }
            (false, true) => write!(f, "unknown device `{}`", self.asked),
        }
    }
}

impl std::error::Error for Unknown {}

impl Unknown {
    /// What to try.
    pub fn hint(&self) -> &'static str {
        "`eaves device list` shows every device; a peaks file describes any other: see docs/devices.md"
    }
}

/// The device of this name: an id with or without the vendor, a name, an alias, what a recording reports, or an
/// instruction set that only one device has. Case and punctuation do not matter.
///
/// # Errors
/// If there is none, or several.
pub fn find(name: &str) -> Result<Device, Unknown> {
    let devices = catalogue();
    let wanted = plain(name);
    let typed = |device: &Device| {
        plain(&device.id) == wanted
            || device.id.split_once('-').is_some_and(|(_, rest)| plain(rest) == wanted)
            || without_vendor(&device.name) == without_vendor(name)
            || device.aliases.iter().any(|alias| plain(alias) == wanted)
    };
    let reported = |device: &Device| reports(device, name);
    let instructions = |device: &Device| device.isa.as_deref().is_some_and(|isa| plain(isa) == wanted);
    let rules: [&dyn Fn(&Device) -> bool; 3] = [&typed, &reported, &instructions];
    choose(name, devices, &rules)
}

/// The device that a recording means by this name. It differs from [`find`] where a package with two dies is one
/// device to people and two to the operating system.
///
/// # Errors
/// If there is none, or several.
pub fn find_reported(name: &str) -> Result<Device, Unknown> {
    match choose(name, catalogue(), &[&|device: &Device| reports(device, name)]) {
        Ok(device) => Ok(device),
        Err(_) => find(name),
    }
}

fn reports(device: &Device, name: &str) -> bool {
    device.reports.iter().any(|report| without_vendor(report) == without_vendor(name))
}

/// The one device of the first rule that any device fits.
fn choose(
    name: &str,
    devices: &'static [Device],
    rules: &[&dyn Fn(&Device) -> bool],
) -> Result<Device, Unknown> {
    for rule in rules.iter().filter(|_| !plain(name).is_empty()) {
        let found: Vec<&'static Device> = devices.iter().filter(|device| rule(device)).collect();
        match found.as_slice() {
            [] => {}
            [device] => return Ok((*device).clone()),
            several => {
                let near = several.iter().map(|device| device.id.as_str()).collect();
                return Err(Unknown { asked: name.to_owned(), near, ambiguous: true });
            }
        }
    }
    Err(Unknown { asked: name.to_owned(), near: near(name, devices), ambiguous: false })
}

/// Letters and digits alone, in lower case.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The same without what vendors put before the name.
fn without_vendor(name: &str) -> String {
    let plain = plain(name);
    let mut rest = plain.as_str();
    for word in ["nvidia", "amd", "intelr", "intel", "google", "apple", "tesla", "geforce", "instinct"] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    rest.to_owned()
}

/// Ids like the name: those that contain it, then those that are spelt alike.
fn near(name: &str, devices: &'static [Device]) -> Vec<&'static str> {
    /// More than any two words are alike.
    const CONTAINED: f64 = 2.0;
    let wanted = without_vendor(name);
    if wanted.is_empty() {
        return Vec::new();
    }
    let likeness = |device: &Device| {
        let (_, short) = device.id.split_once('-').unwrap_or(("", &device.id));
        let names = [short, &device.id, &device.name].map(without_vendor);
        let alike = |name: &String| match name.contains(&wanted) {
            true => CONTAINED,
            false => suggestion::likeness(name, &wanted),
        };
        let aliases: Vec<String> = device.aliases.iter().map(|alias| without_vendor(alias)).collect();
        names.iter().chain(&aliases).map(alike).fold(0.0, f64::max)
    };
    let mut scored: Vec<(f64, &'static str)> =
        devices.iter().map(|device| (likeness(device), device.id.as_str())).collect();
    scored.retain(|(likeness, _)| suggestion::is_close(*likeness));
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    // What contains the name is meant; what is only spelt alike would distract from it.
    if scored.first().is_some_and(|(likeness, _)| *likeness >= CONTAINED) {
        scored.retain(|(likeness, _)| *likeness >= CONTAINED);
    }
    scored.into_iter().take(5).map(|(_, id)| id).collect()
}
