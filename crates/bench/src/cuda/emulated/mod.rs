//! A GPU on the processor, for tests: the same sources compiled as C++, with what is special about a GPU emulated. It runs
//! every kernel with the operands, grids and checks of the real thing, on machines that have none.
#![expect(unsafe_code, reason = "kernels are functions of a library that is made and loaded here")]

mod tests;

use std::alloc::{Layout, alloc, dealloc};
use std::cell::RefCell;
use std::path::PathBuf;
use std::process::Command;
use std::rc::Rc;

use eaves_testing::skip;
use libloading::Library;

use super::Program;
use super::device::{Device, Function, Memory};
use crate::backend::BenchError;

const EMULATOR: &str = include_str!("emulator.hpp");

/// Bytes behind all memory that must stay as they are.
const FENCE: usize = 64;
const UNTOUCHED: u8 = 0xa5;

/// Arguments that every kernel is called with, used or not.
const ARGUMENTS: usize = 12;

pub(super) struct Emulated {
    folder: tempfile::TempDir,
    /// Sources with their macros, and what was made of them.
    made: RefCell<Vec<(String, Rc<Library>)>>,
}

impl Emulated {
    /// Without a compiler, the test is skipped.
    pub(super) fn new() -> Option<Self> {
        match Command::new("c++").arg("--version").output() {
            Ok(output) if output.status.success() => {
                Some(Self { folder: tempfile::tempdir().unwrap(), made: RefCell::default() })
            }
            _ => {
                skip("no C++ compiler to emulate a GPU with");
                None
            }
        }
    }

    /// Compiles a source.
    fn library(&self, body: &str, defines: &[String]) -> Library {
        let shared = include_str!("../kernels/shared.cu");
        let (source, library) = (self.folder.path().join("kernel.cpp"), self.path());
        std::fs::write(&source, format!("{EMULATOR}\n{shared}\n{body}")).unwrap();
        let mut command = Command::new("c++");
        command.args(["-std=c++17", "-O1", "-w", "-shared", "-fPIC", "-ffp-contract=off", "-o"]);
        command.arg(&library).args(defines.iter().map(|define| format!("-D{define}"))).arg(&source);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        // SAFETY: made above, and does nothing when it is loaded.
        unsafe { Library::new(&library) }.unwrap()
    }

    /// A name that no library had before: one that is loaded must not be overwritten.
    fn path(&self) -> PathBuf {
        let count = std::fs::read_dir(self.folder.path()).unwrap().count();
        self.folder.path().join(format!("{count}.so"))
    }

    /// The functions of a source.
    pub(super) fn functions(&self, body: &str, defines: &[String], names: &[&str]) -> Vec<Box<dyn Function>> {
        let key = format!("{defines:?} {body}");
        let known =
            self.made.borrow().iter().find(|(made, _)| *made == key).map(|(_, library)| Rc::clone(library));
        let library = known.unwrap_or_else(|| {
            let library = Rc::new(self.library(body, defines));
            self.made.borrow_mut().push((key, Rc::clone(&library)));
            library
        });
        let function = |name: &&str| {
            // SAFETY: only its address is taken.
            let address = unsafe { *library.get::<*mut u8>(name.as_bytes()).unwrap() };
            Box::new(Emulating { library: Rc::clone(&library), address }) as Box<dyn Function>
        };
        names.iter().map(function).collect()
    }
}

struct Emulating {
    library: Rc<Library>,
    address: *mut u8,
}

impl Function for Emulating {
    fn launch(&self, [x, y, z]: [u32; 3], threads: u32, arguments: &[u64]) -> Result<(), BenchError> {
        type Emulate = unsafe extern "C" fn(*mut u8, u32, u32, u32, u32, *const u64) -> i32;
        let mut all = [0; ARGUMENTS];
        all[..arguments.len()].copy_from_slice(arguments);
        // SAFETY: the type is that of the emulator; the kernel takes integers and addresses only, which are passed alike.
        let code = unsafe {
            let emulate = self.library.get::<Emulate>(b"emulate").unwrap();
            emulate(self.address, x, y, z, threads, all.as_ptr())
        };
        if code == 0 {
            return Ok(());
        }
        let cause = format!("threads wait for each other, or there are too many ({code})");
        Err(BenchError::Device { device: "emulated".to_owned(), cause })
    }
}

/// Memory with a fence behind it.
struct Fenced {
    start: *mut u8,
    layout: Layout,
}

impl Drop for Fenced {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout.
        unsafe { dealloc(self.start, self.layout) }
    }
}

impl Device for Emulated {
    fn allocate(&self, bytes: usize) -> Result<Memory, BenchError> {
        let layout = Layout::from_size_align(bytes + FENCE, 256).unwrap();
        // SAFETY: not empty, filled at once.
        let start = unsafe {
            let start = alloc(layout);
            start.write_bytes(UNTOUCHED, layout.size());
            start
        };
        Ok(Memory { address: start as u64, bytes, owner: Box::new(Fenced { start, layout }) })
    }

    fn upload(&self, memory: &Memory, offset: usize, bytes: &[u8]) -> Result<(), BenchError> {
        assert!(offset + bytes.len() <= memory.bytes);
        let fenced: &Fenced = memory.owner.downcast_ref().unwrap();
        // SAFETY: inside, as was just asserted.
        unsafe { fenced.start.add(offset).copy_from(bytes.as_ptr(), bytes.len()) };
        Ok(())
    }

    fn download(&self, memory: &Memory, bytes: usize) -> Result<Vec<u8>, BenchError> {
        assert!(bytes <= memory.bytes);
        let fenced: &Fenced = memory.owner.downcast_ref().unwrap();
        // SAFETY: all of it was written when it was made.
        let all = unsafe { std::slice::from_raw_parts(fenced.start, fenced.layout.size()) };
        assert!(all[memory.bytes..].iter().all(|byte| *byte == UNTOUCHED), "written beyond the end");
        Ok(all[..bytes].to_vec())
    }

    fn load(&self, program: &Program, defines: &[String]) -> Result<Vec<Box<dyn Function>>, BenchError> {
        let own = program.defines.iter().map(|define| (*define).to_owned());
        let all: Vec<String> = own.chain(defines.iter().cloned()).collect();
        Ok(self.functions(&program.body(), &all, program.functions))
    }
}
