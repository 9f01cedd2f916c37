//! The rows as they stay when the recording is gone.

use std::cmp::Reverse;
use std::collections::HashMap;

use eaves_assess::roofline::{Load, Mark, Point, counted_load, described, mark_of};
use eaves_model::{DeviceProperties, Extent, Ns, StringId, Trace};
use eaves_roofline::counters::Ceilings;
use eaves_roofline::{Device, Precision};
use eaves_section::kernel_name::short_kernel_name;
use serde::{Deserialize, Serialize};

use super::attribution::Attribution;
use super::gaps;
use super::launches::Launches;
use super::matching::MatchedBy;
use super::rows::Row;
use crate::analyses::cpu_threads::RecordedHost;
use crate::constants::{self, Constant};
use crate::kernel_counters::{Gathered, architecture};
use crate::{CounterSums, RankView, Statistics};
use eaves_roofline::operand_text as operands;

/// The scalars of a call, if there are any.
fn scalars(concrete: &str) -> String {
    let scalars = operands::compact(concrete);
    let is_one = |scalar: &str| !matches!(scalar, "" | "-");
    if scalars.split(", ").any(is_one) { format!("; scalars {scalars}") } else { String::new() }
}

/// Who owns GPU time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
pub enum Class {
    /// An operator.
    Operator,
    /// A kernel whose hardware counters say what it did.
    Kernel,
    /// Communication, whoever launched it.
    Communication,
    /// A replay of a graph, whoever launched it: what its kernels were captured from is not recorded.
    Replay,
    /// An operator of a replayed graph, by a recording of its capture.
    Captured,
    /// An operator whose call was not recorded, by calls that launched the same.
    Matched,
    /// What the framework does on the CPU around the work of operators.
    Framework,
    /// No operator.
    Unattributed,
}

impl Class {
    /// All, in the order of tables.
    pub const ALL: [Self; 8] = [
        Self::Operator,
        Self::Kernel,
        Self::Communication,
        Self::Replay,
        Self::Captured,
        Self::Matched,
        Self::Framework,
        Self::Unattributed,
    ];

    /// The name in files.
    pub fn id(self) -> &'static str {
        match self {
            Self::Operator => "operator",
            Self::Kernel => "kernel",
            Self::Communication => "communication",
            Self::Replay => "graph-replay",
            Self::Captured => "captured",
            Self::Matched => "matched",
            Self::Framework => "framework",
            Self::Unattributed => "unattributed",
        }
    }
}

/// The arguments of an operator as recorded, as JSON; empty where nothing was recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
pub struct Arguments {
    /// Shapes.
    pub dims: String,
    /// Element types.
    pub types: String,
    /// Strides.
    pub strides: String,
    /// Scalars.
    pub concrete: String,
    /// The annotation of a server's step around the call, where the formula needs it.
    pub step: String,
    /// What the operator launched itself, where the formula needs it.
    pub launches: String,
    /// The element type of lists of tensors by the kernel name, where it is not recorded.
    #[serde(deserialize_with = "constants::read")]
    pub list_type: Constant,
    /// What it was computed in by the kernel name, where the types leave it open.
    #[serde(deserialize_with = "constants::read")]
    pub computed_in: Constant,
    /// Shapes and types of the gradients that the backward function was given, where the formula needs them.
    pub gradient: String,
    /// What calls without a recorded launch, and those of replays, were matched by; empty with one.
    #[serde(deserialize_with = "constants::read")]
    pub matched_by: Constant,
    /// Which other operators say what the arguments leave open; empty if none.
    #[serde(deserialize_with = "constants::read")]
    pub told_by: Constant,
}

/// All calls of one operator with the same arguments, or of one kernel that belongs to no operator.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct OperatorRow {
    /// Who owns it.
    pub class: Class,
    /// The operator, or the kernel if there is none.
    pub name: String,
    /// The forward operator of a backward function, the call that launched an unattributed kernel; empty otherwise.
    pub of: String,
    /// The arguments; those of the forward operator on a backward function.
    pub arguments: Arguments,
    /// True if operators inside it own what they launched.
    pub partly: bool,
    /// The family of the formula.
    #[serde(deserialize_with = "constants::read")]
    pub category: Constant,
    /// Times of the calls: the union of the activities of each.
    pub times: Statistics,
    /// The part of these times in which nothing ran that had begun earlier; of communication, nothing else at all.
    pub counted: Ns,
    /// GPU activities of all calls.
    pub activities: u64,
    /// Those of them that copy between host and device.
    pub over_the_link: u64,
    /// What one call must do, or why that is not known. What a kernel with counters did is known when it is compared with
    /// a device: see [`TracePoints::on`].
    pub load: Result<Load, String>,
    /// Hardware counters of the calls.
    pub counters: Option<CounterSums>,
}

