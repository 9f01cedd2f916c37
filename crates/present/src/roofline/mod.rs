//! Rooflines as pictures: SVG that is drawn here, and a chart of characters.
//!
//! What is drawn comes from sections alone: a section says which charts its tables can be drawn as, columns are found by
//! their ids, and what a section does not say is not drawn. PNG is painted from the SVG by [`crate::png`].

mod canvas;
mod colours;
pub(crate) mod data;
mod labels;
mod marks;
pub(crate) mod scale;
pub(crate) mod series;
mod svg;

use eaves_section::{Chart, Section};

use crate::terminal::roofline as terminal;

/// Which colors the page has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Dark on white; for paper and PNG.
    Light,
    /// Light on black.
    Dark,
    /// What the system or the page around it prefers. PNG cannot know and is light.
    #[default]
    Auto,
}

/// Meaning of point colors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColourBy {
    /// How well it does.
    #[default]
    Status,
    /// What it is.
    Kind,
    /// What it computes in.
    Dtype,
}

/// The colors of statuses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Palette {
    /// Colors that people who see few colors can distinguish.
    #[default]
    Safe,
    /// Green, red and blue, as NPU tools have them: two greens and two reds differ little, and red from green only for
    /// some.
    Classic,
}

/// How a chart is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Light, dark, or as the reader prefers.
    pub theme: Theme,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels of each chart; charts of several sections stand one above the other.
    pub height: u32,
    /// Meaning of point colors.
    pub colour_by: ColourBy,
    /// The colors of statuses.
    pub palette: Palette,
    /// What the picture is of, such as the name of the input; without it the device is named alone.
    pub title: Option<String>,
}

impl Options {
    /// What differs from the usual, by the names that the page's address has for it.
    pub(crate) fn settings(&self) -> Vec<(&'static str, &'static str)> {
        let theme = match self.theme {
            Theme::Auto => None,
            Theme::Light => Some("light"),
            Theme::Dark => Some("dark"),
        };
        let colour = match self.colour_by {
            ColourBy::Status => None,
            ColourBy::Kind => Some("kind"),
            ColourBy::Dtype => Some("dtype"),
        };
        let palette = match self.palette {
            Palette::Safe => None,
            Palette::Classic => Some("classic"),
        };
        let all = [("theme", theme), ("roofline.colour", colour), ("roofline.palette", palette)];
        all.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            theme: Theme::Auto,
            width: 1100,
            height: 720,
            colour_by: ColourBy::Status,
            palette: Palette::Safe,
            title: None,
        }
    }
}

/// The charts of some sections as one SVG: a `comm-roofline` next to the `roofline` before it, everything else below.
/// Without a section that can be drawn the picture says so.
pub fn svg(sections: &[&Section], options: &Options) -> String {
    svg::render(sections, options)
}

/// True if a section has a chart.
pub fn has_chart(section: &Section) -> bool {
    section.charts.iter().any(|chart| match chart {
        Chart::Roofline { .. } | Chart::Links { .. } => true,
        Chart::Sweep { .. } => series::Sweep::of(section).is_some(),
        Chart::Validation { .. } => svg::validate::Validation::of(section).is_some(),
        Chart::Allocations { .. } | Chart::Breakdown { .. } | Chart::MemoryOverTime { .. } => false,
    })
}

/// The charts of some sections inside a page, if they have any.
pub(crate) fn embedded(sections: &[&Section]) -> Option<String> {
    let has = sections.iter().any(|section| has_chart(section));
    has.then(|| svg::embedded(sections, &Options::default(), true))
}

/// The charts of some sections as lines of characters, none wider than `width`; with the colors of terminals if asked
/// for, which repeat what the characters say.
pub fn terminal_chart(sections: &[&Section], width: usize, colour: bool) -> String {
    let lines = terminal::charts(sections, width);
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    if colour { text } else { terminal::without_colours(&text) }
}
