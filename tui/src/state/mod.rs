//! The state of the UI. Nothing here uses a terminal, a clock or a thread.
//!
//! [`State`] holds the capture's index and tables ([`Capture`]), and the state of each view, one file
//! per view. The reducers are in [`crate::update`].

mod app;
mod columns;
mod editor;
mod flows;
mod graph;
mod messages;
mod passing;
mod rows;
mod settings;
mod statistics;
mod stream;
mod tree;

pub use app::{
    Capture, HeldEvents, Mode, Notice, Opened, OwnLook, Place, RunEntry, RunView, State,
};
use columns::table_columns;
pub use columns::{
    Choice, Columns, FieldsView, MESSAGE_COLUMNS, MOST_FIELDS, MessageColumn, TableColumn,
    TableView,
};
pub use editor::{Editor, FieldPrompt, FilterBar, PaletteView, SearchBar};
pub use flows::{FLOW_COLUMNS, FLOW_SORTS, FindingLine, FindingsView, details as flow_details};
pub use graph::{GraphView, Interval, Load, Metric, Span};
pub use messages::{
    CALL_COLUMNS, CALL_SORTS, Density, MessagesView, OPERATION_COLUMNS, OPERATION_SORTS,
    TimeDisplay,
};
pub use passing::Passing;
pub use rows::{Cursor, Rows};
pub use settings::Settings;
pub use statistics::StatisticsView;
pub use stream::StreamView;
pub use tree::{LadderLine, LadderView, ROW as BYTES_IN_ROW, TreePane, frames_text};
