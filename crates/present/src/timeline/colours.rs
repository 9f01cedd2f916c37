//! The colours of slices: one for each class, chosen so that people who see few colours can tell them apart
//! (after Okabe and Ito, "Color Universal Design", 2008).

use eaves_analyze::timeline::Class;

/// The colour of a class on a light and on a dark page.
pub(super) fn of(class: Class) -> [&'static str; 2] {
    match class {
        Class::Operator => ["#7fb8e0", "#2f6f9f"],
        Class::Runtime => ["#f0a073", "#a3562a"],
        Class::Python => ["#c9c3e6", "#5d568c"],
        Class::Range => ["#d8dde2", "#454c55"],
        Class::Compute => ["#63c3a0", "#1f7f5f"],
        Class::Communication => ["#d99abf", "#94487a"],
        Class::Memory => ["#f2c14e", "#96711a"],
        Class::Record => ["#bfbfbf", "#6a6a6a"],
        Class::Other => ["#b5cf8f", "#5d7a37"],
    }
}
