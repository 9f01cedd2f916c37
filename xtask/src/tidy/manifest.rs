//! The few things tidy has to know of a `Cargo.toml`, which does not take a parser of TOML.

/// An entry of a section with its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry<'a> {
    pub(super) line: usize,
    pub(super) key: &'a str,
    pub(super) value: &'a str,
}

/// Entries of one section, keys without what follows a dot (`anyhow.workspace`).
pub(super) fn section<'a>(manifest: &'a str, name: &str) -> Vec<Entry<'a>> {
    let header = format!("[{name}]");
    let table = format!("[{name}.");
    let mut entries = Vec::new();
    let mut inside = false;
    for (index, line) in manifest.lines().enumerate() {
        let (line_number, line) = (index + 1, line.trim());
        if line.starts_with('[') {
            inside = line == header;
            // `[dependencies.anyhow]` is an entry too.
            if let Some(key) = line.strip_prefix(&table).and_then(|rest| rest.strip_suffix(']')) {
                entries.push(Entry { line: line_number, key, value: "" });
            }
        } else if inside
            && !line.starts_with('#')
            && let Some((key, value)) = line.split_once('=')
        {
            let key = key.trim().split('.').next().unwrap_or_default();
            entries.push(Entry { line: line_number, key, value: value.trim() });
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_told_apart() {
        let manifest = "[package]\nname = \"x\"\n\n[dependencies]\n# why\nanyhow.workspace = true\nlibc = \"0.2\"\n[dependencies.csv]\nversion = \"1\"\n[dev-dependencies]\nproptest = \"1\"\n";
        let keys =
            |name| section(manifest, name).iter().map(|entry| (entry.line, entry.key)).collect::<Vec<_>>();
        assert_eq!(keys("dependencies"), [(6, "anyhow"), (7, "libc"), (8, "csv")]);
        assert_eq!(keys("dev-dependencies"), [(11, "proptest")]);
        assert_eq!(section(manifest, "package")[0].value, "\"x\"");
    }
}
