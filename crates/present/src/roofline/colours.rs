//! Colors, and what in a drawing has which.
//!
//! Statuses have colors after Okabe and Ito ("Color Universal Design", 2008), some darker or lighter, which people who
//! see few colors can distinguish: in every simulation they are further from each other than the two greens and the two
//! reds of other tools are for anybody (see the test). So those are a choice ([`Palette::Classic`]) and not the default.
//! No color stands alone: how a mark is filled says how near its roof it is, and left or right of the knee says which
//! roof that is.

use super::data::Point;
use super::{ColourBy, Options, Palette, Theme};

/// A color on a light and on a dark page.
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

/// The statuses in the order of legends, with their colors: safe and classic.
pub(super) const STATUSES: [(&str, Shades, Shades); 6] = [
    ("Compute Bound", ["#009e73", "#1fae7a"], ["#27ae60", "#27ae60"]),
    ("Memory Bound", ["#56b4e9", "#9bd8ff"], ["#2ecc71", "#2ecc71"]),
    ("Compute Inefficient", ["#c04a00", "#f0682a"], ["#e74c3c", "#e74c3c"]),
    ("Memory Inefficient", ["#e69f00", "#f5cc55"], ["#c0392b", "#c0392b"]),
    ("Normal", ["#0062a3", "#4c9fe6"], ["#2980b9", "#2980b9"]),
    ("Error", ["#59616b", "#8a929c"], ["#59616b", "#8a929c"]),
];

/// Colors of kinds, types, links and series; what comes after them is gray.
pub(super) const SERIES: [Shades; 7] = [
    ["#0072b2", "#4c9fe6"],
    ["#d55e00", "#ff8a3d"],
    ["#009e73", "#22c296"],
    ["#b8558d", "#dd8fbd"],
    ["#d99000", "#f2bb45"],
    ["#3d9bd6", "#7cc8f5"],
    ["#7a7000", "#d9cf4a"],
];
/// The color of everything after the last.
pub(super) const REST: Shades = ["#6b7480", "#9aa5b1"];

/// What colors mean in one chart.
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

/// The same for texts, whose outline keeps the color of the paper.
pub(super) fn text_rules(prefix: &str, shades: &[Shades]) -> Vec<Rule> {
    let rule = |(index, shade): (usize, &Shades)| Rule {
        selector: format!(".{prefix}{index}"),
        shades: shade.map(|colour| format!("fill:{colour}")),
    };
    shades.iter().enumerate().map(rule).collect()
}

/// What a class looks like on a light and on a dark page.
pub(super) struct Rule {
    selector: String,
    shades: [String; 2],
}

/// Ink and paper: the class, then what it is on a light and on a dark page.
const INK: [(&str, &str, &str); 21] = [
    (".back", "fill:#ffffff", "fill:#14181d"),
    ("text", "fill:#1b1f24", "fill:#e4e8ed"),
    (".quiet", "fill:#5a6470", "fill:#9aa5b1"),
    (".grid", "stroke:#e1e5ea", "stroke:#2b333c"),
    (".minor", "stroke:#f1f3f5", "stroke:#1d232a"),
    (".frame", "stroke:#b9c1ca", "stroke:#4a5561"),
    (".band", "fill:#f4f6f8", "fill:#1b2027"),
    (".within", "fill:#e9f2ea", "fill:#1c2a22"),
    (".roof", "stroke:#1b1f24", "stroke:#e4e8ed"),
    (".cache", "stroke:#5a6470", "stroke:#9aa5b1"),
    (".ceiling", "stroke:#1b1f24", "stroke:#e4e8ed"),
    (".beyond", "stroke:#9aa5b1", "stroke:#5d6874"),
    (".knee", "fill:#ffffff;stroke:#1b1f24", "fill:#14181d;stroke:#e4e8ed"),
    (".arrow", "stroke:#8a4a6d", "stroke:#dd8fbd"),
    (".ring", "stroke:#c0267e", "stroke:#ff7cc4"),
    (".leader", "stroke:#7c8794", "stroke:#7c8794"),
    (".joined", "stroke:#7c8794", "stroke:#8b96a3"),
    (".tiny", "fill:#5a6470;stroke:#ffffff", "fill:#9aa5b1;stroke:#14181d"),
    (".label,.along", "stroke:#ffffff", "stroke:#14181d"),
    (".full", "stroke:#ffffff", "stroke:#14181d"),
    (".outline", "stroke:#1b1f24", "stroke:#ffffff"),
];

