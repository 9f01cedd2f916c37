//! The devices that need no file. The folder `devices/` is the list.

use std::path::Path;
use std::sync::LazyLock;

use super::{Device, file};

/// Name and text of every file.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/devices.rs"));

static DEVICES: LazyLock<Vec<Device>> = LazyLock::new(|| {
    // That every file is read is a test; here a wrong one must not take the others with it.
    let read = |(name, text): &(&str, &str)| file::parse(text, Path::new(name)).unwrap_or_default();
    let mut devices: Vec<Device> = FILES.iter().flat_map(read).collect();
    devices.sort_by(|a, b| a.id.cmp(&b.id));
    devices
});

/// Every device of the catalog, in order of id.
pub fn catalogue() -> &'static [Device] {
    &DEVICES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_read() {
        let mut devices = 0;
        for (name, text) in FILES {
            devices += file::parse(text, Path::new(name)).unwrap_or_else(|error| panic!("{error}")).len();
        }
        assert_eq!(catalogue().len(), devices);
    }
}
