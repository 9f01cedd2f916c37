//! Operators that only move: concatenation, filling, padding, resizing, copies between memories. Nothing is computed,
//! except that TraceLens counts one operation for an element that nearest-neighbor resizing or padding writes.

use super::operands::{dimension, extents, list, output_argument, stored};
use super::shape::volume;
use super::{Call, Formula, Input, NoFormula, Tensor};
use crate::{Basis, Precision, Work};

const CATEGORY: &str = "movement";

pub(super) const FORMULAS: &[Formula] = &[
    Formula { names: &["aten::cat"], category: CATEGORY, work: concatenate, backward: None },
    Formula { names: FILLS, category: CATEGORY, work: fill, backward: None },
    Formula { names: REARRANGED, category: CATEGORY, work: rearrange, backward: None },
    Formula { names: &["aten::_local_scalar_dense"], category: CATEGORY, work: rearrange, backward: None },
    Formula { names: PADS, category: CATEGORY, work: pad, backward: None },
    Formula { names: NEAREST, category: CATEGORY, work: resize::<1>, backward: None },
    Formula { names: &["aten::upsample_linear1d"], category: CATEGORY, work: resize::<3>, backward: None },
    Formula { names: &["aten::upsample_bilinear2d"], category: CATEGORY, work: resize::<7>, backward: None },
    Formula {
        names: &["aten::upsample_trilinear3d"],
        category: CATEGORY,
        work: resize::<15>,
        backward: None,
    },
    Formula { names: &["aten::upsample_bicubic2d"], category: CATEGORY, work: resize::<31>, backward: None },
    Formula { names: COLLECTIVES, category: "collective", work: through_memory, backward: None },
];

/// They call `aten::copy_`, `aten::cat` and `aten::fill_`, or themselves with a tensor for the result.
pub(super) const WRAPPERS: &[Formula] = &[
    Formula { names: COPIES, category: CATEGORY, work: rearrange, backward: None },
    Formula { names: CONVERSIONS, category: CATEGORY, work: convert, backward: None },
    Formula { names: &["aten::stack"], category: CATEGORY, work: concatenate, backward: None },
    Formula { names: &["aten::repeat"], category: CATEGORY, work: repeat, backward: None },
    Formula { names: LIKE, category: CATEGORY, work: fill_like, backward: None },
    Formula { names: &["aten::ones", "aten::zeros"], category: CATEGORY, work: new::<1>, backward: None },
    Formula { names: &["aten::full"], category: CATEGORY, work: new::<2>, backward: None },
    Formula { names: &["aten::arange", "prims::iota"], category: CATEGORY, work: range, backward: None },
    Formula { names: &["aten::constant_pad_nd"], category: CATEGORY, work: constant_pad, backward: None },
];

const FILLS: &[&str] = &["aten::fill_", "aten::zero_"];
const REARRANGED: &[&str] = &[
    "aten::_conj_physical",
    "aten::channel_shuffle",
    "aten::flip",
    "aten::native_channel_shuffle",
    "aten::pixel_shuffle",
    "aten::roll",
    "aten::tril",
    "aten::tril_",
    "aten::triu",
    "aten::triu_",
];
const PADS: &[&str] = &[
    "aten::reflection_pad1d",
    "aten::reflection_pad2d",
    "aten::reflection_pad3d",
    "aten::replication_pad1d",
    "aten::replication_pad2d",
    "aten::replication_pad3d",
];
const NEAREST: &[&str] = &[
    "aten::_upsample_nearest_exact1d",
    "aten::_upsample_nearest_exact2d",
    "aten::_upsample_nearest_exact3d",
    "aten::upsample_nearest1d",
    "aten::upsample_nearest2d",
    "aten::upsample_nearest3d",
];
/// Custom collectives of serving engines: `(handle, input, output, ...)`.
const COLLECTIVES: &[&str] = &[
    "_C_custom_ar::all_reduce",
    "_C_custom_ar::qr_all_reduce",
    "aiter::all_gather_reg",
    "aiter::reduce_scatter",
    "sgl_kernel::all_reduce_reg",
    "sgl_kernel::qr_all_reduce",
];
const COPIES: &[&str] = &["aten::clone", "aten::contiguous", "aten::pin_memory"];
const CONVERSIONS: &[&str] = &["aten::_to_copy", "aten::to", "aten::type_as"];
const LIKE: &[&str] = &["aten::full_like", "aten::ones_like", "aten::zeros_like"];

/// Bytes copied from one memory to another: read and written.
pub fn transfer(bytes: f64) -> Result<Work, NoFormula> {
    let byte = stored("uint8")?;
    Ok(Work::movement().reads("source", bytes, byte).writes("destination", bytes, byte))
}

