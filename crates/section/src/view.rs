//! Which view of the page shows what a section is about.

/// Sections by id, each with its view. What is not here is in the list of all sections alone.
pub const VIEWS: [(&str, &str); 17] = [
    // tidy-alphabetical-start
    ("call-tree", "kernels"),
    ("collectives", "communication"),
    ("comm-overlap", "communication"),
    ("comm-roofline", "communication"),
    ("compile-time", "compile"),
    ("critical-path", "timeline"),
    ("diff", "compare"),
    ("fusion", "compile"),
    ("graph-breaks", "compile"),
    ("idle-causes", "timeline"),
    ("idle-time", "timeline"),
    ("kernels", "kernels"),
    ("launch-stats", "timeline"),
    ("memory", "memory"),
    ("recompiles", "compile"),
    ("roofline", "roofline"),
    ("stragglers", "communication"),
    // tidy-alphabetical-end
];

/// The view of a section.
pub fn view_of(section: &str) -> Option<&'static str> {
    VIEWS.iter().find(|(id, _)| *id == section).map(|(_, view)| *view)
}
