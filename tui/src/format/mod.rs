//! Words: quantities, the title, help, and what is copied and exported.

mod column;
mod copy;
mod export;
mod help;
mod picture;
mod quantity;

pub use column::{column_head, field_text};
pub use copy::{row_text, row_words, tree_text, value_text};
pub use export::{export_name, exported};
pub use help::{help, tabs};
pub use picture::fitted;
pub use quantity::{bytes, seconds, some, wrap, wrap_line};
