//! Links the program with packed relative relocations where the system can load them.
//!
//! Tables of texts and functions hold some 30 000 addresses, and each takes 24 bytes in the usual list of what to add
//! the place of the program to: pages that every start reads and nobody needs afterwards. Packed (`DT_RELR`), the list
//! is two hundred times shorter. Loading it needs glibc 2.36, which a program says of itself by requiring the version
//! `GLIBC_ABI_DT_RELR`; so it is done if the program is built for the machine it is built on, and that has it.

use std::env;
use std::process::Command;

/// The first glibc that loads packed relocations.
const NEEDED: (u32, u32) = (2, 36);

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let variable = |name: &str| env::var(name).unwrap_or_default();
    let is_glibc = variable("CARGO_CFG_TARGET_OS") == "linux" && variable("CARGO_CFG_TARGET_ENV") == "gnu";
    if is_glibc && variable("HOST") == variable("TARGET") && glibc().is_some_and(|version| version >= NEEDED)
    {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// The version of this machine's glibc, as `getconf` writes it: `glibc 2.36`.
fn glibc() -> Option<(u32, u32)> {
    let output = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (major, minor) = text.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.split('.').next()?.parse().ok()?))
}
