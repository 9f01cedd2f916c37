//! How numbers are stored: exact bits per element, scales included.

mod catalogue;
mod spelling;

use std::fmt;
use std::str::FromStr;

use crate::Arithmetic;

/// A way to store numbers. Two of the same name may differ in their scales: `int4` has none, `int4@128:fp16` has a
/// 16-bit scale for every 128 elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// Lower-case name without parameters.
    pub name: &'static str,
    /// Bits of one element.
    pub element_bits: f64,
    /// Shared scales, inner first.
    pub scales: [Option<Scale>; 2],
    /// How an element is coded.
    pub family: Family,
    /// Exponent bits of a float.
    pub exponent_bits: u8,
    /// Mantissa bits of a float, value bits of a signed integer.
    pub mantissa_bits: u8,
    /// Largest finite value of an element.
    pub largest: f64,
    /// What units compute such numbers in, if there is one obvious answer.
    arithmetic: Option<Arithmetic>,
}

/// How an element is coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// A float by itself.
    Float,
    /// An integer by itself.
    Integer,
    /// Elements of a block share a power of two (OCP microscaling).
    Microscaling,
    /// Elements of a block share an FP8 scale, the tensor an FP32 one.
    Nvfp4,
    /// An index into a table of values.
    Lookup,
    /// Neither arithmetic nor a number: booleans, indices.
    Plain,
}

/// A scale that elements share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// Bits of the scale (and of a zero point next to it).
    pub bits: f64,
    /// What shares it.
    pub every: Every,
}

/// Scope of a scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Every {
    /// That many elements.
    Elements(f64),
    /// The whole tensor.
    Tensor,
}

impl Scale {
    /// Bits of all scales of a tensor; a block that is not full has one too.
    fn bits(self, elements: f64) -> f64 {
        match self.every {
            Every::Elements(count) => (elements / count).ceil() * self.bits,
            Every::Tensor if elements > 0.0 => self.bits,
            Every::Tensor => 0.0,
        }
    }
}

impl Precision {
    /// Double precision.
    pub const FP64: Self = catalogue::FP64;
    /// Single precision.
    pub const FP32: Self = catalogue::FP32;
    /// Half precision.
    pub const FP16: Self = catalogue::FP16;
    /// Brain float.
    pub const BF16: Self = catalogue::BF16;
    /// 8-bit floats with 4 bits of exponent.
    pub const FP8_E4M3: Self = catalogue::E4M3;
    /// 8-bit floats with 5 bits of exponent.
    pub const FP8_E5M2: Self = catalogue::E5M2;
    /// 4-bit floats without scales.
    pub const FP4: Self = catalogue::E2M1;
    /// Powers of two, the scales of microscaling formats.
    pub const E8M0: Self = catalogue::E8M0;
    /// 32-bit integers.
    pub const INT32: Self = catalogue::INT32;
    /// 8-bit integers without scales.
    pub const INT8: Self = catalogue::INT8;
    /// 4-bit integers without scales.
    pub const INT4: Self = catalogue::INT4;
    /// 4-bit floats of which 32 share a power of two.
    pub const MXFP4: Self = catalogue::MXFP4;
    /// 4-bit floats of which 16 share an FP8 scale, and the tensor an FP32 one.
    pub const NVFP4: Self = catalogue::NVFP4;
    /// Quantiles of the normal distribution, of which 64 share the largest.
    pub const NF4: Self = catalogue::NF4;

    /// All of the catalog.
    pub fn all() -> impl Iterator<Item = Self> {
        catalogue::ALL.iter().map(|(precision, _)| *precision)
    }

    /// Bytes of a tensor of this many elements, scales included.
    pub fn bytes(&self, elements: f64) -> f64 {
        let scales: f64 = self.scales.iter().flatten().map(|scale| scale.bits(elements)).sum();
        (elements * self.element_bits + scales) / 8.0
    }

    /// Bits per element in a tensor of this many elements.
    pub fn effective_bits(&self, elements: f64) -> f64 {
        8.0 * self.bytes(elements) / elements
    }

