//! Every way to store keys and values, against softmax as it is written and against its twin.

use super::*;

fn making(instructions: InstructionSet, state: CacheState, threads: usize) -> Making {
    Making { instructions, threads, state, last_cache: 1 << 16 }
}

fn shape(heads: (usize, usize), queries: usize, context: usize, dimension: usize, causal: bool) -> Attend {
    Attend { batch: 2, heads: heads.0, kv_heads: heads.1, queries, context, dimension, causal }
}

fn call(attention: &mut Attention, threads: usize, turn: usize) {
    let pieces = attention.plan(threads).pieces();
    for mut worker in attention.workers(threads) {
        (0..pieces).for_each(|piece| worker.run(piece, turn));
    }
}

fn shapes() -> Vec<Attend> {
    vec![
        shape((1, 1), 1, 1, 1, true),
        shape((4, 4), 1, 100, 64, true),
        shape((8, 2), 1, 300, 80, true),
        shape((8, 1), 1, 129, 128, true),
        shape((3, 1), 5, 70, 33, true),
        shape((2, 2), 130, 130, 16, true),
        shape((2, 1), 100, 100, 64, true),
        shape((4, 2), 60, 200, 40, true),
        shape((5, 5), 3, 65, 24, false),
        shape((6, 3), 64, 64, 8, false),
    ]
}

