//! From syntax to values: names are looked up and kinds are checked.

use super::evaluate::{self, Constant, Source, Value};
use super::kinds;
use super::literal::{Span, Target};
use super::syntax::{Arithmetic, Expression, Fault, Kind as Syntax, Names};
use crate::field::{Field, Kind};
use std::ops::Range;

/// A value, its kind, and its field if it is one.
#[derive(Debug, Clone)]
pub(super) struct Typed {
    pub(super) value: Value,
    pub(super) kind: Kind,
    pub(super) field: Option<&'static Field>,
    pub(super) span: Range<usize>,
}

impl Typed {
    pub(super) fn new(value: Value, kind: Kind, span: &Range<usize>) -> Self {
        Self { value, kind, field: None, span: span.clone() }
    }

    /// Returns what a literal compared with this value becomes.
    pub(super) fn target(&self) -> Target {
        Target { kind: self.kind, field: self.field, partial: false }
    }

    /// Returns the whole value as bytes.
    pub(super) fn into_bytes(self) -> Self {
        let value = Value::Slice(Box::new(self.value), vec![Span::ALL]);
        Self { value, kind: Kind::Bytes, field: None, span: self.span }
    }
}

/// Compiler of one expression.
pub(super) struct Compiler<'a> {
    pub(super) text: &'a str,
    pub(super) names: Names<'a>,
}

