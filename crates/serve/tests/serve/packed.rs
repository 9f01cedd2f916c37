//! A reader of packed timelines that was written from docs/page.md.

use serde_json::Value;

/// An entry: rank, track, row, start, end, name, how many, busy.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) rank: i64,
    pub(crate) track: usize,
    pub(crate) row: usize,
    pub(crate) start: i64,
    pub(crate) end: i64,
    pub(crate) name: String,
    pub(crate) count: i64,
    pub(crate) busy: i64,
    /// The start of the call that launched it.
    pub(crate) launched: Option<i64>,
}

pub(crate) fn read(bytes: &[u8]) -> (Value, Vec<Entry>) {
    let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
    let head: Value = serde_json::from_slice(&bytes[4..4 + length]).unwrap();
    let mut rest = &bytes[4 + length..];
    let mut columns = Vec::new();
    for size in head["columns"].as_array().unwrap() {
        let (column, after) = rest.split_at(size.as_u64().unwrap() as usize);
        rest = after;
        columns.push(numbers(column).into_iter());
    }
    assert!(rest.is_empty());
    let signed = |value: i64| if value % 2 == 1 { -(value + 1) / 2 } else { value / 2 };
    let mut entries: Vec<Entry> = Vec::new();
    for rank in head["ranks"].as_array().unwrap() {
        let mut of_streams = Vec::new();
        for (track, of) in rank["tracks"].as_array().unwrap().iter().enumerate() {
            for (row, shown) in of["rows"].as_array().unwrap().iter().enumerate() {
                let mut end = 0;
                for _ in 0..shown[2].as_u64().unwrap() {
                    let mut next = |column: usize| columns[column].next().unwrap();
                    let start = end + signed(next(0));
                    let duration = next(1);
                    end = start + duration;
                    let (name, _, more) = (next(2), next(3), next(4));
                    let busy = if more > 0 { next(4) } else { duration };
                    if of["stream"].as_bool().unwrap() {
                        of_streams.push(entries.len());
                    }
                    let rank = rank["rank"].as_i64().unwrap();
                    let name = head["names"][name as usize].as_str().unwrap().to_owned();
                    let (count, launched) = (more + 1, None);
                    entries.push(Entry { rank, track, row, start, end, name, count, busy, launched });
                }
            }
        }
        let mut place = 0;
        for activity in of_streams {
            let coded = columns[5].next().unwrap();
            if coded > 0 {
                place += signed(coded - 1);
                entries[activity].launched = Some(entries[place as usize].start);
            }
        }
    }
    assert!(columns.iter_mut().all(|column| column.next().is_none()), "columns have entries that no row has");
    (head, entries)
}

fn numbers(bytes: &[u8]) -> Vec<i64> {
    let (mut numbers, mut value, mut shift) = (Vec::new(), 0i64, 0);
    for byte in bytes {
        value |= i64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            numbers.push(value);
            (value, shift) = (0, 0);
        }
    }
    numbers
}
