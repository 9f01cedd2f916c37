//! Products by our code and by that of others in one run, in alternation: a line of JSON for each.
//!
//! `gemm [--sizes 512,1024,2048] [--precisions fp32,fp64] [--implementations own,crate,...] [--threads 1,2] [--seconds 4]`
//!
//! A whole call is one sample, because libraries cannot be cut into pieces. It lasts longer than a timeslice, so on one
//! thread, and with a call for each thread, it is the processor time of the slowest thread that counts; what a library
//! does on threads of its own can be timed by the wall only. `roof` is what multiply-adds in registers reach.

#![expect(clippy::print_stdout, reason = "this is what it is for")]

mod shared;

use std::sync::Barrier;
use std::time::{Duration, Instant};

use eaves_bench::cpu::gemm::{Implementation, make};
use eaves_bench::cpu::{Cpu, Making};
use eaves_bench::{Backend, CacheState, Kernel, Options, Protocol, Spec, Worker};
use eaves_roofline::Arithmetic;

use self::shared::{instructions, numbers, option};

fn main() {
    let list = |name: &str, default: &str| numbers(&option(name, default), ',');
    let processors = eaves_bench::timing::processors();
    let sizes = list("--sizes", "512,1024,2048");
    let threads = list("--threads", &format!("1,{processors}"));
    let seconds = list("--seconds", "4").first().copied().unwrap_or(4);
    let everything = Implementation::ALL.map(Implementation::id).join(",");
    let implementations: Vec<Implementation> =
        option("--implementations", &everything).split(',').filter_map(Implementation::from_id).collect();
    let instructions = instructions("best");
    for precision in option("--precisions", "fp32,fp64").split(',') {
        for size in &sizes {
            for threads in &threads {
                let making =
                    Making { instructions, threads: *threads, state: CacheState::Hot, last_cache: 32 << 20 };
                compare(precision, *size, &making, &implementations, Duration::from_secs(seconds as u64));
            }
        }
    }
}

fn compare(
    precision: &str,
    size: usize,
    making: &Making,
    implementations: &[Implementation],
    limit: Duration,
) {
    let (weights, activations) = precision.split_once('/').unwrap_or((precision, precision));
    let (Ok(weights), Ok(activations)) = (weights.parse(), activations.parse()) else { return };
    let spec = Spec::Gemm { m: size, n: size, k: size, weights, activations };
    let mut kernels: Vec<(Implementation, Box<dyn Kernel>)> = implementations
        .iter()
        .filter(|implementation| making.threads > 1 || !implementation.has_pool())
        .filter_map(|implementation| Some((*implementation, make(&spec, making, *implementation).ok()?)))
        .collect();
    let Some(arithmetic) = kernels.first().and_then(|(_, kernel)| kernel.work().arithmetic) else { return };
    let print = |implementation: &str, mut line: serde_json::Value| {
        line["family"] = "gemm".into();
        line["precision"] = precision.into();
        line["size"] = size.into();
        line["threads"] = making.threads.into();
        line["instructions"] = making.instructions.to_string().into();
        line["implementation"] = implementation.into();
        println!("{line}");
    };
    let before = roof(arithmetic, making);
    let times = sample(&mut kernels, making.threads, limit);
    let after = roof(arithmetic, making);
    if let Some((best, code)) = before.into_iter().chain(after).max_by(|one, other| one.0.total_cmp(&other.0))
    {
        print("roof", serde_json::json!({"code": code, "best": best, "tenth": best}));
    }
    for ((implementation, kernel), mut seconds) in kernels.into_iter().zip(times) {
        seconds.sort_by(f64::total_cmp);
        let rate = |share: usize| {
            let seconds = seconds.get(seconds.len() * share / 100).copied().unwrap_or(f64::NAN);
            kernel.work().flops / seconds * 1e-9
        };
        let verification = kernel.verify();
        let measured = serde_json::json!({
            "code": kernel.implementation(),
            "timed": if implementation.has_pool() { "wall" } else { "processor" },
            "calls": seconds.len(),
            "huge_pages": kernel.huge_pages(),
            "best": rate(0),
            "tenth": rate(10),
            "median": rate(50),
            "error": verification.error,
            "tolerance": verification.tolerance,
            "right": verification.holds(),
        });
        print(implementation.id(), measured);
    }
}

/// What multiply-adds in registers reach, and by which code.
fn roof(arithmetic: Arithmetic, making: &Making) -> Option<(f64, String)> {
    let Making { instructions, threads, state, last_cache } = *making;
    let cpu = Cpu { name: "this".to_owned(), instructions, last_cache };
    let options = Options { threads, state, protocol: Protocol::default() };
    let measured = cpu.measure(&[Spec::Fma { arithmetic }], &options).pop()?.ok()?;
    Some((measured.flops_per_second(true)? * 1e-9, measured.conditions.implementation))
}

/// Seconds of whole calls of each, in alternation.
fn sample(
    kernels: &mut [(Implementation, Box<dyn Kernel>)],
    threads: usize,
    limit: Duration,
) -> Vec<Vec<f64>> {
    let mut running: Vec<_> = kernels
        .iter_mut()
        .map(|(implementation, kernel)| {
            let pieces = kernel.pieces();
            (implementation.has_pool(), pieces, kernel.workers(threads))
        })
        .collect();
    let mut times = vec![Vec::new(); running.len()];
    let mut order: Vec<usize> = (0..running.len()).collect();
    let mut random = fastrand::Rng::new();
    let start = Instant::now();
    let mut rounds = 0;
    while rounds < 6 || start.elapsed() < limit {
        random.shuffle(&mut order);
        for index in &order {
            let (Some((pool, pieces, workers)), Some(times)) =
                (running.get_mut(*index), times.get_mut(*index))
            else {
                continue;
            };
            let seconds = call(workers, *pieces, *pool);
            // The first touches memory.
            if rounds > 0 {
                times.push(seconds);
            }
        }
        rounds += 1;
    }
    times
}

/// Seconds of one whole call.
fn call(workers: &mut [Box<dyn Worker + '_>], pieces: usize, pool: bool) -> f64 {
    let whole = |worker: &mut Box<dyn Worker + '_>| {
        for piece in 0..pieces {
            worker.run(piece, 0);
        }
    };
    match workers {
        [first, ..] if pool => {
            let start = Instant::now();
            whole(first);
            start.elapsed().as_secs_f64()
        }
        [only] => {
            let start = processor_time();
            whole(only);
            processor_time() - start
        }
        _ => {
            let barrier = Barrier::new(workers.len());
            std::thread::scope(|scope| {
                let (barrier, whole) = (&barrier, &whole);
                let running: Vec<_> = workers
                    .iter_mut()
                    .enumerate()
                    .map(|(index, worker)| {
                        scope.spawn(move || {
                            pin(index);
                            barrier.wait();
                            let start = processor_time();
                            whole(worker);
                            processor_time() - start
                        })
                    })
                    .collect();
                running.into_iter().map(|thread| thread.join().unwrap_or(f64::NAN)).fold(0.0, f64::max)
            })
        }
    }
}

/// Seconds that this thread had a processor.
#[cfg(target_os = "linux")]
fn processor_time() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

#[cfg(not(target_os = "linux"))]
fn processor_time() -> f64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// Keeps this thread on its own processor, so that threads share caches and memory as they would on a quiet machine.
#[cfg(target_os = "linux")]
fn pin(processor: usize) {
    let mut one = rustix::thread::CpuSet::new();
    one.set(processor);
    let _unpinned = rustix::thread::sched_setaffinity(None, &one);
}

#[cfg(not(target_os = "linux"))]
fn pin(_processor: usize) {}
