//! Commands of neural processing units: `commands.json` lists with a `type` and shape fields.
//!
//! Convolutions, matrix products with and without a third operand, products element by element, and commands that
//! bring their own `macs` and `bytes`. Every other type is for a script of the user.

use serde_json::Value;

use super::NoFormula;
use super::shape::{broadcast, volume};
use crate::{Engine, Precision};

/// Work of a command, and its chart symbol.
#[derive(Clone, Debug, PartialEq)]
pub struct NpuWork {
    /// Multiply-adds; for work without them, elements computed.
    pub macs: f64,
    /// Additions and multiplications.
    pub flops: f64,
    /// Bytes that must be moved.
    pub bytes: f64,
    /// How its elements are stored.
    pub precision: Precision,
    /// The units that can do it.
    pub engine: Engine,
    /// The shape in charts: `square`, `circle`, `triangle-up`, `diamond`.
    pub symbol: &'static str,
}

/// The types with a formula.
pub const TYPES: &[&str] = &["ID_ADDMM", "ID_CONV", "ID_MM", "ID_MUL"];

/// What a command must do.
///
/// With `compatibility`, what is moved is counted as the first tool that read such lists did: the added operand of
/// `ID_ADDMM` and the output of `ID_MUL` are skipped, `ID_MUL` does not broadcast, and the batch of a product is that
/// of its first operand.
///
/// # Errors
/// If the type has no formula and the command no `macs` and `bytes`, or a field is missing or cannot be.
pub fn work(record: &Value, compatibility: bool) -> Result<NpuWork, NoFormula> {
    let precision = precision(record)?;
    let counted = match record.get("type").and_then(Value::as_str) {
        Some("ID_CONV") => convolution(record)?,
        Some("ID_MM") => product(record, compatibility)?,
        Some("ID_ADDMM") => sum_with_product(record, compatibility)?,
        Some("ID_MUL") => multiplication(record, compatibility)?,
        other => return given(record, precision, other.unwrap_or("without a type")),
    };
    Ok(NpuWork {
        macs: counted.macs,
        flops: counted.flops,
        bytes: counted.operands.iter().map(|elements| precision.bytes(*elements)).sum(),
        precision,
        engine: counted.engine,
        symbol: counted.symbol,
    })
}

/// A command from its text.
///
/// # Errors
/// If it is no JSON object.
pub fn command(json: &str) -> Result<Value, NoFormula> {
    match serde_json::from_str(json) {
        Ok(command @ Value::Object(_)) => Ok(command),
        Ok(_) => Err("the command is not an object".to_owned()),
        Err(error) => Err(format!("the command cannot be read: {error}")),
    }
}

/// How the elements of a command are stored: `data_type`, `INT8` if it has none, which is the default of the format.
///
/// # Errors
/// If the type is not in the catalog.
pub fn precision(record: &Value) -> Result<Precision, NoFormula> {
    let name = match record.get("data_type") {
        None => "INT8",
        Some(Value::String(name)) => name,
        Some(other) => return Err(format!("`data_type` is not a text: {other}")),
    };
    name.parse().map_err(|error: crate::UnknownPrecision| error.to_string())
}

/// Work before elements become bytes.
struct Counted {
    macs: f64,
    flops: f64,
    /// Elements of each operand.
    operands: Vec<f64>,
    /// Elements of the output.
    output: f64,
    engine: Engine,
    symbol: &'static str,
}

