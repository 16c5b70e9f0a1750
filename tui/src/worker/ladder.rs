//! Draws up the ladder of a flow, and writes frames to files.

use super::command::Command;
use super::replay::Replay;
use super::team::Outbox;
use super::write;
use crate::event::Event;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use warpscope_dissector::ladder::{Builder, Selection};
use warpscope_dissector::pipeline::Options;

/// The most rows of a ladder; how many there are beyond is told.
const MOST_ROWS: usize = 20_000;

/// Draws up ladders until the session is over.
pub(super) fn run(commands: Receiver<Command>, options: Options, out: &Outbox) {
    let mut replay = Replay::new(options);
    while let Ok(command) = commands.recv() {
        match command {
            Command::Store(store) => replay.open(store),
            Command::Indexed(batch) => replay.frames.push(&batch),
            Command::Forgotten(first) => replay.forget(first),
            Command::Ladder(flow) => {
                let selection =
                    Selection { connection: flow, frames: 0..=u64::MAX, most: MOST_ROWS };
                let mut builder = Builder::new(selection);
                match replay.run(&mut builder, &mut || !out.stopped()) {
                    Ok(true) => {
                        out.event(Event::Ladder(flow, builder.finish().map(Arc::new)));
                    }
                    Ok(false) => return,
                    Err(error) => {
                        out.event(Event::Notice(format!("the ladder cannot be drawn: {error}")));
                        out.event(Event::Ladder(flow, None));
                    }
                }
            }
            Command::Write(name, frames) => {
                out.event(match write::frames(&mut replay, &frames, name.as_ref()) {
                    Ok(written) => Event::Written(format!("{written} frames written to {name}")),
                    Err(error) => Event::Notice(format!("{name} cannot be written: {error}")),
                });
            }
            Command::Stop => return,
            _ => {}
        }
    }
}
