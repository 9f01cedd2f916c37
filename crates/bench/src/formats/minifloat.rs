//! Small floats, by the formula that defines them.
//!
//! IEEE 754 for FP16; BF16 is the upper half of FP32; OCP 8-bit Floating Point 1.0 for E4M3 and E5M2; OCP Microscaling
//! Formats 1.0 for E2M1.

/// What the codes above the largest finite number mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beyond {
    /// Infinity, then NaN, as in IEEE 754.
    Infinity,
    /// NaN alone.
    Nan,
    /// There are none.
    Nothing,
}

/// A float of a few bits: sign, exponent, mantissa.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Minifloat {
    exponent_bits: u32,
    mantissa_bits: u32,
    beyond: Beyond,
    /// Whether what is too large becomes the largest number.
    saturates: bool,
}

/// Half precision. What is too large becomes infinity.
pub const FP16: Minifloat =
    Minifloat { exponent_bits: 5, mantissa_bits: 10, beyond: Beyond::Infinity, saturates: false };
/// Brain float. What is too large becomes infinity.
pub const BF16: Minifloat =
    Minifloat { exponent_bits: 8, mantissa_bits: 7, beyond: Beyond::Infinity, saturates: false };
/// FP8 with 4 bits of exponent: no infinity, and only all ones are NaN. Saturates.
pub const E4M3: Minifloat =
    Minifloat { exponent_bits: 4, mantissa_bits: 3, beyond: Beyond::Nan, saturates: true };
/// FP8 with 5 bits of exponent. Saturates.
pub const E5M2: Minifloat =
    Minifloat { exponent_bits: 5, mantissa_bits: 2, beyond: Beyond::Infinity, saturates: true };
/// FP4: every code is a number. Saturates.
pub const E2M1: Minifloat =
    Minifloat { exponent_bits: 2, mantissa_bits: 1, beyond: Beyond::Nothing, saturates: true };

/// `2^exponent`, for exponents of normal numbers.
pub(super) fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(u64::from((exponent + 1023).clamp(1, 2046).unsigned_abs()) << 52)
}

/// The largest `e` with `2^e <= magnitude`; at least -1023.
pub(super) fn exponent_of(magnitude: f64) -> i32 {
    // The exponent of a double has 11 bits.
    (magnitude.to_bits() >> 52) as i32 - 1023
}

impl Minifloat {
    /// Bits of a code.
    pub fn bits(self) -> u32 {
        1 + self.exponent_bits + self.mantissa_bits
    }

    /// Exponent of the smallest normal number: 1 - bias, where the bias is half of the range of exponents; that of E2M1
    /// is 1 too.
    fn least_exponent(self) -> i32 {
        2 - (1 << (self.exponent_bits - 1))
    }

    /// The code of the largest finite number, without sign.
    fn largest_code(self) -> u32 {
        let all_ones = (1 << (self.exponent_bits + self.mantissa_bits)) - 1;
        match self.beyond {
            Beyond::Infinity => all_ones - (1 << self.mantissa_bits),
            Beyond::Nan => all_ones - 1,
            Beyond::Nothing => all_ones,
        }
    }

    /// The largest finite number.
    pub fn largest(self) -> f64 {
        self.decode(self.largest_code())
    }

    /// The number of a code.
    pub fn decode(self, code: u32) -> f64 {
        let sign = if code >> (self.bits() - 1) & 1 == 1 { -1.0 } else { 1.0 };
        let exponent = code >> self.mantissa_bits & ((1 << self.exponent_bits) - 1);
        let mantissa = code & ((1 << self.mantissa_bits) - 1);
        if code & ((1 << (self.bits() - 1)) - 1) > self.largest_code() {
            return match (self.beyond, mantissa) {
                (Beyond::Infinity, 0) => sign * f64::INFINITY,
                _ => f64::NAN,
            };
        }
        // Subnormal numbers have the exponent of the smallest normal one, and no leading one.
        let (whole, steps) =
            if exponent == 0 { (mantissa, 0) } else { (mantissa | 1 << self.mantissa_bits, exponent - 1) };
        let quantum = self.least_exponent() + steps as i32 - self.mantissa_bits as i32;
        sign * f64::from(whole) * power_of_two(quantum)
    }

    /// The code of the nearest number, of two equally near ones the even code. NaN becomes NaN where there is one, else
    /// the largest number.
    pub fn encode(self, value: f64) -> u32 {
        let sign = u32::from(value.is_sign_negative()) << (self.bits() - 1);
        let magnitude = value.abs();
        let largest = self.largest_code();
        if magnitude.is_nan() {
            let all_ones = (1 << (self.bits() - 1)) - 1;
            return sign | all_ones;
        }
        if magnitude.is_infinite() {
            return sign | if self.saturates { largest } else { largest + 1 };
        }
        let exponent = exponent_of(magnitude).max(self.least_exponent());
        let quantum = power_of_two(exponent - self.mantissa_bits as i32);
        // Exact but for the rounding: quantum is a power of two. At most 2^(mantissa bits + 1), which carries into the
        // exponent as it should.
        let whole = (magnitude / quantum).round_ties_even() as u32;
        let steps = (exponent - self.least_exponent()).unsigned_abs();
        // Far beyond the largest, steps alone may not fit.
        let code =
            if steps > 1 << self.exponent_bits { largest + 1 } else { (steps << self.mantissa_bits) + whole };
        let limit = if self.saturates { largest } else { largest + 1 };
        sign | code.min(limit)
    }
}

