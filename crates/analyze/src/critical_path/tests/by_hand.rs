//! Small traces with one reason each to take as long as they do.

use eaves_model::Ns;
use eaves_model::SliceKind::{Annotation, Op};

use super::super::Cause::*;
use super::super::{CriticalPath, NameTime};
use super::{Recorder, is_linked};
use crate::{Options, RankView};

const NCCL: &str = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";

fn gains(recorder: &Recorder) -> Vec<(String, i64, i64)> {
    let options = Options::default();
    let (_, names) = CriticalPath::with_names(&RankView::new(&recorder.trace, &options)).unwrap();
    let row = |row: &NameTime| {
        let name = recorder.trace.strings.get(row.name).to_owned();
        (format!("{} {name}", row.cause.id()), row.time.0, row.gain.unwrap().0)
    };
    names.iter().map(row).collect()
}

/// The host takes longer to launch than the device to run: nothing of the device is on the path but the last kernel.
#[test]
fn host_bound() {
    let mut recorder = Recorder::default();
    for (number, start) in [(1, 0), (2, 100), (3, 200)] {
        recorder
            .op("aten::mm", start, start + 80)
            .call("cudaLaunchKernel", number, start + 50, start + 70)
            .gpu(7, "gemm", number, start + 90, start + 100);
    }
    assert!(is_linked(&recorder.trace, 2));
    recorder.expect(&[
        (Operator, "aten::mm", 0, 50),
        (RuntimeCall, "cudaLaunchKernel", 50, 70),
        (Operator, "aten::mm", 70, 80),
        (Outside, "", 80, 100),
        (Operator, "aten::mm", 100, 150),
        (RuntimeCall, "cudaLaunchKernel", 150, 170),
        (Operator, "aten::mm", 170, 180),
        (Outside, "", 180, 200),
        (Operator, "aten::mm", 200, 250),
        (RuntimeCall, "cudaLaunchKernel", 250, 270),
        (LaunchDelay, "gemm", 270, 290),
        (Compute, "gemm", 290, 300),
    ]);
    // Without the delay of the last kernel it ends when the host does, after 280 ns of 300.
    assert_eq!(
        gains(&recorder),
        [
            ("host operators aten::mm".to_owned(), 170, 170),
            ("host runtime calls cudaLaunchKernel".to_owned(), 60, 60),
            ("host outside operators ".to_owned(), 40, 40),
            ("launch delay gemm".to_owned(), 20, 20),
            ("compute gemm".to_owned(), 10, 10),
        ]
    );
}

/// The host runs ahead: after the first launch the device decides.
#[test]
fn gpu_bound() {
    let mut recorder = Recorder::default();
    for (number, start, kernel) in [(1, 0, 20), (2, 20, 122), (3, 40, 224)] {
        recorder
            .op("aten::mm", start, start + 15)
            .call("cudaLaunchKernel", number, start + 5, start + 10)
            .gpu(7, "gemm", number, kernel, kernel + 100);
    }
    recorder.expect(&[
        (Operator, "aten::mm", 0, 5),
        (RuntimeCall, "cudaLaunchKernel", 5, 10),
        (LaunchDelay, "gemm", 10, 20),
        (Compute, "gemm", 20, 120),
        (KernelGap, "gemm", 120, 122),
        (Compute, "gemm", 122, 222),
        (KernelGap, "gemm", 222, 224),
        (Compute, "gemm", 224, 324),
    ]);
    // If the kernels took no time the host would be next: 55 ns, instead of 324.
    let of_kernels = gains(&recorder)[0].clone();
    assert_eq!(of_kernels, ("compute gemm".to_owned(), 300, 324 - 55));
}

/// A call that waits for the device bears only what is left when the device has done.
#[test]
fn sync_bound() {
    for wait in
        ["cudaDeviceSynchronize", "hipDeviceSynchronize", "cudaStreamSynchronize", "cudaEventSynchronize"]
    {
        let mut recorder = Recorder::default();
        recorder
            .op("aten::item", 0, 400)
            .call("cudaLaunchKernel", 1, 10, 20)
            .call(wait, 2, 30, 330)
            .gpu(7, "gemm", 1, 25, 320)
            .op("aten::add", 450, 500);
        recorder.expect(&[
            (Operator, "aten::item", 0, 10),
            (RuntimeCall, "cudaLaunchKernel", 10, 20),
            (LaunchDelay, "gemm", 20, 25),
            (Compute, "gemm", 25, 320),
            (Synchronisation, wait, 320, 330),
            (Operator, "aten::item", 330, 400),
            (Outside, "", 400, 450),
            (Operator, "aten::add", 450, 500),
        ]);
        // Without the kernel, its launch and delay and the host's own time between call and wait overlap.
        let gemm = gains(&recorder).into_iter().find(|(name, ..)| name == "compute gemm").unwrap();
        assert_eq!((gemm.1, gemm.2), (295, 290), "{wait}");
    }
}

