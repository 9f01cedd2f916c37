//! Matrices on a device, in every format that weights are stored in.

use std::rc::Rc;

use eaves_roofline::measured::Chore;
use eaves_roofline::{Arithmetic, Precision};

use super::backend::OpenCl;
use super::driver::{Argument, Memory};
use crate::backend::BenchError;
use crate::formats::{Format, NF4_VALUES, Order, Packed, magnitudes};

/// Rows are padded to a multiple of this many elements, which every format allows and every kernel expects.
const ALIGNMENT: usize = 64;

/// Standard deviations of the sum of rounding errors that a result may be away. See [`Compute::tolerance`].
const DEVIATIONS: f64 = 8.0;

/// What products are computed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compute {
    Float,
    Double,
    /// Integers, which are scaled at the end.
    Integer,
}

impl Compute {
    /// What operands of these formats are multiplied in on this device, if it can.
    pub(super) fn of(device: &OpenCl, formats: &[Format]) -> Result<Self, BenchError> {
        if formats.contains(&Format::Fp64) {
            return if device.info().fp64 {
                Ok(Self::Double)
            } else {
                Err(device.unsupported("fp64", "the device has no cl_khr_fp64"))
            };
        }
        let integers = formats.iter().all(|format| *format == Format::Int8);
        Ok(if integers { Self::Integer } else { Self::Float })
    }

    /// Options of the compiler: the type of sums and of results.
    pub(super) fn options(self) -> &'static str {
        match self {
            Self::Float => "-DREAL=float -DOUT=float",
            Self::Double => "-DREAL=double -DOUT=double -DDOUBLE",
            Self::Integer => "-DREAL=int -DOUT=float -DINTEGER",
        }
    }

    /// The name on screen.
    pub(super) fn id(self) -> &'static str {
        match self {
            Self::Float => "fp32",
            Self::Double => "fp64",
            Self::Integer => "int32",
        }
    }

    /// The peak that bounds it.
    pub(super) fn arithmetic(self) -> Arithmetic {
        match self {
            Self::Float => Arithmetic::Fp32,
            Self::Double => Arithmetic::Fp64,
            Self::Integer => Arithmetic::Int8,
        }
    }

    /// How results are stored.
    pub(super) fn result(self) -> Precision {
        if self == Self::Double { Precision::FP64 } else { Precision::FP32 }
    }

    /// How far a sum of this many products may be from the right one, relative to the sum of their absolute values.
    ///
    /// Rounding errors of random data are independent, so that they add up as the root of their number: of `n` operations
    /// with unit roundoff `u` the error is below `8 sqrt(n) u` with a probability of `1 - 2 n exp(-32)` (Higham and Mary, "A
    /// new approach to probabilistic rounding error analysis", 2019, theorem 2.4). Four more roundings are those of
    /// scales and of the result. Sums of integers are exact, and scaled once.
    pub(super) fn tolerance(self, count: usize) -> f64 {
        let roundoff = if self == Self::Double { 0.5_f64.powi(53) } else { 0.5_f64.powi(24) };
        let sums = if self == Self::Integer { 0.0 } else { DEVIATIONS * (count as f64).sqrt() };
        // The reference is rounded too.
        (sums + 4.0) * roundoff + DEVIATIONS * (count as f64).sqrt() * 0.5_f64.powi(53)
    }
}

/// The function of `load.cl` that reads a format, by what is computed in.
pub(super) fn loader(format: Format, compute: Compute) -> String {
    match compute {
        Compute::Integer => "codes_int8".to_owned(),
        Compute::Float | Compute::Double => format!("load_{}", format.name()),
    }
}

/// The options that these formats need next to their loaders.
pub(super) fn values(formats: &[Format]) -> String {
    if formats.contains(&Format::Nf4) {
        let values: Vec<String> = NF4_VALUES.iter().map(|value| format!("{value:e}f")).collect();
        format!(" -DNF4_VALUES={}", values.join(","))
    } else {
        String::new()
    }
}

/// The format of a precision, or why there is none.
pub(super) fn format_of(device: &OpenCl, precision: &Precision) -> Result<Format, BenchError> {
    Format::of(precision).ok_or_else(|| {
        let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
        device.unsupported(precision.to_string(), format!("there are {}", names.join(", ")))
    })
}

/// Rows that are made; the others repeat them. A prime, so that no stride of a power of two goes unnoticed.
const DISTINCT: usize = 251;

