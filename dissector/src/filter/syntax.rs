//! The syntax tree of an expression.

use super::ranges;
use std::ops::Range;

/// How deep an expression may nest.
pub(super) const DEPTH_LIMIT: usize = 100;

/// A comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
}

/// How many of the pairs of values must satisfy a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quantifier {
    Any,
    All,
}

/// What stands between two values or tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    Compare(Comparison, Quantifier),
    Contains,
    Matches,
}

/// An arithmetic operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arithmetic {
    And,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Arithmetic {
    /// As it is written.
    pub(super) fn symbol(self) -> &'static str {
        match self {
            Self::And => "&",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
        }
    }

    /// How tightly it binds.
    pub(super) fn precedence(self) -> u8 {
        match self {
            Self::And => 1,
            Self::Add | Self::Subtract => 2,
            Self::Multiply | Self::Divide | Self::Remainder => 3,
        }
    }
}

/// What yields values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// A bare word: a field or a literal.
    Word(String),
    /// A field, written with a leading dot or a layer.
    Field { name: String, layers: Option<Vec<ranges::Span>> },
    /// A quoted string.
    Quoted(Vec<u8>),
    /// A character constant.
    Character(u8),
    /// A slice.
    Slice(Box<Expression>, Vec<ranges::Span>),
    /// A function call.
    Call { name: String, name_span: Range<usize>, arguments: Vec<Expression> },
    /// A sign.
    Negated(Box<Expression>),
    /// An operation.
    Binary(Arithmetic, Box<Expression>, Box<Expression>),
}

/// What yields values, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Expression {
    pub(super) kind: Kind,
    pub(super) span: Range<usize>,
    pub(super) depth: usize,
}

impl Expression {
    pub(super) fn new(kind: Kind, span: Range<usize>) -> Self {
        let below = match &kind {
            Kind::Word(_) | Kind::Field { .. } | Kind::Quoted(_) | Kind::Character(_) => 0,
            Kind::Slice(inner, _) | Kind::Negated(inner) => inner.depth,
            Kind::Call { arguments, .. } => {
                arguments.iter().map(|argument| argument.depth).max().unwrap_or(0)
            }
            Kind::Binary(_, left, right) => left.depth.max(right.depth),
        };
        Self { kind, span, depth: below + 1 }
    }
}

/// What is true or false.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Test {
    /// All of them.
    All(Vec<Test>),
    /// At least one of them.
    Any(Vec<Test>),
    /// An odd number of them.
    Odd(Vec<Test>),
    /// Not that one.
    Not(Box<Test>),
    /// The value is there.
    Present(Expression),
    /// Two values compared.
    Relation {
        relation: Relation,
        quantifier: Option<Quantifier>,
        left: Expression,
        right: Expression,
    },
    /// A value in a set; the second part of an element ends its range.
    Member { quantifier: Quantifier, left: Expression, set: Vec<(Expression, Option<Expression>)> },
}
