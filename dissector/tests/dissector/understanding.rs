//! What the messages of the captures mean together: operations, Terminates, exchanges.

mod exchanges;
mod operations;
mod seen;
mod terminates;
