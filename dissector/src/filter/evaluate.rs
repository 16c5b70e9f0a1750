//! Evaluation of a compiled filter against a tree.
//!
//! Values are passed to a closure one by one; it returns true to stop. Numbers, addresses, times and slices
//! of one range are never copied to the heap.

use super::kinds::{integer_bytes, is_wide};
use super::literal::Span;
use super::syntax::{Arithmetic, Comparison, Quantifier};
use crate::field::{Field, Kind};
use crate::tree::{self, Node, Tree};
use regex::bytes::Regex;
use std::cmp::Ordering;

/// A closure that takes a value; true stops.
type Visitor<'a> = &'a mut dyn FnMut(Operand<'_>) -> bool;

impl Program {
    /// Returns whether the tree passes.
    pub(super) fn matches(&self, tree: &Tree) -> bool {
        match self {
            Self::All(tests) => tests.iter().all(|test| test.matches(tree)),
            Self::Any(tests) => tests.iter().any(|test| test.matches(tree)),
            Self::Odd(tests) => tests.iter().filter(|test| test.matches(tree)).count() % 2 == 1,
            Self::Not(test) => !test.matches(tree),
            Self::Present(value) => value.visit(tree, &mut |_| true),
            Self::NotEmpty(value) => {
                value.visit(tree, &mut |found| found.with_bytes(|bytes| !bytes.is_empty()))
            }
            Self::Set(value) => value.visit(tree, &mut |found| found.is_set()),
            Self::Compare { comparison, quantifier, left, right } => {
                pairs(*quantifier, left, right, tree, &|left, right| {
                    left.satisfies(*comparison, right)
                })
            }
            Self::Contains { quantifier, left, right } => {
                pairs(*quantifier, left, right, tree, &|left, right| {
                    left.with_bytes(|bytes| right.with_bytes(|sought| contains(bytes, sought)))
                })
            }
            Self::Matches { quantifier, left, regex } => {
                quantified(*quantifier, left, tree, |found| {
                    found.with_bytes(|bytes| regex.is_match(bytes))
                })
            }
            Self::Member { quantifier, left, set } => {
                quantified(*quantifier, left, tree, |found| {
                    set.iter().any(|element| element.holds(found, tree))
                })
            }
        }
    }
}

/// Returns whether any value passes, or every one of at least one.
fn quantified(
    quantifier: Quantifier,
    value: &Value,
    tree: &Tree,
    test: impl Fn(Operand<'_>) -> bool,
) -> bool {
    match quantifier {
        Quantifier::Any => value.visit(tree, &mut |found| test(found)),
        Quantifier::All => {
            let mut seen = false;
            let failed = value.visit(tree, &mut |found| {
                seen = true;
                !test(found)
            });
            seen && !failed
        }
    }
}

/// Returns whether any pair of a left and a right value passes, or every one of at least one.
fn pairs(
    quantifier: Quantifier,
    left: &Value,
    right: &Value,
    tree: &Tree,
    test: &dyn Fn(Operand<'_>, Operand<'_>) -> bool,
) -> bool {
    let all = quantifier == Quantifier::All;
    let mut seen = false;
    let stopped = left.visit(tree, &mut |first| {
        right.visit(tree, &mut |second| {
            seen = true;
            test(first, second) != all
        })
    });
    if all { seen && !stopped } else { stopped }
}

/// Returns whether the bytes contain the sought ones; false if these are empty.
fn contains(bytes: &[u8], sought: &[u8]) -> bool {
    !sought.is_empty() && bytes.windows(sought.len()).any(|window| window == sought)
}

impl Element {
    fn holds(&self, found: Operand<'_>, tree: &Tree) -> bool {
        match self {
            Self::One(value) => {
                value.visit(tree, &mut |element| found.satisfies(Comparison::Equal, element))
            }
            Self::Range(low, high) => {
                low.visit(tree, &mut |low| found.satisfies(Comparison::GreaterOrEqual, low))
                    && high.visit(tree, &mut |high| found.satisfies(Comparison::LessOrEqual, high))
            }
        }
    }
}

impl Source {
    /// Passes on the nodes of the field.
    fn visit(&self, tree: &Tree, each: &mut dyn FnMut(&Node) -> bool) -> bool {
        let mut layer = None;
        for (index, node) in tree.nodes.iter().enumerate() {
            if node.depth == 0 {
                layer = Some(index);
            }
            if node.field == self.field && self.in_layer(tree, layer) && each(node) {
                return true;
            }
        }
        false
    }

    /// Returns whether the layer, among those of its protocol, is one of those selected.
    fn in_layer(&self, tree: &Tree, layer: Option<usize>) -> bool {
        let Some(wanted) = &self.layers else { return true };
        let Some((index, node)) = layer.and_then(|index| Some((index, tree.nodes.get(index)?)))
        else {
            return false;
        };
        let alike = |nodes: &[Node]| {
            nodes.iter().filter(|other| other.depth == 0 && other.field == node.field).count()
        };
        let before = alike(tree.nodes.get(..index).unwrap_or(&[]));
        let count = alike(&tree.nodes);
        // Layers count from 1, so the length is one more than the last.
        wanted.iter().any(|span| span.contains(before + 1, count + 1))
    }
}

/// Passes on a node's value.
fn with_node(tree: &Tree, node: &Node, each: Visitor<'_>) -> bool {
    match (&node.value, node.field.kind) {
        (_, Kind::Protocol) => each(Operand::Bytes(tree.bytes_from(node))),
        (tree::Value::None, _) => each(Operand::Bytes(&[])),
        (tree::Value::Unsigned(value), Kind::Boolean) => each(Operand::Boolean(*value != 0)),
        (tree::Value::Unsigned(value), kind) => {
            let wide = is_wide(kind) || *value > u64::from(u32::MAX);
            each(Operand::Number(Number::unsigned(*value, wide)))
        }
        (value @ tree::Value::Bytes { .. }, Kind::Text) => {
            each(Operand::Text(tree.value_bytes(value)))
        }
        (value @ tree::Value::Bytes { .. }, _) => each(Operand::Bytes(tree.value_bytes(value))),
        (tree::Value::Ipv4(bytes), _) => {
            each(Operand::Ipv4 { address: u32::from_be_bytes(*bytes), mask: u32::MAX })
        }
        (tree::Value::Ipv6(bytes), _) => {
            each(Operand::Ipv6 { address: u128::from_be_bytes(*bytes), mask: u128::MAX })
        }
        (tree::Value::Ethernet(bytes), _) => each(Operand::Bytes(bytes)),
        (tree::Value::Text(text), _) => each(Operand::Text(text.as_bytes())),
        (tree::Value::Time(nanoseconds), _) => each(Operand::Time(*nanoseconds)),
    }
}

impl Value {
    /// Passes on the values one by one; returns true if the visitor stopped.
    fn visit(&self, tree: &Tree, each: Visitor<'_>) -> bool {
        match self {
            Self::Field(source) => source.visit(tree, &mut |node| with_node(tree, node, each)),
            Self::Constant(constant) => each(constant.operand()),
            Self::Slice(inner, ranges) => {
                inner.visit(tree, &mut |found| found.with_bytes(|bytes| slice(bytes, ranges, each)))
            }
            Self::Negated(inner) => {
                inner.visit(tree, &mut |found| negate(found).is_some_and(&mut *each))
            }
            Self::Absolute(inner) => {
                inner.visit(tree, &mut |found| absolute(found).is_some_and(&mut *each))
            }
            Self::Binary(operation, left, right) => left.visit(tree, &mut |first| {
                right.visit(tree, &mut |second| compute(*operation, first, second, each))
            }),
            Self::Length(inner, kind) => inner.visit(tree, &mut |found| {
                each(Operand::Number(Number::unsigned(length(found, *kind), false)))
            }),
            Self::Count(inner) => {
                let mut count = 0;
                inner.visit(tree, &mut |_| {
                    count += 1;
                    false
                });
                count > 0 && each(Operand::Number(Number::unsigned(count, false)))
            }
            Self::Upper(inner) => inner.visit(tree, &mut |found| {
                each(Operand::Text(&found.with_bytes(<[u8]>::to_ascii_uppercase)))
            }),
            Self::Lower(inner) => inner.visit(tree, &mut |found| {
                each(Operand::Text(&found.with_bytes(<[u8]>::to_ascii_lowercase)))
            }),
            Self::Written(source) => {
                let mut text = String::new();
                source.visit(tree, &mut |node| {
                    text.clear();
                    tree.value_text(node, &mut text);
                    each(Operand::Text(text.as_bytes()))
                })
            }
            Self::Extreme { largest, arguments } => {
                let mut best: Option<Constant> = None;
                for argument in arguments {
                    argument.visit(tree, &mut |found| {
                        let order = best.as_ref().and_then(|best| found.order(best.operand()));
                        let better =
                            order.is_none_or(
                                |order| {
                                    if *largest { order.is_gt() } else { order.is_lt() }
                                },
                            );
                        if better {
                            best = Some(found.keep());
                        }
                        false
                    });
                }
                best.is_some_and(|best| each(best.operand()))
            }
        }
    }
}

/// Passes on the bytes in the ranges, up to the first range that is incomplete.
fn slice(bytes: &[u8], ranges: &[Span], each: Visitor<'_>) -> bool {
    let part = |range: &Span| {
        let (start, count) = range.resolve(bytes.len())?;
        bytes.get(start..start.checked_add(count)?)
    };
    if let [range] = ranges {
        return each(Operand::Bytes(part(range).unwrap_or(&[])));
    }
    let parts: Vec<u8> = ranges.iter().map_while(part).flatten().copied().collect();
    each(Operand::Bytes(&parts))
}

/// Returns the number of bytes of a value.
fn length(found: Operand<'_>, kind: Kind) -> u64 {
    match found {
        Operand::Number(_) => u64::from(integer_bytes(kind)),
        Operand::Boolean(_) | Operand::Time(_) => 0,
        _ => found.with_bytes(|bytes| bytes.len() as u64),
    }
}

/// A compiled test.
#[derive(Debug, Clone)]
pub(super) enum Program {
    All(Vec<Program>),
    Any(Vec<Program>),
    Odd(Vec<Program>),
    Not(Box<Program>),
    Present(Value),
    /// Some value has at least one byte.
    NotEmpty(Value),
    /// Some value has at least one bit set.
    Set(Value),
    Compare {
        comparison: Comparison,
        quantifier: Quantifier,
        left: Value,
        right: Value,
    },
    Contains {
        quantifier: Quantifier,
        left: Value,
        right: Value,
    },
    Matches {
        quantifier: Quantifier,
        left: Value,
        regex: Regex,
    },
    Member {
        quantifier: Quantifier,
        left: Value,
        set: Vec<Element>,
    },
}

/// An element of a set.
#[derive(Debug, Clone)]
pub(super) enum Element {
    One(Value),
    Range(Value, Value),
}

/// The nodes of a field, in all layers or some.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub(super) field: &'static Field,
    pub(super) layers: Option<Vec<Span>>,
}

/// An expression that yields values.
#[derive(Debug, Clone)]
pub(super) enum Value {
    Field(Source),
    Constant(Constant),
    Slice(Box<Value>, Vec<Span>),
    Negated(Box<Value>),
    Absolute(Box<Value>),
    Binary(Arithmetic, Box<Value>, Box<Value>),
    /// The number of bytes of a value of that kind.
    Length(Box<Value>, Kind),
    /// The number of values; no value if there are none.
    Count(Box<Value>),
    Upper(Box<Value>),
    Lower(Box<Value>),
    /// The value as text, as it is printed.
    Written(Source),
    Extreme {
        largest: bool,
        arguments: Vec<Value>,
    },
}

// Arithmetic on values. An operation without a result, such as a division by zero, yields no value.

/// Computes, and passes on the result if there is one.
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

/// Returns the negated value.
pub(super) fn negate(value: Operand<'_>) -> Option<Operand<'_>> {
    match value {
        Operand::Number(number) => {
            fit(number.mathematical().checked_neg()?, number.wide, true).map(Operand::Number)
        }
        Operand::Time(nanoseconds) => nanoseconds.checked_neg().map(Operand::Time),
        _ => None,
    }
}

/// Returns the absolute value.
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

/// Returns the number if it fits the bits; a negative one, or one from signed ones, is signed.
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

// Values at run time: borrowed from the tree, or owned by the filter.

/// An integer in Wireshark's arithmetic: 32 or 64 bits, signed or unsigned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number {
    /// The bits; only the lower 32 of a narrow number.
    pub(super) bits: u64,
    /// True for 64 bits, false for 32.
    pub(super) wide: bool,
    /// True for two's complement.
    pub(super) signed: bool,
}

impl Number {
    /// Creates an unsigned integer.
    pub(super) const fn unsigned(bits: u64, wide: bool) -> Self {
        Self { bits, wide, signed: false }
    }

    /// Returns the number that the bits represent.
    pub(super) fn mathematical(self) -> i128 {
        match (self.signed, self.wide) {
            (true, true) => i128::from(self.bits as i64),
            (true, false) => i128::from(self.bits as u32 as i32),
            (false, _) => i128::from(self.bits),
        }
    }

    /// Returns the 64 bits that a narrow number becomes next to a wide one.
    fn widened(self) -> u64 {
        self.mathematical() as u64
    }

    /// Compares the bits, signed if the left number is.
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

/// A value that a test examines.
pub(super) type Operand<'a> = Datum<&'a [u8]>;

/// A value that the filter owns.
pub(super) type Constant = Datum<Vec<u8>>;

/// A value, with its bytes borrowed or owned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Datum<B> {
    Number(Number),
    Boolean(bool),
    /// Bytes, a protocol's bytes or an Ethernet address; a longer one is greater.
    Bytes(B),
    /// Text, usually UTF-8.
    Text(B),
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
    /// Compares two values; `None` if their types cannot be compared.
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

    /// Returns whether the comparison holds.
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

    /// Returns whether any bit of the value is set.
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

    /// Passes on the value as bytes.
    pub(super) fn with_bytes<R>(self, use_bytes: impl FnOnce(&[u8]) -> R) -> R {
        match self {
            Self::Bytes(bytes) | Self::Text(bytes) => use_bytes(bytes),
            Self::Ipv4 { address, .. } => use_bytes(&address.to_be_bytes()),
            Self::Ipv6 { address, .. } => use_bytes(&address.to_be_bytes()),
            Self::Number(_) | Self::Boolean(_) | Self::Time(_) => use_bytes(&[]),
        }
    }

    /// Returns an owned copy.
    pub(super) fn keep(self) -> Constant {
        self.with(|bytes| bytes.to_vec())
    }
}

impl Constant {
    /// Returns the value, borrowed.
    pub(super) fn operand(&self) -> Operand<'_> {
        self.with(Vec::as_slice)
    }
}

impl<B> Datum<B> {
    /// Returns the same value with its bytes converted.
    fn with<'b, C>(&'b self, made: impl FnOnce(&'b B) -> C) -> Datum<C> {
        match self {
            Self::Number(number) => Datum::Number(*number),
            Self::Boolean(value) => Datum::Boolean(*value),
            Self::Bytes(bytes) => Datum::Bytes(made(bytes)),
            Self::Text(text) => Datum::Text(made(text)),
            Self::Ipv4 { address, mask } => Datum::Ipv4 { address: *address, mask: *mask },
            Self::Ipv6 { address, mask } => Datum::Ipv6 { address: *address, mask: *mask },
            Self::Time(nanoseconds) => Datum::Time(*nanoseconds),
        }
    }
}
