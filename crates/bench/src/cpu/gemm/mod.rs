//! Products of matrices: `C[m, n] = A[m, k] B[k, n]`.
//!
//! The loops are those of BLIS: a block of B is packed for the last cache, a block of A for the second, and a micro-kernel
//! keeps a tile of C in registers. Threads share nothing that is written: each packs what it needs.
#![expect(unsafe_code, reason = "micro-kernels are vector instructions on packed panels")]

mod int8;
#[cfg(target_arch = "aarch64")]
mod neon;
mod pack;
mod plan;
mod portable;
mod product;
mod quantised;
mod reference;
mod tile;
mod vendor;
mod whole;
#[cfg(target_arch = "x86_64")]
mod x86;

use eaves_roofline::Precision;
use eaves_roofline::Work;
use eaves_roofline::measured::{CacheState, Chore, Spec};

use super::{InstructionSet, Making};
use crate::backend::BenchError;
use crate::buffer::Plain;
use crate::kernel::Kernel;
use pack::{ColumnLines, Matrix, RowLines};
use plan::Blocking;
use product::{Description, Product};
use tile::{FLOAT_DEPTH, Tile};
use vendor::Blas;
use whole::{Engine, Foreign, Whole};

/// Whose code multiplies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Implementation {
    /// That of this crate.
    Own,
    /// The `gemm` crate, an independent one.
    Crate,
    /// OpenBLAS, where the system has it, one thread in a call.
    OpenBlas,
    /// OpenBLAS with threads of its own, whose processor time is not seen: only wall time means anything.
    OpenBlasPool,
    /// BLIS, where the system has it, one thread in a call.
    Blis,
    /// BLIS with threads of its own, as above.
    BlisPool,
}

impl Implementation {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Own, Self::Crate, Self::OpenBlas, Self::OpenBlasPool, Self::Blis, Self::BlisPool];

    /// The name in options and files.
    pub fn id(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Crate => "crate",
            Self::OpenBlas => "openblas",
            Self::OpenBlasPool => "openblas-pool",
            Self::Blis => "blis",
            Self::BlisPool => "blis-pool",
        }
    }

    /// The one of this name.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|implementation| implementation.id() == id)
    }

    /// True if it has threads of its own, all in the call of the first worker.
    pub fn has_pool(self) -> bool {
        matches!(self, Self::OpenBlasPool | Self::BlisPool)
    }

    /// The engine, or `None` for our own; an error if the system does not have it.
    fn engine(self) -> Result<Option<Engine>, BenchError> {
        let found = match self {
            Self::Own => return Ok(None),
            Self::Crate => Some(Engine::Crate),
            Self::OpenBlas => Blas::open_blas().map(Engine::Blas),
            Self::OpenBlasPool => Blas::open_blas().map(Engine::Pool),
            Self::Blis => Blas::blis().map(Engine::Blas),
            Self::BlisPool => Blas::blis().map(Engine::Pool),
        };
        found.map(Some).ok_or_else(|| BenchError::Unsupported {
            backend: "cpu".to_owned(),
            what: format!("gemm by {}", self.id()),
            why: "the library is not on this system".to_owned(),
        })
    }
}

/// The kernel for a product; `None` if the spec is none.
pub(super) fn kernel(spec: &Spec, making: &Making) -> Option<Result<Box<dyn Kernel>, BenchError>> {
    matches!(spec, Spec::Gemm { .. }).then(|| make(spec, making, Implementation::Own))
}

/// The kernel for a product by this implementation.
pub fn make(
    spec: &Spec,
    making: &Making,
    implementation: Implementation,
) -> Result<Box<dyn Kernel>, BenchError> {
    let engine = implementation.engine()?;
    let unsupported = |why: &str| BenchError::Unsupported {
        backend: "cpu".to_owned(),
        what: format!("gemm of {}", spec.precision()),
        why: why.to_owned(),
    };
    let Spec::Gemm { weights, activations, .. } = spec else {
        return Err(unsupported("this is another family"));
    };
    match (weights.name, activations.name) {
        ("fp32", "fp32") => float(spec, making, engine, f32_tile(making.instructions), 24),
        ("fp64", "fp64") => float(spec, making, engine, f64_tile(making.instructions), 53),
        ("int8", "int8") if engine.is_none() => int8::make(spec, making),
        _ if engine.is_none() => quantised::make(spec, making),
        _ => Err(unsupported("the code of others multiplies fp32 and fp64")),
    }
}

/// Blocks of floats. As deep as the micro-kernel goes, so that the result is read and written least; a block of A is at most
/// 400 kB, which a second cache of 512 kB holds; and a step lasts 1 to 2 ms.
const FLOAT_BLOCKING: Blocking = Blocking { rows: 96, depth: FLOAT_DEPTH, columns: 1024 };

