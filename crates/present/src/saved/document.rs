//! A saved report as the document it was, so that it is shown in every form again.

use eaves_model::{Ns, WarningKind};
use eaves_section::{
    Chart, Column, Finding, Gain, Number, Outcome, Provenance, Section, Severity, Skipped, Table, Unit, Value,
};

use super::form::{
    ChartForm, ColumnForm, DocumentForm, FindingForm, InputForm, NumberForm, SectionForm, SkippedForm,
    TableForm, WarningForm,
};
use super::names::lasting;
use crate::{Document, Input, InputWarning};

/// The document. Nothing if it has more names than any report of ours.
pub(super) fn document(form: &DocumentForm) -> Option<Document> {
    let verb = form.schema.strip_prefix("eaves.").and_then(|rest| rest.split('/').next()).unwrap_or("report");
    let sections = form.sections.iter().map(|one| section(one).map(Outcome::Section));
    let skipped = form.skipped.iter().map(|one| skipped(one).map(Outcome::Skipped));
    Some(Document {
        verb: lasting(verb)?,
        inputs: form.inputs.iter().map(input).collect::<Option<_>>()?,
        warnings: form.warnings.iter().filter_map(warning).collect(),
        outcomes: sections.chain(skipped).collect::<Option<_>>()?,
        ..Document::default()
    })
}

fn input(form: &InputForm) -> Option<Input> {
    Some(Input {
        path: form.path.clone(),
        role: form.role.as_deref().map_or(Some(None), |role| lasting(role).map(Some))?,
        format: lasting(&form.format)?,
        container: lasting(&form.container)?,
        rank: form.rank,
        rank_source: lasting(&form.rank_source)?,
        events: form.events,
        bytes: form.bytes,
    })
}

/// Nothing for a kind that this release does not know.
fn warning(form: &WarningForm) -> Option<InputWarning> {
    let kind = WarningKind::ALL.into_iter().find(|kind| kind.id() == form.kind)?;
    let detail = form.message.strip_prefix(kind.message()).unwrap_or_default();
    let detail = detail.strip_prefix(" (").and_then(|detail| detail.strip_suffix(')'));
    Some(InputWarning {
        kind,
        count: form.count,
        first_offset: form.first_offset,
        path: form.path.clone(),
        detail: detail.map(str::to_owned),
    })
}

fn section(form: &SectionForm) -> Option<Section> {
    Some(Section {
        id: lasting(&form.id)?,
        title: lasting(&form.title)?,
        numbers: form.numbers.iter().map(number).collect::<Option<_>>()?,
        tables: form.tables.iter().map(table).collect::<Option<_>>()?,
        charts: form.charts.iter().filter_map(chart).collect(),
        findings: form.findings.iter().map(finding).collect::<Option<_>>()?,
    })
}

/// Nothing for a kind that this release does not know.
fn chart(form: &ChartForm) -> Option<Chart> {
    Chart::from_tables(&form.kind, |part| lasting(form.tables.get(part)?))
}

fn number(form: &NumberForm) -> Option<Number> {
    let provenances = [
        Provenance::Counter,
        Provenance::Formula,
        Provenance::Datasheet,
        Provenance::Measured,
        Provenance::Guess,
    ];
    let provenance = provenances.into_iter().find(|known| known.id() == form.provenance);
    Some(Number {
        id: lasting(&form.id)?,
        rank: form.rank,
        value: value(&form.value, lasting(form.reason.as_deref().unwrap_or(MISSING))?),
        unit: unit(form.unit.as_deref()),
        provenance: provenance.unwrap_or(Provenance::Formula),
        explain: lasting(&form.explain)?,
    })
}

fn table(form: &TableForm) -> Option<Table> {
    let reasons: Vec<&'static str> = form
        .columns
        .iter()
        .map(|column| lasting(form.missing.get(&column.id).map_or(MISSING, String::as_str)))
        .collect::<Option<_>>()?;
    let row = |row: &Vec<serde_json::Value>| {
        row.iter().zip(&reasons).map(|(cell, reason)| value(cell, reason)).collect::<Vec<Value>>()
    };
    // A row of another length is damage; the table has as many cells as columns.
    let is_whole = |row: &&Vec<serde_json::Value>| row.len() == form.columns.len();
    Some(Table {
        id: lasting(&form.id)?,
        title: lasting(&form.title)?,
        columns: form.columns.iter().map(column).collect::<Option<_>>()?,
        rows: form.rows.iter().filter(is_whole).map(row).collect(),
    })
}

fn column(form: &ColumnForm) -> Option<Column> {
    Some(Column::new(lasting(&form.id)?, lasting(&form.title)?, unit(form.unit.as_deref())))
}

fn finding(form: &FindingForm) -> Option<Finding> {
    let severities = [Severity::Info, Severity::Warning, Severity::Critical];
    let overlaps = form.overlaps.iter().map(|id| lasting(id)).collect::<Option<Vec<_>>>()?;
    let gain = form.gain_ns.map(|(low, high)| Gain {
        per_step: form.gain_of.as_deref() == Some("step"),
        overlaps,
        ..Gain::new(Ns(low), Ns(high), 0, form.gain_basis.clone().unwrap_or_default())
    });
    Some(Finding {
        id: lasting(&form.id)?,
        severity: severities.into_iter().find(|known| known.id() == form.severity).unwrap_or(Severity::Info),
        claim: form.claim.clone(),
        gain,
        evidence: form.evidence.clone(),
        next: form.next.clone(),
    })
}

fn skipped(form: &SkippedForm) -> Option<Skipped> {
    Some(Skipped {
        id: lasting(&form.id)?,
        missing: form.missing.clone(),
        how_to_record: form.how_to_record.clone(),
    })
}

fn unit(id: Option<&str>) -> Unit {
    let units = [
        Unit::Count,
        Unit::Nanoseconds,
        Unit::Percent,
        Unit::Bytes,
        Unit::GigabytesPerSecond,
        Unit::Flop,
        Unit::GigaflopsPerSecond,
        Unit::FlopPerByte,
    ];
    units.into_iter().find(|unit| unit.id() == id).unwrap_or(Unit::None)
}

/// Why there is no value where the report gives no reason.
const MISSING: &str = "not in the saved report";

/// A cell, or why there is none.
pub(super) fn value(json: &serde_json::Value, reason: &'static str) -> Value {
    match json {
        serde_json::Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(integer), _) => Value::Integer(integer),
            (None, Some(float)) => Value::Float(float),
            (None, None) => Value::Missing("not a number"),
        },
        serde_json::Value::String(text) => Value::Text(text.clone()),
        _ => Value::Missing(reason),
    }
}
