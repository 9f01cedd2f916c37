//! From what hardware counters say to what is compared with a roof.

use eaves_roofline::counters::{Done, Operations, level, recipe};
use eaves_roofline::{Counts, Device};

use super::Load;

/// What one launch did as a load on a device.
///
/// A kernel that computes in several types is compared with the ceiling that its operations of one type would keep busy
/// the longest; the amount of arithmetic is that of this type alone, for operations of others are not part of what that
/// ceiling counts. Types that the device has no peak for come last.
///
/// # Errors
/// If the counters say neither operations nor bytes, with what to record.
pub fn counted_load(done: &Done, device: &Device, architecture: &str) -> Result<Load, String> {
    if done.is_empty() {
        let recipe = recipe(architecture);
        return Err(format!("its counters give neither operations nor bytes; record {recipe}"));
    }
    let chosen = longest(done, device);
    // Zeros of some types, with others not counted and no bytes, hold against nothing.
    if chosen.is_none() && done.bytes.is_empty() && lacks_operations(done) {
        let recipe = recipe(architecture);
        return Err(format!("its counters give neither bytes nor all operations; record {recipe}"));
    }
    let flops = chosen.map_or(0.0, |one| one.count);
    let main = done.bytes_at(level::MAIN);
    Ok(Load {
        flops,
        // That nothing was computed is known only if everything was counted.
        operations_unknown: chosen.is_none() && (done.operations.is_empty() || lacks_operations(done)),
        moves_alone: chosen.is_none() && !done.operations.is_empty(),
        macs: flops / 2.0,
        bytes: main.unwrap_or(0.0),
        bytes_unknown: true,
        measured_bytes: main,
        levels: done
            .bytes
            .iter()
            .filter(|(id, _)| *id != level::MAIN)
            .map(|&(id, bytes)| (id.to_owned(), bytes))
            .collect(),
        arithmetic: chosen.map(|one| one.arithmetic),
        engine: chosen.map_or(eaves_roofline::Engine::Vector, |one| one.engine),
        ..Load::default()
    })
}

/// The operations of the type that takes the longest at the device's peaks.
fn longest(done: &Done, device: &Device) -> Option<Operations> {
    let seconds = |one: &Operations| {
        let peak = device.peak(one.arithmetic, one.engine)?;
        let amount = match peak.counts {
            Counts::Operations => one.count,
            Counts::Macs => one.count / 2.0,
        };
        Some(amount / peak.dense.value)
    };
    let used = done.operations.iter().filter(|one| one.count > 0.0).copied();
    used.max_by(|a, b| {
        let (first, second) = (seconds(a), seconds(b));
        let known = first.is_some().cmp(&second.is_some());
        known.then(first.unwrap_or(0.0).total_cmp(&second.unwrap_or(0.0))).then(a.count.total_cmp(&b.count))
    })
}

fn lacks_operations(done: &Done) -> bool {
    done.missing.iter().any(|missing| missing.what.ends_with("operations"))
}

/// Everything that the counters say, for people who look closer: all types of operations, how they are counted, and what
/// is missing.
pub fn described(done: &Done) -> String {
    let mut parts: Vec<String> = Vec::new();
    let operations = done.operations.iter().filter(|one| one.count > 0.0);
    let operations: Vec<String> =
        operations.map(|one| format!("{} {} {}", one.arithmetic, one.engine, amount(one.count))).collect();
    match (operations.is_empty(), done.operations.is_empty()) {
        (false, _) => parts.push(format!("operations: {}", operations.join(", "))),
        (true, false) if !lacks_operations(done) => parts.push("no operations".to_owned()),
        _ => {}
    }
    if let Some(integers) = done.vector_integers.filter(|integers| *integers > 0.0) {
        parts.push(format!("integer operations of vector units: {}", amount(integers)));
    }
    parts.extend(done.conventions.iter().map(|convention| convention.text().to_owned()));
    parts.extend(
        done.missing.iter().map(|missing| format!("{}: not counted, record {}", missing.what, missing.how)),
    );
    parts.join("; ")
}

/// A count that may be large: whole below a million.
fn amount(count: f64) -> String {
    if count < 1e6 { format!("{count:.0}") } else { format!("{count:.4e}") }
}
