//! What TraceLens says where its models are wrong, computed from the stated defect. The ids are those of the table in
//! `docs/tracelens.md`.

use eaves_assess::roofline::Load;
use eaves_roofline::ops::Call;

use super::reference::Key;

/// FLOPs and bytes by a model of theirs, and the defect that makes them wrong.
pub(crate) struct Theirs {
    pub(crate) defect: &'static str,
    pub(crate) flops: f64,
    pub(crate) bytes: f64,
}

/// Their answer for a call whose model has a defect; nothing if none is known.
pub(crate) fn theirs(key: &Key, load: &Load) -> Option<Theirs> {
    let [name, dims, types, strides, concrete] = key;
    let call = Call::parse(name, dims, types, strides, concrete).ok()?;
    match name.strip_prefix("aten::").unwrap_or(name) {
        "sum" | "mean" | "max" | "min" => reduction(&call),
        "cumsum" => scan(&call),
        "aiter::mha_batch_prefill" => paged(&call, load),
        "_scaled_dot_product_flash_attention" => attention(&call),
        "convolution" => convolution(&call, 0, false),
        "convolution_backward" => convolution(&call, 1, true),
        "batch_norm" | "native_batch_norm" | "miopen_batch_norm" | "instance_norm" | "layer_norm"
        | "native_layer_norm" | "group_norm" | "native_group_norm" => normalization(&call),
        "native_batch_norm_backward" => backward(&call, true, 4.0),
        "miopen_batch_norm_backward" => backward(&call, false, 1.0),
        "native_group_norm_backward" => backward(&call, true, 1.0),
        "pow" | "rsqrt" => function(load, 2.0),
        "sigmoid" | "silu" => function(load, 4.0),
        "_fused_rms_norm" => rms_norm(&call),
        "_fused_rms_norm_backward" => rms_norm_backward(&call),
        name if name.starts_with("triton_poi_") => generated(&call, load),
        _ => None,
    }
}

fn bytes_of(type_name: &str) -> f64 {
    match type_name {
        "double" | "long int" => 8.0,
        "float" | "int" | "Scalar" => 4.0,
        "c10::Half" | "c10::BFloat16" => 2.0,
        _ => 1.0,
    }
}

fn product(extents: &[u64]) -> f64 {
    extents.iter().map(|extent| *extent as f64).product()
}

/// 1: dimensions arrive as text and are skipped, so the result has one element.
fn reduction(call: &Call<'_>) -> Option<Theirs> {
    let input = call.optional(0)?;
    let (elements, size) = (input.elements(), bytes_of(&input.type_name));
    Some(Theirs { defect: "T1", flops: elements, bytes: (elements + 1.0) * size })
}

/// Eager functions count one operation for an element, whatever they weigh in generated kernels.
fn function(load: &Load, weight: f64) -> Option<Theirs> {
    Some(Theirs { defect: "V7", flops: load.flops / weight, bytes: load.bytes })
}

/// 1: sums of integers are 64 bits, whatever is summed.
fn scan(call: &Call<'_>) -> Option<Theirs> {
    let input = call.optional(0)?;
    let elements = input.elements();
    Some(Theirs { defect: "T1", flops: elements, bytes: 2.0 * elements * bytes_of(&input.type_name) })
}

/// 3: half of the diagonal of every sequence is skipped.
fn paged(call: &Call<'_>, load: &Load) -> Option<Theirs> {
    let [tokens, heads, dim] = call.optional(0)?.extents().ok()?;
    let diagonal = 2.0 * heads * (dim + dim) * tokens;
    Some(Theirs { defect: "T3", flops: load.flops - diagonal / 2.0, bytes: load.bytes })
}

