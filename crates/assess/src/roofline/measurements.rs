//! From measurement files to points.

use eaves_model::{Measurement, MeasurementKind, Measurements};
use eaves_roofline::device::key_meaning;
use eaves_roofline::ops::{Gemm, npu};
use eaves_roofline::{Arithmetic, Device, Engine, Precision, Work, counters};
use eaves_section::kernel_name::short_kernel_name;

use super::{Load, Mark, Point, Transfer, counted_load, described};

/// A formula of the user: what a record of a type must do. Nothing for a type it does not know.
pub type CustomFormula<'a> = dyn Fn(&str, &str) -> Option<Result<npu::NpuWork, String>> + 'a;

/// How records become points.
#[derive(Clone, Copy)]
pub struct Reading<'a> {
    /// The device they will be compared with, whose peaks records may name by their keys.
    pub device: &'a Device,
    /// The type of records that name none.
    pub dtype: Option<&'a str>,
    /// Counts the bytes of NPU commands as the first tool of that format did.
    pub compatibility: bool,
    /// Formulas of the user, asked first.
    pub custom: Option<&'a CustomFormula<'a>>,
}

/// The records that are work, each as a point. A record without a load says why, and stays in the list.
pub fn points(measurements: &Measurements, reading: &Reading<'_>) -> Vec<Point> {
    let records = measurements.records.iter().filter(|record| record.kind == MeasurementKind::Compute);
    records.map(|record| point(record, measurements.format, reading)).collect()
}

/// The records that went over links.
pub fn transfers(measurements: &Measurements) -> Vec<Transfer> {
    let records = measurements.records.iter().filter(|record| record.kind == MeasurementKind::Communication);
    records
        .map(|record| Transfer {
            name: record.name.clone(),
            link: record.link.clone().filter(|link| link != "unknown"),
            bytes: record.bytes,
            calls: record.calls,
            time: record.time,
            protocol: record.protocol.clone(),
            bus_factor: 1.0,
        })
        .collect()
}

fn point(record: &Measurement, format: &str, reading: &Reading<'_>) -> Point {
    if is_counted(record) {
        return counted(record, reading);
    }
    let (load, mark) = match format {
        "commands" => command(record, reading),
        _ => (kernel(record, format, reading), mark_of(&record.type_name, &record.name)),
    };
    let named = |text: &str, otherwise: &str| if text.is_empty() { otherwise } else { text }.to_owned();
    Point {
        name: named(&record.name, "kernel"),
        kind: named(&record.type_name, "kernel"),
        dtype: named(&record.dtype, default_type(format, reading).unwrap_or_default()),
        calls: record.calls,
        time: record.time,
        mark: if load.is_ok() { mark } else { Mark::Star },
        load,
        record: Some(record.record.clone()),
    }
}

/// True if hardware counters alone say what a record did.
fn is_counted(record: &Measurement) -> bool {
    !record.counters.is_empty() && record.flops.is_none() && record.macs.is_none()
}

/// A kernel with hardware counters of one call.
fn counted(record: &Measurement, reading: &Reading<'_>) -> Point {
    let counter = |name: &str| record.counters.iter().find(|(key, _)| key == name).map(|&(_, value)| value);
    let architecture = reading.device.isa.as_deref().unwrap_or_default();
    let done = counters::done(architecture, &counter);
    let load = counted_load(&done, reading.device, architecture);
    let arithmetic = load.as_ref().ok().and_then(|load| load.arithmetic);
    // What was counted may have been timed in the same run.
    let timed = || Some(counter("gpu__time_duration.sum")? * record.calls.max(1) as f64);
    Point {
        name: short_kernel_name(&record.name),
        kind: if record.type_name.is_empty() { "kernel".to_owned() } else { record.type_name.clone() },
        dtype: arithmetic.map_or_else(String::new, |arithmetic| arithmetic.id().to_owned()),
        calls: record.calls,
        time: record.time.or_else(timed),
        mark: if load.is_ok() { mark_of(&record.type_name, &record.name) } else { Mark::Star },
        load,
        record: Some(format!("{}; {}", record.name, described(&done))),
    }
}

