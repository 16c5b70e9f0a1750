//! The connections of a capture, by their ends.

use super::connection::Connection;
use crate::link::{Endpoint, TcpSegment};
use std::collections::HashMap;

/// The most connections that are followed at once; the one idle for longest makes room.
const CONNECTIONS: usize = 20_000;

/// A connection in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found(usize);

/// The connections being followed.
#[derive(Debug, Default)]
pub struct ConnectionTable {
    by_ends: HashMap<(Endpoint, Endpoint), usize, foldhash::fast::RandomState>,
    connections: Vec<(u64, Connection)>,
    numbers: u32,
    clock: u64,
    /// The connection of the last segment: the next one is often of the same.
    last: Option<((Endpoint, Endpoint), usize)>,
}

impl ConnectionTable {
    /// Finds the connection of a segment, or begins one. Returns as well the connection that had
    /// to go for it: the same ends were used again, or the table was full.
    pub fn find(&mut self, segment: &TcpSegment<'_>) -> (Found, Option<Connection>) {
        let (one, other) = (segment.source, segment.destination);
        let ends = if one < other { (one, other) } else { (other, one) };
        self.clock += 1;
        let known = match self.last {
            Some((last, index)) if last == ends => Some(index),
            _ => self.by_ends.get(&ends).copied(),
        };
        if let Some(index) = known {
            self.last = Some((ends, index));
            let (used, connection) = &mut self.connections[index];
            *used = self.clock;
            if !connection.reused_by(segment) {
                return (Found(index), None);
            }
            let begun = Connection::new(self.numbers, segment);
            self.numbers += 1;
            return (Found(index), Some(std::mem::replace(connection, begun)));
        }
        let begun = Connection::new(self.numbers, segment);
        self.numbers += 1;
        let mut gone = None;
        let index = if self.connections.len() < CONNECTIONS {
            self.connections.push((self.clock, begun));
            self.connections.len() - 1
        } else {
            let index = self.idle_for_longest();
            let (_, old) = std::mem::replace(&mut self.connections[index], (self.clock, begun));
            let [one, other] = old.info.ends;
            self.by_ends.remove(&if one < other { (one, other) } else { (other, one) });
            gone = Some(old);
            index
        };
        self.by_ends.insert(ends, index);
        self.last = Some((ends, index));
        (Found(index), gone)
    }

    fn idle_for_longest(&self) -> usize {
        let idle = self.connections.iter().enumerate().min_by_key(|(_, (used, _))| *used);
        idle.map_or(0, |(index, _)| index)
    }

    /// A connection that was found.
    pub fn get_mut(&mut self, found: Found) -> &mut Connection {
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
