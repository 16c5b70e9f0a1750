//! What the UI knows and shows. Nothing here knows a terminal, a clock or a thread.
//!
//! [`State`] holds the capture's index and tables ([`Capture`]), and what each view shows of them, a file
//! a view. What changes them is in [`crate::update`].

mod app;
mod calls;
mod capture;
mod columns;
mod cursor;
mod demand;
mod editor;
mod fields;
mod filter;
mod findings;
mod flows;
pub mod index;
mod kept;
mod ladder;
mod messages;
mod operations;
mod palette;
mod prompt;
mod rows;
mod run;
mod search;
mod statistics;
mod table;
mod text;
mod tree;
mod view;

pub use app::{Held, Mode, Notice, Place, State};
pub use calls::{CALL_COLUMNS, CALL_SORTS, CallColumn};
pub use capture::Capture;
pub use columns::{Choice, Columns, MESSAGE_COLUMNS, MOST_FIELDS, MessageColumn};
pub use cursor::Cursor;
pub use editor::Editor;
pub use fields::FieldsView;
pub use filter::FilterBar;
pub use findings::{FindingLine, FindingsView};
pub use flows::{FLOW_COLUMNS, FLOW_SORTS, FlowColumn, details as flow_details};
pub use ladder::{LadderLine, LadderView, frames_text};
pub use messages::{Density, MessageRow, MessagesView};
pub use operations::{OPERATION_COLUMNS, OPERATION_SORTS, OperationColumn};
pub use palette::PaletteView;
pub use prompt::FieldPrompt;
pub use rows::Rows;
pub use run::{RunEntry, RunView};
pub use search::SearchBar;
pub use statistics::StatisticsView;
pub use table::TableView;
pub use text::{Piece, TextLine, piece};
pub use tree::{ROW as BYTES_IN_ROW, TreePane};
pub use view::{Pane, View};
