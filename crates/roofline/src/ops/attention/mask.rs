//! Which keys a query sees.

/// A band of keys around the place of a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Mask {
    /// Keys seen before the place of the query; all of them by default.
    pub(super) left: Option<f64>,
    /// Keys seen after it; none for causal attention.
    pub(super) right: Option<f64>,
    /// Whether the first query is at the place of the first key, rather than the last at the place of the last.
    pub(super) from_start: bool,
}

impl Mask {
    /// Every query sees every key.
    pub(super) const ALL: Self = Self { left: None, right: None, from_start: false };

    /// No query sees a key after its own place, the last query and the last key being at the same one.
    pub(super) const CAUSAL: Self = Self { right: Some(0.0), ..Self::ALL };

    /// No query sees a key after its own place, the first query and the first key being at the same one.
    pub(super) const CAUSAL_FROM_START: Self = Self { from_start: true, ..Self::CAUSAL };

    /// Pairs of a query and a key it sees.
    pub(super) fn pairs(&self, queries: f64, keys: f64) -> f64 {
        let offset = if self.from_start { 0.0 } else { keys - queries };
        // A query at `i` sees the keys from `i + offset - left` up to but without `i + offset + right + 1`.
        let end = self.right.map_or(queries * keys, |right| clamped_sum(queries, offset + right + 1.0, keys));
        let start = self.left.map_or(0.0, |left| clamped_sum(queries, offset - left, keys));
        (end - start).max(0.0)
    }
}

/// The sum of `i + first`, held between 0 and `most`, over `i` below `count`.
fn clamped_sum(count: f64, first: f64, most: f64) -> f64 {
    // Terms up to here are zero, from there on `most`.
    let from = (-first).clamp(0.0, count);
    let to = (most - first).clamp(from, count);
    let between = to - from;
    between * first + between * (from + to - 1.0) / 2.0 + (count - to) * most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_those_counted_one_by_one() {
        let sizes = [None, Some(0), Some(1), Some(3), Some(100)];
        let mut checked = 0;
        for (queries, keys) in (0..9_i32).flat_map(|queries| (0..9_i32).map(move |keys| (queries, keys))) {
            for (left, right) in sizes.iter().flat_map(|left| sizes.iter().map(move |right| (*left, *right)))
            {
                for from_start in [false, true] {
                    let offset = if from_start { 0 } else { keys - queries };
                    let sees = |query: i32, key: i32| {
                        left.is_none_or(|left| key >= query + offset - left)
                            && right.is_none_or(|right| key <= query + offset + right)
                    };
                    let counted: usize =
                        (0..queries).map(|query| (0..keys).filter(|key| sees(query, *key)).count()).sum();
                    let mask = Mask { left: left.map(f64::from), right: right.map(f64::from), from_start };
                    assert_eq!(
                        mask.pairs(queries.into(), keys.into()),
                        counted as f64,
                        "{mask:?} {queries} {keys}"
                    );
                    checked += 1;
                }
            }
        }
        assert_eq!(checked, 9 * 9 * 25 * 2);
    }

    /// As many queries as keys: S(S+1)/2. Fewer queries: all pairs without the triangle after the first one.
    #[test]
    fn the_usual_formulas() {
        assert_eq!(Mask::CAUSAL.pairs(4096.0, 4096.0), 4096.0 * 4097.0 / 2.0);
        assert_eq!(Mask::CAUSAL.pairs(5.0, 4096.0), 5.0 * 4096.0 - 5.0 * 4.0 / 2.0);
        assert_eq!(Mask::CAUSAL.pairs(1.0, 4096.0), 4096.0);
        assert_eq!(Mask::CAUSAL_FROM_START.pairs(1.0, 4096.0), 1.0);
    }
}
