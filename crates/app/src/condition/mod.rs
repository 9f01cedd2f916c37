//! `--fail-on`: a limit on a number of a section, or on any point or message.

mod grammar;

use anyhow::Result;
use eaves_model::suggestion::did_you_mean;
use eaves_section::{Section, Table, Value};

pub(crate) use self::grammar::{Limit, Parts};
use crate::{TooMuch, hinted};

const FORM: &str = "write a metric, `<` or `>`, and a number: `pct_of_roof<50`, `above_roof>0`, `headroom_ns>2ms`, `peak>70GB`, \
                    `pct_of_roof:NAME<80`";

/// The tables with a row for each point, message or measurement.
const TABLES: [&str; 4] = ["points", "events", "results", "rows"];

/// What the name of a metric may go without.
const UNITS: [&str; 5] = ["", "_pct", "_ns", "_gbps", "_bytes"];

/// A condition as it was typed.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    text: String,
    metric: String,
    /// Rows whose name has this in it.
    name: Option<String>,
    above: bool,
    limit: f64,
}

/// Reads conditions.
///
/// # Errors
/// If one means nothing.
pub fn parse_all(texts: &[String]) -> Result<Vec<Condition>> {
    texts.iter().map(|text| parse(text)).collect()
}

fn parse(text: &str) -> Result<Condition> {
    let wrong = |what: String| hinted(format!("`--fail-on {text}`: {what}"), FORM);
    let parts = Parts::of(text).ok_or_else(|| wrong("neither `>` nor `<`".to_owned()))?;
    let (metric, name) = match parts.subject.split_once(':') {
        Some((_, "")) => return Err(wrong("`:` without a name".to_owned())),
        Some((metric, name)) => (metric.trim(), Some(name.trim().to_owned())),
        None => (parts.subject, None),
    };
    if metric.is_empty() {
        return Err(wrong("no metric".to_owned()));
    }
    let limit = parts.limit.ok_or_else(|| wrong(format!("`{}` is not a number", parts.typed)))?.value;
    Ok(Condition { text: text.to_owned(), metric: metric.to_owned(), name, above: parts.above, limit })
}

/// The conditions that hold.
///
/// # Errors
/// If a condition is about something that no section has.
pub fn check_all(conditions: &[Condition], sections: &[&Section]) -> Result<Vec<TooMuch>> {
    let mut held = Vec::new();
    for condition in conditions {
        held.extend(
            condition.check(sections)?.map(|because| TooMuch { condition: condition.text.clone(), because }),
        );
    }
    Ok(held)
}

impl Condition {
    /// What makes it hold, if it does.
    fn check(&self, sections: &[&Section]) -> Result<Option<String>> {
        let numbers: Vec<(String, f64)> =
            sections.iter().flat_map(|section| self.of_section(section)).collect();
        let values = if numbers.is_empty() {
            sections.iter().flat_map(|section| self.of_rows(section)).collect()
        } else {
            numbers
        };
        if values.is_empty() {
            return Err(self.nothing(sections));
        }
        let holds: Vec<&(String, f64)> = values
            .iter()
            .filter(|(_, value)| if self.above { *value > self.limit } else { *value < self.limit })
            .collect();
        let worst = holds.iter().max_by(|a, b| {
            let order = a.1.total_cmp(&b.1);
            if self.above { order } else { order.reverse() }
        });
        Ok(worst.map(|(name, value)| {
            let others = match holds.len() {
                1 => String::new(),
                count => format!(", and {} more", count - 1),
            };
            format!("{name} has {value}{others}")
        }))
    }

    /// Whether an id is the metric that was typed, with or without its unit.
    fn means(&self, id: &str) -> bool {
        UNITS.iter().any(|unit| id.strip_suffix(unit) == Some(self.metric.as_str()))
    }

    /// A number of the whole, unless a name asks for rows.
    fn of_section(&self, section: &Section) -> Vec<(String, f64)> {
        let numbers = section.numbers.iter().filter(|number| self.means(number.id) && self.name.is_none());
        numbers.filter_map(|number| Some((section.id.to_owned(), float(&number.value)?))).collect()
    }

    fn of_rows(&self, section: &Section) -> Vec<(String, f64)> {
        let tables = section.tables.iter().filter(|table| TABLES.contains(&table.id));
        tables.flat_map(|table| self.of_table(table)).collect()
    }

    fn of_table(&self, table: &Table) -> Vec<(String, f64)> {
        let metric = table.columns.iter().position(|column| self.means(column.id));
        let name = table.columns.iter().position(|column| column.id == "name");
        let (Some(metric), Some(name)) = (metric, name) else { return Vec::new() };
        let rows = table.rows.iter().filter_map(|row| match (row.get(name)?, float(row.get(metric)?)?) {
            (Value::Text(name), value) => Some((name.clone(), value)),
            _ => None,
        });
        rows.filter(|(name, _)| self.name.as_ref().is_none_or(|part| name.contains(part))).collect()
    }

    fn nothing(&self, sections: &[&Section]) -> anyhow::Error {
        let numbers = sections.iter().flat_map(|section| section.numbers.iter().map(|number| number.id));
        let columns = sections
            .iter()
            .flat_map(|section| section.tables.iter().filter(|table| TABLES.contains(&table.id)))
            .flat_map(|table| table.columns.iter().map(|column| column.id));
        let mut known: Vec<&str> = numbers.chain(columns).collect();
        known.sort_unstable();
        known.dedup();
        let what = |what: &str| format!("`--fail-on {}`: {what}", self.text);
        if known.contains(&self.metric.as_str()) {
            return hinted(
                what("no row has this metric"),
                "the table `unmodelled` and the column `flag` explain why points have no numbers",
            );
        }
        let hint = match did_you_mean(&self.metric, known.iter().copied()) {
            Some(similar) => format!("did you mean `{similar}`?"),
            None => format!("metrics are {}", known.join(", ")),
        };
        hinted(what(&format!("no metric `{}`", self.metric)), hint)
    }
}

fn float(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        Value::Text(_) | Value::Missing(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read_as_they_are_meant() {
        let parsed = |text: &str| {
            let condition = parse(text).unwrap();
            (condition.metric, condition.name, condition.above, condition.limit)
        };
        assert_eq!(parsed("pct_of_roof<50"), ("pct_of_roof".into(), None, false, 50.0));
        assert_eq!(parsed(" above_roof > 0 "), ("above_roof".into(), None, true, 0.0));
        assert_eq!(parsed("headroom_ns>2.5ms"), ("headroom_ns".into(), None, true, 2.5e6));
        assert_eq!(parsed("peak>70GB"), ("peak".into(), None, true, 70e9));
        assert!(parse("peak>1GiB").unwrap().means("peak_bytes"));
        let kernel = Some("f<int>(a)".to_owned());
        assert_eq!(parsed("pct_of_roof:f<int>(a)<80%"), ("pct_of_roof".into(), kernel, false, 80.0));
        for text in ["", "pct_of_roof", "pct_of_roof<", "pct_of_roof<x", "<5", "a:<5", "time_ns>3 weeks"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
