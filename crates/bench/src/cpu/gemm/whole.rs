//! Products by the code of others, each thread one call on its rectangle of the result.

use std::ffi::c_int;
use std::ops::Range;

use eaves_roofline::Work;
use eaves_roofline::measured::{CacheState, Spec, Verification};

use super::pack::{ColumnLines, Matrix, Operand, RowLines};
use super::plan;
use super::product::{Description, Sum};
use super::reference;
use super::vendor::Blas;
use crate::buffer::Buffer;
use crate::kernel::{Kernel, Worker};

/// Whose code.
#[derive(Clone, Copy)]
pub(super) enum Engine {
    /// The `gemm` crate.
    Crate,
    /// A library, one thread in each call.
    Blas(&'static Blas),
    /// A library with its own threads, all in one call of the first worker; the others have nothing to do.
    Pool(&'static Blas),
}

impl Engine {
    fn name(self) -> String {
        match self {
            Self::Crate => "gemm crate, a call for each thread".to_owned(),
            Self::Blas(blas) => format!("{}, a call for each thread", blas.name),
            Self::Pool(blas) => format!("{}, threads of its own", blas.name),
        }
    }
}

/// Row-major operands of one call: `m x k` times `k x n`, with the lengths of their rows.
pub(super) struct Call<T> {
    shape: (usize, usize, usize),
    a: (*const T, usize),
    b: (*const T, usize),
    c: (*mut T, usize),
}

/// Elements that the code of others multiplies.
pub(super) trait Foreign: Sum {
    /// # Safety
    /// The pointers must be those of matrices of that shape.
    unsafe fn multiply(engine: Engine, call: &Call<Self>);
}

macro_rules! foreign {
    ($type:ty, $crate_function:path, $blas_function:ident) => {
        impl Foreign for $type {
            unsafe fn multiply(engine: Engine, call: &Call<Self>) {
                let (m, n, k) = call.shape;
                // SAFETY: as the caller promises; sizes fit, which was checked when the kernel was made.
                unsafe {
                    match engine {
                        // It prefers results whose columns lie together, so the product is computed transposed.
                        Engine::Crate => $crate_function()(
                            n,
                            m,
                            k,
                            call.c.0,
                            call.c.1.cast_signed(),
                            1,
                            false,
                            call.b.0,
                            call.b.1.cast_signed(),
                            1,
                            call.a.0,
                            call.a.1.cast_signed(),
                            1,
                            0.0,
                            1.0,
                            false,
                            false,
                            false,
                            gemm_common::Parallelism::None,
                        ),
                        Engine::Blas(blas) | Engine::Pool(blas) => {
                            const ROW_MAJOR: c_int = 101;
                            const NOT_TRANSPOSED: c_int = 111;
                            (blas.$blas_function)(
                                ROW_MAJOR,
                                NOT_TRANSPOSED,
                                NOT_TRANSPOSED,
                                m as c_int,
                                n as c_int,
                                k as c_int,
                                1.0,
                                call.a.0,
                                call.a.1 as c_int,
                                call.b.0,
                                call.b.1 as c_int,
                                0.0,
                                call.c.0,
                                call.c.1 as c_int,
                            );
                        }
                    }
                }
            }
        }
    };
}

foreign!(f32, gemm_f32::gemm::f32::get_gemm_fn, single);
foreign!(f64, gemm_f64::gemm::f64::get_gemm_fn, double);

/// A product by the code of others.
pub(super) struct Whole<T: Foreign> {
    description: Description,
    engine: Engine,
    a: RowLines<T>,
    b: ColumnLines<T>,
    c: Buffer<T>,
}

impl<T: Foreign> Whole<T> {
    /// `None` if there is not enough memory, or the shape is beyond what the interface of BLAS can say.
    pub(super) fn new(
        description: Description,
        engine: Engine,
        a: RowLines<T>,
        b: ColumnLines<T>,
    ) -> Option<Self> {
        let (m, n, k) = description.shape;
        if [m, n, k].into_iter().any(|size| c_int::try_from(size).is_err()) {
            return None;
        }
        let c = Buffer::zeroed(m.checked_mul(n)?)?;
        Some(Self { description, engine, a, b, c })
    }
}

impl<T: Foreign> Kernel for Whole<T> {
    fn spec(&self) -> Spec {
        self.description.spec
    }

    fn implementation(&self) -> String {
        self.engine.name()
    }

    fn work(&self) -> Work {
        self.description.work.clone()
    }

    fn state(&self) -> CacheState {
        self.description.state
    }

    fn huge_pages(&self) -> Option<bool> {
        self.b.huge_pages()
    }

    fn workers(&mut self, threads: usize) -> Vec<Box<dyn Worker + '_>> {
        let (m, n, k) = self.description.shape;
        let rectangles = match self.engine {
            Engine::Crate => plan::rectangles(m, n, threads, (8, 16)),
            Engine::Blas(blas) => {
                blas.set_threads(1);
                plan::rectangles(m, n, threads, (8, 16))
            }
            Engine::Pool(_) => {
                let mut all = vec![(0..0, 0..0); threads];
                if let Some(first) = all.first_mut() {
                    *first = (0..m, 0..n);
                }
                all
            }
        };
        let (engine, start) = (self.engine, self.c.as_mut_ptr());
        let (a, b) = (&self.a.0, &self.b.0);
        rectangles
            .into_iter()
            .map(|(rows, columns)| {
                let result = Result(start);
                Box::new(Share { engine, threads, a, b, result, rows, columns, k, n }) as Box<dyn Worker>
            })
            .collect()
    }

    fn verify(&self) -> Verification {
        let description = &self.description;
        reference::verify(description.shape, &self.a, &self.b, &self.c, description.tolerance)
    }
}

/// Where the result is.
struct Result<T>(*mut T);

// SAFETY: threads write rectangles that do not overlap, while the product, which owns the memory, is borrowed.
unsafe impl<T: Send> Send for Result<T> {}

struct Share<'a, T: Foreign> {
    engine: Engine,
    threads: usize,
    a: &'a Matrix<T>,
    b: &'a Matrix<T>,
    result: Result<T>,
    rows: Range<usize>,
    columns: Range<usize>,
    k: usize,
    n: usize,
}

impl<T: Foreign> Worker for Share<'_, T> {
    fn run(&mut self, _piece: usize, turn: usize) {
        if self.rows.is_empty() || self.columns.is_empty() {
            return;
        }
        let (a, b) = (self.a.copy(0), self.b.copy(turn % self.b.copies()));
        let pool = if let Engine::Pool(blas) = self.engine { Some(blas) } else { None };
        if let Some(blas) = pool {
            blas.set_threads(self.threads);
        }
        // SAFETY: the rectangle is inside the result and this thread's own; operands are as long as their shapes say.
        unsafe {
            let c = self.result.0.add(self.rows.start * self.n + self.columns.start);
            if self.k == 0 {
                for row in 0..self.rows.len() {
                    std::slice::from_raw_parts_mut(c.add(row * self.n), self.columns.len())
                        .fill(T::default());
                }
                return;
            }
            T::multiply(
                self.engine,
                &Call {
                    shape: (self.rows.len(), self.columns.len(), self.k),
                    a: (a.as_ptr().add(self.rows.start * self.k), self.k),
                    b: (b.as_ptr().add(self.columns.start), self.n),
                    c: (c, self.n),
                },
            );
        }
        if let Some(blas) = pool {
            blas.set_threads(1);
        }
    }
}