    /// What units compute such numbers in when nothing else is said. Formats that no unit multiplies (NF4) have none:
    /// they are widened first, and the user says to what.
    pub fn arithmetic(&self) -> Option<Arithmetic> {
        self.arithmetic
    }

    /// What units multiply such numbers with `other` in: the wider of the two, as narrow weights are widened to the
    /// type of the activations (W4A16 is computed in FP16). Of two equally wide ones it is that of `self`.
    pub fn product_arithmetic(&self, other: &Self) -> Option<Arithmetic> {
        if other.element_bits > self.element_bits { other.arithmetic } else { self.arithmetic }
    }

    /// The same elements with one scale of `bits` for every `count` elements.
    #[must_use]
    pub fn with_scale(mut self, count: f64, bits: f64) -> Self {
        self.scales[0] = Some(Scale { bits, every: Every::Elements(count) });
        self
    }

    /// How an element type is stored, however the recorder spells it: `float`, `Float`, `torch.float32`, `*fp32`.
    pub fn from_torch(spelling: &str) -> Option<Self> {
        Self::named(spelling::catalogue_name(spelling))
    }

    /// How the element type with this number is stored: recordings write types among the arguments as numbers of
    /// PyTorch's `ScalarType`.
    pub fn from_torch_number(number: i64) -> Option<Self> {
        let name = match number {
            0 => "unsigned char",
            1 => "signed char",
            2 => "short",
            3 => "int",
            4 => "long",
            5 => "Half",
            6 => "float",
            7 => "double",
            8 => "complex<Half>",
            9 => "complex<float>",
            10 => "complex<double>",
            11 => "bool",
            15 => "BFloat16",
            23 => "Float8_e5m2",
            24 => "Float8_e4m3fn",
            25 => "Float8_e5m2fnuz",
            26 => "Float8_e4m3fnuz",
            27 => "unsigned short",
            28 => "unsigned int",
            29 => "unsigned long",
            44 => "Float8_e8m0fnu",
            45 => "Float4_e2m1fn_x2",
            _ => return None,
        };
        Self::from_torch(name)
    }

    /// Whether an element is a pair of a real and an imaginary part.
    pub fn is_complex(&self) -> bool {
        matches!(self.name, "complex32" | "complex64" | "complex128")
    }

    fn named(id: &str) -> Option<Self> {
        let same = |name: &str| name.eq_ignore_ascii_case(id);
        catalogue::ALL
            .iter()
            .find(|(precision, aliases)| same(precision.name) || aliases.iter().any(|alias| same(alias)))
            .map(|(precision, _)| *precision)
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        let usual = Self::named(self.name).is_some_and(|precision| precision.scales == self.scales);
        match self.scales[0] {
            Some(Scale { bits, every: Every::Elements(count) }) if !usual => write!(f, "@{count}:{bits}"),
            _ => Ok(()),
        }
    }
}

/// A precision that is not in the catalog, or a parameter that is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownPrecision {
    /// What was asked for.
    pub asked: String,
    /// Names that are near.
    pub near: Vec<&'static str>,
}

impl fmt::Display for UnknownPrecision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown precision `{}`", self.asked)?;
        if self.near.is_empty() {
            f.write_str("; `eaves device show` lists a device's data types")
        } else {
            write!(f, "; did you mean {}?", self.near.join(", "))
        }
    }
}

impl std::error::Error for UnknownPrecision {}

impl FromStr for Precision {
    type Err = UnknownPrecision;

