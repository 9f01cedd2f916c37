//! Random recordings against a list of every block behind every event, and one by hand.

use eaves_model::{MaybeI64, MaybeU32};
use proptest::prelude::*;

use super::super::levels::Device;
use super::super::points::highest;
use super::*;
use crate::section::Value;
use crate::test_trace::{TestTrace, column, integers, run_of, section_of, texts};

/// A block as the twin knows it: bytes, when it was allocated, when it was released.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Known {
    bytes: i64,
    start: Option<i64>,
    end: Option<i64>,
}

/// What a program did, played forwards.
struct Played {
    levels: Levels,
    addresses: Vec<Option<i64>>,
    older: Vec<(i64, i64)>,
    /// All blocks that were ever in use.
    blocks: Vec<Known>,
    /// Before the first event and behind each: places of the blocks in use.
    states: Vec<Vec<usize>>,
}

/// How much a recording tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Recorded {
    /// What was there before, one by one, as snapshots do.
    Older,
    /// Totals of the allocator.
    Totals,
    /// Changes alone.
    Changes,
}

fn play(before: &[i64], choices: &[(i64, usize, i64)], recorded: Recorded) -> Played {
    let mut blocks: Vec<Known> =
        before.iter().map(|&bytes| Known { bytes, start: None, end: None }).collect();
    let mut live: Vec<(i64, usize)> = (0..before.len()).map(|at| (at as i64, at)).collect();
    let older = live.iter().map(|&(address, at)| (address, blocks[at].bytes)).collect();
    let mut states = vec![(0..before.len()).collect::<Vec<_>>()];
    let (mut events, mut addresses) = (Vec::new(), Vec::new());
    let mut time = 100;
    let mut level: i64 = if recorded == Recorded::Changes { 0 } else { before.iter().sum() };
    for (row, &(later, address, bytes)) in choices.iter().enumerate() {
        time += later;
        let address = address as i64;
        let bytes = match live.iter().position(|&(known, _)| known == address) {
            Some(at) => {
                let (_, block) = live.remove(at);
                blocks[block].end = Some(time);
                -blocks[block].bytes
            }
            None => {
                live.push((address, blocks.len()));
                blocks.push(Known { bytes, start: Some(time), end: None });
                bytes
            }
        };
        level += bytes;
        events.push(Event { time: Ns(time), row: row as u32, bytes, level, reserved: MaybeI64::NONE });
        addresses.push(Some(address));
        let mut state: Vec<usize> = live.iter().map(|&(_, block)| block).collect();
        state.sort_unstable();
        states.push(state);
    }
    let device = Device { kind: MaybeU32::new(1), number: MaybeI64::new(0) };
    let is_absolute = recorded != Recorded::Changes;
    Played {
        levels: Levels { device, events, of_snapshot: false, is_absolute },
        addresses,
        older,
        blocks,
        states,
    }
}

/// The peak as the analysis looks for it.
fn peak(levels: &Levels, selected: &[usize]) -> usize {
    let (mut bytes, mut position) = (levels.before_event(selected[0]), selected[0]);
    for &index in selected {
        if levels.events[index].level > bytes {
            (bytes, position) = (levels.events[index].level, index + 1);
        }
    }
    position
}

fn look(played: &Played, selected: &[usize], most: usize, recorded: Recorded) -> Stacked {
    let levels = &played.levels;
    let positions = Selected::new(levels, selected, peak(levels, selected)).unwrap();
    let older = played.older.iter().filter(|_| recorded == Recorded::Older);
    let older = older.map(|&(address, bytes)| Older { address, bytes, stack: MaybeU32::NONE });
    let chosen = choose(&positions, most, |event| played.addresses[event.row as usize], older);
    let owners = vec![Owner::default(); chosen.blocks.len()];
    stacked(&positions, &chosen, owners, highest(selected, levels), Ns(100))
}

/// What is in use at each state, by what is told.
fn sums(found: &Stacked) -> Vec<(i64, i64)> {
    let is_at = |band: &Band, state: u32| band.from <= state && band.to.is_none_or(|to| state < to);
    let sum = |(state, one): (usize, &State)| {
        let bands = found.bands.iter().filter(|band| is_at(band, state as u32));
        (one.time.0, bands.map(|band| band.bytes).sum::<i64>() + one.rest)
    };
    found.states.iter().enumerate().map(sum).collect()
}

