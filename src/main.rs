//! The `warpscope` command.
fn main() {}
