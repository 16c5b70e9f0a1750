//! Values at run time: borrowed ones from the tree, owned ones in the filter.

use super::syntax::Comparison;
use std::cmp::Ordering;

/// An integer as Wireshark computes with it: 32 or 64 bits, with or without sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number {
    /// The bits; of a narrow one only the lower 32.
    pub(super) bits: u64,
    /// 64 bits rather than 32.
    pub(super) wide: bool,
    /// Two's complement.
    pub(super) signed: bool,
}

impl Number {
    /// An unsigned integer.
    pub(super) const fn unsigned(bits: u64, wide: bool) -> Self {
        Self { bits, wide, signed: false }
    }

    /// The number that the bits stand for.
    pub(super) fn mathematical(self) -> i128 {
        match (self.signed, self.wide) {
            (true, true) => i128::from(self.bits as i64),
            (true, false) => i128::from(self.bits as u32 as i32),
            (false, _) => i128::from(self.bits),
        }
    }

    /// The 64 bits that a narrow number becomes beside a wide one.
    fn widened(self) -> u64 {
        self.mathematical() as u64
    }

    /// The order of the bits, read with the sign that the left number has.
    fn order(self, other: Self) -> Ordering {
        let wide = self.wide || other.wide;
        let (left, right) =
            if wide { (self.widened(), other.widened()) } else { (self.bits, other.bits) };
        match (self.signed, wide) {
            (false, _) => left.cmp(&right),
            (true, true) => (left as i64).cmp(&(right as i64)),
            (true, false) => (left as u32 as i32).cmp(&(right as u32 as i32)),
        }
    }
}

/// A value that a test looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operand<'a> {
    Number(Number),
    Boolean(bool),
    /// Bytes, a protocol's bytes or an Ethernet address; a longer one is greater.
    Bytes(&'a [u8]),
    /// Text, usually UTF-8.
    Text(&'a [u8]),
    /// An address and the mask of the bits that count.
    Ipv4 {
        address: u32,
        mask: u32,
    },
    /// An address and the mask of the bits that count.
    Ipv6 {
        address: u128,
        mask: u128,
    },
    /// Nanoseconds.
    Time(i64),
}

impl Operand<'_> {
    /// The order of two values; `None` when their types have none in common.
    pub(super) fn order(self, other: Operand<'_>) -> Option<Ordering> {
        Some(match (self, other) {
            (Self::Number(left), Operand::Number(right)) => left.order(right),
            (Self::Boolean(left), Operand::Boolean(right)) => left.cmp(&right),
            (Self::Bytes(left), Operand::Bytes(right)) => {
                left.len().cmp(&right.len()).then_with(|| left.cmp(right))
            }
            (Self::Text(left), Operand::Text(right)) => left.cmp(right),
            (
                Self::Ipv4 { address: left, mask: first },
                Operand::Ipv4 { address: right, mask: second },
            ) => (left & first & second).cmp(&(right & first & second)),
            (
                Self::Ipv6 { address: left, mask: first },
                Operand::Ipv6 { address: right, mask: second },
            ) => (left & first & second).cmp(&(right & first & second)),
            (Self::Time(left), Operand::Time(right)) => left.cmp(&right),
            _ => return None,
        })
    }

    /// Whether the comparison holds.
    pub(super) fn satisfies(self, comparison: Comparison, other: Operand<'_>) -> bool {
        let Some(order) = self.order(other) else { return false };
        match comparison {
            Comparison::Equal => order.is_eq(),
            Comparison::NotEqual => order.is_ne(),
            Comparison::Greater => order.is_gt(),
            Comparison::GreaterOrEqual => order.is_ge(),
            Comparison::Less => order.is_lt(),
            Comparison::LessOrEqual => order.is_le(),
        }
    }

    /// Whether any bit of the value is set.
    pub(super) fn is_set(self) -> bool {
        match self {
            Self::Number(number) => number.bits != 0,
            Self::Boolean(value) => value,
            Self::Bytes(bytes) | Self::Text(bytes) => bytes.iter().any(|byte| *byte != 0),
            Self::Ipv4 { address, .. } => address != 0,
            Self::Ipv6 { address, .. } => address != 0,
            Self::Time(nanoseconds) => nanoseconds != 0,
        }
    }

    /// Hands on the value as bytes.
    pub(super) fn with_bytes<R>(self, use_bytes: impl FnOnce(&[u8]) -> R) -> R {
        match self {
            Self::Bytes(bytes) | Self::Text(bytes) => use_bytes(bytes),
            Self::Ipv4 { address, .. } => use_bytes(&address.to_be_bytes()),
            Self::Ipv6 { address, .. } => use_bytes(&address.to_be_bytes()),
            Self::Number(_) | Self::Boolean(_) | Self::Time(_) => use_bytes(&[]),
        }
    }

    /// A copy that does not borrow.
    pub(super) fn keep(self) -> Constant {
        match self {
            Self::Number(number) => Constant::Number(number),
            Self::Boolean(value) => Constant::Boolean(value),
            Self::Bytes(bytes) => Constant::Bytes(bytes.to_vec()),
            Self::Text(text) => Constant::Text(text.to_vec()),
            Self::Ipv4 { address, mask } => Constant::Ipv4 { address, mask },
            Self::Ipv6 { address, mask } => Constant::Ipv6 { address, mask },
            Self::Time(nanoseconds) => Constant::Time(nanoseconds),
        }
    }
}

/// A value that the filter holds itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Constant {
    Number(Number),
    Boolean(bool),
    Bytes(Vec<u8>),
    Text(Vec<u8>),
    Ipv4 { address: u32, mask: u32 },
    Ipv6 { address: u128, mask: u128 },
    Time(i64),
}

impl Constant {
    /// The value, borrowed.
    pub(super) fn operand(&self) -> Operand<'_> {
        match self {
            Self::Number(number) => Operand::Number(*number),
            Self::Boolean(value) => Operand::Boolean(*value),
            Self::Bytes(bytes) => Operand::Bytes(bytes),
            Self::Text(text) => Operand::Text(text),
            Self::Ipv4 { address, mask } => Operand::Ipv4 { address: *address, mask: *mask },
            Self::Ipv6 { address, mask } => Operand::Ipv6 { address: *address, mask: *mask },
            Self::Time(nanoseconds) => Operand::Time(*nanoseconds),
        }
    }
}