/// Any rank. Beyond what the format began with: `dilation`, `groups`, `transposed`, `output_padding` and `bias`.
fn convolution(record: &Value) -> Result<Counted, NoFormula> {
    let input = shape(record, "input_shape")?;
    let [batch, channels, space @ ..] = input.as_slice() else {
        return Err("`input_shape` needs a batch and channels".to_owned());
    };
    let kernel = per_dimension(record, "kernel_size", space.len(), None)?;
    let stride = per_dimension(record, "stride", space.len(), Some(1))?;
    let padding = per_dimension(record, "padding", space.len(), Some(0))?;
    let dilation = per_dimension(record, "dilation", space.len(), Some(1))?;
    let output_padding = per_dimension(record, "output_padding", space.len(), Some(0))?;
    let output_channels = whole(record, "output_channels", None)?;
    let groups = whole(record, "groups", Some(1))?;
    let transposed = flag(record, "transposed")?;
    if groups == 0 || channels % groups != 0 || output_channels % groups != 0 {
        return Err(format!("`groups` {groups} does not divide {channels} and {output_channels} channels"));
    }
    let output = space.iter().enumerate().map(|(index, extent)| {
        let (kernel, stride, padding) = (kernel[index], stride[index], padding[index]);
        let reach = kernel.checked_sub(1).map(|steps| dilation[index] * steps + 1);
        let extent = match reach {
            None => None,
            Some(_) if stride == 0 || dilation[index] == 0 => None,
            Some(reach) if transposed => {
                (extent * stride + reach + output_padding[index]).checked_sub(stride + 2 * padding)
            }
            Some(reach) => (extent + 2 * padding).checked_sub(reach).map(|room| room / stride + 1),
        };
        extent.ok_or_else(|| {
            format!("a kernel of {kernel} with stride {stride} does not fit dimension {index} of the input")
        })
    });
    let output: Vec<u64> = output.collect::<Result<_, _>>()?;
    let output_elements = (batch * output_channels) as f64 * volume(&output);
    let weights = (output_channels * (channels / groups)) as f64 * volume(&kernel);
    // Each output is a sum over the kernel and the channels of its group; transposed, each input adds to as many.
    let macs = if transposed {
        volume(&input) * (output_channels / groups) as f64 * volume(&kernel)
    } else {
        output_elements * (channels / groups) as f64 * volume(&kernel)
    };
    let (additions, bias) =
        if flag(record, "bias")? { (output_elements, output_channels as f64) } else { (0.0, 0.0) };
    Ok(Counted {
        macs,
        flops: 2.0 * macs + additions,
        operands: vec![volume(&input), weights, bias, output_elements],
        output: output_elements,
        engine: Engine::Matrix,
        symbol: "square",
    })
}

fn product(record: &Value, compatibility: bool) -> Result<Counted, NoFormula> {
    let (first, second) = (shape(record, "input_mat1")?, shape(record, "input_mat2")?);
    let ([batch @ .., rows, inner], [other_batch @ .., other_inner, columns]) =
        (first.as_slice(), second.as_slice())
    else {
        return Err("`input_mat1` and `input_mat2` need two dimensions".to_owned());
    };
    if inner != other_inner {
        return Err(format!("`input_mat1` has {inner} columns, `input_mat2` {other_inner} rows"));
    }
    let batch = if compatibility { batch.to_vec() } else { broadcast(batch, other_batch)? };
    let output = volume(&batch) * (*rows as f64) * (*columns as f64);
    let macs = output * *inner as f64;
    Ok(Counted {
        macs,
        flops: 2.0 * macs,
        operands: vec![volume(&first), volume(&second), output],
        output,
        engine: Engine::Matrix,
        symbol: "circle",
    })
}

fn sum_with_product(record: &Value, compatibility: bool) -> Result<Counted, NoFormula> {
    let mut counted = product(record, compatibility)?;
    if !compatibility {
        counted.operands.push(volume(&shape(record, "input_input")?));
        counted.flops += counted.output;
    }
    Ok(counted)
}

fn multiplication(record: &Value, compatibility: bool) -> Result<Counted, NoFormula> {
    let (first, second) = (shape(record, "input_self")?, shape(record, "input_other")?);
    let mut operands = vec![volume(&first), volume(&second)];
    let output = if compatibility {
        volume(&first)
    } else {
        let output = volume(&broadcast(&first, &second)?);
        operands.push(output);
        output
    };
    let (macs, flops) = (output, output);
    Ok(Counted { macs, flops, operands, output, engine: Engine::Vector, symbol: "triangle-up" })
}

