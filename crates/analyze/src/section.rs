//! The Section IR: what an analysis returns. Data only, so that every output shows every analysis.

use eaves_model::Ns;

/// The answer of one analysis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// Stable kebab-case name.
    pub id: &'static str,
    /// Heading for people.
    pub title: &'static str,
    /// Headline numbers.
    pub numbers: Vec<Number>,
    /// Tables.
    pub tables: Vec<Table>,
    /// What follows, most important first.
    pub findings: Vec<Finding>,
}

/// An analysis either has something to say or lacks something to say it from.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It had what it needs.
    Section(Section),
    /// It lacked something.
    Skipped(Skipped),
}

impl Outcome {
    /// The section it is about.
    pub fn id(&self) -> &'static str {
        match self {
            Self::Section(section) => section.id,
            Self::Skipped(skipped) => skipped.id,
        }
    }

    /// The section, if there is one.
    pub fn section(&self) -> Option<&Section> {
        match self {
            Self::Section(section) => Some(section),
            Self::Skipped(_) => None,
        }
    }
}

/// Why an analysis said nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The section that is missing.
    pub id: &'static str,
    /// What the input lacks.
    pub missing: String,
    /// How to record it.
    pub how_to_record: String,
}

/// Where a number comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provenance {
    /// Read from a counter or time stamp of the recording.
    Counter,
    /// Computed from such.
    Formula,
    /// Published by the vendor.
    Datasheet,
    /// Measured on this machine.
    Measured,
    /// Assumed.
    Guess,
}

impl Provenance {
    /// The name in JSON.
    pub fn id(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Formula => "formula",
            Self::Datasheet => "datasheet",
            Self::Measured => "measured",
            Self::Guess => "guess",
        }
    }
}

/// The unit of a number or column; decides how people see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Text, flags and other things without a unit.
    None,
    /// A count.
    Count,
    /// Integer nanoseconds.
    Nanoseconds,
    /// Percent.
    Percent,
    /// Bytes.
    Bytes,
    /// Gigabytes (10^9) per second.
    GigabytesPerSecond,
    /// Additions and multiplications.
    Flop,
    /// 10^9 operations per second.
    GigaflopsPerSecond,
    /// Operations per byte.
    FlopPerByte,
}

impl Unit {
    /// The name in JSON.
    pub fn id(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Count => Some("count"),
            Self::Nanoseconds => Some("ns"),
            Self::Percent => Some("%"),
            Self::Bytes => Some("B"),
            Self::GigabytesPerSecond => Some("GB/s"),
            Self::Flop => Some("FLOP"),
            Self::GigaflopsPerSecond => Some("GFLOP/s"),
            Self::FlopPerByte => Some("FLOP/B"),
        }
    }
}

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// An exact integer.
    Integer(i64),
    /// A float; must be finite.
    Float(f64),
    /// A text.
    Text(String),
    /// No value, and why.
    Missing(&'static str),
}

impl Value {
    /// A ratio in percent; says why there is none when the denominator is zero.
    pub fn percent(part: i64, whole: i64) -> Self {
        if whole == 0 {
            Self::Missing("the whole is 0")
        } else {
            Self::Float(100.0 * part as f64 / whole as f64)
        }
    }

    /// A number that may not be known, or the reason why it is not.
    pub fn known(value: Option<f64>, otherwise: &'static str) -> Self {
        value.map_or(Self::Missing(otherwise), |value| Self::float(value, otherwise))
    }

    /// A text that may not be known, or the reason why it is not.
    pub fn known_text(value: Option<&str>, otherwise: &'static str) -> Self {
        value.map_or(Self::Missing(otherwise), Self::from)
    }

