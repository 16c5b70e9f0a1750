//! Words: quantities, the title, help, and what is copied and exported.

mod help;
mod text;

pub use help::{bytes, fitted, help, seconds, some, tabs, wrap_line};
pub use text::{
    column_head, export_name, exported, field_text, row_text, row_words, tree_text, value_text,
};
