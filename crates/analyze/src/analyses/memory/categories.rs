//! Memory by category of tensors, from a timeline of PyTorch's memory profiler.

use std::cmp::Reverse;

use eaves_model::{MEMORY_BY_CATEGORY, Ns, StringId};
use serde::{Deserialize, Serialize};

use crate::RankView;

/// One category.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Category {
    pub(super) name: String,
    /// The most it ever had.
    pub(super) peak: i64,
    /// What it had when all together had most.
    pub(super) at_peak: i64,
    /// What it had at the end.
    pub(super) end: i64,
}

/// All categories.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Categories {
    /// Largest at the peak first.
    pub(super) categories: Vec<Category>,
    /// The most that all together had.
    pub(super) peak: i64,
    /// When, for the first time.
    pub(super) peak_at: Ns,
    /// Time, category and its bytes from then on, if wanted.
    pub(super) series: Vec<(Ns, u32, i64)>,
}

/// The categories of a recording; none if it is no such timeline. The peak is looked for in the selected time.
pub(super) fn categories_of(rank: &RankView<'_>) -> Categories {
    let trace = rank.trace;
    let Some(name) = trace.strings.find(MEMORY_BY_CATEGORY) else { return Categories::default() };
    let mut found = Categories { peak: i64::MIN, ..Categories::default() };
    let mut series: Vec<(StringId, i64)> = Vec::new();
    let mut total = 0i64;
    for row in 0..trace.counters.len() {
        let sample = trace.counters.row(row);
        let (true, Some(value)) = (sample.name == name, sample.value.get()) else { continue };
        let at = match series.iter().position(|&(known, _)| known == sample.series) {
            Some(at) => at,
            None => {
                series.push((sample.series, 0));
                let name = trace.strings.get(sample.series).to_owned();
                found.categories.push(Category { name, peak: 0, at_peak: 0, end: 0 });
                series.len() - 1
            }
        };
        let bytes = value as i64;
        total = total.saturating_sub(series[at].1).saturating_add(bytes);
        series[at].1 = bytes;
        if !rank.selects(sample.time) {
            continue;
        }
        found.categories[at].peak = found.categories[at].peak.max(bytes);
        if total > found.peak {
            (found.peak, found.peak_at) = (total, sample.time);
            for (category, &(_, bytes)) in found.categories.iter_mut().zip(&series) {
                category.at_peak = bytes;
            }
        }
        for (category, &(_, bytes)) in found.categories.iter_mut().zip(&series) {
            category.end = bytes;
        }
        if rank.options.details {
            found.series.push((sample.time, at as u32, bytes));
        }
    }
    if found.peak == i64::MIN {
        return Categories::default();
    }
    sort(&mut found);
    found
}

fn sort(found: &mut Categories) {
    let mut order: Vec<usize> = (0..found.categories.len()).collect();
    order.sort_by_key(|&index| Reverse(found.categories[index].at_peak));
    let mut place = vec![0u32; order.len()];
    for (at, &index) in order.iter().enumerate() {
        place[index] = at as u32;
    }
    for (_, category, _) in &mut found.series {
        *category = place[*category as usize];
    }
    found.categories = order.into_iter().map(|index| found.categories[index].clone()).collect();
}