/// The type of records that name none: the one asked for, or the one the format defines.
fn default_type<'a>(format: &str, reading: &Reading<'a>) -> Option<&'a str> {
    match (format, reading.dtype) {
        ("commands", _) => Some("INT8"),
        (_, Some(dtype)) => Some(dtype),
        ("kernels-csv" | "events", None) => Some("fp32"),
        _ => None,
    }
}

/// A command of an NPU: by a formula of the user, or by one of ours.
fn command(record: &Measurement, reading: &Reading<'_>) -> (Result<Load, String>, Mark) {
    let work = custom(record, reading).unwrap_or_else(|| {
        npu::command(&record.record).and_then(|command| npu::work(&command, reading.compatibility))
    });
    match work {
        Err(reason) => (Err(reason), Mark::Star),
        Ok(work) => {
            let mark = Mark::from_id(work.symbol).unwrap_or(Mark::Diamond);
            (Ok(load_of(&work, record, reading)), mark)
        }
    }
}

fn custom(record: &Measurement, reading: &Reading<'_>) -> Option<Result<npu::NpuWork, String>> {
    reading.custom.and_then(|custom| custom(&record.type_name, &record.record))
}

fn load_of(work: &npu::NpuWork, record: &Measurement, reading: &Reading<'_>) -> Load {
    Load {
        flops: work.flops,
        macs: work.macs,
        bytes: work.bytes,
        measured_bytes: record.measured_bytes,
        arithmetic: work.precision.arithmetic(),
        engine: work.engine,
        peak_key: named_peak(reading.device, &record.dtype),
        ..Load::default()
    }
}

/// Formats whose records people write; all others are those of profilers.
const OWN_FORMATS: [&str; 4] = ["benchmark", "commands", "events", "kernels-csv"];

/// A kernel or a benchmark that says its amounts, or a shape they follow from.
fn kernel(record: &Measurement, format: &str, reading: &Reading<'_>) -> Result<Load, String> {
    let dtype =
        if record.dtype.is_empty() { default_type(format, reading) } else { Some(record.dtype.as_str()) };
    let kind = dtype.map(|dtype| computed_in(dtype, reading.device));
    let (flops, macs) = match (record.flops, record.macs) {
        (Some(flops), macs) => (flops, macs.unwrap_or(flops / 2.0)),
        (None, Some(macs)) => (2.0 * macs, macs),
        (None, None) => match product(record, dtype.unwrap_or_default()) {
            Some(work) => return finished(Load::from(&work?), record, kind),
            // The formula says the amounts; what they are computed in is the record's.
            None if let Some(work) = custom(record, reading) => {
                return finished(load_of(&work?, record, reading), record, kind);
            }
            // What was moved has its own roof, whatever was computed meanwhile.
            None if let (Some(bytes), Some(_)) = (record.bytes, record.time) => {
                let load = Load { bytes, operations_unknown: true, ..Load::default() };
                return Ok(Load { measured_bytes: record.measured_bytes, ..load });
            }
            None if format == "benchmark" && record.time.is_none() => {
                return Err("the result has no time, so amounts cannot be derived from its rates".to_owned());
            }
            None if !OWN_FORMATS.contains(&format) => {
                let recipe = counters::recipe(reading.device.isa.as_deref().unwrap_or_default());
                return Err(format!("the profiler's summary has no operations; record {recipe}"));
            }
            None => return Err("no operations given; write 0 for pure data movement".to_owned()),
        },
    };
    let bytes = record.bytes.ok_or("no bytes given; write 0 for work in registers")?;
    let load = Load { flops, macs, bytes, engine: Engine::Matrix, ..Load::default() };
    finished(load, record, kind)
}

