//! Quantities inside sentences. Tables leave this to the presenter; claims are sentences.

use eaves_model::Ns;

/// A duration with three significant digits or so, such as `12.3 ms`.
pub(crate) fn duration(time: Ns) -> String {
    let nanoseconds = time.as_f64();
    let (value, unit) = match nanoseconds.abs() {
        size if size >= 1e9 => (nanoseconds / 1e9, "s"),
        size if size >= 1e6 => (nanoseconds / 1e6, "ms"),
        size if size >= 1e3 => (nanoseconds / 1e3, "µs"),
        _ => return format!("{} ns", time.0),
    };
    let decimals = if value.abs() >= 100.0 { 0 } else { 1 };
    format!("{value:.decimals$} {unit}")
}

/// A size in binary units, such as `1.5 MiB`.
pub(crate) fn size(bytes: i64) -> String {
    let mut number = bytes as f64;
    if number.abs() < 1024.0 {
        return format!("{bytes} B");
    }
    let mut units = ["KiB", "MiB", "GiB"].iter();
    loop {
        number /= 1024.0;
        match units.next() {
            Some(unit) if number.abs() < 1024.0 => return format!("{number:.1} {unit}"),
            Some(_) => {}
            None => return format!("{number:.1} TiB"),
        }
    }
}

/// A share of a whole, such as `12.3%`.
pub(crate) fn percent(part: Ns, whole: Ns) -> String {
    format!("{:.1}%", percentage(part, whole))
}

/// A share of a whole in percent; of nothing, nothing.
pub(crate) fn percentage(part: Ns, whole: Ns) -> f64 {
    if whole == Ns::ZERO { 0.0 } else { 100.0 * part.as_f64() / whole.as_f64() }
}

/// A size in binary units, such as `1.5 GiB`.
pub(crate) fn bytes(size: i64) -> String {
    let bytes = size as f64;
    let (value, unit) = match bytes.abs() {
        size if size >= 1_073_741_824.0 => (bytes / 1_073_741_824.0, "GiB"),
        size if size >= 1_048_576.0 => (bytes / 1_048_576.0, "MiB"),
        size if size >= 1_024.0 => (bytes / 1_024.0, "KiB"),
        _ => return format!("{size} B"),
    };
    format!("{value:.1} {unit}")
}

/// A kernel name that fits a sentence: template arguments can be a thousand letters long.
pub(crate) fn shortened(name: &str) -> String {
    const LETTERS: usize = 80;
    match name.char_indices().nth(LETTERS) {
        Some((end, _)) => format!("{}...", &name[..end]),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_well() {
        let texts = [0, 999, 1_500, 12_345_678, 123_456_789, 2_000_000_000].map(|time| duration(Ns(time)));
        assert_eq!(texts, ["0 ns", "999 ns", "1.5 µs", "12.3 ms", "123 ms", "2.0 s"]);
        let sizes = [0, 1023, 1536, 25 << 20, 80 << 30, 3 << 40].map(size);
        assert_eq!(sizes, ["0 B", "1023 B", "1.5 KiB", "25.0 MiB", "80.0 GiB", "3.0 TiB"]);
        assert_eq!(percent(Ns(1), Ns(8)), "12.5%");
        assert_eq!(percent(Ns(1), Ns(0)), "0.0%");
    }

    #[test]
    fn long_names_are_cut_between_letters() {
        assert_eq!(shortened("gemm"), "gemm");
        assert_eq!(shortened(&"µ".repeat(100)), format!("{}...", "µ".repeat(80)));
    }
}
