//! The step of an inference server: how long the sequences are that it works on.

/// Sums over the sequences of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tokens {
    /// Queries.
    pub queries: f64,
    /// Keys, those of earlier steps included.
    pub keys: f64,
    /// Squares of queries.
    pub squares: f64,
    /// Products of queries and keys.
    pub products: f64,
}

impl Tokens {
    /// Pairs of a query and a key it sees, each sequence causal: `q*k - q(q-1)/2`.
    pub fn pairs(&self) -> f64 {
        self.products - (self.squares - self.queries) / 2.0
    }
}

/// A step as servers annotate it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Step {
    /// Sequences whose prompt is read.
    pub prefill: Tokens,
    /// Sequences that get another token.
    pub decode: Tokens,
}

impl Step {
    /// The step of an annotation, if it has the sums in it: those of vLLM
    /// (`execute_<n>_context_<r>(sq..sk..sqsq..sqsk..)_generation_<r>(..)`), SGLang (`step[.. c_sq=.. g_sqsk=..]`)
    /// and ATOM (`prefill[.. sqsq=..]`, `decode[..]`).
    pub fn parse(annotation: &str) -> Option<Self> {
        if let Some(rest) = annotation.strip_prefix("execute_") {
            let (context, generation) = rest.split_once("_generation_")?;
            let (_, context) = context.split_once("_context_")?;
            return Some(Self { prefill: bracketed(context)?, decode: bracketed(generation)? });
        }
        let (kind, fields) = annotation.strip_suffix(']')?.split_once('[')?;
        match kind {
            "step" => Some(Self { prefill: fields_of(fields, "c_")?, decode: fields_of(fields, "g_")? }),
            "prefill" => Some(Self { prefill: fields_of(fields, "")?, ..Self::default() }),
            "decode" => Some(Self { decode: fields_of(fields, "")?, ..Self::default() }),
            _ => None,
        }
    }
}

/// `9(sq8155sk8430sqsq7475785sqsk7671310)`.
fn bracketed(text: &str) -> Option<Tokens> {
    let (_, sums) = text.strip_suffix(')')?.split_once('(')?;
    let (rest, products) = sums.rsplit_once("sqsk")?;
    let (rest, squares) = rest.rsplit_once("sqsq")?;
    let (queries, keys) = rest.strip_prefix("sq")?.split_once("sk")?;
    Some(Tokens {
        queries: count(queries)?,
        keys: count(keys)?,
        squares: count(squares)?,
        products: count(products)?,
    })
}

/// `bs=3 c_sq=10 c_sk=20 c_sqsq=40 c_sqsk=80`; ATOM calls the queries `tok`.
fn fields_of(text: &str, prefix: &str) -> Option<Tokens> {
    let field = |name: &str| {
        text.split_whitespace().find_map(|field| {
            let (key, value) = field.split_once('=')?;
            (key.strip_prefix(prefix)? == name).then(|| count(value)).flatten()
        })
    };
    Some(Tokens {
        queries: field("sq").or_else(|| field("tok"))?,
        keys: field("sk")?,
        squares: field("sqsq")?,
        products: field("sqsk")?,
    })
}

fn count(text: &str) -> Option<f64> {
    text.parse::<u64>().ok().map(|count| count as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations_of_servers() {
        let mixed = "execute_8192_context_9(sq8155sk8430sqsq7475785sqsk7671310)_generation_37(sq37sk34489sqsq37sqsk34489)";
        let step = Step::parse(mixed).expect("a step");
        let prefill = Tokens { queries: 8155.0, keys: 8430.0, squares: 7_475_785.0, products: 7_671_310.0 };
        let decode = Tokens { queries: 37.0, keys: 34489.0, squares: 37.0, products: 34489.0 };
        assert_eq!(step, Step { prefill, decode });
        assert_eq!(step.decode.pairs(), 34489.0);
        let fields =
            "step[MIXED bs=2 toks=9 c_sq=8 c_sk=10 c_sqsq=64 c_sqsk=80 g_sq=1 g_sk=7 g_sqsq=1 g_sqsk=7]";
        // 8 queries at the end of 10 keys see 3 to 10 of them: 52.
        assert_eq!(Step::parse(fields).map(|step| step.prefill.pairs()), Some(52.0));
        let atom = Step::parse("decode[bs=117/128 tok=117 d=1 sqsq=117 sqsk=900 sk=900]").expect("a step");
        assert_eq!((atom.decode.pairs(), atom.prefill), (900.0, Tokens::default()));
    }

    #[test]
    fn annotations_without_the_sums_are_no_steps() {
        for text in [
            "",
            "step[EXTEND bs=15 toks=15360]",
            "execute_context_1(5)_generation_0(0)",
            "capture_8_FULL",
            "]",
            "x[]",
        ] {
            assert_eq!(Step::parse(text), None, "{text}");
        }
    }
}
