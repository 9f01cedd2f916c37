//! The page, as the server gives it and as a file that is all there is.
//!
//! The program of both is the same (`ui/`, carried by `eaves_webui`); it finds its data in elements of the file, or asks
//! the server that it came from. `docs/page.md` describes the elements.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use eaves_section::Section;
use eaves_section::timeline::Charts;
use sha2::{Digest, Sha256};

use crate::html::{self, DATA_END};
use crate::markup::escaped;
use crate::packed::packed;
use crate::timeline::{fitting, svg};
use crate::{Document, json, roofline};
use eaves_section::quantity;

/// What the page of a server may do: nothing but ask that server.
pub const SERVED_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
     img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// What a file may do: run the two scripts that were written into it, by their hashes, and reach nothing.
fn file_policy(scripts: [&str; 2]) -> String {
    let [first, second] = scripts.map(|script| STANDARD.encode(Sha256::digest(script)));
    format!(
        "default-src 'none'; script-src 'sha256-{first}' 'sha256-{second}'; style-src 'unsafe-inline'; \
         img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
}

/// How the element with the document begins; readers of saved pages look for it.
pub(crate) const DOCUMENT_START: &str =
    r#"<script type="application/octet-stream" id="eaves-document" data-packed="gzip">"#;

/// Bytes for the data of a file: it opens at once and goes into a mail.
pub const BUDGET: usize = 2_000_000;

/// Takes the tables away when the program has put something in their place.
const REPLACE: &str = "{
const tables = document.getElementById(\"eaves-read\");
const look = (_, observer) => { tables.remove(); observer.disconnect(); };
new MutationObserver(look).observe(document.getElementById(\"app\"), { childList: true });
}
";

/// Letters of a drawing for browsers that run no programs; a longer one is skipped.
const MOST_DRAWING: usize = 600_000;

/// Rows of each table for browsers that run no programs; the data has them all.
const MOST_ROWS: usize = 30;

/// The page of a server: where its script and style sheet are, what the window is called, and which features its build lacks.
pub fn shell(script: &str, style: &str, title: &str, lacks: &[&str]) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n\
         <link rel=\"icon\" href=\"data:,\">\n\
         <link rel=\"stylesheet\" href=\"{}\">\n</head>\n<body>\n<div id=\"app\" data-lacks=\"{}\"></div>\n\
         <noscript>This page needs JavaScript; <code>eaves report</code> shows the same as text.</noscript>\n\
         <script type=\"module\" src=\"{}\"></script>\n</body>\n</html>\n",
        escaped(title),
        escaped(style),
        escaped(&lacks.join(" ")),
        escaped(script),
    )
}

/// Additional data in a file besides the document.
#[derive(Default)]
pub struct Parts<'a> {
    /// The recordings, and the numbers of their timeline.
    pub timeline: Option<(&'a Charts<'a>, Option<&'a Section>)>,
    /// The same of the run that they are compared with.
    pub base_timeline: Option<(&'a Charts<'a>, Option<&'a Section>)>,
    /// The data of the flame graph with at most this many frames of each view; nothing if there is nothing to draw.
    pub flame: Option<&'a dyn Fn(usize) -> Option<Vec<u8>>>,
    /// What browsers that run no programs show before the tables: a drawing, as SVG.
    pub drawing: Option<&'a str>,
    /// Settings that hold until the reader changes them, by the names that the address has for them.
    pub settings: &'a [(&'static str, &'static str)],
}

impl std::fmt::Debug for Parts<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut parts = f.debug_struct("Parts");
        parts.field("timeline", &self.timeline.is_some()).field("flame", &self.flame.is_some());
        parts.field("base_timeline", &self.base_timeline.is_some());
        parts.field("settings", &self.settings);
        parts.field("drawing", &self.drawing.is_some()).finish()
    }
}

