//! The `operators` section: which operators have formulas, and what a script of the user makes of commands.

use std::collections::BTreeMap;

use eaves_roofline::ops::{self, Formula};
use eaves_roofline::scripts::{Script, ScriptWork};
use eaves_section::{Column, Number, Section, Table, Unit, Value};

/// The families of formulas, in order.
pub fn families() -> Vec<&'static str> {
    let mut families: Vec<&str> =
        ops::all().map(|formula| formula.category).chain(["npu", "triton"]).collect();
    families.sort_unstable();
    families.dedup();
    families
}

/// Every operator that has a formula, or those of one family.
pub fn list(family: Option<&str>) -> Section {
    let names = |formula: &'static Formula| formula.names.iter().map(|name| (formula.category, *name));
    let generated = [
        ("triton", "triton_per_fused_*"),
        ("triton", "triton_poi_fused_*"),
        ("triton", "triton_red_fused_*"),
    ];
    let npu = ops::npu::TYPES.iter().map(|name| ("npu", *name));
    let mut operators: Vec<(&str, &str)> = ops::all().flat_map(names).chain(npu).chain(generated).collect();
    operators.retain(|(category, _)| family.is_none_or(|family| family == *category));
    operators.sort_unstable();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (category, _) in &operators {
        *counts.entry(category).or_default() += 1;
    }
    let by_family =
        counts.iter().map(|(category, count)| vec![(*category).into(), (*count).into()]).collect();
    let rows =
        operators.iter().map(|(category, name)| vec![(*category).into(), (*name).into(), time(name).into()]);
    let tables = vec![
        Table {
            id: "families",
            title: "Families",
            columns: vec![
                Column::new("family", "Family", Unit::None),
                Column::new("operators", "Operators", Unit::Count),
            ],
            rows: by_family,
        },
        Table {
            id: "operators",
            title: "Operators",
            columns: vec![
                Column::new("family", "Family", Unit::None),
                Column::new("name", "Name", Unit::None),
                Column::new("time", "Its time", Unit::None),
            ],
            rows: rows.collect(),
        },
    ];
    section(operators.len(), "Operators with a formula.", tables)
}

/// Whose the time of an operator is.
fn time(name: &str) -> &'static str {
    if ops::wrapper(name).is_some() { "from the operators it calls" } else { "its own" }
}

/// A command that a script was tried on.
pub struct Tried {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: String,
    /// What the script says.
    pub work: ScriptWork,
}

/// A whole number as one; scripts compute with floats, which hold larger ones.
fn amount(value: f64) -> Value {
    const EXACT: f64 = (1_u64 << f64::MANTISSA_DIGITS) as f64;
    if value.fract() == 0.0 && value.abs() <= EXACT {
        Value::Integer(value as i64)
    } else {
        Value::float(value, "not finite")
    }
}

/// Operators defined by a script, and their results for commands.
pub fn checked(script: &Script, tried: &[Tried]) -> Section {
    let defined = script.types().map(|kind| {
        let uses = tried.iter().filter(|command| command.kind == kind).count();
        let built_in =
            ops::npu::TYPES.contains(&kind) || ops::formula(kind).is_some() || ops::wrapper(kind).is_some();
        vec![kind.into(), if built_in { "yes" } else { "no" }.into(), uses.into()]
    });
    let commands = tried.iter().map(|Tried { name, kind, work }| {
        vec![
            name.as_str().into(),
            kind.as_str().into(),
            amount(work.macs),
            amount(work.flops),
            amount(work.bytes),
            work.symbol.into(),
        ]
    });
    let mut tables = vec![
        Table {
            id: "defined",
            title: "Defined",
            columns: vec![
                Column::new("type", "Type", Unit::None),
                Column::new("replaces_formula", "Replaces a formula", Unit::None),
                Column::new("commands", "Commands", Unit::Count),
            ],
            rows: defined.collect(),
        },
        Table {
            id: "commands",
            title: "Commands",
            columns: vec![
                Column::new("name", "Name", Unit::None),
                Column::new("type", "Type", Unit::None),
                Column::new("macs", "MACs", Unit::Count),
                Column::new("flop", "Operations", Unit::Flop),
                Column::new("bytes", "Bytes", Unit::Bytes),
                Column::new("symbol", "Symbol", Unit::None),
            ],
            rows: commands.collect(),
        },
    ];
    tables.retain(|table| !table.rows.is_empty());
    section(script.types().count(), "Operators defined by the script.", tables)
}

fn section(operators: usize, explain: &'static str, tables: Vec<Table>) -> Section {
    let number = Number::counter("operators", operators.into(), Unit::Count, explain);
    Section {
        id: "operators",
        title: "Operators",
        numbers: vec![number],
        tables,
        charts: Vec::new(),
        findings: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_is_a_part_of_the_list() {
        let all = list(None);
        let rows = |section: &Section| section.tables[1].rows.clone();
        let mut parts: Vec<Vec<Value>> =
            families().into_iter().flat_map(|family| rows(&list(Some(family)))).collect();
        assert!(parts.len() > 300, "{}", parts.len());
        let mut whole = rows(&all);
        let by_text = |row: &Vec<Value>| format!("{row:?}");
        parts.sort_by_key(by_text);
        whole.sort_by_key(by_text);
        assert_eq!(parts, whole);
        assert!(list(Some("nothing")).tables[1].rows.is_empty());
    }
}