impl OperatorRow {
    /// Time of all calls.
    pub fn time(&self) -> Ns {
        self.times.total()
    }

    /// The part of the time that is counted for another row, because that began earlier or this is communication.
    pub fn overlap(&self) -> Ns {
        self.time() - self.counted
    }

    /// Time of all calls, unless recorders left all durations out.
    fn known_time(&self) -> Option<f64> {
        Some(self.time().as_f64()).filter(|time| *time > 0.0)
    }

    /// What is compared with a roof.
    pub fn point(&self) -> Point {
        if let Some(counters) = &self.counters {
            return self.counted_point(counters);
        }
        let Arguments { dims, types, concrete, list_type, computed_in, .. } = &self.arguments;
        let of = if self.of.is_empty() { String::new() } else { format!(" of {}", self.of) };
        Point {
            name: self.name.clone(),
            kind: self.category.to_owned(),
            dtype: match (*computed_in, *list_type) {
                ("", "") => element_type(types),
                ("", known) | (known, _) => known.to_owned(),
            },
            calls: self.times.count(),
            time: self.known_time(),
            load: self.load.clone(),
            mark: mark(self.category),
            record: (!dims.is_empty())
                .then(|| format!("{}{}{of}", operands::described(dims, types), scalars(concrete))),
        }
    }

    fn counted_point(&self, counters: &CounterSums) -> Point {
        let arithmetic = self.load.as_ref().ok().and_then(|load| load.arithmetic);
        let described = described(&counters.done());
        let launch = Some(self.arguments.dims.as_str()).filter(|dims| !dims.is_empty());
        let parts = [Some(self.name.as_str()), launch, Some(described.as_str())];
        Point {
            name: short_kernel_name(&self.name),
            kind: self.category.to_owned(),
            dtype: arithmetic.map_or_else(String::new, |arithmetic| arithmetic.id().to_owned()),
            calls: self.times.count(),
            time: self.known_time(),
            load: self.load.clone(),
            mark: mark_of("", &self.name),
            record: Some(
                parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; "),
            ),
        }
    }

    fn key(&self) -> (Class, &str, &str, &Arguments, bool) {
        (self.class, &self.name, &self.of, &self.arguments, self.partly)
    }

    fn absorb(&mut self, other: &Self) {
        self.times.merge(&other.times);
        self.counted += other.counted;
        self.activities += other.activities;
        self.over_the_link += other.over_the_link;
        match (&mut self.counters, &other.counters) {
            (Some(own), Some(others)) => own.merge(others),
            (None, Some(others)) => self.counters = Some(others.clone()),
            _ => {}
        }
    }
}

/// The first recorded type of a tensor, by the name of the catalog if it is there.
fn element_type(types: &str) -> String {
    let mut names = types.split('"').skip(1).step_by(2);
    let name =
        names.find(|name| !matches!(*name, "" | "Scalar" | "ScalarList" | "TensorList" | "GenericList"));
    let known = name.and_then(Precision::from_torch).map(|precision| precision.to_string());
    known.unwrap_or_else(|| name.unwrap_or_default().to_owned())
}

fn mark(category: &str) -> Mark {
    match category {
        "attention" => Mark::Pentagon,
        "conv" | "convolution" => Mark::Square,
        "elementwise" => Mark::Triangle,
        "gemm" | "grouped-gemm" | "moe" => Mark::Circle,
        _ => Mark::Diamond,
    }
}

/// The rows of one rank, or of several together.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct TracePoints {
    /// The rows, longest first.
    pub rows: Vec<OperatorRow>,
    /// Time in which a device was busy, over all devices and ranks.
    pub busy: Ns,
    /// The devices as recorded, each name once.
    pub devices: Vec<DeviceProperties>,
    /// The machines whose CPU did the work, each once; nothing where a GPU did it.
    pub(crate) hosts: Vec<RecordedHost>,
}

