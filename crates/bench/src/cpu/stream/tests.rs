use proptest::prelude::*;

use super::*;

fn making(instructions: InstructionSet, threads: usize, state: CacheState) -> Making {
    Making { instructions, threads, state, last_cache: 1 << 16 }
}

fn every_stream() -> Vec<Stream> {
    let stores = [Store::Normal, Store::NonTemporal];
    let mut all = vec![Stream::Read { streams: 1 }, Stream::Read { streams: 4 }];
    all.extend(stores.map(Stream::Write));
    all.extend(stores.map(Stream::Copy));
    all.extend(stores.map(Stream::Triad));
    all
}

/// Runs every turn and turn 0 last, as timing does.
fn run(kernel: &mut Streaming, threads: usize, turns: usize) {
    for worker in &mut kernel.workers(threads) {
        for turn in (0..turns).rev() {
            worker.run(0, turn);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Every stream with every instruction set is right on lengths that are multiples of nothing.
    #[test]
    fn streams_move_every_number(elements in 1_usize..3000, threads in 1_usize..4, cold: bool) {
        let state = if cold { CacheState::Cold } else { CacheState::Hot };
        for instructions in InstructionSet::all() {
            for stream in every_stream() {
                let bytes = elements * 4 * stream.arrays() as usize;
                let mut kernel = made(stream, bytes, &making(*instructions, threads, state)).unwrap();
                run(&mut kernel, threads, 3);
                prop_assert_eq!(kernel.verify().error, 0.0, "{} {}", stream, instructions);
            }
        }
    }
}

/// Reading is summed in another order by every instruction set, and the sum is the same.
#[test]
fn sums_are_those_of_the_portable_code() {
    for streams in [1, 4] {
        let stream = Stream::Read { streams };
        let sums = InstructionSet::all().iter().map(|instructions| {
            let mut kernel = made(stream, 4 * 10_007, &making(*instructions, 1, CacheState::Hot)).unwrap();
            run(&mut kernel, 1, 1);
            kernel.parts[0].sum
        });
        let sums: Vec<u32> = sums.collect();
        assert!(sums.iter().all(|sum| *sum == sums[0] && *sum != 0), "{sums:?}");
    }
}

/// A number that was not moved is found, at either end and in the middle.
#[test]
fn a_wrong_number_is_found() {
    for stream in every_stream() {
        let bytes = 4 * 1000 * stream.arrays() as usize;
        for place in [0, 501, 999] {
            let best = making(InstructionSet::best(), 1, CacheState::Hot);
            let mut kernel = made(stream, bytes, &best).unwrap();
            run(&mut kernel, 1, 1);
            kernel.parts[0].memory[place] += 0.25;
            assert!(!kernel.verify().holds(), "{stream} at {place}");
        }
    }
}

#[test]
fn the_work_is_what_a_call_moves() {
    let hot = making(InstructionSet::Portable, 2, CacheState::Hot);
    // 12 000 bytes, of which each thread has 6000: 88 passes make 512 KiB of each.
    let small = made(Stream::Triad(Store::Normal), 12_000, &hot).unwrap();
    assert_eq!(small.work().bytes(), 88.0 * 12_000.0);
    assert_eq!(small.work().flops, 88.0 * 2.0 * 1000.0);
    // 8 MiB, of which each thread has four windows of 1 MiB.
    let large = made(Stream::Read { streams: 1 }, 8 << 20, &hot).unwrap();
    assert_eq!(large.work().bytes(), f64::from(2 << 20));
    assert_eq!(large.parts[0].shape.windows, 4);
    // Cold: the bytes of the spec once, in windows that are together four times the last cache of 64 KiB.
    let cold = making(InstructionSet::Portable, 2, CacheState::Cold);
    let cold = made(Stream::Copy(Store::Normal), 16 << 10, &cold).unwrap();
    assert_eq!(cold.work().bytes(), f64::from(16 << 10));
    assert_eq!(cold.parts[1].shape.windows, 16);
}

#[test]
fn numbers_are_never_zero_and_not_all_alike() {
    let kernel =
        made(Stream::Triad(Store::Normal), 1 << 20, &making(InstructionSet::Portable, 1, CacheState::Hot))
            .unwrap();
    let memory = &kernel.parts[0].memory;
    assert!(memory.iter().all(|number| (1.0..2.0).contains(number)));
    let mut few: Vec<u32> = memory.iter().take(1000).map(|number| number.to_bits()).collect();
    few.sort_unstable();
    few.dedup();
    assert!(few.len() > 950, "{}", few.len());
}

#[test]
fn what_there_is_not_is_said() {
    let making = making(InstructionSet::Portable, 1, CacheState::Hot);
    for (stream, bytes) in [(Stream::Read { streams: 3 }, 4096), (Stream::Read { streams: 1 }, 3)] {
        assert!(matches!(made(stream, bytes, &making), Err(BenchError::Unsupported { .. })));
    }
    let much = made(Stream::Read { streams: 1 }, usize::MAX, &making);
    assert!(matches!(much, Err(BenchError::Memory { .. })));
}