/// Bytes set to a value: written.
pub fn set(bytes: f64) -> Result<Work, NoFormula> {
    Ok(Work::movement().writes("destination", bytes, stored("uint8")?))
}

/// PyTorch up to 2.4 gives every thread of its pointwise kernels so many elements (`thread_work_size` of
/// aten/src/ATen/native/cuda/thread_constants.h); later versions name the array of operands differently.
const PER_THREAD: f64 = 4.0;
const FILLED: &str = "at::native::FillFunctor<";
const OPERANDS: &str = "at::detail::Array<char*, 1>";

/// Fewer blocks may be empty by more than a hundredth.
const FEWEST_BLOCKS: f64 = 100.0;

/// What a kernel writes that fills a tensor, by its name and the size of its launch; nothing for other kernels.
pub fn filled(kernel: &str, grid: [u32; 3], block: [u32; 3]) -> Option<Work> {
    let is_pointwise = kernel.contains("vectorized_elementwise_kernel<") && kernel.contains(OPERANDS);
    let (_, rest) = kernel.split_once(FILLED).filter(|_| is_pointwise)?;
    let precision = Precision::from_torch(rest.split('>').next()?)?;
    let [blocks, threads] =
        [grid, block].map(|axes| axes.iter().map(|axis| f64::from(*axis)).product::<f64>());
    (blocks >= FEWEST_BLOCKS).then(|| {
        let work = Work::movement().writes("output", blocks * threads * PER_THREAD, precision);
        work.on(Basis::Estimated("that its last block is full"))
    })
}

/// `cat(tensors, dim)`. Types of lists are not recorded; an `out` argument tells. Old recordings lack the shapes, too: the
/// result has as many elements as the parts together.
fn concatenate(call: &Call<'_>) -> Result<Work, NoFormula> {
    if let (Some(Input::Scalar(_)), Some(output)) = (call.inputs.first(), &call.output) {
        return moved(output, output.elements(), 0.0, output.precision()?);
    }
    if call.name == "aten::cat" && matches!(call.inputs.first(), Some(Input::Tensor(_))) {
        return joined(call);
    }
    let tensors = list(call, 0)?;
    let result = output_argument(call, 1).map(Tensor::precision).transpose()?;
    let mut elements = 0.0;
    let mut written = result;
    let mut work = Work::movement();
    for tensor in tensors {
        let precision = result.map_or_else(|| tensor.precision(), Ok)?;
        written.get_or_insert(precision);
        elements += tensor.elements();
        work = work.reads("part", tensor.elements(), precision);
    }
    let precision = written.ok_or_else(|| "the list of tensors is empty".to_owned())?;
    Ok(work.writes("output", elements, precision))
}

/// The same where the function around it was given the list, as the gradients of a split: see [`super::is_told_by`]. A kernel
/// copies as many parts as its launch has rows of blocks, so that missing ones show.
fn joined(call: &Call<'_>) -> Result<Work, NoFormula> {
    let rows = call.launches.iter().filter(|launch| launch.name.contains("CatArrayBatchedCopy"));
    let copied: u64 = rows.map(|launch| launch.grid[1]).sum();
    if copied != 0 && copied != call.inputs.len() as u64 {
        return Err(format!("{} parts, but kernels for {copied} of them were recorded", call.inputs.len()));
    }
    let mut work = Work::movement();
    for place in 0..call.inputs.len() {
        let part = call.tensor(place).map_err(|_| "a gradient that is zero was not recorded".to_owned())?;
        let (elements, precision) = (part.elements(), part.precision()?);
        work = work.reads("part", elements, precision).writes("output", elements, precision);
    }
    Ok(work)
}

fn fill(call: &Call<'_>) -> Result<Work, NoFormula> {
    let target = call.tensor(0)?;
    Ok(Work::movement().writes("output", target.elements(), target.precision()?))
}

fn fill_like(call: &Call<'_>) -> Result<Work, NoFormula> {
    let like = call.tensor(0)?;
    let types = (1..call.inputs.len()).find_map(|index| call.element_type(index));
    // The first number behind the tensor is the type, except the value of `full_like`.
    let precision = if call.name.ends_with("full_like") { None } else { types };
    Ok(Work::movement().writes("output", like.elements(), precision.map_or_else(|| like.precision(), Ok)?))
}

/// Every element is read and written, somewhere else.
fn rearrange(call: &Call<'_>) -> Result<Work, NoFormula> {
    let input = call.tensor(0)?;
    moved(input, input.elements(), 0.0, input.precision()?)
}

