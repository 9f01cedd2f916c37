use super::*;

/// The shapes of the calculator roofline-hack: its three buttons and its sweep of ten.
#[test]
fn presets_are_the_published_shapes() {
    let all = |preset: Preset| {
        preset.shapes().iter().map(|shape| format!("{}x{}x{}", shape.m, shape.n, shape.k)).collect::<Vec<_>>()
    };
    assert_eq!(all(Preset::Decode), ["1x4096x4096"]);
    assert_eq!(all(Preset::FfnUp), ["1x4096x14336"]);
    assert_eq!(all(Preset::Prefill), ["2048x4096x4096"]);
    let sweep = all(Preset::Sweep);
    assert_eq!(sweep.len(), 10);
    assert_eq!((sweep[2].as_str(), sweep[8].as_str()), ("1x14336x4096", "2048x4096x14336"));
}

#[test]
fn one_row_is_a_product_with_a_vector() {
    let pair = pair("mxfp4/int8").unwrap();
    assert!(matches!(Product { m: 1, n: 2, k: 3 }.spec(&pair), Spec::Gemv { n: 2, k: 3, .. }));
    assert!(matches!(Product { m: 2, n: 2, k: 3 }.spec(&pair), Spec::Gemm { m: 2, n: 2, k: 3, .. }));
}

#[test]
fn code_has_a_name() {
    assert_eq!(code("own"), Ok(Code::Own));
    assert_eq!(code("vendor"), code("openblas"));
    assert!(code("mine").is_err());
}
