//! What can go wrong with a question.

use std::fmt;
use std::time::Duration;

/// A place in a question, counted from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Line.
    pub line: usize,
    /// Letter in the line.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// This program was built without SQL.
    #[error("this build of eaves has no SQL support")]
    NotBuilt,
    /// The question is wrong: the asker's mistake.
    #[error("{}", with_place(message, *place))]
    Sql {
        /// What is wrong.
        message: String,
        /// Where, if that is known.
        place: Option<Place>,
        /// What to try.
        hint: String,
    },
    /// The statement would change something or read something else.
    #[error("only queries are allowed, and this is {what}")]
    NotAQuestion {
        /// What it is.
        what: String,
    },
    /// A rank cannot be read.
    #[error("cannot read rank {rank} of run `{run}`: {cause}")]
    Read {
        /// The run.
        run: String,
        /// The rank.
        rank: i64,
        /// Why.
        cause: String,
    },
    /// The answer takes longer than it may.
    #[error("no answer within {} s", limit.as_secs_f64())]
    TooLong {
        /// What it may take.
        limit: Duration,
    },
    /// The answer takes more memory than it may.
    #[error("the query exceeds its memory budget: {cause}")]
    TooLarge {
        /// What took it.
        cause: String,
    },
    /// Too many questions are being answered.
    #[error("too many concurrent queries")]
    Busy,
    /// The engine failed: not the asker's mistake.
    #[error("the engine failed: {cause}")]
    Engine {
        /// How.
        cause: String,
    },
}

fn with_place(message: &str, place: Option<Place>) -> String {
    place.map_or_else(|| message.to_owned(), |place| format!("{message} ({place})"))
}

impl Error {
    /// What to try.
    pub fn hint(&self) -> String {
        match self {
            Self::NotBuilt => {
                "build it with SQL: `cargo install --path crates/cli --features sql`".to_owned()
            }
            Self::Sql { hint, .. } => hint.clone(),
            Self::NotAQuestion { .. } => {
                "start with SELECT or WITH; `eaves export` and `-o` write files, `eaves ingest` creates datasets".to_owned()
            }
            Self::Read { .. } => "run `eaves info` on this rank".to_owned(),
            Self::TooLong { .. } => "query fewer ranks, steps or columns: `WHERE rank = 0`".to_owned(),
            Self::TooLarge { .. } => {
                "query fewer ranks or columns, or group by fewer; the command line has no such limit".to_owned()
            }
            Self::Busy => "ask again later".to_owned(),
            Self::Engine { .. } => "this is a bug in eaves or DataFusion; please report it".to_owned(),
        }
    }

    /// The line of the question that is wrong, with a mark under the place.
    pub fn excerpt(&self, sql: &str) -> Option<String> {
        let Self::Sql { place: Some(place), .. } = self else { return None };
        let line = sql.lines().nth(place.line.checked_sub(1)?)?;
        let before = place.column.checked_sub(1)?;
        // A mark far behind a long line helps nobody: what is shown ends near the place.
        const AROUND: usize = 60;
        let skipped = before.saturating_sub(AROUND);
        let shown: String = line.chars().skip(skipped).take(2 * AROUND).collect();
        let padding: String = line
            .chars()
            .skip(skipped)
            .take(before - skipped)
            .map(|letter| if letter == '\t' { '\t' } else { ' ' })
            .collect();
        Some(format!("  {shown}\n  {padding}^"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_stands_under_the_place() {
        let error = Error::Sql {
            message: "no column `b`".to_owned(),
            place: Some(Place { line: 2, column: 3 }),
            hint: String::new(),
        };
        assert_eq!(error.to_string(), "no column `b` (line 2, column 3)");
        assert_eq!(error.excerpt("SELECT\n\t b\n").as_deref(), Some("  \t b\n  \t ^"));
        assert_eq!(error.excerpt("SELECT"), None);
        assert_eq!(Error::NotBuilt.excerpt("SELECT"), None);
    }
}