/// A random matrix, stored on the device as often as it must be to be cold.
pub(super) struct Matrix {
    /// What the device has; the host keeps it for the reference.
    pub(super) rows: Rows,
    codes: Vec<Rc<Memory>>,
    scales: Vec<Rc<Memory>>,
}

/// Rows of a matrix, those that were made.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    distinct: Rc<Packed>,
    count: usize,
}

impl Rows {
    /// What a row means, from the definition of its format.
    pub(super) fn line(&self, row: usize, values: &mut [f64]) {
        self.distinct.dequantise_row(row % DISTINCT, values);
    }

    /// Elements that are stored in a row.
    pub(super) fn stride(&self) -> usize {
        self.distinct.stride
    }

    /// Elements that are stored, padding included.
    pub(super) fn elements(&self) -> f64 {
        self.count as f64 * self.distinct.stride as f64
    }

    /// How they are stored.
    pub(super) fn precision(&self) -> Precision {
        self.distinct.precision()
    }
}

impl Matrix {
    /// That many rows of this many random elements, from -0.5 to 0.5, or `spread` over several magnitudes.
    pub(super) fn random(
        device: &OpenCl,
        format: Format,
        (rows, columns): (usize, usize),
        copies: usize,
        seed: u64,
        spread: bool,
    ) -> Result<Self, BenchError> {
        let memory = || BenchError::Memory { what: format!("{rows}x{columns} of {}", format.name()) };
        let stride = columns.next_multiple_of(ALIGNMENT);
        let made = rows.min(DISTINCT);
        let length = made.checked_mul(stride).ok_or_else(memory)?;
        let mut random = fastrand::Rng::with_seed(seed);
        let value = |(index, magnitude): (usize, f32)| {
            let magnitude = if spread { magnitude } else { 1.0 };
            if index % stride < columns { (random.f32() - 0.5) * magnitude } else { 0.0 }
        };
        let values: Vec<f32> = magnitudes(seed).take(length).enumerate().map(value).collect();
        let packed = Packed::pack(format, Order::Sequential, &values, made, stride).ok_or_else(memory)?;
        let driver = device.driver();
        let upload = |bytes: &[u8]| -> Result<Vec<Rc<Memory>>, BenchError> {
            let length = bytes.len() / made.max(1) * rows;
            let all: Vec<u8> = bytes.iter().copied().cycle().take(length).collect();
            (0..copies.max(1)).map(|_| driver.upload(&all)).collect()
        };
        let (codes, scales) = (upload(&packed.codes)?, upload(&packed.scales)?);
        Ok(Self { rows: Rows { distinct: Rc::new(packed), count: rows }, codes, scales })
    }

    /// Bytes of such a matrix.
    pub(super) fn bytes(format: Format, rows: usize, columns: usize) -> usize {
        let stride = columns.next_multiple_of(ALIGNMENT);
        rows.saturating_mul(format.code_bytes(stride) + format.scale_bytes(stride))
    }

    pub(super) fn codes(&self) -> Vec<Argument> {
        self.codes.iter().cloned().map(Argument::Memory).collect()
    }

    pub(super) fn scales(&self) -> Vec<Argument> {
        self.scales.iter().cloned().map(Argument::Memory).collect()
    }

    pub(super) fn tensor(&self) -> Argument {
        Argument::F32(self.rows.distinct.tensor_scale.unwrap_or(1.0))
    }

    /// Codes, scales and the tensor's scale of the first copy, in the order of kernels.
    pub(super) fn arguments(&self) -> Vec<Argument> {
        self.codes()
            .into_iter()
            .take(1)
            .chain(self.scales().into_iter().take(1))
            .chain([self.tensor()])
            .collect()
    }

    /// Elements that are stored in a row.
    pub(super) fn stride(&self) -> u32 {
        u32::try_from(self.rows.stride()).unwrap_or(u32::MAX)
    }

    /// What making numbers of the codes is, where they are not numbers yet, for products with such activations.
    pub(super) fn chores(&self, activations: Precision) -> Vec<Chore> {
        match self.rows.distinct.format {
            Format::Fp64 | Format::Fp32 => Vec::new(),
            format => vec![Chore {
                // The rate is of the format, whatever the length of its rows.
                rate: format!("dequantise {}/{}", format.name(), activations.name),
                amount: self.rows.elements(),
            }],
        }
    }
}
