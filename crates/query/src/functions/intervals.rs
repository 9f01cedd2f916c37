//! Interval algebra as aggregates: how long a group of intervals covers time, alone or together with another.
//!
//! Sets are those of [`eaves_model`]; here they are only gathered, row by row and partition by partition.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Int64Array};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Int64Type};
use datafusion::common::utils::SingleRowListArrayBuilder;
use datafusion::error::Result;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{Accumulator, AggregateUDFImpl, Signature, Volatility};
use datafusion::scalar::ScalarValue;
use eaves_model::{Interval, IntervalSet, Ns};

use super::Code;
use crate::FunctionInfo;

/// A measure of one set of intervals, or of two that rows are put into by conditions.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Function {
    pub(super) info: FunctionInfo,
    sets: usize,
    measure: Code<Evaluate>,
}

type Evaluate = fn(&[Covered]) -> Option<Ns>;

/// The time that rows cover.
struct Covered {
    set: IntervalSet,
    /// From the first start to the last end. Rows of no length count here, though they cover nothing: the idle time of a
    /// device goes up to a memset of no length, as in the report.
    span: Option<Interval>,
}

/// All of them, by name.
pub(super) static ALL: &[Function] = &[
    Function {
        info: FunctionInfo {
            name: "interval_difference",
            call: "interval_difference(start, end, first, second)",
            about: "Time covered by rows where `first` holds, but by no row where `second` holds",
        },
        sets: 2,
        measure: Code(|sets| Some(sets.first()?.set.difference(&sets.get(1)?.set).measure())),
    },
    Function {
        info: FunctionInfo {
            name: "interval_idle",
            call: "interval_idle(start, end)",
            about: "Time between the first start and the last end not covered by any row; null without rows",
        },
        sets: 1,
        measure: Code(|sets| {
            let Covered { set, span } = sets.first()?;
            Some(set.gaps((*span)?).measure())
        }),
    },
    Function {
        info: FunctionInfo {
            name: "interval_intersection",
            call: "interval_intersection(start, end, first, second)",
            about: "Time covered by both rows where `first` holds and rows where `second` holds",
        },
        sets: 2,
        measure: Code(|sets| Some(sets.first()?.set.intersection(&sets.get(1)?.set).measure())),
    },
    Function {
        info: FunctionInfo {
            name: "interval_union",
            call: "interval_union(start, end)",
            about: "Time covered by any row; concurrent rows count once",
        },
        sets: 1,
        measure: Code(|sets| Some(sets.first()?.set.measure())),
    },
];

/// A function as the engine knows it.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Measure {
    function: &'static Function,
    signature: Signature,
}

impl Measure {
    pub(super) fn new(function: &'static Function) -> Self {
        let mut arguments = vec![DataType::Int64; 2];
        if function.sets > 1 {
            arguments.extend(std::iter::repeat_n(DataType::Boolean, function.sets));
        }
        Self { function, signature: Signature::exact(arguments, Volatility::Immutable) }
    }
}

impl AggregateUDFImpl for Measure {
    fn name(&self) -> &str {
        self.function.info.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Int64)
    }

    fn accumulator(&self, _: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(Gathered { function: self.function, piles: vec![Pile::default(); self.function.sets] }))
    }

    fn state_fields(&self, arguments: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        let field = |set: usize| {
            let item = Field::new_list_field(DataType::Int64, true);
            Arc::new(Field::new_list(format!("{}[set {set}]", arguments.name), item, true))
        };
        Ok((0..self.function.sets).map(field).collect())
    }
}

/// Intervals of one set, gathered so far. They are merged whenever they have doubled, so that memory is that of the set.
#[derive(Clone, Debug, Default)]
struct Pile {
    intervals: Vec<Interval>,
    merged: usize,
    span: Option<Interval>,
}

impl Pile {
    /// Below this, merging is not worth its time.
    const FEW: usize = 1024;

    fn push(&mut self, interval: Interval) {
        self.widen(interval);
        self.intervals.push(interval);
        if self.intervals.len() >= 2 * self.merged.max(Self::FEW) {
            self.merge();
        }
    }

    fn widen(&mut self, interval: Interval) {
        let span = self.span.get_or_insert(interval);
        *span = Interval { start: span.start.min(interval.start), end: span.end.max(interval.end) };
    }

    fn merge(&mut self) -> IntervalSet {
        let set = IntervalSet::union_of(std::mem::take(&mut self.intervals));
        self.intervals = set.as_slice().to_vec();
        self.merged = self.intervals.len();
        set
    }

    /// What is covered so far. It stays gathered: a window asks after every row.
    fn covered(&mut self) -> Covered {
        Covered { set: self.merge(), span: self.span }
    }
}

#[derive(Debug)]
struct Gathered {
    function: &'static Function,
    piles: Vec<Pile>,
}

impl Accumulator for Gathered {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let [starts, ends, conditions @ ..] = values else { return Ok(()) };
        let (starts, ends) = (starts.as_primitive::<Int64Type>(), ends.as_primitive::<Int64Type>());
        for (set, pile) in self.piles.iter_mut().enumerate() {
            let condition = conditions.get(set).map(|condition| condition.as_boolean());
            for (row, (start, end)) in starts.iter().zip(ends).enumerate() {
                let holds = condition.is_none_or(|condition| condition.is_valid(row) && condition.value(row));
                // What has no beginning or no end covers nothing that is known.
                if let (true, Some(start), Some(end)) = (holds, start, end) {
                    pile.push(Interval::new(Ns(start), Ns(end)));
                }
            }
        }
        Ok(())
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let sets: Vec<Covered> = self.piles.iter_mut().map(Pile::covered).collect();
        Ok(ScalarValue::Int64((self.function.measure.0)(&sets).map(|time| time.0)))
    }

    fn size(&self) -> usize {
        let piles = self.piles.iter().map(|pile| pile.intervals.capacity() * size_of::<Interval>());
        size_of_val(self) + piles.sum::<usize>()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let list = |pile: &mut Pile| {
            // The span first, then the set.
            let Covered { set, span } = pile.covered();
            let intervals = span.iter().chain(set.as_slice());
            let bounds = intervals.flat_map(|interval| [interval.start.0, interval.end.0]);
            let array: ArrayRef = Arc::new(Int64Array::from_iter_values(bounds));
            SingleRowListArrayBuilder::new(array).build_list_scalar()
        };
        Ok(self.piles.iter_mut().map(list).collect())
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        for (pile, state) in self.piles.iter_mut().zip(states) {
            for bounds in state.as_list::<i32>().iter().flatten() {
                let bounds = bounds.as_primitive::<Int64Type>().values();
                let mut pairs = bounds.chunks_exact(2).map(|pair| Interval::new(Ns(pair[0]), Ns(pair[1])));
                if let Some(span) = pairs.next() {
                    pile.widen(span);
                }
                pairs.for_each(|interval| pile.push(interval));
            }
        }
        Ok(())
    }
}
