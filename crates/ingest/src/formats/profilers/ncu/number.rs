//! Numbers as Nsight Compute writes them: in the locale of the process that ran it.
//!
//! The same value is `1234567.25` in the C locale, `1,234,567.25` in that of the United States and `1.234.567,25` in
//! most of Europe, so `117.344` alone may be a hundred or a hundred thousand. Cells that can be read in one way only
//! tell which sign the whole file uses for decimals.

use crate::json::padded::Padded;

/// The sign in front of decimals. The other one, if any, is between thousands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decimal {
    Point,
    Comma,
}

impl Decimal {
    fn sign(self) -> u8 {
        match self {
            Self::Point => b'.',
            Self::Comma => b',',
        }
    }
}

/// What a cell tells about the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Evidence {
    /// It can be read in one way only.
    Sure(Decimal),
    /// It reads as two different numbers.
    Ambiguous,
    /// It is the same in every locale, or no number.
    None,
}

fn evidence(cell: &[u8]) -> Evidence {
    let cell = value_of(cell);
    let cell = cell.strip_prefix(b"-").unwrap_or(cell);
    let digits = |bytes: &[u8]| bytes.iter().all(u8::is_ascii_digit);
    let Some(last) = cell.iter().rposition(|byte| matches!(byte, b'.' | b',')) else { return Evidence::None };
    let Some((&sign, before, after)) =
        cell.get(last).and_then(|sign| Some((sign, cell.get(..last)?, cell.get(last + 1..)?)))
    else {
        return Evidence::None;
    };
    let (own, other) =
        if sign == b'.' { (Decimal::Point, Decimal::Comma) } else { (Decimal::Comma, Decimal::Point) };
    if !digits(after)
        || after.is_empty()
        || !before.iter().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b','))
    {
        return Evidence::None;
    }
    if before.contains(&other.sign()) {
        return Evidence::Sure(own);
    }
    if before.contains(&sign) {
        return Evidence::Sure(other);
    }
    // Groups have three digits, the first at most three and no leading zero.
    let may_be_group = after.len() == 3 && matches!(before.len(), 1..=3) && before.first() != Some(&b'0');
    if may_be_group { Evidence::Ambiguous } else { Evidence::Sure(own) }
}

/// The votes of the cells seen so far.
#[derive(Debug, Default)]
pub(super) struct Votes {
    point: u64,
    comma: u64,
    /// Cells that read as two different numbers.
    pub(super) ambiguous: u64,
}

impl Votes {
    /// Takes in a cell.
    pub(super) fn see(&mut self, cell: &[u8]) {
        match evidence(cell) {
            Evidence::Sure(Decimal::Point) => self.point += 1,
            Evidence::Sure(Decimal::Comma) => self.comma += 1,
            Evidence::Ambiguous => self.ambiguous += 1,
            Evidence::None => {}
        }
    }

    /// True if more cells would hardly change it.
    pub(super) fn is_settled(&self) -> bool {
        const MANY: u64 = 4_096;
        self.point.max(self.comma) > MANY && self.point.min(self.comma) == 0
    }

    /// The sign for decimals, and whether the cells told it.
    pub(super) fn decide(&self) -> (Decimal, bool) {
        let sure = self.point != self.comma || self.ambiguous == 0;
        (if self.comma > self.point { Decimal::Comma } else { Decimal::Point }, sure)
    }
}

/// The number without the values of its instances, which follow in brackets: `16 (12; 4)`.
fn value_of(cell: &[u8]) -> &[u8] {
    let cell = match memchr::memchr(b'(', cell) {
        Some(at) => cell.get(..at).unwrap_or_default(),
        None => cell,
    };
    cell.trim_ascii()
}

/// What a cell says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cell {
    Number(f64),
    /// Nothing was measured: empty, `n/a`, `no data`, `nan`.
    Missing,
    /// Something that is not a number, such as `PolicySpread`.
    Text,
}

const TENS: [f64; 19] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18];

/// Reads a cell.
#[inline]
pub(super) fn read(cell: &[u8], decimal: Decimal) -> Cell {
    match plain(cell, decimal) {
        Some(number) => Cell::Number(number),
        None => odd(cell, decimal),
    }
}

/// Reads a cell between two places of a block.
#[inline]
pub(super) fn read_at(block: Padded<'_>, start: usize, end: usize, decimal: Decimal) -> Cell {
    match short(block, start, end, decimal) {
        Some(number) => Cell::Number(number),
        None => read(block.slice(start, end), decimal),
    }
}

