//! Roofs that no public document states: the answer says so.

use eaves_roofline::device::{Confidence, Device, Fact, Peak};
use eaves_section::{Finding, Severity};

/// The note on the unverified ones among these peaks, and on the main memory's bandwidth. `None` if documents state them
/// all.
pub(crate) fn note<'a>(device: &Device, peaks: impl IntoIterator<Item = &'a Peak>) -> Option<Finding> {
    let unverified = |fact: &Fact| fact.source.confidence == Confidence::Unverified;
    let mut roofs: Vec<String> = Vec::new();
    for peak in peaks.into_iter().filter(|peak| unverified(&peak.dense)) {
        let name = format!("peak {}", peak.key);
        if !roofs.contains(&name) {
            roofs.push(name);
        }
    }
    let memory = device.main_memory().and_then(|memory| memory.bandwidth.as_ref());
    if memory.is_some_and(unverified) {
        roofs.push("memory bandwidth".to_owned());
    }
    let (last, rest) = roofs.split_last()?;
    let (names, verb) = match rest {
        [] => (last.clone(), "is"),
        rest => (format!("{} and {last}", rest.join(", ")), "are"),
    };
    Some(Finding {
        id: "unverified_roof",
        severity: Severity::Info,
        claim: format!("{} of {} {verb} unverified.", capital(&names), device.name),
        gain: None,
        evidence: "no public source: column `confidence` of the device's numbers".to_owned(),
        next: "Measure it on the device, and pass the peaks file with `--device`.".to_owned(),
    })
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_document_states_is_named() {
        let text = "name: X\nhbm_bw_GBps: 100\ncompute_peaks_TFLOPs: {fp32: 1, fp16: {value: 2, source: unverified}, \
                    fp8: {value: 4, source: unverified}}\n";
        let device = |text: &str| {
            eaves_roofline::device::parse(text, std::path::Path::new("x.yaml")).unwrap().remove(0)
        };
        let claim = |device: &Device, keys: &[&str]| {
            let peaks = keys.iter().filter_map(|key| device.peak_by_key(key));
            note(device, peaks).map(|finding| finding.claim).unwrap_or_default()
        };
        let known = device(text);
        assert_eq!(claim(&known, &["fp32"]), "");
        assert_eq!(claim(&known, &["fp32", "fp16", "fp16"]), "Peak fp16 of X is unverified.");
        assert_eq!(claim(&known, &["fp16", "fp8"]), "Peak fp16 and peak fp8 of X are unverified.");
        let unknown = device(&text.replace("hbm_bw_GBps: 100", "source: unverified\nhbm_bw_GBps: 100"));
        assert_eq!(claim(&unknown, &[]), "Memory bandwidth of X is unverified.");
    }
}
