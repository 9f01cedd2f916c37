//! Counters for a purpose. What a device has not is skipped.

use super::catalogue::Architecture;

/// Counters that belong together.
#[derive(Debug)]
pub struct Set {
    /// The name on the command line.
    pub id: &'static str,
    /// What it is for, in a few words.
    pub about: &'static str,
    names: &'static [&'static str],
}

impl Set {
    /// Those that the device has, as sums over instances where there are such.
    pub fn counters(&self, architecture: &Architecture) -> Vec<&'static str> {
        self.names.iter().copied().filter(|name| architecture.counter(name).is_some()).collect()
    }
}

/// Every set.
pub const SETS: &[Set] = &[
    // tidy-alphabetical-start
    Set { id: "instructions", about: "instruction mix", names: INSTRUCTIONS },
    Set { id: "lds", about: "local memory: use, conflicts, waiting", names: LDS },
    Set { id: "memory", about: "caches and memory: requests, hits, bytes", names: MEMORY },
    Set { id: "occupancy", about: "occupancy", names: OCCUPANCY },
    Set { id: "roofline", about: "operations, and bytes at every memory level", names: ROOFLINE },
    // tidy-alphabetical-end
];

/// What the formulas of rocprof-compute for FLOPs and bytes are made of (`roofline_calc.py`), for MI200 and for MI300
/// and newer; for others the bytes of memory alone.
const ROOFLINE: &[&str] = &[
    "GRBM_GUI_ACTIVE",
    "GRBM_COUNT",
    "SQ_INSTS_VALU_ADD_F16",
    "SQ_INSTS_VALU_MUL_F16",
    "SQ_INSTS_VALU_FMA_F16",
    "SQ_INSTS_VALU_TRANS_F16",
    "SQ_INSTS_VALU_ADD_F32",
    "SQ_INSTS_VALU_MUL_F32",
    "SQ_INSTS_VALU_FMA_F32",
    "SQ_INSTS_VALU_TRANS_F32",
    "SQ_INSTS_VALU_ADD_F64",
    "SQ_INSTS_VALU_MUL_F64",
    "SQ_INSTS_VALU_FMA_F64",
    "SQ_INSTS_VALU_TRANS_F64",
    "SQ_INSTS_VALU_MFMA_MOPS_F16",
    "SQ_INSTS_VALU_MFMA_MOPS_BF16",
    "SQ_INSTS_VALU_MFMA_MOPS_F32",
    "SQ_INSTS_VALU_MFMA_MOPS_F64",
    "SQ_INSTS_VALU_MFMA_MOPS_F8",
    "SQ_INSTS_VALU_MFMA_MOPS_F6F4",
    "SQ_INSTS_VALU_MFMA_MOPS_I8",
    "SQ_LDS_IDX_ACTIVE",
    "SQ_LDS_BANK_CONFLICT",
    "TCP_TOTAL_CACHE_ACCESSES_sum",
    "TCP_TCC_READ_REQ_sum",
    "TCP_TCC_WRITE_REQ_sum",
    "TCP_TCC_ATOMIC_WITH_RET_REQ_sum",
    "TCP_TCC_ATOMIC_WITHOUT_RET_REQ_sum",
    "TCC_EA_RDREQ_sum",
    "TCC_EA_RDREQ_32B_sum",
    "TCC_EA_WRREQ_sum",
    "TCC_EA_WRREQ_64B_sum",
    "TCC_EA0_RDREQ_sum",
    "TCC_EA0_RDREQ_32B_sum",
    "TCC_BUBBLE_sum",
    "TCC_EA0_WRREQ_sum",
    "TCC_EA0_WRREQ_64B_sum",
    "GL2C_EA_RDREQ_32B_sum",
    "GL2C_EA_RDREQ_64B_sum",
    "GL2C_EA_RDREQ_96B_sum",
    "GL2C_EA_RDREQ_128B_sum",
    "GL2C_MC_WRREQ_sum",
    "GL2C_EA_WRREQ_sum",
    "GL2C_EA_WRREQ_64B_sum",
];

