//! What people read: durations, connections, nodes of a tree, and text of a capture that drives no terminal.

mod connection;
mod node;
mod quantity;
mod shown;

pub use connection::{end, role, setup, sides};
pub use node::push_node;
pub use quantity::{counted, digits, duration, span};
pub use shown::{escape_from, push_shown};
