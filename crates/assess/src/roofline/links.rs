//! Which link an event means, and what of its wire rate the packets leave for data.

use eaves_roofline::device::{Device, Link};

/// Words that say how a figure counts, not which link it is of.
const NOISE: [&str; 9] = ["per", "link", "dir", "direction", "uni", "unidirectional", "each", "one", "1"];

/// The link that events call by this name: the one of the same name or alias, else the only one whose words contain
/// those of the name or are contained in them. Case, punctuation and words like `per-link` do not matter.
///
/// # Errors
/// If there is none, or several could be meant.
pub(super) fn link<'a>(device: &'a Device, name: &str) -> Result<&'a Link, String> {
    let asked = words(name);
    if asked.is_empty() {
        return Err("no link named".to_owned());
    }
    let names = |link: &'a Link| std::iter::once(&link.name).chain(&link.aliases).map(|name| words(name));
    let same = |link: &&'a Link| names(link).any(|words| words == asked);
    let near = |link: &&'a Link| names(link).any(|words| within(&asked, &words) || within(&words, &asked));
    for fits in [&same as &dyn Fn(&&'a Link) -> bool, &near] {
        let found: Vec<&Link> = device.links.iter().filter(|link| fits(link)).collect();
        match found.as_slice() {
            [] => {}
            [link] => return Ok(link),
            several => {
                let names: Vec<&str> = several.iter().map(|link| link.name.as_str()).collect();
                return Err(format!("`{name}` may be {}", names.join(" or ")));
            }
        }
    }
    Err(format!("the device has no link `{name}`"))
}

fn words(name: &str) -> Vec<String> {
    let mut lower = name.to_lowercase();
    // `NV-Link 4` and `NVLink4` are the same.
    for apart in ["nv-link", "nv link"] {
        lower = lower.replace(apart, "nvlink");
    }
    for digit in '1'..='9' {
        lower = lower.replace(&format!("nvlink {digit}"), &format!("nvlink{digit}"));
    }
    let words = lower.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty() && !NOISE.contains(word)).map(str::to_owned).collect()
}

/// True if every word is among others, or begins one of them before its number: `nvlink` is in `nvlink4`.
fn within(some: &[String], others: &[String]) -> bool {
    let begins = |word: &str, other: &str| {
        other.strip_prefix(word).is_some_and(|rest| rest.chars().all(|letter| letter.is_ascii_digit()))
    };
    !some.is_empty() && some.iter().all(|word| others.iter().any(|other| begins(word, other)))
}

/// What packets leave of a wire's rate for data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Protocol {
    /// What sends so.
    pub(super) name: &'static str,
    /// Data of everything sent.
    pub(super) efficiency: f64,
}

/// What is known of packets, by the words of a link's name. Payloads are the largest usual ones, so that the roof is one.
///
/// - NVLink: up to 16 flits of data of 16 bytes behind one flit of header (Foley and Danskin, "Ultra-Performance Pascal
///   GPU and NVLink Interconnect", IEEE Micro 37(2), 2017; WikiChip, "NVLink"). Later generations are taken as alike.
/// - PCI Express 3 to 5: 256 bytes of payload, 24 around them (4 of framing and sequence, 16 of header with 64-bit
///   addresses, 4 of CRC; Intel, "PCI Express High Performance Reference Design", protocol overhead), and 128 bits in
///   130 (PCI Express Base Specification 5.0, section 4.2).
/// - PCI Express 6: 236 of the 256 bytes of a flit are for packets (PCI Express Base Specification 6.0, section 4.2.3),
///   of which 256 of payload need 16 of header.
/// - InfiniBand: 4096 bytes behind 8 of LRH, 12 of BTH and 6 of checksums (InfiniBand Architecture Specification 1.4).
/// - RoCE v2: 4096 bytes, and 82 of preamble, Ethernet, IP, UDP, BTH, checksums and the gap between packets
///   (RoCEv2 annex A17).
///
/// Infinity Fabric and others publish no packets, so there is no such roof.
pub(super) fn protocol(link: &Link) -> Option<Protocol> {
    let text: String =
        std::iter::once(&link.name).chain(&link.aliases).map(|name| name.to_lowercase() + " ").collect();
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let (name, efficiency) = if has(&["nvlink", "nvl-c2c"]) {
        ("NVLink, 256 B packets", 256.0 / (256.0 + 16.0))
    } else if has(&["pcie", "pci express"]) {
        if has(&["gen6", "gen 6", "pcie6", "6.0"]) {
            ("PCIe 6 flits", 236.0 / 256.0 * 256.0 / (256.0 + 16.0))
        } else {
            ("PCIe, 256 B payload", 128.0 / 130.0 * 256.0 / (256.0 + 24.0))
        }
    } else if has(&["infiniband", "ndr", "hdr", "xdr"]) {
        ("InfiniBand, 4 KiB MTU", 4096.0 / (4096.0 + 26.0))
    } else if has(&["roce", "ethernet"]) {
        ("RoCE v2, 4 KiB MTU", 4096.0 / (4096.0 + 82.0))
    } else {
        return None;
    };
    Some(Protocol { name, efficiency })
}

