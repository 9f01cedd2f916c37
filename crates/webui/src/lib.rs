//! The page, built from `ui/` by `cargo xtask ui`. It is committed, so building eaves does not require Node.

/// The program.
pub const SCRIPT: &str = include_str!("../dist/app.js");

/// The style sheet.
pub const STYLE: &str = include_str!("../dist/app.css");
