//! What somebody wants recorded of a running program.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

/// How much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Steps of the optimizer.
    Steps(u32),
    /// A time.
    Duration(Duration),
}

/// How much, and what of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// How much.
    pub extent: Extent,
    /// Steps are begun at a multiple of this number, so that processes that hear of it at different moments record the
    /// same ones.
    pub align: u32,
    /// Python functions and modules.
    pub stacks: bool,
    /// Shapes of what operators take.
    pub shapes: bool,
    /// What is allocated and freed.
    pub memory: bool,
}

/// More would be a mistake of a unit.
const MOST_MILLISECONDS: u64 = 24 * 60 * 60 * 1000;

impl Order {
    /// The same as Kineto takes it (`libkineto/src/Config.cpp`), to write into a file of this name, to which it adds the
    /// number of the process.
    pub fn config(&self, file: &Path) -> String {
        let extent = match self.extent {
            Extent::Steps(steps) => format!(
                "PROFILE_START_ITERATION=0\nPROFILE_START_ITERATION_ROUNDUP={}\nACTIVITIES_ITERATIONS={}\n\
                 ACTIVITIES_WARMUP_ITERATIONS=1\n",
                self.align.max(1),
                steps.max(1)
            ),
            Extent::Duration(duration) => format!(
                "PROFILE_START_TIME=0\nACTIVITIES_WARMUP_PERIOD_SECS=0\nACTIVITIES_DURATION_MSECS={}\n",
                duration.as_millis().max(1)
            ),
        };
        format!(
            "ACTIVITIES_LOG_FILE={}\n{extent}PROFILE_REPORT_INPUT_SHAPES={}\nPROFILE_PROFILE_MEMORY={}\n\
             PROFILE_WITH_STACK={}\nPROFILE_WITH_FLOPS=false\nPROFILE_WITH_MODULES=false\n",
            file.display(),
            self.shapes,
            self.memory,
            self.stacks,
        )
    }

    /// One line of text, for the way to the daemon.
    pub fn to_line(&self) -> String {
        let (steps, milliseconds) = match self.extent {
            Extent::Steps(steps) => (Some(steps), None),
            Extent::Duration(duration) => (None, u64::try_from(duration.as_millis()).ok()),
        };
        let (align, stacks, shapes, memory) = (self.align, self.stacks, self.shapes, self.memory);
        let line = json!({
            "steps": steps, "milliseconds": milliseconds, "align": align, "stacks": stacks, "shapes": shapes,
            "memory": memory,
        });
        format!("{line}\n")
    }

    /// The same back. None if it is not one.
    pub fn from_line(line: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(line).ok()?;
        let number = |name: &str| value.get(name)?.as_u64();
        let flag = |name: &str| value.get(name)?.as_bool();
        let extent = match (number("steps"), number("milliseconds")) {
            (Some(steps), None) => Extent::Steps(u32::try_from(steps).ok().filter(|steps| *steps > 0)?),
            (None, Some(time)) if (1..=MOST_MILLISECONDS).contains(&time) => {
                Extent::Duration(Duration::from_millis(time))
            }
            _ => return None,
        };
        Some(Self {
            extent,
            align: u32::try_from(number("align")?).ok()?,
            stacks: flag("stacks")?,
            shapes: flag("shapes")?,
            memory: flag("memory")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: Order =
        Order { extent: Extent::Steps(3), align: 10, stacks: true, shapes: false, memory: false };

    #[test]
    fn an_order_arrives_as_it_was_given() {
        let time = Order { extent: Extent::Duration(Duration::from_millis(1500)), memory: true, ..STEPS };
        for order in [STEPS, time] {
            let line = order.to_line();
            assert_eq!(line.matches('\n').count(), 1);
            assert_eq!(Order::from_line(&line), Some(order));
        }
        for line in
            ["", "{}", "[1]", r#"{"steps": 0, "align": 1, "stacks": true, "shapes": true, "memory": true}"#]
        {
            assert_eq!(Order::from_line(line), None, "{line}");
        }
    }

    #[test]
    fn kineto_reads_lines_of_names_and_values() {
        let text = STEPS.config(Path::new("/out/trace.json"));
        for line in [
            "ACTIVITIES_LOG_FILE=/out/trace.json",
            "PROFILE_START_ITERATION_ROUNDUP=10",
            "ACTIVITIES_ITERATIONS=3",
            "PROFILE_WITH_STACK=true",
            "PROFILE_PROFILE_MEMORY=false",
        ] {
            assert!(text.lines().any(|known| known == line), "{line}: {text}");
        }
        assert!(!text.contains("DURATION"));
    }
}