/// A command that says itself what it does.
fn given(record: &Value, precision: Precision, kind: &str) -> Result<NpuWork, NoFormula> {
    if record.get("macs").is_none() || record.get("bytes").is_none() {
        return Err(format!(
            "no formula for the type `{kind}`: add `macs` and `bytes`, or define it in a script (--ops)"
        ));
    }
    let macs = amount(record, "macs")?;
    let flops = if record.get("flops").is_some() { amount(record, "flops")? } else { 2.0 * macs };
    let bytes = amount(record, "bytes")?;
    Ok(NpuWork { macs, flops, bytes, precision, engine: Engine::Matrix, symbol: "diamond" })
}

fn amount(record: &Value, field: &str) -> Result<f64, NoFormula> {
    let value = record.get(field).and_then(Value::as_f64);
    value
        .filter(|value| value.is_finite() && *value >= 0.0)
        .ok_or_else(|| format!("`{field}` is not a number of zero or more"))
}

fn shape(record: &Value, field: &str) -> Result<Vec<u64>, NoFormula> {
    let value = record.get(field).ok_or_else(|| format!("the field `{field}` is missing"))?;
    extents(value).ok_or_else(|| format!("`{field}` is not a list of extents: {value}"))
}

fn extents(value: &Value) -> Option<Vec<u64>> {
    value.as_array()?.iter().map(extent).collect()
}

/// Below 2^31, so that sums of products of two cannot overflow.
fn extent(value: &Value) -> Option<u64> {
    value.as_u64().filter(|extent| i32::try_from(*extent).is_ok())
}

/// A number for every dimension: a list of as many, or one number for all.
fn per_dimension(
    record: &Value,
    field: &str,
    dimensions: usize,
    default: Option<u64>,
) -> Result<Vec<u64>, NoFormula> {
    let Some(value) = record.get(field) else {
        let default = default.ok_or_else(|| format!("the field `{field}` is missing"))?;
        return Ok(vec![default; dimensions]);
    };
    let list = if value.is_array() { extents(value) } else { extent(value).map(|one| vec![one; dimensions]) };
    list.filter(|list| list.len() == dimensions)
        .ok_or_else(|| format!("`{field}` is not a list of {dimensions} whole numbers: {value}"))
}

fn whole(record: &Value, field: &str, default: Option<u64>) -> Result<u64, NoFormula> {
    match (record.get(field), default) {
        (Some(value), _) => extent(value).ok_or_else(|| format!("`{field}` is not a whole number: {value}")),
        (None, Some(default)) => Ok(default),
        (None, None) => Err(format!("the field `{field}` is missing")),
    }
}

