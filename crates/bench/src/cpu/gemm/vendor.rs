//! Libraries of others, loaded when the machine has them: the line that ours is compared with.

use std::ffi::{CStr, c_char, c_int};
use std::sync::OnceLock;

use libloading::Library;

/// `cblas_sgemm` and `cblas_dgemm`.
type Cblas<T> = unsafe extern "C" fn(
    order: c_int,
    transpose_a: c_int,
    transpose_b: c_int,
    m: c_int,
    n: c_int,
    k: c_int,
    alpha: T,
    a: *const T,
    lda: c_int,
    b: *const T,
    ldb: c_int,
    beta: T,
    c: *mut T,
    ldc: c_int,
);

/// A library that has the C interface of BLAS with 32-bit sizes.
pub(super) struct Blas {
    /// Its name, version and the processor it is written for: `openblas 0.3.21 cooperlake`.
    pub(super) name: String,
    pub(super) single: Cblas<f32>,
    pub(super) double: Cblas<f64>,
    set_threads: unsafe extern "C" fn(c_int),
    /// Functions live as long as it is loaded: always, since it is held by a static.
    _library: Library,
}

impl Blas {
    /// OpenBLAS, if it is there.
    pub(super) fn open_blas() -> Option<&'static Self> {
        static LOADED: OnceLock<Option<Blas>> = OnceLock::new();
        LOADED
            .get_or_init(|| {
                let library =
                    load(&["libopenblas.so.0", "libopenblas.so", "libopenblas.dylib", "openblas.dll"])?;
                // `OpenBLAS 0.3.21 NO_LAPACKE ... Cooperlake MAX_THREADS=64`
                let config = text(&library, c"openblas_get_config").unwrap_or_default();
                let core = text(&library, c"openblas_get_corename").unwrap_or_default();
                // Sizes of 64 bits would be another interface.
                if config.contains("USE64BITINT") {
                    return None;
                }
                let version = config.split_ascii_whitespace().nth(1).unwrap_or_default();
                let name = format!("openblas {version} {}", core.to_ascii_lowercase());
                Self::new(library, name, c"openblas_set_num_threads")
            })
            .as_ref()
    }

    /// BLIS, if it is there.
    pub(super) fn blis() -> Option<&'static Self> {
        static LOADED: OnceLock<Option<Blas>> = OnceLock::new();
        LOADED
            .get_or_init(|| {
                let library = load(&["libblis.so.4", "libblis.so.3", "libblis.so", "libblis.dylib"])?;
                let version = text(&library, c"bli_info_get_version_str").unwrap_or_default();
                Self::new(library, format!("blis {version}"), c"bli_thread_set_num_threads")
            })
            .as_ref()
    }

    fn new(library: Library, name: String, set_threads: &CStr) -> Option<Self> {
        // SAFETY: functions of these names have these signatures (cblas.h with 32-bit sizes; `dim_t`, which is what BLIS
        // takes for threads, is passed in a register whose upper half does not matter for a small number).
        let (single, double, set_threads) = unsafe {
            (
                *library.get(c"cblas_sgemm").ok()?,
                *library.get(c"cblas_dgemm").ok()?,
                *library.get(set_threads).ok()?,
            )
        };
        Some(Self { name: name.trim_end().to_owned(), single, double, set_threads, _library: library })
    }

    /// How many threads the library uses from now on in a call.
    pub(super) fn set_threads(&self, threads: usize) {
        // SAFETY: it takes a number.
        unsafe { (self.set_threads)(c_int::try_from(threads).unwrap_or(1)) }
    }
}

/// The first of these that loads.
fn load(names: &[&str]) -> Option<Library> {
    // SAFETY: these libraries set up threads and tables of their own when they are loaded, and nothing else.
    names.iter().find_map(|name| unsafe { Library::new(*name) }.ok())
}

/// What a function without arguments says.
fn text(library: &Library, function: &CStr) -> Option<String> {
    // SAFETY: functions of these names return a string that lives as long as the library.
    unsafe {
        let function: libloading::Symbol<'_, unsafe extern "C" fn() -> *const c_char> =
            library.get(function).ok()?;
        let answer = function();
        (!answer.is_null()).then(|| CStr::from_ptr(answer).to_string_lossy().into_owned())
    }
}