const MEMORY: &[&str] = &[
    "GRBM_GUI_ACTIVE",
    "TCC_HIT_sum",
    "TCC_MISS_sum",
    "TCC_READ_sum",
    "TCC_WRITE_sum",
    "TCC_ATOMIC_sum",
    "TCC_EA_RDREQ_sum",
    "TCC_EA_RDREQ_32B_sum",
    "TCC_EA_WRREQ_sum",
    "TCC_EA_WRREQ_64B_sum",
    "TCC_EA0_RDREQ_sum",
    "TCC_EA0_RDREQ_32B_sum",
    "TCC_BUBBLE_sum",
    "TCC_EA0_WRREQ_sum",
    "TCC_EA0_WRREQ_64B_sum",
    "TCP_TOTAL_CACHE_ACCESSES_sum",
    "TCP_TOTAL_READ_sum",
    "TCP_TOTAL_WRITE_sum",
    "TCP_TCC_READ_REQ_sum",
    "TCP_TCC_WRITE_REQ_sum",
    "TCP_PENDING_STALL_CYCLES_sum",
    "GL2C_HIT_sum",
    "GL2C_MISS_sum",
    "GL2C_EA_RDREQ_32B_sum",
    "GL2C_EA_RDREQ_64B_sum",
    "GL2C_EA_RDREQ_96B_sum",
    "GL2C_EA_RDREQ_128B_sum",
    "GL2C_EA_WRREQ_64B_sum",
];

const OCCUPANCY: &[&str] = &[
    "GRBM_GUI_ACTIVE",
    "GRBM_COUNT",
    "SQ_WAVES",
    "SQ_WAVE_CYCLES",
    "SQ_BUSY_CYCLES",
    "SQ_BUSY_CU_CYCLES",
    "SQ_WAIT_ANY",
    "SQ_WAIT_INST_ANY",
    "SQ_ACTIVE_INST_ANY",
];

const INSTRUCTIONS: &[&str] = &[
    "SQ_WAVES",
    "SQ_INSTS",
    "SQ_INSTS_VALU",
    "SQ_INSTS_SALU",
    "SQ_INSTS_SMEM",
    "SQ_INSTS_LDS",
    "SQ_INSTS_FLAT",
    "SQ_INSTS_VMEM",
    "SQ_INSTS_VMEM_RD",
    "SQ_INSTS_VMEM_WR",
    "SQ_INSTS_MFMA",
    "SQ_INSTS_BRANCH",
    "SQ_INSTS_TEX_LOAD",
    "SQ_INSTS_TEX_STORE",
];

const LDS: &[&str] = &[
    "GRBM_GUI_ACTIVE",
    "SQ_INSTS_LDS",
    "SQ_LDS_IDX_ACTIVE",
    "SQ_LDS_BANK_CONFLICT",
    "SQ_LDS_ADDR_CONFLICT",
    "SQ_LDS_UNALIGNED_STALL",
    "SQ_WAIT_INST_LDS",
    "SQC_LDS_IDX_ACTIVE",
    "SQC_LDS_BANK_CONFLICT",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counters::{Dialect, architecture, architectures, check, fit};

    #[test]
    fn every_set_has_counters_on_every_device_and_every_counter_a_device() {
        for set in SETS {
            for name in architectures() {
                let device = architecture(name).unwrap();
                let counters = set.counters(device);
                assert!(!counters.is_empty(), "{} {name}", set.id);
                let checked = check(device, &fit(device, &counters), Dialect::First);
                assert_eq!(checked.problems, [], "{} {name}", set.id);
            }
            for counter in set.names {
                let known = |name| architecture(name).is_some_and(|device| device.counter(counter).is_some());
                assert!(architectures().any(known), "{counter}");
            }
        }
        assert!(SETS.is_sorted_by(|a, b| a.id < b.id));
    }
}
