//! Tables and their columns, from the texts that made them.

use eaves_model::Diagnostics;

use super::database::Storage;
use super::plan::Plan;
use super::scan;
use super::words::{Word, words};

/// A table.
#[derive(Debug, Default)]
pub(super) struct Schema {
    pub(super) name: String,
    pub(super) root: u32,
    /// The columns that records have, in their order.
    pub(super) columns: Vec<Column>,
    pub(super) without_rowid: bool,
}

/// A column.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Column {
    pub(super) name: String,
    /// True if the rowid stands for it.
    pub(super) is_rowid: bool,
    /// True if it holds floats, of which whole ones are stored as integers.
    pub(super) is_real: bool,
    /// What rows have that were written before the column was added.
    pub(super) default: Literal,
}

/// A constant.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Literal {
    #[default]
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
}

/// The tables of a database. The table of tables begins on the first page and has one form everywhere.
pub(super) fn read(storage: &Storage<'_>, diagnostics: &mut Diagnostics) -> Vec<Schema> {
    let column = |name: &str| Column { name: name.to_owned(), ..Column::default() };
    let columns = ["type", "name", "tbl_name", "rootpage", "sql"].map(column).into();
    let own = Schema { name: "sqlite_schema".to_owned(), root: 1, columns, without_rowid: false };
    let mut tables = Vec::new();
    let plan = Plan::new(&own, &["type", "name", "rootpage", "sql"]);
    scan::rows(storage, own.root, plan, diagnostics, |row| {
        let root = row.integer(2).and_then(|root| u32::try_from(root).ok()).unwrap_or(0);
        // Virtual tables have no pages of their own.
        if row.text(0).as_deref() == Some("table") && root > 0 {
            let (columns, without_rowid) = parse(&row.text(3).unwrap_or_default());
            let name = row.text(1).unwrap_or_default().into_owned();
            tables.push(Schema { name, root, columns, without_rowid });
        }
    });
    tables
}

