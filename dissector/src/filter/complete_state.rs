//! What is expected at the end of an unfinished expression.

use super::lexer::Token;
use super::syntax::Relation;
use super::traits;
use crate::field::{self, Field, Kind};

/// What the last value is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Operand {
    /// Its kind; none for a literal.
    pub(super) kind: Option<Kind>,
    /// The field, when it is one whole field.
    pub(super) field: Option<&'static Field>,
    /// True for a slice, which is compared with the bytes of whatever has any.
    pub(super) slice: bool,
}

impl Operand {
    /// Whether it can be compared with a field of this kind.
    pub(super) fn compares_with(self, kind: Kind) -> bool {
        self.slice && traits::can_slice(kind)
            || self.kind.is_some_and(|own| traits::compatible(own, kind))
    }
}

/// What may follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A test begins: a field, a function, `not`, `any`, `all`.
    Test,
    /// A value that a test or an operation takes; of the arguments of a function, its name.
    Value,
    /// The other side of a comparison.
    Compared(Operand),
    /// A regular expression.
    Pattern,
    /// What goes on behind a value: an operator.
    Operator(Operand),
    /// What goes on behind a whole test: `and`, `or`, `xor`.
    Joined,
    /// `{`, behind `in`.
    Set,
    /// `in`, behind `not`.
    In,
}

/// What is not closed yet.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Open {
    /// Tests in parentheses.
    Group,
    /// Values in braces, within this comparison.
    Braces(Option<Operand>),
    /// A set, compared with this.
    Set(Operand),
    /// The arguments of a function, within this comparison, and the kind of those before.
    Call { function: String, outer: Option<Operand>, argument: Option<Kind> },
}

/// What a place stands within.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Within<'a> {
    /// Tests, in parentheses or not.
    Tests,
    /// Values in braces.
    Braces,
    /// A set.
    Set,
    /// The arguments of this function.
    Call(&'a str),
}

/// Follows an expression, token by token.
#[derive(Debug)]
pub(super) struct State {
    /// What may follow.
    pub(super) place: Place,
    open: Vec<Open>,
    /// The left side of the comparison whose right side is being written.
    left: Option<Operand>,
    /// The last value.
    operand: Operand,
    /// The kind of what stands before an arithmetic operator.
    computed: Option<Kind>,
    /// The last word, which may turn out to be a function.
    word: String,
}

impl Default for State {
    fn default() -> Self {
        Self {
            place: Place::Test,
            open: Vec::new(),
            left: None,
            operand: Operand::default(),
            computed: None,
            word: String::new(),
        }
    }
}

impl State {
    /// What the cursor stands within.
    pub(super) fn within(&self) -> Within<'_> {
        match self.open.last() {
            Some(Open::Call { function, .. }) => Within::Call(function),
            Some(Open::Set(_)) => Within::Set,
            Some(Open::Braces(_)) => Within::Braces,
            Some(Open::Group) | None => Within::Tests,
        }
    }

    /// True behind a value that is the first one of its test.
    pub(super) fn first(&self) -> bool {
        self.left.is_none()
    }

    /// Takes the next token.
    pub(super) fn take(&mut self, token: &Token) {
        match token {
            Token::Word(word) => {
                let field = field::find(word.strip_prefix('.').unwrap_or(word));
                self.word.clone_from(word);
                self.value(Operand { kind: field.map(|field| field.kind), field, slice: false });
            }
            Token::Quoted(_) | Token::Character(_) => self.value(Operand::default()),
            Token::Slice(_) => {
                self.value(Operand { kind: Some(Kind::Bytes), field: None, slice: true });
            }
            Token::Layer(_) => {}
            Token::Relation(Relation::Matches) => self.place = Place::Pattern,
            Token::Relation(_) => {
                self.left = Some(self.operand);
                self.place = Place::Compared(self.operand);
            }
            Token::Arithmetic(_) => {
                self.computed = self.operand.kind;
                self.expect_value();
            }
            Token::And | Token::Or | Token::Xor => self.test(),
            Token::Not if matches!(self.place, Place::Operator(_)) => self.place = Place::In,
            Token::Not => self.place = Place::Test,
            Token::In => self.place = Place::Set,
            Token::Quantifier(_) => self.place = Place::Value,
            Token::ParenthesisOpen => self.parenthesis(),
            Token::BraceOpen => self.brace(),
            Token::Comma | Token::Range => {
                if let Some(Open::Call { argument, .. }) = self.open.last_mut() {
                    *argument = argument.or(self.operand.kind);
                }
                self.expect_value();
            }
            Token::ParenthesisClose | Token::BraceClose => self.close(),
        }
    }

    fn value(&mut self, operand: Operand) {
        if self.place == Place::Pattern {
            self.place = Place::Joined;
            return;
        }
        // A literal becomes what it is computed with.
        let computed = self.computed.take();
        self.operand = Operand { kind: operand.kind.or(computed), ..operand };
        self.place = Place::Operator(self.operand);
    }

    fn expect_value(&mut self) {
        self.place = match (self.open.last(), self.left) {
            (Some(Open::Call { .. }), _) | (_, None) => Place::Value,
            (_, Some(left)) => Place::Compared(left),
        };
    }

    fn test(&mut self) {
        self.left = None;
        self.operand = Operand::default();
        self.place = Place::Test;
    }

    fn parenthesis(&mut self) {
        if matches!(self.place, Place::Operator(_)) {
            let (function, outer) = (std::mem::take(&mut self.word), self.left);
            self.open.push(Open::Call { function, outer, argument: None });
            self.operand = Operand::default();
            self.place = Place::Value;
        } else {
            self.open.push(Open::Group);
            self.test();
        }
    }

    fn brace(&mut self) {
        if self.place == Place::Set {
            self.left = Some(self.operand);
            self.open.push(Open::Set(self.operand));
        } else {
            self.open.push(Open::Braces(self.left));
        }
        self.expect_value();
    }

    fn close(&mut self) {
        self.place = match self.open.pop() {
            Some(Open::Group | Open::Set(_)) | None => {
                self.left = None;
                Place::Joined
            }
            Some(Open::Braces(outer)) => {
                self.left = outer;
                Place::Operator(self.operand)
            }
            Some(Open::Call { function, outer, argument }) => {
                self.left = outer;
                let kind = result(&function, argument.or(self.operand.kind));
                self.operand = Operand { kind, ..Operand::default() };
                Place::Operator(self.operand)
            }
        };
    }
}

/// The kind of what a function yields.
fn result(function: &str, argument: Option<Kind>) -> Option<Kind> {
    match function {
        "len" | "count" => Some(Kind::Unsigned(32)),
        "upper" | "lower" | "string" => Some(Kind::Text),
        _ => argument,
    }
}

/// Whether a field may be an argument of the function.
pub(super) fn takes(function: &str, kind: Kind) -> bool {
    match function {
        "upper" | "lower" => kind == Kind::Text,
        "string" => traits::can_string(kind),
        "abs" => traits::can_negate(kind),
        "max" | "min" => !matches!(kind, Kind::Heading | Kind::Protocol),
        _ => true,
    }
}
