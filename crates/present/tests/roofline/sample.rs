//! Rooflines that look like real ones: a device like an H100, and as many points as asked for.

use eaves_assess::roofline::{Load, Mark, Point, section};
use eaves_roofline::device::{Confidence, Device, Fact, Memory, Peak, Source};
use eaves_roofline::{Arithmetic, Counts, Engine, Settings};
use eaves_section::{Chart, Column, Number, Provenance, Section, Table, Unit, Value};

/// The same numbers in every run (the constants of Knuth's MMIX).
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Between 0 and 1.
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Between two numbers, evenly over their logarithms.
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.next())
    }
}

fn fact(value: f64, confidence: Confidence) -> Fact {
    let text = match confidence {
        Confidence::Measured => "eaves bench",
        _ => "NVIDIA H100 Tensor Core GPU Architecture, table 3",
    };
    Fact { value, source: Source { text: text.to_owned(), confidence } }
}

fn peak(arithmetic: Arithmetic, engine: Engine, rate: f64) -> Peak {
    Peak {
        key: arithmetic.id().to_owned(),
        arithmetic: Some(arithmetic),
        engine: Some(engine),
        dense: fact(rate, Confidence::High),
        sparse: None,
        counts: Counts::Operations,
    }
}

pub(crate) fn device() -> Device {
    let memory = |id: &str, name: &str, rate, size, confidence| Memory {
        id: id.to_owned(),
        name: name.to_owned(),
        bandwidth: Some(fact(rate, confidence)),
        size: Some(fact(size, Confidence::High)),
        ..Memory::default()
    };
    Device {
        id: "nvidia-h100-sxm".to_owned(),
        name: "NVIDIA H100 SXM".to_owned(),
        peaks: vec![
            peak(Arithmetic::Fp64, Engine::Matrix, 66.9e12),
            peak(Arithmetic::Fp32, Engine::Vector, 66.9e12),
            peak(Arithmetic::Tf32, Engine::Matrix, 494.7e12),
            peak(Arithmetic::Fp16, Engine::Matrix, 989.4e12),
            peak(Arithmetic::Bf16, Engine::Matrix, 989.4e12),
            peak(Arithmetic::Fp8, Engine::Matrix, 1978.9e12),
        ],
        memory: vec![
            memory("hbm", "HBM3", 3.35e12, 80e9, Confidence::High),
            memory("l2", "L2", 5.5e12, 50e6, Confidence::Measured),
        ],
        ..Device::default()
    }
}

/// Name, kind, mark, engine, typical intensities, and how near its roof such a kernel comes.
type Family = (&'static str, &'static str, Mark, Engine, (f64, f64), (f64, f64));

const FAMILIES: [Family; 7] = [
    ("sm90_xmma_gemm_bf16_tn_128x256x64", "GEMM", Mark::Circle, Engine::Matrix, (80.0, 3000.0), (0.35, 0.92)),
    (
        "flash_fwd_kernel<128, 128, bf16>",
        "attention",
        Mark::Pentagon,
        Engine::Matrix,
        (60.0, 900.0),
        (0.2, 0.75),
    ),
    (
        "implicit_convolve_sgemm<float>",
        "convolution",
        Mark::Square,
        Engine::Matrix,
        (20.0, 400.0),
        (0.1, 0.6),
    ),
    (
        "vectorized_elementwise_kernel<4, CUDAFunctor_add>",
        "elementwise",
        Mark::Triangle,
        Engine::Vector,
        (0.06, 0.6),
        (0.25, 0.95),
    ),
    ("layer_norm_kernel", "norm", Mark::Diamond, Engine::Vector, (0.5, 3.0), (0.15, 0.85)),
    ("softmax_warp_forward", "softmax", Mark::Diamond, Engine::Vector, (0.8, 3.0), (0.2, 0.8)),
    ("gemvNSP_kernel<bf16>", "GEMV", Mark::Circle, Engine::Matrix, (0.9, 8.0), (0.3, 0.95)),
];

