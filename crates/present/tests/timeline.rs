//! What is in a page is what is in the trace: read back by a reader of our own.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use eaves_model::{Ns, Run, SliceId, SliceKind};
use eaves_present::timeline::{fitting, svg};
use eaves_present::{Document, page};
use eaves_section::Outcome;
use eaves_section::timeline::Charts;
use serde_json::{Value, json};

use crate::sample::trace;

/// The page of a timeline.
fn drawn(outcomes: &[Outcome], charts: &Charts<'_>) -> String {
    let document = Document { verb: "timeline", outcomes: outcomes.to_vec(), ..Document::default() };
    page::timeline(&document, charts)
}

/// The letters of the page's timeline.
fn letters(page: &str) -> &str {
    let data = page.split("id=\"eaves-timeline\" data-packed=\"gzip\">").nth(1).unwrap();
    data.split("</script>").next().unwrap()
}

/// The reverse of base64.
fn bytes_of(letters: &str) -> Vec<u8> {
    let value = |letter: u8| match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => 0,
    };
    let mut bytes = Vec::new();
    for four in letters.as_bytes().chunks(4) {
        let bits = four.iter().fold(0u32, |bits, &letter| bits << 6 | u32::from(value(letter)));
        let padding = four.iter().filter(|&&letter| letter == b'=').count();
        bytes.extend(&bits.to_be_bytes()[1..4 - padding]);
    }
    bytes
}

/// An entry of the page: start, end, name, how many, busy, place of the launch or -1, particulars.
type Entry = (i64, i64, String, u64, i64, i64, String);

/// The description and the entries.
fn read_back(letters: &str) -> (Value, Vec<Entry>) {
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(&bytes_of(letters)[..]).read_to_end(&mut bytes).unwrap();
    let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
    let head: Value = serde_json::from_slice(&bytes[4..4 + length]).unwrap();
    let mut rest = &bytes[4 + length..];
    let mut columns: Vec<std::vec::IntoIter<i64>> = Vec::new();
    for size in head["columns"].as_array().unwrap() {
        let (column, after) = rest.split_at(size.as_u64().unwrap() as usize);
        rest = after;
        columns.push(numbers(column).into_iter());
    }
    assert!(rest.is_empty());
    let signed = |value: i64| if value % 2 == 1 { -(value + 1) / 2 } else { value / 2 };
    let text = |list: &str, at: i64| head[list][at as usize].as_str().unwrap().to_owned();
    let mut entries: Vec<Entry> = Vec::new();
    for rank in head["ranks"].as_array().unwrap() {
        let mut of_streams = Vec::new();
        for track in rank["tracks"].as_array().unwrap() {
            for row in track["rows"].as_array().unwrap() {
                let mut end = 0;
                for _ in 0..row[2].as_u64().unwrap() {
                    let mut next = |column: usize| columns[column].next().unwrap();
                    let start = end + signed(next(0));
                    let duration = next(1);
                    end = start + duration;
                    let (name, detail, more) = (next(2), next(3), next(4));
                    let busy = if more > 0 { next(4) } else { duration };
                    let detail = if detail > 0 { text("details", detail - 1) } else { String::new() };
                    if track["stream"].as_bool().unwrap() {
                        of_streams.push(entries.len());
                    }
                    entries.push((start, end, text("names", name), more as u64 + 1, busy, -1, detail));
                }
            }
        }
        let mut launch = 0;
        for entry in of_streams {
            let value = columns[5].next().unwrap();
            if value > 0 {
                launch += signed(value - 1);
                entries[entry].5 = launch;
            }
        }
    }
    assert!(columns.iter_mut().all(|column| column.next().is_none()));
    (head, entries)
}

fn numbers(column: &[u8]) -> Vec<i64> {
    let (mut numbers, mut value, mut shift) = (Vec::new(), 0i64, 0);
    for &byte in column {
        value |= i64::from(byte & 127) << shift;
        shift += 7;
        if byte < 128 {
            numbers.push(std::mem::take(&mut value));
            shift = 0;
        }
    }
    numbers
}

