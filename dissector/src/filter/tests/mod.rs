//! Tests of the filter language over hand-made trees.

mod complete;
mod errors;
mod fixture;
mod precedence;
mod properties;
mod times;
mod values;