/// 4: a bias is never seen; the backward ignores which gradients are wanted.
fn convolution(call: &Call<'_>, first: usize, is_backward: bool) -> Option<Theirs> {
    let (input, weight) = (call.optional(first)?, call.optional(first + 1)?);
    let list = |index: usize, axis: usize| {
        let numbers = call.integers(first + index);
        numbers.get(axis).or(numbers.first()).map(|number| *number as f64)
    };
    let mut output = input.shape[0] as f64 * weight.shape[0] as f64;
    for axis in 0..input.shape.len() - 2 {
        let (stride, padding, dilation) = (list(3, axis)?, list(4, axis)?, list(5, axis)?);
        let (extent, kernel) = (input.shape[axis + 2] as f64, weight.shape[axis + 2] as f64);
        output *= ((extent + 2.0 * padding - dilation * (kernel - 1.0) - 1.0) / stride + 1.0).floor();
    }
    let size = bytes_of(&input.type_name);
    let times = if is_backward { 2.0 } else { 1.0 };
    Some(Theirs {
        defect: "T4",
        flops: times * 2.0 * output * product(&weight.shape[1..]),
        bytes: times * (input.elements() + weight.elements() + output) * size,
    })
}

/// Elements of the input and channels.
fn channels(call: &Call<'_>, input: usize) -> Option<(f64, f64, f64)> {
    let tensor = call.optional(input)?;
    let count = if call.name.contains("layer_norm") || call.name.contains("rms_norm") {
        call.integers(input + 1).iter().map(|extent| *extent as f64).product()
    } else {
        tensor.shape[1] as f64
    };
    Some((tensor.elements(), count, bytes_of(&tensor.type_name)))
}

/// 5: always training, always with scale and bias.
fn normalization(call: &Call<'_>) -> Option<Theirs> {
    let (elements, channels, size) = channels(call, 0)?;
    Some(Theirs {
        defect: "T5",
        flops: 6.0 * channels + 5.0 * elements,
        bytes: (2.0 * elements + 6.0 * channels) * size,
    })
}

/// 5: whether there is a scale, and for MIOpen whether statistics were computed, is not what the call says.
fn backward(call: &Call<'_>, training: bool, vectors: f64) -> Option<Theirs> {
    // MIOpen's has the input first.
    let (elements, channels, size) = channels(call, 0)?;
    let (flops, passes) =
        if training { (9.0 * elements, 3.0) } else { (4.0 * elements + 3.0 * channels, 2.0) };
    Some(Theirs { defect: "T5", flops, bytes: (passes * elements + vectors * channels) * size })
}

/// 5: always with a scale.
fn rms_norm(call: &Call<'_>) -> Option<Theirs> {
    let (elements, channels, size) = channels(call, 0)?;
    Some(Theirs {
        defect: "T5",
        flops: elements / channels * (2.0 * channels + 2.0) + 2.0 * elements,
        bytes: (2.0 * elements + channels) * size,
    })
}

fn rms_norm_backward(call: &Call<'_>) -> Option<Theirs> {
    let (elements, channels, size) = channels(call, 1)?;
    let wants_weight = call.scalar(call.inputs.len() - 1).ends_with("True]");
    let weight = if wants_weight { 2.0 * elements } else { 0.0 };
    Some(Theirs {
        defect: "T5",
        flops: 8.0 * elements + weight,
        bytes: (3.0 * elements + 2.0 * channels) * size,
    })
}

/// Half of the square stands for the causal half, which skips half of the diagonal; and 2: two bytes an element.
fn attention(call: &Call<'_>) -> Option<Theirs> {
    let (query, key, value) = (call.optional(0)?, call.optional(1)?, call.optional(2)?);
    let [batch, heads, queries, dim] = query.extents().ok()?;
    let [_, _, keys, _] = key.extents().ok()?;
    let [.., value_dim] = value.extents::<4>().ok()?;
    let output = batch * heads * queries * value_dim;
    Some(Theirs {
        defect: "T3",
        flops: batch * heads * 2.0 * queries * keys * (dim + value_dim) / 2.0,
        bytes: 2.0 * (query.elements() + key.elements() + value.elements() + output),
    })
}

/// 6: a pointwise kernel is taken to write one tensor more than its arguments.
fn generated(call: &Call<'_>, load: &Load) -> Option<Theirs> {
    let extent: f64 = call.scalar(call.inputs.len() - 1).parse().ok()?;
    let size = bytes_of(&call.optional(0)?.type_name);
    let tensors: f64 = call.tensors().map(|tensor| tensor.elements() * bytes_of(&tensor.type_name)).sum();
    Some(Theirs { defect: "T6", flops: load.flops, bytes: tensors + size * extent })
}
