//! Names as other recordings have them.

use super::super::amd::{copy_words, kernel_name};

/// A kernel's name without what says that it is a descriptor of code: `k [clone .kd]`, `k (.kd)`, `k.kd`.
pub(in super::super::super) fn kernel(name: &[u8]) -> &[u8] {
    let name = name.trim_ascii();
    let stripped = std::str::from_utf8(name).map_or(name, |name| kernel_name(name).as_bytes());
    if stripped.is_empty() { name } else { stripped }
}

/// Which way a copy went, in Kineto's words.
pub(in super::super::super) fn copy(direction: &[u8]) -> &'static str {
    std::str::from_utf8(direction).ok().and_then(copy_words).unwrap_or("Memcpy")
}

/// The wording of a copy by `hipMemcpyKind`.
pub(in super::super::super) fn copy_of_kind(kind: i64) -> Option<&'static str> {
    Some(match kind {
        0 => "Memcpy HtoH (Host -> Host)",
        1 => "Memcpy HtoD (Host -> Device)",
        2 => "Memcpy DtoH (Device -> Host)",
        3 => "Memcpy DtoD (Device -> Device)",
        _ => return None,
    })
}

/// Number of an agent: `4`, `Agent 4`.
pub(in super::super::super) fn agent(cell: &[u8]) -> Option<i64> {
    let digits = cell.iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |at| at + 1);
    super::cells::integer(cell.get(digits..)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_are_kernels() {
        assert_eq!(kernel(b"vector_add(float*, int) [clone .kd]"), b"vector_add(float*, int)");
        assert_eq!(kernel(b"vecCopy(double*, int) (.kd)"), b"vecCopy(double*, int)");
        assert_eq!(kernel(b"_Z3addv.kd"), b"_Z3addv");
        assert_eq!(kernel(b".kd"), b".kd");
        assert_eq!(kernel(b"plain"), b"plain");
    }

    #[test]
    fn copies_and_agents_are_understood() {
        assert_eq!(copy(b"MEMORY_COPY_HOST_TO_DEVICE"), "Memcpy HtoD (Host -> Device)");
        assert_eq!(copy(b"CopyDeviceToHost"), "Memcpy DtoH (Device -> Host)");
        assert_eq!(copy(b"async-copy"), "Memcpy");
        assert_eq!(
            [agent(b"Agent 4"), agent(b"12"), agent(b""), agent(b"GPU")],
            [Some(4), Some(12), None, None]
        );
    }
}