fn flag(record: &Value, field: &str) -> Result<bool, NoFormula> {
    match record.get(field) {
        None | Some(Value::Null | Value::Bool(false)) => Ok(false),
        Some(Value::Bool(true)) => Ok(true),
        Some(other) => Err(format!("`{field}` is neither true nor false: {other}")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn convolution(data_type: &str) -> Value {
        json!({
            "type": "ID_CONV", "data_type": data_type, "input_shape": [1, 64, 1, 224, 224], "output_channels": 128,
            "kernel_size": [1, 3, 3], "stride": [1, 2, 2], "padding": [0, 1, 1],
        })
    }

    fn addmm(data_type: &str, rows: u64, inner: u64, columns: u64) -> Value {
        json!({
            "type": "ID_ADDMM", "data_type": data_type, "input_input": [1, 1, 1, rows, columns],
            "input_mat1": [1, 1, 1, rows, inner], "input_mat2": [1, 1, 1, inner, columns],
        })
    }

    fn mul(first: &[u64], second: &[u64]) -> Value {
        json!({"type": "ID_MUL", "data_type": "FP32", "input_self": first, "input_other": second})
    }

    /// MACs and bytes that the first tool of this format prints for its own examples, and what is right.
    #[test]
    fn examples_of_the_format() {
        let line: &[u64] = &[1, 1, 1, 1, 2048];
        // Record, MACs, bytes as that tool counts, bytes with the operands it skips.
        for (record, macs, compatible, right) in [
            (convolution("FP32"), 924_844_032.0, 19_562_496.0, 19_562_496.0),
            (convolution("INT8"), 924_844_032.0, 4_890_624.0, 4_890_624.0),
            // 2048 products: two operands of 8192 bytes; the output is as large.
            (mul(line, line), 2048.0, 16_384.0, 24_576.0),
            // The added line of 2048 FP32 is 8192 bytes more.
            (addmm("FP32", 1, 2048, 2048), 4_194_304.0, 16_793_600.0, 16_801_792.0),
            // (512*2048 + 2048*2048 + 512*2048) * 4, and 512*2048*4 more.
            (addmm("FP32", 512, 2048, 2048), 2_147_483_648.0, 25_165_824.0, 29_360_128.0),
        ] {
            for (compatibility, bytes) in [(true, compatible), (false, right)] {
                let found = work(&record, compatibility).unwrap();
                assert_eq!((found.macs, found.bytes), (macs, bytes), "{record} {compatibility}");
            }
        }
        let readme = work(&convolution("INT8"), true).unwrap();
        assert!((readme.macs / readme.bytes - 189.1055).abs() < 5e-5);
        assert!((924_844_032.0_f64 / 850_000e-9 / 1e12 - 1.088052).abs() < 5e-7);
        // 85.333 MACs a byte.
        let product = work(&addmm("FP32", 512, 2048, 2048), true).unwrap();
        assert!((product.macs / product.bytes - 85.333).abs() < 5e-4);
    }

    #[test]
    fn operations_are_two_for_a_multiply_add_and_one_for_an_addition() {
        assert_eq!(work(&convolution("INT8"), false).unwrap().flops, 2.0 * 924_844_032.0);
        assert_eq!(work(&addmm("FP16", 3, 5, 7), false).unwrap().flops, 2.0 * 105.0 + 21.0);
        assert_eq!(work(&addmm("FP16", 3, 5, 7), true).unwrap().flops, 2.0 * 105.0);
        assert_eq!(work(&mul(&[2, 3], &[3]), false).unwrap().flops, 6.0);
    }

    #[test]
    fn operands_broadcast_unless_compatible() {
        // 2*1*3 and 5*1 give 2*5*3.
        let record = mul(&[2, 1, 3], &[5, 1]);
        let found = work(&record, false).unwrap();
        assert_eq!((found.macs, found.bytes), (30.0, 4.0 * (6.0 + 5.0 + 30.0)));
        let compatible = work(&record, true).unwrap();
        assert_eq!((compatible.macs, compatible.bytes), (6.0, 4.0 * 11.0));
        let batched =
            json!({"type": "ID_MM", "data_type": "FP16", "input_mat1": [3, 4], "input_mat2": [2, 4, 5]});
        let found = work(&batched, false).unwrap();
        assert_eq!((found.macs, found.bytes), (2.0 * 60.0, 2.0 * (12.0 + 40.0 + 30.0)));
    }

    /// Counts the products of a convolution by doing it, in one dimension.
    fn products(extent: i64, kernel: i64, stride: i64, padding: i64, dilation: i64) -> (u64, u64) {
        let (mut outputs, mut products) = (0, 0);
        let mut start = -padding;
        while start + dilation * (kernel - 1) < extent + padding {
            outputs += 1;
            products += kernel as u64;
            start += stride;
        }
        (outputs, products)
    }

    #[test]
    fn convolutions_are_those_of_a_loop() {
        for (extent, kernel, stride, padding, dilation, groups) in [
            (10, 3, 1, 0, 1, 1),
            (10, 3, 2, 1, 1, 2),
            (17, 4, 3, 2, 2, 4),
            (9, 1, 1, 0, 1, 4),
            (7, 7, 5, 0, 1, 1),
        ] {
            let record = json!({
                "type": "ID_CONV", "input_shape": [2, 4, extent], "output_channels": 8, "kernel_size": [kernel],
                "stride": stride, "padding": [padding], "dilation": dilation, "groups": groups, "bias": true,
            });
            let (outputs, products) = products(extent, kernel, stride, padding, dilation);
            let found = work(&record, false).unwrap();
            let macs = (2 * 8 * (4 / groups) as u64 * products) as f64;
            let output = (2 * 8 * outputs) as f64;
            let weights = (8 * (4 / groups) * kernel) as f64;
            assert_eq!(found.macs, macs, "{record}");
            assert_eq!(found.flops, 2.0 * macs + output, "{record}");
            assert_eq!(found.bytes, 8.0 * extent as f64 + weights + 8.0 + output, "{record}");
        }
        // Transposed: every input times every weight of its channel; (5-1)*2 - 2 + 3 + 1 = 10 outputs.
        let record = json!({
            "type": "ID_CONV", "input_shape": [1, 2, 5], "output_channels": 3, "kernel_size": [3], "stride": 2,
            "padding": 1, "output_padding": 1, "transposed": true,
        });
        let found = work(&record, false).unwrap();
        assert_eq!((found.macs, found.bytes), (10.0 * 9.0, 10.0 + 18.0 + 30.0));
    }

    #[test]
    fn raw_numbers_are_taken_as_they_are() {
        let record = json!({"type": "ID_ANY", "data_type": "FP16", "macs": 7, "bytes": 5.5});
        let found = work(&record, false).unwrap();
        assert_eq!((found.macs, found.flops, found.bytes, found.symbol), (7.0, 14.0, 5.5, "diamond"));
        let record = json!({"type": "ID_ANY", "macs": 7, "bytes": 5, "flops": 9});
        assert_eq!(work(&record, true).unwrap().flops, 9.0);
    }

    #[test]
    fn what_cannot_be_is_said() {
        for (record, part) in [
            (json!({"type": "ID_NEW"}), "ID_NEW"),
            (json!([]), "without a type"),
            (json!({"type": "ID_MM", "input_mat1": [2, 3]}), "input_mat2"),
            (json!({"type": "ID_MM", "input_mat1": [2, 3], "input_mat2": [4, 5]}), "3 columns"),
            (json!({"type": "ID_MM", "input_mat1": [3], "input_mat2": [3]}), "two dimensions"),
            (json!({"type": "ID_MUL", "input_self": [2], "input_other": [3]}), "broadcast"),
            (json!({"type": "ID_MUL", "input_self": [-2], "input_other": [3]}), "input_self"),
            (json!({"type": "ID_MUL", "data_type": "INT9", "input_self": [2], "input_other": [2]}), "INT9"),
            (json!({"type": "ID_X", "macs": -1, "bytes": 3}), "macs"),
            (json!({"type": "ID_X", "macs": 1, "bytes": "3"}), "bytes"),
            (
                json!({"type": "ID_CONV", "input_shape": [1, 2, 3], "output_channels": 4, "kernel_size": [9]}),
                "does not fit",
            ),
            (
                json!({"type": "ID_CONV", "input_shape": [1, 2, 3], "output_channels": 4, "kernel_size": [0]}),
                "does not fit",
            ),
            (
                json!({"type": "ID_CONV", "input_shape": [1, 3, 3], "output_channels": 4, "kernel_size": 1,
                       "groups": 2}),
                "groups",
            ),
        ] {
            let error = work(&record, false).expect_err(part);
            assert!(error.contains(part), "{error}");
        }
    }
}
