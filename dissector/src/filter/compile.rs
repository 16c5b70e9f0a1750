//! Compiles tests from the syntax tree.

use super::evaluate::{Element, Program, Value};
use super::kinds;
use super::literal::Target;
use super::syntax::{Expression, Fault, Kind as Syntax, Names, Quantifier, Relation, Test};
use super::values::{Compiler, Typed};
use crate::field::Kind;
use regex::bytes::{Regex, RegexBuilder};
use std::fmt::Write as _;
use std::ops::Range;
use warpscope_text::suggest;

pub(super) fn compile(text: &str, test: &Test, names: Names<'_>) -> Result<Program, Fault> {
    Compiler { text, names }.test(test)
}

impl Compiler<'_> {
    fn test(&mut self, test: &Test) -> Result<Program, Fault> {
        let mut all = |tests: &[Test]| {
            tests.iter().map(|test| self.test(test)).collect::<Result<Vec<_>, _>>()
        };
        Ok(match test {
            Test::All(tests) => Program::All(all(tests)?),
            Test::Any(tests) => Program::Any(all(tests)?),
            Test::Odd(tests) => Program::Odd(all(tests)?),
            Test::Not(test) => Program::Not(Box::new(self.test(test)?)),
            Test::Present(expression) => self.present(expression)?,
            Test::Relation { relation, quantifier, left, right } => {
                self.relation(*relation, *quantifier, left, right)?
            }
            Test::Member { quantifier, left, set } => self.member(*quantifier, left, set)?,
        })
    }

    fn present(&mut self, expression: &Expression) -> Result<Program, Fault> {
        if matches!(expression.kind, Syntax::Call { .. }) {
            // An unknown function or a wrong argument is the more serious fault.
            self.value(expression, None)?;
            return Err(Fault::new(
                expression.span.clone(),
                "the result of a function is not a test; compare it, as in len(tcp.payload) > 0",
            ));
        }
        let typed = self.value(expression, None)?;
        Ok(match typed.value {
            Value::Field(_) => Program::Present(typed.value),
            Value::Slice(..) => Program::NotEmpty(typed.value),
            _ => Program::Set(typed.value),
        })
    }

    /// Compiles both sides, each literal read as the kind of the other side.
    fn sides(
        &mut self,
        left: &Expression,
        right: &Expression,
        partial: bool,
    ) -> Result<(Typed, Typed), Fault> {
        match (self.is_literal(left), self.is_literal(right)) {
            (true, true) => Err(self.constant(left, right)),
            (true, false) => {
                let right = self.value(right, None)?;
                let left = self.value(left, Some(right.target()))?;
                Ok((left, right))
            }
            _ => {
                let left = self.value(left, None)?;
                self.check_comparable(&left)?;
                let target = Target { partial, ..left.target() };
                let right = self.value(right, Some(target))?;
                Ok((left, right))
            }
        }
    }

    /// Returns the fault for a comparison without any field.
    fn constant(&self, left: &Expression, right: &Expression) -> Fault {
        match &left.kind {
            Syntax::Word(word)
                if word.starts_with(|first: char| first.is_alphabetic() || first == '_') =>
            {
                self.unknown(word, &left.span)
            }
            _ => Fault::new(
                left.span.start..right.span.end,
                format!(
                    "neither `{}` nor `{}` is a field: constants alone are not a test",
                    self.shown(&left.span),
                    self.shown(&right.span)
                ),
            ),
        }
    }

    fn check_comparable(&self, typed: &Typed) -> Result<(), Fault> {
        if kinds::can_compare(typed.kind) {
            return Ok(());
        }
        Err(Fault::new(
            typed.span.clone(),
            format!(
                "`{}` is {} and cannot be compared; test only its presence",
                self.shown(&typed.span),
                kinds::name(typed.kind)
            ),
        ))
    }

    /// Converts both sides to bytes if one is a slice, or rejects them.
    fn reconcile(&self, left: Typed, right: Typed) -> Result<(Typed, Typed), Fault> {
        self.check_comparable(&left)?;
        self.check_comparable(&right)?;
        if kinds::compatible(left.kind, right.kind) {
            return Ok((left, right));
        }
        if matches!(left.value, Value::Slice(..)) && kinds::can_slice(right.kind) {
            return Ok((left, right.into_bytes()));
        }
        if matches!(right.value, Value::Slice(..)) && kinds::can_slice(left.kind) {
            return Ok((left.into_bytes(), right));
        }
        Err(self.incompatible(&left, &right))
    }

    fn relation(
        &mut self,
        relation: Relation,
        quantifier: Option<Quantifier>,
        left: &Expression,
        right: &Expression,
    ) -> Result<Program, Fault> {
        let any = quantifier.unwrap_or(Quantifier::Any);
        match relation {
            Relation::Compare(comparison, usual) => {
                let (left, right) = self.sides(left, right, false)?;
                let (left, right) = self.reconcile(left, right)?;
                let quantifier = quantifier.unwrap_or(usual);
                let (left, right) = (left.value, right.value);
                Ok(Program::Compare { comparison, quantifier, left, right })
            }
            Relation::Contains => {
                if !self.is_literal(left) {
                    let container = self.value(left, None)?;
                    self.check_contains(&container, "contains")?;
                }
                let (left, right) = self.sides(left, right, true)?;
                let (left, right) = self.reconcile(left, right)?;
                self.check_contains(&left, "contains")?;
                Ok(Program::Contains { quantifier: any, left: left.value, right: right.value })
            }
            Relation::Matches => {
                let left = self.value(left, None)?;
                self.check_contains(&left, "matches")?;
                let regex = self.regex(right)?;
                Ok(Program::Matches { quantifier: any, left: left.value, regex })
            }
        }
    }

    fn check_contains(&self, typed: &Typed, operator: &str) -> Result<(), Fault> {
        if kinds::can_contain(typed.kind) {
            return Ok(());
        }
        let shown = self.shown(&typed.span);
        let advice = if kinds::can_string(typed.kind) {
            format!("; search its text, as in string({shown}) {operator} \"1\"")
        } else {
            String::new()
        };
        Err(Fault::new(
            typed.span.clone(),
            format!(
                "`{shown}` is {}: `{operator}` searches protocols, bytes, text and Ethernet addresses{advice}",
                kinds::name(typed.kind)
            ),
        ))
    }

    fn regex(&self, right: &Expression) -> Result<Regex, Fault> {
        let Syntax::Quoted(pattern) = &right.kind else {
            return Err(Fault::new(
                right.span.clone(),
                "`matches` takes a regular expression in double quotes, such as \"^mpa id\"",
            ));
        };
        let mut text = String::new();
        for byte in pattern {
            if byte.is_ascii() {
                text.push(char::from(*byte));
            } else {
                let written = write!(text, "\\x{byte:02x}");
                debug_assert!(written.is_ok());
            }
        }
        RegexBuilder::new(&text).case_insensitive(true).unicode(false).build().map_err(|error| {
            let reason = match &error {
                regex::Error::Syntax(message) => {
                    message.rsplit("error: ").next().unwrap_or("").trim().to_owned()
                }
                other => other.to_string(),
            };
            Fault::new(
                right.span.clone(),
                format!("this is not a valid regular expression: {reason}"),
            )
        })
    }

    fn member(
        &mut self,
        quantifier: Quantifier,
        left: &Expression,
        set: &[(Expression, Option<Expression>)],
    ) -> Result<Program, Fault> {
        let left = self.value(left, None)?;
        self.check_comparable(&left)?;
        let mut elements = Vec::with_capacity(set.len());
        for (low, high) in set {
            let mut element = |expression: &Expression| -> Result<Value, Fault> {
                let element = self.value(expression, Some(left.target()))?;
                if left.kind == Kind::Heading || !kinds::compatible(left.kind, element.kind) {
                    return Err(self.incompatible(&left, &element));
                }
                Ok(element.value)
            };
            let low = element(low)?;
            elements.push(match high {
                Some(high) => Element::Range(low, element(high)?),
                None => Element::One(low),
            });
        }
        Ok(Program::Member { quantifier, left: left.value, set: elements })
    }
}

