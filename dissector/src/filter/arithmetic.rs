//! Arithmetic on values. What has no result, such as a division by zero, yields no value.

use super::operand::{Number, Operand};
use super::syntax::Arithmetic;

/// Computes, and hands the result on if there is one.
pub(super) fn compute(
    operation: Arithmetic,
    left: Operand<'_>,
    right: Operand<'_>,
    each: &mut dyn FnMut(Operand<'_>) -> bool,
) -> bool {
    let result = match (left, right) {
        (Operand::Number(left), Operand::Number(right)) => {
            number(operation, left, right).map(Operand::Number)
        }
        (Operand::Time(left), Operand::Time(right)) => match operation {
            Arithmetic::Add => left.checked_add(right).map(Operand::Time),
            Arithmetic::Subtract => left.checked_sub(right).map(Operand::Time),
            _ => None,
        },
        (Operand::Bytes(left), Operand::Bytes(right)) => {
            let both: Vec<u8> = left.iter().zip(right).map(|(left, right)| left & right).collect();
            return each(Operand::Bytes(&both));
        }
        (
            Operand::Ipv4 { address: left, mask: first },
            Operand::Ipv4 { address: right, mask: second },
        ) => Some(Operand::Ipv4 { address: left & first & right & second, mask: u32::MAX }),
        (
            Operand::Ipv6 { address: left, mask: first },
            Operand::Ipv6 { address: right, mask: second },
        ) => Some(Operand::Ipv6 { address: left & first & right & second, mask: u128::MAX }),
        _ => None,
    };
    result.is_some_and(each)
}

fn number(operation: Arithmetic, left: Number, right: Number) -> Option<Number> {
    let wide = left.wide || right.wide;
    let (first, second) = (left.mathematical(), right.mathematical());
    let result = match operation {
        Arithmetic::And => {
            let bits = (first & second) as u64;
            let bits = if wide { bits } else { bits & u64::from(u32::MAX) };
            return Some(Number { bits, wide, signed: left.signed });
        }
        Arithmetic::Add => first.checked_add(second),
        Arithmetic::Subtract => first.checked_sub(second),
        Arithmetic::Multiply => first.checked_mul(second),
        Arithmetic::Divide => first.checked_div(second),
        Arithmetic::Remainder => first.checked_rem(second),
    }?;
    fit(result, wide, left.signed || right.signed)
}

/// The value with the opposite sign.
pub(super) fn negate(value: Operand<'_>) -> Option<Operand<'_>> {
    match value {
        Operand::Number(number) => {
            fit(number.mathematical().checked_neg()?, number.wide, true).map(Operand::Number)
        }
        Operand::Time(nanoseconds) => nanoseconds.checked_neg().map(Operand::Time),
        _ => None,
    }
}

/// The value without sign.
pub(super) fn absolute(value: Operand<'_>) -> Option<Operand<'_>> {
    match value {
        Operand::Number(number) => {
            fit(number.mathematical().checked_abs()?, number.wide, number.signed)
                .map(Operand::Number)
        }
        Operand::Time(nanoseconds) => nanoseconds.checked_abs().map(Operand::Time),
        _ => None,
    }
}

/// The number in the bits that there are; a negative one, or one from signed ones, takes a sign.
fn fit(value: i128, wide: bool, signed: bool) -> Option<Number> {
    let signed = signed || value < 0;
    let bits = match (signed, wide) {
        (true, true) => i64::try_from(value).ok()? as u64,
        (true, false) => u64::from(i32::try_from(value).ok()? as u32),
        (false, true) => u64::try_from(value).ok()?,
        (false, false) => u64::from(u32::try_from(value).ok()?),
    };
    Some(Number { bits, wide, signed })
}
