//! The data of a page: a description as JSON, and columns of numbers behind it. `docs/page.md` describes the format.
//!
//! The page reads them with `ui/src/views/timeline/data.ts`. All entries stand row after row, and every column of them is in one
//! piece, because like compresses well with like.

use std::collections::HashMap;

use eaves_model::{Interval, Ns, Pixels, StringId};
use eaves_section::Section;
use eaves_section::timeline::{Chart, Charts, Class, CounterTrack};
use serde::Serialize;

use super::chart_lookup::{ChartLookup, OfRank};
use super::columns::Column;
use super::details::Details;
use super::entries::{Entry, Scope, entries};
use super::{clocks, facts};
use crate::{colours, names};
use eaves_section::quantity;

/// How much of the recordings is in a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Coverage {
    /// Slices there are.
    pub(super) slices: u64,
    /// Slices that are in the page one by one.
    pub(super) single: u64,
    /// Groups of the others.
    pub(super) groups: u64,
    /// Summed duration of all slices.
    pub(super) duration: Ns,
    /// Summed duration of those that are there one by one.
    pub(super) single_duration: Ns,
}

impl Coverage {
    fn add(&mut self, entry: &Entry) {
        self.slices += u64::from(entry.count);
        self.duration += entry.busy;
        if entry.count == 1 {
            self.single += 1;
            self.single_duration += entry.busy;
        } else {
            self.groups += 1;
        }
    }

    /// What a page would have to hold.
    pub(super) fn entries(&self) -> u64 {
        self.single + self.groups
    }

    /// How much there would be if short slices were in groups.
    pub(super) fn of(charts: &Charts<'_>, scope: Scope) -> Self {
        let mut coverage = Self::default();
        for chart in &charts.charts {
            for row in chart.slices.rows() {
                entries(chart, row, scope, |_, entry| coverage.add(&entry));
            }
        }
        coverage
    }

    /// What is in the page and what is not, in a sentence.
    fn sentence(&self, width: Ns) -> String {
        let slices = |count: u64| quantity::thousands(i64::try_from(count).unwrap_or(i64::MAX));
        if self.groups == 0 {
            return format!("all {} slices", slices(self.slices));
        }
        let share = 100.0 * self.single_duration.as_f64() / self.duration.as_f64().max(1.0);
        format!(
            "{} of {} slices individually, {} of their summed duration; the other {}, each shorter than {}, in {} \
            groups",
            slices(self.single),
            slices(self.slices),
            quantity::percent(share),
            slices(self.slices - self.single),
            quantity::duration(width),
            slices(self.groups),
        )
    }
}

#[derive(Serialize)]
struct Head<'a> {
    title: String,
    /// All that was recorded, or of it what is selected.
    window: [i64; 2],
    /// What of it the entries are of.
    range: [i64; 2],
    /// What is shorter may be in groups; 0 if nothing is.
    width: i64,
    /// What the page holds of the recordings, and how ranks are placed.
    notes: Vec<String>,
    /// Name, color on light, color on dark.
    classes: Vec<(&'static str, &'static str, &'static str)>,
    names: Vec<&'a str>,
    /// Shorter forms of the names; empty where the name is short.
    short: Vec<String>,
    class: Vec<u8>,
    details: Vec<String>,
    ranks: Vec<RankHead<'a>>,
    /// Bytes of each column, in the order they follow.
    columns: Vec<usize>,
}

#[derive(Serialize)]
struct RankHead<'a> {
    rank: i64,
    path: &'a str,
    /// Where the start of the recording is, from which the times of its sections are counted.
    start: i64,
    facts: Vec<(&'static str, String)>,
    steps: Vec<(u64, i64, i64)>,
    tracks: Vec<TrackHead<'a>>,
    counters: Vec<CounterHead<'a>>,
}

#[derive(Serialize)]
struct TrackHead<'a> {
    group: &'a str,
    name: &'a str,
    stream: bool,
    /// Band, depth and number of entries of each row.
    rows: Vec<(u8, u32, usize)>,
}

#[derive(Serialize)]
struct CounterHead<'a> {
    name: &'a str,
    bytes: bool,
    points: Vec<(i64, f64)>,
}

