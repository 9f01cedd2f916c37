//! Which column of a kernel table says what, and which say nothing that is known.

use eaves_model::suggestion::slip_of;

use super::fields::UNITS;
use super::nsight::Metrics;

pub(super) const NAME: [&str; 4] = ["name", "kernel", "kernel_name", "label"];
pub(super) const BYTES: [&str; 2] = ["dram_bytes", "bytes"];
pub(super) const MEASURED_BYTES: [&str; 2] = ["measured_bytes", "hw_bytes"];
pub(super) const DTYPE: [&str; 4] = ["dtype_key", "dtype", "data_type", "precision"];
pub(super) const TYPE: [&str; 2] = ["type", "op"];
pub(super) const DEVICE: [&str; 2] = ["device", "gpu"];
pub(super) const TIME: &str = "time";

const OPERATIONS: [&str; 2] = ["flops", "macs"];

/// Names that people give to a time.
const TIMES: [&str; 6] = ["time", "duration", "dur", "latency", "elapsed", "runtime"];

/// The header of a table.
pub(super) struct Columns {
    pub(super) names: Vec<String>,
    /// Columns of Nsight Compute or nvprof, if there are any.
    pub(super) metrics: Option<Metrics>,
}

impl Columns {
    pub(super) fn new(names: Vec<String>) -> Self {
        let metrics = Metrics::of(&names);
        Self { names, metrics }
    }

    fn has(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.names.iter().any(|column| column == name))
    }

    /// True with enough to make something of: amounts, or times with names.
    pub(super) fn are_enough(&self) -> bool {
        let metrics = self.metrics.as_ref();
        metrics.is_some_and(Metrics::are_enough)
            || self.has(&OPERATIONS)
            || self.has(&BYTES)
            || (self.has(&times()) && self.has(&NAME))
    }

    /// What is wrong with names: those that look like one that is missing, and, where something is missing, all that say
    /// nothing. Other columns are the user's own and are kept.
    pub(super) fn oddities(&self) -> Vec<String> {
        if let Some(metrics) = &self.metrics {
            return metrics.assumption().into_iter().collect();
        }
        let times = times();
        let amounts: [&[&str]; 3] = [&OPERATIONS, &BYTES, &times];
        let others: [&[&str]; 2] = [&NAME, &DTYPE];
        let rest: [&[&str]; 4] = [&MEASURED_BYTES, &TYPE, &DEVICE, &["calls"]];
        let known: Vec<&str> =
            amounts.iter().chain(&others).chain(&rest).flat_map(|names| names.iter().copied()).collect();
        let is_missing = |names: &&&[&str]| !self.has(names);
        let missing: Vec<&str> = amounts
            .iter()
            .chain(&others)
            .filter(is_missing)
            .flat_map(|names| names.iter().copied())
            .collect();
        let lacks_amounts = amounts.iter().any(|names| !self.has(names));
        let unknown =
            self.names.iter().filter(|column| !column.is_empty() && !known.contains(&column.as_str()));
        unknown
            .filter_map(|column| {
                if !self.has(&times) && TIMES.contains(&column.to_ascii_lowercase().as_str()) {
                    return Some(format!("column `{column}` has no unit; did you mean `time_ms`?"));
                }
                let in_lowercase = known.iter().find(|name| name.eq_ignore_ascii_case(column)).copied();
                match in_lowercase.or_else(|| slip_of(column, missing.iter().copied())) {
                    Some(similar) => Some(format!("unknown column `{column}`; did you mean `{similar}`?")),
                    None => lacks_amounts.then(|| format!("unknown column `{column}`")),
                }
            })
            .collect()
    }
}

/// Names of columns that say a time.
fn times() -> [&'static str; 4] {
    const NAMES: [&str; 4] = ["time_ns", "time_us", "time_ms", "time_s"];
    debug_assert!(NAMES.iter().zip(UNITS).all(|(name, (unit, _))| name.ends_with(unit)));
    NAMES
}

#[cfg(test)]
mod tests {
    use super::*;

    fn oddities(header: &str) -> Vec<String> {
        Columns::new(header.split(',').map(str::to_owned).collect()).oddities()
    }

    #[test]
    fn misspelt_columns_are_named() {
        assert_eq!(
            oddities("name,flps,dram_bytes,time_ms"),
            ["unknown column `flps`; did you mean `flops`?"]
        );
        assert_eq!(
            oddities("name,flops,dram_byte,duration"),
            [
                "unknown column `dram_byte`; did you mean `dram_bytes`?",
                "column `duration` has no unit; did you mean `time_ms`?"
            ]
        );
        assert_eq!(
            oddities("name,FLOPS,dram_bytes,time_ms"),
            ["unknown column `FLOPS`; did you mean `flops`?"]
        );
        assert_eq!(oddities("name,flops,time_ms,moved"), ["unknown column `moved`"]);
        assert_eq!(
            oddities("name,Type,flops,timestamp,dram_bytes,FLOPS/Byte"),
            [
                "unknown column `Type`; did you mean `type`?",
                "unknown column `timestamp`",
                "unknown column `FLOPS/Byte`"
            ]
        );
    }

    /// What is complete may have columns of the user's own.
    #[test]
    fn columns_of_the_user_are_no_oddity() {
        for header in [
            "name,flops,dram_bytes,time_ms,dtype_key,grid",
            "label,macs,bytes,time_us,bytes_read",
            "name,flops",
        ] {
            assert_eq!(oddities(header), [""; 0], "{header}");
        }
    }
}
