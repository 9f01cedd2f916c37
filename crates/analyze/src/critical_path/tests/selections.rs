//! Which part of a recording the path goes through.

use eaves_model::{Interval, Ns};

use super::super::Cause::*;
use super::super::CriticalPath;
use super::Recorder;
use crate::{Options, RankView, Selection};

/// Two steps; the kernel of the first runs into the second, that of the second beyond it.
fn recorder() -> Recorder {
    let mut recorder = Recorder::default();
    recorder
        .op("before", 0, 90)
        .step(1, 100, 200)
        .step(2, 200, 300)
        .call("cudaLaunchKernel", 1, 110, 120)
        .call("cudaLaunchKernel", 2, 210, 220)
        .gpu(7, "first", 1, 130, 250)
        .gpu(7, "second", 2, 252, 400)
        .op("after", 500, 600);
    recorder
}

fn path(selection: Selection) -> Option<(CriticalPath, Recorder)> {
    let recorder = recorder();
    let options = Options::default().with_selection(selection);
    let path = CriticalPath::of(&RankView::new(&recorder.trace, &options))?;
    Some((path, recorder))
}

fn told(selection: Selection) -> Vec<(super::Cause, String, i64, i64)> {
    let (path, recorder) = path(selection).unwrap();
    recorder.told(&path)
}

#[test]
fn by_default_it_goes_from_the_first_step_to_the_end_of_their_work() {
    let expected = [
        (Outside, "", 100, 110),
        (RuntimeCall, "cudaLaunchKernel", 110, 120),
        (LaunchDelay, "first", 120, 130),
        (Compute, "first", 130, 250),
        (KernelGap, "second", 250, 252),
        (Compute, "second", 252, 400),
    ]
    .map(|(cause, name, start, end)| (cause, name.to_owned(), start, end));
    assert_eq!(told(Selection::default()), expected);
}

#[test]
fn a_step_begins_with_what_still_runs() {
    let expected =
        [(Compute, "first", 200, 250), (KernelGap, "second", 250, 252), (Compute, "second", 252, 400)]
            .map(|(cause, name, start, end)| (cause, name.to_owned(), start, end));
    assert_eq!(told(Selection::default().with_steps(2..=2)), expected);
    assert!(path(Selection::default().with_steps(7..=9)).is_none());
}

#[test]
fn a_window_of_time_cuts_both_ends() {
    let window = Interval::new(Ns(150), Ns(350));
    let expected =
        [(Compute, "first", 150, 250), (KernelGap, "second", 250, 252), (Compute, "second", 252, 350)]
            .map(|(cause, name, start, end)| (cause, name.to_owned(), start, end));
    assert_eq!(told(Selection::default().with_time(window)), expected);
    let (both, _) = path(Selection::default().with_time(window).with_steps(2..=2)).unwrap();
    assert_eq!(both.window, Interval::new(Ns(200), Ns(300)));
}