/// The columns that `CREATE TABLE` names, and whether the table is `WITHOUT ROWID`.
fn parse(sql: &str) -> (Vec<Column>, bool) {
    let words = words(sql);
    let mut definitions: Vec<&[Word]> = Vec::new();
    let (mut depth, mut start, mut end) = (0usize, 0, words.len());
    for (at, word) in words.iter().enumerate() {
        match word {
            Word::Sign('(') => {
                depth += 1;
                if depth == 1 {
                    start = at + 1;
                }
            }
            Word::Sign(')') if depth == 1 => {
                definitions.push(&words[start..at]);
                end = at + 1;
                break;
            }
            Word::Sign(')') => depth = depth.saturating_sub(1),
            Word::Sign(',') if depth == 1 => {
                definitions.push(&words[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    let options = words.get(end..).unwrap_or_default();
    let without_rowid = options.windows(2).any(|pair| pair[0].is("WITHOUT") && pair[1].is("ROWID"));
    (columns(&definitions), without_rowid)
}

fn columns(definitions: &[&[Word]]) -> Vec<Column> {
    const OF_TABLES: [&str; 5] = ["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"];
    let mut columns: Vec<Column> = Vec::new();
    let mut integers = Vec::new();
    for definition in definitions {
        let Some(first) = definition.first() else { continue };
        if OF_TABLES.iter().any(|keyword| first.is(keyword)) {
            // A table's own `PRIMARY KEY (a)` makes `a` the rowid if it is an `INTEGER`.
            if let Some(key) = single_key(definition) {
                for (column, is_integer) in columns.iter_mut().zip(&integers) {
                    column.is_rowid |= *is_integer && column.name.eq_ignore_ascii_case(key);
                }
            }
            continue;
        }
        let Some(name) = first.name() else { continue };
        let rest = &definition[1..];
        let type_end = rest.iter().position(Word::begins_constraint).unwrap_or(rest.len());
        let (declared, constraints) = rest.split_at(type_end);
        if is_virtual(constraints) {
            continue;
        }
        let type_name: Vec<String> =
            declared.iter().filter_map(Word::name).map(str::to_ascii_uppercase).collect();
        let type_name = type_name.join(" ");
        let is_integer = type_name == "INTEGER" && declared.len() == 1;
        let affinity = Affinity::of(&type_name);
        columns.push(Column {
            name: name.to_owned(),
            is_rowid: is_integer && is_key(constraints),
            is_real: affinity == Affinity::Real,
            default: affinity.applied(default(constraints)),
        });
        integers.push(is_integer);
    }
    columns
}

/// The one column of a table's `PRIMARY KEY (...)`.
fn single_key(definition: &[Word]) -> Option<&str> {
    let at = definition.windows(2).position(|pair| pair[0].is("PRIMARY") && pair[1].is("KEY"))?;
    match definition.get(at + 2..)? {
        [Word::Sign('('), name, Word::Sign(')'), ..] => name.name(),
        // Of a table's key, unlike a column's, a descending one is the rowid too.
        [Word::Sign('('), name, order, Word::Sign(')'), ..] if order.is("ASC") || order.is("DESC") => {
            name.name()
        }
        _ => None,
    }
}

/// True for `PRIMARY KEY`, but not for `PRIMARY KEY DESC`, which is not a rowid by an old mistake that had to stay.
fn is_key(constraints: &[Word]) -> bool {
    let place = constraints.windows(2).position(|pair| pair[0].is("PRIMARY") && pair[1].is("KEY"));
    place.is_some_and(|at| !constraints.get(at + 2).is_some_and(|word| word.is("DESC")))
}

/// True for a generated column that is not stored.
fn is_virtual(constraints: &[Word]) -> bool {
    let mut depth = 0usize;
    let (mut is_generated, mut is_stored) = (false, false);
    for word in constraints {
        match word {
            Word::Sign('(') => depth += 1,
            Word::Sign(')') => depth = depth.saturating_sub(1),
            word if depth == 0 => {
                is_generated |= word.is("AS");
                is_stored |= word.is("STORED");
            }
            _ => {}
        }
    }
    is_generated && !is_stored
}

/// The constant after `DEFAULT`; nothing if it is an expression.
fn default(constraints: &[Word]) -> Literal {
    let Some(at) = constraints.iter().position(|word| word.is("DEFAULT")) else { return Literal::Null };
    let mut rest = constraints.get(at + 1..).unwrap_or_default();
    let is_in_brackets = matches!(rest.first(), Some(Word::Sign('(')));
    if is_in_brackets {
        let end = rest.iter().position(|word| *word == Word::Sign(')')).unwrap_or(rest.len());
        rest = &rest[1..end];
    }
    let negative = matches!(rest.first(), Some(Word::Sign('-')));
    if matches!(rest.first(), Some(Word::Sign('-' | '+'))) {
        rest = &rest[1..];
    }
    match rest.first() {
        _ if is_in_brackets && rest.len() != 1 => Literal::Null,
        Some(Word::Number(number)) => Literal::number(number, negative),
        Some(Word::Text(text)) => Literal::Text(text.clone()),
        Some(Word::Blob(bytes)) => Literal::Blob(bytes.clone()),
        Some(word) if word.is("TRUE") => Literal::Integer(1),
        Some(word) if word.is("FALSE") => Literal::Integer(0),
        // SQLite reads a name in double quotes as a text here.
        Some(Word::Quoted(text)) => Literal::Text(text.clone()),
        _ => Literal::Null,
    }
}

impl Literal {
    fn number(text: &str, negative: bool) -> Self {
        if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            let value = u64::from_str_radix(digits, 16).map(u64::cast_signed);
            return value.map_or(Self::Null, |value| {
                Self::Integer(if negative { value.wrapping_neg() } else { value })
            });
        }
        let signed = if negative { format!("-{text}") } else { text.to_owned() };
        let whole = signed.parse().map(Self::Integer);
        whole.unwrap_or_else(|_| signed.parse().map_or(Self::Null, Self::Real))
    }
}

/// What becomes of values in a column of a type (<https://www.sqlite.org/datatype3.html#determination_of_column_affinity>).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Affinity {
    Integer,
    Text,
    Blob,
    Real,
    Numeric,
}

impl Affinity {
    fn of(type_name: &str) -> Self {
        let has = |words: &[&str]| words.iter().any(|word| type_name.contains(word));
        if has(&["INT"]) {
            Self::Integer
        } else if has(&["CHAR", "CLOB", "TEXT"]) {
            Self::Text
        } else if has(&["BLOB"]) || type_name.is_empty() {
            Self::Blob
        } else if has(&["REAL", "FLOA", "DOUB"]) {
            Self::Real
        } else {
            Self::Numeric
        }
    }

    /// A default as a row of such a column has it.
    fn applied(self, value: Literal) -> Literal {
        match (self, value) {
            (Self::Text, Literal::Integer(value)) => Literal::Text(value.to_string()),
            (Self::Real, Literal::Integer(value)) => Literal::Real(value as f64),
            (Self::Integer | Self::Numeric | Self::Real, Literal::Text(text)) => {
                let trimmed = text.trim_ascii();
                let is_number =
                    trimmed.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first));
                let number = trimmed.parse().map(Literal::Integer);
                let number = number.or_else(|_| trimmed.parse().map(Literal::Real));
                match number {
                    Ok(number) if is_number => self.applied(number),
                    _ => Literal::Text(text),
                }
            }
            // A float without a fraction is a whole number there.
            (Self::Integer | Self::Numeric, Literal::Real(value))
                if value.fract() == 0.0 && value.abs() < 9.0e15 =>
            {
                Literal::Integer(value as i64)
            }
            (_, value) => value,
        }
    }
}
