//! Handmade arguments and results.
