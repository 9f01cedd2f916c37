//! What differs between systems: one module for each.

#[cfg(unix)]
mod here {
    use std::fs::File;
    use std::io;
    use std::os::unix::fs::{FileExt, PermissionsExt};
    use std::path::Path;

    /// Reads from an offset; where the file is read next stays as it is.
    pub(crate) fn positioned_read(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        file.read_at(buffer, offset)
    }

    /// True for a file that may be run.
    pub(crate) fn is_executable(program: &Path) -> bool {
        program.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    }
}

#[cfg(windows)]
mod here {
    use std::fs::File;
    use std::io;
    use std::os::windows::fs::FileExt;
    use std::path::Path;

    /// Reads from an offset.
    pub(crate) fn positioned_read(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        file.seek_read(buffer, offset)
    }

    /// True for a file; whether it may be run, its name says.
    pub(crate) fn is_executable(program: &Path) -> bool {
        program.is_file()
    }
}

pub(crate) use here::{is_executable, positioned_read};
