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

    /// The least that this many queries of this many sequences allow: all as long, and nothing of them was read before.
    fn at_least(sequences: f64, queries: f64) -> Self {
        let squares = if sequences > 0.0 { queries * queries / sequences } else { 0.0 };
        Self { queries, keys: queries, squares, products: squares }
    }

    /// The same with a query seeing this many keys at most. Exact if all sequences are longer than that or none is.
    fn within(self, window: f64) -> Self {
        let most = self.queries * window;
        let products = self.products.min(most + (self.squares - self.queries) / 2.0);
        Self { products, ..self }
    }
}

/// A step as servers annotate it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Step {
    /// Sequences whose prompt is read.
    pub prefill: Tokens,
    /// Sequences that get another token.
    pub decode: Tokens,
    /// True if the annotation has numbers of sequences and tokens only: the keys are then the least there can be.
    pub queries_only: bool,
}

impl Step {
    /// One sequence whose length was recorded.
    pub(super) fn of_one(queries: f64, keys: f64) -> Self {
        let prefill = Tokens { queries, keys, squares: queries * queries, products: queries * keys };
        Self { prefill, ..Self::default() }
    }

    /// The same with a query seeing this many keys at most. Of a sequence that gets another token, no more is read.
    pub(super) fn within(self, window: f64) -> Self {
        let keys = self.decode.keys.min(self.decode.queries * window);
        let decode = Tokens { keys, ..self.decode.within(window) };
        Self { prefill: self.prefill.within(window), decode, ..self }
    }

    /// The step of an annotation, if it has the sums in it: those of vLLM
    /// (`execute_<n>_context_<r>(sq..sk..sqsq..sqsk..)_generation_<r>(..)`), SGLang (`step[.. c_sq=.. g_sqsk=..]`)
    /// and ATOM (`prefill[.. sqsq=..]`, `decode[..]`). Without them, what vLLM and SGLang write by themselves
    /// (`execute_context_<r>(<tokens>)_generation_<r>(<tokens>)`, `step[EXTEND bs=.. toks=..]`) says how many tokens there are.
    pub fn parse(annotation: &str) -> Option<Self> {
        if let Some(rest) = annotation.strip_prefix("execute_context_") {
            let (context, generation) = rest.split_once("_generation_")?;
            return Some(Self {
                prefill: counted(context)?,
                decode: counted(generation)?,
                queries_only: true,
            });
        }
        if let Some(rest) = annotation.strip_prefix("execute_") {
            let (context, generation) = rest.split_once("_generation_")?;
            let (_, context) = context.split_once("_context_")?;
            let (prefill, decode) = (bracketed(context)?, bracketed(generation)?);
            return Some(Self { prefill, decode, queries_only: false });
        }
        let (kind, fields) = annotation.strip_suffix(']')?.split_once('[')?;
        match kind {
            "step" => match (fields_of(fields, "c_"), fields_of(fields, "g_")) {
                (Some(prefill), Some(decode)) => Some(Self { prefill, decode, queries_only: false }),
                _ => without_sums(fields),
            },
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

/// `9(8155)`: sequences and tokens.
fn counted(text: &str) -> Option<Tokens> {
    let (sequences, tokens) = text.strip_suffix(')')?.split_once('(')?;
    Some(Tokens::at_least(count(sequences)?, count(tokens)?))
}

/// `EXTEND bs=15 toks=15360`.
fn without_sums(text: &str) -> Option<Step> {
    let tokens = Tokens::at_least(field(text, "bs")?, field(text, "toks")?);
    let step = Step { queries_only: true, ..Step::default() };
    match text.split_whitespace().next()? {
        "EXTEND" => Some(Step { prefill: tokens, ..step }),
        "DECODE" => Some(Step { decode: tokens, ..step }),
        _ => None,
    }
}

fn field(text: &str, name: &str) -> Option<f64> {
    text.split_whitespace().find_map(|field| {
        let (key, value) = field.split_once('=')?;
        (key == name).then(|| count(value)).flatten()
    })
}

/// `bs=3 c_sq=10 c_sk=20 c_sqsq=40 c_sqsk=80`; ATOM calls the queries `tok`.
fn fields_of(text: &str, prefix: &str) -> Option<Tokens> {
    let field = |name: &str| field(text, &format!("{prefix}{name}"));
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
        assert_eq!(step, Step { prefill, decode, queries_only: false });
        assert_eq!(step.decode.pairs(), 34489.0);
        let fields =
            "step[MIXED bs=2 toks=9 c_sq=8 c_sk=10 c_sqsq=64 c_sqsk=80 g_sq=1 g_sk=7 g_sqsq=1 g_sqsk=7]";
        // 8 queries at the end of 10 keys see 3 to 10 of them: 52.
        assert_eq!(Step::parse(fields).map(|step| step.prefill.pairs()), Some(52.0));
        let atom = Step::parse("decode[bs=117/128 tok=117 d=1 sqsq=117 sqsk=900 sk=900]").expect("a step");
        assert_eq!((atom.decode.pairs(), atom.prefill), (900.0, Tokens::default()));
    }

    /// 10 tokens of two prompts have at least 2 * 5 * 6 / 2 pairs; keys that were read before are not known.
    #[test]
    fn annotations_with_tokens_only() {
        let step = Step::parse("execute_context_2(10)_generation_3(3)").expect("a step");
        assert!(step.queries_only);
        assert_eq!((step.prefill.queries, step.prefill.pairs(), step.decode.queries), (10.0, 30.0, 3.0));
        let extend = Step::parse("step[EXTEND bs=2 toks=10]").expect("a step");
        assert_eq!((extend.prefill, extend.decode), (step.prefill, Tokens::default()));
        assert!(Step::parse("step[DECODE bs=4 toks=4]").is_some_and(|step| step.decode.queries == 4.0));
    }

    /// Counted by hand: 8 queries at the end of 10 keys that see 4 each; a token that sees 4 of 7.
    #[test]
    fn windows_bound_what_is_seen() {
        let prefill = Tokens { queries: 8.0, keys: 10.0, squares: 64.0, products: 80.0 };
        let decode = Tokens { queries: 1.0, keys: 7.0, squares: 1.0, products: 7.0 };
        let step = Step { prefill, decode, queries_only: false }.within(4.0);
        assert_eq!((step.prefill.pairs(), step.decode.pairs(), step.decode.keys), (32.0, 4.0, 4.0));
        let wide = Step { prefill, decode, queries_only: false };
        assert_eq!(wide.within(100.0), wide);
    }

    #[test]
    fn annotations_without_numbers_are_no_steps() {
        for text in [
            "",
            "step[MIXED bs=15 toks=15360]",
            "execute_context_1_generation_0",
            "capture_8_FULL",
            "]",
            "x[]",
        ] {
            assert_eq!(Step::parse(text), None, "{text}");
        }
    }
}