/// A wait for something that is not in the recording, or that was over before, is time of the call.
#[test]
fn a_wait_for_nothing_known_bears_its_own_time() {
    let mut recorder = Recorder::default();
    recorder.op("aten::item", 0, 100).call("cudaDeviceSynchronize", 2, 30, 80);
    let own = [
        (Operator, "aten::item", 0, 30),
        (Synchronisation, "cudaDeviceSynchronize", 30, 80),
        (Operator, "aten::item", 80, 100),
    ];
    recorder.expect(&own);
    recorder.call("cudaLaunchKernel", 1, 5, 6).gpu(7, "gemm", 1, 10, 20);
    let told = recorder.told(&recorder.path());
    assert!(told.contains(&(Synchronisation, "cudaDeviceSynchronize".to_owned(), 30, 80)), "{told:?}");
    // What was launched after the wait began is not what it waited for.
    let mut later = Recorder::default();
    later
        .op("aten::item", 0, 100)
        .call("cudaDeviceSynchronize", 2, 30, 80)
        .call_on(2, "cudaLaunchKernel", 1, 40, 45)
        .gpu(7, "gemm", 1, 50, 70);
    later.expect(&own);
}

/// The gradient reduction on another stream decides. The trace has no synchronization records; that the streams were
/// told to wait is enough.
#[test]
fn communication_bound() {
    let mut recorder = Recorder::default();
    recorder
        .call("cudaLaunchKernel", 1, 0, 5)
        .call("cudaStreamWaitEvent", 0, 6, 7)
        .call("cudaLaunchKernelExC", 2, 8, 12)
        .call("cudaLaunchKernel", 3, 13, 18)
        .call("cudaStreamWaitEvent", 0, 19, 20)
        .call("cudaLaunchKernel", 4, 21, 26)
        .gpu(7, "backward", 1, 10, 110)
        .gpu(20, NCCL, 2, 112, 500)
        .gpu(7, "backward", 3, 111, 200)
        .gpu(7, "adam", 4, 503, 550);
    let expected = [
        (RuntimeCall, "cudaLaunchKernel", 0, 5),
        (LaunchDelay, "backward", 5, 10),
        (Compute, "backward", 10, 110),
        (Synchronisation, NCCL, 110, 112),
        (Communication, NCCL, 112, 500),
        (Synchronisation, "adam", 500, 503),
        (Compute, "adam", 503, 550),
    ];
    recorder.expect(&expected);
    // Records say the same.
    let mut recorded = Recorder::default();
    recorded
        .call("cudaLaunchKernel", 1, 0, 5)
        .call("cudaEventRecord", 11, 5, 6)
        .call("cudaStreamWaitEvent", 12, 6, 7)
        .call("cudaLaunchKernelExC", 2, 8, 12)
        .call("cudaEventRecord", 13, 12, 13)
        .call("cudaLaunchKernel", 3, 13, 18)
        .call("cudaStreamWaitEvent", 14, 19, 20)
        .call("cudaLaunchKernel", 4, 21, 26)
        .gpu(7, "backward", 1, 10, 110)
        .gpu(20, NCCL, 2, 112, 500)
        .gpu(7, "backward", 3, 111, 200)
        .gpu(7, "adam", 4, 503, 550)
        .sync("Stream Wait Event", 12, 20, Some((7, 11)))
        .sync("Stream Wait Event", 14, 7, Some((20, 13)));
    recorded.expect(&expected);
    // Without a wait between the streams the gap on stream 7 is a gap, and nobody knows why.
    let mut independent = Recorder::default();
    independent
        .call("cudaLaunchKernel", 1, 0, 5)
        .call("cudaLaunchKernelExC", 2, 8, 12)
        .call("cudaLaunchKernel", 4, 21, 26)
        .gpu(7, "backward", 1, 10, 110)
        .gpu(20, NCCL, 2, 112, 500)
        .gpu(7, "adam", 4, 503, 550);
    let told = independent.told(&independent.path());
    assert!(told.contains(&(KernelGap, "adam".to_owned(), 110, 503)), "{told:?}");
}