impl Attribution {
    /// The rows by their numbers. One may be without calls: a formula that was asked whether it has an answer need not
    /// own anything.
    pub fn rows(&self, rank: &RankView<'_>) -> Vec<OperatorRow> {
        let mut rows: Vec<OperatorRow> =
            self.rows.iter().map(|row| empty(rank.trace, row, &self.launches)).collect();
        self.gather(rank, &mut rows);
        for call in &self.calls {
            let row = &mut rows[call.row as usize];
            row.times.add(call.time);
            row.counted += call.counted;
            row.activities += u64::from(call.activities);
        }
        for (index, &call) in self.call_of.iter().enumerate() {
            let name = rank.gpu.name.get(index).map_or("", |&name| rank.trace.strings.get(name));
            if name.contains("HtoD") || name.contains("DtoH") {
                rows[self.calls[call as usize].row as usize].over_the_link += 1;
            }
        }
        rows
    }

    /// Puts the counters of the calls into their rows.
    fn gather(&self, rank: &RankView<'_>, rows: &mut [OperatorRow]) {
        if rows.iter().all(|row| row.class != Class::Kernel) {
            return;
        }
        let trace = rank.trace;
        let mut gathered = vec![Gathered::default(); rows.len()];
        for call in &self.calls {
            let row = call.row as usize;
            if rows[row].class == Class::Kernel {
                let counters = rank.counters().of_slice(trace, call.slice);
                gathered[row].add(counters, trace.slices.duration[call.slice.index()].as_f64());
            }
        }
        let mut devices = vec![None; rows.len()];
        for (index, &call) in self.call_of.iter().enumerate() {
            devices[self.calls[call as usize].row as usize] = rank.gpu.device[index].get();
        }
        for ((row, gathered), device) in rows.iter_mut().zip(gathered).zip(devices) {
            if !gathered.is_empty() {
                row.counters = Some(gathered.sums(trace, architecture(trace, device)));
            }
        }
    }

    /// The rows that have calls, with what stays of them.
    pub fn points(&self, rank: &RankView<'_>) -> TracePoints {
        let mut rows = self.rows(rank);
        rows.retain(|row| row.times.count() > 0);
        sort(&mut rows);
        let mut devices = Vec::new();
        add_devices(&mut devices, &rank.trace.metadata.devices);
        let is_host = rank.trace.gpu.is_empty() && !rows.is_empty();
        let hosts = is_host.then(|| RecordedHost::of(&rank.trace.metadata)).into_iter().collect();
        TracePoints { rows, busy: self.busy, devices, hosts }
    }
}

/// Adds devices whose names are not there yet.
fn add_devices(devices: &mut Vec<DeviceProperties>, others: &[DeviceProperties]) {
    for device in others {
        if devices.iter().all(|known| known.name != device.name) {
            devices.push(device.clone());
        }
    }
}

fn empty(trace: &Trace, row: &Row, launches: &Launches) -> OperatorRow {
    let text = |id: StringId| trace.strings.get(id).to_owned();
    let [mut dims, types, strides, concrete] = row.key.arguments.map(text);
    if matches!(row.key.class, Class::Kernel | Class::Unattributed) {
        dims = launch(row.key.launch);
    }
    if let Some(bytes) = row.key.bytes {
        dims = format!("{bytes} bytes");
    }
    let (step, list_type) = (text(row.key.step), row.key.element.unwrap_or_default());
    let launches = launches.text(trace, row.key.launches);
    let computed_in = row.key.computed.map_or("", |arithmetic| arithmetic.id());
    let gradient = row.key.gradient.map(text).join(" ").trim().to_owned();
    let matched_by = row.key.matched.map_or("", MatchedBy::text);
    let arguments = Arguments {
        dims,
        types,
        strides,
        concrete,
        step,
        launches,
        list_type,
        computed_in,
        gradient,
        matched_by,
        told_by: row.key.told.text(),
    };
    OperatorRow {
        class: row.key.class,
        name: text(row.key.name),
        of: text(row.key.of),
        arguments,
        partly: row.key.partly,
        category: row.category,
        times: Statistics::default(),
        counted: Ns::ZERO,
        activities: 0,
        over_the_link: 0,
        load: row.load.clone(),
        counters: None,
    }
}

