//! Traffic by conversation, party and time, as tshark's `conv`, `endpoints` and `io,stat` count it.

use crate::item::PacketItem;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::IpAddr;

/// A number of frames and their bytes on the wire.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, derive_more::AddAssign)]
pub struct Amount {
    /// Frames.
    pub frames: u64,
    /// Bytes.
    pub bytes: u64,
}

impl std::ops::Add for Amount {
    type Output = Self;
    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

/// Between what kind of parties conversations are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Between {
    /// The ends of TCP connections.
    Tcp,
    /// IPv4 addresses.
    Ipv4,
    /// IPv6 addresses.
    Ipv6,
}

/// An address, with the port for TCP.
pub type Party = (IpAddr, Option<u16>);

/// Traffic between two parties.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    /// The two parties; the one that sent the first frame comes first.
    pub parties: [Party; 2],
    /// What each party sent.
    pub sent: [Amount; 2],
    /// Nanoseconds from the capture's first frame to the conversation's first and last frame.
    pub times: [i64; 2],
}

impl Conversation {
    /// Counts a frame of `bytes` bytes that a party sent `time` nanoseconds after the capture's first frame.
    pub fn count(&mut self, sender: Party, bytes: u64, time: i64) {
        let side = usize::from(self.parties[0] != sender);
        self.sent[side] += Amount { frames: 1, bytes };
        self.times = [self.times[0].min(time), self.times[1].max(time)];
    }

    /// Returns what both parties sent.
    pub fn total(&self) -> Amount {
        self.sent[0] + self.sent[1]
    }
}

/// Traffic sent and received by one party.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartyTraffic {
    /// The party.
    pub party: Party,
    /// What it sent.
    pub sent: Amount,
    /// What it received.
    pub received: Amount,
}

/// Counts frames by their two parties.
#[derive(Debug)]
pub struct Traffic {
    between: Between,
    first_time: Option<i64>,
    /// Positions by parties and the number of their connection.
    places: HashMap<([Party; 2], Option<u32>), usize>,
    conversations: Vec<Conversation>,
    parties: HashMap<Party, usize>,
    traffic: Vec<PartyTraffic>,
    /// Source, destination, connection, bytes and time of the current frame.
    frame: Option<(Party, Party, Option<u32>, u64, i64)>,
}

impl Traffic {
    /// Creates a counter without frames.
    pub fn new(between: Between) -> Self {
        Self {
            between,
            first_time: None,
            places: HashMap::new(),
            conversations: Vec::new(),
            parties: HashMap::new(),
            traffic: Vec::new(),
            frame: None,
        }
    }

    /// Takes the next frame; it counts once [`Self::count`] is called.
    pub fn packet(&mut self, item: &PacketItem<'_>) {
        let time = item.frame.time.unwrap_or(0);
        let first = *self.first_time.get_or_insert(time);
        let ends = match (self.between, &item.packet.tcp, item.packet.addresses) {
            (Between::Tcp, Some(segment), _) => Some([segment.source, segment.destination])
                .map(|ends| ends.map(|end| (end.address, Some(end.port)))),
            (Between::Ipv4, _, Some((one, other))) if one.is_ipv4() => {
                Some([one, other]).map(|ends| ends.map(|end| (end, None)))
            }
            (Between::Ipv6, _, Some((one, other))) if one.is_ipv6() => {
                Some([one, other]).map(|ends| ends.map(|end| (end, None)))
            }
            _ => None,
        };
        let connection = item.tcp.map(|tcp| tcp.stream).filter(|_| self.between == Between::Tcp);
        let bytes = item.frame.original_length.into();
        self.frame =
            ends.map(|[source, to]| (source, to, connection, bytes, time.saturating_sub(first)));
    }

    /// Counts the last frame that was taken.
    pub fn count(&mut self) {
        let Some((source, to, connection, bytes, time)) = self.frame.take() else { return };
        let amount = Amount { frames: 1, bytes };
        let pair = if source < to { [source, to] } else { [to, source] };
        let next = self.conversations.len();
        let place = *self.places.entry((pair, connection)).or_insert(next);
        if place == next {
            let (sent, times) = ([Amount::default(); 2], [time; 2]);
            self.conversations.push(Conversation { parties: [source, to], sent, times });
        }
        if let Some(conversation) = self.conversations.get_mut(place) {
            conversation.count(source, bytes, time);
        }
        for (party, sent) in [(source, true), (to, false)] {
            let next = self.traffic.len();
            let place = *self.parties.entry(party).or_insert(next);
            if place == next {
                let (sent, received) = (Amount::default(), Amount::default());
                self.traffic.push(PartyTraffic { party, sent, received });
            }
            if let Some(traffic) = self.traffic.get_mut(place) {
                *(if sent { &mut traffic.sent } else { &mut traffic.received }) += amount;
            }
        }
    }

    /// Returns the conversations, those with the most frames first.
    pub fn conversations(&self) -> Vec<Conversation> {
        let mut all = self.conversations.clone();
        all.sort_by_key(|it| Reverse(it.total().frames));
        all
    }

    /// Returns the parties, those with the most frames first.
    pub fn parties(&self) -> Vec<PartyTraffic> {
        let mut all = self.traffic.clone();
        all.sort_by_key(|it| Reverse((it.sent + it.received).frames));
        all
    }
}