fn training() -> Run {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/training");
    eaves_ingest::read(&[folder], &eaves_ingest::Options::default()).unwrap()
}

/// Start, end and name of every slice that is drawn, in the time of the picture.
fn slices(charts: &Charts<'_>) -> Vec<(i64, i64, String)> {
    let mut slices = Vec::new();
    for chart in &charts.charts {
        let all = (0..chart.trace.slices.len()).map(SliceId::from);
        for slice in all.filter(|slice| chart.trace.slices.kind[slice.index()] != SliceKind::Span) {
            let interval = chart.trace.slices.interval(slice.index());
            let name = chart.trace.slice_name(slice).to_owned();
            slices.push(((interval.start + chart.offset).0, (interval.end + chart.offset).0, name));
        }
    }
    slices.sort();
    slices
}

#[test]
fn a_page_holds_every_slice_and_launch() {
    for run in [training(), trace::run()] {
        let (outcomes, charts) = trace::timeline(&run);
        let (head, entries) = read_back(letters(&drawn(&outcomes, &charts)));
        let mut found: Vec<_> = entries.iter().map(|entry| (entry.0, entry.1, entry.2.clone())).collect();
        found.sort();
        assert_eq!(found, slices(&charts));
        // By name and start, which tells launches and kernels apart.
        let mut launches: Vec<_> = entries
            .iter()
            .filter(|entry| entry.5 >= 0)
            .map(|entry| {
                (entry.0, entry.2.clone(), entries[entry.5 as usize].0, entries[entry.5 as usize].2.clone())
            })
            .collect();
        launches.sort();
        let mut expected: Vec<_> = charts
            .charts
            .iter()
            .flat_map(|chart| chart.launches.iter().map(move |&pair| (chart, pair)))
            .map(|(chart, (launch, activity))| {
                let start = |slice: SliceId| (chart.trace.slices.start[slice.index()] + chart.offset).0;
                let name = |slice: SliceId| chart.trace.slice_name(slice).to_owned();
                (start(activity), name(activity), start(launch), name(launch))
            })
            .collect();
        expected.sort();
        assert!(!expected.is_empty());
        assert_eq!(launches, expected);
        let note = head["notes"][0].as_str().unwrap();
        assert!(note.starts_with("in this page: all "), "{note}");
    }
}

#[test]
fn a_page_tells_what_is_known_of_a_slice() {
    let run = trace::run();
    let (outcomes, charts) = trace::timeline(&run);
    let page = drawn(&outcomes, &charts);
    let (head, entries) = read_back(letters(&page));
    let details: BTreeMap<&str, &str> =
        entries.iter().map(|entry| (entry.2.as_str(), entry.6.as_str())).collect();
    assert_eq!(details["void at::native::gemm<float>(float*)"], "grid 8×1×1, block 128×1×1");
    assert_eq!(details["aten::mm"], "inputs 8x8 fp32, 8x8 fp32");
    assert_eq!(details["Memcpy HtoD (Pinned -> Device)"], "4.0 KiB, 0.08 GB/s");
    let facts = &head["ranks"][0]["facts"];
    // 2 ms; calls 1000..1900 and 1400..1900; activities 1300..1900, 1950..2000, 2100..2800.
    assert_eq!(facts[0], json!(["Span", "2.00 ms"]));
    assert_eq!(facts[1], json!(["CPU active", "45.0%"]));
    assert_eq!(facts[2], json!(["GPU active", "67.5%"]));
    assert_eq!(head["ranks"][0]["steps"], json!([[7, 0, 1_000_000], [8, 1_000_000, 2_000_000]]));
    assert_eq!(
        head["ranks"][0]["counters"][0]["points"],
        json!([[110_000, 1_048_576.0], [1_500_000, 524_288.0]])
    );
    // No name becomes markup, and nothing is loaded.
    assert!(!page.contains("</script><b>") && page.contains("default-src 'none'"));
    for outside in ["src=\"", "@import", "<link", "<img"] {
        assert!(!page.contains(outside), "{outside}");
    }
    // Browsers that run no programs show a drawing, with every name that is wide enough.
    let still = page.split("<div id=\"eaves-read\">").nth(1).unwrap().split("eaves-document").next().unwrap();
    assert!(still.contains("<figure class=\"chart\"><svg ") && still.contains("aten::mm"));
}

