use super::*;

const ALL: [Arithmetic; 4] = [Arithmetic::Fp64, Arithmetic::Fp32, Arithmetic::Int16, Arithmetic::Int8];

fn chains(arithmetic: Arithmetic, instructions: InstructionSet, threads: usize) -> Chains {
    let making = Making { instructions, threads, state: CacheState::Hot, last_cache: 1 << 20 };
    Chains::new(arithmetic, code(arithmetic, instructions).unwrap(), &making)
}

fn run(chains: &mut Chains, threads: usize) {
    for worker in &mut chains.workers(threads) {
        worker.run(0, 0);
    }
}

#[test]
fn every_chain_has_the_value_it_must_have() {
    for arithmetic in ALL {
        for instructions in InstructionSet::all() {
            let mut chains = chains(arithmetic, *instructions, 2);
            run(&mut chains, 2);
            assert_eq!(chains.verify().error, 0.0, "{arithmetic} {instructions}");
            assert_eq!(chains.results[0], chains.results[1]);
            // All chains are used, and no two end alike.
            let words = &chains.results[0].0;
            let used = words.iter().filter(|word| **word != 0).count();
            assert!(used >= 48, "{arithmetic} {instructions}: {used}");
        }
    }
}

/// One wrong bit of one chain is seen.
#[test]
fn a_wrong_chain_is_caught() {
    for arithmetic in ALL {
        let mut chains = chains(arithmetic, InstructionSet::best(), 1);
        run(&mut chains, 1);
        chains.results[0].0[5] ^= 1;
        assert_eq!(chains.verify().error, 1.0);
    }
}

/// A round fewer gives other values, so that the work that is counted is done.
#[test]
fn every_round_counts() {
    let operands = Operands::new();
    for arithmetic in ALL {
        for instructions in InstructionSet::all() {
            let expected = code(arithmetic, *instructions).unwrap().expected;
            let (all, fewer) = (expected(&operands, ROUNDS), expected(&operands, ROUNDS - 1));
            let same = all.0.iter().zip(&fewer.0).filter(|(one, other)| one == other && **one != 0).count();
            assert!(same < 3, "{arithmetic} {instructions}: {same}");
        }
    }
}

/// The map stays between its bounds and does not settle.
#[test]
fn the_map_is_chaotic() {
    let operands = Operands::new();
    for (start, c) in operands.singles.iter().zip(operands.single.iter().cycle()) {
        let mut x = *start;
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..1000 {
            x = (-x).mul_add(x, *c);
            assert!((-2.0..=2.0).contains(&x));
            seen.insert(x.to_bits());
        }
        assert!(seen.len() > 100, "{start} {c}: {}", seen.len());
    }
}

/// By hand: 12 chains of 8 multiply-adds, 8192 rounds, 3 threads.
#[cfg(target_arch = "x86_64")]
#[test]
fn the_work_is_that_of_all_threads() {
    if InstructionSet::all().contains(&InstructionSet::Avx2) {
        let chains = chains(Arithmetic::Fp32, InstructionSet::Avx2, 3);
        assert_eq!(chains.work().flops, 2.0 * 12.0 * 8.0 * 8192.0 * 3.0);
        assert_eq!(chains.work().bytes(), 0.0);
    }
}

#[test]
fn other_arithmetic_is_refused() {
    let making =
        Making { instructions: InstructionSet::best(), threads: 1, state: CacheState::Hot, last_cache: 1 };
    let refused = kernel(&Spec::Fma { arithmetic: Arithmetic::Fp8 }, &making).unwrap();
    assert!(matches!(refused, Err(BenchError::Unsupported { .. })));
}
