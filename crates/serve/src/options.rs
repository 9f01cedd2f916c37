//! How the server runs.

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use eaves_app::npu_config;

/// Bytes that may be uploaded at once by default.
pub const UPLOAD_LIMIT: u64 = 1 << 30;

/// The file of formulas if nobody names one.
const OPS: &str = "ops.rhai";

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
    /// The device that runs are compared with, in place of the one they were recorded on.
    pub device: Option<String>,
    /// The configuration of the roofline view; by default `roofline_config.json` in the current folder.
    pub config: Option<PathBuf>,
    /// Formulas of the user, for every run; by default `ops.rhai` in the current folder, for measurements.
    pub ops: Option<PathBuf>,
}

impl Options {
    /// Where the configuration is, if it is there.
    pub(crate) fn config_path(&self) -> &Path {
        self.config.as_deref().unwrap_or(Path::new(npu_config::NAME))
    }

    /// Where the formulas are, if they are there.
    pub(crate) fn ops_path(&self) -> &Path {
        self.ops.as_deref().unwrap_or(Path::new(OPS))
    }
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
            device: None,
            config: None,
            ops: None,
        }
    }
}
