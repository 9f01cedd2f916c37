//! Devices: the catalogue against published figures, and files of every form.

mod catalogue;
mod detect;
mod files;
mod lookup;
mod published;

use std::path::{Path, PathBuf};

/// A file or folder of the reference data beside the checkout, or nothing if it is not there.
fn data(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(name);
    if !path.exists() {
        println!("skipped: no reference data at {}", path.display());
        return None;
    }
    Some(path)
}

/// Equal but for the rounding of one multiplication.
fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= expected.abs() * 1e-12
}
