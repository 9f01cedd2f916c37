//! Every table of the reference is compared by a test, or stands in a list with the reason why not.

use crate::common;
use crate::common::golden;
use std::collections::BTreeMap;

use crate::common::golden::{Duty, duty, tables};

/// A rule that no table falls under is a mistake, and one that comes after a rule of the same tables never decides.
#[test]
fn every_rule_decides_something() {
    let Some(root) = common::data("hta") else { return };
    let mut used = vec![0usize; golden::RULES.len()];
    for table in &tables(&root) {
        if let Some(rule) = golden::rule(table) {
            used[rule] += 1;
        }
    }
    let idle: Vec<_> = golden::RULES.iter().zip(&used).filter(|(_, used)| **used == 0).collect();
    assert!(idle.is_empty(), "{idle:?}");
}

#[test]
fn every_table_is_compared_or_has_a_reason() {
    let Some(root) = common::data("hta") else { return };
    let (mut counts, mut forgotten) = (BTreeMap::<&str, usize>::new(), Vec::new());
    let tables = tables(&root);
    for table in &tables {
        match duty(table) {
            Some(Duty::Compared(test)) => *counts.entry(test).or_default() += 1,
            Some(Duty::Deviates(id, reason)) => {
                assert!(!id.is_empty() && !reason.is_empty());
                println!("{table} deviates ({id}): {reason}");
                *counts.entry("deviates").or_default() += 1;
            }
            None => forgotten.push(table),
        }
    }
    println!("{} tables: {counts:?}", tables.len());
    assert!(forgotten.is_empty(), "nothing answers for {forgotten:#?}");
    // What the data held when this was written; less means that something was not looked at.
    assert!(tables.len() >= 930, "{}", tables.len());
}
