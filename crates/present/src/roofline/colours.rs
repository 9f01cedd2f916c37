//! Colours, and what in a drawing has which.
//!
//! Statuses have the colours of Okabe and Ito ("Color Universal Design", 2008), which people who see few colours can
//! tell apart. The green and red of other tools they cannot (for a green-blind eye #27ae60 and #c0392b are nearly one),
//! so those are a choice ([`Palette::Classic`]) and not the default. No colour stands alone: how a mark is filled says
//! how near its roof it is, and left or right of the knee says which roof that is.

use super::data::Point;
use super::{ColourBy, Options, Palette, Theme};

/// A colour on a light and on a dark page.
pub(super) type Shades = [&'static str; 2];

/// How a mark is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fill {
    /// Near its roof.
    Full,
    /// In between.
    Half,
    /// Far below its roof.
    Hollow,
    /// Not measured, or nothing can be said.
    Open,
}

impl Fill {
    /// The filling of a status.
    pub(super) fn of(status: &str) -> Self {
        match status {
            "Compute Bound" | "Memory Bound" => Self::Full,
            "Compute Inefficient" | "Memory Inefficient" => Self::Hollow,
            "Normal" => Self::Half,
            _ => Self::Open,
        }
    }

    /// Its class in drawings.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Half => "half",
            Self::Hollow => "hollow",
            Self::Open => "open",
        }
    }
}

/// The statuses in the order of legends, with their colours: safe and classic.
pub(super) const STATUSES: [(&str, Shades, Shades); 6] = [
    ("Compute Bound", ["#009e73", "#22c296"], ["#27ae60", "#27ae60"]),
    ("Memory Bound", ["#3d9bd6", "#7cc8f5"], ["#2ecc71", "#2ecc71"]),
    ("Compute Inefficient", ["#d55e00", "#ff8a3d"], ["#e74c3c", "#e74c3c"]),
    ("Memory Inefficient", ["#d99000", "#f2bb45"], ["#c0392b", "#c0392b"]),
    ("Normal", ["#0062a3", "#4c9fe6"], ["#2980b9", "#2980b9"]),
    ("Error", ["#6b7480", "#9aa5b1"], ["#6b7480", "#9aa5b1"]),
];

/// Colours of kinds, types, links and series; what comes after them is grey.
pub(super) const SERIES: [Shades; 7] = [
    ["#0072b2", "#4c9fe6"],
    ["#d55e00", "#ff8a3d"],
    ["#009e73", "#22c296"],
    ["#b8558d", "#dd8fbd"],
    ["#d99000", "#f2bb45"],
    ["#3d9bd6", "#7cc8f5"],
    ["#7a7000", "#d9cf4a"],
];
/// The colour of everything after the last.
pub(super) const REST: Shades = ["#6b7480", "#9aa5b1"];

/// What colours mean in one chart.
pub(super) struct Categories {
    /// Names in the order of legends.
    pub(super) names: Vec<String>,
    /// For each point its place among the names.
    pub(super) of: Vec<usize>,
    /// How many points each has.
    pub(super) counts: Vec<usize>,
    shades: Vec<Shades>,
}

impl Categories {
    /// The categories of points.
    pub(super) fn new(points: &[Point<'_>], options: &Options) -> Self {
        if options.colour_by == ColourBy::Status {
            return Self::of_statuses(points, options.palette);
        }
        let name = |point: &Point<'_>| {
            let name = if options.colour_by == ColourBy::Kind { point.kind } else { point.dtype };
            if name.is_empty() { "not said".to_owned() } else { name.to_owned() }
        };
        let mut sums: Vec<(String, f64)> = Vec::new();
        for point in points {
            let (name, time) = (name(point), point.time.unwrap_or(0.0));
            match sums.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sum)) => *sum += time,
                None => sums.push((name, time)),
            }
        }
        sums.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let rest = sums.len().saturating_sub(SERIES.len());
        sums.truncate(SERIES.len());
        let mut names: Vec<String> = sums.into_iter().map(|(name, _)| name).collect();
        let mut shades: Vec<Shades> = SERIES[..names.len()].to_vec();
        let of: Vec<usize> = points
            .iter()
            .map(|point| names.iter().position(|known| *known == name(point)).unwrap_or(SERIES.len()))
            .collect();
        if rest > 0 {
            names.push(format!("{rest} others:"));
            shades.push(REST);
        }
        Self::counted(names, of, shades)
    }

    fn of_statuses(points: &[Point<'_>], palette: Palette) -> Self {
        let last = STATUSES.len() - 1;
        let of =
            |point: &Point<'_>| STATUSES.iter().position(|(name, ..)| *name == point.status).unwrap_or(last);
        let shades = STATUSES.map(|(_, safe, classic)| match palette {
            Palette::Safe => safe,
            Palette::Classic => classic,
        });
        let names = STATUSES.map(|(name, ..)| name.to_owned());
        Self::counted(names.to_vec(), points.iter().map(of).collect(), shades.to_vec())
    }

    fn counted(names: Vec<String>, of: Vec<usize>, shades: Vec<Shades>) -> Self {
        let mut counts = vec![0; names.len()];
        for category in &of {
            if let Some(count) = counts.get_mut(*category) {
                *count += 1;
            }
        }
        Self { names, of, counts, shades }
    }

    /// The rules of its classes, `c0` and so on.
    pub(super) fn rules(&self) -> Vec<Rule> {
        series_rules("c", &self.shades)
    }
}

