//! Devices: the catalog against published figures, and files of every form.

mod catalogue;
mod detect;
mod files;
mod lookup;
mod published;

use eaves_testing::data;

/// Equal but for the rounding of one multiplication.
fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= expected.abs() * 1e-12
}