/// The report as one file: the program, its data, and, until the program runs or where none may, the same as tables.
/// `budget` is for the data; the document is always there whole, the other parts share the rest.
pub fn offline(document: &Document, parts: &Parts<'_>, budget: usize) -> String {
    /// The least that is left to a part, however long the document is.
    const LEAST: usize = 100_000;
    let json = packed(json::compact(document).as_bytes());
    // A drawing is for few readers; it takes no room from the data of all others.
    let drawing = parts.drawing.filter(|drawing| drawing.len() <= MOST_DRAWING);
    let rest = budget.saturating_sub(json.len()).max(2 * LEAST);
    let of_flame = if parts.timeline.is_some() { rest / 4 } else { rest };
    let flame = parts.flame.and_then(|flame| fitting_flame(flame, of_flame));
    let room = rest.saturating_sub(flame.as_ref().map_or(0, String::len)).max(LEAST);
    let of_timeline = if parts.base_timeline.is_some() { room / 2 } else { room };
    let timeline = parts.timeline.map(|(charts, section)| fitting(charts, section, of_timeline));
    let room = room.saturating_sub(timeline.as_ref().map_or(0, String::len)).max(LEAST);
    let base_timeline = parts.base_timeline.map(|(charts, section)| fitting(charts, section, room));
    let mut page = String::with_capacity(json.len() + rest + (1 << 18));
    let packed = Packed {
        json: &json,
        timeline: timeline.as_deref(),
        base_timeline: base_timeline.as_deref(),
        flame: flame.as_deref(),
        settings: parts.settings,
    };
    // Writing to a string cannot fail.
    write_offline(&mut page, document, &packed, drawing).unwrap_or_default();
    page
}

/// A roofline as one file, drawn as asked for until its reader chooses otherwise.
pub fn roofline(document: &Document, options: &roofline::Options) -> String {
    let settings = options.settings();
    offline(document, &Parts { settings: &settings, ..Parts::default() }, BUDGET)
}

/// Verbs whose answers have a view; `ui/src/live.ts` says which.
const SHOWN: [&str; 6] = ["comm", "compile", "diff", "kernels", "memory", "roofline"];

/// A document as one file: the program where a view of it shows the answers of that verb, else tables alone.
pub fn of(document: &Document) -> String {
    if SHOWN.contains(&document.verb) {
        offline(document, &Parts::default(), BUDGET)
    } else {
        html::render(document)
    }
}

/// The timeline of recordings as one file; `document` has its numbers.
pub fn timeline(document: &Document, charts: &Charts<'_>) -> String {
    /// Pixels of the drawing: as wide as its tables are on a usual screen, so that its letters keep their size.
    const WIDTH: u32 = 960;
    let section = document.sections().next();
    let drawing = svg(charts, section, WIDTH);
    let timeline = (!charts.charts.is_empty()).then_some((charts, section));
    offline(document, &Parts { timeline, drawing: Some(&drawing), ..Parts::default() }, BUDGET)
}

/// The data of a file, packed.
struct Packed<'a> {
    json: &'a str,
    timeline: Option<&'a str>,
    base_timeline: Option<&'a str>,
    flame: Option<&'a str>,
    settings: &'a [(&'static str, &'static str)],
}

