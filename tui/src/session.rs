//! A state with its workers, without a terminal.

use crate::event::{Effect, Event};
use crate::look::Look;
use crate::render;
use crate::state::State;
use crate::worker::{self, Source, Workers};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use warpscope_dissector::pipeline::Options;

/// A state with its workers.
#[derive(Debug)]
pub struct Session {
    /// The state.
    pub state: State,
    team: Workers,
    events: Receiver<Event>,
    /// Effects for the owner of the terminal, which neither state nor workers can perform.
    pub left: Vec<Effect>,
}

impl Session {
    /// Opens a capture, for a screen of this size in columns and rows.
    ///
    /// # Errors
    /// If the system cannot start threads.
    pub fn open(
        source: Source,
        options: Options,
        size: (u16, u16),
        look: Look,
    ) -> io::Result<Self> {
        let (sender, events): (Sender<Event>, Receiver<Event>) = channel();
        let state = State::new(source.name(), size, look);
        let team = worker::start(source, options, move |event| {
            // The receiver is dropped at the end of the session.
            let _ = sender.send(event);
        })?;
        Ok(Self { state, team, events, left: Vec::new() })
    }

    /// Performs the user's requests, then requests the missing parts of the screen.
    pub fn run(&mut self) {
        for effect in self.state.demand() {
            self.left.extend(self.team.take(effect));
        }
    }

    /// Waits until all requests are answered; false if the workers have ended before.
    pub fn settle(&mut self) -> bool {
        self.run();
        while !self.state.settled() {
            let Ok(event) = self.events.recv() else { return false };
            self.state.take(event);
            self.run();
        }
        true
    }

    /// Returns the current screen.
    pub fn screen(&self) -> Buffer {
        let (columns, rows) = self.state.size;
        let mut buffer = Buffer::empty(Rect::new(0, 0, columns, rows));
        render::draw(&self.state, &mut buffer);
        buffer
    }
}
