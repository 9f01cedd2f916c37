//! What inputs are read from.

use std::io::{self, Read};

/// Something that can be read from, from the start, and from elsewhere if its size is known.
pub(crate) trait Source: Sync {
    /// A reader from an offset on.
    fn open(&self, offset: u64) -> io::Result<Box<dyn Read + Send + '_>>;

    /// The size, if reading may start anywhere.
    fn size(&self) -> Option<u64>;

    /// About how many bytes will come, to make room for.
    fn expected(&self) -> u64 {
        self.size().unwrap_or(0)
    }

    /// A handle for reads at any place, if reading may start anywhere.
    fn positioned(&self) -> io::Result<Option<Box<dyn ReadAt + '_>>> {
        Ok(None)
    }

    /// The same for the file whose name is this one's with a suffix, if this is a file and there is such a file.
    fn beside(&self, _suffix: &str) -> io::Result<Option<Box<dyn ReadAt + '_>>> {
        Ok(None)
    }
}

/// Something that can be read at any place, by several threads at once.
pub(crate) trait ReadAt: Send + Sync {
    /// Reads at an offset, as much as there is room for: less only at the end.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;

    /// Number of bytes in all.
    fn size(&self) -> u64;
}

impl<T: AsRef<[u8]> + Send + Sync> ReadAt for T {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.as_ref();
        let rest = usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..)).unwrap_or_default();
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        Ok(length)
    }

    fn size(&self) -> u64 {
        self.as_ref().len() as u64
    }
}

impl Source for &[u8] {
    fn open(&self, offset: u64) -> io::Result<Box<dyn Read + Send + '_>> {
        let offset = usize::try_from(offset).unwrap_or(usize::MAX).min(self.len());
        Ok(Box::new(&self[offset..]))
    }

    fn size(&self) -> Option<u64> {
        Some(self.len() as u64)
    }

    fn positioned(&self) -> io::Result<Option<Box<dyn ReadAt + '_>>> {
        Ok(Some(Box::new(*self)))
    }
}
