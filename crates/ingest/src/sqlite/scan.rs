//! The rows of a table b-tree, page after page.

use eaves_model::{Diagnostics, WarningKind};

use super::database::{Row, Storage};
use super::header::Header;
use super::pages::{Page, Pages};
use super::plan::Plan;
use super::record::varint;

const INTERIOR: u8 = 5;
const LEAF: u8 = 13;

/// Shows every row below a root page.
pub(super) fn rows(
    storage: &Storage<'_>,
    root: u32,
    plan: Plan<'_>,
    diagnostics: &mut Diagnostics,
    each: impl FnMut(&Row<'_>),
) {
    let mut scan = Scan {
        storage,
        pages: Pages::new(storage),
        visited: vec![0; storage.pages as usize / 64 + 1],
        waiting: vec![(root, 0)],
        plan,
        long: Vec::new(),
        diagnostics,
    };
    scan.run(each);
}

struct Scan<'a> {
    storage: &'a Storage<'a>,
    pages: Pages<'a>,
    /// One bit a page. In a sound file every page belongs to one place of one tree, so a page that is met twice is
    /// damage; this also bounds the work that any file can cause.
    visited: Vec<u64>,
    /// Pages to be visited, the next at the end, each with the page that named it.
    waiting: Vec<(u32, u32)>,
    plan: Plan<'a>,
    /// A payload combined of its overflow pages.
    long: Vec<u8>,
    diagnostics: &'a mut Diagnostics,
}

/// What is wrong with a page or a row.
struct Damaged;