/// With what it is computed in and what was measured. Movement needs no type.
fn finished(
    load: Load,
    record: &Measurement,
    kind: Option<Result<Computed, String>>,
) -> Result<Load, String> {
    let computed = match kind {
        Some(Ok(computed)) => computed,
        _ if load.flops == 0.0 => Computed::default(),
        Some(Err(reason)) => return Err(reason),
        None => return Err("no data type given; use `--dtype`".to_owned()),
    };
    Ok(Load {
        measured_bytes: record.measured_bytes,
        arithmetic: computed.arithmetic,
        engine: computed.engine.unwrap_or(load.engine),
        peak_key: computed.peak_key,
        ..load
    })
}

/// What a type means on a device.
#[derive(Debug, Default)]
struct Computed {
    arithmetic: Option<Arithmetic>,
    engine: Option<Engine>,
    peak_key: Option<String>,
}

/// A type is a key of the device's peaks first; else a precision, with the units behind it if they are named
/// (`bf16_tensor`). Without units the faster ones bound it: a kernel that does not use them is far from its roof.
fn computed_in(dtype: &str, device: &Device) -> Result<Computed, String> {
    if let Some(peak_key) = named_peak(device, dtype) {
        let peak = device.peak_by_key(&peak_key);
        return Ok(Computed {
            arithmetic: peak.and_then(|peak| peak.arithmetic),
            engine: peak.and_then(|peak| peak.engine),
            peak_key: Some(peak_key),
        });
    }
    let (arithmetic, engine) = key_meaning(dtype);
    if arithmetic.is_none() {
        // Types without arithmetic of their own are known too; everything else is an error that suggests.
        dtype.parse::<Precision>().map_err(|error| error.to_string())?;
    }
    Ok(Computed { arithmetic, engine, peak_key: None })
}

fn named_peak(device: &Device, key: &str) -> Option<String> {
    device.peak_by_key(key).map(|peak| peak.key.clone())
}

/// The product that a benchmark's shape names: `NxK` with a vector, `MxNxK` with a matrix. The outputs of types below
/// 16 bits are FP16, as the libraries that are measured write them.
fn product(record: &Measurement, dtype: &str) -> Option<Result<Work, String>> {
    let (m, n, k) = match (record.type_name.as_str(), record.shape.as_slice()) {
        ("gemv", [n, k]) => (1, *n, *k),
        ("gemm" | "matmul", [m, n, k]) => (*m, *n, *k),
        _ => return None,
    };
    let stored: Precision = match dtype.parse() {
        Ok(precision) => precision,
        Err(error) => return Some(Err(eaves_roofline::UnknownPrecision::to_string(&error))),
    };
    let output = if stored.element_bits >= 16.0 { Some(stored) } else { "fp16".parse().ok() };
    let gemm = Gemm {
        batch: 1.0,
        m: m as f64,
        n: n as f64,
        k: k as f64,
        a: stored,
        b: stored,
        output: output.unwrap_or(stored),
        bias: None,
        compute: None,
    };
    Some(Ok(gemm.work()))
}

/// How charts draw a kernel, by words of its type or name.
pub fn mark_of(type_name: &str, name: &str) -> Mark {
    const WORDS: [(&str, Mark); 10] = [
        ("attn", Mark::Pentagon),
        ("attention", Mark::Pentagon),
        ("conv", Mark::Square),
        ("gemm", Mark::Circle),
        ("gemv", Mark::Circle),
        ("matmul", Mark::Circle),
        ("softmax", Mark::Triangle),
        ("norm", Mark::Triangle),
        ("elementwise", Mark::Triangle),
        ("relu", Mark::Triangle),
    ];
    let text = format!("{type_name} {name}").to_ascii_lowercase();
    WORDS.into_iter().find(|(word, _)| text.contains(word)).map_or(Mark::Diamond, |(_, mark)| mark)
}