fn recorded() -> impl Strategy<Value = Recorded> {
    prop_oneof![Just(Recorded::Older), Just(Recorded::Totals), Just(Recorded::Changes)]
}

proptest! {
    #[test]
    fn bands_and_the_rest_are_what_was_in_use(
        before in prop::collection::vec(1i64..1000, 0..6),
        // Few addresses, so that each is used again; many events at the same time.
        choices in prop::collection::vec((0i64..4, 0usize..9, 1i64..1000), 1..60),
        most in 0usize..24,
        window in (0usize..60, 1usize..60),
        gap in 1usize..5,
        recorded in recorded(),
    ) {
        let played = play(&before, &choices, recorded);
        let levels = &played.levels;
        // Events of a window, perhaps with events between that are not selected.
        let selected: Vec<usize> =
            (0..levels.events.len()).skip(window.0).step_by(gap).take(window.1).collect();
        prop_assume!(!selected.is_empty());
        let found = look(&played, &selected, most, recorded);

        // Every state is one that really was, in order; none of the highest is missing.
        let level = |position: usize| (
            levels.events[position.max(selected[0] + 1) - 1].time.0 - 100,
            levels.before_event(position),
        );
        let positions: Vec<usize> =
            std::iter::once(selected[0]).chain(selected.iter().map(|index| index + 1)).collect();
        let sums = sums(&found);
        let mut all = positions.iter().map(|&position| level(position));
        for state in &sums {
            prop_assert!(all.any(|known| known == *state), "{state:?} of {sums:?}");
        }
        prop_assert_eq!(sums.first(), Some(&level(selected[0])));
        prop_assert_eq!(sums.last(), Some(&level(selected[selected.len() - 1] + 1)));
        let top = positions.iter().map(|&position| level(position).1).max();
        prop_assert_eq!(sums.iter().map(|state| state.1).max(), top);
        prop_assert!(sums.len() <= 2 + super::super::points::MOST + 2 * most);

        // What is shown are allocations that were there, each once.
        let is_known = |block: usize| {
            let older = played.blocks[block].start.is_none();
            let is_released = played.blocks[block].end.is_some();
            recorded == Recorded::Older || !older || (recorded == Recorded::Totals && is_released)
        };
        let mut seen: Vec<usize> =
            positions.iter().flat_map(|&position| played.states[position].iter().copied()).collect();
        seen.sort_unstable();
        seen.dedup();
        seen.retain(|&block| is_known(block));
        let mut candidates: Vec<Known> = seen.iter().map(|&block| played.blocks[block]).collect();
        prop_assert_eq!(found.allocations, candidates.len() as u64);
        prop_assert_eq!(found.bands.len(), most.min(candidates.len()));
        for band in &found.bands {
            let time = |time: Option<Ns>| time.map(|time| time.0 + 100);
            let wanted = Known { bytes: band.bytes, start: time(band.start), end: time(band.end) };
            let at = candidates.iter().position(|known| *known == wanted);
            prop_assert!(at.is_some(), "{band:?}");
            candidates.swap_remove(at.unwrap());
        }

        // What nobody knows one by one is left to the rest, and nothing else is if all fits.
        if most >= seen.len() {
            let unknown = |position: usize| -> i64 {
                let blocks = played.states[position].iter().filter(|&&block| !is_known(block));
                blocks.map(|&block| played.blocks[block].bytes).sum()
            };
            let rest: Vec<i64> = found.states.iter().map(|state| state.rest).collect();
            if recorded != Recorded::Changes {
                prop_assert!(rest.iter().all(|rest| positions.iter().any(|&at| unknown(at) == *rest)));
            }
        }
        if recorded != Recorded::Changes {
            prop_assert!(found.states.iter().all(|state| state.rest >= 0), "{found:?}");
        }

        // Half of the room is for the largest at the peak.
        let position = peak(levels, &selected);
        let mut at_peak: Vec<i64> = played.states[position].iter()
            .filter(|&&block| is_known(block)).map(|&block| played.blocks[block].bytes).collect();
        at_peak.sort_unstable_by_key(|bytes| Reverse(*bytes));
        let least: i64 = at_peak.iter().take(most / 2).sum();
        prop_assert!(least <= found.at_peak && found.at_peak <= at_peak.iter().sum());
        prop_assert!(found.shown_byte_time >= 0);
        if recorded != Recorded::Changes {
            prop_assert!(found.shown_byte_time <= found.byte_time, "{found:?}");
        }
    }
}

