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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_similar_words_are_offered() {
        let known = ["kernels", "kernel-types", "steps"];
        assert_eq!(did_you_mean("kernal", known), Some("kernels"));
        assert_eq!(did_you_mean("stesp", known), Some("steps"));
        assert_eq!(did_you_mean("roofline", known), None);
        assert_eq!(nearest("kernel", known), ["kernels", "kernel-types"]);
    }
}
