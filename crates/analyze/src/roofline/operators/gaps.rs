//! Busy time without a roofline model, by cause: what the recording lacks, and what formulas lack.

use eaves_model::Ns;
use eaves_roofline::ops;

use super::loads::{NO_COUNTERS, NO_LAUNCH, NO_OPERATORS};
use super::rows::{OTHER, OWNED_INSIDE};
use super::{Class, OperatorRow, TracePoints};
use crate::section::{Column, Table, Unit, Value};
use crate::text::{percent, shortened};

/// Why a row has no roofline model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gap {
    /// No shapes were recorded with the operator.
    Shapes,
    /// Its formula needs a scalar or the shapes of a list, and the recording has none.
    Arguments,
    /// The call that launched it was not recorded.
    Launch,
    /// The recording has no operators.
    Operators,
    /// It was launched outside every operator.
    Outside,
    /// It is part of a replayed graph.
    Replay,
    /// The recording is one of hardware counters, and has none of this kernel.
    Counters,
    /// Its counters count neither operations nor bytes.
    Amounts,
    /// There is no formula for the operator.
    Formula,
    /// Operators inside it own part of what its formula says.
    Partly,
    /// Its formula has no answer for its arguments.
    Unanswered,
}

impl Gap {
    pub(super) const ALL: [Self; 11] = [
        Self::Shapes,
        Self::Arguments,
        Self::Launch,
        Self::Operators,
        Self::Outside,
        Self::Replay,
        Self::Counters,
        Self::Amounts,
        Self::Formula,
        Self::Partly,
        Self::Unanswered,
    ];

    /// The gap of a row; nothing if it has a model, or is compared with something else than a roof in memory.
    pub(super) fn of(row: &OperatorRow) -> Option<Self> {
        let reason = row.load.as_ref().err()?.as_str();
        match row.class {
            Class::Communication | Class::Framework => None,
            Class::Replay => Some(Self::Replay),
            Class::Kernel => Some(Self::Amounts),
            Class::Unattributed if reason.starts_with(NO_COUNTERS) => Some(Self::Counters),
            Class::Unattributed if reason == NO_LAUNCH => Some(Self::Launch),
            Class::Unattributed if reason == NO_OPERATORS => Some(Self::Operators),
            Class::Unattributed => Some(Self::Outside),
            Class::Operator | Class::Captured | Class::Matched if reason == ops::NO_SHAPES => {
                Some(Self::Shapes)
            }
            Class::Operator | Class::Captured | Class::Matched if row.category == OTHER => {
                Some(Self::Formula)
            }
            Class::Operator | Class::Captured | Class::Matched if reason == OWNED_INSIDE => {
                Some(Self::Partly)
            }
            Class::Operator | Class::Captured | Class::Matched if lacks_arguments(row) => {
                Some(Self::Arguments)
            }
            Class::Operator | Class::Captured | Class::Matched => Some(Self::Unanswered),
        }
    }

    fn id(self) -> &'static str {
        match self {
            Self::Shapes => "shapes not recorded",
            Self::Arguments => "scalars or list shapes not recorded",
            Self::Launch => "launch not recorded",
            Self::Operators => "operators not recorded",
            Self::Outside => "launched outside operators",
            Self::Replay => "replayed graph",
            Self::Counters => "counters not recorded",
            Self::Amounts => "unrelated counters",
            Self::Formula => "no formula",
            Self::Partly => "part of an operator",
            Self::Unanswered => "formula without a result",
        }
    }

    /// What has it, for people.
    fn subject(self) -> &'static str {
        match self {
            Self::Shapes => "operators without shapes",
            Self::Arguments => "operators without recorded scalars or list shapes",
            Self::Launch => "kernels without a recorded launch",
            Self::Operators => "no operators recorded",
            Self::Outside => "kernels launched outside operators",
            Self::Replay => "replayed graphs",
            Self::Counters => "kernels without hardware counters",
            Self::Amounts => "kernels whose counters give neither operations nor bytes",
            Self::Formula => "operators without a formula",
            Self::Partly => "operators whose inner operators own part of their work",
            Self::Unanswered => "operators whose formula has no result",
        }
    }

    /// How to close it.
    pub(super) fn next(self) -> &'static str {
        match self {
            Self::Shapes => "record shapes with `record_shapes=True`",
            Self::Arguments => {
                "record with PyTorch 2.1 or newer and `record_shapes=True`, which includes scalars and list shapes"
            }
            Self::Launch => "start recording before the work is launched: add a warm-up step to the schedule",
            Self::Operators => {
                "record operators with their shapes: `torch.profiler` with `record_shapes=True`"
            }
            Self::Outside => "register your own kernels as operators with `torch.library`",
            Self::Replay => {
                "record the capture of the graphs too and name it with `--capture`, or profile one step without graphs"
            }
            Self::Counters => {
                "record counters of the kernels listed in table unmodelled, see docs/counters.md"
            }
            Self::Amounts => {
                "record the counters that a roofline needs (table unmodelled), see docs/counters.md"
            }
            Self::Formula => "define your own operators with `--ops`",
            Self::Partly => "nothing to do: the operators inside have their own rows",
            Self::Unanswered => {
                "see the column `reason` of table by_arguments; `--ops` can override a formula"
            }
        }
    }

    /// True if the recording lacks what a model needs, whatever formulas there are.
    pub(super) fn is_unrecorded(self) -> bool {
        match self {
            Self::Shapes
            | Self::Arguments
            | Self::Launch
            | Self::Operators
            | Self::Outside
            | Self::Replay
            | Self::Counters
            | Self::Amounts => true,
            Self::Formula | Self::Partly | Self::Unanswered => false,
        }
    }
}

