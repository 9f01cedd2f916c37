//! Matrix products and convolutions that `torch.compile` makes of templates: `triton_tem_fused_addmm_relu_3`.
//!
//! The operands are the arguments of the template (`torch/_inductor/kernel/mm.py`, `bmm.py`, `conv.py`), the result is
//! the last tensor; what is fused into the ends stands around them. The operands are told by their shapes.

use super::triton::{operators, parts};
use super::{Call, NoFormula, Tensor, operations};
use crate::Work;

pub(super) fn work(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (_, name) = parts(call.name).ok_or_else(|| "the name is not of a generated kernel".to_owned())?;
    let tensors: Vec<&Tensor> = call.tensors().collect();
    let (output, operands) = tensors.split_last().ok_or_else(|| "it has no tensors".to_owned())?;
    let (x, weight, macs) = if name.contains("convolution") {
        convolution(operands, output)?
    } else if name.contains("mm") {
        product(operands, output)?
    } else {
        return Err("the template in its name is unknown".to_owned());
    };
    let epilogue: f64 = operators(name).iter().filter_map(|operator| operations::for_element(operator)).sum();
    let elements = output.elements();
    let mut work = Work::matrix(macs, x.precision()?);
    work.arithmetic = x.precision()?.product_arithmetic(&weight.precision()?);
    work.flops += epilogue * elements;
    for tensor in operands {
        work = work.reads("input", tensor.stored_elements(), tensor.precision()?);
    }
    Ok(work.writes("output", elements, output.precision()?))
}

/// The two operands of a product and its multiply-adds.
type Product<'a> = Result<(&'a Tensor, &'a Tensor, f64), NoFormula>;

/// The only two tensors that multiply to the shape of the result.
fn product<'a>(operands: &[&'a Tensor], output: &Tensor) -> Product<'a> {
    let fits =
        |a: &Tensor, b: &Tensor| match (a.shape.as_slice(), b.shape.as_slice(), output.shape.as_slice()) {
            ([m, k], [k2, n], [.., out_n]) => {
                k == k2 && n == out_n && output.elements() == *m as f64 * *n as f64
            }
            ([batch, m, k], [batch2, k2, n], [.., out_n]) => {
                batch == batch2
                    && k == k2
                    && n == out_n
                    && output.elements() == *batch as f64 * *m as f64 * *n as f64
            }
            _ => false,
        };
    let pairs = operands
        .iter()
        .enumerate()
        .flat_map(|(index, a)| operands[index + 1..].iter().map(move |b| (*a, *b)));
    let mut found = pairs.filter(|(a, b)| fits(a, b));
    match (found.next(), found.next()) {
        (Some((a, b)), None) => {
            let k = a.shape.last().copied().unwrap_or(0);
            Ok((a, b, output.elements() * k as f64))
        }
        (Some(_), Some(_)) => Err("more than one pair of its tensors could be the operands".to_owned()),
        _ => Err("no pair of its tensors multiplies to the last one".to_owned()),
    }
}

/// Image and weights: `(n, c, ...)` and `(o, c / groups, ...)` to `(n, o, ...)`.
fn convolution<'a>(operands: &[&'a Tensor], output: &Tensor) -> Product<'a> {
    let rank = output.shape.len();
    let mut images = operands.iter().filter(|tensor| tensor.shape.len() == rank && rank > 2);
    let (Some(image), Some(weight)) = (images.next(), images.next()) else {
        return Err("its image and weights are not among its tensors".to_owned());
    };
    let is_one = image.shape.first() == output.shape.first()
        && weight.shape.first() == output.shape.get(1)
        && weight.shape.get(1).is_some_and(|inner| *inner > 0 && image.shape[1] % inner == 0);
    if !is_one {
        return Err("its shapes are not those of a convolution".to_owned());
    }
    let taps = weight.shape[1..].iter().map(|extent| *extent as f64).product::<f64>();
    Ok((image, weight, output.elements() * taps))
}

#[cfg(test)]
mod tests {
    use super::super::operands::testing::call;
    use super::*;

    #[test]
    fn by_hand() {
        let bf16 = "c10::BFloat16";
        for (name, arguments, flops, bytes) in [
            (
                "triton_tem_fused_mm_0",
                vec![("[64,32]", bf16), ("[32,16]", bf16), ("[64,16]", bf16)],
                65536.0,
                2.0 * (2048.0 + 512.0 + 1024.0),
            ),
            // The bias is the first argument and broadcasts; a ReLU is fused.
            (
                "triton_tem_fused_addmm_relu_1",
                vec![("[16]", bf16), ("[64,32]", bf16), ("[32,16]", bf16), ("[64,16]", bf16)],
                65536.0 + 1024.0,
                2.0 * (16.0 + 2048.0 + 512.0 + 1024.0),
            ),
            (
                "triton_tem_fused_bmm_2",
                vec![("[3,8,4]", "float"), ("[3,4,5]", "float"), ("[3,8,5]", "float")],
                960.0,
                4.0 * (96.0 + 60.0 + 120.0),
            ),
            // 3x3 over 4 channels to 8, 6x6 results of each.
            (
                "triton_tem_fused_convolution_3",
                vec![("[2,4,8,8]", "float"), ("[8,4,3,3]", "float"), ("[2,8,6,6]", "float")],
                2.0 * 576.0 * 36.0,
                4.0 * (512.0 + 288.0 + 576.0),
            ),
        ] {
            let work = work(&call(name, &arguments)).unwrap();
            assert_eq!((work.flops, work.bytes()), (flops, bytes), "{name}");
        }
        for (name, arguments, reason) in [
            (
                "triton_tem_fused_mm_0",
                vec![("[4,4]", bf16), ("[4,4]", bf16), ("[4,4]", bf16), ("[4,4]", bf16)],
                "more than one",
            ),
            ("triton_tem_fused_mm_0", vec![("[4,4]", bf16), ("[3,4]", bf16), ("[4,4]", bf16)], "no pair"),
            ("triton_tem_fused_flex_attention_0", vec![("[4,4]", bf16)], "unknown"),
            ("triton_tem_fused_mm_0", vec![], "no tensors"),
        ] {
            let error = work(&call(name, &arguments)).unwrap_err();
            assert!(error.contains(reason), "{name}: {error}");
        }
    }
}
