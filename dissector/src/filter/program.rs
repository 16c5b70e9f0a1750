//! The compiled filter.

use super::operand::Constant;
use super::ranges::Span;
use super::syntax::{Arithmetic, Comparison, Quantifier};
use crate::field::{Field, Kind};
use regex::bytes::Regex;

/// A compiled test.
#[derive(Debug, Clone)]
pub(super) enum Program {
    All(Vec<Program>),
    Any(Vec<Program>),
    Odd(Vec<Program>),
    Not(Box<Program>),
    /// There is a value.
    Present(Value),
    /// There is a value with any byte in it.
    NotEmpty(Value),
    /// There is a value with any bit set.
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

/// The nodes of a field, of all layers or of some.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub(super) field: &'static Field,
    pub(super) layers: Option<Vec<Span>>,
}

/// What yields values.
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
    /// The number of values; nothing when there is none.
    Count(Box<Value>),
    Upper(Box<Value>),
    Lower(Box<Value>),
    /// The value as it is printed.
    Written(Source),
    Extreme {
        largest: bool,
        arguments: Vec<Value>,
    },
}
