//! Recorded calls of operators with matrix products, each with its work counted by hand.

mod attention;
mod convolution;
mod gemm;
mod layers;

use eaves_roofline::Work;
use eaves_roofline::ops::{Call, formula, wrapper};

/// An argument: a shape and a type, or a scalar.
enum Argument {
    Tensor(&'static str, &'static str),
    Scalar(&'static str),
    None,
}
use Argument::{None as Absent, Scalar, Tensor};

const BF16: &str = "c10::BFloat16";
const FP32: &str = "float";
const FP8: &str = "c10::Float8_e4m3fn";
const BYTE: &str = "unsigned char";
const INT8: &str = "signed char";
const INT: &str = "int";

fn call<'a>(name: &'a str, arguments: &[Argument]) -> Call<'a> {
    let list = |text: &dyn Fn(&Argument) -> String| {
        format!("[{}]", arguments.iter().map(text).collect::<Vec<_>>().join(","))
    };
    let dims = list(&|argument| match argument {
        Tensor(shape, _) => format!("[{shape}]"),
        _ => "[]".to_owned(),
    });
    let types = list(&|argument| match argument {
        Tensor(_, kind) => format!("\"{kind}\""),
        Scalar(_) => "\"Scalar\"".to_owned(),
        Absent => "\"\"".to_owned(),
    });
    let concrete = list(&|argument| match argument {
        Scalar(text) => format!("\"{text}\""),
        _ => "\"\"".to_owned(),
    });
    Call::parse(name, &dims, &types, "", &concrete).unwrap_or_else(|reason| panic!("{name}: {reason}"))
}

fn work(call: &Call<'_>) -> Work {
    let found = formula(call.name).or_else(|| wrapper(call.name)).unwrap_or_else(|| panic!("{}", call.name));
    (found.work)(call).unwrap_or_else(|reason| panic!("{}: {reason}", call.name))
}

/// Checks multiply-adds, further additions and bytes.
fn check(name: &str, arguments: &[Argument], macs: f64, additions: f64, bytes: f64) -> Work {
    let work = work(&call(name, arguments));
    assert_eq!((work.macs, work.flops - 2.0 * work.macs, work.bytes()), (macs, additions, bytes), "{name}");
    work
}
