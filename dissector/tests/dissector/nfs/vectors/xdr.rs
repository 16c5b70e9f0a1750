//! Puts XDR together (RFC 4506): each method appends one item.

use crate::nfs::messages::Message;
use warpscope_dissector::nfs::{Direction, Procedure};

/// Bytes under construction.
#[derive(Clone, Default)]
pub struct Xdr(pub Vec<u8>);

/// No bytes.
pub fn x() -> Xdr {
    Xdr::default()
}

impl Xdr {
    /// Numbers, Booleans and enumerations of 4 bytes.
    pub fn u(mut self, words: &[u32]) -> Self {
        words.iter().for_each(|word| self.0.extend(word.to_be_bytes()));
        self
    }

    /// A number of 8 bytes.
    pub fn h(mut self, number: u64) -> Self {
        self.0.extend(number.to_be_bytes());
        self
    }

    /// Opaque bytes of a fixed length, rounded up.
    pub fn fixed(mut self, bytes: &[u8]) -> Self {
        self.0.extend(bytes);
        self.0.resize(self.0.len().next_multiple_of(4), 0);
        self
    }

    /// Bytes or a string after their length.
    pub fn opaque(self, bytes: &[u8]) -> Self {
        self.u(&[bytes.len() as u32]).fixed(bytes)
    }

    pub fn text(self, text: &str) -> Self {
        self.opaque(text.as_bytes())
    }

    /// What another one holds.
    pub fn with(mut self, other: &Self) -> Self {
        self.0.extend(&other.0);
        self
    }

    /// `bitmap4`: a count and as many words.
    pub fn bitmap(self, words: &[u32]) -> Self {
        self.u(&[words.len() as u32]).u(words)
    }

    /// `fattr4`: a bitmap, and the values after their length.
    pub fn attributes(self, words: &[u32], values: &Self) -> Self {
        self.bitmap(words).opaque(&values.0)
    }

    /// `stateid4`: a sequence number and 12 bytes.
    pub fn state_id(self, sequence: u32) -> Self {
        self.u(&[sequence]).fixed(b"state id 012")
    }

    /// `nfstime4`.
    pub fn time(self, seconds: u64, nanoseconds: u32) -> Self {
        self.h(seconds).u(&[nanoseconds])
    }
}

/// The call and the reply of a procedure.
pub struct Exchange {
    pub name: &'static str,
    pub procedure: Procedure,
    pub arguments: Xdr,
    pub results: Xdr,
}

/// One operation of an NFSv4 compound: number, arguments, and results with the status in front.
pub fn operation(name: &'static str, number: u32, arguments: Xdr, results: Xdr) -> Exchange {
    let status = results.0.first_chunk().map_or(0, |status| u32::from_be_bytes(*status));
    Exchange {
        name,
        procedure: Procedure::nfs(4, 1),
        arguments: x().text("tag").u(&[2, 1, number]).with(&arguments),
        results: x().u(&[status]).text("").u(&[1, number]).with(&results),
    }
}

/// One operation of a callback compound.
pub fn callback(name: &'static str, number: u32, arguments: Xdr, results: Xdr) -> Exchange {
    let forward = operation(name, number, x(), results);
    let procedure = Procedure { program: Procedure::CALLBACK, version: 1, procedure: 1 };
    let arguments = x().text("").u(&[1, 7, 1, number]).with(&arguments);
    Exchange { procedure, arguments, ..forward }
}

impl Exchange {
    /// Call and reply as RPC messages, without credentials.
    pub fn messages(&self, xid: u32) -> [Message; 2] {
        let Procedure { program, version, procedure } = self.procedure;
        let call = x().u(&[xid, 0, 2, program, version, procedure, 0, 0, 0, 0]);
        let reply = x().u(&[xid, 1, 0, 0, 0, 0]);
        [(Direction::Call, call, &self.arguments), (Direction::Reply, reply, &self.results)].map(
            |(direction, header, body)| Message {
                procedure: self.procedure,
                direction,
                body_at: header.0.len(),
                bytes: header.with(body).0,
                whole: true,
                write_chunks: Vec::new(),
                name: self.name,
            },
        )
    }
}
