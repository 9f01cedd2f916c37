//! The parts of the GPU span as one stacked bar per rank.

use std::fmt::{Result, Write};

use eaves_section::{Section, Table};

use super::text::Plain;
use crate::terminal::breakdown::{PARTS, is_drawn, row_name, shares};
use eaves_section::quantity;

/// The classes of the parts, in their order.
const CLASSES: [&str; PARTS.len()] = ["compute", "communication", "memory", "idle"];

/// The bars above a table that is drawn as bars.
pub(super) fn write(page: &mut String, section: &Section, table: &Table) -> Result {
    if !is_drawn(section, table) {
        return Ok(());
    }
    page.push_str("<ul class=\"legend\" aria-hidden=\"true\">");
    for (part, class) in PARTS.iter().zip(CLASSES) {
        write!(page, "<li><i class=\"{class}\"></i>{}</li>", part.label)?;
    }
    page.push_str("</ul>\n<div class=\"stack\">\n");
    for row in &table.rows {
        let shares = shares(table, row);
        let texts: Vec<String> = PARTS
            .iter()
            .zip(shares)
            .map(|(part, share)| format!("{} {}", part.label, quantity::percent(share)))
            .collect();
        write!(
            page,
            "<span>{}</span><div class=\"bar\" role=\"img\" aria-label=\"{}\">",
            Plain(&row_name(table, row)),
            Plain(&texts.join(", "))
        )?;
        for ((share, class), text) in shares.into_iter().zip(CLASSES).zip(&texts) {
            if share > 0.0 {
                let share = share.min(100.0);
                write!(
                    page,
                    "<span class=\"{class}\" style=\"--part:{share:.3}%\" title=\"{}\"></span>",
                    Plain(text)
                )?;
            }
        }
        page.push_str("</div>\n");
    }
    page.push_str("</div>\n");
    Ok(())
}
