//! The statistics view: what was counted of the whole capture, or of the flow that alone is shown.

mod lines;
mod series;
mod view;

pub use view::StatisticsView;