/// Nobody knows when the first of two at one address was released, so it is not told as one.
#[test]
fn an_address_that_is_taken_twice_is_left_to_the_rest() {
    let mut played = play(&[], &[(0, 1, 70), (5, 2, 30), (5, 2, 0)], Recorded::Totals);
    played.addresses = vec![Some(1), Some(1), Some(1)];
    let found = look(&played, &[0, 1, 2], 10, Recorded::Totals);
    assert_eq!(found.bands.iter().map(|band| band.bytes).collect::<Vec<_>>(), [30]);
    assert_eq!(found.states.iter().map(|state| state.rest).collect::<Vec<_>>(), [0, 70, 70, 70]);
    // Without addresses nothing is known one by one.
    played.addresses = vec![None; 3];
    let found = look(&played, &[0, 1, 2], 10, Recorded::Totals);
    assert_eq!((found.bands.len(), found.allocations), (0, 0));
}

const GPU: (u32, i64) = (1, 0);

#[test]
fn tables_tell_who_allocated_and_how_much_is_shown() {
    let mut test = TestTrace::default();
    test.module("Linear_0", 0, 24)
        .detailed_op("aten::linear", 5, 23)
        .detailed_op("aten::relu", 26, 50)
        .on_one_thread()
        .allocation(10, GPU, 0xA, 100, Some((1100, 4000)))
        .allocation(20, GPU, 0xB, 200, Some((1300, 4000)))
        .allocation(30, GPU, 0xA, -100, Some((1200, 4000)))
        .allocation(40, GPU, 0xC, 800, Some((2000, 4000)))
        // It was there before.
        .allocation(50, GPU, 0xD, -300, Some((1700, 4000)));
    let section = section_of(&run_of(vec![test]), "memory");
    let of = |id| column(&section, "allocations", id);
    assert_eq!(of("bytes"), integers([800, 300, 200, 100]));
    let (before, end) = (Value::Missing("before the recording"), Value::Missing("in use at the end"));
    assert_eq!(of("start_ns"), [40i64.into(), before, 20i64.into(), 10i64.into()]);
    assert_eq!(of("end_ns"), [end.clone(), 50i64.into(), end.clone(), 30i64.into()]);
    assert_eq!(
        (of("from_state"), of("to_state")),
        (integers([4, 0, 2, 1]), vec![end.clone(), 5i64.into(), end, 3i64.into()],)
    );
    let unknown = Value::Missing("not recorded, or allocated before the recording");
    assert_eq!(
        of("operator"),
        ["aten::relu".into(), unknown.clone(), "aten::linear".into(), "aten::linear".into()]
    );
    assert_eq!(of("module")[2], "nn.Module: Linear_0".into());
    // 1000 B were there before, of which 300 B were released.
    let rest = |id| column(&section, "allocations_rest", id);
    assert_eq!(
        (rest("state"), rest("time_ns")),
        (integers([0, 1, 2, 3, 4, 5]), integers([10, 10, 20, 30, 40, 50]))
    );
    assert_eq!(rest("bytes"), integers([700; 6]));
    let shown = |id| column(&section, "allocations_shown", id);
    assert_eq!((shown("shown"), shown("allocations")), (integers([4]), integers([4])));
    assert_eq!((shown("at_peak_bytes"), shown("peak_pct")), (integers([1300]), vec![Value::Float(65.0)]));
    assert_eq!(shown("device"), texts(["cuda:0"]));
    assert!(!section.tables.iter().any(|table| table.id == "allocation_stacks"));
}

/// Each rank has a device; those with the highest peaks are told, in order of ranks.
#[test]
fn of_many_devices_those_with_most_are_told() {
    let trace = |rank: i64| {
        let mut test = TestTrace::default();
        test.allocation(10, GPU, 1, 1000 + rank % 20, Some((1000 + rank % 20, 4000)));
        test.allocation(11, (0, -1), 1, 1_000_000, None);
        test
    };
    let section = section_of(&run_of((0..40).map(trace).collect()), "memory");
    let ranks = column(&section, "allocations_shown", "rank");
    assert_eq!(ranks, (12..20).chain(32..40).map(Value::Integer).collect::<Vec<_>>());
    assert_eq!(column(&section, "allocations", "rank"), ranks);
    assert_eq!(column(&section, "allocations", "device"), texts(["cuda:0"; 16]));
}
