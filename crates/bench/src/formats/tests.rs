//! What every format must hold.

use super::*;

fn random(count: usize, seed: u64) -> Vec<f32> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..count).map(|_| random.f32() - 0.5).collect()
}

#[test]
fn bytes_counted_are_bytes_stored() {
    for format in Format::ALL {
        for order in [Order::Sequential, Order::Interleaved] {
            for (rows, columns) in [(0, 64), (1, 1), (3, 512), (4, 4096), (5, 1000), (2, 0)] {
                let values = random(rows * columns, 3);
                let packed = Packed::pack(format, order, &values, rows, columns).unwrap();
                assert!(packed.stride >= columns && packed.stride - columns < 256);
                let counted = packed.precision().bytes(packed.elements() as f64);
                assert_eq!(counted, packed.bytes() as f64, "{format:?} {rows}x{columns}");
                if columns % 512 == 0 {
                    assert_eq!(packed.stride, columns);
                }
            }
        }
    }
}

/// Half of the distance of neighboring numbers, relative to the largest of a block, and the rounding of scales.
#[test]
fn what_is_stored_is_near_what_was_given() {
    let (rows, columns) = (5, 700);
    let values = random(rows * columns, 4);
    let half = |steps: f64| 0.5 / steps;
    for (format, error) in [
        (Format::Fp64, 0.0),
        (Format::Fp32, 0.0),
        (Format::Fp16, half(1024.0)),
        (Format::Bf16, half(128.0)),
        (Format::Int8, half(127.0) * 1.01),
        (Format::Fp8E4m3, half(14.0)),
        (Format::Fp8E5m2, half(7.0)),
        // The FP16 scale may round down, so that what is largest is cut off by half a unit of the scale.
        (Format::Int4, half(7.0) * 1.01),
        // What is above six is cut off: up to a quarter of eight.
        (Format::Mxfp4, 0.25),
        // Four and six are furthest apart, and E4M3 scales are rounded by up to a sixteenth.
        (Format::Nvfp4, half(3.0) * 1.07),
        // The widest gap of the codebook is 0.304.
        (Format::Nf4, 0.152),
    ] {
        for order in [Order::Sequential, Order::Interleaved] {
            let packed = Packed::pack(format, order, &values, rows, columns).unwrap();
            let mut row = vec![f64::NAN; packed.stride];
            for index in 0..rows {
                packed.dequantise_row(index, &mut row);
                for (stored, given) in row.iter().zip(&values[index * columns..][..columns]) {
                    let away = (stored - f64::from(*given)).abs();
                    assert!(away <= error * 0.5, "{format:?}: {given} is stored as {stored}");
                }
                assert!(row[columns..].iter().all(|padding| *padding == 0.0));
            }
        }
    }
}

#[test]
fn numbers_of_a_format_are_stored_exactly() {
    // Every FP4 number, and the largest in every block so that scales are powers of two.
    let values: Vec<f64> = (0..64)
        .map(|index: u32| minifloat::E2M1.decode(if index.is_multiple_of(16) { 7 } else { index % 16 }))
        .collect();
    let mut row = vec![0.0; 64];
    for format in [Format::Mxfp4, Format::Fp16, Format::Bf16, Format::Fp32] {
        Packed::pack(format, Order::Sequential, &values, 1, 64).unwrap().dequantise_row(0, &mut row);
        assert_eq!(row, values, "{format:?}");
    }
    // Double precision keeps what single precision does not.
    let third = [1.0 / 3.0_f64];
    let mut one = [0.0];
    Packed::pack(Format::Fp64, Order::Sequential, &third, 1, 1).unwrap().dequantise_row(0, &mut one);
    assert_eq!(one, third);
}

#[test]
fn orders_differ_in_place_alone() {
    let values = random(2 * 1024, 5);
    for format in [Format::Int4, Format::Mxfp4, Format::Nvfp4, Format::Nf4] {
        let [one, other] = [Order::Sequential, Order::Interleaved]
            .map(|order| Packed::pack(format, order, &values, 2, 1024).unwrap());
        assert_eq!(one.scales[..], other.scales[..]);
        assert_ne!(one.codes[..], other.codes[..]);
        let (mut left, mut right) = (vec![0.0; 1024], vec![1.0; 1024]);
        one.dequantise_row(1, &mut left);
        other.dequantise_row(1, &mut right);
        assert_eq!(left, right);
    }
}

/// OCP MX 1.0: 2^floor(log2(largest)) / 4. By hand: the largest is 5, so scales are 1; 5 is a tie and goes to the even 4.
#[test]
fn microscaling_by_hand() {
    let mut values = [0.0; 32];
    values[..6].copy_from_slice(&[5.0, -5.1, 0.25, 0.26, -0.75, 2.5]);
    let packed = Packed::pack(Format::Mxfp4, Order::Sequential, &values, 1, 32).unwrap();
    assert_eq!(packed.scales[..], [127]);
    assert_eq!(packed.codes[..3], [0xF6, 0x10, 0x4A]);
}

/// The largest of the tensor is 6 * 448 times the tensor's scale; a block whose largest is half of it has scale 224.
#[test]
fn nvfp4_by_hand() {
    let mut values = [0.0; 32];
    values[0] = 2688.0;
    values[16] = -1344.0;
    let packed = Packed::pack(Format::Nvfp4, Order::Sequential, &values, 1, 32).unwrap();
    assert_eq!(packed.tensor_scale, Some(1.0));
    assert_eq!(
        packed.scales[..].iter().map(|code| minifloat::E4M3.decode(u32::from(*code))).collect::<Vec<_>>(),
        [448.0, 224.0]
    );
    assert_eq!((packed.codes[0], packed.codes[8]), (7, 15));
}

#[test]
fn formats_are_found_by_precision() {
    for format in Format::ALL {
        assert_eq!(Format::of(&format.precision(4096)), Some(format));
        let bare: Precision = format.name().parse().unwrap();
        assert_eq!(Format::of(&bare), Some(format));
    }
    for none in ["int4@128:fp16", "fp6", "int32", "nf4_double", "int8@32:fp16"] {
        assert_eq!(Format::of(&none.parse().unwrap()), None, "{none}");
    }
}

#[test]
fn no_input_is_too_strange() {
    let strange = [f32::NAN, f32::INFINITY, f32::MIN, 1e-45, 0.0, -0.0];
    for format in Format::ALL {
        let packed = Packed::pack(format, Order::Interleaved, &strange, 3, 7).unwrap();
        packed.dequantise_row(2, &mut [0.0; 600]);
        packed.dequantise_row(99, &mut []);
    }
}
