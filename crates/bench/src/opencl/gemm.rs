//! Products of matrices.

use std::rc::Rc;

use eaves_roofline::Work;
use eaves_roofline::measured::{CacheState, Spec};

use super::backend::OpenCl;
use super::driver::Argument;
use super::gemv::{LONGEST_INTEGER, checked, result};
use super::launch::{Prepared, Stage};
use super::matrix::{Compute, Matrix, format_of, loader, values};
use crate::backend::BenchError;

const SOURCE: &str = concat!(include_str!("kernels/load.cl"), include_str!("kernels/gemm.cl"));

/// How a tile of the result is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Tiling {
    /// Items of a group along each side.
    group: usize,
    /// Blocks of an item along each side.
    blocks: [usize; 2],
    /// Rows of a block, and vectors of a row.
    block: [usize; 2],
    /// Elements of a vector.
    width: usize,
    /// Elements of a row or column that are in local memory at a time.
    depth: usize,
}

impl Tiling {
    /// On a processor one item has a tile as large as the second cache likes, but not much higher than there are rows, and
    /// a block that its registers hold: 8x2 of the 32 vectors of AVX-512, 6x2 of the 16 of AVX2. On a graphics processor
    /// 256 items share a tile.
    fn new(device: &OpenCl, compute: Compute, m: usize) -> Self {
        let halved = if compute == Compute::Double { 2 } else { 1 };
        if !device.is_processor() {
            let group = if device.info().largest_group >= 256 { 16 } else { 8 };
            return Self { group, blocks: [1, 1], block: [4, 1], width: 4, depth: 16 };
        }
        let width = device.info().vector.clamp(4, 16).next_power_of_two() as usize;
        let rows = if width == 16 { 8 } else { 6 };
        // Few sizes, so that few programs are compiled.
        let blocks = m.div_ceil(rows).clamp(1, 16).next_power_of_two();
        let width = (width / halved).max(2);
        Self { group: 1, blocks: [blocks, 128 / width], block: [rows, 2], width, depth: 128 }
    }

    fn rows(&self) -> usize {
        self.group * self.blocks[0] * self.block[0]
    }

    fn columns(&self) -> usize {
        self.group * self.blocks[1] * self.block[1] * self.width
    }

    fn options(&self) -> String {
        let Self { group, blocks: [m, n], block: [rows, vectors], width, depth } = self;
        format!(
            "-DGROUP={group} -DBLOCKS_M={m} -DBLOCKS_N={n} -DROWS={rows} -DVECTORS={vectors} -DWIDTH={width} -DDEPTH={depth}"
        )
    }
}

pub(super) fn prepare(device: &OpenCl, spec: &Spec, state: CacheState) -> Result<Prepared, BenchError> {
    let Spec::Gemm { m, n, k, weights, activations } = *spec else {
        return Err(device.unsupported(spec.family(), "this is another family"));
    };
    let (format, a_format) = (format_of(device, &weights)?, format_of(device, &activations)?);
    let compute = Compute::of(device, &[format, a_format])?;
    if compute == Compute::Integer && k > LONGEST_INTEGER {
        return Err(device.unsupported(spec.shape(), "sums of so many products do not fit 32 bits"));
    }
    let copies = device.copies(state, Matrix::bytes(format, n, k))?;
    let w = Matrix::random(device, format, (n, k), copies, 31, true)?;
    let a = Matrix::random(device, a_format, (m, k), 1, 32, true)?;
    let tiling = Tiling::new(device, compute, m);
    let options = format!(
        "{} {} -DLOAD_W={} -DLOAD_A={}{}",
        compute.options(),
        tiling.options(),
        loader(format, compute),
        loader(a_format, compute),
        values(&[format, a_format])
    );
    let driver = device.driver();
    let kernel = driver.kernel(&*device.program(SOURCE, &options)?, "gemm")?;
    let c = result(device, compute, m * n)?;
    let size = |length: usize| Argument::U32(u32::try_from(length).unwrap_or(u32::MAX));
    let mut arguments = w.arguments();
    arguments.extend(a.arguments());
    arguments.extend([Argument::Memory(Rc::clone(&c)), size(m), size(n), Argument::U32(w.stride())]);
    let groups = [n.div_ceil(tiling.columns()), m.div_ceil(tiling.rows())];
    let stage = Stage::new(driver, kernel, arguments, groups, [tiling.group, tiling.group])?
        .rotating(0, w.codes())
        .rotating(1, w.scales());
    let mut work = Work::matrix((m * n) as f64 * k as f64, weights)
        .reads("activations", a.rows.elements(), a.rows.precision())
        .reads("weights", w.rows.elements(), w.rows.precision())
        .writes("output", (m * n) as f64, compute.result());
    work.arithmetic = Some(compute.arithmetic());
    let chores = w.chores(activations);
    let check = checked((m, n, k), a.rows, w.rows, c, compute);
    let [rows, vectors] = tiling.block;
    let implementation = format!(
        "tiles of {}x{}, blocks of {rows}x{}, compute {}",
        tiling.rows(),
        tiling.columns(),
        vectors * tiling.width,
        compute.id()
    );
    Ok(Prepared::new(*spec, state, work, vec![stage], check).called(implementation).with_chores(chores))
}
