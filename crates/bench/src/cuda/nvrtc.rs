//! NVIDIA's compiler as a library, loaded when it is there.
#![expect(unsafe_code, reason = "functions of a library that is loaded at run time")]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};

use libloading::Library;

use super::{Architecture, Program};
use crate::backend::BenchError;

/// The environment variable that names a folder with the library, for machines where the loader does not find it.
pub const FOLDER: &str = "EAVES_NVRTC";

/// Names of the library, newest first.
const NAMES: &[&str] = if cfg!(windows) {
    &["nvrtc64_130_0.dll", "nvrtc64_120_0.dll"]
} else {
    &["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"]
};

type Handle = *mut c_void;
type Code = c_int;

/// Functions of `nvrtc.h`.
#[derive(Clone, Copy)]
struct Functions {
    version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> Code,
    error: unsafe extern "C" fn(Code) -> *const c_char,
    create: unsafe extern "C" fn(
        *mut Handle,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> Code,
    compile: unsafe extern "C" fn(Handle, c_int, *const *const c_char) -> Code,
    log_size: unsafe extern "C" fn(Handle, *mut usize) -> Code,
    log: unsafe extern "C" fn(Handle, *mut c_char) -> Code,
    cubin_size: unsafe extern "C" fn(Handle, *mut usize) -> Code,
    cubin: unsafe extern "C" fn(Handle, *mut c_char) -> Code,
    destroy: unsafe extern "C" fn(*mut Handle) -> Code,
}

/// The compiler.
pub struct Compiler {
    functions: Functions,
    version: (c_int, c_int),
    // Dropped after the functions that point into it were last used.
    _libraries: Vec<Library>,
}

/// The result of running a program.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// Machine code of one architecture.
    pub cubin: Vec<u8>,
    /// What the compiler and the assembler said: registers, shared memory and spills of each kernel.
    pub log: String,
}

impl Compiler {
    /// Loads the library from where [`FOLDER`] says, or from where the system's loader looks.
    pub fn find() -> Result<Self, BenchError> {
        Self::load(std::env::var_os(FOLDER).map(PathBuf::from).as_deref())
    }

    /// Loads the library from a folder, or from where the system's loader looks.
    pub fn load(folder: Option<&Path>) -> Result<Self, BenchError> {
        let mut libraries = Vec::new();
        if let Some(folder) = folder {
            // The compiler loads this part by its name alone, which works if it is there already.
            libraries.extend(files(folder, "builtins").into_iter().filter_map(|path| open(&path).ok()));
        }
        let candidates = match folder {
            Some(folder) => files(folder, ""),
            None => NAMES.iter().map(PathBuf::from).collect(),
        };
        let mut causes = Vec::new();
        for candidate in candidates {
            match open(&candidate) {
                Ok(library) => {
                    libraries.push(library);
                    return Self::new(libraries).map_err(missing);
                }
                Err(error) => causes.push(error.to_string()),
            }
        }
        Err(missing(if causes.is_empty() { "no such library".to_owned() } else { causes.join("; ") }))
    }

    fn new(libraries: Vec<Library>) -> Result<Self, String> {
        let library = libraries.last().ok_or("no such library")?;
        // SAFETY: the types are those of `nvrtc.h`, which have not changed since CUDA 11.1.
        let functions = unsafe {
            Functions {
                version: symbol(library, b"nvrtcVersion")?,
                error: symbol(library, b"nvrtcGetErrorString")?,
                create: symbol(library, b"nvrtcCreateProgram")?,
                compile: symbol(library, b"nvrtcCompileProgram")?,
                log_size: symbol(library, b"nvrtcGetProgramLogSize")?,
                log: symbol(library, b"nvrtcGetProgramLog")?,
                cubin_size: symbol(library, b"nvrtcGetCUBINSize")?,
                cubin: symbol(library, b"nvrtcGetCUBIN")?,
                destroy: symbol(library, b"nvrtcDestroyProgram")?,
            }
        };
        let mut version = (0, 0);
        // SAFETY: both are written.
        unsafe { (functions.version)(&mut version.0, &mut version.1) };
        Ok(Self { functions, version, _libraries: libraries })
    }

    /// Its name and version: `NVRTC 13.4`.
    pub fn name(&self) -> String {
        format!("NVRTC {}.{}", self.version.0, self.version.1)
    }

    /// Compiles a program with these macros next to its own. The error holds what the compiler said.
    pub fn compile(
        &self,
        program: &Program,
        defines: &[String],
        architecture: Architecture,
    ) -> Result<Compiled, BenchError> {
        let failed = |cause: String| BenchError::Device {
            device: format!("{} for {architecture}", self.name()),
            cause: format!("{}: {cause}", program.id),
        };
        let mut options = vec![
            format!("--gpu-architecture={architecture}"),
            "--std=c++17".to_owned(),
            // The prelude has a function for each instruction, of which a program uses some.
            "--diag-suppress=177".to_owned(),
            "--ptxas-options=-v".to_owned(),
        ];
        let own = program.defines.iter().map(|define| (*define).to_owned());
        options.extend(own.chain(defines.iter().cloned()).map(|define| format!("-D{define}")));
        self.run(&program.text(), &options).map_err(failed)
    }

