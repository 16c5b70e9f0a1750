//! Connections: which segments belong together, and what is known of each connection.

mod connection;
mod table;

pub use connection::{Connection, ConnectionInfo, SideState, Totals};
pub use table::{ConnectionIndex, ConnectionTable};
