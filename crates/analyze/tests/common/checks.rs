//! What the comparisons with other tools share: how tables are read, times turned into theirs, checks counted.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use eaves_model::{Interval, Ns};

/// A row of a reference table by column name.
pub(crate) type CsvRow = HashMap<String, String>;

/// The rows of a reference table; nothing if the peer failed to make it, in which case there is no file.
pub(crate) fn read_csv(path: &Path) -> Option<Vec<CsvRow>> {
    let mut reader = csv::Reader::from_path(path).ok()?;
    READ.with_borrow_mut(|read| read.insert(path.to_owned()));
    Some(reader.deserialize().map(Result::unwrap).collect())
}

thread_local! {
    /// A test has its own thread.
    static READ: RefCell<BTreeSet<PathBuf>> = const { RefCell::new(BTreeSet::new()) };
}

/// The reference tables that this thread read.
pub(crate) fn files_read() -> BTreeSet<PathBuf> {
    READ.with_borrow(Clone::clone)
}

/// Counts comparisons, and keeps what differed.
#[derive(Default)]
pub(crate) struct Checks {
    counts: HashMap<&'static str, usize>,
    differences: Vec<String>,
}

impl Checks {
    /// Compares two numbers.
    pub(crate) fn near(&mut self, what: &'static str, place: &str, ours: f64, theirs: f64, tolerance: f64) {
        *self.counts.entry(what).or_default() += 1;
        // A NaN is near nothing.
        let near = (ours - theirs).abs() <= tolerance;
        if !near {
            self.differences.push(format!("{what} {place}: ours {ours}, theirs {theirs}"));
        }
    }

    /// Compares two texts.
    pub(crate) fn same(&mut self, what: &'static str, place: &str, ours: &str, theirs: &str) {
        *self.counts.entry(what).or_default() += 1;
        if ours != theirs {
            self.differences.push(format!("{what} {place}: ours {ours:?}, theirs {theirs:?}"));
        }
    }

    /// How often something was compared.
    pub(crate) fn count(&self, what: &str) -> usize {
        self.counts.get(what).copied().unwrap_or(0)
    }

    /// Fails if anything differed. Prints how much was compared.
    pub(crate) fn finish(&self) {
        let mut counts: Vec<_> = self.counts.iter().collect();
        counts.sort();
        println!("compared: {counts:?}");
        let shown: Vec<_> = self.differences.iter().take(40).collect();
        assert!(shown.is_empty(), "{} differences: {shown:#?}", self.differences.len());
    }
}

/// A time as the peers hold it: the microseconds of the file as the nearest float. Going through the decimal
/// text gives the float that a JSON reader gives; dividing would round twice.
pub(crate) fn microseconds(time: Ns) -> f64 {
    let (sign, size) = (if time.0 < 0 { "-" } else { "" }, time.0.unsigned_abs());
    if size < 1 << f64::MANTISSA_DIGITS {
        // Exact before the division, so the division rounds once too.
        return time.as_f64() / 1000.0;
    }
    format!("{sign}{}.{:03}", size / 1000, size % 1000).parse().unwrap()
}

/// One microsecond in the units in which the peers' floats are given to our functions, which count in
/// integers and do not care of what. Fine enough that nothing the floats hold is lost.
pub(crate) const UNITS: f64 = (1u64 << 30) as f64;

/// The peers' float microseconds as integer units.
pub(crate) fn units(microseconds: f64) -> Ns {
    Ns((microseconds * UNITS).round() as i64)
}

/// Units as microseconds.
pub(crate) fn in_microseconds(time: Ns) -> f64 {
    time.as_f64() / UNITS
}

/// The interval between two times in microseconds.
pub(crate) fn interval(start: f64, end: f64) -> Interval {
    Interval::new(units(start), units(end))
}
