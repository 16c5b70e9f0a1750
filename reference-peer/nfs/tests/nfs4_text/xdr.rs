//! XDR as RFC 4506 has it, for COMPOUNDs: operations that are put together, and results that are read.

/// Operations, with their arguments.
#[derive(Clone, Default)]
pub(crate) struct Ops {
    pub(crate) count: u32,
    pub(crate) bytes: Vec<u8>,
}

impl Ops {
    /// Begins an operation. Its arguments follow.
    pub(crate) fn op(mut self, number: u32) -> Self {
        self.count += 1;
        self.word(number)
    }

    pub(crate) fn word(mut self, value: u32) -> Self {
        self.bytes.extend(value.to_be_bytes());
        self
    }

    pub(crate) fn words(self, values: &[u32]) -> Self {
        values.iter().fold(self, |ops, value| ops.word(*value))
    }

    pub(crate) fn long(mut self, value: u64) -> Self {
        self.bytes.extend(value.to_be_bytes());
        self
    }

    /// Opaque data of fixed length, a multiple of four here.
    pub(crate) fn raw(mut self, value: &[u8]) -> Self {
        self.bytes.extend(value);
        self
    }

    /// Opaque data of variable length: length, bytes, padding.
    pub(crate) fn opaque(mut self, value: &[u8]) -> Self {
        self = self.word(value.len() as u32).raw(value);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self
    }

    /// A bitmap4 with these bits (RFC 8881 section 3.2).
    pub(crate) fn bitmap(self, bits: &[u32]) -> Self {
        let length = bits.iter().map(|bit| bit / 32 + 1).max().unwrap_or(0);
        let of = |word: u32| {
            bits.iter().filter(|bit| *bit / 32 == word).fold(0, |map, bit| map | 1 << (bit % 32))
        };
        (0..length).fold(self.word(length), |ops, word| ops.word(of(word)))
    }

    /// A fattr4: which attributes, and their values (RFC 8881 section 3.3.7).
    pub(crate) fn fattr(self, bits: &[u32], values: &Self) -> Self {
        self.bitmap(bits).opaque(&values.bytes)
    }

    pub(crate) fn stateid(self, stateid: Stateid) -> Self {
        self.word(stateid.seqid).raw(&stateid.other)
    }

    /// These, then others.
    pub(crate) fn then(mut self, others: Self) -> Self {
        self.count += others.count;
        self.raw(&others.bytes)
    }
}

/// A stateid4 (RFC 8881 section 3.3.12).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stateid {
    pub(crate) seqid: u32,
    pub(crate) other: [u8; 12],
}

impl Stateid {
    /// No state (RFC 8881 section 8.2.3), as the next two.
    pub(crate) const ANONYMOUS: Self = Self { seqid: 0, other: [0; 12] };
    pub(crate) const BYPASS: Self = Self { seqid: u32::MAX, other: [0xff; 12] };
    /// The last one that an operation of the COMPOUND returned.
    pub(crate) const CURRENT: Self = Self { seqid: 1, other: [0; 12] };

    /// The same with another seqid.
    pub(crate) fn at(self, seqid: u32) -> Self {
        Self { seqid, ..self }
    }
}

/// The reply to a COMPOUND, read from its start.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    bytes: Vec<u8>,
    at: usize,
    pub(crate) tag: Vec<u8>,
    pub(crate) status: u32,
    /// How many results.
    pub(crate) count: u32,
}

impl Reply {
    /// Of an RPC reply from the XID on (RFC 5531 section 9): accepted, AUTH_NONE, success.
    pub(crate) fn new(xid: u32, bytes: Vec<u8>) -> Self {
        let mut reply = Self { bytes, at: 0, tag: Vec::new(), status: 0, count: 0 };
        assert_eq!(reply.word(), xid, "the XID is the call's");
        for (expected, what) in
            [(1, "REPLY"), (0, "accepted"), (0, "AUTH_NONE"), (0, "its length"), (0, "SUCCESS")]
        {
            assert_eq!(reply.word(), expected, "{what}");
        }
        reply.status = reply.word();
        reply.tag = reply.opaque();
        reply.count = reply.word();
        reply
    }

    pub(crate) fn word(&mut self) -> u32 {
        u32::from_be_bytes(self.raw())
    }

    pub(crate) fn long(&mut self) -> u64 {
        u64::from_be_bytes(self.raw())
    }

    /// A bool, which is 0 or 1.
    pub(crate) fn bool(&mut self) -> bool {
        let word = self.word();
        assert!(word < 2, "{word} is no bool");
        word == 1
    }

    pub(crate) fn raw<const N: usize>(&mut self) -> [u8; N] {
        let found = self.bytes[self.at..].first_chunk().expect("the reply goes on");
        self.at += N;
        *found
    }

    pub(crate) fn opaque(&mut self) -> Vec<u8> {
        let length = self.word() as usize;
        let found = self.bytes[self.at..self.at + length].to_vec();
        let padded = length.next_multiple_of(4);
        assert!(self.bytes[self.at + length..self.at + padded].iter().all(|byte| *byte == 0));
        self.at += padded;
        found
    }

    /// The bits of a bitmap4.
    pub(crate) fn bitmap(&mut self) -> Vec<u32> {
        let length = self.word();
        let words: Vec<u32> = (0..length).map(|_| self.word()).collect();
        (0..length * 32).filter(|bit| words[*bit as usize / 32] >> (bit % 32) & 1 == 1).collect()
    }

    /// A fattr4: bits, and values to be read. All of the values must be read before anything else.
    pub(crate) fn fattr(&mut self) -> Vec<u32> {
        let bits = self.bitmap();
        let length = self.word() as usize;
        assert!(length.is_multiple_of(4) && self.bytes.len() >= self.at + length);
        bits
    }

    pub(crate) fn stateid(&mut self) -> Stateid {
        Stateid { seqid: self.word(), other: self.raw() }
    }

    /// Begins the result of an operation, and has its status.
    pub(crate) fn result(&mut self, number: u32) -> u32 {
        assert_eq!(self.word(), number, "the result is of that operation");
        self.word()
    }

    /// Begins the result of an operation that succeeded.
    pub(crate) fn ok(&mut self, number: u32) -> &mut Self {
        assert_eq!(self.result(number), 0, "operation {number} succeeds");
        self
    }

    /// Nothing follows.
    pub(crate) fn end(&self) {
        assert_eq!(self.at, self.bytes.len(), "the reply ends here");
    }

    /// The results as they came: tag, count and the rest, but not the XID.
    pub(crate) fn results(&self) -> &[u8] {
        &self.bytes[4..]
    }
}
