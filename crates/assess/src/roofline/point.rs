//! What is compared with a roof.

use eaves_roofline::{Arithmetic, Basis, Engine, Work};
use eaves_section::constants::{self, Constant};
use serde::{Deserialize, Serialize};

/// One kernel, operator or command, or many calls of the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Its name.
    pub name: String,
    /// Its kind, for filters: the category of an operator, the type of a command.
    pub kind: String,
    /// Element type as the input says it.
    pub dtype: String,
    /// Calls.
    pub calls: u64,
    /// Time of all calls in nanoseconds; absent if the input has none.
    pub time: Option<f64>,
    /// What one call must do, or why that is not known.
    pub load: Result<Load, String>,
    /// How charts draw it.
    pub mark: Mark,
    /// The record it came from, for people who look closer.
    pub record: Option<String>,
}

/// Work of one call.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Load {
    /// Additions and multiplications.
    pub flops: f64,
    /// True if operations were not counted, so that the numbers of them say nothing.
    pub operations_unknown: bool,
    /// True if some types of operations were counted, and none of them was done: what else there may be is little known, and
    /// what is moved decides.
    #[serde(default)]
    pub moves_alone: bool,
    /// Multiply-adds.
    pub macs: f64,
    /// Bytes that must be moved from and to main memory.
    pub bytes: f64,
    /// True if it is not known how many those are: counters say what was moved, not what had to be.
    pub bytes_unknown: bool,
    /// Bytes that were moved, if they were measured.
    pub measured_bytes: Option<f64>,
    /// Bytes measured at other levels, by the id of the level.
    pub levels: Vec<(String, f64)>,
    /// What it is computed in.
    pub arithmetic: Option<Arithmetic>,
    /// The units it can use.
    pub engine: Engine,
    /// The peak of the device that the input names, which wins over type and units.
    pub peak_key: Option<String>,
    /// The level of memory that operands are in, by its id; main memory by default.
    pub at_level: Option<String>,
    /// What the amounts take for granted that was not recorded; empty if nothing.
    #[serde(deserialize_with = "constants::read")]
    pub assumes: Constant,
    /// True if the amounts are the least there can be: how far from its roof it was does not follow.
    pub at_least: bool,
}

impl Default for Load {
    fn default() -> Self {
        Self {
            flops: 0.0,
            operations_unknown: false,
            moves_alone: false,
            macs: 0.0,
            bytes: 0.0,
            bytes_unknown: false,
            measured_bytes: None,
            levels: Vec::new(),
            arithmetic: None,
            engine: Engine::Vector,
            peak_key: None,
            at_level: None,
            assumes: "",
            at_least: false,
        }
    }
}

impl Load {
    /// Bytes of main memory that were moved, or that had to be if that was not measured.
    pub fn moved(&self) -> Option<f64> {
        self.measured_bytes.or((!self.bytes_unknown).then_some(self.bytes))
    }

    /// Additions and multiplications, if they are known.
    pub fn operations(&self) -> Option<f64> {
        (!self.operations_unknown).then_some(self.flops)
    }
}

impl From<&Work> for Load {
    fn from(work: &Work) -> Self {
        let (assumes, at_least) = match work.basis {
            Basis::Recorded => ("", false),
            Basis::Estimated(what) => (what, false),
            Basis::AtLeast(what) => (what, true),
        };
        Self {
            flops: work.flops,
            macs: work.macs,
            bytes: work.bytes(),
            arithmetic: work.arithmetic,
            engine: work.engine,
            assumes,
            at_least,
            ..Self::default()
        }
    }
}

/// The shape of a point in charts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mark {
    /// Matrix products.
    #[default]
    Circle,
    /// Convolutions.
    Square,
    /// Elementwise work.
    Triangle,
    /// Everything else.
    Diamond,
    /// Attention.
    Pentagon,
    /// Something wrong.
    Star,
    /// Whatever a script of the user's says it is.
    Cross,
    /// The same.
    X,
}

impl Mark {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Circle,
        Self::Square,
        Self::Triangle,
        Self::Diamond,
        Self::Pentagon,
        Self::Star,
        Self::Cross,
        Self::X,
    ];

    /// The mark with this name.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mark| mark.id() == id)
    }

    /// The name in files.
    pub fn id(self) -> &'static str {
        match self {
            Self::Circle => "circle",
            Self::Square => "square",
            Self::Triangle => "triangle-up",
            Self::Diamond => "diamond",
            Self::Pentagon => "pentagon",
            Self::Star => "star",
            Self::Cross => "cross",
            Self::X => "x",
        }
    }
}
