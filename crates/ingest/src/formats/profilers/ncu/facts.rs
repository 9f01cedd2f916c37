//! What metrics say of a launch besides being its counters: duration, registers, shared memory, extents.

use eaves_model::{MaybeF64, MaybeI64, MaybeU32, RangeCounters, SliceId};

use super::launches::DEVICE_ATTRIBUTE;

/// Clocks by which a launch can be timed that has no duration: cycles, and cycles in a second.
const CLOCKS: [(&str, &str); 3] = [
    ("sm__cycles_elapsed.avg", "sm__cycles_elapsed.avg.per_second"),
    ("smsp__cycles_elapsed.avg", "smsp__cycles_elapsed.avg.per_second"),
    ("gpc__cycles_elapsed.max", "gpc__cycles_elapsed.avg.per_second"),
];

/// What a metric says besides being a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Duration,
    Cycles(u8),
    Rate(u8),
    Registers,
    SharedMemory,
    DriverSharedMemory,
    DynamicSharedMemory,
    StaticSharedMemory,
    Occupancy,
    Grid(u8),
    Block(u8),
    /// An attribute of the device, which is not a counter of the launch.
    Device,
    Nothing,
}

/// What a metric means by its name.
pub(super) fn meaning(metric: &str) -> Meaning {
    for (clock, (cycles, rate)) in (0_u8..).zip(CLOCKS) {
        if metric == cycles {
            return Meaning::Cycles(clock);
        }
        if metric == rate {
            return Meaning::Rate(clock);
        }
    }
    match metric {
        "gpu__time_duration.sum" | "gpu__time_duration.avg" => Meaning::Duration,
        "launch__registers_per_thread" => Meaning::Registers,
        "launch__shared_mem_per_block" => Meaning::SharedMemory,
        "launch__shared_mem_per_block_driver" => Meaning::DriverSharedMemory,
        "launch__shared_mem_per_block_dynamic" => Meaning::DynamicSharedMemory,
        "launch__shared_mem_per_block_static" => Meaning::StaticSharedMemory,
        "sm__maximum_warps_per_active_cycle_pct" => Meaning::Occupancy,
        "launch__grid_dim_x" => Meaning::Grid(0),
        "launch__grid_dim_y" => Meaning::Grid(1),
        "launch__grid_dim_z" => Meaning::Grid(2),
        "launch__block_dim_x" => Meaning::Block(0),
        "launch__block_dim_y" => Meaning::Block(1),
        "launch__block_dim_z" => Meaning::Block(2),
        _ if metric.starts_with(DEVICE_ATTRIBUTE) => Meaning::Device,
        _ => Meaning::Nothing,
    }
}

/// What metrics say of a launch besides. Zero is not said.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    duration: MaybeF64,
    cycles: [f64; CLOCKS.len()],
    rates: [f64; CLOCKS.len()],
    pub(super) registers: MaybeU32,
    shared: MaybeI64,
    shared_driver: MaybeI64,
    shared_dynamic: MaybeI64,
    shared_static: MaybeI64,
    pub(super) occupancy: MaybeF64,
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
}

impl Default for Facts {
    fn default() -> Self {
        Self {
            duration: MaybeF64::NONE,
            cycles: [0.0; CLOCKS.len()],
            rates: [0.0; CLOCKS.len()],
            registers: MaybeU32::NONE,
            shared: MaybeI64::NONE,
            shared_driver: MaybeI64::NONE,
            shared_dynamic: MaybeI64::NONE,
            shared_static: MaybeI64::NONE,
            occupancy: MaybeF64::NONE,
            grid: [0; 3],
            block: [0; 3],
        }
    }
}

/// A count that a metric gives, if it is one.
fn count(value: f64) -> Option<u32> {
    (value >= 0.0 && value < f64::from(u32::MAX) && value.fract() == 0.0).then_some(value as u32)
}

fn bytes(value: f64) -> MaybeI64 {
    // Exact in a float below 2^53, and no block has as much.
    if (0.0..9e15).contains(&value) { MaybeI64::new(value.round() as i64) } else { MaybeI64::NONE }
}

impl Facts {
    fn take(&mut self, meaning: Meaning, value: f64) {
        let set = |slots: &mut [f64], slot: u8| {
            if let Some(slot) = slots.get_mut(usize::from(slot)) {
                *slot = value;
            }
        };
        let set_count = |slots: &mut [u32], slot: u8| {
            if let (Some(slot), Some(value)) = (slots.get_mut(usize::from(slot)), count(value)) {
                *slot = value;
            }
        };
        match meaning {
            Meaning::Duration if value >= 0.0 => self.duration = MaybeF64::new(value),
            Meaning::Cycles(clock) => set(&mut self.cycles, clock),
            Meaning::Rate(clock) => set(&mut self.rates, clock),
            Meaning::Registers => self.registers = count(value).into(),
            Meaning::SharedMemory => self.shared = bytes(value),
            Meaning::DriverSharedMemory => self.shared_driver = bytes(value),
            Meaning::DynamicSharedMemory => self.shared_dynamic = bytes(value),
            Meaning::StaticSharedMemory => self.shared_static = bytes(value),
            Meaning::Occupancy => self.occupancy = MaybeF64::new(value),
            Meaning::Grid(axis) => set_count(&mut self.grid, axis),
            Meaning::Block(axis) => set_count(&mut self.block, axis),
            Meaning::Duration | Meaning::Device | Meaning::Nothing => {}
        }
    }

    /// Nanoseconds that the launch took.
    pub(super) fn time(&self) -> Option<f64> {
        let clocked = || {
            let clocks = self.cycles.iter().zip(&self.rates);
            clocks
                .filter(|&(&cycles, &rate)| cycles > 0.0 && rate > 0.0)
                .map(|(cycles, rate)| cycles / rate * 1e9)
                .next()
        };
        self.duration.get().or_else(clocked).filter(|time| time.is_finite())
    }

    /// Bytes of shared memory that the kernel asked for, as other profilers count them: without what the driver takes.
    pub(super) fn shared_memory(&self) -> MaybeI64 {
        match (self.shared_dynamic.get(), self.shared_static.get(), self.shared.get()) {
            (Some(dynamic), Some(fixed), _) => MaybeI64::new(dynamic + fixed),
            (.., Some(all)) => MaybeI64::new((all - self.shared_driver.unwrap_or(0)).max(0)),
            _ => MaybeI64::NONE,
        }
    }
}

/// What the counters of a launch say besides, from a row on that is moved behind them.
pub(super) fn facts(
    counters: &RangeCounters,
    row: &mut usize,
    slice: SliceId,
    meanings: &[Meaning],
) -> Facts {
    let mut facts = Facts::default();
    while let Some(&its) = counters.slice.get(*row)
        && its <= slice
    {
        let metric = counters.metric.get(*row).map_or(usize::MAX, |metric| metric.index());
        let meaning = meanings.get(metric).copied().unwrap_or(Meaning::Nothing);
        if let (true, Some(value)) =
            (meaning != Meaning::Nothing, counters.value.get(*row).and_then(|v| v.get()))
        {
            facts.take(meaning, value);
        }
        *row += 1;
    }
    facts
}
