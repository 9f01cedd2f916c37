//! `roofline_config.json`: the peaks and thresholds of an NPU, which are read as a peaks file too.

use std::path::Path;

use anyhow::Context;
use eaves_model::suggestion::did_you_mean;
use eaves_roofline::Settings;

use crate::{Failure, Progress, hinted};

/// The name of a configuration next to NPU commands.
pub const NAME: &str = "roofline_config.json";

/// The thresholds of a configuration.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NpuConfig {
    pub(crate) bound: Option<f64>,
    pub(crate) memory: Option<f64>,
    pub(crate) compute: Option<f64>,
}

/// Every key of such a file. The last ones are those of a dashboard that reads the same file; here they mean nothing.
const KEYS: [&str; 12] = [
    "name",
    "peak_tops",
    "mem_bw",
    "mem_thresh",
    "comp_thresh",
    "bound_thresh",
    "balanced",
    "counts",
    "peak_unit",
    "issue_eff_limit",
    "issue_waste_limit",
    "issue_perf_limit",
];

/// Checks that a configuration may have this key.
///
/// # Errors
/// If nothing reads it.
pub fn check_key(key: &str) -> Result<(), Failure> {
    if KEYS.contains(&key) || key.starts_with("rate.") {
        return Ok(());
    }
    let known = match did_you_mean(key, KEYS) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("keys are {}", KEYS.join(", ")),
    };
    Err(Failure::usage(format!("unknown key `{key}`"), known))
}

impl NpuConfig {
    pub(crate) fn read(path: &Path, progress: &dyn Progress) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read the configuration: {}", path.display()))?;
        let wrong = |what: String| {
            hinted(
                format!("the configuration {what}: {}", path.display()),
                r#"write {"peak_tops": 32, "mem_bw": 50, "mem_thresh": 40, "comp_thresh": 40}"#,
            )
        };
        let json: serde_json::Value =
            serde_json::from_str(&text).map_err(|error| wrong(format!("is not JSON ({error})")))?;
        // Only of the dashboards' own form: any peaks file may be named here, and has keys of its own.
        let is_plain = json.get("peak_tops").is_some() || json.get("mem_bw").is_some();
        let keys = json.as_object().into_iter().flat_map(|all| all.keys());
        for unknown in keys.filter(|_| is_plain).filter_map(|key| check_key(key).err()) {
            let hint = unknown.hint.unwrap_or_default();
            progress.note(&format!("{}; {hint}: {}", unknown.message, path.display()));
        }
        let limit = |key: &str| match json.get(key) {
            None => Ok(None),
            Some(value) => {
                let number = value.as_f64().filter(|number| (0.0..=100.0).contains(number));
                number.map(Some).ok_or_else(|| wrong(format!("has an invalid percentage `{key}`: {value}")))
            }
        };
        Ok(Self {
            bound: limit("bound_thresh")?,
            memory: limit("mem_thresh")?,
            compute: limit("comp_thresh")?,
        })
    }

    /// The limits that it gives.
    pub(crate) fn settings(&self) -> Settings {
        let usual = Settings::default();
        Settings {
            bound_pct: self.bound.unwrap_or(usual.bound_pct),
            compute_threshold_pct: self.compute.unwrap_or(usual.compute_threshold_pct),
            memory_threshold_pct: self.memory.unwrap_or(usual.memory_threshold_pct),
            ..usual
        }
    }
}
