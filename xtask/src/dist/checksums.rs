//! SHA-256 of every file, as `sha256sum --check` reads it.

use std::path::Path;

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

/// The name of the list.
pub(super) const FILE: &str = "SHA256SUMS";

/// Writes the list for all files of a folder. The answer is how many there are.
pub(super) fn write(folder: &Path) -> Result<usize> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name != FILE {
            names.push(name);
        }
    }
    names.sort();
    let mut list = String::new();
    for name in &names {
        let content = std::fs::read(folder.join(name)).with_context(|| format!("cannot read {name}"))?;
        list.push_str(&line(name, &content));
    }
    std::fs::write(folder.join(FILE), list)?;
    Ok(names.len())
}

fn line(name: &str, content: &[u8]) -> String {
    let digits: String = Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{digits}  {name}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_standard() {
        // FIPS 180-4, example "abc".
        assert_eq!(
            line("a.txt", b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a.txt\n"
        );
    }

    #[test]
    fn every_file_but_the_list_is_in_it() {
        let folder = std::env::temp_dir().join(format!("eaves-checksums-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for name in ["b.whl", "a.tar.gz", FILE] {
            std::fs::write(folder.join(name), name).unwrap();
        }
        let count = write(&folder).unwrap();
        let list = std::fs::read_to_string(folder.join(FILE)).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(count, 2);
        let names: Vec<&str> = list.lines().filter_map(|line| line.split("  ").nth(1)).collect();
        assert_eq!(names, ["a.tar.gz", "b.whl"]);
    }
}
