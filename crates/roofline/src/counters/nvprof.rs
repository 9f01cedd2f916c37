//! NVIDIA up to Volta: metrics of nvprof.
//!
//! Sources: "Profiler User's Guide", metrics reference; NERSC's roofline method for nvprof (Yang, Gayatri, Kurth et al.,
//! "An empirical roofline methodology for quantitatively assessing performance portability", P3HPC 2018).

use super::{Convention, Done, Missing, all, level};
use crate::{Arithmetic, Engine};

/// Bytes of a transaction.
const TRANSACTION: f64 = 32.0;

/// The metrics of each type. `flop_count_sp` is `add + mul + 2 * fma`; special functions have their own metric.
const OPERATIONS: [(&str, Arithmetic, &str); 3] = [
    ("dp", Arithmetic::Fp64, "fp64 vector operations"),
    ("sp", Arithmetic::Fp32, "fp32 vector operations"),
    ("hp", Arithmetic::Fp16, "fp16 vector operations"),
];

/// Metrics whose sum is what passed a level.
const LEVELS: [(&str, &str, &[&str]); 3] = [
    (level::MAIN, "main memory bytes", &["dram_read_transactions", "dram_write_transactions"]),
    (level::L2, "bytes of L2", &["l2_read_transactions", "l2_write_transactions"]),
    (
        level::L1,
        "bytes of L1",
        &[
            "gld_transactions",
            "gst_transactions",
            "local_load_transactions",
            "local_store_transactions",
            "atomic_transactions",
            "shared_load_transactions",
            "shared_store_transactions",
        ],
    ),
];

/// Work of a launch; `None` if it has no nvprof counters.
pub fn done(lookup: &dyn Fn(&str) -> Option<f64>) -> Done {
    let mut done = Done::default();
    for (suffix, arithmetic, what) in OPERATIONS {
        let name = format!("flop_count_{suffix}");
        let parts = ["add", "mul", "fma"].map(|kind| lookup(&format!("{name}_{kind}")));
        let summed = || all(parts).map(|[add, multiply, fused]| add + multiply + 2.0 * fused);
        match lookup(&name).or_else(summed) {
            Some(count) => {
                done.count(arithmetic, Engine::Vector, count);
                done.note(Convention::SpecialsExcluded);
            }
            None => miss(&mut done, what, vec![name]),
        }
    }
    for (id, what, names) in LEVELS {
        let values: Vec<f64> = names.iter().filter_map(|name| lookup(name)).collect();
        if values.len() == names.len() {
            done.bytes.push((id, TRANSACTION * values.iter().sum::<f64>()));
        } else {
            let absent = names.iter().filter(|name| lookup(name).is_none());
            miss(&mut done, what, absent.map(|name| (*name).to_owned()).collect());
        }
    }
    done
}

fn miss(done: &mut Done, what: &'static str, counters: Vec<String>) {
    let how = format!("`nvprof --csv --metrics {}`", counters.join(","));
    done.missing.push(Missing { what, counters, how });
}
