//! How the server runs.

use std::net::IpAddr;
use std::path::PathBuf;

/// Bytes that may be uploaded at once if nobody says.
pub const UPLOAD_LIMIT: u64 = 1 << 30;

/// How the server runs.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where it listens.
    pub host: IpAddr,
    /// The port; 0 for any that is free.
    pub port: u16,
    /// What clients must know. Without one the server listens to this machine only.
    pub token: Option<String>,
    /// Other names that this machine is called by.
    pub host_names: Vec<String>,
    /// Bytes that runs may take in memory.
    pub memory: u64,
    /// Bytes of an upload, packed and unpacked to four times as much.
    pub upload_limit: u64,
    /// Clients may open any path.
    pub anywhere: bool,
    /// The folders below which clients may open paths.
    pub folders: Vec<PathBuf>,
    /// The configuration of the roofline view.
    pub config: PathBuf,
    /// Formulas of the user.
    pub ops: PathBuf,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            host: IpAddr::from([127, 0, 0, 1]),
            port: 6970,
            token: None,
            host_names: Vec::new(),
            memory: 4_000_000_000,
            upload_limit: UPLOAD_LIMIT,
            anywhere: false,
            folders: vec![PathBuf::from(".")],
            config: PathBuf::from("roofline_config.json"),
            ops: PathBuf::from("ops.rhai"),
        }
    }
}