#[test]
fn a_page_that_would_be_too_large_groups_short_slices_and_says_so() {
    let run = training();
    let (outcomes, charts) = trace::timeline(&run);
    let whole = fitting(&charts, outcomes[0].section(), usize::MAX);
    let all = slices(&charts);
    let sum: i64 = all.iter().map(|slice| slice.1 - slice.0).sum();
    for room in [whole.len() - 1, whole.len() * 9 / 10, whole.len() * 3 / 4] {
        let data = fitting(&charts, outcomes[0].section(), room);
        assert!(data.len() <= room, "{} of {room}", data.len());
        let (head, entries) = read_back(&data);
        assert_eq!(entries.iter().map(|entry| entry.3).sum::<u64>(), all.len() as u64);
        assert_eq!(entries.iter().map(|entry| entry.4).sum::<i64>(), sum);
        let single = entries.iter().filter(|entry| entry.3 == 1);
        let (count, time) = single.fold((0, 0), |(count, time), entry| (count + 1, time + entry.1 - entry.0));
        let groups = entries.len() - count;
        let note = head["notes"][0].as_str().unwrap();
        let expected = format!(
            "in this page: {} of 12,140 slices individually, {:.1}% of their summed duration; the other {}, each shorter than ",
            thousands(count),
            100.0 * time as f64 / sum as f64,
            thousands(all.len() - count),
        );
        assert!(note.starts_with(&expected), "{note}\n{expected}");
        assert!(note.ends_with(&format!(", in {} groups", thousands(groups))), "{note}");
    }
}

#[test]
fn a_drawing_has_no_more_marks_than_pixels() {
    let run = training();
    let (outcomes, charts) = trace::timeline(&run);
    for width in [400, 1600] {
        let drawing = svg(&charts, outcomes[0].section(), width);
        let rows: usize = charts.charts.iter().map(|chart| chart.slices.rows().len()).sum();
        // A pixel of the grain of 2 is part of a crowd, of a slice, or where one ends of both.
        let marks = drawing.matches("<rect").count() + drawing.matches('z').count();
        assert!(marks < rows * width as usize, "{marks} marks of {rows} rows");
        assert!(drawing.contains(&format!("width=\"{width}\"")));
        assert!(drawing.contains("13 deeper rows") && drawing.contains("26 deeper rows not drawn"));
    }
}

fn thousands(number: usize) -> String {
    eaves_section::quantity::thousands(number as i64)
}

#[test]
fn nothing_makes_an_empty_page() {
    let run = Run::default();
    let (outcomes, charts) = trace::timeline(&run);
    let (head, entries) = read_back(&fitting(&charts, outcomes[0].section(), usize::MAX));
    assert!(!drawn(&outcomes, &charts).contains("id=\"eaves-timeline\""), "there is nothing to draw");
    assert_eq!((entries.len(), &head["window"]), (0, &json!([0, 0])));
    assert_eq!(charts.window().map(|window| window.length()), None::<Ns>);
}

/// Two recordings of clocks that ran together, the second of which began 5 ms later.
#[test]
fn a_rank_says_where_it_starts() {
    let mut run = training();
    let base = run.recordings[0].trace.metadata.base_time_ns.unwrap_or(0);
    let extent = |run: &Run, at: usize| run.recordings[at].trace.extent().unwrap().start.0;
    run.recordings[0].trace.metadata.base_time_ns = Some(base);
    let shift = extent(&run, 0) - extent(&run, 1) + 5_000_000;
    run.recordings[1].trace.metadata.base_time_ns = Some(base + shift);
    let (outcomes, charts) = trace::timeline(&run);
    let (head, _) = read_back(letters(&drawn(&outcomes, &charts)));
    let starts: Vec<_> = head["ranks"].as_array().unwrap().iter().map(|rank| &rank["start"]).collect();
    assert_eq!(starts, [&json!(0), &json!(5_000_000)]);
}
