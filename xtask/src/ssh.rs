//! A daemon of SSH: the page is tried through a tunnel.

use std::path::Path;

use anyhow::Result;

use crate::apt;

/// Whether this machine has one.
pub(crate) fn is_installed() -> bool {
    Path::new("/usr/sbin/sshd").exists()
}

/// Installs one for the whole system, which needs to be allowed.
pub(crate) fn install() -> Result<()> {
    apt::install(&["openssh-server", "openssh-client"], "a few MB")
}
