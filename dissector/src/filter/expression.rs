//! A display filter.

use super::compile::compile;
use super::error::FilterError;
use super::names::Names;
use super::parser;
use super::program::Program;
use crate::field::Field;
use crate::tree::Tree;

/// A display filter, ready to be evaluated.
#[derive(Debug, Clone)]
pub struct Filter {
    program: Program,
    fields: Vec<&'static Field>,
}

impl Filter {
    /// Compiles an expression; an empty one passes every tree.
    ///
    /// # Errors
    ///
    /// When the expression does not follow the grammar, names a field that does not exist, or
    /// compares what cannot be compared.
    pub fn parse(text: &str) -> Result<Self, FilterError> {
        Self::parse_with(text, Names::CATALOGUE)
    }

    /// Compiles an expression over fields from anywhere.
    pub(super) fn parse_with(text: &str, names: Names<'_>) -> Result<Self, FilterError> {
        parser::parse(text)
            .and_then(|test| compile(text, &test, names))
            .map(|(program, fields)| Self { program, fields })
            .map_err(|fault| fault.of(text))
    }

    /// Whether the tree passes.
    pub fn matches(&self, tree: &Tree) -> bool {
        self.program.matches(tree)
    }

    /// The fields that it needs, each once, in the order in which the expression names them.
    pub fn fields(&self) -> impl Iterator<Item = &'static Field> {
        self.fields.iter().copied()
    }
}
