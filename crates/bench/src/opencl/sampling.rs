//! Timing by the device's own clock, with the host's next to it.

use std::time::Instant;

use eaves_roofline::measured::Contamination;

use super::devices::{DeviceInfo, Kind};
use super::driver::Driver;
use super::launch::Prepared;
use crate::backend::BenchError;
use crate::system::{process_time, steal};
use crate::timing::{Order, Outcome, Runner};

/// The two clocks may run apart by this share, and the device's may be coarse.
const CLOCKS_APART: f64 = 1e-3;

/// A device that is the processor has lost it to others if the program had less of it than this share of what its groups
/// can use, or of what it had in its best sample; the rest is threads that wake up and wait for each other. Who is
/// interrupted loses a timeslice, which is longer than a sample. Interruptions themselves tell nothing: threads of the driver
/// that have nothing to do are woken, and interrupt others, in every sample.
const LEAST_SHARE: f64 = 0.9;

/// A call that takes longer than this on a processor is cut, in nanoseconds.
const LONGEST: u64 = 2_000_000;

/// A device that runs kernels.
pub(super) struct DeviceRunner<'a> {
    driver: &'a Driver,
    info: &'a DeviceInfo,
    kernels: &'a [Prepared],
    /// Why each kernel was given up.
    pub(super) errors: Vec<Option<BenchError>>,
    /// The largest share of processor time in device time, for each kernel and piece.
    busiest: Vec<Vec<f64>>,
}

impl<'a> DeviceRunner<'a> {
    pub(super) fn new(driver: &'a Driver, info: &'a DeviceInfo, kernels: &'a [Prepared]) -> Self {
        let busiest = kernels.iter().map(|kernel| vec![0.0; kernel.pieces()]).collect();
        Self { driver, info, kernels, errors: kernels.iter().map(|_| None).collect(), busiest }
    }

    fn attempt(&mut self, order: Order) -> Result<Option<Outcome>, BenchError> {
        let Some(kernel) = self.kernels.get(order.kernel) else { return Ok(None) };
        let (stolen_before, process_before) = (steal(), process_time());
        let start = Instant::now();
        let commands = (0..order.calls as usize)
            .map(|call| kernel.run(self.driver, order.piece, order.turn + call))
            .collect::<Result<Vec<_>, _>>()?;
        self.driver.finish()?;
        let host_ns = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let (stolen_after, process_after) = (steal(), process_time());
        let stamps =
            commands.iter().map(|command| self.driver.times(command)).collect::<Result<Vec<_>, _>>()?;
        let (wall_ns, mut contamination) = device_time(&stamps, host_ns, self.info.timer_resolution);
        // Whatever else the machine does is none of a graphics processor's business.
        let is_processor = self.info.kind == Kind::Cpu;
        let difference = |(before, after): (u64, u64)| u32::try_from(after.checked_sub(before)?).ok();
        let stolen = stolen_before.zip(stolen_after).and_then(difference).filter(|_| is_processor);
        let process = process_before.zip(process_after).filter(|_| is_processor);
        let switches = process.and_then(|(before, after)| difference((before.switches, after.switches)));
        if is_processor && contamination.is_none() {
            let busy = process.map(|(before, after)| {
                after.cpu_ns.saturating_sub(before.cpu_ns) as f64 / wall_ns.max(1) as f64
            });
            contamination = if stolen.is_some_and(|ticks| ticks > 0) {
                Some(Contamination::Stolen)
            } else {
                busy.filter(|busy| self.is_idle(order, *busy)).map(|_| Contamination::LostProcessor)
            };
        }
        Ok(Some(Outcome {
            wall_ns,
            other_ns: Some(host_ns),
            switches,
            steal: stolen,
            clock: None,
            contamination,
        }))
    }

