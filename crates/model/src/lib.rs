//! A profiler trace as columns.
//!
//! Readers fill a [`Trace`]; analyses read it. There is one table per kind of row and one column per
//! field; strings are interned, and time is integer nanoseconds on the trace's own time base. This crate knows no file
//! formats and computes no metrics; it provides the interval algebra and the links that metrics are built on.

mod call_tree;
mod captured;
mod column;
mod column_text;
pub mod compile;
mod device;
mod diagnostics;
mod host;
mod ids;
mod interval;
mod links;
mod lod;
mod measurements;
mod metadata;
mod packed;
pub mod parallel;
mod points;
mod rebuild;
mod recorder;
mod rows;
mod run;
mod slices;
mod snapshot;
mod sparse;
mod strings;
pub mod suggestion;
mod table;
mod trace;
mod tracks;
mod units;

pub use call_tree::CallTree;
pub use captured::{CapturedGraph, CapturedLaunch, CapturedOperator};
pub use column::Values;
pub use column_text::ident_text;
pub use device::{
    Collective, Collectives, Dispatch, Dispatches, GpuActivities, GpuActivity, RangeCounter, RangeCounters,
    Remark, Remarks, Sync, Syncs,
};
pub use diagnostics::{Diagnostics, Warning, WarningKind};
pub use host::{
    LegacyOp, LegacyOps, Op, Ops, PythonFrame, PythonFrames, RuntimeArgument, RuntimeArguments, RuntimeCall,
    RuntimeCalls, TritonLaunch, TritonLaunches,
};
pub use ids::{
    Column, Element, Extent, GpuId, Ident, MaybeF64, MaybeI64, MaybeU32, Relocation, SliceId, StringId,
    TrackId,
};
pub use interval::{Interval, IntervalSet, sweep};
pub use links::{LaunchLinks, LinkedBy, forward_backward, is_launch, operator_above, python_above};
pub use lod::{Extract, Group, LevelOfDetail, Pieces, Pixels};
pub use measurements::{Measurement, MeasurementKind, Measurements};
pub use metadata::{DeviceProperties, DistributedInfo, Metadata, ProcessGroup, Times};
pub use packed::Packed;
pub use points::{
    Allocation, Allocations, AsyncSlice, AsyncSlices, Counter, Counters, Flow, Flows, Instant, Instants,
    MEMORY_BY_CATEGORY,
};
pub use rebuild::{ColumnData, Unfit};
pub use recorder::Recorder;
pub use rows::{Band, Row, Rows};
pub use run::{RankSource, Recording, Run, assign_ranks};
pub use slices::{Slice, SliceKind, Slices};
pub use snapshot::{
    MemoryBlock, MemoryBlocks, MemoryEvent, MemoryEvents, MemoryFrame, MemoryFrames, MemorySegment,
    MemorySegments, MemoryStack, MemoryStacks, Snapshot,
};
pub use sparse::{Missing, Sparse};
pub use strings::Strings;
pub use trace::{Impossibility, TableView, Trace};
pub use tracks::{Process, ProcessTable, Track, TrackTable, Tracks};
pub use units::{Bytes, Ns};
