//! A connection that breaks rules, and the note of where it does.

use super::super::catalogue::{Made, session_from};
use crate::Result;
use crate::conversation::{Cutting, INITIATOR};
use crate::message::Target;
use crate::scenario::PlannedBreach;
use crate::session::{Agreement, Session};
use warpscope_wire::crc;
use warpscope_wire::mpa::CRC_LENGTH;
use warpscope_wire::rdmap::Message;

/// A connection that breaks rules.
pub(super) struct Case {
    pub(super) session: Session,
    /// Rule, side, and the frame's index in the connection.
    breaches: Vec<(&'static str, usize, usize)>,
}

impl Case {
    /// The next frame, which a side sends, breaks a rule.
    pub(super) fn breaks(&mut self, rule: &'static str, side: usize) {
        self.breaks_later(rule, side, 0);
    }

    /// The frame behind so many further ones breaks a rule.
    pub(super) fn breaks_later(&mut self, rule: &'static str, side: usize, later: usize) {
        let frame = self.session.conversation.frame_count() + later;
        self.breaches.push((rule, side, frame));
    }

    /// Handshake, then setup frames that `request` and `reply` may change.
    pub(super) fn open(
        &mut self,
        agreement: &Agreement,
        request: impl FnOnce(&mut Vec<u8>),
        reply: impl FnOnce(&mut Vec<u8>),
    ) -> Result<()> {
        self.session.conversation.handshake();
        self.session.request(agreement)?;
        self.flush(0, request);
        self.session.reply(agreement)?;
        self.flush(1, reply);
        Ok(())
    }

    /// Sends what waits in a side's stream in one segment, changed.
    pub(super) fn flush(&mut self, side: usize, change: impl FnOnce(&mut Vec<u8>)) {
        let (mut bytes, ends) = self.session.streams[side].take();
        change(&mut bytes);
        self.session.conversation.send(side, &bytes, &ends, &Cutting::Whole);
    }

    /// Sends a message, an FPDU a segment; `change` may change each ULPDU, which it gets with its
    /// index.
    pub(super) fn send_changed(
        &mut self,
        side: usize,
        message: Message,
        target: Target,
        payload: &[u8],
        mut change: impl FnMut(usize, &mut Vec<u8>),
    ) -> Result<()> {
        let ulpdus = self.session.senders[side].ulpdus(message, target, payload)?;
        for (index, mut ulpdu) in ulpdus.into_iter().enumerate() {
            change(index, &mut ulpdu);
            self.session.streams[side].fpdu(&ulpdu)?;
            self.session.flush(side);
        }
        Ok(())
    }

    /// Sends a message as it should be.
    pub(super) fn send(
        &mut self,
        side: usize,
        message: Message,
        target: Target,
        payload: &[u8],
    ) -> Result<()> {
        self.session.send(side, message, target, payload)
    }
}

/// Puts the CRC of the one FPDU in a buffer right again.
pub(super) fn seal(bytes: &mut [u8]) {
    let covered = bytes.len().saturating_sub(CRC_LENGTH);
    let crc = crc::crc32c(&bytes[..covered]);
    bytes[covered..].copy_from_slice(&crc::field_bytes(crc));
}

/// The connections of a capture.
pub(super) struct Cases {
    made: Made,
    port: u16,
}

impl Cases {
    /// Connections from this port on.
    pub(super) fn new(port: u16) -> Self {
        Self { made: Made::default(), port }
    }

    /// A connection of which nothing was sent.
    pub(super) fn new_connection(
        &mut self,
        run: impl FnOnce(&mut Case) -> Result<()>,
    ) -> Result<()> {
        let mut case = Case { session: session_from(self.port), breaches: Vec::new() };
        self.port += 1;
        run(&mut case)?;
        case.session.conversation.close(INITIATOR);
        let (connection, before) = (self.made.connections.len(), self.made.frames.len());
        let planned = case.breaches.into_iter().map(|(rule, side, index)| PlannedBreach {
            rule,
            connection: connection as u32,
            side: side as u8,
            frame: (before + index + 1) as u64,
        });
        self.made.breaches.extend(planned);
        self.made.add(case.session);
        Ok(())
    }

    /// A connection that has agreed.
    pub(super) fn opened(
        &mut self,
        agreement: &Agreement,
        run: impl FnOnce(&mut Case) -> Result<()>,
    ) -> Result<()> {
        self.new_connection(|case| {
            case.session.open(agreement)?;
            run(case)
        })
    }

    /// The capture.
    pub(super) fn made(self) -> Made {
        self.made
    }
}
