//! New keys and values on their way into a paged cache: copies. The list of places, a few bytes a token, is not counted.

use super::calls::formula;
use crate::Work;
use crate::ops::{Call, Formula, Unmodelled};

pub(in crate::ops) const FORMULAS: &[Formula] = &[
    formula(
        &["_C_cache_ops::reshape_and_cache", "_C_cache_ops::reshape_and_cache_flash", "sglang::store_cache"],
        store,
    ),
    formula(&["_C_cache_ops::concat_and_cache_mla"], store_latent),
];

/// `(key, value, cache of keys, cache of values, places, ...)`.
fn store(call: &Call<'_>) -> Result<Work, Unmodelled> {
    let mut work = Work::movement();
    for (name, new, cache) in [("key", 0, 2), ("value", 1, 3)] {
        let (new, cache) = (call.tensor(new)?, call.tensor(cache)?);
        work = work.reads(name, new.elements(), new.precision()?).writes(
            name,
            new.elements(),
            cache.precision()?,
        );
    }
    Ok(work)
}

/// `(latent, rotated key, cache, places, ...)`: both end up beside each other.
fn store_latent(call: &Call<'_>) -> Result<Work, Unmodelled> {
    let (latent, key, cache) = (call.tensor(0)?, call.tensor(1)?, call.tensor(2)?);
    let elements = latent.elements() + key.elements();
    Ok(Work::movement()
        .reads("latent", latent.elements(), latent.precision()?)
        .reads("key", key.elements(), key.precision()?)
        .writes("cache", elements, cache.precision()?))
}
