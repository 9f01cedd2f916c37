//! Lookups in the caches of Inductor and AOTAutograd.

use std::collections::{BTreeMap, HashMap};

use eaves_model::Ns;
use eaves_model::compile::{Cache, CacheAnswer, CacheLookup, CompileLog};
use eaves_section::{Column, Finding, Gain, Severity, Table, Unit, Value};

use super::times::phases;

/// Hits, misses and lookups that were passed by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) hits: u64,
    pub(super) misses: u64,
    pub(super) bypasses: u64,
}

impl Counts {
    pub(super) fn of<'a>(lookups: impl Iterator<Item = &'a CacheLookup>, cache: Cache) -> Self {
        let mut counts = Self::default();
        for lookup in lookups.filter(|lookup| lookup.cache == cache) {
            match lookup.answer {
                CacheAnswer::Hit => counts.hits += 1,
                CacheAnswer::Miss => counts.misses += 1,
                CacheAnswer::Bypass => counts.bypasses += 1,
            }
        }
        counts
    }
}

/// What came of the lookups of each compilation, in a word. What was compiled again decides, whatever else was found.
pub(super) fn by_compile(log: &CompileLog) -> HashMap<u32, &'static str> {
    let order = |word: &str| ["hit", "bypass", "miss"].iter().position(|known| *known == word);
    let mut words = HashMap::new();
    for lookup in &log.caches {
        let Some(compile) = lookup.compile else { continue };
        let word = match lookup.answer {
            CacheAnswer::Hit => "hit",
            CacheAnswer::Bypass => "bypass",
            CacheAnswer::Miss => "miss",
        };
        let known = words.entry(compile).or_insert(word);
        if order(word) > order(known) {
            *known = word;
        }
    }
    words
}

pub(super) fn table(logs: &[CompileLog]) -> Option<Table> {
    let lookups = || logs.iter().flat_map(|log| &log.caches);
    lookups().next()?;
    let columns = vec![
        Column::new("cache", "cache", Unit::None),
        Column::new("hits", "hits", Unit::Count),
        Column::new("misses", "misses", Unit::Count),
        Column::new("bypasses", "passed by", Unit::Count),
        Column::new("reason", "Bypass reason", Unit::None),
    ];
    let row = |cache: Cache| {
        let counts = Counts::of(lookups(), cache);
        let reasons = reasons(logs, cache);
        let reason = reasons.keys().next().map(String::as_str);
        vec![
            cache.id().into(),
            counts.hits.into(),
            counts.misses.into(),
            counts.bypasses.into(),
            Value::known_text(reason, "no bypass"),
        ]
    };
    let rows = vec![row(Cache::FxGraph), row(Cache::Autograd)];
    Some(Table { id: "caches", title: "Compilation caches", columns, rows })
}

fn reasons(logs: &[CompileLog], cache: Cache) -> BTreeMap<String, u64> {
    let mut reasons = BTreeMap::new();
    for log in logs {
        for lookup in log.caches.iter().filter(|lookup| lookup.cache == cache) {
            if let Some(reason) = lookup.reason {
                let words: Vec<&str> = log.strings.get(reason).split_whitespace().collect();
                *reasons.entry(words.join(" ")).or_default() += 1;
            }
        }
    }
    reasons
}

pub(super) fn findings(logs: &[CompileLog]) -> Vec<Finding> {
    let mut found = Vec::new();
    for cache in [Cache::FxGraph, Cache::Autograd] {
        for (reason, count) in reasons(logs, cache).iter().take(4) {
            found.push(Finding {
                id: "cache_bypassed",
                severity: Severity::Info,
                claim: format!(
                    "The cache of {} graphs was bypassed {count} times. PyTorch: “{reason}”.",
                    cache.id()
                ),
                gain: None,
                evidence: "caches: passed by".to_owned(),
                next: "bypassed graphs are recompiled in every run; look for an alternative operator"
                    .to_owned(),
            });
        }
    }
    let counts = Counts::of(logs.iter().flat_map(|log| &log.caches), Cache::FxGraph);
    if counts.misses > 0 && counts.hits == 0 {
        let saved = behind_misses(logs);
        let claim = match counts.misses {
            1 => "The graph was recompiled: the cache was cold.".to_owned(),
            misses => format!("All {misses} graphs were recompiled: the cache was cold."),
        };
        found.push(Finding {
            id: "cold_cache",
            severity: Severity::Info,
            claim,
            gain: (saved > Ns::ZERO)
                .then(|| Gain::new(Ns::ZERO, saved, 0, "Inductor time of the misses, if the next run hits them all")),
            evidence: "caches: misses".to_owned(),
            next: "keep TORCHINDUCTOR_CACHE_DIR between runs and identical machines, and compare only runs with \
                the same cache state"
                .to_owned(),
        });
    }
    found
}

/// Time of Inductor, of the slowest rank, in compilations that missed.
fn behind_misses(logs: &[CompileLog]) -> Ns {
    let of_log = |log: &CompileLog| -> Ns {
        let words = by_compile(log);
        let missed = (0..).zip(&log.compiles).filter(|(at, _)| words.get(at) == Some(&"miss"));
        let parts = missed.flat_map(|(_, compile)| {
            let forward = compile.forward.map(|times| phases(&times, false));
            forward.into_iter().chain(compile.backward.map(|times| phases(&times, true)))
        });
        parts.map(|parts| parts.inductor + parts.code_gen + parts.kernels).sum()
    };
    logs.iter().map(of_log).max().unwrap_or_default()
}