#[test]
fn every_kernel_is_right_for_many_and_for_one_new_token() {
    for instructions in InstructionSet::all() {
        for stored in Stored::ALL {
            for shape in shapes() {
                let threads = if stored == Stored::Bf16 { [1, 3].as_slice() } else { &[1] };
                for threads in threads.iter().copied() {
                    let making = making(*instructions, CacheState::Hot, threads);
                    let mut attention = Attention::new(&shape, &stored.precision(), &making).unwrap();
                    call(&mut attention, threads, 0);
                    let verification = attention.verify();
                    assert!(
                        verification.holds(),
                        "{instructions} {stored:?} {shape:?} on {threads}: {verification:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn twins_agree() {
    for stored in Stored::ALL {
        for shape in shapes() {
            let [one, other] = [InstructionSet::Portable, InstructionSet::best()].map(|instructions| {
                let making = making(instructions, CacheState::Hot, 1);
                let mut attention = Attention::new(&shape, &stored.precision(), &making).unwrap();
                call(&mut attention, 1, 0);
                attention.results
            });
            for (one, other) in one.iter().zip(&other) {
                assert!((one - other).abs() < 1e-5, "{stored:?} {shape:?}: {one} is not {other}");
            }
        }
    }
}

/// Three tokens by hand: with a query of zeros all weigh the same, and the result is the mean of the values.
#[test]
fn equal_scores_give_the_mean_of_the_values() {
    let shape = Attend { batch: 1, ..shape((1, 1), 1, 3, 4, true) };
    let making = making(InstructionSet::best(), CacheState::Hot, 1);
    let mut attention = Attention::new(&shape, &Precision::FP32, &making).unwrap();
    attention.operands.queries.fill(0);
    call(&mut attention, 1, 0);
    for element in 0..4 {
        let values = (0..3).map(|token| {
            attention.operands.stored.get(&attention.operands.copies[0].values, token * 16 + element)
        });
        let mean = values.sum::<f64>() / 3.0;
        assert!((f64::from(attention.results[element]) - mean).abs() < 1e-7);
    }
}

#[test]
fn a_wrong_sign_of_one_key_or_value_is_caught() {
    for stored in Stored::ALL {
        for wrong_key in [true, false] {
            let shape = shape((4, 2), 1, 100, 64, true);
            let making = making(InstructionSet::best(), CacheState::Hot, 1);
            let mut attention = Attention::new(&shape, &stored.precision(), &making).unwrap();
            call(&mut attention, 1, 0);
            assert!(attention.verify().holds());
            // The results of other keys and values, compared with these: a kernel that reads one of them wrong.
            let (token, element) = (37, 11);
            let place = if wrong_key { key_place(token, element, 64) } else { token * 64 + element };
            let cache = &mut attention.operands.copies[0];
            let bytes = if wrong_key { &mut cache.keys } else { &mut cache.values };
            let value = stored.get(bytes, place);
            assert!(value.abs() > 0.01, "{value}");
            let width = stored.bytes();
            bytes[place * width..(place + 1) * width].fill(0);
            stored.put(bytes, place, -value);
            assert!(!attention.verify().holds(), "{stored:?} {:?}", attention.verify());
        }
    }
}

#[test]
fn work_is_what_is_stored_and_seen() {
    let making = making(InstructionSet::best(), CacheState::Hot, 1);
    let of = |stored: Stored, causal: bool| {
        let shape = shape((8, 2), 3, 64, 128, causal);
        Attention::new(&shape, &stored.precision(), &making).unwrap()
    };
    for stored in Stored::ALL {
        let attention = of(stored, true);
        let (work, cache) = (attention.work(), &attention.operands.copies[0]);
        let scale = if stored.bytes() == 1 { 4.0 } else { 0.0 };
        assert_eq!(work.operands[0].bytes(), attention.operands.queries.len() as f64);
        assert_eq!(work.operands[1].bytes(), cache.keys.len() as f64 + scale);
        assert_eq!(work.operands[2].bytes(), cache.values.len() as f64 + scale);
        // 4 B h d sum of visible: 62 + 63 + 64.
        assert_eq!(work.flops, 4.0 * 2.0 * 8.0 * 128.0 * (62.0 + 63.0 + 64.0));
        let chores = attention.chores();
        // Twelve rows of each of four heads with one whole block; 16 times 3 of those scores are of tokens not seen.
        let of = |rate: &str| chores.iter().find(|chore| chore.rate == rate).map(|chore| chore.amount);
        assert_eq!(of("softmax"), Some(4.0 * 12.0 * 64.0));
        assert_eq!(of("fma fp32"), Some(4.0 * 128.0 * 16.0 * 3.0));
        // Two sixes: the second takes keys and values from the cache again.
        assert_eq!(of("read l2"), Some((4 * 2 * 64 * 128 * stored.bytes()) as f64));
        assert_eq!(chores.len(), if stored == Stored::Fp32 { 3 } else { 4 });
    }
    assert_eq!(of(Stored::Fp32, false).work().flops, 4.0 * 2.0 * 8.0 * 128.0 * 3.0 * 64.0);
    // Twelve rows a head are two sixes: keys and values of four heads are widened twice.
    assert_eq!(of(Stored::Bf16, true).chores()[3].amount, 4.0 * 2.0 * 2.0 * 64.0 * 128.0);
}

#[test]
fn a_long_context_is_cut_into_pieces_and_cold_copies_take_turns() {
    let shape = shape((4, 2), 1, 20_000, 64, true);
    let making = making(InstructionSet::best(), CacheState::Cold, 1);
    let mut attention = Attention::new(&shape, &Precision::BF16, &making).unwrap();
    assert!(attention.pieces() > 1 && attention.operands.copies.len() > 1);
    call(&mut attention, 1, 0);
    assert!(attention.verify().holds());
    let last = attention.operands.copies.len() - 1;
    attention.operands.copies[last].values.fill(0);
    call(&mut attention, 1, last);
    assert!(!attention.verify().holds());
}

#[test]
fn what_cannot_be_run_is_refused() {
    let making = making(InstructionSet::Portable, CacheState::Hot, 1);
    let refused = |shape: Attend, precision: &str| {
        let spec = Spec::Attention { shape, precision: precision.parse().unwrap() };
        matches!(kernel(&spec, &making), Some(Err(BenchError::Unsupported { .. })))
    };
    assert!(!refused(shape((4, 2), 2, 2, 8, true), "fp8"));
    assert!(refused(shape((4, 2), 2, 2, 8, true), "int4"));
    assert!(refused(shape((4, 3), 2, 2, 8, true), "fp32"));
    assert!(refused(shape((4, 2), 3, 2, 8, true), "fp32"));
    assert!(refused(shape((4, 2), 3, 0, 8, false), "fp32"));
    assert!(refused(shape((4, 0), 3, 2, 8, false), "fp32"));
}

#[test]
fn passes_are_counted_as_they_are_made() {
    assert!([1, 2, 3, 4, 5, 6, 8, 10, 12].map(tile::passes).into_iter().eq([1, 1, 2, 1, 2, 1, 2, 2, 2]));
}