/// FP16 to FP32 by bits: exponents are moved by a multiplication, which is exact and right for subnormal numbers; infinity
/// and NaN become numbers.
#[inline(always)]
pub fn half(code: u16) -> f32 {
    /// 2^(127 - 15).
    const REBIAS: f32 = f32::from_bits((127 + 127 - 15) << 23);
    let magnitude = f32::from_bits(u32::from(code & 0x7FFF) << 13) * REBIAS;
    f32::from_bits(magnitude.to_bits() | u32::from(code & 0x8000) << 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Minifloat; 5] = [FP16, BF16, E4M3, E5M2, E2M1];

    /// OCP 8-bit Floating Point 1.0, table 2; OCP Microscaling Formats 1.0, table 5; IEEE 754-2019, table 3.5.
    #[test]
    fn limits_are_those_of_the_standards() {
        for (float, largest, least_normal, least) in [
            (FP16, 65504.0, 2f64.powi(-14), 2f64.powi(-24)),
            (BF16, 3.389_531_389_251_535_5e38, 2f64.powi(-126), 2f64.powi(-133)),
            (E4M3, 448.0, 2f64.powi(-6), 2f64.powi(-9)),
            (E5M2, 57344.0, 2f64.powi(-14), 2f64.powi(-16)),
            (E2M1, 6.0, 1.0, 0.5),
        ] {
            assert_eq!(float.largest(), largest);
            assert_eq!(float.decode(1 << float.mantissa_bits), least_normal);
            assert_eq!(float.decode(1), least);
        }
        let fp4: Vec<f64> = (0..16).map(|code| E2M1.decode(code)).collect();
        assert_eq!(fp4[..8], [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]);
        assert_eq!(fp4[9..], [-0.5, -1.0, -1.5, -2.0, -3.0, -4.0, -6.0]);
        assert!(E4M3.decode(0x7F).is_nan() && E4M3.decode(0xFF).is_nan());
        assert_eq!(E5M2.decode(0x7C), f64::INFINITY);
        assert!(E5M2.decode(0x7D).is_nan());
    }

    #[test]
    fn every_number_comes_back_and_every_middle_goes_to_the_even_code() {
        for float in ALL {
            for code in 0..=float.largest_code() {
                let value = float.decode(code);
                let negative = code | 1 << (float.bits() - 1);
                assert_eq!(float.encode(value), code);
                assert_eq!(float.encode(-value), negative);
                assert_eq!(float.decode(negative), -value);
                if code < float.largest_code() {
                    let next = float.decode(code + 1);
                    assert!(next > value);
                    let middle = f64::midpoint(value, next);
                    assert_eq!(float.encode(middle), code + (code & 1), "{float:?} {code:#x}");
                    assert_eq!(float.encode(middle.next_down()), code);
                    assert_eq!(float.encode(middle.next_up()), code + 1);
                }
            }
        }
    }

    #[test]
    fn what_is_too_large_saturates_or_is_infinite() {
        for value in [1e39, 1e300, f64::INFINITY] {
            assert_eq!(FP16.encode(value), 0x7C00);
            assert_eq!(BF16.encode(-value), 0xFF80);
            assert_eq!(E4M3.encode(value), 0x7E);
            assert_eq!(E5M2.encode(-value), 0xFB);
            assert_eq!(E2M1.encode(value), 7);
        }
        // The middle between the largest number and what would be the next is already infinite.
        assert_eq!(FP16.encode(65519.9), 0x7BFF);
        assert_eq!(FP16.encode(65520.0), 0x7C00);
        assert_eq!(FP16.encode(f64::NAN), 0x7FFF);
        assert_eq!(E4M3.encode(f64::MIN_POSITIVE), 0);
    }

    /// The upper half of an FP32, rounded the way compilers do it: an independent definition.
    #[test]
    fn brain_floats_are_rounded_halves() {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..100_000 {
            let value = f32::from_bits(random.u32(..));
            if value.is_nan() {
                continue;
            }
            let bits = value.to_bits();
            let rounded = (u64::from(bits) + 0x7FFF + u64::from(bits >> 16 & 1)) >> 16;
            assert_eq!(u64::from(BF16.encode(f64::from(value))), rounded, "{value}");
        }
    }

    #[test]
    fn halves_are_widened_as_defined() {
        for code in (0..=u16::MAX).filter(|code| code & 0x7C00 != 0x7C00) {
            assert_eq!(f64::from(half(code)), FP16.decode(u32::from(code)));
        }
    }
}
