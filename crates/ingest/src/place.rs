//! Which files belong together, by where they are and how they are called.

/// Kinds that rocprofv3 puts behind the name of a run, and rocprof uses as a name: `1234_kernel_trace.csv`, `results.json`.
const BEHIND: [&str; 22] = [
    // tidy-alphabetical-start
    "agent_info",
    "async_copy_trace",
    "counter_collection",
    "hcc_ops_trace",
    "hip_api_trace",
    "hip_compiler_api_trace",
    "hip_runtime_api_trace",
    "hip_trace",
    "hsa_api_trace",
    "hsa_handles",
    "hsa_trace",
    "kernel_trace",
    "kfd_trace",
    "marker_api_trace",
    "memory_allocation_trace",
    "memory_copy_trace",
    "rccl_api_trace",
    "results",
    "rocdecode_api_trace",
    "rocjpeg_api_trace",
    "roctx_trace",
    "scratch_memory_trace",
    // tidy-alphabetical-end
];

/// Kinds that rocprofv2 puts before the name of a run: `results_1234.csv`.
const BEFORE: [&str; 6] =
    ["async_copy_trace", "hcc_ops_trace", "hip_api_trace", "hsa_api_trace", "results", "roctx_trace"];

/// Where a file belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The directory without `pmc_1` or `pass_1`.
    pub(crate) directory: String,
    /// The number of the pass, if the directory tells one.
    pub(crate) pass: Option<u64>,
    /// The name of the run: what is left of the file's name without its kind.
    pub(crate) run: String,
}

impl Place {
    /// The place of a path; a member of an archive stands behind `!`.
    pub(crate) fn of(path: &str) -> Self {
        let mut components: Vec<&str> = path.split(['/', '\\', '!']).collect();
        let name = components.pop().unwrap_or_default();
        let pass = components.iter().rev().find_map(|component| pass_of(component));
        components.retain(|component| pass_of(component).is_none());
        Self { directory: components.join("/"), pass, run: run_of(name) }
    }

    /// The name of the set: equal for the files of one run.
    pub(crate) fn set(&self) -> String {
        format!("{}/{}", self.directory, self.run)
    }
}

/// The name of the set that a file of a profiler belongs to, by its path: `d/pmc_2/77_counter_collection.csv` and
/// `d/77_kernel_trace.csv` are of one set, as are `results.csv`, `results.json` and `results.db`.
pub(crate) fn set_of(path: &str) -> String {
    Place::of(path).set()
}

/// The directory that a file is in, passes skipped.
pub(crate) fn directory_of(path: &str) -> String {
    Place::of(path).directory
}

/// `pmc_1`, `pass_12`.
fn pass_of(component: &str) -> Option<u64> {
    ["pmc_", "pass_"].iter().find_map(|prefix| component.strip_prefix(prefix))?.parse().ok()
}

fn run_of(name: &str) -> String {
    let packed = [".gz", ".zst"].iter().find_map(|ending| name.strip_suffix(ending));
    let name = packed.unwrap_or(name);
    let base = name.rsplit_once('.').map_or(name, |(base, _)| base);
    if BEHIND.contains(&base) {
        return String::new();
    }
    let behind = BEHIND.iter().find_map(|kind| base.strip_suffix(kind)?.strip_suffix('_'));
    let before = || BEFORE.iter().find_map(|kind| base.strip_prefix(kind)?.strip_prefix('_'));
    behind.or_else(before).unwrap_or(base).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_one_run_have_one_name() {
        assert!(BEHIND.is_sorted());
        for (set, paths) in [
            ("d/77", &["d/77_kernel_trace.csv", "d/pmc_1/77_counter_collection.csv", "d/77_results.db"][..]),
            ("d/", &["d/results.csv", "d/results.json.gz", "d/results.db", "d/hip_api_trace.txt"]),
            ("d/out", &["d/out.csv", "d/out.json", "d/out.db"]),
            ("d/9", &["d/results_9.csv", "d/pmc_2/hcc_ops_trace_9.csv"]),
            ("a.zip/h/9", &["a.zip!pass_1/h/9_kernel_trace.csv"]),
            ("/kernels", &["kernels.csv"]),
        ] {
            for path in paths {
                assert_eq!(set_of(path), set, "{path}");
            }
        }
        assert_eq!(Place::of("d/pmc_12/9_results.json").pass, Some(12));
        assert_eq!(Place::of("d/pmc_x/9_results.json").directory, "d/pmc_x");
    }
}