fn f32_tile(instructions: InstructionSet) -> &'static Tile<f32, f32, f32> {
    match instructions {
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx512 => &x86::avx512_f32::TILE,
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx2 => &x86::avx2_f32::TILE,
        #[cfg(target_arch = "aarch64")]
        InstructionSet::Neon => &neon::neon_f32::TILE,
        _ => &portable::portable_f32::TILE,
    }
}

fn f64_tile(instructions: InstructionSet) -> &'static Tile<f64, f64, f64> {
    match instructions {
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx512 => &x86::avx512_f64::TILE,
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx2 => &x86::avx2_f64::TILE,
        #[cfg(target_arch = "aarch64")]
        InstructionSet::Neon => &neon::neon_f64::TILE,
        _ => &portable::portable_f64::TILE,
    }
}

/// Numbers that are drawn at random.
trait Random: Plain {
    fn draw(random: &mut fastrand::Rng) -> Self;
}

impl Random for f32 {
    fn draw(random: &mut fastrand::Rng) -> Self {
        random.f32() - 0.5
    }
}

impl Random for f64 {
    fn draw(random: &mut fastrand::Rng) -> Self {
        random.f64() - 0.5
    }
}

/// Copies of an operand of this many bytes that are together four times the last cache, if it is to be cold.
fn copies(making: &Making, bytes: usize) -> usize {
    match making.state {
        CacheState::Cold => (4 * making.last_cache).div_ceil(bytes.max(1)).max(2),
        CacheState::Hot | CacheState::LastLevel => 1,
    }
}

fn float<T: Foreign + Random>(
    spec: &Spec,
    making: &Making,
    engine: Option<Engine>,
    tile: &'static Tile<T, T, T>,
    mantissa: i32,
) -> Result<Box<dyn Kernel>, BenchError> {
    let Spec::Gemm { m, n, k, weights, activations } = *spec else { return Err(memory(spec)) };
    let mut random = fastrand::Rng::with_seed(5);
    let bytes = k.saturating_mul(n).saturating_mul(size_of::<T>());
    let a = Matrix::filled(m, k, 1, || T::draw(&mut random)).ok_or_else(|| memory(spec))?;
    let b =
        Matrix::filled(k, n, copies(making, bytes), || T::draw(&mut random)).ok_or_else(|| memory(spec))?;
    let description = Description {
        spec: *spec,
        shape: (m, n, k),
        note: String::new(),
        work: work((m, n, k), weights, activations, weights),
        chores: if engine.is_none() {
            panels((m, n, k), (tile.rows(), tile.columns), size_of::<T>())
        } else {
            Vec::new()
        },
        state: making.state,
        blocking: FLOAT_BLOCKING,
        piece: 400e6 / size_of::<T>() as f64,
        threads: making.threads,
        tolerance: tolerance(k, 0.5_f64.powi(mantissa)),
    };
    let (a, b) = (RowLines(a), ColumnLines(b));
    let made: Option<Box<dyn Kernel>> = match engine {
        None => {
            Product::new(description, tile, Box::new(a), Box::new(b)).map(|product| Box::new(product) as _)
        }
        Some(engine) => Whole::new(description, engine, a, b).map(|product| Box::new(product) as _),
    };
    made.ok_or_else(|| memory(spec))
}

/// However well everything stays where it is packed to, packed rows of A come from the second cache again for every tile's
/// columns of B, and a panel of B for every tile's rows of A: blocks are so deep that the two are together larger than a
/// first cache (88 kB of FP32 with tiles of 12x32, 45 kB with 6x16).
fn panels((m, n, k): (usize, usize, usize), (rows, columns): (usize, usize), bytes: usize) -> Vec<Chore> {
    let of_a = m as f64 * n.div_ceil(columns.max(1)) as f64;
    let of_b = n as f64 * m.div_ceil(rows.max(1)) as f64;
    let amount = (of_a + of_b) * k as f64 * bytes as f64;
    vec![Chore { rate: "read l2".to_owned(), amount }]
}

/// What a product must do.
fn work(
    (m, n, k): (usize, usize, usize),
    weights: Precision,
    activations: Precision,
    result: Precision,
) -> Work {
    let (m, n, k) = (m as f64, n as f64, k as f64);
    Work::matrix(m * n * k, weights)
        .reads("activations", m * k, activations)
        .reads("weights", k * n, weights)
        .writes("output", m * n, result)
}

fn memory(spec: &Spec) -> BenchError {
    BenchError::Memory { what: format!("gemm {} {}", spec.shape(), spec.precision()) }
}

#[cfg(test)]
mod tests;

/// What roundings of a sum of `k` products may come to, relative to the sum of their magnitudes: they are as often up as down,
/// so that they grow with the square root (Higham and Mary, "A New Approach to Probabilistic Rounding Error Analysis", 2019).
/// The worst case, `2 k u`, would let through a product that was skipped.
pub(super) fn tolerance(k: usize, unit: f64) -> f64 {
    (8.0 * (k as f64).sqrt() + 4.0) * unit
}
