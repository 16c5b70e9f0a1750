//! Numbers that are known or will be known when the instance runs, and bytes.

use std::fmt;

/// Which side a buffer belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Side {
    /// The target's: it was registered there by an order.
    Target,
    /// The runner's own.
    Local,
}

/// A buffer by its name in the case.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Region {
    pub(crate) side: Side,
    /// Its name under `buffers`.
    pub(crate) name: String,
}

/// A property of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Aspect {
    SteeringTag,
    /// The Tagged Offset of its first byte.
    Base,
    Length,
    /// The Tagged Offset after its last byte.
    End,
}

/// A property of the stream that a step is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum StreamAspect {
    /// The longest ULPDU that fits a TCP segment (MULPDU), in bytes.
    Mulpdu,
    /// The MSN of the next message on queue 0.
    NextMessageSequenceNumber,
    /// The MSN of the target's first request on queue 1: 2 after a Read as indication, else 1.
    FirstRequest,
    /// The IRD that the target granted.
    InboundDepth,
    /// The ORD that the target named.
    OutboundDepth,
}

/// A number that is known when the instance runs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Variable {
    Region(Region, Aspect),
    Stream(StreamAspect),
    /// A value that a step bound or set: `$name`.
    Bound(String),
}

impl fmt::Display for Variable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Region(region, aspect) => {
                let side = if region.side == Side::Target { "target" } else { "local" };
                let aspect = match aspect {
                    Aspect::SteeringTag => "stag",
                    Aspect::Base => "base",
                    Aspect::Length => "length",
                    Aspect::End => "end",
                };
                write!(formatter, "${side}.{}.{aspect}", region.name)
            }
            Self::Stream(aspect) => formatter.write_str(match aspect {
                StreamAspect::Mulpdu => "$stream.mulpdu",
                StreamAspect::NextMessageSequenceNumber => "$stream.next_msn",
                StreamAspect::FirstRequest => "$stream.first_request",
                StreamAspect::InboundDepth => "$stream.ird",
                StreamAspect::OutboundDepth => "$stream.ord",
            }),
            Self::Bound(name) => write!(formatter, "${name}"),
        }
    }
}

/// An operation on two numbers, modulo 2^64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    Subtract,
    Multiply,
    /// `/`; division by 0 gives 0.
    Divide,
    /// `%`; the remainder by 0 is 0.
    Remainder,
}

impl Operator {
    fn of(self, left: u64, right: u64) -> u64 {
        match self {
            Self::Add => left.wrapping_add(right),
            Self::Subtract => left.wrapping_sub(right),
            Self::Multiply => left.wrapping_mul(right),
            Self::Divide => left.checked_div(right).unwrap_or(0),
            Self::Remainder => left.checked_rem(right).unwrap_or(0),
        }
    }
}

/// A number, or how to get it when the instance runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Known(u64),
    Of(Variable),
    Both(Box<Value>, Operator, Box<Value>),
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoValue {
    #[error("{0} has no value")]
    Unbound(Variable),
    #[error("{0} bytes are too many; is a length below zero?")]
    TooLong(u64),
}

/// The maximum length of a pattern, in bytes.
const LONGEST_PATTERN: u64 = 1 << 30;

impl Value {
    /// Returns the result of an operation on two values, which is computed at once if both are known.
    pub(crate) fn both(left: Self, operator: Operator, right: Self) -> Self {
        match (&left, &right) {
            (Self::Known(left), Self::Known(right)) => Self::Known(operator.of(*left, *right)),
            _ => Self::Both(Box::new(left), operator, Box::new(right)),
        }
    }

    /// Returns the number, if it is known before the run.
    pub(crate) fn known(&self) -> Option<u64> {
        match self {
            Self::Known(number) => Some(*number),
            Self::Of(_) | Self::Both(..) => None,
        }
    }

    /// Returns the number with these values of the variables.
    pub(crate) fn evaluate(&self, of: &dyn Fn(&Variable) -> Option<u64>) -> Result<u64, NoValue> {
        match self {
            Self::Known(number) => Ok(*number),
            Self::Of(variable) => of(variable).ok_or_else(|| NoValue::Unbound(variable.clone())),
            Self::Both(left, operator, right) => {
                Ok(operator.of(left.evaluate(of)?, right.evaluate(of)?))
            }
        }
    }
}

/// The pattern of generated bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pattern {
    /// Every byte is the seed.
    Constant,
    /// The seed, incremented from byte to byte.
    Counting,
    /// The highest byte of (seed + place) * 0x9E3779B1, modulo 2^32.
    Mixed,
}

impl Pattern {
    pub(crate) fn byte(self, seed: u32, index: u32) -> u8 {
        let sum = seed.wrapping_add(index);
        let [first, .., last] = match self {
            Self::Constant => seed.to_be_bytes(),
            Self::Counting => sum.to_be_bytes(),
            Self::Mixed => sum.wrapping_mul(0x9E37_79B1).to_be_bytes(),
        };
        if self == Self::Mixed { first } else { last }
    }
}

/// Bytes, or how to get them when the instance runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Bytes {
    These(Vec<u8>),
    Pattern {
        pattern: Pattern,
        seed: Value,
        length: Value,
    },
    Bound(String),
    /// Several, one after the other.
    Joined(Vec<Bytes>),
}

impl Bytes {
    pub(crate) fn none() -> Self {
        Self::These(Vec::new())
    }

    /// Returns the bytes with these values of the variables.
    pub(crate) fn evaluate(
        &self,
        of: &dyn Fn(&Variable) -> Option<u64>,
        bytes_of: &dyn Fn(&str) -> Option<Vec<u8>>,
    ) -> Result<Vec<u8>, NoValue> {
        match self {
            Self::These(bytes) => Ok(bytes.clone()),
            Self::Pattern { pattern, seed, length } => {
                let seed = u32::try_from(seed.evaluate(of)? & 0xFFFF_FFFF).unwrap_or(0);
                let length = length.evaluate(of)?;
                let length = u32::try_from(length)
                    .ok()
                    .filter(|it| u64::from(*it) <= LONGEST_PATTERN)
                    .ok_or(NoValue::TooLong(length))?;
                Ok((0..length).map(|index| pattern.byte(seed, index)).collect())
            }
            Self::Bound(name) => {
                bytes_of(name).ok_or_else(|| NoValue::Unbound(Variable::Bound(name.clone())))
            }
            Self::Joined(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.extend(part.evaluate(of, bytes_of)?);
                }
                Ok(all)
            }
        }
    }

    /// Returns the number of bytes, if it is known.
    pub(crate) fn length(&self) -> Option<u64> {
        match self {
            Self::These(bytes) => u64::try_from(bytes.len()).ok(),
            Self::Pattern { length, .. } => length.known(),
            Self::Bound(_) => None,
            Self::Joined(parts) => parts.iter().map(Self::length).sum(),
        }
    }
}