    fn run(&self, text: &str, options: &[String]) -> Result<Compiled, String> {
        let zero = |_| "a text with a zero byte".to_owned();
        let source = CString::new(text).map_err(zero)?;
        let options: Vec<CString> = options
            .iter()
            .map(|option| CString::new(option.as_str()))
            .collect::<Result<_, _>>()
            .map_err(zero)?;
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let count = c_int::try_from(pointers.len()).map_err(|_| "too many options".to_owned())?;
        let mut handle: Handle = std::ptr::null_mut();
        // SAFETY: texts end with zero and outlive the program, which is destroyed below whatever happens.
        let code = unsafe {
            (self.functions.create)(
                &mut handle,
                source.as_ptr(),
                c"prelude.cu".as_ptr(),
                0,
                std::ptr::null(),
                std::ptr::null(),
            )
        };
        self.check(code)?;
        // SAFETY: the program was made above.
        let code = unsafe { (self.functions.compile)(handle, count, pointers.as_ptr()) };
        let log = self
            .bytes(handle, self.functions.log_size, self.functions.log)
            .map(|bytes| String::from_utf8_lossy(&bytes).trim_matches(['\0', '\n']).to_owned());
        let answer = match (self.check(code), log) {
            (Err(error), Ok(log)) => Err(format!("{error}: {}", beginning(&log))),
            (Err(error), Err(_)) | (Ok(()), Err(error)) => Err(error),
            (Ok(()), Ok(log)) => self
                .bytes(handle, self.functions.cubin_size, self.functions.cubin)
                .map(|cubin| Compiled { cubin, log }),
        };
        // SAFETY: made above and not used after. What it says of a program that is gone is of no interest.
        unsafe { (self.functions.destroy)(&mut handle) };
        answer
    }

    fn bytes(
        &self,
        handle: Handle,
        size: unsafe extern "C" fn(Handle, *mut usize) -> Code,
        get: unsafe extern "C" fn(Handle, *mut c_char) -> Code,
    ) -> Result<Vec<u8>, String> {
        let mut length = 0;
        // SAFETY: the program exists, and the length is written.
        self.check(unsafe { size(handle, &mut length) })?;
        let mut bytes = vec![0_u8; length];
        // SAFETY: as many bytes are written as it said before.
        self.check(unsafe { get(handle, bytes.as_mut_ptr().cast()) })?;
        Ok(bytes)
    }

    fn check(&self, code: Code) -> Result<(), String> {
        if code == 0 {
            return Ok(());
        }
        // SAFETY: the answer is a text of the library's own that ends with zero.
        let text = unsafe {
            let text = (self.functions.error)(code);
            if text.is_null() { None } else { Some(CStr::from_ptr(text).to_string_lossy().into_owned()) }
        };
        Err(text.unwrap_or_else(|| format!("code {code}")))
    }
}

/// The first lines: an assembler complains of every line that an architecture does not have.
fn beginning(log: &str) -> String {
    log.lines().filter(|line| !line.trim().is_empty()).take(4).collect::<Vec<_>>().join("\n")
}

fn missing(cause: String) -> BenchError {
    BenchError::Device {
        device: "NVRTC".to_owned(),
        cause: format!(
            "{cause} (it comes with CUDA, or from PyPI as nvidia-cuda-nvrtc; {FOLDER} names its folder)"
        ),
    }
}

fn open(path: &Path) -> Result<Library, libloading::Error> {
    // SAFETY: NVIDIA's library, which does nothing when it is loaded.
    unsafe { Library::new(path) }
}

/// # Safety
/// The symbol must be of this type.
unsafe fn symbol<T: Copy>(library: &Library, name: &[u8]) -> Result<T, String> {
    // SAFETY: as the caller promises.
    unsafe { library.get::<T>(name) }.map(|symbol| *symbol).map_err(|error| error.to_string())
}

/// Files of the library in a folder: its main one, or its `builtins`. Packages have the main one a second time as `alt`.
fn files(folder: &Path, part: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            name.contains("nvrtc")
                && (name.contains(".so") || name.ends_with(".dll"))
                && !name.contains("alt")
                && name.contains("builtins") == (part == "builtins")
        })
        .collect();
    found.sort_unstable_by(|a, b| b.cmp(a));
    found
}

impl std::fmt::Debug for Compiler {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.name())
    }
}
