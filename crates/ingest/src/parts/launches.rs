//! What the arguments of a launch tell of the kernel it started: grid by axis, shared memory, stream, bytes of a copy.

use std::collections::HashMap;

use eaves_model::{Extent, MaybeI64, SliceKind, Trace};

/// Gives activities what their launches say and they do not. A grid that was made of a total gives way.
pub(super) fn adopt(trace: &mut Trace) {
    if trace.runtime_arguments.is_empty() {
        return;
    }
    let of_slice: HashMap<u32, usize> =
        trace.runtime_arguments.slice.iter().enumerate().map(|(row, slice)| (slice.0, row)).collect();
    let mut of_correlation: HashMap<i64, usize> = HashMap::new();
    for row in 0..trace.runtime.len() {
        let arguments = of_slice.get(&trace.runtime.slice[row].0);
        if let (Some(id), Some(&arguments)) = (trace.runtime.correlation[row].get(), arguments) {
            of_correlation.insert(id, arguments);
        }
    }
    let mut dispatch_of: HashMap<u32, usize> =
        trace.dispatches.slice.iter().enumerate().map(|(row, slice)| (slice.0, row)).collect();
    for row in 0..trace.gpu.len() {
        let launch = trace.gpu.correlation[row].get().and_then(|id| of_correlation.get(&id));
        let Some(&launch) = launch else { continue };
        let arguments = trace.runtime_arguments.row(launch);
        let slice = trace.gpu.slice[row];
        if trace.slices.kind[slice.index()] != SliceKind::Kernel {
            if !trace.gpu.bytes[row].is_some() {
                trace.gpu.bytes.set(row, arguments.bytes);
            }
            continue;
        }
        if !trace.gpu.shared_memory[row].is_some() {
            trace.gpu.shared_memory.set(row, arguments.shared_memory);
        }
        let dispatch = dispatch_of.remove(&slice.0);
        // The queue stands in for a stream until the launch tells the stream.
        let queue = dispatch.map_or(MaybeI64::NONE, |at| trace.dispatches.queue[at]);
        if arguments.stream.is_some() && (trace.gpu.stream[row] == queue || !trace.gpu.stream[row].is_some())
        {
            trace.gpu.stream.set(row, arguments.stream);
        }
        let (Some(grid), Some(block)) = (arguments.grid.get(), arguments.block.get()) else { continue };
        let items = [0, 1, 2].map(|axis| grid[axis].checked_mul(block[axis]));
        let total = (0..3).try_fold(1_i64, |total, axis| {
            total.checked_mul(i64::from(grid[axis]))?.checked_mul(i64::from(block[axis]))
        });
        let Some(total) = total else { continue };
        let is_exact = dispatch.is_some_and(|at| trace.dispatches.work_items[at].get().is_some());
        let said = dispatch.and_then(|at| trace.dispatches.total_work_items[at].get());
        // A total that differs is of another launch.
        if is_exact || said.is_some_and(|said| said != total) {
            continue;
        }
        trace.gpu.grid.set(row, Extent(grid));
        trace.gpu.block.set(row, Extent(block));
        if let Some(at) = dispatch {
            if let [Some(x), Some(y), Some(z)] = items {
                trace.dispatches.work_items.set(at, Extent([x, y, z]));
            }
            if said.is_none() {
                trace.dispatches.total_work_items.set(at, MaybeI64::new(total));
            }
        }
    }
}