/// Up to 16 digits, or up to seven with a decimal sign, eight bytes at a time.
#[inline]
fn short(block: Padded<'_>, start: usize, end: usize, decimal: Decimal) -> Option<f64> {
    let length = end - start;
    let word = block.word(start);
    match length {
        1..=8 => match eight(word, length) {
            Some(whole) => Some(whole as f64),
            None => {
                let (sign, digits) = (sign_in(word, decimal.sign()), length - 1);
                let places = digits.checked_sub(sign).filter(|places| *places > 0)?;
                // Digits behind the sign take its place.
                let before = (1 << (8 * sign)) - 1;
                let whole = eight(word & before | word >> 8 & !before, digits)?;
                Some(whole as f64 / TENS.get(places)?)
            }
        },
        9..=16 => {
            let whole = eight(word, length - 8)? * 100_000_000 + eight(block.word(end - 8), 8)?;
            (whole < 1 << 53).then_some(whole as f64)
        }
        _ => None,
    }
}

const ONES: u64 = 0x0101_0101_0101_0101;

/// The number of up to eight digits, the first one lowest; nothing if there is anything else among them.
#[inline]
fn eight(word: u64, length: usize) -> Option<u64> {
    // Zeros in front fill it up to eight; those of no digit at all cannot be shifted in.
    let surplus = 64_u32.checked_sub(8 * length as u32).filter(|surplus| *surplus < 64)?;
    let zeros = (ONES * u64::from(b'0')).checked_shr(64 - surplus).unwrap_or(0);
    let digits = (word << surplus | zeros) ^ (ONES * u64::from(b'0'));
    // Above 9, 0x76 more sets the highest bit, and what has it set already is not a digit either.
    if (digits | digits.wrapping_add(ONES * 0x76)) & (ONES * 0x80) != 0 {
        return None;
    }
    let pairs = (digits * 10 + (digits >> 8)) & 0x00FF_00FF_00FF_00FF;
    let fours = (pairs * 100 + (pairs >> 16)) & 0x0000_FFFF_0000_FFFF;
    Some((fours * 10_000 + (fours >> 32)) & 0xFFFF_FFFF)
}

/// The place of the first such byte, counted from the lowest; 8 without one.
#[inline]
fn sign_in(word: u64, sign: u8) -> usize {
    let zero = word ^ (ONES * u64::from(sign));
    // Exact up to the first byte that is zero.
    let found = zero.wrapping_sub(ONES) & !zero & (ONES * 0x80);
    found.trailing_zeros() as usize / 8
}

/// Digits with at most one decimal sign and no more than fit a float exactly, which is nearly every cell. The quotient
/// of two floats that are exact is the nearest float.
#[inline]
fn plain(cell: &[u8], decimal: Decimal) -> Option<f64> {
    if cell.is_empty() || cell.len() > 16 {
        return None;
    }
    let (mut mantissa, mut places, mut behind) = (0_u64, 0_usize, false);
    for &byte in cell {
        if byte.is_ascii_digit() {
            mantissa = mantissa * 10 + u64::from(byte - b'0');
            places += usize::from(behind);
        } else if byte == decimal.sign() && !behind {
            behind = true;
        } else {
            return None;
        }
    }
    if mantissa >= 1 << 53 || places == cell.len() || (behind && places == 0) {
        return None;
    }
    let number = mantissa as f64;
    Some(if places == 0 { number } else { number / TENS.get(places)? })
}

