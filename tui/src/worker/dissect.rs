//! Dissects the frames that are on the screen.

use super::command::Command;
use super::replay::Replay;
use super::team::Outbox;
use crate::event::{Event, LinesAsked};
use crate::format::field_text;
use crate::state::MessageRow;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use warpscope_dissector::dissect::FrameView;
use warpscope_dissector::format::push_shown;
use warpscope_dissector::pipeline::Options;
use warpscope_dissector::tree::Value;

/// Lines that are told at a time.
const PART: usize = 64;

/// What is wanted now; newer wishes replace older ones.
#[derive(Debug, Default)]
struct Wishes {
    lines: Option<LinesAsked>,
    tree: Option<u32>,
}

/// Dissects until the session is over.
pub(super) fn run(commands: Receiver<Command>, options: Options, out: &Outbox) {
    let mut replay = Replay::new(options);
    let mut wishes = Wishes::default();
    while !out.stopped() {
        let command = if wishes.lines.is_none() && wishes.tree.is_none() {
            commands.recv().ok()
        } else {
            commands.try_recv().ok()
        };
        match command {
            Some(Command::Store(store)) => replay.open(store),
            Some(Command::Indexed(batch)) => replay.frames.push(&batch),
            Some(Command::Forgotten(first)) => replay.forget(first),
            Some(Command::Checkpoint(next, pipeline)) => replay.checkpoint(next, pipeline),
            Some(Command::Lines(asked)) => wishes.lines = Some(asked),
            Some(Command::Tree(frame)) => wishes.tree = Some(frame),
            Some(Command::Stop) => return,
            Some(_) => {}
            None => {
                // The lines first: they are most of the screen.
                if let Some(asked) = wishes.lines.take() {
                    lines(&mut replay, asked, out);
                } else if let Some(frame) = wishes.tree.take() {
                    tree(&mut replay, frame, out);
                } else {
                    return;
                }
            }
        }
    }
}

fn lines(replay: &mut Replay, asked: LinesAsked, out: &Outbox) {
    let mut view = FrameView::new(!asked.fields.is_empty(), true);
    let mut found = Vec::new();
    let read = replay.visit(&asked.frames, &mut view, &mut |number, view| {
        let mut line = view.line.clone();
        line.info.clear();
        push_shown(&view.line.info, &mut line.info);
        let value = |field: &&'static _| (*field, field_text(&view.tree, field));
        let values = asked.fields.iter().map(value).collect();
        found.push((number, MessageRow { line, values }));
        if found.len() >= PART {
            out.event(Event::Lines(std::mem::take(&mut found), None));
        }
        !out.stopped()
    });
    out.event(Event::Lines(found, Some(asked)));
    if let Err(error) = read {
        out.event(Event::Notice(format!("the frames cannot be read again: {error}")));
    }
}

fn tree(replay: &mut Replay, frame: u32, out: &Outbox) {
    let mut view = FrameView::new(true, false);
    let mut found = None;
    let read = replay.visit(&[frame], &mut view, &mut |_, view| {
        let mut tree = view.tree.clone();
        for node in &mut tree.nodes {
            // What a capture says must not drive the terminal.
            if let Value::Text(text) = &mut node.value {
                let mut shown = String::new();
                push_shown(text, &mut shown);
                *text = shown.into();
            }
            if let Some(note) = &mut node.note {
                let mut shown = String::new();
                push_shown(note, &mut shown);
                *note = shown.into();
            }
        }
        found = Some(Arc::new(tree));
        true
    });
    let answer = match (found, read) {
        (Some(tree), _) => Ok(tree),
        (None, Err(error)) => Err(format!("the frame cannot be read again: {error}")),
        (None, Ok(())) => Err("there is no such frame".to_owned()),
    };
    out.event(Event::Tree(frame, answer));
}
