//! `--sweep`: one parameter over values.

use eaves_model::suggestion::did_you_mean;

use crate::{Extent, Failure};

/// More points make no readable chart.
const MOST: usize = 10_000;

/// A parameter and its values.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Sweep {
    /// The name of the parameter.
    pub(super) parameter: &'static str,
    /// Its values in order.
    pub(super) values: Vec<Extent>,
}

impl Sweep {
    /// `m=1..4k:x2` (times two), `m=1k..8k:+1k`, `m=1,2,3`; the parameter is one of those named.
    pub(super) fn parse(text: &str, parameters: &'static [&'static str]) -> Result<Self, Failure> {
        let known = || format!("parameters that can be swept: {}", parameters.join(", "));
        let Some((name, values)) = text.split_once('=') else {
            return Err(Failure::usage(
                format!("`{text}` is not a sweep"),
                "write it as m=1..4k:x2 or m=1,2,3",
            ));
        };
        let name = name.trim().trim_start_matches('-');
        let Some(parameter) = parameters.iter().find(|parameter| **parameter == name) else {
            let near = did_you_mean(name, parameters.iter().copied());
            let hint = near.map_or_else(known, |near| format!("did you mean `{near}`?"));
            return Err(Failure::usage(format!("no parameter `{name}` to sweep"), hint));
        };
        let values = match values.split_once("..") {
            Some((first, rest)) => range(first, rest),
            None => values.split(',').map(str::parse).collect(),
        };
        let values = values.map_err(|reason| {
            Failure::usage(format!("`{text}`: {reason}"), "write values as 1..4k:x2, 1k..8k:+1k or 1,2,3")
        })?;
        Ok(Self { parameter, values })
    }
}

fn range(first: &str, rest: &str) -> Result<Vec<Extent>, String> {
    let (last, step) = rest.split_once(':').unwrap_or((rest, "x2"));
    let (Extent(first), Extent(last)) = (first.parse()?, last.parse()?);
    let next: Box<dyn Fn(u64) -> Option<u64>> = match step.trim().split_at_checked(1) {
        Some(("x", factor)) => {
            let Extent(factor) = factor.parse()?;
            if factor < 2 {
                return Err("the factor must be at least 2".to_owned());
            }
            Box::new(move |value| value.checked_mul(factor))
        }
        Some(("+", step)) => {
            let Extent(step) = step.parse()?;
            Box::new(move |value| value.checked_add(step))
        }
        _ => return Err(format!("`{step}` is not a step: x2 multiplies, +2 adds")),
    };
    let values: Vec<Extent> = std::iter::successors(Some(first), |value| next(*value))
        .take_while(|value| *value <= last)
        .take(MOST + 1)
        .map(Extent)
        .collect();
    match values.len() {
        0 => Err("the first value is above the last".to_owned()),
        count if count > MOST => Err(format!("more than {MOST} values")),
        _ => Ok(values),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: &[&str] = &["m", "n"];

    #[test]
    fn values_follow_the_step() {
        for (text, values) in [
            ("m=1..8", vec![1, 2, 4, 8]),
            ("m=1..10:x3", vec![1, 3, 9]),
            ("n=1k..3k:+1k", vec![1024, 2048, 3072]),
            ("n=5, 3,4k", vec![5, 3, 4096]),
        ] {
            assert_eq!(
                Sweep::parse(text, NAMES).unwrap().values,
                values.into_iter().map(Extent).collect::<Vec<_>>(),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_no_sweep_is_refused() {
        for text in ["m", "k=1,2", "m=", "m=4..1", "m=1..4:x1", "m=1..4:2", "m=1..1g:+1", "m=1..4:+0"] {
            assert!(Sweep::parse(text, NAMES).is_err(), "{text}");
        }
    }
}
