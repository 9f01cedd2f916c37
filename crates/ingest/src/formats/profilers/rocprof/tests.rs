//! Small files written by hand.
