//! Hardware counters of kernels: where they are, and those of several launches together.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;

use eaves_model::{SliceId, StringId, Trace};
use eaves_roofline::counters::{self, Ceilings, Done, Lookup, adds_up};
use serde::{Deserialize, Serialize};

/// Which rows of the table of counters belong to which slice.
#[derive(Debug)]
pub(crate) struct CounterRows {
    /// The rows by slice; nothing if they lie that way.
    order: Option<Vec<u32>>,
}

impl CounterRows {
    pub(crate) fn of(trace: &Trace) -> Self {
        let slices = &trace.range_counters.slice;
        if slices.is_sorted() {
            return Self { order: None };
        }
        let mut order: Vec<u32> = (0..slices.len() as u32).collect();
        order.sort_by_key(|&row| slices[row as usize]);
        Self { order: Some(order) }
    }

    /// The counters of a slice, in the order of the file. Values that are not numbers are skipped.
    pub(crate) fn of_slice<'a>(
        &'a self,
        trace: &'a Trace,
        slice: SliceId,
    ) -> impl Iterator<Item = (StringId, f64)> + 'a {
        let table = &trace.range_counters;
        let row = move |place: usize| self.order.as_ref().map_or(place, |order| order[place] as usize);
        let first = self.first(trace, slice);
        (first..table.len()).map(row).take_while(move |&row| table.slice[row] == slice).filter_map(|row| {
            Some((table.metric[row], table.value[row].get().filter(|value| value.is_finite())?))
        })
    }

    /// True if a slice has counters.
    pub(crate) fn has(&self, trace: &Trace, slice: SliceId) -> bool {
        self.of_slice(trace, slice).next().is_some()
    }

    /// The first place whose slice is not before this one.
    fn first(&self, trace: &Trace, slice: SliceId) -> usize {
        let slices = &trace.range_counters.slice;
        let Some(order) = &self.order else { return first_not_before(slices, slice) };
        order.partition_point(|&row| slices[row as usize] < slice)
    }
}

/// The first place in a sorted list of something that is not before a slice. Launches mostly have as many counters each, so
/// it is looked for around where it would be then.
fn first_not_before(slices: &[SliceId], slice: SliceId) -> usize {
    let Some(last) = slices.last() else { return 0 };
    let expected = slices.len() as u64 * u64::from(slice.0) / (u64::from(last.0) + 1);
    let expected = usize::try_from(expected).unwrap_or(0).min(slices.len());
    let is_before = |place: usize| slices.get(place).is_some_and(|its| *its < slice);
    let (mut low, mut high, mut step) = (expected, expected, 1);
    // Everything below `low` is before the slice, and nothing from `high` on.
    while low > 0 && !is_before(low - 1) {
        high = low - 1;
        low = low.saturating_sub(step);
        step *= 2;
    }
    step = 1;
    while is_before(high) {
        low = high + 1;
        high = slices.len().min(high.saturating_add(step));
        step *= 2;
    }
    low + slices[low..high].partition_point(|its| *its < slice)
}

/// The values of one metric over several launches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
pub(crate) struct Values {
    /// Their sum.
    pub(crate) sum: f64,
    /// Their sum with the duration of each launch as its weight.
    weighed: f64,
    weight: f64,
    /// How many launches have it.
    pub(crate) count: u64,
}

impl Values {
    fn add(&mut self, value: f64, duration: f64) {
        self.sum += value;
        self.weighed += value * duration;
        self.weight += duration;
        self.count += 1;
    }

    fn merge(&mut self, other: &Self) {
        self.sum += other.sum;
        self.weighed += other.weighed;
        self.weight += other.weight;
        self.count += other.count;
    }

    /// The value of one launch: the mean of what adds up, and of everything else the mean weighed by duration, so that
    /// rates times the mean duration are the mean amount.
    pub(crate) fn of_one(&self, name: &str) -> f64 {
        if adds_up(name) || self.weight <= 0.0 {
            self.sum / self.count as f64
        } else {
            self.weighed / self.weight
        }
    }
}