impl Scan<'_> {
    fn run(&mut self, mut each: impl FnMut(&Row<'_>)) {
        while let Some((number, parent)) = self.waiting.pop() {
            let Some(page) = self.visit(number) else {
                self.damaged(parent);
                continue;
            };
            let start = if number == 1 { Header::SIZE } else { 0 };
            match page.get(start) {
                Some(&INTERIOR) => {
                    if self.interior(&page, start, number).is_none() {
                        self.damaged(number);
                    }
                }
                Some(&LEAF) => self.leaf(&page, start, number, &mut each),
                _ => self.damaged(number),
            }
        }
    }

    #[cold]
    fn damaged(&mut self, page: u32) {
        self.diagnostics.note(WarningKind::DamagedPage, Some(self.storage.offset(page)));
    }

    /// A page that was not met before.
    fn visit(&mut self, number: u32) -> Option<Page> {
        let word = self.visited.get_mut(number as usize / 64)?;
        let bit = 1 << (number % 64);
        if *word & bit != 0 {
            return None;
        }
        *word |= bit;
        self.pages.page_of_run(number, self.waiting.iter().rev().map(|(number, _)| *number))
    }

    /// Queues the pages below a page, the leftmost to be the next.
    fn interior(&mut self, page: &Page, start: usize, number: u32) -> Option<()> {
        let cells = usize::from(half(page, start + 3)?);
        // No page has more than one child for every six bytes: a cell of at least four and its pointer.
        if cells > page.len() / 6 {
            return None;
        }
        self.waiting.push((word(page, start + 8)?, number));
        let mut is_whole = true;
        for cell in (0..cells).rev() {
            let child = half(page, start + 12 + 2 * cell).and_then(|at| word(page, usize::from(at)));
            match child {
                Some(child) => self.waiting.push((child, number)),
                None => is_whole = false,
            }
        }
        is_whole.then_some(())
    }

    fn leaf(&mut self, page: &[u8], start: usize, number: u32, each: &mut impl FnMut(&Row<'_>)) {
        let offset = self.storage.offset(number);
        let cells = half(page, start + 3).map_or(0, usize::from);
        // Cells never overlap. Pointers to one large cell over and over would be work without end.
        let mut room = self.storage.header.usable;
        for cell in 0..cells {
            let at = half(page, start + 8 + 2 * cell).map(usize::from);
            let outcome = at.ok_or(Damaged).and_then(|at| self.cell(page, at, offset, &mut room, each));
            if outcome.is_err() {
                self.damaged(number);
                if room == 0 {
                    return;
                }
            }
        }
    }

    #[inline(always)]
    fn cell(
        &mut self,
        page: &[u8],
        at: usize,
        offset: u64,
        room: &mut usize,
        each: &mut impl FnMut(&Row<'_>),
    ) -> Result<(), Damaged> {
        let usable = self.storage.header.usable;
        let (length, next) = varint(page, at).ok_or(Damaged)?;
        let (rowid, start) = varint(page, next).ok_or(Damaged)?;
        let length = usize::try_from(length).map_err(|_| Damaged)?;
        let local = local_length(length, usable);
        let end = start.checked_add(local).filter(|end| *end <= usable).ok_or(Damaged)?;
        let size = (end - at).max(4);
        if size > *room {
            *room = 0;
            return Err(Damaged);
        }
        *room -= size;
        let mut payload = page.get(start..).ok_or(Damaged)?;
        if local < length {
            let overflow = word(page, end).ok_or(Damaged)?;
            if self.goes_on(page.get(start..end).ok_or(Damaged)?, length, overflow)? {
                payload = &self.long;
            }
        } else if self.plan.find(payload).is_none_or(|needed| needed > local) {
            return Err(Damaged);
        }
        each(&Row {
            payload,
            fields: self.plan.fields(),
            plan: &self.plan,
            rowid: rowid.cast_signed(),
            encoding: self.storage.header.encoding,
            offset,
        });
        Ok(())
    }

    /// Of a payload that goes on on other pages, puts as much together as is wanted. The answer is false if the part
    /// on the leaf is enough.
    #[cold]
    fn goes_on(&mut self, local: &[u8], length: usize, overflow: u32) -> Result<bool, Damaged> {
        let (header, _) = varint(local, 0).ok_or(Damaged)?;
        let needed = if header <= local.len() as u64 {
            self.plan.find(local).ok_or(Damaged)?
        } else {
            // A header of several hundred columns or more.
            length
        };
        if needed > length {
            return Err(Damaged);
        }
        if needed <= local.len() {
            return Ok(false);
        }
        self.long.clear();
        self.long.extend_from_slice(local);
        let mut next = overflow;
        while self.long.len() < needed {
            let page = self.visit(next).ok_or(Damaged)?;
            next = word(&page, 0).ok_or(Damaged)?;
            let content = page.get(4..self.storage.header.usable).ok_or(Damaged)?;
            let rest = needed - self.long.len();
            self.long.extend_from_slice(content.get(..rest).unwrap_or(content));
        }
        if self.plan.find(&self.long).is_none_or(|needed| needed > self.long.len()) {
            return Err(Damaged);
        }
        Ok(true)
    }
}

/// The number of the last row below a root page.
pub(super) fn last_rowid(storage: &Storage<'_>, root: u32) -> Option<i64> {
    // SQLite itself allows no deeper tree.
    const DEEPEST: usize = 20;
    let mut pages = Pages::new(storage);
    let mut number = root;
    for _ in 0..DEEPEST {
        let page = pages.page(number)?;
        let start = if number == 1 { Header::SIZE } else { 0 };
        match *page.get(start)? {
            INTERIOR => number = word(&page, start + 8)?,
            LEAF => {
                let last = usize::from(half(&page, start + 3)?).checked_sub(1)?;
                let at = usize::from(half(&page, start + 8 + 2 * last)?);
                let (_, next) = varint(&page, at)?;
                return varint(&page, next).map(|(rowid, _)| rowid.cast_signed());
            }
            _ => return None,
        }
    }
    None
}

/// How many bytes of a payload are on the leaf itself.
#[inline(always)]
fn local_length(length: usize, usable: usize) -> usize {
    let most = usable - 35;
    if length <= most {
        return length;
    }
    let least = (usable - 12) * 32 / 255 - 23;
    let fitting = least + (length - least) % (usable - 4);
    if fitting <= most { fitting } else { least }
}

#[inline(always)]
fn half(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|bytes| u16::from_be_bytes(*bytes))
}

#[inline(always)]
fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_be_bytes(*bytes))
}