/// Rules for classes that are numbered.
pub(super) fn series_rules(prefix: &str, shades: &[Shades]) -> Vec<Rule> {
    let rule = |(index, shade): (usize, &Shades)| Rule {
        selector: format!(".{prefix}{index}"),
        shades: shade.map(|colour| format!("fill:{colour};stroke:{colour}")),
    };
    shades.iter().enumerate().map(rule).collect()
}

/// What a class looks like on a light and on a dark page.
pub(super) struct Rule {
    selector: String,
    shades: [String; 2],
}

/// Ink and paper: the class, then what it is on a light and on a dark page.
const INK: [(&str, &str, &str); 18] = [
    (".back", "fill:#ffffff", "fill:#14181d"),
    ("text", "fill:#1b1f24", "fill:#e4e8ed"),
    (".quiet", "fill:#5a6470", "fill:#9aa5b1"),
    (".grid", "stroke:#e1e5ea", "stroke:#2b333c"),
    (".minor", "stroke:#f1f3f5", "stroke:#1d232a"),
    (".frame", "stroke:#b9c1ca", "stroke:#4a5561"),
    (".band", "fill:#f4f6f8", "fill:#1b2027"),
    (".roof", "stroke:#1b1f24", "stroke:#e4e8ed"),
    (".cache", "stroke:#5a6470", "stroke:#9aa5b1"),
    (".ceiling", "stroke:#1b1f24", "stroke:#e4e8ed"),
    (".beyond", "stroke:#9aa5b1", "stroke:#5d6874"),
    (".knee", "fill:#ffffff;stroke:#1b1f24", "fill:#14181d;stroke:#e4e8ed"),
    (".arrow", "stroke:#8a4a6d", "stroke:#dd8fbd"),
    (".ring", "stroke:#c0267e", "stroke:#ff7cc4"),
    (".leader", "stroke:#7c8794", "stroke:#7c8794"),
    (".label,.along", "stroke:#ffffff", "stroke:#14181d"),
    (".full", "stroke:#ffffff", "stroke:#14181d"),
    (".outline", "stroke:#1b1f24", "stroke:#ffffff"),
];

/// Everything that is the same on both pages.
const FORMS: &str = ".strong{font-weight:600;font-size:15px}.small{font-size:10px}.axis{font-size:11px;font-weight:600}\
.grid,.minor,.frame,.leader{fill:none;stroke-width:1}.leader{stroke-width:.7}.roof,.ceiling,.cache,.beyond,.arrow,.ring{fill:none}\
.roof,.ceiling{stroke-width:1.9}.cache{stroke-width:1.3;stroke-dasharray:6 4}.beyond{stroke-width:1.2;stroke-dasharray:2 3}.knee{stroke-width:1.4}\
.arrow{stroke-width:1.2;stroke-dasharray:3 2}.head{stroke-dasharray:none}.ring{stroke-width:1.4}.thin{stroke-width:.9}.outline{fill:none;stroke-width:1.3}\
.label,.along{font-size:10.5px;paint-order:stroke;stroke-width:3;stroke-linejoin:round;stroke-opacity:.85}\
.m{stroke-width:1.1;stroke-linejoin:round}.full{stroke-width:.8}.half{fill-opacity:.3}.hollow{fill-opacity:.05;stroke-width:1.7}\
.open{fill-opacity:0;stroke-width:1.2;stroke-dasharray:2 1.5}.series{stroke-width:1.8}.limit{stroke-width:1.5;fill:none}.protocol{stroke-width:1.2;stroke-dasharray:5 4;fill:none}";

/// The style of a drawing. `scope` stands before every selector, so that it concerns nothing else on a page.
pub(super) fn style(theme: Theme, rules: &[Rule], scope: &str) -> String {
    let sheet = |dark: usize, scope: &str| -> String {
        let ink = INK.iter().map(|(selector, light, dim)| (*selector, if dark == 0 { *light } else { *dim }));
        let coloured = rules.iter().map(|rule| (rule.selector.as_str(), rule.shades[dark].as_str()));
        // Ink comes last: a full mark is edged with paper.
        coloured.chain(ink).map(|(selector, declared)| scoped(selector, declared, scope)).collect()
    };
    let forms: String = FORMS
        .split_inclusive('}')
        .filter_map(|rule| rule.trim_end_matches('}').split_once('{'))
        .map(|(selector, declared)| scoped(selector, declared, scope))
        .collect();
    match theme {
        Theme::Light => format!("{}{forms}", sheet(0, scope)),
        Theme::Dark => format!("{}{forms}", sheet(1, scope)),
        Theme::Auto if scope.is_empty() => {
            format!("{}\n@media(prefers-color-scheme:dark){{{}}}\n{forms}", sheet(0, ""), sheet(1, ""))
        }
        // A page may let its reader choose, with the attribute `data-theme`.
        Theme::Auto => format!(
            "{}\n@media(prefers-color-scheme:dark){{{}}}\n{}\n{forms}",
            sheet(0, scope),
            sheet(1, &format!(":root:not([data-theme=light]) {scope}")),
            sheet(1, &format!(":root[data-theme=dark] {scope}")),
        ),
    }
}

fn scoped(selector: &str, declared: &str, scope: &str) -> String {
    let selectors: Vec<String> = selector.split(',').map(|part| format!("{scope}{part}")).collect();
    format!("{}{{{declared}}}", selectors.join(","))
}
