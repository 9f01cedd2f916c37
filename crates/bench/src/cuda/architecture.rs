//! Architectures of NVIDIA GPUs, as compilers name them.

use std::fmt;
use std::str::FromStr;

/// An architecture: `sm_89`, `sm_120a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Architecture {
    /// Major number of the compute capability.
    pub major: u32,
    /// Minor number of the compute capability.
    pub minor: u32,
    /// Whether instructions that no other architecture has are allowed: the `a` of `sm_90a`.
    pub specific: bool,
}

impl Architecture {
    /// What every kernel is compiled for in tests: A100, RTX 40, H100, B200, RTX 50.
    pub const CHECKED: [Self; 5] = [
        Self { major: 8, minor: 0, specific: false },
        Self { major: 8, minor: 9, specific: false },
        Self { major: 9, minor: 0, specific: true },
        Self { major: 10, minor: 0, specific: true },
        Self { major: 12, minor: 0, specific: true },
    ];

    /// That of a device with this compute capability, with all it has.
    pub fn of_device(major: u32, minor: u32) -> Self {
        Self { major, minor, specific: major >= 9 }
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { major, minor, specific } = self;
        write!(formatter, "sm_{major}{minor}{}", if *specific { "a" } else { "" })
    }
}

/// A text that names no architecture.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no architecture of NVIDIA; they are written sm_89, sm_90a, sm_120a")]
pub struct UnknownArchitecture(String);

impl FromStr for Architecture {
    type Err = UnknownArchitecture;

    fn from_str(text: &str) -> Result<Self, UnknownArchitecture> {
        let unknown = || UnknownArchitecture(text.to_owned());
        let number = text.strip_prefix("sm_").unwrap_or(text);
        let (number, specific) = match number.strip_suffix('a') {
            Some(number) => (number, true),
            None => (number, false),
        };
        let number: u32 = number.parse().map_err(|_| unknown())?;
        // The last digit is the minor number.
        if !(50..1000).contains(&number) {
            return Err(unknown());
        }
        Ok(Self { major: number / 10, minor: number % 10, specific })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        for name in ["sm_80", "sm_89", "sm_90", "sm_90a", "sm_100a", "sm_103a", "sm_120a", "sm_121a"] {
            assert_eq!(name.parse::<Architecture>().unwrap().to_string(), name);
        }
        assert_eq!("120a".parse(), Ok(Architecture::of_device(12, 0)));
        assert_eq!(Architecture::of_device(8, 6).to_string(), "sm_86");
        for text in ["", "sm_", "sm_a", "sm_9", "gfx942", "sm_90b", "sm_-90", "sm_99999999999"] {
            text.parse::<Architecture>().expect_err(text);
        }
    }
}
