//! Findings: what to do, and what it may gain.

use eaves_model::Ns;

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

/// Time that a gain reduces. The first four are disjoint and add up to GPU time.
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

impl Budget {
    /// The disjoint kinds of time.
    pub const PARTS: [Self; 4] = [Self::Idle, Self::ExposedCommunication, Self::ExposedMemory, Self::Compute];

    /// True if it holds time of a disjoint kind.
    pub fn holds(self, part: Self) -> bool {
        match self {
            Self::NotComputing => part != Self::Compute,
            Self::Everything => true,
            _ => self == part,
        }
    }

    /// True if it is one of the disjoint kinds.
    pub fn is_one_kind(self) -> bool {
        Self::PARTS.contains(&self)
    }

    /// True if there is time that both hold.
    pub fn meets(self, other: Self) -> bool {
        Self::PARTS.iter().any(|&part| self.holds(part) && other.holds(part))
    }
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
