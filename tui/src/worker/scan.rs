//! Looks at every frame for the display filter, or for a search.

use super::command::Command;
use super::replay::Replay;
use super::team::Outbox;
use crate::event::{Event, Matched, ScanKind, Wanted};
use std::io;
use std::sync::mpsc::Receiver;
use warpscope_dissector::dissect::FrameView;
use warpscope_dissector::pipeline::Options;

/// Frames looked at before the first answer, and before each later one.
const PARTS: (u32, u32) = (128, 2048);

/// A question, and how far its answer is.
struct Scan {
    question: u64,
    wanted: Wanted,
    next: u32,
    part: u32,
}

/// Scans until the session is over.
pub(super) fn run(kind: ScanKind, commands: Receiver<Command>, options: Options, out: &Outbox) {
    let mut replay = Replay::new(options);
    let mut scan: Option<Scan> = None;
    while !out.stopped() {
        let busy = scan.as_ref().is_some_and(|scan| scan.next <= replay.frames.count());
        let command = if busy { commands.try_recv().ok() } else { commands.recv().ok() };
        match command {
            Some(Command::Store(store)) => replay.open(store),
            Some(Command::Indexed(batch)) => replay.frames.push(&batch),
            Some(Command::Forgotten(first)) => replay.forget(first),
            Some(Command::Scan(question, wanted)) => {
                scan = wanted.map(|wanted| Scan { question, wanted, next: 1, part: PARTS.0 });
            }
            Some(Command::Stop) => return,
            Some(_) => {}
            None => {
                let Some(running) = &mut scan else { return };
                if !busy {
                    return;
                }
                running.next = running.next.max(replay.frames.first());
                let upto = running.next.saturating_add(running.part - 1).min(replay.frames.count());
                let looked = look(&mut replay, running, upto);
                let frames = looked.unwrap_or_else(|error| {
                    out.event(Event::Notice(format!("the scan stopped: {error}")));
                    Vec::new()
                });
                let question = running.question;
                out.event(Event::Matched(Matched { kind, question, frames, upto }));
                running.next = upto.saturating_add(1);
                running.part = PARTS.1.min(running.part * 2);
            }
        }
    }
}

/// The frames that fit, up to one.
fn look(replay: &mut Replay, scan: &Scan, upto: u32) -> io::Result<Vec<u32>> {
    let mut found = Vec::new();
    if let Wanted::Bytes(wanted) = &scan.wanted {
        for number in scan.next..=upto {
            let bytes = replay.bytes(number)?;
            if !wanted.is_empty() && bytes.windows(wanted.len()).any(|window| window == wanted) {
                found.push(number);
            }
        }
        return Ok(found);
    }
    let frames: Vec<u32> = (scan.next..=upto).collect();
    let tree = matches!(scan.wanted, Wanted::Filter(_));
    let mut view = FrameView::new(tree, !tree);
    replay.visit(&frames, &mut view, &mut |number, view| {
        let fits = match &scan.wanted {
            Wanted::Filter(filter) => filter.matches(&view.tree),
            Wanted::Text(regex) => {
                let line = &view.line;
                regex.is_match(&line.info)
                    || regex.is_match(&line.source)
                    || regex.is_match(&line.destination)
                    || regex.is_match(line.protocol)
            }
            Wanted::Bytes(_) => false,
        };
        if fits {
            found.push(number);
        }
        true
    })?;
    Ok(found)
}