/// That many points, most of the time in few of them.
pub(crate) fn points(count: usize) -> Vec<Point> {
    let mut chance = Chance::new(7);
    let mut points = Vec::with_capacity(count);
    for index in 0..count {
        let (name, kind, mark, engine, intensities, shares) = FAMILIES[index % FAMILIES.len()];
        let device = device();
        let arithmetic = match (engine, index % 11) {
            (Engine::Vector, _) => Arithmetic::Fp32,
            (Engine::Matrix, 9) => Arithmetic::Fp8,
            (Engine::Matrix, _) => Arithmetic::Bf16,
        };
        let peak = device.peak(arithmetic, engine).map_or(1e12, |peak| peak.dense.value);
        let intensity = chance.between(intensities.0, intensities.1);
        let bytes = chance.between(4e6, 2e9);
        let flops = intensity * bytes;
        let best = (flops / peak).max(bytes / 3.35e12);
        // One in forty lies above its roof, because its bytes stayed in a cache.
        let share = if index % 40 == 17 { 1.4 } else { shares.0 + (shares.1 - shares.0) * chance.next() };
        let calls = chance.between(1.0, 300.0) as u64;
        let time = best / share * 1e9 * calls as f64;
        let name = if index < FAMILIES.len() { name.to_owned() } else { format!("{name}_{index}") };
        points.push(Point {
            name,
            kind: kind.to_owned(),
            dtype: arithmetic.id().to_owned(),
            calls,
            time: Some(time),
            load: Ok(Load {
                flops,
                macs: flops / 2.0,
                bytes,
                measured_bytes: (index % 9 == 4).then_some(bytes * 1.8),
                arithmetic: Some(arithmetic),
                engine,
                ..Load::default()
            }),
            mark,
            record: None,
        });
    }
    points
}

/// A copy, which computes nothing.
pub(crate) fn copy(bytes: f64, share: f64) -> Point {
    Point {
        name: "Memcpy DtoD".to_owned(),
        kind: "copy".to_owned(),
        dtype: String::new(),
        calls: 3,
        time: Some(bytes / 3.35e12 / share * 3e9),
        load: Ok(Load { bytes, ..Load::default() }),
        mark: Mark::Diamond,
        record: None,
    }
}

/// Something without a formula.
pub(crate) fn unknown(name: &str) -> Point {
    Point { load: Err("no formula for `custom_op`".to_owned()), name: name.to_owned(), ..copy(1e6, 0.5) }
}

/// A section of these points on the device.
pub(crate) fn held(points: &[Point]) -> Section {
    section(points, &device(), &Settings::default())
}

/// A section of that many points.
pub(crate) fn roofline(count: usize) -> Section {
    held(&points(count))
}

