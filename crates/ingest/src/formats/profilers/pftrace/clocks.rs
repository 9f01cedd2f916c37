//! Clocks of a trace: which times stand for which, and times that are told as differences.

use std::collections::HashMap;

use crate::protobuf::Fields;

/// `BUILTIN_CLOCK_REALTIME`.
const REALTIME: u64 = 1;

/// `BUILTIN_CLOCK_BOOTTIME`, the clock of traces that say nothing else.
pub(super) const BOOTTIME: u64 = 6;

/// Clocks from here on belong to the sequence that defines them.
const OF_SEQUENCE: u64 = 64;

/// Clocks from here on belong to the whole trace again.
const OF_TRACE: u64 = 128;

/// A clock as the last snapshot has it.
#[derive(Clone, Copy, Default)]
struct Clock {
    /// What is to be added to come to the trace's clock.
    ahead: i64,
    /// Nanoseconds of a tick.
    tick: i64,
    /// If times are told as differences, the last one.
    last: Option<i64>,
}

/// All clocks.
#[derive(Default)]
pub(super) struct Clocks {
    clocks: HashMap<(u64, u64), Clock>,
    /// What is to be added to the trace's clock to come to real time.
    pub(super) real_time: Option<i64>,
}

fn key(sequence: u64, clock: u64) -> (u64, u64) {
    if (OF_SEQUENCE..OF_TRACE).contains(&clock) { (sequence, clock) } else { (0, clock) }
}

impl Clocks {
    /// Takes in a `ClockSnapshot`.
    pub(super) fn snapshot(&mut self, message: &[u8], sequence: u64) {
        let mut found: Vec<(u64, i64, bool, i64)> = Vec::new();
        let mut primary = BOOTTIME;
        for field in Fields::new(message).flatten() {
            match field.number {
                1 => found.extend(field.value.bytes().and_then(clock)),
                2 => primary = field.value.integer().filter(|clock| *clock != 0).unwrap_or(primary),
                _ => {}
            }
        }
        let Some(&(_, trace_time, ..)) = found.iter().find(|(clock, ..)| *clock == primary) else { return };
        for (clock, time, is_incremental, tick) in found {
            let time = time.saturating_mul(tick);
            let ahead = trace_time.saturating_sub(time);
            if clock == REALTIME && primary != REALTIME {
                // The first snapshot: later ones follow the clock being set.
                self.real_time.get_or_insert(ahead.saturating_neg());
            }
            let last = is_incremental.then_some(time);
            self.clocks.insert(key(sequence, clock), Clock { ahead, tick, last });
        }
    }

    /// A time in the trace's clock. Nothing if the clock is not known.
    pub(super) fn convert(&mut self, time: u64, clock: u64, sequence: u64) -> Option<i64> {
        let time = i64::try_from(time).ok()?;
        let Some(clock_state) = self.clocks.get_mut(&key(sequence, clock)) else {
            // Clocks of the system are taken for each other if no snapshot says better.
            return (clock < OF_SEQUENCE).then_some(time);
        };
        let mut time = time.saturating_mul(clock_state.tick);
        if let Some(last) = &mut clock_state.last {
            *last = last.saturating_add(time);
            time = *last;
        }
        Some(time.saturating_add(clock_state.ahead))
    }
}

/// `Clock`: number, time, whether times are differences, nanoseconds of a tick.
fn clock(message: &[u8]) -> Option<(u64, i64, bool, i64)> {
    let (mut clock, mut time, mut incremental, mut tick) = (None, 0, false, 1);
    for field in Fields::new(message).flatten() {
        let value = field.value.integer()?;
        match field.number {
            1 => clock = Some(value),
            2 => time = i64::try_from(value).ok()?,
            3 => incremental = value != 0,
            4 => tick = i64::try_from(value).ok()?.max(1),
            _ => {}
        }
    }
    Some((clock?, time, incremental, tick))
}