/// What a part of the recordings shows, not compressed: `lookup` are those of the same charts.
pub fn payload(
    charts: &Charts<'_>,
    lookup: &ChartLookup,
    section: Option<&Section>,
    scope: Scope,
) -> Vec<u8> {
    let window = charts.window().unwrap_or(Interval::new(Ns::ZERO, Ns::ZERO));
    let range = scope.window.clip(window).unwrap_or(scope.window);
    let mut writer = Writer::new(scope);
    let of_ranks = charts.charts.iter().zip(&lookup.0);
    let ranks = of_ranks.map(|(chart, of)| writer.rank(chart, of, section, charts.charts.len())).collect();
    let place = if range == window { "in this page" } else { "in this window" };
    let mut notes = vec![format!("{place}: {}", writer.coverage.sentence(scope.width))];
    notes.extend(writer.counters_are_cut.then(|| {
        "counters with many samples keep only the first, minimum, maximum and last of each interval"
            .to_owned()
    }));
    notes.extend(clocks(charts).map(str::to_owned));
    let columns = [writer.start, writer.duration, writer.name, writer.detail, writer.count, writer.launch];
    let head = Head {
        title: title(charts),
        window: [window.start.0, window.end.0],
        range: [range.start.0, range.end.0],
        width: if writer.coverage.groups > 0 { scope.width.0 } else { 0 },
        notes,
        classes: Class::ALL
            .iter()
            .map(|&class| (class.name(), colours::of(class)[0], colours::of(class)[1]))
            .collect(),
        short: writer.names.iter().map(|&(name, class)| short(name, class)).collect(),
        class: writer.names.iter().map(|&(_, class)| class as u8).collect(),
        names: writer.names.iter().map(|&(name, _)| name).collect(),
        details: writer.details,
        ranks,
        columns: columns.iter().map(|column| column.0.len()).collect(),
    };
    // A map with texts for keys and numbers that are finite has no reason to fail.
    let head = serde_json::to_vec(&head).unwrap_or_default();
    let mut bytes = (head.len() as u32).to_le_bytes().to_vec();
    bytes.extend(head);
    columns.into_iter().for_each(|column| bytes.extend(column.0));
    bytes
}

/// What the picture is of.
pub(super) fn title(charts: &Charts<'_>) -> String {
    match charts.charts.as_slice() {
        [] => "timeline".to_owned(),
        [chart] => chart.path.to_owned(),
        [first, .., last] => format!("{} ranks: {} to {}", charts.charts.len(), first.path, last.path),
    }
}

/// A label for a slice: of a Python frame its function, of others what tells them apart.
pub(super) fn short(name: &str, class: Class) -> String {
    const WIDTH: usize = 60;
    let short = match (class, name.rsplit_once("): ")) {
        (Class::Python, Some((_, function))) => function.to_owned(),
        _ => names::shorten(name, WIDTH),
    };
    if short == name { String::new() } else { short }
}

