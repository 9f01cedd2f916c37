//! The private directory that a daemon and its processes meet in, and what a program must know of it.

use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::plan::{Plan, Refused};
use crate::{system, torch};

/// The name that Kineto looks for.
pub(super) const SOCKET: &str = "dynolog";
/// The socket for orders.
pub(super) const CONTROL: &str = "control";
/// The file, among what is recorded, that says where the sockets are.
const ADDRESS: &str = "attach.address";
const CONFIG: &str = "kineto.conf";
const VARIABLE: &str = "KINETO_IPC_SOCKET_DIR";
/// What an address of a socket has room for, on the tightest of systems, less the names above and those that Kineto
/// gives its own.
const LONGEST: usize = 104 - 48;

/// Two directories: a private one for sockets, removed with this, and one for what is recorded.
#[derive(Debug)]
pub struct Place {
    /// For sockets: only we may enter.
    pub sockets: PathBuf,
    /// For what is recorded.
    pub directory: PathBuf,
}

impl Place {
    /// Makes both. The directory for what is recorded is absolute.
    pub fn new(directory: &Path) -> io::Result<Self> {
        fs::create_dir_all(directory)?;
        let sockets = private()?;
        let place = Self { sockets, directory: directory.to_owned() };
        // Asked once a second: its own five would make everybody wait.
        fs::write(
            place.sockets.join(CONFIG),
            "ENABLE_IPC_FABRIC=true\nON_DEMAND_CONFIG_UPDATE_INTERVAL_SECS=1\n",
        )?;
        fs::write(directory.join(ADDRESS), place.sockets.display().to_string())?;
        Ok(place)
    }

    /// The variables with which a program finds us.
    pub fn environment(&self) -> Vec<(&'static str, OsString)> {
        vec![
            ("EAVES_TORCH_ATTACH", self.sockets.clone().into()),
            ("KINETO_CONFIG", self.sockets.join(CONFIG).into()),
            (VARIABLE, self.sockets.clone().into()),
            ("KINETO_LOG_LEVEL", "99".into()),
            ("KINETO_ONDEMAND_TRACE_DIR", self.directory.clone().into()),
            ("KINETO_USE_DAEMON", "1".into()),
        ]
    }

    /// How a program is run so that it can be recorded at any time.
    ///
    /// # Errors
    ///
    /// If Python is started such that it would not hear of us.
    pub fn plan(&self, program: &[OsString]) -> Result<Plan, Refused> {
        torch::injected(self.environment(), &self.directory, program)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // What is left of it does no harm, and there is nobody to tell.
        drop(fs::remove_dir_all(&self.sockets));
        drop(fs::remove_file(self.directory.join(ADDRESS)));
    }
}

/// A new directory that only we may enter. The abstract sockets that Kineto uses otherwise are open to every user.
fn private() -> io::Result<PathBuf> {
    let fits = |path: &PathBuf| path.as_os_str().len() < LONGEST && path.is_dir();
    let base = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(fits);
    let base =
        base.unwrap_or_else(|| Some(std::env::temp_dir()).filter(fits).unwrap_or_else(|| "/tmp".into()));
    for number in 0..100 {
        let path = base.join(format!("eaves-attach-{}-{number}", std::process::id()));
        match DirBuilder::new().mode(0o700).create(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// The private directory of the daemon that records into a directory, or that a process of this number talks to.
pub fn find(of: &Path) -> Option<PathBuf> {
    if let Ok(text) = fs::read_to_string(of.join(ADDRESS)) {
        return Some(PathBuf::from(text)).filter(|path| path.join(CONTROL).exists());
    }
    let process: u32 = of.to_str()?.parse().ok()?;
    let environment = system::environment(process)?;
    let prefix = format!("{VARIABLE}=").into_bytes();
    let value =
        environment.split(|byte| *byte == 0).find_map(|entry| entry.strip_prefix(prefix.as_slice()))?;
    Some(PathBuf::from(OsString::from_vec(value.to_vec()))).filter(|path| path.join(CONTROL).exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_we_may_enter_and_nothing_is_left() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let place = Place::new(directory.path()).unwrap();
        let sockets = place.sockets.clone();
        assert_eq!(fs::metadata(&sockets).unwrap().permissions().mode() & 0o777, 0o700);
        assert!(sockets.as_os_str().len() < 104 - 40);
        assert_eq!(find(directory.path()), None, "there is no daemon yet");
        fs::write(sockets.join(CONTROL), "").unwrap();
        assert_eq!(find(directory.path()), Some(sockets.clone()));
        drop(place);
        assert!(!sockets.exists());
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}
