//! Sets made by hand.