    /// Whether the program had less of the processor than the groups of this piece can use, or much less than in the best
    /// sample of it. A thread of the driver that waits for a processor while another does all the work is not interrupted,
    /// and shows in nothing else.
    fn is_idle(&mut self, order: Order, busy: f64) -> bool {
        let units = self.info.units.max(1) as usize;
        let groups = self.kernels.get(order.kernel).map_or(1, |kernel| kernel.groups(order.piece)).max(1);
        let usable = usable(groups, units);
        let Some(busiest) = self.busiest.get_mut(order.kernel).and_then(|pieces| pieces.get_mut(order.piece))
        else {
            return false;
        };
        // Sending commands takes time too, so that a short kernel may seem busier than the device can be.
        *busiest = busiest.max(busy.min(units as f64));
        busy < usable.max(*busiest) * LEAST_SHARE
    }
}

/// How many units are busy on average while this many equal groups are done, whichever unit is free taking the next.
fn usable(groups: usize, units: usize) -> f64 {
    groups as f64 / groups.div_ceil(units.max(1)).max(1) as f64
}

impl Runner for DeviceRunner<'_> {
    fn run(&mut self, order: Order) -> Option<Outcome> {
        self.attempt(order).unwrap_or_else(|error| {
            if let Some(slot) = self.errors.get_mut(order.kernel) {
                slot.get_or_insert(error);
            }
            None
        })
    }
}

/// Nanoseconds that the device worked, and what is wrong with its timestamps. Commands of one queue are run one after the
/// other; what passes between two of them is not theirs.
fn device_time(stamps: &[(u64, u64)], host_ns: u64, resolution: u64) -> (u64, Option<Contamination>) {
    let backwards = stamps.iter().any(|(start, end)| end < start)
        || stamps.windows(2).any(|pair| matches!(pair, [one, next] if next.0 + resolution < one.1));
    let device_ns = stamps.iter().map(|(start, end)| end.saturating_sub(*start)).sum();
    let slack = host_ns as f64 * CLOCKS_APART + resolution as f64;
    let contamination = if backwards || device_ns == 0 {
        Some(Contamination::Backwards)
    } else {
        (device_ns as f64 > host_ns as f64 + slack).then_some(Contamination::DeviceAboveHost)
    };
    (device_ns, contamination)
}

/// On a device that is the processor, cuts a kernel whose calls are longer than a timeslice. Graphics processors are not
/// shared in slices, and a part of a kernel would not fill them.
pub(super) fn cut_to_slices(
    driver: &Driver,
    info: &DeviceInfo,
    kernel: &mut Prepared,
) -> Result<(), BenchError> {
    if info.kind != Kind::Cpu {
        return Ok(());
    }
    let mut quickest = u64::MAX;
    // The first call may be compiled only now.
    for _ in 0..3 {
        let mut whole = 0;
        for piece in 0..kernel.pieces() {
            let command = kernel.run(driver, piece, 0)?;
            driver.finish()?;
            let (start, end) = driver.times(&command)?;
            whole += end.saturating_sub(start);
        }
        quickest = quickest.min(whole);
    }
    if quickest > LONGEST {
        kernel.cut(usize::try_from(2 * quickest / LONGEST).unwrap_or(1));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: three groups on two units take two rounds, of which one is half idle.
    #[test]
    fn units_that_groups_can_use() {
        assert_eq!(usable(3, 2), 1.5);
        assert_eq!(usable(1, 8), 1.0);
        assert_eq!(usable(64, 8), 8.0);
    }

    #[test]
    fn time_stamps_that_cannot_be_true_are_named() {
        let judged = |stamps: &[(u64, u64)], host| device_time(stamps, host, 1);
        assert_eq!(judged(&[(100, 200), (250, 300)], 300), (150, None));
        // One command ends before it began, one begins before its predecessor ended, and a clock that stands.
        assert_eq!(judged(&[(100, 99)], 300).1, Some(Contamination::Backwards));
        assert_eq!(judged(&[(100, 200), (150, 300)], 300).1, Some(Contamination::Backwards));
        assert_eq!(judged(&[(0, 0), (0, 0)], 300), (0, Some(Contamination::Backwards)));
        assert_eq!(judged(&[(1000, 3000)], 1900), (2000, Some(Contamination::DeviceAboveHost)));
        // Half a per mille is the difference of two clocks.
        assert_eq!(judged(&[(0, 1_000_500)], 1_000_000).1, None);
    }
}
