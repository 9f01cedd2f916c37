//! The page, as `cargo xtask ui` builds it from `ui/`. It is committed, so that no build of eaves needs Node.

/// The program.
pub const SCRIPT: &str = include_str!("../dist/app.js");

/// The style sheet.
pub const STYLE: &str = include_str!("../dist/app.css");
