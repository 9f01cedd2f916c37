//! Two trees as one: every name path that is in either, with both amounts.

use eaves_model::Ns;

use super::Values;
use super::builder::Builder;
use super::names::Names;
use super::tree::{Base, NodeId, Tree};

/// Merges two trees by name path. The amounts of the answer are those of the second, its base those of the first.
/// Each tree comes with its names; the answer comes with the names of both.
pub fn difference(
    (base_names, base): (&[String], &Tree),
    (new_names, new): (&[String], &Tree),
) -> (Vec<String>, Tree) {
    let mut names = Names::new();
    let mut builder = Builder::new();
    for (id, own) in merge(new_names, new, &mut names, &mut builder) {
        builder.count_all(id, own);
    }
    let of_base = merge(base_names, base, &mut names, &mut builder);
    let mut amounts = vec![Base::default(); builder.frames()];
    for (id, own) in of_base {
        amounts[id as usize].own += own;
    }
    let mut tree = builder.finish_with(false, amounts);
    tree.most_callers = match (base.most_callers, new.most_callers) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    };
    (names.into_texts(), tree)
}

/// Finds or adds every frame of a tree; the answer is where each is, and what it has of its own.
fn merge(texts: &[String], tree: &Tree, names: &mut Names, builder: &mut Builder) -> Vec<(NodeId, Values)> {
    let numbers: Vec<u32> = texts.iter().map(|text| names.intern(text)).collect();
    let mut found: Vec<(NodeId, Values)> = Vec::with_capacity(tree.nodes.len());
    for node in &tree.nodes {
        let id = match found.get(node.parent as usize) {
            None => Tree::ROOT,
            Some(&(parent, _)) => builder.find(parent, numbers[node.name as usize], node.kind, Ns::ZERO),
        };
        found.push((id, node.own));
    }
    found
}