struct Writer<'a> {
    scope: Scope,
    start: Column,
    duration: Column,
    name: Column,
    detail: Column,
    count: Column,
    launch: Column,
    /// Entries written.
    entries: u32,
    coverage: Coverage,
    counters_are_cut: bool,
    names: Vec<(&'a str, Class)>,
    known_names: HashMap<(&'a str, Class), u32>,
    details: Vec<String>,
    known_details: HashMap<String, u32>,
}

impl<'a> Writer<'a> {
    fn new(scope: Scope) -> Self {
        Self {
            scope,
            start: Column::default(),
            duration: Column::default(),
            name: Column::default(),
            detail: Column::default(),
            count: Column::default(),
            launch: Column::default(),
            entries: 0,
            coverage: Coverage::default(),
            counters_are_cut: false,
            names: Vec::new(),
            known_names: HashMap::new(),
            details: Vec::new(),
            known_details: HashMap::new(),
        }
    }

    fn rank(
        &mut self,
        chart: &'a Chart<'_>,
        of: &OfRank,
        section: Option<&Section>,
        ranks: usize,
    ) -> RankHead<'a> {
        let offset = chart.offset;
        let mut names = HashMap::new();
        let mut tracks = Vec::new();
        // Where each entry begins in the index, and the entry. Launches are written when all are known.
        let mut places: Vec<(u32, u32, u32)> = Vec::new();
        let mut activities = Vec::new();
        for track in &chart.tracks {
            let mut rows = Vec::new();
            for row in chart.rows(track) {
                let (first, mut end) = (self.entries, Ns::ZERO - offset);
                entries(chart, row, self.scope, |range, entry| {
                    places.push((range.start as u32, range.end as u32, self.entries));
                    self.entry(chart, &of.details, &mut names, entry, end);
                    end = entry.interval.end;
                    if track.is_stream {
                        activities.push(entry);
                    }
                });
                rows.push((row.band as u8, row.depth, (self.entries - first) as usize));
            }
            tracks.push(TrackHead { group: &track.group, name: &track.name, stream: track.is_stream, rows });
        }
        places.sort_unstable();
        self.launches(of, &places, &activities);
        let shifted = |time: Ns| (time + offset).0;
        RankHead {
            rank: chart.rank,
            path: chart.path,
            start: chart.start().0,
            facts: facts(section, chart.rank),
            steps: chart
                .steps
                .iter()
                .map(|&(number, step)| (number, shifted(step.start), shifted(step.end)))
                .collect(),
            tracks,
            counters: chart.counters.iter().map(|counter| self.counter(chart, counter, ranks)).collect(),
        }
    }

    fn entry(
        &mut self,
        chart: &'a Chart<'_>,
        details: &Details,
        names: &mut HashMap<(StringId, Class), u32>,
        entry: Entry,
        end_before: Ns,
    ) {
        let (trace, class) = (chart.trace, chart.class(entry.slice));
        let name = trace.slices.name[entry.slice.index()];
        // By number first, so that a text is looked at once a rank.
        let name = *names.entry((name, class)).or_insert_with(|| {
            let key = (trace.strings.get(name), class);
            *self.known_names.entry(key).or_insert_with(|| {
                self.names.push(key);
                self.names.len() as u32 - 1
            })
        });
        self.start.push_signed((entry.interval.start - end_before).0);
        self.duration.push(entry.interval.length().0.unsigned_abs());
        self.name.push(u64::from(name));
        let detail = if entry.count == 1 { details.of(entry.slice) } else { None };
        let detail = detail.map_or(0, |text| self.detail_of(text));
        self.detail.push(u64::from(detail));
        self.count.push(u64::from(entry.count - 1));
        if entry.count > 1 {
            self.count.push(entry.busy.0.unsigned_abs());
        }
        self.entries += 1;
        self.coverage.add(&entry);
    }

    /// 0 is for no text.
    fn detail_of(&mut self, text: &str) -> u32 {
        if let Some(&place) = self.known_details.get(text) {
            return place;
        }
        self.details.push(text.to_owned());
        let place = self.details.len() as u32;
        self.known_details.insert(text.to_owned(), place);
        place
    }

    fn launches(&mut self, of: &OfRank, places: &[(u32, u32, u32)], activities: &[Entry]) {
        let entry_at = |place: u32| {
            let after = places.partition_point(|&(first, ..)| first <= place);
            let &(_, end, entry) = places.get(after.checked_sub(1)?)?;
            (place < end).then_some(i64::from(entry))
        };
        let mut before = 0;
        for activity in activities {
            let launch = (activity.count == 1).then(|| of.launch(activity.slice)).flatten();
            match launch.and_then(entry_at) {
                Some(place) => {
                    // 0 is for none, so that the differences begin at 1.
                    let difference: i64 = place - before;
                    let doubled = difference.unsigned_abs() * 2;
                    self.launch.push(1 + if difference < 0 { doubled - 1 } else { doubled });
                    before = place;
                }
                None => self.launch.push(0),
            }
        }
    }

    fn counter(&mut self, chart: &Chart<'_>, counter: &'a CounterTrack, ranks: usize) -> CounterHead<'a> {
        /// Pieces of all counters together, of which each keeps up to four points.
        const PIECES: usize = 8_000;
        let pieces = (PIECES / (ranks * chart.counters.len()).max(1)).clamp(50, 1_000);
        let window =
            Interval::new(self.scope.window.start - chart.offset, self.scope.window.end - chart.offset);
        let inside = part(&counter.points, window);
        let points = thinned(inside, window.clip(chart.window).unwrap_or(window), pieces);
        self.counters_are_cut |= points.len() < inside.len();
        let shifted = |&(time, value): &(Ns, f64)| ((time + chart.offset).0, value);
        CounterHead {
            name: &counter.name,
            bytes: counter.is_bytes,
            points: points.iter().map(shifted).collect(),
        }
    }
}

/// The points of a window, with one before and one after it, so that lines reach its edges.
fn part(points: &[(Ns, f64)], window: Interval) -> &[(Ns, f64)] {
    let from = points.partition_point(|&(time, _)| time < window.start).saturating_sub(1);
    let to = points.partition_point(|&(time, _)| time < window.end) + 1;
    &points[from..to.min(points.len())]
}

/// Of each piece of time the first, the least, the greatest and the last point.
pub(super) fn thinned(points: &[(Ns, f64)], window: Interval, pieces: usize) -> Vec<(Ns, f64)> {
    if points.len() <= pieces * 4 {
        return points.to_vec();
    }
    let pixels = Pixels::new(window, pieces as u32);
    // What lies before and after the window stays as it is.
    let mut kept: Vec<(Ns, f64)> =
        points[..points.partition_point(|&(time, _)| time < window.start)].to_vec();
    let mut rest = &points[kept.len()..];
    for piece in 0..pixels.len() {
        let end = pixels.interval(piece..piece + 1).end;
        let (inside, after) = rest.split_at(rest.partition_point(|&(time, _)| time < end));
        rest = after;
        let by_value = |a: &&(Ns, f64), b: &&(Ns, f64)| a.1.total_cmp(&b.1);
        let mut four: Vec<(Ns, f64)> =
            [inside.first(), inside.iter().min_by(by_value), inside.iter().max_by(by_value), inside.last()]
                .into_iter()
                .flatten()
                .copied()
                .collect();
        four.sort_by_key(|&(time, _)| time);
        four.dedup();
        kept.extend(four);
    }
    kept.extend(rest);
    kept
}
