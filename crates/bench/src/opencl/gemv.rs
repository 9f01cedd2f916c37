//! Products of a matrix and a vector.

use std::rc::Rc;

use eaves_roofline::measured::{CacheState, Spec};
use eaves_roofline::{Engine, Work};

use super::backend::OpenCl;
use super::driver::{Argument, Memory};
use super::launch::{Check, Prepared, Stage};
use super::matrix::{Compute, Matrix, Rows, format_of, loader, values};
use crate::backend::BenchError;
use crate::reference;

const SOURCE: &str = concat!(include_str!("kernels/load.cl"), include_str!("kernels/gemv.cl"));

/// Items that share a row on a graphics processor.
const ITEMS: usize = 64;

/// Sums of integers of 8 bits that are as large as can be fit 32 bits up to this length.
pub(super) const LONGEST_INTEGER: usize = (i32::MAX / (127 * 127)) as usize;

pub(super) fn prepare(device: &OpenCl, spec: &Spec, state: CacheState) -> Result<Prepared, BenchError> {
    let Spec::Gemv { n, k, weights, activations } = *spec else {
        return Err(device.unsupported(spec.family(), "this is another family"));
    };
    let (format, x_format) = (format_of(device, &weights)?, format_of(device, &activations)?);
    let compute = Compute::of(device, &[format, x_format])?;
    if compute == Compute::Integer && k > LONGEST_INTEGER {
        return Err(device.unsupported(spec.shape(), "sums of so many products do not fit 32 bits"));
    }
    let copies = device.copies(state, Matrix::bytes(format, n, k))?;
    let w = Matrix::random(device, format, (n, k), copies, 21, true)?;
    let x = Matrix::random(device, x_format, (1, k), 1, 22, true)?;
    let items = if device.is_processor() { 1 } else { ITEMS.min(device.info().largest_group).max(1) };
    let options = format!(
        "{} -DITEMS={items} -DLOAD_W={} -DLOAD_A={}{}",
        compute.options(),
        loader(format, compute),
        loader(x_format, compute),
        values(&[format, x_format])
    );
    let driver = device.driver();
    let kernel = driver.kernel(&*device.program(SOURCE, &options)?, "gemv")?;
    let y = result(device, compute, n)?;
    let mut arguments = w.arguments();
    arguments.extend(x.arguments());
    arguments.extend([
        Argument::Memory(Rc::clone(&y)),
        Argument::U32(u32::try_from(n).unwrap_or(u32::MAX)),
        Argument::U32(w.stride()),
    ]);
    let stage = Stage::new(driver, kernel, arguments, [n, 1], [items, 1])?
        .rotating(0, w.codes())
        .rotating(1, w.scales());
    let macs = (n * k) as f64;
    let work = Work {
        flops: 2.0 * macs,
        macs,
        arithmetic: Some(compute.arithmetic()),
        engine: Engine::Vector,
        ..Work::movement()
    }
    .reads("weight", w.rows.elements(), w.rows.precision())
    .reads("x", x.rows.elements(), x.rows.precision())
    .writes("output", n as f64, compute.result());
    let chores = w.chores(activations);
    let check = checked((1, n, k), x.rows, w.rows, y, compute);
    let implementation = format!("{} a row, compute {}", plural(items, "item"), compute.id());
    Ok(Prepared::new(*spec, state, work, vec![stage], check).called(implementation).with_chores(chores))
}

pub(super) fn plural(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// Memory for this many results. What no item writes must not look like one.
pub(super) fn result(device: &OpenCl, compute: Compute, count: usize) -> Result<Rc<Memory>, BenchError> {
    match compute {
        Compute::Double => device.driver().upload(&vec![f64::NAN; count]),
        Compute::Float | Compute::Integer => device.driver().upload(&vec![f32::NAN; count]),
    }
}

/// Results that are read as double precision.
pub(super) fn read(
    driver: &super::driver::Driver,
    memory: &Memory,
    compute: Compute,
    count: usize,
) -> Result<Vec<f64>, BenchError> {
    Ok(match compute {
        Compute::Double => driver.download::<f64>(memory, count)?,
        Compute::Float | Compute::Integer => {
            driver.download::<f32>(memory, count)?.into_iter().map(f64::from).collect()
        }
    })
}

/// Holds a product of rows of `a` and rows of `w` against dot products.
pub(super) fn checked(
    (m, n, k): (usize, usize, usize),
    a: Rows,
    w: Rows,
    result: Rc<Memory>,
    compute: Compute,
) -> Check {
    Box::new(move |driver| {
        let found = read(driver, &result, compute, m * n)?;
        Ok(reference::verify(
            (m, n, k),
            &|row, out| a.line(row, out),
            &|row, out| w.line(row, out),
            &found,
            compute.tolerance(k),
        ))
    })
}
