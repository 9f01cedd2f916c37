//! Archives in the ustar format of POSIX: the same files give the same bytes, which the `tar` of no two systems does.

use std::io::Write;

use anyhow::{Result, ensure};

const BLOCK: usize = 512;

/// An archive in the making.
#[derive(Debug)]
pub(super) struct Archive<W> {
    out: W,
    /// Seconds since 1970 that all files were changed at.
    time: u64,
}

impl<W: Write> Archive<W> {
    pub(super) fn new(out: W, time: u64) -> Self {
        Self { out, time }
    }

    /// Adds a file.
    pub(super) fn add(&mut self, path: &str, content: &[u8], is_program: bool) -> Result<()> {
        ensure!(path.len() <= 100, "`{path}` is longer than the 100 bytes of a ustar name");
        let mut header = [0; BLOCK];
        let mut put = |at: usize, bytes: &[u8]| header[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, path.as_bytes());
        put(100, if is_program { b"0000755\0" } else { b"0000644\0" });
        put(108, b"0000000\0");
        put(116, b"0000000\0");
        put(124, format!("{:011o}\0", content.len()).as_bytes());
        put(136, format!("{:011o}\0", self.time).as_bytes());
        // The sum of the header counts its own field as spaces.
        put(148, b"        ");
        put(156, b"0");
        put(257, b"ustar\x0000");
        let sum: u32 = header.iter().copied().map(u32::from).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        self.out.write_all(&header)?;
        self.out.write_all(content)?;
        let rest = content.len().next_multiple_of(BLOCK) - content.len();
        Ok(self.out.write_all(&[0; BLOCK][..rest])?)
    }

    /// Ends the archive with two empty blocks.
    pub(super) fn finish(mut self) -> Result<W> {
        self.out.write_all(&[0; 2 * BLOCK])?;
        Ok(self.out)
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    fn archive() -> Vec<u8> {
        let mut archive = Archive::new(Vec::new(), 86400);
        archive.add("eaves/README.md", b"Hello\n", false).unwrap();
        archive.add("eaves/eaves", &[7; 513], true).unwrap();
        archive.finish().unwrap()
    }

    #[test]
    fn blocks_are_full() {
        // Header and content of one block; header and content of two; the end.
        assert_eq!(archive().len(), (1 + 1 + 1 + 2 + 2) * BLOCK);
        assert!(Archive::new(Vec::new(), 0).add(&"x".repeat(101), b"", false).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn tar_reads_it() {
        let mut tar = Command::new("tar");
        tar.args(["-tvf", "-"]).env("TZ", "UTC").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = tar.spawn().unwrap();
        child.stdin.take().unwrap().write_all(&archive()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        let list = String::from_utf8(output.stdout).unwrap();
        let lines: Vec<&str> = list.lines().collect();
        assert!(lines[0].starts_with("-rw-r--r--") && lines[0].ends_with(" eaves/README.md"), "{list}");
        assert!(lines[1].starts_with("-rwxr-xr-x") && lines[1].ends_with(" eaves/eaves"), "{list}");
        assert!(lines[1].contains(" 513 ") && lines[1].contains("1970"), "{list}");
    }
}