/// The thread of the backward pass tells the stream to wait, the main thread launches on it next. Whatever is launched
/// later on another stream does not wait, unless it stands still for longer than any device needs.
#[test]
fn any_thread_may_tell_a_stream_to_wait() {
    let trace = |gap: i64| {
        let mut recorder = Recorder::default();
        recorder
            .call("cudaLaunchKernel", 1, 0, 5)
            .call("cudaLaunchKernelExC", 2, 8, 12)
            .call_on(2, "cudaStreamWaitEvent", 0, 13, 14)
            .call("cudaLaunchKernel", 3, 21, 26)
            .call("cudaLaunchKernel", 4, 27, 30)
            .gpu(7, "backward", 1, 10, 110)
            .gpu(20, NCCL, 2, 15, 500)
            .gpu(7, "adam", 3, 503, 550)
            .gpu(9, "early", 1, 40, 490)
            .gpu(9, "other", 4, 490 + gap, 700 + gap);
        recorder
    };
    let told = |recorder: &Recorder| recorder.told(&recorder.path());
    let mut alone = trace(11);
    alone.trace.gpu.retain(|row| row < 3);
    assert!(told(&alone).contains(&(Communication, NCCL.to_owned(), 15, 500)));
    assert!(told(&trace(11)).contains(&(KernelGap, "other".to_owned(), 490, 501)));
    assert!(told(&trace(40_000)).contains(&(Synchronisation, "other".to_owned(), 500, 40_490)));
}

/// Records name the stream that is waited for, though another one ends later.
#[test]
fn records_say_what_a_call_waits_for() {
    let mut recorder = Recorder::default();
    recorder
        .call("cudaLaunchKernel", 1, 0, 5)
        .call("cudaEventRecord", 3, 5, 6)
        .call("cudaLaunchKernel", 2, 7, 12)
        .call("cudaEventSynchronize", 4, 20, 90)
        .op("aten::mul", 90, 200)
        .gpu(7, "wanted", 1, 10, 60)
        .gpu(8, "other", 2, 15, 80)
        .sync("Event Sync", 4, -1, Some((7, 3)));
    recorder.expect(&[
        (RuntimeCall, "cudaLaunchKernel", 0, 5),
        (LaunchDelay, "wanted", 5, 10),
        (Compute, "wanted", 10, 60),
        (Synchronisation, "cudaEventSynchronize", 60, 90),
        (Operator, "aten::mul", 90, 200),
    ]);
    recorder.trace.syncs = Default::default();
    let told = recorder.told(&recorder.path());
    assert!(told.contains(&(Compute, "other".to_owned(), 15, 80)), "{told:?}");
}

/// Copies from pageable memory block; the copy bears the time, even if the call returns a little before its end.
#[test]
fn copies_bear_the_time_of_blocking_calls() {
    let copy = "Memcpy HtoD (Pageable -> Device)";
    let mut recorder = Recorder::default();
    recorder
        .call("cudaMemcpyAsync", 1, 0, 100)
        .gpu(7, copy, 1, 20, 90)
        .call("cudaMemcpyAsync", 2, 110, 200)
        .gpu(7, copy, 2, 120, 210)
        .op("aten::mul", 220, 300);
    recorder.expect(&[
        (LaunchDelay, copy, 0, 20),
        (Memory, copy, 20, 90),
        (Synchronisation, "cudaMemcpyAsync", 90, 100),
        (Outside, "", 100, 110),
        (LaunchDelay, copy, 110, 120),
        (Memory, copy, 120, 200),
        (Outside, "", 200, 220),
        (Operator, "aten::mul", 220, 300),
    ]);
    let of_copies = gains(&recorder).into_iter().find(|(name, ..)| name.starts_with("memory")).unwrap();
    assert_eq!((of_copies.1, of_copies.2), (150, 150));
    let mut pinned = Recorder::default();
    pinned.call("cudaMemcpyAsync", 1, 0, 100).gpu(7, "Memcpy HtoD (Pinned -> Device)", 1, 20, 90).op(
        "aten::mul",
        110,
        300,
    );
    assert_eq!(pinned.path().time_of(RuntimeCall), Ns(100));
}

