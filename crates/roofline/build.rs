//! Lists the files of `devices/`, so that the folder is the catalog.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=devices");
    let folder = Path::new(&variable("CARGO_MANIFEST_DIR")?).join("devices");
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    files.sort();
    let mut list = String::from("&[\n");
    for path in files {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        list.push_str(&format!("    ({name:?}, include_str!({:?})),\n", path.to_string_lossy()));
    }
    list.push_str("]\n");
    fs::write(Path::new(&variable("OUT_DIR")?).join("devices.rs"), list)
}

fn variable(name: &str) -> io::Result<String> {
    env::var(name).map_err(io::Error::other)
}
