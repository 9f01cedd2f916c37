//! The backward pass runs on its own thread while the main thread waits for it.

use eaves_model::SliceId;

use super::Cause;
use super::graph::{Graph, Lane, Place, PointId};
use super::host::Host;

/// Where all that a thread of the backward pass does between two of its rests happens inside one stretch of the main
/// thread, the main thread waits for it: the stretch leads to the other thread and back, and weighs nothing itself.
pub(super) fn connect(graph: &mut Graph, host: &Host) {
    let Some(main) = host.main else { return };
    for &lane in &host.backward {
        connect_thread(graph, main, lane);
    }
}

/// Work of the other thread inside one stretch of the main thread.
#[derive(Clone, Copy)]
struct Burst {
    stretch: PointId,
    first: PointId,
    /// The end of the last work: the thread rests from here.
    last: PointId,
}

fn connect_thread(graph: &mut Graph, main: Lane, lane: Lane) {
    let mut burst: Option<Burst> = None;
    let mut stretch = main.first;
    let mut begin = None;
    for point in lane.first..=lane.last {
        let rests = point == lane.last || is_rest(graph, point);
        let first = *begin.get_or_insert(point);
        if !rests {
            continue;
        }
        begin = None;
        if first == point {
            continue;
        }
        while stretch < main.last && graph.time[stretch as usize + 1] <= graph.time[first as usize] {
            stretch += 1;
        }
        let fits = stretch < main.last
            && graph.time[stretch as usize] <= graph.time[first as usize]
            && graph.time[point as usize] <= graph.time[stretch as usize + 1]
            && may_wait(graph, stretch);
        match &mut burst {
            Some(burst) if fits && burst.stretch == stretch => {
                // The rest in between is time of this thread: the main thread still waits.
                graph.label(burst.last, Cause::Outside, SliceId::NONE);
                burst.last = point;
            }
            _ => {
                if let Some(done) = burst.take() {
                    hand_over(graph, done);
                }
                burst = fits.then_some(Burst { stretch, first, last: point });
            }
        }
    }
    if let Some(done) = burst {
        hand_over(graph, done);
    }
}

/// True if no call is open behind a point.
fn is_rest(graph: &Graph, point: PointId) -> bool {
    graph.cause[point as usize] == Cause::Unexplained && graph.slice[point as usize] == SliceId::NONE
}

/// True if the main thread is in no call of its own that would be what it waits in. A stretch that led to another
/// thread already is at rest.
fn may_wait(graph: &Graph, stretch: PointId) -> bool {
    matches!(graph.cause[stretch as usize], Cause::Outside | Cause::Operator) || is_rest(graph, stretch)
}

fn hand_over(graph: &mut Graph, Burst { stretch, first, last }: Burst) {
    graph.place[first as usize] = Place::TakeOver;
    graph.place[last as usize] = Place::HandBack;
    graph.connect(stretch, first, Cause::Outside, SliceId::NONE);
    graph.connect(last, stretch + 1, Cause::Outside, SliceId::NONE);
    graph.label(stretch, Cause::Unexplained, SliceId::NONE);
}
