//! `/api/profiler/*`: the newest run as the dashboard of the PyTorch profiling tools showed it.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::get;
use axum::{Json, Router};
use eaves_analyze::flame::Metric;
use eaves_analyze::timeline::Chart;
use eaves_present::flame::d3;
use serde_json::{Value, json};

use super::{number, rows, scaled, section};
use crate::Problem;
use crate::answer::Answer;
use crate::runs::Loaded;
use crate::state::Shared;

/// Rows of a list.
const MOST_ROWS: usize = 50;
/// Events of a side of the timeline.
const MOST_EVENTS: usize = 500;

pub(super) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/api/profiler/flame", get(flame))
        .route("/api/profiler/timeline", get(async |state: State<Arc<Shared>>| of_run(state, timeline).await))
        .route(
            "/api/profiler/kernels",
            get(async |state: State<Arc<Shared>>| of_report(state, kernels).await),
        )
        .route("/api/profiler/hta", get(async |state: State<Arc<Shared>>| of_report(state, hta).await))
        .route("/api/profiler/memory", get(async |state: State<Arc<Shared>>| of_report(state, memory).await))
        .route(
            "/api/profiler/compile",
            get(async |state: State<Arc<Shared>>| of_report(state, compile).await),
        )
        .route(
            "/api/profiler/roofline",
            get(async |state: State<Arc<Shared>>| of_report(state, roofline).await),
        )
        .route(
            "/api/profiler/bottlenecks",
            get(async |state: State<Arc<Shared>>| of_report(state, bottlenecks).await),
        )
        .route("/api/profiler/optimization-score", get(score))
}

async fn of_run(
    State(shared): State<Arc<Shared>>,
    make: fn(&Loaded) -> Result<Value, Problem>,
) -> Result<Json<Value>, Problem> {
    let run = shared.runs.find("latest")?;
    shared.heavy(move |shared| Ok(Json(make(&*shared.runs.load(&run)?)?))).await
}

async fn of_report(
    State(shared): State<Arc<Shared>>,
    make: fn(&Value) -> Result<Value, Problem>,
) -> Result<Json<Value>, Problem> {
    let run = shared.runs.find("latest")?;
    shared.heavy(move |shared| Ok(Json(make(&shared.runs.load(&run)?.report.value())?))).await
}