#[cold]
fn odd(cell: &[u8], decimal: Decimal) -> Cell {
    let cell = value_of(cell);
    let text = String::from_utf8_lossy(cell);
    let lower = text.to_ascii_lowercase();
    if matches!(
        lower.as_str(),
        "" | "n/a" | "na" | "no data" | "nan" | "-nan" | "(nan)" | "inf" | "-inf" | "none"
    ) {
        return Cell::Missing;
    }
    // Spaces of all widths and apostrophes are between thousands in some locales.
    let (sign, group) = match decimal {
        Decimal::Point => ('.', ','),
        Decimal::Comma => (',', '.'),
    };
    let is_group =
        |letter: char| letter == group || matches!(letter, ' ' | '\u{a0}' | '\u{202f}' | '\'' | '’');
    let (whole, rest) = match text.find([sign, 'e', 'E']) {
        Some(at) => text.split_at(at),
        None => (text.as_ref(), ""),
    };
    let mut groups = whole.split(is_group);
    let first = groups.next().unwrap_or_default();
    let groups: Vec<&str> = groups.collect();
    let mut digits = first.to_owned();
    for (place, group) in groups.iter().enumerate() {
        let is_last = place + 1 == groups.len();
        // India groups the thousands by two; the last group has three digits everywhere.
        if group.len() != 3 && (is_last || group.len() != 2) {
            return Cell::Text;
        }
        digits.push_str(group);
    }
    let digits = format!("{digits}{}", rest.replace(sign, "."));
    let is_number = digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'-' | b'+' | b'e' | b'E'))
        && digits.bytes().any(|byte| byte.is_ascii_digit());
    match digits.parse::<f64>() {
        Ok(number) if is_number && number.is_finite() => Cell::Number(number),
        _ => Cell::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn votes(cells: &[&str]) -> (Decimal, bool) {
        let mut votes = Votes::default();
        cells.iter().for_each(|cell| votes.see(cell.as_bytes()));
        votes.decide()
    }

    #[test]
    fn one_cell_that_reads_in_one_way_decides() {
        for cell in
            ["1,234,567", "1,234.5", "65.77", "0.125", "1234.567", "3995313115.40", "-0.5", "1,234.567"]
        {
            assert_eq!(votes(&["117.344", cell]), (Decimal::Point, true), "{cell}");
        }
        for cell in ["1.234.567", "1.234,5", "65,77", "0,125", "1234,567", "27.595.520", "1.234,567"] {
            assert_eq!(votes(&["117.344", cell]), (Decimal::Comma, true), "{cell}");
        }
        assert_eq!(votes(&["117.344", "12", "n/a", "PolicySpread", "1.2.x"]), (Decimal::Point, false));
        assert_eq!(votes(&["12", "n/a"]), (Decimal::Point, true));
    }

    #[test]
    fn numbers_of_every_locale() {
        for (cell, decimal, expected) in [
            ("0", Decimal::Point, 0.0),
            ("3995313115.40", Decimal::Point, 3_995_313_115.40),
            ("4,963,609,951.19", Decimal::Point, 4_963_609_951.19),
            ("196,456,177,859.63", Decimal::Point, 196_456_177_859.63),
            ("292,928", Decimal::Point, 292_928.0),
            ("27.595.520", Decimal::Comma, 27_595_520.0),
            ("65,77", Decimal::Comma, 65.77),
            ("1.234,567", Decimal::Comma, 1_234.567),
            ("117.344", Decimal::Point, 117.344),
            ("117.344", Decimal::Comma, 117_344.0),
            ("1\u{202f}234\u{a0}567,5", Decimal::Comma, 1_234_567.5),
            ("1'234.5", Decimal::Point, 1_234.5),
            ("12,34,567", Decimal::Point, 1_234_567.0),
            ("-12.5", Decimal::Point, -12.5),
            ("1.5e+09", Decimal::Point, 1.5e9),
            ("18446744073709551615", Decimal::Point, 18_446_744_073_709_551_615.0),
            ("16 (12; 4)", Decimal::Point, 16.0),
            (" 7 ", Decimal::Point, 7.0),
        ] {
            assert_eq!(read(cell.as_bytes(), decimal), Cell::Number(expected), "{cell}");
        }
    }

    #[test]
    fn what_is_missing_is_not_zero_and_text_is_no_number() {
        for cell in ["", "n/a", "N/A", "no data", "nan", "-nan", "inf"] {
            assert_eq!(read(cell.as_bytes(), Decimal::Point), Cell::Missing, "{cell}");
        }
        for cell in
            ["PolicySpread", "all", "1,2,3", "65,77", ".", "-", "1.2.3", "No-CC", "e5", "1,2345", "0x10"]
        {
            assert_eq!(read(cell.as_bytes(), Decimal::Point), Cell::Text, "{cell}");
        }
    }

    /// Digits, signs and letters of every length, read at any place of a block as they are by themselves.
    #[test]
    fn cells_in_a_block_read_as_cells_alone() {
        use crate::json::padded::PADDING;
        let mut state = 3_u64;
        let mut next = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for _ in 0..200_000 {
            let length = next(19) as usize;
            let letters: &[u8] =
                [&b"0123456789"[..], b"01234567899.", b"0123456789.,", b"09.,-e/:"][next(4) as usize];
            let cell: Vec<u8> = (0..length).map(|_| letters[next(letters.len() as u64) as usize]).collect();
            let start = next(12) as usize;
            let mut text = b"\"0123456789\""[..start].to_vec();
            text.extend_from_slice(&cell);
            text.extend_from_slice(b"\",\"7.5\"");
            let filled = text.len();
            text.resize(filled + PADDING, 0);
            let block = Padded::new(&text, filled);
            for decimal in [Decimal::Point, Decimal::Comma] {
                let (found, expected) =
                    (read_at(block, start, start + length, decimal), read(&cell, decimal));
                assert_eq!(found, expected, "{}", String::from_utf8_lossy(&cell));
                if let Some(number) = short(block, start, start + length, decimal) {
                    let standard = String::from_utf8(cell.clone()).unwrap().replace(',', ".");
                    assert_eq!(number, standard.parse::<f64>().unwrap(), "{standard}");
                }
            }
        }
    }

    /// Every short decimal, against the standard library.
    #[test]
    fn plain_numbers_are_the_nearest_floats() {
        let mut state = 1_u64;
        for _ in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (whole, fraction) = (state >> 30, (state >> 7) % 1_000_000);
            let digits = (state % 7) as usize;
            let text = format!("{whole}.{:01$}", fraction % 10_u64.pow(digits as u32).max(1), digits.max(1));
            assert_eq!(read(text.as_bytes(), Decimal::Point), Cell::Number(text.parse().unwrap()), "{text}");
            let comma = text.replace('.', ",");
            assert_eq!(read(comma.as_bytes(), Decimal::Comma), Cell::Number(text.parse().unwrap()), "{text}");
        }
    }
}
