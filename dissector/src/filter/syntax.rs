//! The syntax tree of an expression.

use super::compile::compile;
use super::evaluate::Program;
use super::parser;
use crate::field::{self, Field};
use crate::tree::Tree;
use std::ops::Range;

/// How deep an expression may be nested.
pub(super) const DEPTH_LIMIT: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
}

/// Which pairs of values must satisfy a test: any or all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quantifier {
    Any,
    All,
}

/// A relation between two values or tests.
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
    /// Returns the operator as it is written.
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

    /// Returns how tightly the operator binds.
    pub(super) fn precedence(self) -> u8 {
        match self {
            Self::And => 1,
            Self::Add | Self::Subtract => 2,
            Self::Multiply | Self::Divide | Self::Remainder => 3,
        }
    }
}

/// An expression that yields values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// A bare word: a field or a literal.
    Word(String),
    /// A field, written with a leading dot or a layer.
    Field {
        name: String,
        layers: Option<Vec<super::literal::Span>>,
    },
    /// A quoted string.
    Quoted(Vec<u8>),
    /// A character constant.
    Character(u8),
    Slice(Box<Expression>, Vec<super::literal::Span>),
    /// A function call.
    Call {
        name: String,
        name_span: Range<usize>,
        arguments: Vec<Expression>,
    },
    /// A sign.
    Negated(Box<Expression>),
    /// An operation.
    Binary(Arithmetic, Box<Expression>, Box<Expression>),
}

/// An expression that yields values, with its place in the text.
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

/// A test: true or false.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Test {
    /// All of the tests hold.
    All(Vec<Test>),
    /// At least one of the tests holds.
    Any(Vec<Test>),
    /// An odd number of the tests holds.
    Odd(Vec<Test>),
    Not(Box<Test>),
    /// The value is present.
    Present(Expression),
    /// A comparison of two values.
    Relation {
        relation: Relation,
        quantifier: Option<Quantifier>,
        left: Expression,
        right: Expression,
    },
    /// Membership of a value in a set; the second part of an element ends its range.
    Member {
        quantifier: Quantifier,
        left: Expression,
        set: Vec<(Expression, Option<Expression>)>,
    },
}

/// A display filter, ready to be evaluated.
#[derive(Debug, Clone)]
pub struct Filter {
    program: Program,
}

impl Filter {
    /// Compiles an expression; an empty one accepts every tree.
    ///
    /// # Errors
    ///
    /// When the expression does not follow the grammar, names a field that does not exist, or
    /// compares what cannot be compared.
    pub fn parse(text: &str) -> Result<Self, FilterError> {
        Self::parse_with(text, Names::CATALOGUE)
    }

    /// Compiles an expression with fields from any source.
    pub(super) fn parse_with(text: &str, names: Names<'_>) -> Result<Self, FilterError> {
        parser::parse(text)
            .and_then(|test| compile(text, &test, names))
            .map(|program| Self { program })
            .map_err(|fault| fault.of(text))
    }

    /// Returns whether the tree passes the filter.
    pub fn matches(&self, tree: &Tree) -> bool {
        self.program.matches(tree)
    }
}

/// Why an expression is not a filter.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FilterError {
    /// The faulty bytes of the expression; empty, at its end, if something is missing.
    pub span: Range<usize>,
    /// What is wrong, and how to correct it.
    pub message: String,
    /// The whole expression.
    pub expression: String,
}

impl FilterError {
    /// Returns the message, the expression, and a caret below the faulty bytes.
    ///
    /// The expression is shown on one line: line breaks and tabs become spaces.
    pub fn render(&self) -> String {
        let shown: String = self
            .expression
            .chars()
            .map(|character| if character.is_control() { ' ' } else { character })
            .collect();
        let columns = |range: Range<usize>| {
            self.expression.char_indices().filter(|(position, _)| range.contains(position)).count()
        };
        let indent = columns(0..self.span.start);
        let marked = columns(self.span.clone()).max(1);
        format!(
            "{}\n    {shown}\n    {}^{}",
            self.message,
            " ".repeat(indent),
            "~".repeat(marked - 1)
        )
    }
}

/// A message with its place, before the expression is attached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) span: Range<usize>,
    pub(super) message: String,
}

impl Fault {
    pub(super) fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self { span, message: message.into() }
    }

    /// Returns the error for the user, with the expression that it is about.
    pub(super) fn of(self, expression: &str) -> FilterError {
        FilterError { span: self.span, message: self.message, expression: expression.to_owned() }
    }
}

// How the compiler looks fields up.

/// Where fields come from: the catalogue, or the fields of a test.
#[derive(Clone, Copy)]
pub(super) struct Names<'a> {
    pub(super) find: &'a dyn Fn(&str) -> Option<&'static Field>,
    /// Returns the known name most similar to an unknown one.
    pub(super) nearest: &'a dyn Fn(&str) -> Option<&'static str>,
}

impl Names<'static> {
    pub(super) const CATALOGUE: Self = Self { find: &field::find, nearest: &field::nearest };
}

impl Names<'_> {
    /// Returns a clause that names the field most similar to an unknown name, or an empty one.
    pub(super) fn suggestion(&self, name: &str) -> String {
        (self.nearest)(name).map(|known| format!("; did you mean `{known}`?")).unwrap_or_default()
    }
}
