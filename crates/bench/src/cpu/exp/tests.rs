use super::*;

fn all(from: &[f32]) -> Vec<(InstructionSet, Vec<f32>)> {
    let of = |instructions: &InstructionSet| {
        let mut to = vec![0.0; from.len()];
        #[expect(unsafe_code, reason = "the processor has these instructions")]
        // SAFETY: the list is that of this processor.
        unsafe {
            exponentials(*instructions)(from, &mut to);
        }
        (*instructions, to)
    };
    InstructionSet::all().iter().map(of).collect()
}

/// Every representable number in steps, through all exponents that are not subnormal.
#[test]
fn errors_are_below_two_units_in_the_last_place() {
    let mut numbers = Vec::new();
    for exponent in -30..=7 {
        for step in 0..4001 {
            let number = 2_f32.powi(exponent) * (1.0 + step as f32 / 4000.0);
            numbers.extend([number, -number].into_iter().filter(|x| (LEAST..=MOST).contains(x)));
        }
    }
    for (instructions, results) in all(&numbers) {
        let mut worst = (0.0, 0.0);
        for (x, y) in numbers.iter().zip(&results) {
            let error = (f64::from(*y) / f64::from(*x).exp() - 1.0).abs();
            if error > worst.0 {
                worst = (error, *x);
            }
        }
        println!("{instructions}: {:.2} units at {}", worst.0 * 8_388_608.0, worst.1);
        assert!(worst.0 <= RELATIVE_ERROR, "{instructions}: {worst:?}");
    }
}

#[test]
fn ends_are_right() {
    let cases = [
        (0.0, 1.0),
        (-0.0, 1.0),
        (f32::NEG_INFINITY, 0.0),
        (-1000.0, 0.0),
        (LEAST.next_down(), 0.0),
        (MOST.next_up(), f32::INFINITY),
        (1e30, f32::INFINITY),
        (f32::INFINITY, f32::INFINITY),
        (-1e-30, 1.0),
    ];
    let numbers: Vec<f32> = cases.iter().cycle().take(5 * cases.len()).map(|case| case.0).collect();
    for (instructions, results) in all(&numbers) {
        for (y, (x, expected)) in results.iter().zip(cases.iter().cycle()) {
            assert_eq!(y, expected, "{instructions}: {x}");
        }
    }
    for (instructions, results) in all(&[f32::NAN; 17]) {
        assert!(results.iter().all(|y| y.is_nan()), "{instructions}: {results:?}");
    }
}

/// Lengths that are multiples of nothing, and none.
#[test]
fn every_number_of_any_length_is_done() {
    for length in [0, 1, 7, 8, 15, 16, 17, 33] {
        let numbers: Vec<f32> = (0..length).map(|index| -(index as f32) / 3.0).collect();
        for (instructions, results) in all(&numbers) {
            for (x, y) in numbers.iter().zip(&results) {
                assert!((y / x.exp() - 1.0).abs() < 4e-7, "{instructions} {length}: {x}");
            }
        }
    }
}
