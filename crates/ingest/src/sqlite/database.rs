//! A database, its tables, and the rows of a scan.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Read;

use eaves_model::{Diagnostics, WarningKind};

use super::header::{Encoding, Header};
use super::plan::{Field, Plan};
use super::record::{self, DEFAULT, ROWID};
use super::schema::{Literal, Schema};
use super::{Error, scan, schema, wal};
use crate::source::{ReadAt, Source};

/// Where the pages are.
pub(super) struct Storage<'a> {
    pub(super) file: Box<dyn ReadAt + 'a>,
    pub(super) header: Header,
    /// Number of pages that may be asked for.
    pub(super) pages: u32,
    /// The write-ahead log.
    pub(super) log: Option<Box<dyn ReadAt + 'a>>,
    /// Where the log has pages that are newer than those of the file.
    pub(super) changed: HashMap<u32, u64>,
}

impl Storage<'_> {
    /// Where a page begins in the file.
    pub(super) fn offset(&self, page: u32) -> u64 {
        (u64::from(page.max(1) - 1) * self.header.page_size as u64).min(self.file.size())
    }
}

/// A database that is open for reading.
pub(crate) struct Database<'a> {
    storage: Storage<'a>,
    tables: Vec<Schema>,
}

impl<'a> Database<'a> {
    /// The most bytes of a packed database that are kept in memory.
    pub(crate) const MOST_IN_MEMORY: u64 = 4 << 30;

    /// Opens a database. What can be read at any place stays where it is; of anything else, `rest` is read into
    /// memory, from its beginning.
    pub(crate) fn open(
        source: &'a dyn Source,
        rest: impl Read,
        diagnostics: &mut Diagnostics,
    ) -> Result<Self, Error> {
        let file = match source.positioned()? {
            Some(file) => file,
            None => Box::new(in_memory(rest, diagnostics)?),
        };
        let mut first = [0; Header::SIZE];
        let length = file.read_at(0, &mut first)?;
        let header = Header::parse(first.get(..length).unwrap_or_default())?;
        let size = file.size();
        let pages = u32::try_from(size / header.page_size as u64).unwrap_or(u32::MAX);
        let mut storage = Storage { file, header, pages, log: None, changed: HashMap::new() };
        if let Some(log) = source.beside("-wal")? {
            let changes = wal::committed(&*log, header.page_size)?;
            // A log makes a database larger by the pages it has, whatever it says.
            let most = pages.saturating_add(u32::try_from(changes.offsets.len()).unwrap_or(u32::MAX));
            storage.pages = pages.max(changes.pages.min(most));
            storage.changed = changes.offsets;
            storage.log = Some(log);
        } else if header.pages.is_some_and(|expected| expected > pages) {
            diagnostics.note(WarningKind::Truncated, Some(size));
        }
        let tables = schema::read(&storage, diagnostics);
        Ok(Self { storage, tables })
    }

    /// Size of the file in bytes.
    pub(crate) fn size(&self) -> u64 {
        self.storage.file.size()
    }

    /// The names of all tables, in the order they were made.
    pub(crate) fn tables(&self) -> impl Iterator<Item = &str> {
        self.tables.iter().map(|table| table.name.as_str())
    }

    /// A table by its name, upper or lower case.
    pub(crate) fn table(&self, name: &str) -> Option<Table<'_>> {
        let schema = self.tables.iter().find(|table| table.name.eq_ignore_ascii_case(name))?;
        Some(Table { storage: &self.storage, schema })
    }
}

/// Everything a stream gives. What comes before a fault is kept.
fn in_memory(rest: impl Read, diagnostics: &mut Diagnostics) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    if rest.take(Database::MOST_IN_MEMORY + 1).read_to_end(&mut bytes).is_err() {
        diagnostics.note(WarningKind::DamagedContainer, Some(bytes.len() as u64));
    }
    if bytes.len() as u64 > Database::MOST_IN_MEMORY {
        return Err(Error::TooLarge);
    }
    Ok(bytes)
}

/// A table.
#[derive(Clone, Copy)]
pub(crate) struct Table<'d> {
    storage: &'d Storage<'d>,
    schema: &'d Schema,
}

impl<'d> Table<'d> {
    /// The name as declared.
    pub(crate) fn name(&self) -> &'d str {
        &self.schema.name
    }

    /// The names of its columns, in order. Virtual columns, which are not stored, are skipped.
    pub(crate) fn columns(&self) -> impl Iterator<Item = &'d str> {
        self.schema.columns.iter().map(|column| column.name.as_str())
    }

    /// True if there is a column of that name, upper or lower case.
    #[cfg(test)]
    pub(crate) fn has(&self, column: &str) -> bool {
        self.columns().any(|name| name.eq_ignore_ascii_case(column))
    }

    /// About how many rows there are, and never more than fit the file: the number of the last row.
    pub(crate) fn rows_at_most(&self) -> usize {
        // A cell has a length, a number and a record of at least a byte each, and a pointer of two.
        let fitting = self.storage.file.size() / 5;
        let last = scan::last_rowid(self.storage, self.schema.root).unwrap_or(0);
        usize::try_from(last.clamp(0, fitting.cast_signed())).unwrap_or(0)
    }

    /// Shows every row, in order of rowid. Fields are asked for by their place among the wanted columns; a column that
    /// the table does not have is null in every row. Pages that cannot be read are noted and skipped.
    pub(crate) fn scan(
        &self,
        wanted: &[&str],
        diagnostics: &mut Diagnostics,
        each: impl FnMut(&Row<'_>),
    ) -> Result<(), Error> {
        if self.schema.without_rowid {
            return Err(Error::WithoutRowid(self.schema.name.clone()));
        }
        let plan = Plan::new(self.schema, wanted);
        scan::rows(self.storage, self.schema.root, plan, diagnostics, each);
        Ok(())
    }
}

