//! "Did you mean": the known words that look most like a misspelt one.

/// Below this, two words share little more than a few letters.
const LEAST_LIKENESS: f64 = 0.8;

/// How much two words look alike, from 0 to 1.
pub fn likeness(one: &str, other: &str) -> f64 {
    strsim::jaro_winkler(one, other)
}

/// True if two words are so alike that one may be the other misspelt.
pub fn is_close(likeness: f64) -> bool {
    likeness >= LEAST_LIKENESS
}

/// The known words that are close to this one, closest first; equally close ones stay in order.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut scored: Vec<(f64, &str)> = known
        .into_iter()
        .map(|candidate| (likeness(word, candidate), candidate))
        .filter(|(likeness, _)| is_close(*likeness))
        .collect();
    scored.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    scored.into_iter().map(|(_, candidate)| candidate).collect()
}

/// The known word that looks most like this one, if any is close enough.
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    nearest(word, known).into_iter().next()
}

/// The share of letters that two words have in common if they differ by a slip.
const SLIP: f64 = 0.75;

/// The known word that this one differs from by a slip: in one letter of four at the most, whatever the case. Stricter than
/// [`did_you_mean`], for words that may well be somebody else's.
pub fn slip_of<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let likeness = |name: &str| strsim::normalized_levenshtein(&word, &name.to_lowercase());
    let mut slip: Option<(f64, &str)> = None;
    for name in known {
        let likeness = likeness(name);
        // Of several that are as like, the first.
        if likeness >= slip.map_or(SLIP, |(most, _)| most.next_up()) {
            slip = Some((likeness, name));
        }
    }
    slip.map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_a_letter_of_four() {
        let known = ["flops", "dram_bytes", "id"];
        assert_eq!(slip_of("flps", known), Some("flops"));
        assert_eq!(slip_of("DRAM_btyes", known), Some("dram_bytes"));
        assert_eq!(slip_of("Id", known), Some("id"));
        assert_eq!(slip_of("ib", known), None);
        assert_eq!(slip_of("dram", known), None);
        assert_eq!(slip_of("keys", ["keyd", "keya"]), Some("keyd"));
    }

    #[test]
    fn only_similar_words_are_offered() {
        let known = ["kernels", "kernel-types", "steps"];
        assert_eq!(did_you_mean("kernal", known), Some("kernels"));
        assert_eq!(did_you_mean("stesp", known), Some("steps"));
        assert_eq!(did_you_mean("roofline", known), None);
        assert_eq!(nearest("kernel", known), ["kernels", "kernel-types"]);
    }
}