fn moved(input: &Tensor, outputs: f64, operations: f64, result: Precision) -> Result<Work, NoFormula> {
    let precision = input.precision()?;
    let work = if operations == 0.0 {
        Work::movement()
    } else {
        Work::vector(operations * outputs, outputs, precision)
    };
    Ok(work.reads("input", input.elements(), precision).writes("output", outputs, result))
}

/// `to(self, dtype, ...)`; `type_as(self, other)`. The type may also come behind a device and a layout.
fn convert(call: &Call<'_>) -> Result<Work, NoFormula> {
    let input = call.tensor(0)?;
    let other = call.optional(1).map(Tensor::precision).transpose()?;
    let result = other.or_else(|| call.element_type(1));
    moved(input, input.elements(), 0.0, result.map_or_else(|| input.precision(), Ok)?)
}

/// `repeat(self, repeats)`.
fn repeat(call: &Call<'_>) -> Result<Work, NoFormula> {
    let input = call.tensor(0)?;
    let times = volume(&extents(call, 1)?);
    moved(input, input.elements() * times, 0.0, input.precision()?)
}

/// `zeros(size, dtype, ...)`, `full(size, value, dtype, ...)`.
fn new<const TYPE: usize>(call: &Call<'_>) -> Result<Work, NoFormula> {
    let precision = call.element_type(TYPE).ok_or_else(|| "its type was not recorded".to_owned())?;
    Ok(Work::movement().writes("output", volume(&extents(call, 0)?), precision))
}

/// `arange(end, ...)`, `arange(start, end, ...)` or `arange(start, end, step, out)`, of which the last launches.
fn range(call: &Call<'_>) -> Result<Work, NoFormula> {
    let numbers: Vec<f64> = call.inputs.iter().map_while(number).take(3).collect();
    let (start, end, step) = match numbers.as_slice() {
        [end] => (0.0, *end, 1.0),
        [start, end] => (*start, *end, 1.0),
        [start, end, step, ..] => (*start, *end, *step),
        [] => return Err("its bounds were not recorded".to_owned()),
    };
    let out = output_argument(call, numbers.len());
    let out = out.ok_or_else(|| "the operator it calls says the type".to_owned())?;
    let elements = ((end - start) / step).ceil();
    if !elements.is_finite() || elements < 0.0 {
        return Err("its bounds are not those of a range".to_owned());
    }
    Ok(Work::movement().writes("output", elements, out.precision()?))
}

fn number(input: &Input) -> Option<f64> {
    match input {
        Input::Scalar(text) => text.parse().ok(),
        _ => None,
    }
}

/// `replication_pad2d(self, [left, right, top, bottom])`: pairs for the last dimension first.
fn pad(call: &Call<'_>) -> Result<Work, NoFormula> {
    let input = call.tensor(0)?;
    moved(input, padded(call)?, 1.0, input.precision()?)
}

fn constant_pad(call: &Call<'_>) -> Result<Work, NoFormula> {
    let input = call.tensor(0)?;
    moved(input, padded(call)?, 0.0, input.precision()?)
}

fn padded(call: &Call<'_>) -> Result<f64, NoFormula> {
    let mut shape: Vec<f64> = call.tensor(0)?.shape.iter().map(|extent| *extent as f64).collect();
    let amounts = call.integers(1);
    if amounts.is_empty() {
        return Err("argument 1, the padding, was not recorded".to_owned());
    }
    for (pair, amount) in amounts.chunks(2).enumerate() {
        let at = dimension(-(i64::try_from(pair).unwrap_or(i64::MAX) + 1), shape.len())?;
        if let Some(extent) = shape.get_mut(at) {
            *extent += amount.iter().sum::<i64>() as f64;
        }
    }
    Ok(shape.iter().map(|extent| extent.max(0.0)).product())
}

/// `upsample_nearest2d(self, output_size, ...)`: with as many taps as the kernel has, a product for each and sums.
fn resize<const OPERATIONS: u32>(call: &Call<'_>) -> Result<Work, NoFormula> {
    let input = call.tensor(0)?;
    let size = extents(call, 1)?;
    if input.shape.len() != size.len() + 2 {
        return Err(format!("a size of {} dimensions for a tensor of {}", size.len(), input.shape.len()));
    }
    let outputs = volume(&input.shape[..2]) * volume(&size);
    moved(input, outputs, f64::from(OPERATIONS), input.precision()?)
}

