//! What a user can do: a table of actions, and the keys that ask for them.

mod key;
mod table;

pub use key::Key;
pub use table::{Action, Binding, Scope, all, find, for_key};
