//! The clock of a GPU and whether it was slowed down, from NVIDIA's management library where there is one.

use nvml_wrapper::Nvml;
use nvml_wrapper::bitmasks::device::ThrottleReasons;
use nvml_wrapper::enum_wrappers::device::Clock;

/// Slowed down by the hardware, by heat or by the power supply. The power limit is not among them: it is how every large GPU
/// works.
const SLOWED: ThrottleReasons = ThrottleReasons::HW_SLOWDOWN
    .union(ThrottleReasons::SW_THERMAL_SLOWDOWN)
    .union(ThrottleReasons::HW_THERMAL_SLOWDOWN)
    .union(ThrottleReasons::HW_POWER_BRAKE_SLOWDOWN);

/// What a GPU does at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct State {
    /// Of its multiprocessors, in hertz.
    pub(super) clock: Option<f64>,
    pub(super) is_throttled: bool,
}

/// Watches a GPU.
pub(super) struct Monitor(Nvml);

impl Monitor {
    /// Watches the only GPU of the machine; the library numbers several in another order than the driver, so that of those
    /// none is watched.
    pub(super) fn of_only_device() -> Option<Self> {
        let library = Nvml::init().ok()?;
        matches!(library.device_count(), Ok(1)).then_some(Self(library))
    }

    /// What it does now.
    pub(super) fn read(&self) -> State {
        let Ok(device) = self.0.device_by_index(0) else { return State::default() };
        let clock = device.clock_info(Clock::SM).ok().filter(|megahertz| *megahertz > 0);
        State {
            clock: clock.map(|megahertz| f64::from(megahertz) * 1e6),
            is_throttled: device.current_throttle_reasons().is_ok_and(|reasons| reasons.intersects(SLOWED)),
        }
    }
}
