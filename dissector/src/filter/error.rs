//! What is wrong with an expression, and where.

use std::ops::Range;

/// Why an expression is not a filter.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FilterError {
    /// The bytes of the expression that are to blame; empty at its end when something is missing.
    pub span: Range<usize>,
    /// What is wrong, and what would be right.
    pub message: String,
    /// The whole expression.
    pub expression: String,
}

impl FilterError {
    /// The message, the expression, and below it a caret under what is to blame.
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

    /// The error for the user, with the expression that it is about.
    pub(super) fn of(self, expression: &str) -> FilterError {
        FilterError { span: self.span, message: self.message, expression: expression.to_owned() }
    }
}