    /// `NAME`, or `NAME@BLOCK:SCALE` with the number of elements that share a scale, and the scale's bits or precision:
    /// `int4@128:fp16`, `nf4@64:32`.
    fn from_str(text: &str) -> Result<Self, UnknownPrecision> {
        let trimmed = text.trim();
        let (name, parameters) = match trimmed.split_once('@') {
            Some((name, parameters)) => (name, Some(parameters)),
            None => (trimmed, None),
        };
        let name = name.replace(['-', ' '], "_");
        let unknown = || UnknownPrecision { asked: trimmed.to_owned(), near: near(&name) };
        let precision = Self::named(&name).ok_or_else(unknown)?;
        let Some(parameters) = parameters else { return Ok(precision) };
        let (count, scale) = parameters.split_once(':').unwrap_or((parameters, "fp16"));
        let count: u32 = count.parse().ok().filter(|count| *count > 0).ok_or_else(unknown)?;
        let bits = match scale.parse::<u32>() {
            Ok(bits) if bits > 0 => f64::from(bits),
            _ => Self::named(scale).ok_or_else(unknown)?.element_bits,
        };
        Ok(precision.with_scale(f64::from(count), bits))
    }
}

/// Names like the one asked for, best first.
fn near(asked: &str) -> Vec<&'static str> {
    let known = catalogue::ALL.iter().map(|(precision, _)| precision.name);
    let mut near = eaves_model::suggestion::nearest(&asked.to_ascii_lowercase(), known);
    near.truncate(3);
    near
}

#[cfg(test)]
mod tests {
    use super::*;

    fn precision(name: &str) -> Precision {
        name.parse().unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn bits_are_those_of_the_format_definitions() {
        // OCP MX 1.0: one E8M0 scale for 32 elements. NVFP4: one E4M3 scale for 16, one FP32 for the tensor.
        // bitsandbytes NF4: one FP32 absmax for 64; with double quantization 4 + 8/64 + 32/(64*256).
        for (name, elements, bits) in [
            ("FP64", 1.0, 64.0),
            ("tf32", 1.0, 32.0),
            ("BF16", 7.0, 16.0),
            ("FP8", 1.0, 8.0),
            ("INT4", 2.0, 4.0),
            ("INT2", 4.0, 2.0),
            ("MXFP8_E5M2", 1024.0, 8.25),
            ("mxfp6", 1024.0, 6.25),
            ("MXFP4", 1024.0, 4.25),
            ("MXINT8", 1024.0, 8.25),
            ("NF4", 1024.0, 4.5),
            ("nf4_double", 64.0 * 256.0, 4.0 + 8.0 / 64.0 + 32.0 / 16384.0),
            ("NVFP4", 4096.0 * 4096.0, 4.5 + 32.0 / (4096.0 * 4096.0)),
            ("NVFP4_1024", 4096.0, 4.53125),
            ("int4@128:fp16", 4096.0, 4.125),
            ("nf4@64:fp16", 4096.0, 4.25),
        ] {
            let found = precision(name).effective_bits(elements);
            assert!((found - bits).abs() < 1e-12, "{name}: {found} is not {bits}");
        }
    }

    #[test]
    fn a_block_that_is_not_full_has_a_scale_too() {
        assert_eq!(precision("mxfp4").bytes(33.0), 33.0 * 0.5 + 2.0);
        assert_eq!(precision("nvfp4").bytes(0.0), 0.0);
    }

    #[test]
    fn an_unknown_precision_is_an_error_with_suggestions() {
        for (name, suggestion) in [("fp17", "fp16"), ("nvfp5", "nvfp4"), ("mxfp44", "mxfp4")] {
            let error = name.parse::<Precision>().expect_err(name);
            assert!(error.near.contains(&suggestion), "{error}");
        }
        for name in ["", "fp16@", "fp16@0", "fp16@32:", "int4@128:none", "🦀"] {
            name.parse::<Precision>().expect_err(name);
        }
    }

    #[test]
    fn names_are_unique_and_come_back() {
        let mut seen = std::collections::BTreeSet::new();
        for (precision, aliases) in catalogue::ALL {
            for name in std::iter::once(&precision.name).chain(*aliases) {
                assert!(seen.insert(name.to_ascii_lowercase()), "{name} twice");
            }
            assert_eq!(precision.to_string().parse(), Ok(*precision));
        }
        let grouped = precision("int4@128:fp16");
        assert_eq!(grouped.to_string().parse(), Ok(grouped));
    }
}
