//! Words: quantities, the title, help, and what is copied and exported.

mod column;
mod copy;
mod export;
mod help;
mod quantity;
mod tree;

pub use column::{column_head, field_text};
pub use copy::{row_text, row_words, tree_text, value_text};
pub use export::{export_name, exported};
pub use help::{help, tabs};
pub use quantity::{
    counted, duration, end, octets, push_shown, role, seconds, some, span, wrap, wrap_line,
};
pub use tree::node_text;
