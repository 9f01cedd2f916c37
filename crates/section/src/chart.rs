//! Pictures of a section as data: what is drawn, and which tables hold it.

/// A picture that a section can be drawn as. Its fields name tables of the section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chart {
    /// The largest allocations of each device, one above the other over time.
    Allocations {
        /// Their lifetimes.
        allocations: &'static str,
        /// Where each lies over time.
        shown: &'static str,
        /// All others together over time.
        rest: &'static str,
        /// The call stacks that rows refer to.
        stacks: &'static str,
    },
    /// One bar per row, divided into computing, exposed communication, exposed memory activity and idle time.
    Breakdown {
        /// A row per bar.
        bars: &'static str,
    },
    /// Messages against the links of a device.
    Links {
        /// The messages.
        events: &'static str,
        /// The links.
        links: &'static str,
    },
    /// Bytes in use and reserved over time, one panel per device.
    MemoryOverTime {
        /// The levels.
        levels: &'static str,
    },
    /// Points below the ceilings of a device, on logarithmic axes.
    Roofline {
        /// The points.
        points: &'static str,
        /// The ceilings.
        ceilings: &'static str,
        /// What has no place for want of a formula.
        without_formula: &'static str,
    },
    /// Numbers over a parameter, one line per series.
    Sweep {
        /// The parameter in the first column, series and numbers in the others.
        values: &'static str,
        /// Whether the numbers were measured or predicted.
        is_measured: bool,
    },
    /// Predicted times against measured ones.
    Validation {
        /// A row per kernel.
        kernels: &'static str,
    },
}

impl Chart {
    /// Its stable name.
    pub fn id(self) -> &'static str {
        match self {
            Self::Allocations { .. } => "allocations",
            Self::Breakdown { .. } => "breakdown",
            Self::Links { .. } => "links",
            Self::MemoryOverTime { .. } => "memory-over-time",
            Self::Roofline { .. } => "roofline",
            Self::Sweep { is_measured: true, .. } => "measured-sweep",
            Self::Sweep { is_measured: false, .. } => "predicted-sweep",
            Self::Validation { .. } => "validation",
        }
    }

    /// The tables that it is drawn from, each with its part in the picture.
    pub fn tables(self) -> Vec<(&'static str, &'static str)> {
        match self {
            Self::Allocations { allocations, shown, rest, stacks } => {
                vec![("allocations", allocations), ("shown", shown), ("rest", rest), ("stacks", stacks)]
            }
            Self::Breakdown { bars } => vec![("bars", bars)],
            Self::Links { events, links } => vec![("events", events), ("links", links)],
            Self::MemoryOverTime { levels } => vec![("levels", levels)],
            Self::Roofline { points, ceilings, without_formula } => {
                vec![("points", points), ("ceilings", ceilings), ("without_formula", without_formula)]
            }
            Self::Sweep { values, .. } => vec![("values", values)],
            Self::Validation { kernels } => vec![("kernels", kernels)],
        }
    }

    /// The chart of a name, whose tables are found by their part.
    pub fn from_tables(id: &str, table: impl Fn(&str) -> Option<&'static str>) -> Option<Self> {
        Some(match id {
            "allocations" => Self::Allocations {
                allocations: table("allocations")?,
                shown: table("shown")?,
                rest: table("rest")?,
                stacks: table("stacks")?,
            },
            "breakdown" => Self::Breakdown { bars: table("bars")? },
            "links" => Self::Links { events: table("events")?, links: table("links")? },
            "memory-over-time" => Self::MemoryOverTime { levels: table("levels")? },
            "roofline" => Self::Roofline {
                points: table("points")?,
                ceilings: table("ceilings")?,
                without_formula: table("without_formula")?,
            },
            "measured-sweep" => Self::Sweep { values: table("values")?, is_measured: true },
            "predicted-sweep" => Self::Sweep { values: table("values")?, is_measured: false },
            "validation" => Self::Validation { kernels: table("kernels")? },
            _ => return None,
        })
    }

    /// True if its tables have a row per moment, which people see as a picture or not at all.
    pub fn replaces_rows(self) -> bool {
        matches!(self, Self::Allocations { .. } | Self::MemoryOverTime { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_tables_make_the_same_chart() {
        let charts = [
            Chart::Allocations { allocations: "a", shown: "b", rest: "c", stacks: "d" },
            Chart::Breakdown { bars: "a" },
            Chart::Links { events: "a", links: "b" },
            Chart::MemoryOverTime { levels: "a" },
            Chart::Roofline { points: "a", ceilings: "b", without_formula: "c" },
            Chart::Sweep { values: "a", is_measured: true },
            Chart::Sweep { values: "a", is_measured: false },
            Chart::Validation { kernels: "a" },
        ];
        for chart in charts {
            let tables = chart.tables();
            let table = |part: &str| tables.iter().find(|(known, _)| *known == part).map(|(_, table)| *table);
            assert_eq!(Chart::from_tables(chart.id(), table), Some(chart));
        }
        assert_eq!(Chart::from_tables("pie", |_| Some("a")), None);
    }
}
