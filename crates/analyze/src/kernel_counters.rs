//! Hardware counters of kernels: where they are, and those of several launches together.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;

use eaves_model::{SliceId, StringId, Trace};
use eaves_roofline::counters::{self, Ceilings, Done, Lookup, adds_up};

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

    /// The counters of a slice, in the order of the file. Values that are no numbers are left out.
    pub(crate) fn of_slice<'a>(
        &'a self,
        trace: &'a Trace,
        slice: SliceId,
    ) -> impl Iterator<Item = (StringId, f64)> + 'a {
        let table = &trace.range_counters;
        let row = move |place: usize| self.order.as_ref().map_or(place, |order| order[place] as usize);
        let first = self.first(trace, |of| of < slice);
        (first..table.len()).map(row).take_while(move |&row| table.slice[row] == slice).filter_map(|row| {
            Some((table.metric[row], table.value[row].get().filter(|value| value.is_finite())?))
        })
    }

    /// True if a slice has counters.
    pub(crate) fn has(&self, trace: &Trace, slice: SliceId) -> bool {
        self.of_slice(trace, slice).next().is_some()
    }

    /// The first place whose slice is not before something.
    fn first(&self, trace: &Trace, is_before: impl Fn(SliceId) -> bool) -> usize {
        let slices = &trace.range_counters.slice;
        match &self.order {
            None => slices.partition_point(|&slice| is_before(slice)),
            Some(order) => order.partition_point(|&row| is_before(slices[row as usize])),
        }
    }
}

/// The values of one metric over several launches.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
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
#[derive(Clone, Debug, Default, PartialEq)]
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