fn write_offline(
    page: &mut String,
    document: &Document,
    data: &Packed<'_>,
    drawing: Option<&str>,
) -> std::fmt::Result {
    let (replace, program) = (format!("\n{REPLACE}"), format!("\n{}\n", eaves_webui::SCRIPT));
    let policy = file_policy([&replace, &program]);
    write!(
        page,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"generator\" content=\"eaves {}\">\n<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n",
        env!("CARGO_PKG_VERSION"),
        escaped(&html::title(document)),
        eaves_webui::STYLE,
    )?;
    // The tables stand until the program shows something, and their style goes with them.
    write!(page, "<div id=\"app\"></div>\n<div id=\"eaves-read\">\n<style>\n{}</style>\n", html::STYLE)?;
    html::write_body(page, document, MOST_ROWS, drawing)?;
    writeln!(page, "<p class=\"quiet\">{}</p>", escaped(&holds(data)))?;
    writeln!(page, "</div>\n{DOCUMENT_START}{}{DATA_END}", data.json)?;
    let parts = [("timeline", data.timeline), ("base-timeline", data.base_timeline), ("flame", data.flame)];
    for (name, data) in parts {
        if let Some(data) = data {
            writeln!(
                page,
                "<script type=\"application/octet-stream\" id=\"eaves-{name}\" data-packed=\"gzip\">{data}{DATA_END}"
            )?;
        }
    }
    if !data.settings.is_empty() {
        let settings: serde_json::Map<String, serde_json::Value> =
            data.settings.iter().map(|&(key, value)| (key.to_owned(), value.into())).collect();
        // Names and words of ours: there is nothing to escape.
        let settings = serde_json::Value::Object(settings);
        writeln!(page, "<script type=\"application/json\" id=\"eaves-settings\">{settings}{DATA_END}")?;
    }
    write!(page, "<script>{replace}</script>\n<script type=\"module\">{program}</script>\n</body>\n</html>\n")
}

/// How large the parts are. What was put into groups for it, the parts say themselves.
fn holds(data: &Packed<'_>) -> String {
    let sizes = [("document", Some(data.json)), ("timeline", data.timeline), ("flame graph", data.flame)];
    let parts = sizes.into_iter().map(|(name, data)| match data {
        Some(data) => format!("{name} {}", quantity::bytes(data.len() as f64)),
        None => format!("no {name}"),
    });
    let base =
        data.base_timeline.map(|data| format!("timeline of the base {}", quantity::bytes(data.len() as f64)));
    format!("Data in this file: {}.", parts.chain(base).collect::<Vec<_>>().join(", "))
}

/// The data with as many frames as this many letters have room for.
fn fitting_flame(flame: &dyn Fn(usize) -> Option<Vec<u8>>, room: usize) -> Option<String> {
    /// More make a page slow to open, and nobody looks at them.
    const MOST: usize = 20_000;
    const LEAST: usize = 500;
    let mut frames = MOST;
    loop {
        let text = packed(&flame(frames)?);
        if text.len() <= room || frames <= LEAST {
            return Some(text);
        }
        // Letters grow with frames; a little less, so that the next attempt fits.
        frames = (frames * room / text.len() * 9 / 10).clamp(LEAST, frames / 2);
    }
}

#[cfg(test)]
mod tests {
    use eaves_analyze::analyses;
    use eaves_assess::compile;
    use eaves_section::VIEWS;

    use super::SHOWN;

    const LIVE: &str = include_str!("../../../ui/src/live.ts");
    const INDEX: &str = include_str!("../../../ui/src/views/index.ts");
    const KERNELS: &str = include_str!("../../../ui/src/views/kernels.tsx");

    /// The text from one mark to the next other.
    fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
        text.split_once(from).and_then(|(_, rest)| rest.split_once(to)).unwrap().0
    }

    fn is_section(id: &str) -> bool {
        analyses::find(id).is_some()
            || compile::SECTIONS.contains(&id)
            || ["comm-roofline", "diff"].contains(&id)
    }

    /// The page and this program list verbs, views and sections in two languages.
    #[test]
    fn the_lists_of_the_page_agree() {
        let beginnings = between(LIVE, "const BEGINNINGS", "};");
        let views = between(INDEX, "export const VIEWS", "];");
        let is_view = |view: &str| views.contains(&format!("  {view},"));
        for verb in SHOWN {
            assert!(beginnings.contains(&format!(" {verb}: \"")), "`{verb}` has no view to begin with");
        }
        for view in beginnings.split('"').skip(1).step_by(2) {
            assert!(is_view(view), "no view `{view}`");
        }
        for (section, view) in VIEWS {
            assert!(is_view(view) && is_section(section), "{section}: {view}");
        }
        for section in between(KERNELS, "const PARTS", "];").split("section: \"").skip(1) {
            let id = section.split('"').next().unwrap_or_default();
            assert!(is_section(id), "no section `{id}`");
        }
    }
}
