//! Blocks that end anywhere, names that look like the ends of cells, files that are large.

use eaves_model::Trace;

use super::super::kept_metrics::is_used;
use super::*;
use crate::json::padded::PADDING;

const METRICS: [(&str, &str); 5] = [
    ("gpu__time_duration.sum", "us"),
    ("nvlink__bandwidth", ""),
    ("dram__bytes.sum", "Kbyte"),
    ("sm__pipe_tensor_cycles_active.max.pct_of_peak_sustained_active", "%"),
    ("launch__registers_per_thread", "register/thread"),
];

/// Launches whose names have what may be taken for the end of a cell or for brackets.
const NAMES: [&str; 7] = ["plain", "say \"\"hi\"\"", "a[0]{b}", "back\\", "back\\\"\"s", "c, d", "\"\"\"\""];

fn table() -> String {
    let cells = |cells: &[&str]| cells.iter().map(|cell| format!(",\"{cell}\"")).collect::<String>();
    let mut text =
        "==PROF== Connected \"to\n\"ID\",\"Kernel Name\",\"Device\",\"device__attribute_x\"".to_owned();
    text += &cells(&METRICS.map(|metric| metric.0));
    text += "\n\"\",\"\",\"\",\"\"";
    text += &cells(&METRICS.map(|metric| metric.1));
    text += "\n";
    for id in 0..20 {
        let name = NAMES[id % NAMES.len()];
        text += &format!("\"{id}\",\"{name}\",\"{}\",\"9\"", id % 2);
        text += &cells(&[&format!("{id}.5"), "7", &format!("{id}.25"), "99.5", "32"]);
        text += if id % 3 == 0 { "\r\n" } else { "\n" };
    }
    text + "==PROF== Disconnected\n"
}

/// Reads in blocks that grow by this many bytes.
fn read_by(text: &str, step: usize, mut table: Table) -> Trace {
    let (mut from, mut to) = (0, 0);
    while to < text.len() {
        to = (to + step).min(text.len());
        let mut block = text.as_bytes()[from..to].to_vec();
        let length = block.len();
        block.resize(length + PADDING, 0);
        from += table.take(Padded::new(&block, length), Some(from as u64), to == text.len());
    }
    assert_eq!(from, text.len());
    table.finish().unwrap()
}

fn counters(trace: &Trace) -> Vec<(u32, String, Option<f64>)> {
    let counters = &trace.range_counters;
    let row = |row| {
        let counter = counters.row(row);
        (counter.slice.0, trace.strings.get(counter.metric).to_owned(), counter.value.get())
    };
    (0..counters.len()).map(row).collect()
}

#[test]
fn every_row_is_there_whatever_the_names_and_wherever_blocks_end() {
    let text = table();
    let whole = read_by(&text, text.len(), Table::new(false));
    let expected: Vec<_> = (0..20_u32)
        .flat_map(|id| {
            let id_number = f64::from(id);
            let values = [id_number * 1e3 + 500.0, 7.0, id_number * 1e3 + 250.0, 99.5, 32.0];
            METRICS.into_iter().zip(values).map(move |((name, _), value)| (id, name.to_owned(), Some(value)))
        })
        .collect();
    assert_eq!(counters(&whole), expected);
    for id in 0..20 {
        let expected = NAMES[id % NAMES.len()].replace("\"\"", "\"");
        assert_eq!(whole.slice_name(whole.gpu.slice[id]), expected);
    }
    for step in [1, 7, 64, 300, 1_000] {
        let trace = read_by(&text, step, Table::new(false));
        assert_eq!(trace.difference(&whole), None, "{step}");
        assert_eq!(trace.diagnostics, whole.diagnostics, "{step}");
    }
}

#[test]
fn a_large_file_keeps_what_is_used_and_says_how_much_is_left_out() {
    let text = table();
    let whole = read_by(&text, text.len(), Table::new(false));
    let expected: Vec<_> = counters(&whole).into_iter().filter(|(_, name, _)| is_used(name)).collect();
    assert_eq!(expected.len(), 60);
    let large = read_by(&text, text.len(), Table::new(true));
    assert_eq!(counters(&large), expected);
    assert_eq!(large.diagnostics.count(WarningKind::LeftOut), 40);
    assert_eq!(large.gpu, whole.gpu);
    assert_eq!(large.slices, whole.slices);
    // A stream turns out to be large on the way.
    let mut stream = Table::new(false);
    let half = text.len() / 2;
    let mut block = text.as_bytes()[..half].to_vec();
    block.resize(half + PADDING, 0);
    let mut used = stream.take(Padded::new(&block, half), Some(0), false);
    // The header alone, and then the rows of this half.
    let mut rest = text.as_bytes()[used..half].to_vec();
    let length = rest.len();
    rest.resize(length + PADDING, 0);
    used += stream.take(Padded::new(&rest, length), Some(used as u64), false);
    assert!(stream.launches.len() > 5);
    stream.bytes = kept_metrics::SMALL + 1;
    let rest = read_by(&text[used..], text.len(), stream);
    assert_eq!(counters(&rest), expected);
    assert_eq!(rest.diagnostics.count(WarningKind::LeftOut), 40);
}

/// Rows with a comma behind them are split, as they have a cell more; all others are read by the places of their quotes.
#[test]
fn rows_are_the_same_read_quickly_or_split() {
    let mut state = 11_u64;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let values = [
        "",
        "n/a",
        "0",
        "7",
        "1234567890",
        "65.77",
        "0.125",
        "1,234.5",
        "12 (3; 4)",
        "99999999.5",
        "PolicySpread",
    ];
    let header = "\"ID\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\"";
    let metrics: String = (0..40).map(|metric| format!(",\"dram__bytes_{metric}.sum\"")).collect();
    let (mut quick, mut split) = (format!("{header}{metrics}\n"), format!("{header}{metrics}\n"));
    for id in 0..300 {
        let mut row = format!(
            "\"{id}\",\"127.0.0.1\",\"{}\",\"{}\",\"{}\",\"({}, 1, 1)\",\"(64, {}, 1)\",\"{}\",\"9.0\"",
            NAMES[next(7) as usize],
            next(3),
            next(3),
            32 << next(3),
            next(4),
            u64::from(id > 200)
        );
        (0..40).for_each(|_| row += &format!(",\"{}\"", values[next(values.len() as u64) as usize]));
        quick += &format!("{row}\n");
        split += &format!("{row},\n");
    }
    let mut table = Table::new(false);
    let take = |table: &mut Table, text: &[u8]| {
        let mut block = text.to_vec();
        block.resize(text.len() + PADDING, 0);
        table.take(Padded::new(&block, text.len()), Some(0), false)
    };
    let used = take(&mut table, quick.as_bytes());
    take(&mut table, &quick.as_bytes()[used..]);
    assert!(table.finder.known() > 50);
    let [quick, split] = [&quick, &split].map(|text| read_by(text, text.len(), Table::new(false)));
    assert_eq!(counters(&quick), counters(&split));
    assert_eq!((quick.gpu.len(), &quick.gpu), (300, &split.gpu));
    assert_eq!((&quick.slices.name, &quick.slices.duration), (&split.slices.name, &split.slices.duration));
    assert_eq!(quick.diagnostics.warnings().len(), split.diagnostics.warnings().len());
    assert!(quick.strings.iter().eq(split.strings.iter()));
}
