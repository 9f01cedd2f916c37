//! The rate of exponentials.

use std::rc::Rc;

use eaves_roofline::measured::{CacheState, Chore, Spec, Verification};
use eaves_roofline::{Precision, Work};

use super::backend::OpenCl;
use super::driver::Argument;
use super::launch::{Check, Prepared, Stage};
use crate::backend::BenchError;

const SOURCE: &str = include_str!("kernels/exp.cl");

/// Numbers of an item.
const WIDTH: usize = 8;

/// Items begin with one of this many vectors, so that all results can be checked with few computed.
const PERIOD: usize = 64;

/// Exponentials of each number, and how far apart their arguments are: a power of two, so that they are exact.
const PASSES: u32 = 256;
const STEP: f32 = 1.0 / 256.0;

pub(super) fn prepare(device: &OpenCl) -> Result<Prepared, BenchError> {
    let driver = device.driver();
    let local = if device.is_processor() { 16 } else { device.info().largest_group.clamp(1, 256) };
    let groups = device.info().units.max(1) as usize * 32;
    let items = groups * local;
    // Scores less their maximum are what attention takes exponentials of. Multiples of 2^-12 below 16 leave room for
    // steps of 2^-8.
    let mut random = fastrand::Rng::with_seed(13);
    let from: Vec<f32> = (0..PERIOD * WIDTH).map(|_| -f32::from(random.u16(..)) / 4096.0).collect();
    let out = driver.upload(&vec![f32::NAN; items * WIDTH])?;
    let arguments = vec![
        Argument::Memory(Rc::clone(&out)),
        Argument::Memory(driver.upload(&from)?),
        Argument::U32(PERIOD as u32),
        Argument::U32(PASSES),
        Argument::F32(STEP),
        Argument::U32(u32::try_from(items).unwrap_or(u32::MAX)),
    ];
    let kernel = driver.kernel(&*device.program(SOURCE, "")?, "exponentials")?;
    let stage = Stage::new(driver, kernel, arguments, [groups, 1], [local, 1])?;
    let numbers = (items * WIDTH) as f64;
    let amount = numbers * f64::from(PASSES);
    // What one item adds up is of one sign, so that the error of the sum is that of its terms: 3 ulp, which are 6 units of
    // roundoff (OpenCL C 3.0, section 7.4), and one for each addition at most.
    let tolerance = (6.0 + f64::from(PASSES)) * 0.5_f64.powi(24);
    let check: Check = Box::new(move |driver| {
        let found = driver.download::<f32>(&out, items * WIDTH)?;
        let right: Vec<f64> = from
            .iter()
            .map(|x| (0..PASSES).map(|pass| f64::from(x - pass as f32 * STEP).exp()).sum())
            .collect();
        let errors =
            found.iter().zip(right.iter().cycle()).map(|(one, other)| (f64::from(*one) / other - 1.0).abs());
        let worse = |worst: f64, error: f64| if error > worst || error.is_nan() { error } else { worst };
        let against = "sums of exp of the standard library in FP64, relative".to_owned();
        Ok(Verification { error: errors.fold(0.0, worse), tolerance, against })
    });
    let work = Work::movement().writes("y", numbers, Precision::FP32);
    Ok(Prepared::new(Spec::Exp, CacheState::Hot, work, vec![stage], check)
        .called(format!("built-in, vectors of {WIDTH}"))
        .with_chores(vec![Chore::exp(amount)]))
}
