//! Looks at a capture: `cargo run -p warpscope-tui --example look FILE`. The program itself is `warpscope tui`.

use std::path::PathBuf;
use warpscope_dissector::pipeline::Options;
use warpscope_tui::look::Look;
use warpscope_tui::terminal::{self, TerminalError};
use warpscope_tui::worker::Source;

fn main() -> Result<(), TerminalError> {
    let file = std::env::args_os().nth(1).map(PathBuf::from).unwrap_or_default();
    terminal::run(
        Source::File(file),
        Options::default(),
        Look::default(),
        |_| Vec::new(),
        &mut |_, _| None,
    )?;
    Ok(())
}
