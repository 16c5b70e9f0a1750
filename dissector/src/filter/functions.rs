//! The functions of the language.

use super::error::Fault;
use super::literal::Target;
use super::names::nearest_word;
use super::program::Value;
use super::syntax::Expression;
use super::traits;
use super::values::{Compiler, Typed};
use crate::field::Kind;
use std::ops::Range;

/// The names of the functions.
pub(super) const NAMES: [&str; 8] =
    ["len", "count", "upper", "lower", "string", "max", "min", "abs"];

/// What each of them yields, in a few words.
pub(super) const LABELS: [&str; 8] = [
    "bytes of a value",
    "how many values a field has",
    "text in capitals",
    "text in small letters",
    "a number or address as text",
    "the largest value",
    "the smallest value",
    "without sign",
];

impl Compiler<'_> {
    /// Compiles a call.
    pub(super) fn call(
        &mut self,
        name: &str,
        name_span: &Range<usize>,
        arguments: &[Expression],
        span: &Range<usize>,
        target: Option<Target>,
    ) -> Result<Typed, Fault> {
        if !NAMES.contains(&name) {
            return Err(Fault::new(
                name_span.clone(),
                match nearest_word(name, &NAMES) {
                    Some(known) => {
                        format!("there is no function `{name}`; did you mean `{known}`?")
                    }
                    None => {
                        format!("there is no function `{name}`; there are {}", NAMES.join(", "))
                    }
                },
            ));
        }
        if matches!(name, "max" | "min") {
            return self.extreme(name == "max", arguments, name_span, span, target);
        }
        let [argument] = arguments else {
            return Err(Fault::new(
                name_span.clone(),
                format!("{name}() takes one argument, not {}", arguments.len()),
            ));
        };
        if name != "abs" && self.is_literal(argument) && !is_word(argument) {
            return Err(Fault::new(
                argument.span.clone(),
                format!("{name}() takes a field, not a constant"),
            ));
        }
        let literal_target = if name == "abs" { target } else { None };
        let inner = self.value(argument, literal_target)?;
        let boxed = Box::new(inner.value.clone());
        match name {
            "len" => Ok(Typed::new(Value::Length(boxed, inner.kind), Kind::Unsigned(32), span)),
            "count" => Ok(Typed::new(Value::Count(boxed), Kind::Unsigned(32), span)),
            "abs" if traits::can_negate(inner.kind) => {
                Ok(Typed::new(Value::Absolute(boxed), inner.kind, span))
            }
            "upper" if inner.kind == Kind::Text => {
                Ok(Typed::new(Value::Upper(boxed), Kind::Text, span))
            }
            "lower" if inner.kind == Kind::Text => {
                Ok(Typed::new(Value::Lower(boxed), Kind::Text, span))
            }
            "string" => match inner.value {
                Value::Field(source) if traits::can_string(inner.kind) => {
                    Ok(Typed::new(Value::Written(source), Kind::Text, span))
                }
                _ => Err(self.refused(name, &inner, "a field with a number or an address")),
            },
            "abs" => Err(self.refused(name, &inner, "a number or a span of time")),
            _ => Err(self.refused(name, &inner, "text")),
        }
    }

    fn refused(&self, name: &str, inner: &Typed, wanted: &str) -> Fault {
        Fault::new(
            inner.span.clone(),
            format!(
                "{name}() takes {wanted}; `{}` is {}",
                self.shown(&inner.span),
                traits::name(inner.kind)
            ),
        )
    }

    fn extreme(
        &mut self,
        largest: bool,
        arguments: &[Expression],
        name_span: &Range<usize>,
        span: &Range<usize>,
        target: Option<Target>,
    ) -> Result<Typed, Fault> {
        // The first argument with a kind of its own says what the constants become; it is compiled
        // once only, so that nested calls stay cheap.
        let place = arguments.iter().position(|argument| !self.is_literal(argument));
        let mut leader = match place.and_then(|place| arguments.get(place)) {
            Some(argument) => Some(self.value(argument, None)?),
            None => None,
        };
        let target = leader.as_ref().map(Typed::target).or(target);
        let mut typed: Vec<Typed> = Vec::with_capacity(arguments.len());
        for (index, argument) in arguments.iter().enumerate() {
            let next = match leader.take_if(|_| place == Some(index)) {
                Some(leader) => leader,
                None => self.value(argument, target)?,
            };
            if let Some(first) = typed.first()
                && !traits::compatible(first.kind, next.kind)
            {
                return Err(self.incompatible(first, &next));
            }
            if matches!(next.kind, Kind::Heading | Kind::Protocol) {
                let name = if largest { "max" } else { "min" };
                return Err(self.refused(name, &next, "values that have an order"));
            }
            typed.push(next);
        }
        let Some(kind) = typed.first().map(|first| first.kind) else {
            return Err(Fault::new(name_span.clone(), "this function needs at least one argument"));
        };
        let arguments = typed.into_iter().map(|argument| argument.value).collect();
        Ok(Typed::new(Value::Extreme { largest, arguments }, kind, span))
    }
}

/// Whether it is written as a bare word, so that the fault is an unknown name.
fn is_word(expression: &Expression) -> bool {
    matches!(&expression.kind, super::syntax::Kind::Word(word)
        if !word.starts_with(|first: char| first.is_ascii_digit()))
}
