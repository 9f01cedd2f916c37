//! Comparison of operators with matrix products with the tables and traces of TraceLens (AMD-AGI/TraceLens 171dd747).

mod catalogue;
mod nested;
mod tables;