/// What NCCL's protocols leave of the bandwidth below them: LL sends a flag of 4 bytes with every 4 of data, LL128 one of
/// 8 with every 120, Simple none (NCCL, `src/include/device.h`: `ncclLLFifoLine`, `NCCL_LL128_LINESIZE`).
///
/// Only an input that says the protocol is believed. Names of NCCL's kernels have one too, but it is that of the function
/// the kernel was compiled for, not of what ran (NCCL issue 1246).
pub(super) fn nccl(protocol: &str) -> Option<Protocol> {
    let (name, efficiency) = match protocol.to_ascii_uppercase().as_str() {
        "LL" => ("NCCL LL", 0.5),
        "LL128" => ("NCCL LL128", 120.0 / 128.0),
        "SIMPLE" => ("NCCL Simple", 1.0),
        _ => return None,
    };
    Some(Protocol { name, efficiency })
}

#[cfg(test)]
mod tests {
    use eaves_roofline::device::{Confidence, Fact, Source};

    use super::*;

    fn device(names: &[&str]) -> Device {
        let source = Source { text: String::new(), confidence: Confidence::Low };
        let link = |name: &&str| Link {
            name: (*name).to_owned(),
            aliases: Vec::new(),
            kind: None,
            per_direction: Fact { value: 1e9, source: source.clone() },
            count: 1,
        };
        Device { links: names.iter().map(link).collect(), ..crate::roofline::tests::device() }
    }

    #[test]
    fn links_are_found_by_what_their_names_have_in_common() {
        let device = device(&["NVLink4 per-link", "PCIe Gen5 x16", "400G NIC (1 dir)"]);
        for (asked, found) in [
            ("NVLink4", "NVLink4 per-link"),
            ("nvlink", "NVLink4 per-link"),
            ("NV-Link 4", "NVLink4 per-link"),
            ("NVLink per link", "NVLink4 per-link"),
            ("PCIe", "PCIe Gen5 x16"),
            ("pcie_gen5", "PCIe Gen5 x16"),
            ("NIC", "400G NIC (1 dir)"),
            ("NVLink4 (uni-directional, per link)", "NVLink4 per-link"),
            ("NIC 400G mlx5", "400G NIC (1 dir)"),
        ] {
            assert_eq!(link(&device, asked).map(|link| link.name.as_str()), Ok(found), "{asked}");
        }
        for asked in ["xGMI", "", "per-link", "NVLink5"] {
            assert!(link(&device, asked).is_err(), "{asked}");
        }
    }

    #[test]
    fn what_may_be_two_links_is_neither() {
        let device = device(&["PCIe Gen4", "PCIe Gen5"]);
        assert_eq!(link(&device, "pcie").unwrap_err(), "`pcie` may be PCIe Gen4 or PCIe Gen5");
        assert_eq!(link(&device, "PCIe gen5").unwrap().name, "PCIe Gen5");
    }

    #[test]
    fn protocols_by_hand() {
        let of = |name: &str| protocol(&device(&[name]).links[0]).map(|protocol| protocol.efficiency);
        // The figure that Foley and Danskin give for reads of 256 bytes.
        assert!((of("NVLink4").unwrap() - 0.9412).abs() < 5e-5);
        assert!((of("PCIe Gen5 x16").unwrap() - 0.984_615_4 * 0.914_285_7).abs() < 1e-6);
        assert_eq!(of("xGMI"), None);
        assert_eq!(of("400G NIC (1 dir)"), None);
        let of = |name: &str| nccl(name).map(|protocol| protocol.efficiency);
        assert_eq!(
            (of("ll"), of("LL128"), of("Simple"), of("other")),
            (Some(0.5), Some(0.9375), Some(1.0), None)
        );
    }
}
