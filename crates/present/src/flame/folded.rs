//! Folded stacks: a line for each stack with what belongs to its last frame, as `flamegraph.pl` and inferno read
//! them. A comparison has two numbers a line, as `difffolded.pl` writes it.

use std::io::Write as _;

use eaves_section::flame::{Tree, Visit};

use super::{Drawing, Error};

/// Stacks are written whole, so that deep ones need much room.
const MOST_BYTES: u64 = 1 << 30;

/// The text.
///
/// # Errors
/// If the stacks are so deep that the text would have more than 1 GiB.
pub fn render(drawing: &Drawing<'_>) -> Result<Vec<u8>, Error> {
    let (tree, metric) = (drawing.tree, drawing.metric);
    if drawing.size_of_stacks(|name| name.len() as u64 + 1) > MOST_BYTES {
        return Err(Error::TooDeep(MOST_BYTES));
    }
    let mut text: Vec<u8> = Vec::new();
    let mut stack = String::new();
    // Where the name of each open frame begins.
    let mut begins: Vec<usize> = Vec::new();
    tree.walk(&tree.children(metric), |visit| match visit {
        Visit::Enter(Tree::ROOT) | Visit::Leave(Tree::ROOT) => {}
        Visit::Enter(id) => {
            begins.push(stack.len());
            if !stack.is_empty() {
                stack.push(';');
            }
            push_escaped(&mut stack, drawing.name(id));
            let own = tree.node(id).own[metric];
            let base = tree.base.get(id as usize).map(|base| base.own[metric]);
            if own == 0 && base.unwrap_or(0) == 0 {
                return;
            }
            text.extend_from_slice(stack.as_bytes());
            // Writing to memory cannot fail.
            match base {
                Some(base) => writeln!(text, " {base} {own}").ok(),
                None => writeln!(text, " {own}").ok(),
            };
        }
        Visit::Leave(_) => stack.truncate(begins.pop().unwrap_or(0)),
    });
    Ok(text)
}

/// Appends a name without the characters that part names and lines: `;` is `\x3b`, a line feed `\n`, a carriage
/// return `\r`, a backslash `\\`.
fn push_escaped(stack: &mut String, name: &str) {
    for letter in name.chars() {
        match letter {
            ';' => stack.push_str("\\x3b"),
            '\n' => stack.push_str("\\n"),
            '\r' => stack.push_str("\\r"),
            '\\' => stack.push_str("\\\\"),
            _ => stack.push(letter),
        }
    }
}
