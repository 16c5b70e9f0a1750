//! The connections of a capture, by their ends.

use super::connection::Connection;
use crate::link::{Endpoint, TcpSegment};
use std::collections::HashMap;

/// The most connections that are followed at once; one that has been idle makes room.
const CONNECTIONS: usize = 20_000;

/// A connection in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionIndex(usize);

/// The connections being followed.
#[derive(Debug, Clone, Default)]
pub struct ConnectionTable {
    by_ends: HashMap<(Endpoint, Endpoint), usize, foldhash::fast::RandomState>,
    /// Each with whether it had a segment since the hand passed it.
    connections: Vec<(bool, Connection)>,
    numbers: u32,
    /// Where the search for an idle connection goes on.
    hand: usize,
    /// The connection of the last segment: the next one is often of the same.
    last: Option<((Endpoint, Endpoint), usize)>,
}

impl ConnectionTable {
    /// Finds the connection of a segment, or begins one. Returns as well the connection that had
    /// to go for it: the same ends were used again, or the table was full.
    pub fn find(&mut self, segment: &TcpSegment<'_>) -> (ConnectionIndex, Option<Connection>) {
        let (one, other) = (segment.source, segment.destination);
        let ends = if one < other { (one, other) } else { (other, one) };
        let known = match self.last {
            Some((last, index)) if last == ends => Some(index),
            _ => self.by_ends.get(&ends).copied(),
        };
        if let Some(index) = known {
            self.last = Some((ends, index));
            let (used, connection) = &mut self.connections[index];
            *used = true;
            if !connection.reused_by(segment) {
                return (ConnectionIndex(index), None);
            }
            let begun = Connection::new(self.numbers, segment);
            self.numbers += 1;
            return (ConnectionIndex(index), Some(std::mem::replace(connection, begun)));
        }
        let begun = Connection::new(self.numbers, segment);
        self.numbers += 1;
        let mut gone = None;
        let index = if self.connections.len() < CONNECTIONS {
            self.connections.push((true, begun));
            self.connections.len() - 1
        } else {
            let index = self.idle();
            let (_, old) = std::mem::replace(&mut self.connections[index], (true, begun));
            let [one, other] = old.info.ends;
            self.by_ends.remove(&if one < other { (one, other) } else { (other, one) });
            gone = Some(old);
            index
        };
        self.by_ends.insert(ends, index);
        self.last = Some((ends, index));
        (ConnectionIndex(index), gone)
    }

    /// A connection without a segment for a while: the hand goes round and gives each one that had a
    /// segment a second chance.
    fn idle(&mut self) -> usize {
        loop {
            self.hand = (self.hand + 1) % CONNECTIONS;
            match self.connections.get_mut(self.hand) {
                Some((used @ true, _)) => *used = false,
                _ => return self.hand.min(self.connections.len().saturating_sub(1)),
            }
        }
    }

    /// A connection that was found.
    pub fn get_mut(&mut self, found: ConnectionIndex) -> &mut Connection {
        &mut self.connections[found.0].1
    }

    /// Every connection being followed, in the order of its number.
    pub fn all(&mut self) -> Vec<&mut Connection> {
        let mut all: Vec<_> = self.connections.iter_mut().map(|(_, each)| each).collect();
        all.sort_by_key(|connection| connection.info.number);
        all
    }

    /// Connections seen so far.
    pub fn seen(&self) -> u32 {
        self.numbers
    }
}