/// What this device reads and writes of its own memory; what goes over links is for the communication roofline.
fn through_memory(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (input, output) = (call.tensor(1)?, call.tensor(2)?);
    moved(input, output.elements(), 0.0, output.precision()?)
}

#[cfg(test)]
mod tests {
    use super::super::operands::testing::{Example, call, check};
    use super::*;

    #[test]
    fn by_hand() {
        let bf16 = "c10::BFloat16";
        let table: &[Example<'_>] = &[
            (fill, &[("[7,5]", "float"), ("0", "Scalar")], 0.0, 140.0),
            (fill_like, &[("[7,5]", "float"), ("", ""), ("0", "Scalar")], 0.0, 35.0),
            (rearrange, &[("[7,5]", bf16), ("0", "Scalar")], 0.0, 140.0),
            (convert, &[("[7,5]", bf16), ("6", "Scalar"), ("False", "Scalar")], 0.0, 70.0 + 140.0),
            (convert, &[("[7,5]", bf16), ("[3]", "double")], 0.0, 70.0 + 280.0),
            (repeat, &[("[16]", "float"), ("[8]", "ScalarList")], 0.0, 64.0 + 512.0),
            (new::<1>, &[("[3, 4]", "ScalarList"), ("15", "Scalar"), ("0", "Scalar")], 0.0, 24.0),
            (new::<2>, &[("[3, 4]", "ScalarList"), ("1", "Scalar"), ("6", "Scalar")], 0.0, 48.0),
            (range, &[("0", "Scalar"), ("559", "Scalar"), ("1", "Scalar"), ("[0]", "long int")], 0.0, 4472.0),
            (range, &[("1", "Scalar"), ("10", "Scalar"), ("4", "Scalar"), ("[0]", "float")], 0.0, 12.0),
            // 2*3*4*5 grows to 2*3*(4+1+2)*(5+3+4).
            (pad, &[("[2,3,4,5]", "float"), ("[3, 4, 1, 2]", "ScalarList")], 504.0, 4.0 * (120.0 + 504.0)),
            (constant_pad, &[("[2,3]", "float"), ("[0, 1]", "ScalarList")], 0.0, 24.0 + 32.0),
            (
                resize::<1>,
                &[("[1,768,8]", bf16), ("[128]", "ScalarList"), ("", "")],
                98304.0,
                2.0 * (6144.0 + 98304.0),
            ),
            (
                resize::<7>,
                &[("[1,2,3,3]", "float"), ("[6, 6]", "ScalarList")],
                7.0 * 72.0,
                4.0 * (18.0 + 72.0),
            ),
            (through_memory, &[("1", "Scalar"), ("[8,4]", bf16), ("[2,4]", bf16)], 0.0, 64.0 + 16.0),
        ];
        check(table);
        assert_eq!(transfer(10.0).unwrap().bytes(), 20.0);
        assert_eq!(set(10.0).unwrap().bytes(), 10.0);
    }

    #[test]
    fn a_kernel_that_fills_says_how_much() {
        let kernel = "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<c10::Half>, \
                      at::detail::Array<char*, 1> >(int, at::native::FillFunctor<c10::Half>)";
        let bytes = |name: &str, blocks| {
            filled(name, [blocks, 1, 1], [128, 1, 1])
                .map(|work| (work.bytes(), work.basis != Basis::Recorded))
        };
        assert_eq!(bytes(kernel, 1_000), Some((2.0 * 1_000.0 * 512.0, true)));
        assert_eq!(bytes(kernel, 9), None);
        for (is, other) in
            [("FillFunctor", "MulFunctor"), ("at::detail::Array", "std::array"), ("c10::Half", "Mine")]
        {
            assert_eq!(bytes(&kernel.replace(is, other), 1_000), None, "{other}");
        }
    }

    #[test]
    fn lists_have_no_type_of_their_own() {
        let parts = ("[[4,1,768],[4,196,768]]", "TensorList");
        let unknown = call("aten::cat", &[parts, ("1", "Scalar")]);
        assert!(concatenate(&unknown).unwrap_err().contains("TensorList"));
        let bytes = 2.0 * 2.0 * 4.0 * 197.0 * 768.0;
        assert_eq!(
            concatenate(&unknown.with_list_precision("bf16".parse().unwrap())).unwrap().bytes(),
            bytes
        );
        let out = call("aten::cat", &[parts, ("1", "Scalar"), ("[0]", "c10::Half")]);
        assert_eq!(concatenate(&out).unwrap().bytes(), bytes);
        let empty = call("aten::cat", &[("", ""), ("1", "Scalar")]);
        assert!(concatenate(&empty).unwrap_err().contains("not recorded"));
    }
}