/// A value as SQL would give it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    Null,
    Integer(i64),
    Real(f64),
    Text(Cow<'a, str>),
    Blob(&'a [u8]),
}

/// A row of a scan.
pub(crate) struct Row<'a> {
    /// The record, and whatever stands behind it.
    pub(super) payload: &'a [u8],
    pub(super) fields: &'a [Field],
    pub(super) plan: &'a Plan<'a>,
    pub(super) rowid: i64,
    pub(super) encoding: Encoding,
    /// Where its page begins in the file.
    pub(super) offset: u64,
}

impl<'a> Row<'a> {
    /// The number of the row in its table.
    #[cfg(test)]
    pub(crate) fn rowid(&self) -> i64 {
        self.rowid
    }

    /// Where the row is in the file, for notes: the beginning of its page.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    #[inline(always)]
    fn field(&self, index: usize) -> Field {
        self.fields.get(index).copied().unwrap_or(Field::NULL)
    }

    #[inline(always)]
    fn bytes(&self, field: Field) -> &'a [u8] {
        let length = record::length_of(field.serial).unwrap_or(0);
        self.payload.get(field.start..).and_then(|rest| rest.get(..length)).unwrap_or_default()
    }

    fn default(&self, index: usize) -> &'a Literal {
        self.plan.columns.get(index).copied().flatten().map_or(&Literal::Null, |column| &column.default)
    }

    /// A whole number.
    #[inline(always)]
    pub(crate) fn integer(&self, index: usize) -> Option<i64> {
        let field = self.field(index);
        if field.surplus < Field::NO_NUMBER
            && let Some(bytes) = self.payload.get(field.start..).and_then(|rest| rest.first_chunk())
        {
            return Some(i64::from_be_bytes(*bytes) >> field.surplus);
        }
        match field.serial {
            1..=6 => record::integer(self.bytes(field)),
            8 => Some(0),
            9 => Some(1),
            ROWID => Some(self.rowid),
            DEFAULT => match self.default(index) {
                Literal::Integer(value) => Some(*value),
                _ => None,
            },
            _ => None,
        }
    }

    /// A number, whole or not.
    #[inline(always)]
    pub(crate) fn number(&self, index: usize) -> Option<f64> {
        let field = self.field(index);
        if field.surplus < Field::NO_NUMBER {
            return self.integer(index).map(|value| value as f64);
        }
        self.other_number(index, field)
    }

    fn other_number(&self, index: usize, field: Field) -> Option<f64> {
        match field.serial {
            7 => record::integer(self.bytes(field)).map(|bits| f64::from_bits(bits.cast_unsigned())),
            DEFAULT => match self.default(index) {
                Literal::Real(value) => Some(*value),
                Literal::Integer(value) => Some(*value as f64),
                _ => None,
            },
            _ => self.integer(index).map(|value| value as f64),
        }
    }

    /// A text; bytes that are none in the encoding of the database are replaced by U+FFFD.
    #[inline]
    pub(crate) fn text(&self, index: usize) -> Option<Cow<'a, str>> {
        let field = self.field(index);
        match field.serial {
            DEFAULT => match self.default(index) {
                Literal::Text(text) => Some(Cow::Borrowed(text)),
                _ => None,
            },
            serial if serial >= 13 && serial % 2 == 1 => Some(decode(self.bytes(field), self.encoding)),
            _ => None,
        }
    }

    /// Bytes.
    pub(crate) fn blob(&self, index: usize) -> Option<&'a [u8]> {
        let field = self.field(index);
        match field.serial {
            DEFAULT => match self.default(index) {
                Literal::Blob(bytes) => Some(bytes),
                _ => None,
            },
            serial if serial >= 12 && serial % 2 == 0 => Some(self.bytes(field)),
            _ => None,
        }
    }

    /// Whatever is there. Whole numbers of a column of floats are stored as integers, and are floats again here.
    pub(crate) fn value(&self, index: usize) -> Value<'a> {
        let is_real = self.plan.columns.get(index).copied().flatten().is_some_and(|column| column.is_real);
        if let Some(value) = self.integer(index).filter(|_| !is_real) {
            return Value::Integer(value);
        }
        let text = || self.text(index).map(Value::Text);
        let blob = || self.blob(index).map(Value::Blob);
        self.number(index).map(Value::Real).or_else(text).or_else(blob).unwrap_or(Value::Null)
    }
}

fn decode(bytes: &[u8], encoding: Encoding) -> Cow<'_, str> {
    let words = |word: fn([u8; 2]) -> u16| {
        let words = bytes.as_chunks::<2>().0.iter().map(|pair| word(*pair));
        Cow::Owned(
            char::decode_utf16(words).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect(),
        )
    };
    match encoding {
        Encoding::Utf8 => String::from_utf8_lossy(bytes),
        Encoding::Utf16LittleEndian => words(u16::from_le_bytes),
        Encoding::Utf16BigEndian => words(u16::from_be_bytes),
    }
}
