//! `compile-ranks`: whether the ranks of a job compile the same.

use eaves_model::Ns;
use eaves_model::compile::{Cache, CacheAnswer, CompileLog};
use eaves_section::Outcome;
use eaves_section::quantity::duration;
use eaves_section::{Column, Finding, Gain, Number, Section, Severity, Table, Unit};

use super::caches::Counts;
use super::times::busy;

/// What ranks are compared by.
struct Rank<'a> {
    log: &'a CompileLog,
    ids: Vec<String>,
    /// Answers of the caches in order: `hmb`.
    pattern: String,
    time: Ns,
}

pub(super) fn section(logs: &[CompileLog]) -> Outcome {
    let ranks: Vec<Rank<'_>> = logs
        .iter()
        .map(|log| {
            let mut ids: Vec<String> = log
                .compiles
                .iter()
                .map(|one| format!("{} {}", one.id, log.strings.get(one.function)))
                .collect();
            ids.sort_unstable();
            let letter = |answer| match answer {
                CacheAnswer::Hit => 'h',
                CacheAnswer::Miss => 'm',
                CacheAnswer::Bypass => 'b',
            };
            let pattern = log.caches.iter().map(|lookup| letter(lookup.answer)).collect();
            Rank { log, ids, pattern, time: busy(log) }
        })
        .collect();
    let usual = ranks.first();
    let differs = |of: fn(&Rank<'_>, &Rank<'_>) -> bool| -> Vec<i64> {
        let others = ranks.iter().filter(|rank| usual.is_some_and(|usual| of(usual, rank)));
        others.map(|rank| rank.log.rank).collect()
    };
    let other_ids = differs(|a, b| a.ids != b.ids);
    let other_pattern = differs(|a, b| a.pattern != b.pattern);
    let number = |id, value: usize, explain| Number::formula(id, value.into(), Unit::Count, explain);
    let numbers = vec![
        number("ranks", ranks.len(), "Ranks with a log."),
        number(
            "other_compiles",
            other_ids.len(),
            "Ranks that compiled different frames than the first rank.",
        ),
        number(
            "other_caches",
            other_pattern.len(),
            "Ranks whose cache hits and misses differ from the first rank's.",
        ),
    ];
    let mut findings = Vec::new();
    findings.extend(divergence(&ranks, &other_ids));
    if !other_pattern.is_empty() {
        findings.push(Finding {
            id: "caches_diverge",
            severity: Severity::Warning,
            claim: format!("Cache hits differ on {} from the first rank.", named(&other_pattern)),
            gain: None,
            evidence: "ranks: hits, misses".to_owned(),
            next: "share one cache directory or none: ranks that hit wait for ranks that compile".to_owned(),
        });
    }
    findings.extend(imbalance(&ranks));
    Outcome::Section(Section {
        id: "compile-ranks",
        title: "Ranks",
        numbers,
        tables: vec![table(&ranks)],
        charts: Vec::new(),
        findings,
    })
}

fn named(ranks: &[i64]) -> String {
    const MOST: usize = 8;
    let listed: Vec<String> = ranks.iter().take(MOST).map(ToString::to_string).collect();
    match ranks.len() {
        1 => format!("rank {}", listed.join(", ")),
        count if count > MOST => format!("{count} ranks ({}, ...)", listed.join(", ")),
        _ => format!("ranks {}", listed.join(", ")),
    }
}

fn divergence(ranks: &[Rank<'_>], others: &[i64]) -> Option<Finding> {
    let usual = ranks.first()?;
    let other = ranks.iter().find(|rank| others.contains(&rank.log.rank))?;
    // Both are sorted.
    let missing = usual.ids.iter().find(|id| other.ids.binary_search(id).is_err());
    let extra = other.ids.iter().find(|id| usual.ids.binary_search(id).is_err());
    let detail = match (missing, extra) {
        (Some(id), _) => format!("rank {} did not compile `{id}`", other.log.rank),
        (None, Some(id)) => format!("only rank {} compiled `{id}`", other.log.rank),
        (None, None) => {
            format!("rank {} compiled the same frames a different number of times", other.log.rank)
        }
    };
    Some(Finding {
        id: "compiles_diverge",
        severity: Severity::Critical,
        claim: format!("Ranks compile different code: {} differ from the first; {detail}.", named(others)),
        gain: None,
        evidence: "ranks: compilations".to_owned(),
        next: "look for rank-dependent shapes, flags or conditions: graphs with collectives may deadlock"
            .to_owned(),
    })
}

fn imbalance(ranks: &[Rank<'_>]) -> Option<Finding> {
    let slowest = ranks.iter().max_by_key(|rank| rank.time)?;
    let fastest = ranks.iter().min_by_key(|rank| rank.time)?;
    let spread = slowest.time - fastest.time;
    // A tenth is what equal work differs by.
    if fastest.time == Ns::ZERO || spread.0 < slowest.time.0 / 10 {
        return None;
    }
    Some(Finding {
        id: "compile_imbalance",
        severity: Severity::Info,
        claim: format!(
            "Rank {} compiles for {}, rank {} for {}; all wait for the slowest.",
            slowest.log.rank,
            duration(slowest.time),
            fastest.log.rank,
            duration(fastest.time),
        ),
        gain: Some(Gain::new(Ns::ZERO, spread, 0, "compile time of the slowest rank minus the fastest")),
        evidence: "ranks: time".to_owned(),
        next: "check whether its caches missed, or its machine was busy".to_owned(),
    })
}

fn table(ranks: &[Rank<'_>]) -> Table {
    let columns = vec![
        Column::RANK,
        Column::new("compiles", "compilations", Unit::Count),
        Column::new("time_ns", "time", Unit::Nanoseconds),
        Column::new("graph_breaks", "breaks met", Unit::Count),
        Column::new("recompiles", "again", Unit::Count),
        Column::new("hits", "graph hits", Unit::Count),
        Column::new("misses", "misses", Unit::Count),
        Column::new("autograd_hits", "autograd hits", Unit::Count),
        Column::new("autograd_misses", "misses", Unit::Count),
        Column::new("pattern", "answers of caches", Unit::None),
    ];
    let rows = ranks.iter().map(|rank| {
        let graphs = Counts::of(rank.log.caches.iter(), Cache::FxGraph);
        let autograd = Counts::of(rank.log.caches.iter(), Cache::Autograd);
        let again =
            rank.log.compiles.iter().filter(|one| one.id.compile.is_some_and(|count| count > 0)).count();
        vec![
            rank.log.rank.into(),
            rank.log.compiles.len().into(),
            rank.time.into(),
            rank.log.breaks.len().into(),
            again.into(),
            graphs.hits.into(),
            graphs.misses.into(),
            autograd.hits.into(),
            autograd.misses.into(),
            rank.pattern.clone().into(),
        ]
    });
    Table { id: "ranks", title: "Ranks", columns, rows: rows.collect() }
}
