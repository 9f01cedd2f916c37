//! Links the program so that few of its pages are loaded.
//!
//! Functions that common commands run are laid out side by side, in the order of `function_order.txt`, which
//! `cargo xtask order` records; linkers that know no such order do without.
//!
//! Relative relocations are packed where the system can load them.
//! Tables of texts and functions hold some 30 000 addresses, and each takes 24 bytes in the usual list of what to add
//! the place of the program to: pages that every start reads and nobody needs afterwards. Packed (`DT_RELR`), the list
//! is two hundred times shorter. Loading it needs glibc 2.36, which a program says of itself by requiring the version
//! `GLIBC_ABI_DT_RELR`; so it is done if the program is built for the machine it is built on, and that has it.

use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs};

/// Functions in the order they are laid out, of which the linker passes over those it does not know.
const ORDER: &str = "function_order.txt";
const UNKNOWN_NAMES: &str = "-Wl,--no-warn-symbol-ordering";

/// The first glibc that loads packed relocations.
const NEEDED: (u32, u32) = (2, 36);

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={ORDER}");
    let variable = |name: &str| env::var(name).unwrap_or_default();
    let is_glibc = variable("CARGO_CFG_TARGET_OS") == "linux" && variable("CARGO_CFG_TARGET_ENV") == "gnu";
    if is_glibc && variable("HOST") == variable("TARGET") && glibc().is_some_and(|version| version >= NEEDED)
    {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
    let order = Path::new(&variable("CARGO_MANIFEST_DIR")).join(ORDER);
    let arguments = [format!("-Wl,--symbol-ordering-file={}", order.display()), UNKNOWN_NAMES.to_owned()];
    if variable("PROFILE") == "release" && is_glibc && links_with(&arguments) {
        for argument in arguments {
            println!("cargo::rustc-link-arg-bins={argument}");
        }
    }
}

/// Whether the linker takes these arguments, tried on the smallest of programs.
fn links_with(arguments: &[String]) -> bool {
    let variable = |name: &str| env::var(name).unwrap_or_default();
    let folder = variable("OUT_DIR");
    let source = Path::new(&folder).join("smallest.rs");
    if fs::write(&source, "fn main() {}").is_err() {
        return false;
    }
    let linker = env::var("RUSTC_LINKER").ok().map(|linker| format!("-Clinker={linker}"));
    let flags = variable("CARGO_ENCODED_RUSTFLAGS");
    Command::new(variable("RUSTC"))
        .args(["--target", &variable("TARGET"), "--out-dir", &folder])
        .args(flags.split('\x1f').filter(|flag| !flag.is_empty()))
        .args(linker)
        .args(arguments.iter().map(|argument| format!("-Clink-arg={argument}")))
        .arg(&source)
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// The version of this machine's glibc, as `getconf` writes it: `glibc 2.36`.
fn glibc() -> Option<(u32, u32)> {
    let output = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (major, minor) = text.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.split('.').next()?.parse().ok()?))
}
