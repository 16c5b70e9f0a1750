//! Which operations the values of a kind support, and what the kind is called in a message.

use super::syntax::Arithmetic;
use crate::field::Kind;

/// Returns the number of bytes of an integer type: 1, 2, 3, 4, 5, 6, 7 or 8.
pub(super) fn integer_bytes(kind: Kind) -> u8 {
    match kind {
        Kind::Unsigned(bits) => bits.clamp(1, 64).div_ceil(8),
        _ => 4,
    }
}

/// Returns whether the kind is an integer, of up to 32 bits or more.
pub(super) fn is_number(kind: Kind) -> bool {
    matches!(kind, Kind::Unsigned(_) | Kind::FrameNumber)
}

/// Returns whether an integer is computed with in 64 bits.
pub(super) fn is_wide(kind: Kind) -> bool {
    integer_bytes(kind) > 4
}

/// Returns whether values of the two kinds can be compared.
pub(super) fn compatible(left: Kind, right: Kind) -> bool {
    let bytes = |kind| matches!(kind, Kind::Bytes | Kind::Ethernet);
    left == right || (is_number(left) && is_number(right)) || (bytes(left) && bytes(right))
}

pub(super) fn can_compare(kind: Kind) -> bool {
    kind != Kind::Heading
}

/// Returns whether the kind can be searched for bytes.
pub(super) fn can_contain(kind: Kind) -> bool {
    matches!(kind, Kind::Bytes | Kind::Protocol | Kind::Text | Kind::Ethernet)
}

/// Returns whether the kind can be sliced.
pub(super) fn can_slice(kind: Kind) -> bool {
    can_contain(kind) || matches!(kind, Kind::Ipv4 | Kind::Ipv6)
}

/// Returns whether the kind can be converted to text.
pub(super) fn can_string(kind: Kind) -> bool {
    is_number(kind) || matches!(kind, Kind::Ipv4 | Kind::Ipv6 | Kind::Ethernet)
}

/// Returns whether the kind can be negated.
pub(super) fn can_negate(kind: Kind) -> bool {
    is_number(kind) || kind == Kind::RelativeTime
}

pub(super) fn can_compute(kind: Kind, operation: Arithmetic) -> bool {
    match operation {
        Arithmetic::And => {
            is_number(kind)
                || matches!(kind, Kind::Bytes | Kind::Ethernet | Kind::Ipv4 | Kind::Ipv6)
        }
        Arithmetic::Add | Arithmetic::Subtract => can_negate(kind),
        Arithmetic::Multiply | Arithmetic::Divide | Arithmetic::Remainder => is_number(kind),
    }
}

/// Returns the kind's name, with article.
pub(super) fn name(kind: Kind) -> String {
    match kind {
        Kind::Protocol => "a protocol".to_owned(),
        Kind::Heading => "a heading without a value".to_owned(),
        Kind::Boolean => "a Boolean".to_owned(),
        Kind::Unsigned(_) => match integer_bytes(kind) {
            1 => "an unsigned integer of 1 byte".to_owned(),
            bytes => format!("an unsigned integer of {bytes} bytes"),
        },
        Kind::FrameNumber => "a frame number".to_owned(),
        Kind::Bytes => "a string of bytes".to_owned(),
        Kind::Ipv4 => "an IPv4 address".to_owned(),
        Kind::Ipv6 => "an IPv6 address".to_owned(),
        Kind::Ethernet => "an Ethernet address".to_owned(),
        Kind::Text => "text".to_owned(),
        Kind::AbsoluteTime => "a date and time".to_owned(),
        Kind::RelativeTime => "a span of time".to_owned(),
    }
}

/// Returns an example of a literal of the kind.
pub(super) fn example(kind: Kind) -> &'static str {
    match kind {
        Kind::Protocol | Kind::Bytes => "01:02:0a or \"text\"",
        Kind::Heading => "nothing: only its presence can be tested",
        Kind::Boolean => "true, false, 1 or 0",
        Kind::Unsigned(_) | Kind::FrameNumber => "4791, 0x12b7, 011267 or 0b1001",
        Kind::Ipv4 => "192.0.2.1 or 192.0.2.0/24",
        Kind::Ipv6 => "2001:db8::1 or 2001:db8::/32",
        Kind::Ethernet => "02:00:5e:10:00:01",
        Kind::Text => "\"text\"",
        Kind::AbsoluteTime => "\"2026-01-01 00:00:00\" or \"2026-01-01 00:00:00.5Z\"",
        Kind::RelativeTime => "0.001, 1ms, 250us or -2.5",
    }
}
