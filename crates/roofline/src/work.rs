//! What an operator must do, whatever the device.

use crate::{Arithmetic, Engine, Precision};

/// Unit of arithmetic. One multiply-add is one `Mac` and two `Operations`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counts {
    /// Additions and multiplications, each by itself: FLOPs, or OPS for integers.
    #[default]
    Operations,
    /// Multiply-adds.
    Macs,
}

impl Counts {
    /// What this name means: `ops`, `flops` or `macs`.
    pub fn from_id(id: &str) -> Option<Self> {
        match id.to_ascii_lowercase().as_str() {
            "flop" | "flops" | "op" | "ops" => Some(Self::Operations),
            "mac" | "macs" => Some(Self::Macs),
            _ => None,
        }
    }
}

/// Whether an operand is read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read.
    Read,
    /// Written.
    Write,
}

/// One tensor that an operator reads or writes once: compulsory traffic, as if caches were perfect.
#[derive(Clone, Debug, PartialEq)]
pub struct Operand {
    /// What it is: `x`, `weight`, `output`.
    pub name: &'static str,
    /// Read or written.
    pub access: Access,
    /// Elements moved.
    pub elements: f64,
    /// How they are stored.
    pub precision: Precision,
}

impl Operand {
    /// Bytes moved, scales included.
    pub fn bytes(&self) -> f64 {
        self.precision.bytes(self.elements)
    }
}

/// How sure amounts are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Basis {
    /// The arguments say them.
    #[default]
    Recorded,
    /// Something that was not recorded is taken for granted: what.
    Estimated(&'static str),
    /// It is at least this much: what is missing. How near the roof a call came does not follow from it.
    AtLeast(&'static str),
}

/// What one call of an operator must do.
///
/// Amounts are floats because formulas of causal attention and of sampled experts are not whole numbers; every
/// product of shapes below 2^53 is exact.
#[derive(Clone, Debug, PartialEq)]
pub struct Work {
    /// Additions and multiplications.
    pub flops: f64,
    /// Multiply-adds; for work without them, elements computed (the convention of NPU vendors).
    pub macs: f64,
    /// What is moved.
    pub operands: Vec<Operand>,
    /// What it is computed in: not always how operands are stored (4-bit weights are often multiplied as FP16).
    /// Unknown for types without arithmetic of their own.
    pub arithmetic: Option<Arithmetic>,
    /// The units that can do it.
    pub engine: Engine,
    /// How sure all of this is.
    pub basis: Basis,
}

impl Work {
    /// Work without arithmetic: copies, gathers.
    pub fn movement() -> Self {
        Self {
            flops: 0.0,
            macs: 0.0,
            operands: Vec::new(),
            arithmetic: None,
            engine: Engine::Vector,
            basis: Basis::Recorded,
        }
    }

    /// Work of `macs` multiply-adds on the matrix units, computed in what `precision` computes in.
    pub fn matrix(macs: f64, precision: Precision) -> Self {
        Self {
            flops: 2.0 * macs,
            macs,
            operands: Vec::new(),
            arithmetic: precision.arithmetic(),
            engine: Engine::Matrix,
            basis: Basis::Recorded,
        }
    }

    /// Work of `flops` operations on the vector units, for `elements` computed.
    pub fn vector(flops: f64, elements: f64, precision: Precision) -> Self {
        Self {
            flops,
            macs: elements,
            operands: Vec::new(),
            arithmetic: precision.arithmetic(),
            engine: Engine::Vector,
            basis: Basis::Recorded,
        }
    }

    /// With an operand read.
    #[must_use]
    pub fn reads(mut self, name: &'static str, elements: f64, precision: Precision) -> Self {
        self.operands.push(Operand { name, access: Access::Read, elements, precision });
        self
    }

    /// With an operand written.
    #[must_use]
    pub fn writes(mut self, name: &'static str, elements: f64, precision: Precision) -> Self {
        self.operands.push(Operand { name, access: Access::Write, elements, precision });
        self
    }

    /// The same, as sure as this.
    #[must_use]
    pub fn on(self, basis: Basis) -> Self {
        Self { basis, ..self }
    }

    /// Bytes of all operands.
    pub fn bytes(&self) -> f64 {
        self.operands.iter().map(Operand::bytes).sum()
    }

    /// Arithmetic in what a peak counts.
    pub fn amount(&self, counts: Counts) -> f64 {
        match counts {
            Counts::Operations => self.flops,
            Counts::Macs => self.macs,
        }
    }
}