/// Collectives over two links.
pub(crate) fn communication(count: usize) -> Section {
    let mut chance = Chance::new(3);
    let none = |id, title| Column::new(id, title, Unit::None);
    let speed = |id, title| Column::new(id, title, Unit::GigabytesPerSecond);
    let events = (0..count).map(|index| {
        let (link, wire) = if index % 3 == 2 { ("PCIe 5 x16", 63.0) } else { ("NVLink4", 450.0) };
        let name = ["AllReduce", "AllGather", "ReduceScatter", "Broadcast"][index % 4];
        let bytes = chance.between(3e3, 2e9).round();
        // A latency of 12 us, then up to 80 % of the wire.
        let seconds = 12e-6 + bytes / (wire * 0.8e9) * (1.0 + 0.3 * chance.next());
        let achieved = if index % 25 == 7 { wire * 1.1 } else { bytes / seconds / 1e9 };
        let flag = if achieved > wire {
            Value::from("more than the wire carries: in-network reduction")
        } else {
            Value::Missing("not above the roof")
        };
        vec![
            link.into(),
            format!("{name} {index}").into(),
            Value::Integer(bytes as i64),
            Value::Integer(4),
            Value::Integer((seconds * 4e9) as i64),
            Value::Float(achieved),
            Value::Float(wire),
            Value::Float(100.0 * achieved / wire),
            flag,
        ]
    });
    let link = |name: &str, each: f64, count: i64, protocol: f64| {
        let total = each * count as f64;
        vec![
            name.into(),
            Value::Float(each),
            Value::Integer(count),
            Value::Float(total),
            Value::Float(total * protocol),
            "NVIDIA H100 Tensor Core GPU Architecture".into(),
            "high".into(),
        ]
    };
    Section {
        id: "comm-roofline",
        title: "Communication roofline",
        charts: vec![Chart::Links { events: "events", links: "links" }],
        tables: vec![
            Table {
                id: "events",
                title: "Against the links",
                columns: vec![
                    none("link", "Link"),
                    none("name", "Name"),
                    Column::new("bytes", "Bytes", Unit::Bytes),
                    Column::new("calls", "Calls", Unit::Count),
                    Column::new("time_ns", "Time", Unit::Nanoseconds),
                    speed("achieved_gbps", "Achieved"),
                    speed("roof_gbps", "Roof"),
                    Column::new("utilisation_pct", "Of roof", Unit::Percent),
                    none("flag", "Flag"),
                ],
                rows: events.collect(),
            },
            Table {
                id: "links",
                title: "Links",
                columns: vec![
                    none("name", "Name"),
                    speed("per_direction_gbps", "Per direction"),
                    Column::new("count", "Count", Unit::Count),
                    speed("total_gbps", "Together"),
                    speed("protocol_gbps", "With protocol"),
                    none("source", "Source"),
                    none("confidence", "Confidence"),
                ],
                rows: vec![link("NVLink4", 25.0, 18, 0.8), link("PCIe 5 x16", 63.0, 1, 0.85)],
            },
        ],
        ..Section::default()
    }
}

/// Time and rate of a product over its size, in two precisions, as `eaves predict` writes them.
pub(crate) fn sweep() -> Section {
    let mut rows = Vec::new();
    for power in 0..12 {
        for precision in ["bf16", "fp8"] {
            let m = f64::from(1 << power);
            let (bytes, rate) = if precision == "fp8" { (1.0, 1978.9e12) } else { (2.0, 989.4e12) };
            let flops = 2.0 * m * 4096.0 * 4096.0;
            let moved = bytes * (m * 4096.0 * 2.0 + 4096.0 * 4096.0);
            let (computing, moving) = (flops / rate, moved / 3.35e12);
            let seconds = computing.max(moving);
            rows.push(vec![
                Value::Integer(1 << power),
                precision.into(),
                Value::Float(seconds * 1e9),
                Value::Float(flops / moved),
                Value::Float(flops / seconds / 1e9),
                if computing > moving { "matrix".into() } else { "HBM3".into() },
            ]);
        }
    }
    let parameter = Number {
        id: "parameter",
        rank: None,
        value: "m".into(),
        unit: Unit::None,
        provenance: Provenance::Formula,
        explain: "The parameter.",
    };
    Section {
        id: "predict",
        title: "Prediction",
        charts: vec![Chart::Sweep { values: "sweep", is_measured: false }],
        numbers: vec![parameter],
        tables: vec![Table {
            id: "sweep",
            title: "Sweep",
            columns: vec![
                Column::new("value", "Value", Unit::Count),
                Column::new("series", "Series", Unit::None),
                Column::new("time_ns", "Time", Unit::Nanoseconds),
                Column::new("intensity", "Intensity", Unit::FlopPerByte),
                Column::new("roof_gflops", "Rate", Unit::GigaflopsPerSecond),
                Column::new("bound_by", "Bound by", Unit::None),
            ],
            rows,
        }],
        ..Section::default()
    }
}

/// Fifty points with copies, one that moves nothing, one without a time and one without a formula.
pub(crate) fn mixed() -> Vec<Point> {
    let mut points = points(50);
    points.extend([copy(3e8, 0.8), copy(2e6, 0.2), copy(5e7, 0.78), unknown("custom_op")]);
    let mut still = self::points(1).remove(0);
    still.name = "register_only".to_owned();
    if let Ok(load) = &mut still.load {
        load.bytes = 0.0;
    }
    let mut untimed = self::points(3).remove(2);
    untimed.name = "not_timed".to_owned();
    untimed.time = None;
    points.extend([still, untimed]);
    points
}