/// The functions, with a short description of what each one yields.
pub(super) const FUNCTIONS: [(&str, &str); 8] = [
    ("len", "bytes of a value"),
    ("count", "how many values a field has"),
    ("upper", "text in capitals"),
    ("lower", "text in small letters"),
    ("string", "a number or address as text"),
    ("max", "the largest value"),
    ("min", "the smallest value"),
    ("abs", "without sign"),
];

impl Compiler<'_> {
    pub(super) fn call(
        &mut self,
        name: &str,
        name_span: &Range<usize>,
        arguments: &[Expression],
        span: &Range<usize>,
        target: Option<Target>,
    ) -> Result<Typed, Fault> {
        let names = FUNCTIONS.map(|(name, _)| name);
        if !names.contains(&name) {
            return Err(Fault::new(
                name_span.clone(),
                match suggest(name, names) {
                    Some(known) => {
                        format!("there is no function `{name}`; did you mean `{known}`?")
                    }
                    None => {
                        format!(
                            "there is no function `{name}`; the functions are {}",
                            names.join(", ")
                        )
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
            "abs" if kinds::can_negate(inner.kind) => {
                Ok(Typed::new(Value::Absolute(boxed), inner.kind, span))
            }
            "upper" if inner.kind == Kind::Text => {
                Ok(Typed::new(Value::Upper(boxed), Kind::Text, span))
            }
            "lower" if inner.kind == Kind::Text => {
                Ok(Typed::new(Value::Lower(boxed), Kind::Text, span))
            }
            "string" => match inner.value {
                Value::Field(source) if kinds::can_string(inner.kind) => {
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
                kinds::name(inner.kind)
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
        // The first argument with a kind of its own determines what the constants become. It is compiled only
        // once, so that nested calls stay cheap.
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
                && !kinds::compatible(first.kind, next.kind)
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

/// Returns whether the expression is a bare word, so that the fault is an unknown name.
fn is_word(expression: &Expression) -> bool {
    matches!(&expression.kind, super::syntax::Kind::Word(word)
        if !word.starts_with(|first: char| first.is_ascii_digit()))
}