    /// A float, or the reason why it is none.
    pub fn float(value: f64, otherwise: &'static str) -> Self {
        if value.is_finite() { Self::Float(value) } else { Self::Missing(otherwise) }
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<Ns> for Value {
    fn from(value: Ns) -> Self {
        Self::Integer(value.0)
    }
}

impl From<usize> for Value {
    fn from(value: usize) -> Self {
        Self::Integer(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

impl From<u64> for Value {
    fn from(value: u64) -> Self {
        Self::Integer(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

/// A headline number.
#[derive(Clone, Debug, PartialEq)]
pub struct Number {
    /// Stable snake_case name with the unit at its end.
    pub id: &'static str,
    /// The rank it belongs to, if to one.
    pub rank: Option<i64>,
    /// The value.
    pub value: Value,
    /// Its unit.
    pub unit: Unit,
    /// Where it comes from.
    pub provenance: Provenance,
    /// How it is computed and of what it is a share, in one sentence.
    pub explain: &'static str,
}

/// An id as words, without the unit at its end: `exposed_comm_ns` is "Exposed comm".
pub fn words(id: &str) -> String {
    let stem = ["_ns", "_pct", "_bytes", "_gbps", "_count"]
        .iter()
        .find_map(|suffix| id.strip_suffix(suffix))
        .unwrap_or(id);
    let mut words: Vec<String> = stem.split('_').map(str::to_owned).collect();
    for word in words.iter_mut().filter(|word| matches!(word.as_str(), "cpu" | "gpu")) {
        word.make_ascii_uppercase();
    }
    if let Some(first) = words.first_mut().and_then(|word| word.get_mut(..1)) {
        first.make_ascii_uppercase();
    }
    words.join(" ")
}

/// A table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Stable snake_case name, unique in the section.
    pub id: &'static str,
    /// Heading for people.
    pub title: &'static str,
    /// Columns.
    pub columns: Vec<Column>,
    /// Rows, as long as there are columns.
    pub rows: Vec<Vec<Value>>,
}

impl Table {
    /// True if it says how the figures of many ranks are distributed; the table behind it has the rows furthest out.
    pub fn is_distribution(&self) -> bool {
        self.id.ends_with(crate::distribution::ENDING)
    }
}

/// A column of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Column {
    /// Stable snake_case name with the unit at its end.
    pub id: &'static str,
    /// Heading for people, without the unit.
    pub title: &'static str,
    /// Unit of all values.
    pub unit: Unit,
}

impl Column {
    /// A column.
    pub const fn new(id: &'static str, title: &'static str, unit: Unit) -> Self {
        Self { id, title, unit }
    }
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Good to know.
    Info,
    /// Costs time.
    Warning,
    /// Costs much time, or the numbers cannot be trusted.
    Critical,
}

impl Severity {
    /// The name in JSON.
    pub fn id(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Critical => "critical",
        }
    }
}

/// What a gain is taken from. The first four are disjoint and make up the time of a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// Nothing ran on the GPU.
    Idle,
    /// Something communicated and nothing computed.
    ExposedCommunication,
    /// Memory was moved and nothing computed or communicated.
    ExposedMemory,
    /// Something computed.
    Compute,
    /// Any of these but computing.
    NotComputing,
    /// All of the time.
    Everything,
}

/// Time that could be gained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gain {
    /// At least.
    pub low: Ns,
    /// At most.
    pub high: Ns,
    /// True if this is the gain of one profiler step; otherwise that of everything selected.
    pub per_step: bool,
    /// How it was computed, in one sentence.
    pub basis: String,
    /// What it is taken from, which it cannot exceed.
    pub budget: Budget,
    /// The rank whose time it is; nothing if that of any.
    pub rank: Option<i64>,
    /// The findings whose gain is, or may be, the same time: the gains of these and this one do not add up.
    pub overlaps: Vec<&'static str>,
}

impl Gain {
    /// A gain over everything selected on one rank, told per step where there are steps.
    pub fn new(low: Ns, high: Ns, steps: u64, basis: impl Into<String>) -> Self {
        let divisor = i64::try_from(steps).unwrap_or(i64::MAX).max(1);
        Self {
            low: Ns(low.0 / divisor),
            high: Ns(high.0 / divisor),
            per_step: steps > 0,
            basis: basis.into(),
            budget: Budget::Everything,
            rank: None,
            overlaps: Vec::new(),
        }
    }

    /// Says whose time it is, and of which kind.
    #[must_use]
    pub fn out_of(mut self, rank: i64, budget: Budget) -> Self {
        self.rank = Some(rank);
        self.budget = budget;
        self
    }
}

/// Something worth doing, with what it may gain.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Stable snake_case name.
    pub id: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// What is the case, with numbers.
    pub claim: String,
    /// Time that could be gained, if known.
    pub gain: Option<Gain>,
    /// Where to see it: tables and rows.
    pub evidence: String,
    /// What to do next.
    pub next: String,
}
