//! The ranks combined.

use eaves_model::{Ns, Recording};

use super::rank::RankFlame;
use super::{Builder, Flame, FrameKind, Names, NodeId, Tree};
use crate::{Options, SelectionError};

/// Puts the selected ranks together. `parts` belong to `recordings`, one for one. Ranks are frames of their own if
/// there are several, or if `by_rank` says so.
///
/// # Errors
/// If the selection asks for something that is in none of the recordings.
pub fn assemble(
    recordings: &[Recording],
    parts: &[RankFlame],
    options: &Options,
    by_rank: bool,
) -> Result<Flame, SelectionError> {
    let selection = &options.selection;
    selection.check_ranks(recordings)?;
    let selected: Vec<(&Recording, &RankFlame)> =
        recordings.iter().zip(parts).filter(|(recording, _)| selection.has_rank(recording.rank)).collect();
    selection.check_steps(selected.iter().flat_map(|(_, part)| part.steps.iter().copied()))?;
    selection.check_time(selected.iter().filter_map(|(_, part)| part.extent))?;

    let by_rank = by_rank || selected.len() > 1;
    let mut names = Names::new();
    let mut merged = Builder::new();
    let mut chart = selected.iter().any(|(_, part)| part.chart.is_some()).then(Builder::new);
    for &(recording, part) in &selected {
        let numbers: Vec<u32> = part.names.iter().map(|name| names.intern(name)).collect();
        let label = by_rank.then(|| names.intern(&label(recording, recordings)));
        copy(&part.merged, &numbers, label, &mut merged);
        if let (Some(tree), Some(chart)) = (&part.chart, &mut chart) {
            copy(tree, &numbers, label, chart);
        }
    }
    Ok(Flame {
        names: names.into_texts(),
        merged: merged.finish(false),
        chart: chart.map(|chart| chart.finish(true)),
    })
}

fn label(recording: &Recording, all: &[Recording]) -> String {
    let alike = all.iter().filter(|other| other.rank == recording.rank).count();
    if alike > 1 {
        return format!("rank {} ({})", recording.rank, recording.path);
    }
    format!("rank {}", recording.rank)
}

/// Appends a tree in its own frame, or directly in the root.
fn copy(tree: &Tree, numbers: &[u32], label: Option<u32>, to: &mut Builder) {
    let root = match label {
        Some(label) => to.add(Tree::ROOT, label, FrameKind::Root, Ns::ZERO),
        None => Tree::ROOT,
    };
    let mut ids: Vec<NodeId> = Vec::with_capacity(tree.nodes.len());
    for node in &tree.nodes {
        let id = match ids.get(node.parent as usize) {
            None => root,
            Some(&parent) => to.add(parent, numbers[node.name as usize], node.kind, node.start),
        };
        to.count_all(id, node.own);
        to.group(id, node.grouped);
        ids.push(id);
    }
}