/// Everything that is the same on both pages.
const FORMS: &str = ".strong{font-weight:600;font-size:15px}.small{font-size:10px}.axis{font-size:11px;font-weight:600}\
.grid,.minor,.frame,.leader{fill:none;stroke-width:1}.leader{stroke-width:.7}.roof,.ceiling,.cache,.beyond,.arrow,.ring{fill:none}\
.roof,.ceiling{stroke-width:1.9}.unverified{stroke-dasharray:10 5}.cache{stroke-width:1.3;stroke-dasharray:6 4}.beyond{stroke-width:1.2;stroke-dasharray:2 3}.knee{stroke-width:1.4}\
.arrow{stroke-width:1.2;stroke-dasharray:3 2}.head{stroke-dasharray:none}.ring{stroke-width:1.4}.thin{stroke-width:.9}.outline{fill:none;stroke-width:1.3}\
.label,.along{font-size:10.5px;paint-order:stroke;stroke-width:3;stroke-linejoin:round;stroke-opacity:.85}\
.m{stroke-width:1.1;stroke-linejoin:round}.full{stroke-width:.8}.half{fill-opacity:.3}.hollow{fill-opacity:.05;stroke-width:1.7}\
.open{fill-opacity:0;stroke-width:1.2;stroke-dasharray:2 1.5}.level{stroke-dasharray:none}.joined{fill:none;stroke-width:.8}\
.tiny{font-size:8.5px;paint-order:stroke;stroke-width:2.5;stroke-linejoin:round;stroke-opacity:.85}.series{stroke-width:1.8}.limit{stroke-width:1.5;fill:none}.protocol{stroke-width:1.2;stroke-dasharray:5 4;fill:none}";

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

#[cfg(test)]
mod tests {
    use super::*;

    /// What eyes without one kind of cones make of linear red, green and blue: Machado, Oliveira, Fernandes, "A
    /// Physiologically-based Model for Simulation of Color Vision Deficiency", IEEE TVCG 15(6), 2009, severity 1.
    const EYES: [[[f64; 3]; 3]; 4] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [
            [0.152_286, 1.052_583, -0.204_868],
            [0.114_503, 0.786_281, 0.099_216],
            [-0.003_882, -0.048_116, 1.051_998],
        ],
        [
            [0.367_322, 0.860_646, -0.227_968],
            [0.280_085, 0.672_501, 0.047_413],
            [-0.011_820, 0.042_940, 0.968_881],
        ],
        [
            [1.255_528, -0.076_749, -0.178_779],
            [-0.078_411, 0.930_809, 0.147_602],
            [0.004_733, 0.691_367, 0.303_900],
        ],
    ];

    fn times(matrix: &[[f64; 3]; 3], vector: [f64; 3]) -> [f64; 3] {
        matrix.map(|row| row.iter().zip(vector).map(|(a, b)| a * b).sum())
    }

    /// A color in CIELAB (1976) as an eye sees it.
    fn lab(colour: &str, eye: &[[f64; 3]; 3]) -> [f64; 3] {
        let linear = [1, 3, 5].map(|at| {
            let part = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        });
        let seen = times(eye, linear).map(|part| part.clamp(0.0, 1.0));
        let xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]];
        let [x, y, z] = times(&xyz, seen);
        let [x, y, z] = [x / 0.9505, y, z / 1.089]
            .map(|part: f64| if part > 0.008_856 { part.cbrt() } else { 7.787 * part + 16.0 / 116.0 });
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    /// The least distance between two statuses.
    fn nearest(colours: [&str; STATUSES.len()], eye: &[[f64; 3]; 3]) -> f64 {
        let seen = colours.map(|colour| lab(colour, eye));
        let mut least = f64::INFINITY;
        for (index, one) in seen.iter().enumerate() {
            for other in &seen[..index] {
                least = least.min(one.iter().zip(other).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt());
            }
        }
        least
    }

    #[test]
    fn every_eye_tells_statuses_apart_better_than_anybody_does_the_classic_ones() {
        for shade in [0, 1] {
            let safe = STATUSES.map(|(_, safe, _)| safe[shade]);
            let classic = STATUSES.map(|(_, _, classic)| classic[shade]);
            let of_classic = nearest(classic, &EYES[0]);
            for eye in &EYES {
                let of_safe = nearest(safe, eye);
                assert!(of_safe > of_classic, "{of_safe} and {of_classic}");
            }
            // The common forms, which lack the red or the green cones.
            assert!(nearest(safe, &EYES[1]) > 20.0 && nearest(safe, &EYES[2]) > 19.0);
        }
    }
}