/// The main thread waits while the backward pass runs on its own thread.
#[test]
fn the_backward_pass_takes_over_and_hands_back() {
    let backward = "autograd::engine::evaluate_function: MmBackward0";
    let mut recorder = Recorder::default();
    recorder
        .step(1, 0, 1000)
        .op("aten::mm", 0, 100)
        .host(Op, 2, backward, 120, 300)
        .host(Op, 2, backward, 310, 400)
        .op("Optimizer", 430, 900);
    recorder.expect(&[
        (Operator, "aten::mm", 0, 100),
        (Outside, "", 100, 120),
        (Operator, backward, 120, 300),
        (Outside, "", 300, 310),
        (Operator, backward, 310, 400),
        (Outside, "", 400, 430),
        (Operator, "Optimizer", 430, 900),
        (Outside, "", 900, 1000),
    ]);
    let of_backward = gains(&recorder).into_iter().find(|(name, ..)| name.ends_with(backward)).unwrap();
    assert_eq!((of_backward.1, of_backward.2), (270, 270));
    // Touching on both sides: the order at one instant is right.
    let mut touching = Recorder::default();
    touching.op("forward", 0, 100).host(Op, 2, backward, 100, 400).op("optimizer", 400, 500);
    touching.expect(&[
        (Operator, "forward", 0, 100),
        (Operator, backward, 100, 400),
        (Operator, "optimizer", 400, 500),
    ]);
    // A thread that works next to the main thread takes nothing over.
    let mut beside = Recorder::default();
    beside.op("forward", 0, 200).host(Op, 2, backward, 100, 400).op("more", 220, 500);
    beside.expect(&[(Operator, "forward", 0, 200), (Outside, "", 200, 220), (Operator, "more", 220, 500)]);
}

#[test]
fn loading_data_counts_with_what_it_calls() {
    let loader = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";
    let mut recorder = Recorder::default();
    recorder
        .step(1, 0, 200)
        .host(Annotation, 1, loader, 10, 100)
        .op("aten::stack", 40, 60)
        .op("aten::mm", 120, 200);
    recorder.expect(&[
        (Outside, "", 0, 10),
        (DataLoading, loader, 10, 100),
        (Outside, "", 100, 120),
        (Operator, "aten::mm", 120, 200),
    ]);
}

/// The device's clock is behind: the kernel seems to start before its launch.
#[test]
fn clocks_that_differ_do_not_break_the_chain() {
    let mut recorder = Recorder::default();
    recorder.op("aten::mm", 0, 100).call("cudaLaunchKernel", 1, 50, 60).gpu(7, "gemm", 1, 45, 300).op(
        "aten::add",
        110,
        130,
    );
    recorder.expect(&[(LaunchDelay, "gemm", 0, 45), (Compute, "gemm", 45, 300)]);
}

/// The kernels of a graph have one launch; that they wait for each other is recorded nowhere.
#[test]
fn kernels_of_a_graph_wait_for_each_other_across_streams() {
    let mut recorder = Recorder::default();
    recorder
        .call("cudaGraphLaunch", 1, 0, 10)
        .gpu(7, "first", 1, 20, 100)
        .gpu(8, "branch", 1, 101, 180)
        .gpu(7, "join", 1, 182, 200);
    recorder.expect(&[
        (RuntimeCall, "cudaGraphLaunch", 0, 10),
        (LaunchDelay, "first", 10, 20),
        (Compute, "first", 20, 100),
        (Synchronisation, "branch", 100, 101),
        (Compute, "branch", 101, 180),
        (Synchronisation, "join", 180, 182),
        (Compute, "join", 182, 200),
    ]);
}

#[test]
fn recordings_of_one_side_have_a_path_too() {
    let mut device = Recorder::default();
    device.gpu(7, "a", 0, 0, 10).gpu(7, "b", 0, 12, 20).gpu(8, "c", 0, 5, 6);
    device.expect(&[(Compute, "a", 0, 10), (KernelGap, "b", 10, 12), (Compute, "b", 12, 20)]);
    let mut host = Recorder::default();
    host.host(Op, 5, "worker", 0, 10).op("a", 0, 10).op("b", 20, 30);
    host.expect(&[(Operator, "a", 0, 10), (Outside, "", 10, 20), (Operator, "b", 20, 30)]);
    let options = Options::default();
    assert_eq!(CriticalPath::of(&RankView::new(&Recorder::default().trace, &options)), None);
}

/// Times at the ends of what can be represented: sums saturate, nothing fails.
#[test]
fn absurd_times_do_not_fail() {
    let mut recorder = Recorder::default();
    recorder
        .op("a", i64::MIN, -1)
        .op("b", 0, i64::MAX)
        .call("cudaDeviceSynchronize", 3, i64::MAX - 5, i64::MAX)
        .call("cudaLaunchKernel", 1, i64::MIN, i64::MIN)
        .gpu(7, "first", 1, i64::MIN, -1)
        .gpu(7, "second", 1, i64::MAX - 10, i64::MAX);
    let path = recorder.path();
    assert_eq!((path.window.start, path.window.end), (Ns::MIN, Ns::MAX));
    assert!(path.parts.windows(2).all(|pair| pair[0].interval.end == pair[1].interval.start));
}
