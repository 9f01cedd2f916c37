//! What is held against a roof.

use eaves_roofline::{Arithmetic, Engine, Work};

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

/// What one call must do.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// Additions and multiplications.
    pub flops: f64,
    /// Multiply-adds.
    pub macs: f64,
    /// Bytes that must be moved from and to main memory.
    pub bytes: f64,
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
}

impl From<&Work> for Load {
    fn from(work: &Work) -> Self {
        Self {
            flops: work.flops,
            macs: work.macs,
            bytes: work.bytes(),
            measured_bytes: None,
            levels: Vec::new(),
            arithmetic: work.arithmetic,
            engine: work.engine,
            peak_key: None,
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
}

impl Mark {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Circle, Self::Square, Self::Triangle, Self::Diamond, Self::Pentagon, Self::Star];

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
        }
    }
}