/// The counters of launches that are looked at as one.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct CounterSums {
    /// What they ran on, as compilers call it; empty if it was not recorded.
    pub(crate) architecture: String,
    pub(crate) metrics: BTreeMap<String, Values>,
}

impl CounterSums {
    /// Takes in others.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (name, values) in &other.metrics {
            match self.metrics.get_mut(name) {
                Some(known) => known.merge(values),
                None => {
                    self.metrics.insert(name.clone(), *values);
                }
            }
        }
    }

    /// What one launch did.
    pub(crate) fn done(&self) -> Done {
        counters::done(&self.architecture, self)
    }

    /// What the device could do at the clocks of the run, if its counters say so.
    pub(crate) fn ceilings(&self) -> Option<Ceilings> {
        Ceilings::of(&|name| self.value(name))
    }
}

impl Lookup for CounterSums {
    fn value(&self, name: &str) -> Option<f64> {
        self.metrics.get(name).map(|values| values.of_one(name))
    }

    fn has_any(&self, beginning: &str) -> bool {
        let from = (Bound::Included(beginning), Bound::Unbounded);
        self.metrics.range::<str, _>(from).next().is_some_and(|(name, _)| name.starts_with(beginning))
    }
}

/// The same while the recording is there: metrics by the number of their names, in the order they were met, which is
/// nearly always that of the launch before.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gathered {
    metrics: Vec<(StringId, Values)>,
    /// Where each of them is.
    places: HashMap<StringId, usize>,
}

impl Gathered {
    /// Takes in a launch.
    pub(crate) fn add(&mut self, counters: impl Iterator<Item = (StringId, f64)>, duration: f64) {
        for (place, (metric, value)) in counters.enumerate() {
            let is_it = |(known, _): &(StringId, Values)| *known == metric;
            let place = match self.metrics.get(place).is_some_and(is_it) {
                true => place,
                false => *self.places.entry(metric).or_insert_with(|| {
                    self.metrics.push((metric, Values::default()));
                    self.metrics.len() - 1
                }),
            };
            self.metrics[place].1.add(value, duration);
        }
    }

    /// True without a counter.
    pub(crate) fn is_empty(&self) -> bool {
        self.metrics.is_empty()
    }

    /// The counters as they stay when the recording is gone.
    pub(crate) fn sums(&self, trace: &Trace, architecture: &str) -> CounterSums {
        let text = |(metric, values): &(StringId, Values)| (trace.strings.get(*metric).to_owned(), *values);
        CounterSums {
            architecture: architecture.to_owned(),
            metrics: self.metrics.iter().map(text).collect(),
        }
    }
}

/// The architecture of a device of the recording: that of this number, or of the only kind of device there is.
pub(crate) fn architecture(trace: &Trace, device: Option<u32>) -> &str {
    let devices = || trace.metadata.devices.iter().filter(|device| !device.architecture.is_empty());
    let own = device.and_then(|id| devices().find(|device| device.id == Some(i64::from(id))));
    own.or_else(|| {
        let first = devices().next()?;
        devices().all(|device| device.architecture == first.architecture).then_some(first)
    })
    .map_or("", |device| &device.architecture)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lists of equal and of uneven shares, with gaps, against a plain search.
    #[test]
    fn the_first_counter_of_a_slice_is_found_wherever_it_is() {
        let list = |share: fn(u32) -> u32| -> Vec<SliceId> {
            (0..300).flat_map(|slice| std::iter::repeat_n(SliceId(slice), share(slice) as usize)).collect()
        };
        let lists = [
            Vec::new(),
            list(|_| 1),
            list(|_| 12),
            list(|slice| slice % 5),
            list(|slice| if slice < 250 { 0 } else { 9 }),
            list(|slice| if slice < 5 { 700 } else { 1 }),
            list(|slice| u32::from(slice == 299)),
        ];
        for slices in &lists {
            for slice in (0..320).chain([u32::MAX - 1]).map(SliceId) {
                let expected = slices.partition_point(|its| *its < slice);
                assert_eq!(first_not_before(slices, slice), expected, "{slice:?}");
            }
        }
    }
}
