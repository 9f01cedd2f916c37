//! Rows of the wide form read without looking at cells that are not kept. They have hundreds of cells, of which the first
//! few say what was launched, the same over and over, and a dozen are metrics that are kept.

use super::super::Map;
use super::super::shared::quotes::Quotes;
use super::csv::Table;
use super::header::Columns;
use super::kept_metrics;
use super::number::{Cell, read_at};
use super::rows::digits;
use crate::json::padded::Padded;

/// The quotes that are looked for in a row.
#[derive(Clone, Debug)]
pub(super) struct WideRows {
    /// Their numbers: those around the number of the launch, around the cells that say what it is, around each metric,
    /// and the last one of the row.
    quotes: Vec<u32>,
}

impl WideRows {
    /// For rows of that width in which the cells of these metrics are wanted; nothing if the columns of the launch do
    /// not stand before them, as they do in all that is known.
    pub(super) fn new(columns: &Columns, width: usize, metrics: &[usize]) -> Option<Self> {
        let Columns { kernel, context, stream, block, grid, device, .. } = *columns;
        let first = kernel?;
        let others = || [context, stream, block, grid, device].into_iter().flatten();
        let last = others().max().unwrap_or(first).max(first);
        let are_in_order = columns.id == 0 && first > 0 && others().all(|column| column > first);
        if !are_in_order || metrics.iter().any(|metric| *metric <= last) || !metrics.is_sorted() {
            return None;
        }
        let around = |from: usize, to: usize| [2 * from as u32, 2 * to as u32 + 1];
        let ends = around(0, 0).into_iter().chain(around(first, last));
        let metrics = metrics.iter().flat_map(|&metric| around(metric, metric));
        let end = (2 * width as u32).checked_sub(1)?;
        Some(Self { quotes: ends.chain(metrics).chain([end]).collect() })
    }
}

/// Launches that differ in every row would be kept for nothing.
const MOST: usize = 4_096;

/// What finds cells, and what was found before.
#[derive(Default)]
pub(super) struct Finder {
    quotes: Quotes,
    /// Quotes that were looked up.
    found: Vec<u32>,
    /// What launches are by the cells that say it, as written.
    known: Map<Box<[u8]>, u32>,
}

impl Finder {
    /// Forgets what it knows of a table.
    pub(super) fn forget(&mut self) {
        self.known.clear();
    }

    /// How many launches it tells without splitting their cells.
    #[cfg(test)]
    pub(super) fn known(&self) -> usize {
        self.known.len()
    }
}

impl Table {
    /// Reads a row. The answer is where the next one begins; nothing if it is not quite as rows are, as with doubled
    /// quotes: then it must be split.
    #[inline]
    pub(super) fn quick(&mut self, block: Padded<'_>, at: usize, offset: Option<u64>) -> Option<usize> {
        let mut found = std::mem::take(&mut self.finder.found);
        let next = self.row_at(block, at, offset, &mut found);
        self.finder.found = found;
        next
    }

    fn row_at(
        &mut self,
        block: Padded<'_>,
        at: usize,
        offset: Option<u64>,
        found: &mut Vec<u32>,
    ) -> Option<usize> {
        let decimal = self.decimal?;
        if !self.is_large && self.bytes > kept_metrics::SMALL {
            self.shrink();
        }
        let header = self.header.as_ref()?;
        let kept = if self.is_large { &header.used } else { &header.of_launch };
        let quick = kept.quick.as_ref()?;
        if block.at(at) != b'"' || !self.finder.quotes.find(block, at, &quick.quotes, found) {
            return None;
        }
        let (pairs, &[last]) = found.as_chunks::<2>() else { return None };
        let next = match block.content().get(last as usize + 1..)? {
            [b'\n', ..] => last as usize + 2,
            [b'\r', b'\n', ..] => last as usize + 3,
            _ => return None,
        };
        // A quote with anything else next to it is not around a cell.
        let is_cell = |&[open, close]: &[u32; 2]| {
            (open as usize == at || block.at(open as usize - 1) == b',')
                && (close == last || block.at(close as usize + 1) == b',')
        };
        if !pairs.iter().all(is_cell) {
            return None;
        }
        let (&[id, what], metrics) = pairs.split_first_chunk()?;
        let id = digits(block.slice(id[0] as usize + 1, id[1] as usize))?;
        let what = block.slice(what[0] as usize, what[1] as usize + 1);
        let identity = match self.finder.known.get(what) {
            Some(identity) => *identity,
            None => self.meet(what)?,
        };
        let launch = self.numbered(i64::from(id), identity, offset);
        let place = self.launches.add(launch);
        self.launches.trace.events += 1;
        let (Some(header), launches) = (&self.header, &mut self.launches) else { return Some(next) };
        let kept = if self.is_large { &header.used } else { &header.of_launch };
        self.left_out += (header.of_launch.metrics.len() - kept.metrics.len()) as u64;
        let columns = kept.metrics.iter().filter_map(|&metric| header.metrics.get(metric));
        for (column, &[open, close]) in columns.zip(metrics) {
            if let Cell::Number(value) = read_at(block, open as usize + 1, close as usize, decimal) {
                launches.metric(place, column.metric, value * column.factor);
            }
        }
        Some(next)
    }

    /// What a launch is, by cells that were not met before; nothing if it is on a device that was not met before, whose
    /// attributes are in other columns, or if something is odd about it.
    #[cold]
    fn meet(&mut self, what: &[u8]) -> Option<u32> {
        let header = self.header.as_ref()?;
        let (columns, first) = (header.columns, header.columns.kernel?);
        self.cells.split(what);
        let (identity, is_text) = self.identity(what, &columns, first);
        if !is_text || self.cells.is_open || !self.launches.knows(identity.device) {
            return None;
        }
        let identity = self.launches.identity(identity);
        if self.finder.known.len() < MOST {
            self.finder.known.insert(what.into(), identity);
        }
        Some(identity)
    }
}
