//! One module per trace format.

// tidy-alphabetical-start
pub(crate) mod kineto;
// tidy-alphabetical-end