/// True if no scalar of the operator was recorded, or a list of tensors without shapes.
fn lacks_arguments(row: &OperatorRow) -> bool {
    let arguments = &row.arguments;
    let parsed = ops::Call::parse("", &arguments.dims, &arguments.types, "", "");
    let has_open_list = || {
        let types = arguments.types.split('"').skip(1).step_by(2);
        let lists = types.zip(parsed.iter().flat_map(|call| &call.inputs));
        lists.into_iter().any(|(kind, input)| kind == "TensorList" && matches!(input, ops::Input::Scalar(_)))
    };
    arguments.concrete.is_empty() || has_open_list()
}

/// The rows without a model for one reason, longest first.
pub(super) struct Group<'a> {
    pub(super) gap: Gap,
    pub(super) rows: Vec<&'a OperatorRow>,
    pub(super) counted: Ns,
}

impl Group<'_> {
    /// What has the gap and how much of the time, with the longest by name where each is its own case.
    pub(super) fn text(&self, whole: Ns) -> String {
        let mut names: Vec<&str> = Vec::new();
        for row in &self.rows {
            if !names.contains(&row.name.as_str()) {
                names.push(&row.name);
            }
        }
        let named: Vec<String> =
            names.iter().take(NAMED).map(|name| format!("`{}`", shortened(name))).collect();
        let more =
            if names.len() > NAMED { format!(" and {} more", names.len() - NAMED) } else { String::new() };
        let which = match self.gap {
            Gap::Shapes | Gap::Operators | Gap::Replay | Gap::Counters | Gap::Amounts => String::new(),
            _ => format!(": {}{more}", named.join(", ")),
        };
        format!("{} ({}{which})", self.gap.subject(), percent(self.counted, whole))
    }
}

/// How many names are worth reading.
const NAMED: usize = 3;

/// All gaps that have time, most first.
pub(super) fn groups(points: &TracePoints) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> =
        Gap::ALL.iter().map(|&gap| Group { gap, rows: Vec::new(), counted: Ns::ZERO }).collect();
    for row in &points.rows {
        let Some(gap) = Gap::of(row) else { continue };
        if let Some(group) = groups.iter_mut().find(|group| group.gap == gap) {
            group.rows.push(row);
            group.counted += row.counted;
        }
    }
    groups.retain(|group| group.counted > Ns::ZERO);
    groups.sort_by_key(|group| std::cmp::Reverse(group.counted));
    groups
}

/// Busy time without a model because the recording lacks what one needs.
pub(super) fn unrecorded(points: &TracePoints) -> Ns {
    points.rows.iter().filter(|row| Gap::of(row).is_some_and(Gap::is_unrecorded)).map(|row| row.counted).sum()
}

const COLUMNS: [Column; 6] = [
    Column::new("cause", "Cause", Unit::None),
    Column::new("missing_from", "Missing from", Unit::None),
    Column::new("calls", "Calls", Unit::Count),
    Column::new("counted_ns", "Counted once", Unit::Nanoseconds),
    Column::new("share_pct", "Of the time with a roof", Unit::Percent),
    Column::new("next", "How to close it", Unit::None),
];

/// Every cause with its time.
pub(super) fn table(points: &TracePoints) -> Table {
    let (_, whole) = points.covered();
    let cells = |group: &Group<'_>| {
        vec![
            group.gap.id().into(),
            if group.gap.is_unrecorded() { "recording" } else { "formulas" }.into(),
            group.rows.iter().map(|row| row.times.count()).sum::<u64>().into(),
            group.counted.into(),
            Value::percent(group.counted.0, whole.0),
            group.gap.next().into(),
        ]
    };
    Table {
        id: "gaps",
        title: "Busy time without a roofline model, by cause",
        columns: COLUMNS.to_vec(),
        rows: groups(points).iter().map(cells).collect(),
    }
}