/// `{name, value, children}` as every such tree of ours: times in microseconds.
async fn flame(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Result<Response, Problem> {
    let run = shared.runs.find("latest")?;
    shared
        .heavy(move |shared| {
            let data = shared.runs.load(&run)?.flame(None, None, None)?.value();
            Ok(Answer::json(nested(&data)).respond(&headers))
        })
        .await
}

/// The first tree of a flame graph with frames in frames, as `eaves flame -o NAME.d3.json` writes it.
fn nested(data: &Value) -> Vec<u8> {
    let view = &data["views"][0];
    let place = data["metric"].as_u64().unwrap_or(0) as usize;
    let metric = Metric::ALL.get(place).copied().unwrap_or(Metric::Cpu);
    let column = |value: &Value| -> Vec<i64> {
        value.as_array().into_iter().flatten().map(|one| one.as_i64().unwrap_or(0)).collect()
    };
    let (levels, names, mut totals) =
        (column(&view["level"]), column(&view["name"]), column(&view["own"][place]));
    // What is below counts for what is above; children come after their parents.
    let mut parents: Vec<usize> = Vec::new();
    let mut parent_of = vec![None; levels.len()];
    for (at, level) in levels.iter().enumerate() {
        parents.truncate(usize::try_from(*level).unwrap_or(0));
        parent_of[at] = parents.last().copied();
        parents.push(at);
    }
    for at in (0..levels.len()).rev() {
        if let Some(parent) = parent_of[at] {
            totals[parent] += totals[at];
        }
    }
    let mut tree = d3::Nested::default();
    let mut open: Vec<i64> = Vec::new();
    for (at, level) in levels.iter().enumerate() {
        while open.last().is_some_and(|last| last >= level) {
            open.pop();
            tree.leave();
        }
        let name = data["names"].get(names[at] as usize).and_then(Value::as_str).unwrap_or_default();
        tree.enter(name, None, &d3::amount(metric, totals[at]), None);
        open.push(*level);
    }
    tree.finish().unwrap_or_default()
}

fn timeline(loaded: &Loaded) -> Result<Value, Problem> {
    let charts = loaded.charts()?;
    let chart = charts.charts.first().ok_or_else(|| Problem::missing("nothing to draw"))?;
    let mut streams = serde_json::Map::new();
    for track in chart.tracks.iter().filter(|track| track.is_stream) {
        streams.insert(track.name.clone(), events(chart, |other| std::ptr::eq(other, track)).into());
    }
    let facts = loaded.timeline_facts()?;
    let milliseconds = |id: &str| {
        let numbers = facts.into_iter().flat_map(|section| &section.numbers);
        let mut found = numbers.filter(|number| number.id == id && number.rank == Some(chart.rank));
        found.next().and_then(|number| match number.value {
            eaves_analyze::section::Value::Integer(value) => Some(value as f64 / 1e6),
            eaves_analyze::section::Value::Float(value) => Some(value / 1e6),
            _ => None,
        })
    };
    Ok(json!({
        "cpu": events(chart, |track| !track.is_stream),
        "gpu": events(chart, |track| track.is_stream),
        "streams": streams,
        "summary": {
            "total_ms": milliseconds("span_ns"),
            "cpu_ms": milliseconds("cpu_active_ns"),
            "gpu_ms": milliseconds("gpu_active_ns"),
            "overlap_ms": milliseconds("overlap_ns"),
        },
        "note": format!("the first {MOST_EVENTS} events of each list, in time order; /api/v1/runs/latest/timeline \
            has all"),
    }))
}

/// The first events of some tracks in time order.
fn events(chart: &Chart<'_>, wanted: impl Fn(&eaves_analyze::timeline::ChartTrack) -> bool) -> Vec<Value> {
    let slices = &chart.trace.slices;
    let mut found = Vec::new();
    for track in chart.tracks.iter().filter(|track| wanted(track)) {
        for row in chart.rows(track) {
            found.extend(
                chart
                    .slices
                    .slices(row)
                    .iter()
                    .take(MOST_EVENTS)
                    .map(|slice| (slices.start[slice.index()], *slice, track)),
            );
        }
    }
    found.sort_by_key(|(start, slice, _)| (*start, *slice));
    let event = |(start, slice, track): &(
        eaves_model::Ns,
        eaves_model::SliceId,
        &eaves_analyze::timeline::ChartTrack,
    )| {
        json!({
            "name": chart.trace.strings.get(slices.name[slice.index()]),
            "start_ms": (*start + chart.offset).as_f64() / 1e6,
            "duration_ms": slices.duration[slice.index()].as_f64() / 1e6,
            "pid": track.group,
            "tid": track.name,
            "cat": chart.trace.strings.get(slices.category[slice.index()]),
        })
    };
    found.iter().take(MOST_EVENTS).map(event).collect()
}

fn kernels(document: &Value) -> Result<Value, Problem> {
    let kernels = section(document, "kernels")?;
    let rows = rows(kernels, "by_name");
    let (calls, total) = (number(kernels, "calls"), number(kernels, "total_ns"));
    let mut by_type: std::collections::BTreeMap<String, f64> = std::collections::BTreeMap::new();
    for row in &rows {
        let kind = row.get("type").and_then(Value::as_str).unwrap_or("unknown").to_owned();
        *by_type.entry(kind).or_default() += row.get("total_ns").and_then(Value::as_f64).unwrap_or(0.0) / 1e3;
    }
    let kernel = |row: &serde_json::Map<String, Value>| {
        json!({"name": row.get("name"), "time_us": scaled(row.get("total_ns"), 1e-3), "duration_us": scaled(row.get("total_ns"), 1e-3),
            "count": row.get("calls"), "category": row.get("type")})
    };
    let mean = total
        .as_f64()
        .zip(calls.as_f64())
        .filter(|(_, calls)| *calls > 0.0)
        .map(|(total, calls)| total / calls / 1e3);
    Ok(json!({
        "kernels": rows.iter().take(MOST_ROWS).map(kernel).collect::<Vec<_>>(),
        "summary": {"total_kernels": calls, "total_time_us": scaled(Some(&total), 1e-3), "avg_kernel_time_us": mean},
        "by_type": by_type,
    }))
}

/// Shares are of the GPU's span and of the first rank; compute, idle and non-compute are together 100.
fn hta(document: &Value) -> Result<Value, Problem> {
    let breakdown = section(document, "temporal-breakdown")?;
    let of = |id: &str| number(breakdown, id);
    let top: Vec<Value> = section(document, "kernels").map(|kernels| rows(kernels, "by_name")).unwrap_or_default().iter().take(10).map(|row| {
        json!({"name": row.get("name"), "time_us": scaled(row.get("total_ns"), 1e-3), "duration_us": scaled(row.get("total_ns"), 1e-3), "count": row.get("calls"), "pct": row.get("share_pct")})
    }).collect();
    let findings = findings(document);
    Ok(json!({
        "temporal_breakdown": {
            "compute_pct": of("compute_pct"), "idle_pct": of("idle_pct"), "gpu_idle_pct": of("idle_pct"), "non_compute_pct": of("non_compute_pct"),
            "communication_pct": of("exposed_comm_pct"), "memory_pct": of("exposed_memory_pct"),
        },
        "top_kernels": top,
        "recommendations": findings.iter().map(|finding| finding["next"].clone()).collect::<Vec<_>>(),
        "bottlenecks": findings.iter().map(|finding| finding["claim"].clone()).collect::<Vec<_>>(),
    }))
}

fn findings(document: &Value) -> Vec<Value> {
    let sections = document["sections"].as_array().map_or(&[][..], Vec::as_slice);
    let mut all: Vec<Value> = sections
        .iter()
        .flat_map(|section| section["findings"].as_array().cloned().unwrap_or_default())
        .collect();
    all.sort_by(|a, b| b["gain_ns"][1].as_i64().cmp(&a["gain_ns"][1].as_i64()));
    all
}

fn memory(document: &Value) -> Result<Value, Problem> {
    let memory = section(document, "memory")?;
    let mebibytes = |value: &Value| scaled(Some(value), 1.0 / (1u64 << 20) as f64);
    let devices = rows(memory, "by_device");
    let peak = devices.iter().filter_map(|row| row.get("peak_bytes")?.as_f64()).fold(f64::NAN, f64::max);
    let allocations: f64 = devices.iter().filter_map(|row| row.get("allocations")?.as_f64()).sum();
    let point = |row: serde_json::Map<String, Value>| json!({"time_ms": scaled(row.get("time_ns"), 1e-6), "allocated_mb": row.get("bytes").map(mebibytes), "reserved_mb": row.get("reserved_bytes").map(mebibytes)});
    Ok(json!({
        "timeline": rows(memory, "timeline").into_iter().map(point).collect::<Vec<_>>(),
        "peak_mb": mebibytes(&peak.into()),
        "summary": {"peak_allocated_mb": mebibytes(&peak.into()), "num_allocations": allocations},
        "has_real_data": true,
    }))
}

fn compile(document: &Value) -> Result<Value, Problem> {
    let sections = document["sections"].as_array().map_or(&[][..], Vec::as_slice);
    let of_compiler = |section: &&Value| {
        ["compile-time", "graph-breaks", "recompiles", "fusion"].iter().any(|id| section["id"] == *id)
    };
    let found: Vec<&Value> = sections.iter().filter(of_compiler).collect();
    if found.is_empty() {
        return Err(Problem::missing("this run has no compilations")
            .hint("record them with TORCH_TRACE=DIR, and open the log: `eaves open DIR`"));
    }
    let list = found.iter().find(|section| section["id"] == "graph-breaks").map(|section| {
        let tables = section["tables"].as_array().into_iter().flatten();
        tables
            .filter_map(|table| table["id"].as_str())
            .take(1)
            .flat_map(|id| rows(section, id))
            .collect::<Vec<_>>()
    });
    let of =
        |id: &str, name: &str| section(document, id).map_or(Value::Null, |section| number(section, name));
    let compile_time = scaled(Some(&of("compile-time", "compile_time_ns")), 1e-6);
    let fusion = of("fusion", "fusion_ratio");
    // A log is of compiled code alone; the other reasons are those of sections that it could not give.
    let reasons = [
        ("speedup", &Value::Null, "the log has no uncompiled run; eaves.torch_compile measures both"),
        ("compile_time_ms", &compile_time, "the log has no compile times"),
        ("fusion_ratio", &fusion, "the log has no generated code"),
    ];
    let missing: serde_json::Map<String, Value> = reasons
        .iter()
        .filter(|(_, value, _)| value.is_null())
        .map(|(name, _, reason)| ((*name).to_owned(), (*reason).into()))
        .collect();
    Ok(json!({
        "speedup": null,
        "compile_time_ms": compile_time,
        "fusion_ratio": fusion,
        "missing": missing,
        "graph_breaks": list.as_ref().map(Vec::len),
        "graph_breaks_list": list,
        "recommendations": findings(document).iter().map(|finding| finding["next"].clone()).collect::<Vec<_>>(),
        "sections": found,
        "has_real_data": true,
    }))
}

fn roofline(document: &Value) -> Result<Value, Problem> {
    let roofline = section(document, "roofline")?;
    let point = |row: &serde_json::Map<String, Value>| {
        json!({"name": row.get("name"), "precision": row.get("dtype"), "intensity": row.get("intensity"),
            "performance_tflops": scaled(row.get("achieved_gflops"), 1e-3), "pct_of_roof": row.get("pct_of_roof")})
    };
    Ok(json!({
        "has_real_data": true,
        "baseline_points": rows(roofline, "points").iter().map(point).collect::<Vec<_>>(),
        "optimized_points": [],
        "hardware_specs": {"device": number(roofline, "device"), "roofs": rows(roofline, "roofs")},
    }))
}

fn bottlenecks(document: &Value) -> Result<Value, Problem> {
    Ok(json!({"bottlenecks": findings(document)}))
}

async fn score() -> Problem {
    Problem::missing("eaves computes no score: a sum of points says nothing about a program")
        .hint("/api/profiler/bottlenecks lists findings with their possible gain")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilations_have_their_numbers_or_a_reason() {
        let section =
            |id: &str, numbers: Value| json!({"id": id, "numbers": numbers, "tables": [], "findings": []});
        let time =
            section("compile-time", json!([{"id": "compile_time_ns", "rank": null, "value": 7_000_000}]));
        let fusion = section("fusion", json!([{"id": "fusion_ratio", "rank": null, "value": 1.5}]));
        let whole = compile(&json!({"sections": [time, fusion], "skipped": []})).unwrap();
        assert_eq!((&whole["compile_time_ms"], &whole["fusion_ratio"]), (&json!(7.0), &json!(1.5)));
        assert!(whole["speedup"].is_null() && whole["missing"]["speedup"].is_string());
        assert!(whole["missing"].get("fusion_ratio").is_none());
        let part = compile(&json!({"sections": [time], "skipped": []})).unwrap();
        assert!(part["fusion_ratio"].is_null() && part["missing"]["fusion_ratio"].is_string(), "{part}");
    }

    #[test]
    fn frames_are_in_frames() {
        let data = json!({"names": ["root", "a", "b \"<\""], "metric": 1, "views": [{
            "level": [0, 1, 2, 1], "name": [0, 1, 2, 2], "own": [[0, 0, 0, 0], [0, 1_000, 2_000, 500]],
        }]});
        let tree: Value = serde_json::from_slice(&nested(&data)).unwrap();
        let leaf = |value: f64| json!({"name": "b \"<\"", "value": value, "children": []});
        let a = json!({"name": "a", "value": 3.0, "children": [leaf(2.0)]});
        assert_eq!(tree, json!({"name": "root", "value": 3.5, "children": [a, leaf(0.5)]}));
        // As deep as they come.
        let deep: Vec<usize> = (0..100_000).collect();
        let data = json!({"names": ["x"], "metric": 0, "views": [{"level": deep, "name": vec![0; 100_000], "own": [vec![1; 100_000]]}]});
        assert!(nested(&data).starts_with(b"{\"name\":\"x\",\"value\":100.0,"));
    }
}
