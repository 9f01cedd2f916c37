//! `/api/hardware` of the roofline calculator's dashboard: the devices of the catalog, and those that clients describe,
//! which last as long as the server.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use eaves_app::verbs::{
    self,
    device::{DeviceOp, List},
};
use eaves_roofline::device::{Confidence, Device, Fact, Memory, Peak, Source, find, key_meaning, to_yaml};
use eaves_store::staging::TemporaryFile;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{document, rows};
use crate::Problem;
use crate::state::Shared;

/// That many are kept.
const MOST: usize = 100;
/// The chip that the calculator was made for.
pub(super) const USUAL: &str = "gb10";
/// Keys of the calculator that name several devices of the catalog, and the one that its own table had under each.
const KEYS: [(&str, &str); 2] = [("a100", "nvidia-a100-sxm-80"), ("h100", "nvidia-h100-sxm")];

pub(super) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/api/hardware", get(list).post(add))
        // The same for clients that must not reach a GPU: none of these runs a kernel.
        .route("/api/public/hardware", get(list))
}

/// What clients described: a file by key, which the command line reads as any other, and how it is listed.
#[derive(Debug, Default)]
pub(crate) struct Described(Mutex<BTreeMap<String, (TemporaryFile, Value)>>);

impl Described {
    /// The word that `--device` takes for a key: a device of the catalog, or a file that was written here.
    pub(super) fn word(&self, key: &str) -> Result<String, Problem> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((file, _)) = known.get(&normal(key)) {
            return Ok(file.path().to_string_lossy().into_owned());
        }
        let meant = KEYS.iter().find(|(known, _)| key.eq_ignore_ascii_case(known)).map(|(_, id)| *id);
        match find(meant.unwrap_or(&key.replace('_', "-"))) {
            Ok(device) => Ok(device.id),
            Err(unknown) => Err(Problem::missing(unknown.to_string()).hint("GET /api/hardware lists them")),
        }
    }

    /// True for a file that was written here.
    pub(crate) fn is_file(&self, path: &Path) -> bool {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.values().any(|(file, _)| file.path() == path)
    }

    fn listed(&self) -> Vec<Value> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.values().map(|(_, listed)| listed.clone()).collect()
    }
}

/// A name as a key: letters and digits, the rest as `_`.
fn normal(name: &str) -> String {
    let key = |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '_' };
    name.chars().map(key).collect()
}

async fn list(State(shared): State<Arc<Shared>>) -> Result<Json<Value>, Problem> {
    shared
        .heavy(|shared| {
            let request = verbs::Device { op: DeviceOp::List(List::default()) };
            let document = document(&shared.answer(&request)?);
            let mut all: Vec<Value> = rows(&document["sections"][0], "devices").iter().map(known).collect();
            all.extend(shared.described.listed());
            Ok(Json(Value::Array(all)))
        })
        .await
}

fn known(row: &Map<String, Value>) -> Value {
    let id = row.get("id").and_then(Value::as_str).unwrap_or_default();
    let peaks = find(id).map(|device| device.peaks).unwrap_or_default();
    let bandwidth = row.get("bandwidth_gbps");
    json!({"key": id, "name": row.get("full_name"), "bandwidth_gb_s": bandwidth, "precisions": precisions(&peaks)})
}

fn precisions(peaks: &[Peak]) -> Vec<&'static str> {
    let mut precisions: Vec<&str> = peaks.iter().filter_map(|peak| Some(peak.arithmetic?.id())).collect();
    precisions.sort_unstable();
    precisions.dedup();
    precisions
}

/// A device as clients describe it.
#[derive(Debug, Deserialize)]
struct Description {
    name: String,
    bandwidth_gb_s: f64,
    /// TFLOP/s by precision.
    flops_by_precision: BTreeMap<String, f64>,
    memory_gb: Option<f64>,
}

impl Description {
    fn device(&self, key: &str) -> Result<Device, Problem> {
        let positive = |name: &str, value: f64| {
            let is_positive = value.is_finite() && value > 0.0;
            if is_positive { Ok(value) } else { Err(Problem::bad(format!("`{name}` must be above 0"))) }
        };
        let source = Source { text: "described by a client".to_owned(), confidence: Confidence::Low };
        let fact = |value| Fact { value, source: source.clone() };
        let mut peaks = Vec::new();
        for (name, &rate) in &self.flops_by_precision {
            let (Some(arithmetic), engine) = key_meaning(name) else {
                return Err(Problem::bad(format!("unknown precision `{name}`"))
                    .hint("GET /api/v1/precisions lists them"));
            };
            let dense = fact(positive(name, rate)? * 1e12);
            let key = name.to_lowercase();
            let (arithmetic, counts) = (Some(arithmetic), eaves_roofline::Counts::Operations);
            peaks.push(Peak { key, arithmetic, engine, dense, sparse: None, counts });
        }
        if peaks.is_empty() {
            return Err(Problem::bad("`flops_by_precision` is empty"));
        }
        let size = self.memory_gb.map(|size| positive("memory_gb", size)).transpose()?;
        let memory = Memory {
            id: "hbm".to_owned(),
            name: "memory".to_owned(),
            bandwidth: Some(fact(positive("bandwidth_gb_s", self.bandwidth_gb_s)? * 1e9)),
            size: size.map(|size| fact(size * 1e9)),
            ..Memory::default()
        };
        let name = self.name.trim().to_owned();
        Ok(Device { id: key.to_owned(), name, peaks, memory: vec![memory], ..Device::default() })
    }
}

async fn add(
    State(shared): State<Arc<Shared>>,
    Json(description): Json<Description>,
) -> Result<Json<Value>, Problem> {
    let key = normal(description.name.trim());
    if key.is_empty() || key.len() > 100 || description.flops_by_precision.len() > 100 {
        return Err(Problem::bad("a name has one to a hundred letters, and a device as many peaks at most"));
    }
    if find(&key.replace('_', "-")).is_ok() {
        return Err(Problem::failed(format!("`{key}` is already in the catalog")).hint("take another name"));
    }
    let made = description.device(&key)?;
    shared
        .heavy(move |shared| {
            let failed = |error: std::io::Error| Problem::internal(format!("cannot keep it: {error}"));
            let mut file = TemporaryFile::create().map_err(failed)?;
            let text = to_yaml(std::slice::from_ref(&made));
            file.file().write_all(text.as_bytes()).map_err(failed)?;
            let listed = json!({
                "key": key,
                "name": made.name,
                "bandwidth_gb_s": description.bandwidth_gb_s,
                "precisions": precisions(&made.peaks),
            });
            let mut known = shared.described.0.lock().unwrap_or_else(PoisonError::into_inner);
            if known.len() >= MOST && !known.contains_key(&key) {
                return Err(Problem::failed(format!("limit of {MOST} devices reached")));
            }
            known.insert(key.clone(), (file, listed));
            Ok(Json(json!({"status": "ok", "name": made.name, "key": key})))
        })
        .await
}