impl Compiler<'_> {
    /// Returns the text of a part of the expression, for a message.
    pub(super) fn shown(&self, span: &Range<usize>) -> &str {
        self.text.get(span.clone()).unwrap_or("")
    }

    fn find(&self, word: &str) -> Option<&'static Field> {
        // A name contains no colon; a word that does is a literal.
        if word.contains([':', '/']) { None } else { (self.names.find)(word) }
    }

    /// Returns whether the expression has a value only next to something that determines its kind.
    pub(super) fn is_literal(&self, expression: &Expression) -> bool {
        match &expression.kind {
            Syntax::Word(word) => self.find(word).is_none(),
            Syntax::Quoted(_) | Syntax::Character(_) => true,
            Syntax::Field { .. } => false,
            Syntax::Slice(inner, _) | Syntax::Negated(inner) => self.is_literal(inner),
            Syntax::Binary(_, left, right) => self.is_literal(left) && self.is_literal(right),
            Syntax::Call { name, arguments, .. } => {
                matches!(name.as_str(), "max" | "min" | "abs")
                    && !arguments.is_empty()
                    && arguments.iter().all(|argument| self.is_literal(argument))
            }
        }
    }

    /// Returns the fault for a word that should be a field.
    pub(super) fn unknown(&self, word: &str, span: &Range<usize>) -> Fault {
        // A subtraction without spaces reads as one name.
        if let Some((name, rest)) = word.split_once('-')
            && self.find(name).is_some()
            && !rest.is_empty()
        {
            return Fault::new(
                span.clone(),
                format!(
                    "`{word}` is neither a field nor a protocol; a subtraction needs a space, as in `{name} - {rest}`"
                ),
            );
        }
        let suggestion = self.names.suggestion(word);
        Fault::new(span.clone(), format!("`{word}` is neither a field nor a protocol{suggestion}"))
    }

    fn source(
        &mut self,
        field: &'static Field,
        layers: Option<Vec<Span>>,
        span: &Range<usize>,
    ) -> Typed {
        let value = Value::Field(Source { field, layers });
        Typed { value, kind: field.kind, field: Some(field), span: span.clone() }
    }

    /// Compiles an expression that yields values; the target says what literals become.
    pub(super) fn value(
        &mut self,
        expression: &Expression,
        target: Option<Target>,
    ) -> Result<Typed, Fault> {
        let span = &expression.span;
        match &expression.kind {
            Syntax::Word(word) => match self.find(word) {
                Some(field) => Ok(self.source(field, None, span)),
                None => self.word(word, span, target),
            },
            Syntax::Field { name, layers } => match self.find(name) {
                Some(field) => Ok(self.source(field, layers.clone(), span)),
                None => Err(self.unknown(name, span)),
            },
            Syntax::Quoted(bytes) => self.literal(span, target, |target| target.quoted(bytes)),
            Syntax::Character(byte) => self.literal(span, target, |target| target.character(*byte)),
            Syntax::Slice(inner, ranges) => self.slice(inner, ranges, span),
            Syntax::Call { name, name_span, arguments } => {
                self.call(name, name_span, arguments, span, target)
            }
            Syntax::Negated(inner) => self.negated(inner, span, target),
            Syntax::Binary(operation, left, right) => {
                self.binary(*operation, left, right, span, target)
            }
        }
    }

    /// Compiles a bare word that is no field.
    fn word(
        &self,
        word: &str,
        span: &Range<usize>,
        target: Option<Target>,
    ) -> Result<Typed, Fault> {
        let Some(target) = target else { return Err(self.unknown(word, span)) };
        let constant = target.word(word).map_err(|message| {
            let named = word.contains('.') && word.starts_with(char::is_alphabetic);
            let suggestion = if named { self.names.suggestion(word) } else { String::new() };
            Fault::new(span.clone(), message + &suggestion)
        })?;
        Ok(Typed::new(Value::Constant(constant), target.kind, span))
    }

    fn literal(
        &self,
        span: &Range<usize>,
        target: Option<Target>,
        read: impl FnOnce(&Target) -> Result<Constant, String>,
    ) -> Result<Typed, Fault> {
        let Some(target) = target else {
            return Err(Fault::new(
                span.clone(),
                format!("`{}` is neither a field nor a protocol", self.shown(span)),
            ));
        };
        let constant = read(&target).map_err(|message| Fault::new(span.clone(), message))?;
        Ok(Typed::new(Value::Constant(constant), target.kind, span))
    }

    fn slice(
        &mut self,
        inner: &Expression,
        ranges: &[Span],
        span: &Range<usize>,
    ) -> Result<Typed, Fault> {
        let inner = self.value(inner, None)?;
        if !kinds::can_slice(inner.kind) {
            return Err(Fault::new(
                inner.span.clone(),
                format!(
                    "`{}` is {} and has no bytes to slice; slice a protocol, bytes, text or an address",
                    self.shown(&inner.span),
                    kinds::name(inner.kind)
                ),
            ));
        }
        let value = Value::Slice(Box::new(inner.value), ranges.to_vec());
        Ok(Typed::new(value, Kind::Bytes, span))
    }

    fn negated(
        &mut self,
        inner: &Expression,
        span: &Range<usize>,
        target: Option<Target>,
    ) -> Result<Typed, Fault> {
        let inner = self.value(inner, target)?;
        if !kinds::can_negate(inner.kind) {
            return Err(Fault::new(
                span.clone(),
                format!("{} has no sign", kinds::name(inner.kind)),
            ));
        }
        let value = match &inner.value {
            Value::Constant(constant) => evaluate::negate(constant.operand())
                .map(|value| Value::Constant(value.keep()))
                .ok_or_else(|| self.overflow(span))?,
            _ => Value::Negated(Box::new(inner.value)),
        };
        Ok(Typed::new(value, computed(inner.kind), span))
    }

    fn overflow(&self, span: &Range<usize>) -> Fault {
        Fault::new(span.clone(), format!("`{}` has no result in this type", self.shown(span)))
    }

    fn binary(
        &mut self,
        operation: Arithmetic,
        left: &Expression,
        right: &Expression,
        span: &Range<usize>,
        target: Option<Target>,
    ) -> Result<Typed, Fault> {
        let beside = |kind| Target { kind: computed(kind), field: None, partial: false };
        let constants = target.map(|target| beside(target.kind));
        let (left, right) = match (self.is_literal(left), self.is_literal(right)) {
            (true, false) => {
                let right = self.operand(operation, right, None)?;
                (self.operand(operation, left, Some(beside(right.kind)))?, right)
            }
            (false, true) => {
                let left = self.operand(operation, left, None)?;
                let right = self.operand(operation, right, Some(beside(left.kind)))?;
                (left, right)
            }
            _ => (
                self.operand(operation, left, constants)?,
                self.operand(operation, right, constants)?,
            ),
        };
        if !kinds::compatible(left.kind, right.kind) {
            return Err(self.incompatible(&left, &right));
        }
        if let (Value::Constant(first), Value::Constant(second)) = (&left.value, &right.value) {
            let mut result = None;
            evaluate::compute(operation, first.operand(), second.operand(), &mut |value| {
                result = Some(value.keep());
                true
            });
            let constant = result.ok_or_else(|| self.overflow(span))?;
            return Ok(Typed::new(Value::Constant(constant), computed(left.kind), span));
        }
        let wide = if kinds::is_wide(right.kind) { right.kind } else { left.kind };
        let value = Value::Binary(operation, Box::new(left.value), Box::new(right.value));
        Ok(Typed::new(value, computed(wide), span))
    }

    /// Compiles an operand and checks that the operation accepts it.
    fn operand(
        &mut self,
        operation: Arithmetic,
        expression: &Expression,
        target: Option<Target>,
    ) -> Result<Typed, Fault> {
        let operand = self.value(expression, target)?;
        if kinds::can_compute(operand.kind, operation) {
            return Ok(operand);
        }
        Err(Fault::new(
            operand.span.clone(),
            format!(
                "`{}` is {}, which {} cannot compute with",
                self.shown(&operand.span),
                kinds::name(operand.kind),
                operation.symbol()
            ),
        ))
    }

    /// Returns the fault for two values that have neither order nor equality.
    pub(super) fn incompatible(&self, left: &Typed, right: &Typed) -> Fault {
        Fault::new(
            right.span.clone(),
            format!(
                "`{}` is {} and `{}` is {}: they cannot be compared",
                self.shown(&left.span),
                kinds::name(left.kind),
                self.shown(&right.span),
                kinds::name(right.kind)
            ),
        )
    }
}

/// Returns the kind of an operation's result: an integer gets all bits that are computed with.
fn computed(kind: Kind) -> Kind {
    match kind {
        kind if kinds::is_wide(kind) => Kind::Unsigned(64),
        kind if kinds::is_number(kind) => Kind::Unsigned(32),
        Kind::Ethernet => Kind::Bytes,
        kind => kind,
    }
}