/// The size of a launch, if it was recorded.
fn launch(extents: [Extent; 2]) -> String {
    let words = ["grid", "block"].iter().zip(extents).filter_map(|(word, extent)| {
        let [x, y, z] = extent.get()?;
        Some(format!("{word} ({x}, {y}, {z})"))
    });
    words.collect::<Vec<_>>().join(", ")
}

fn sort(rows: &mut [OperatorRow]) {
    rows.sort_by(|a, b| Reverse(a.time()).cmp(&Reverse(b.time())).then_with(|| a.key().cmp(&b.key())));
}

impl TracePoints {
    /// The rows of several ranks, those with the same name and arguments together.
    pub fn merged<'a>(ranks: impl IntoIterator<Item = &'a TracePoints>) -> Self {
        let mut merged = Self::default();
        let mut places: HashMap<(Class, &str, &str, &Arguments, bool), usize> = HashMap::new();
        for rank in ranks {
            merged.busy += rank.busy;
            add_devices(&mut merged.devices, &rank.devices);
            for host in &rank.hosts {
                if !merged.hosts.contains(host) {
                    merged.hosts.push(host.clone());
                }
            }
            for row in &rank.rows {
                match places.get(&row.key()) {
                    Some(&place) => merged.rows[place].absorb(row),
                    None => {
                        places.insert(row.key(), merged.rows.len());
                        merged.rows.push(row.clone());
                    }
                }
            }
        }
        sort(&mut merged.rows);
        merged
    }

    /// The same with what kernels with counters did, as this device sees it, and with the level of memory that operands
    /// of operators on the CPU fit in.
    #[must_use]
    pub fn on(&self, device: &Device) -> Self {
        let mut points = self.clone();
        let is_host = self.is_of_host();
        for row in &mut points.rows {
            if let (true, Ok(load)) = (is_host, &mut row.load) {
                load.at_level = device.level_that_holds(load.bytes).map(|level| level.id.clone());
            }
            if let Some(counters) = &mut row.counters {
                // A recording that does not say what it ran on ran on what it is compared with.
                if counters.architecture.is_empty() {
                    counters.architecture = device.isa.clone().unwrap_or_default();
                }
                row.load = counted_load(&counters.done(), device, &counters.architecture);
            }
        }
        points
    }

    /// True if the CPU did the work.
    pub fn is_of_host(&self) -> bool {
        !self.hosts.is_empty()
    }

    /// What the device could do at the clocks of the run, if the counters of kernels say so.
    pub fn ceilings(&self) -> Option<Ceilings> {
        let found = self.rows.iter().filter_map(|row| row.counters.as_ref()?.ceilings());
        found.reduce(|highest, other| highest.max(&other))
    }

    /// Summed time of the rows. Where calls run side by side it exceeds the busy time by the overlap.
    pub fn time(&self) -> Ns {
        self.rows.iter().map(OperatorRow::time).sum()
    }

    /// Time that is in more than one row: the summed time less the busy time.
    pub fn overlap(&self) -> Ns {
        self.time() - self.busy
    }

    /// Busy time counted for a class.
    pub fn counted(&self, class: Class) -> Ns {
        self.rows.iter().filter(|row| row.class == class).map(|row| row.counted).sum()
    }

    /// Busy time counted for rows with a formula that has an answer, and that of all rows but communication and the
    /// framework's own work, which have no roof in memory.
    pub fn covered(&self) -> (Ns, Ns) {
        let known = self.rows.iter().filter(|row| row.load.is_ok()).map(|row| row.counted).sum();
        (known, self.busy - self.counted(Class::Communication) - self.counted(Class::Framework))
    }

    /// Busy time counted for rows without a model because the recording lacks what one needs.
    pub fn unrecorded(&self) -> Ns {
        gaps::unrecorded(self)
    }

    /// What is compared with a roof, longest first.
    pub fn points(&self) -> Vec<Point> {
        self.rows.iter().map(OperatorRow::point).collect()
    }
}
