//! Completion of filters: what may be written at a place of an expression, as data for a line editor.

use super::parser::{Token, tokens};
use super::syntax::{Arithmetic, Relation};
use super::{compile, kinds, literal};
use crate::field::{self, Display, Field, Kind};
use std::ops::Range;

/// The kind of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A protocol or a field.
    Field,
    /// A function; its text ends with the opening parenthesis.
    Function,
    /// An operator between or after values or tests.
    Operator,
    /// A value of the field on the other side of a comparison.
    Value,
    /// `not`, `any`, `all`.
    Keyword,
}

/// Something that may be written at the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The text to write.
    pub text: String,
    /// The kind of candidate.
    pub role: Role,
    /// A short description: a field's label, a value's number, what an operator does.
    pub label: String,
    /// The type of a field's values, in words with article; empty for other candidates.
    pub kind: String,
}

/// What may be written at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// The bytes of the text that a candidate replaces; empty, at the cursor, if nothing of it is written
    /// yet.
    pub span: Range<usize>,
    /// The candidates, most likely first.
    pub candidates: Vec<Candidate>,
    /// An example of how a value is written there, if one is expected: `192.0.2.1 or 192.0.2.0/24`.
    pub example: Option<&'static str>,
}

/// Returns what may be written at the cursor, a byte offset into an expression. Text after the cursor is
/// ignored. A cursor beyond the end, or within a character, is moved back to the previous character boundary.
pub fn complete(text: &str, cursor: usize) -> Completion {
    let mut cursor = cursor.min(text.len());
    while !text.is_char_boundary(cursor) {
        cursor -= 1;
    }
    let before = text.get(..cursor).unwrap_or("");
    let (start, quoted) = begun(before);
    let symbol = before.trim_end_matches(SYMBOLS).len();
    if start == cursor && symbol < start {
        // An operator that may continue, or a complete one and what follows it.
        let state = followed(before.get(..symbol).unwrap_or(""));
        if matches!(state.place, Place::Operator(_)) {
            let longer = candidates(&state, before, symbol, false);
            if !longer.candidates.is_empty() {
                return longer;
            }
        }
    }
    candidates(&followed(before.get(..start).unwrap_or("")), before, start, quoted)
}

/// Returns the candidates at the end of a text whose last word or string begins at `start`.
fn candidates(state: &State, before: &str, start: usize, quoted: bool) -> Completion {
    let prefix = before.get(start + usize::from(quoted)..).unwrap_or("").to_lowercase();
    let mut found = Found { prefix: &prefix, quoted, first: Vec::new(), then: Vec::new() };
    let example = found.at(state);
    let mut candidates = found.first;
    candidates.extend(found.then);
    Completion { span: start..before.len(), candidates, example }
}

/// Characters of operators that can be incomplete.
const SYMBOLS: [char; 7] = ['=', '!', '<', '>', '~', '&', '|'];

/// Returns the state at the end of a text. Errors in it are reported when the filter is compiled.
fn followed(text: &str) -> State {
    let mut state = State::default();
    for (token, _) in tokens(text).unwrap_or_default() {
        state.take(&token);
    }
    state
}

/// Returns where the word or string that ends at the cursor begins, and whether it is a string.
fn begun(before: &str) -> (usize, bool) {
    let mut open = None;
    let mut escaped = false;
    for (place, character) in before.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = open.is_some(),
            '"' => open = if open.is_some() { None } else { Some(place) },
            _ => {}
        }
    }
    if let Some(place) = open {
        return (place, true);
    }
    let word = before.rfind(|character: char| {
        !(character.is_alphanumeric() || matches!(character, '_' | '.' | ':' | '-'))
    });
    let after = |place: usize| before.get(place..).and_then(|rest| rest.chars().next());
    let mut start = word.map_or(0, |place| place + after(place).map_or(0, char::len_utf8));
    // Two points are a set operator; the word begins after them.
    if let Some(range) = before.get(start..).and_then(|word| word.rfind("..")) {
        start += range + 2;
    }
    // A word does not begin with a sign either.
    let signs =
        before.get(start..).map_or(0, |word| word.len() - word.trim_start_matches('-').len());
    (start + signs, false)
}

/// Candidates found so far: those that begin with the prefix, then those that contain it.
struct Found<'a> {
    prefix: &'a str,
    quoted: bool,
    first: Vec<Candidate>,
    then: Vec<Candidate>,
}

impl Found<'_> {
    /// Finds what the state allows; returns how a value is written.
    fn at(&mut self, state: &State) -> Option<&'static str> {
        match state.place {
            Place::Test => {
                self.fields(&|_| true);
                self.functions();
                self.words(QUANTIFIERS, Role::Keyword);
                None
            }
            Place::Value => {
                let function = match state.within() {
                    Within::Call(function) => function,
                    _ => "",
                };
                self.fields(&|field| takes(function, field.kind));
                self.functions();
                None
            }
            Place::Compared(left) => self.compared(left),
            Place::Operator(operand) => {
                self.operators(operand, state);
                None
            }
            Place::Joined => {
                self.words(JOINS, Role::Operator);
                None
            }
            Place::Set => {
                self.words(&[("{", "a set, such as {1, 3, 5..7}")], Role::Operator);
                None
            }
            Place::In => {
                self.words(&[("in", "none of a set")], Role::Operator);
                None
            }
            Place::Pattern => Some("\"^mpa id\""),
        }
    }

    /// Adds a candidate if what is written so far can become its name.
    fn add(&mut self, name: &str, candidate: impl FnOnce() -> Candidate) {
        let within = |start: &[u8]| start.eq_ignore_ascii_case(self.prefix.as_bytes());
        let length = self.prefix.len();
        if name.as_bytes().get(..length).is_some_and(within) {
            self.first.push(candidate());
        } else if length >= 2 && name.as_bytes().windows(length).any(within) {
            self.then.push(candidate());
        }
    }

    fn fields(&mut self, fits: &dyn Fn(&Field) -> bool) {
        if self.quoted {
            return;
        }
        for field in field::all().filter(|field| fits(field)) {
            self.add(field.name, || Candidate {
                text: field.name.to_owned(),
                role: Role::Field,
                label: field.label.to_owned(),
                kind: kinds::name(field.kind),
            });
        }
    }

    fn functions(&mut self) {
        self.words(&compile::FUNCTIONS, Role::Function);
    }

    fn words(&mut self, words: &[(&str, &str)], role: Role) {
        if self.quoted {
            return;
        }
        let open = if role == Role::Function { "(" } else { "" };
        for (word, label) in words {
            self.add(word, || Candidate {
                text: format!("{word}{open}"),
                role,
                label: (*label).to_owned(),
                kind: String::new(),
            });
        }
    }

    /// Finds what a value can be compared with: names of values, then fields.
    fn compared(&mut self, left: Operand) -> Option<&'static str> {
        if let Some(field) = left.field {
            self.values(field);
        }
        let kind = left.kind?;
        if kind == Kind::RelativeTime {
            self.units();
        }
        if kind != Kind::Heading {
            self.fields(&|field| left.compares_with(field.kind));
            self.functions();
        }
        Some(kinds::example(kind))
    }

    /// Finds the units of a time span, after its number.
    fn units(&mut self) {
        let number = !self.quoted
            && self.prefix.ends_with(|last: char| last.is_ascii_digit())
            && literal::relative(self.prefix).is_some();
        for (unit, label) in UNITS.iter().filter(|_| number) {
            let text = format!("{}{unit}", self.prefix);
            let (role, label) = (Role::Value, (*label).to_owned());
            self.first.push(Candidate { text, role, label, kind: String::new() });
        }
    }

    fn values(&mut self, field: &Field) {
        let names = match field.display {
            Display::Named(names) | Display::NamedHexadecimal(names) => names,
            _ if field.kind == Kind::Boolean => &[(1, "True"), (0, "False")],
            _ => return,
        };
        for (value, name) in names {
            let mut number = String::new();
            field.number_text(*value, &mut number);
            let candidate = || Candidate {
                text: format!("\"{name}\""),
                role: Role::Value,
                label: number.clone(),
                kind: String::new(),
            };
            let before = self.first.len() + self.then.len();
            self.add(name, candidate);
            if self.first.len() + self.then.len() == before {
                self.add(&number, candidate);
            }
        }
    }

    /// Finds what may follow a value, depending on its kind and on whether it is already compared.
    fn operators(&mut self, operand: Operand, state: &State) {
        let within = state.within();
        if let Some(kind) = operand.kind {
            if within == Within::Tests && state.first() && kinds::can_compare(kind) {
                self.words(COMPARISONS, Role::Operator);
                self.words(SETS, Role::Operator);
                if kinds::can_contain(kind) {
                    self.words(SEARCHES, Role::Operator);
                }
            }
            if kinds::can_slice(kind) {
                self.words(&[("[", "a slice, such as [0:4]")], Role::Operator);
            }
            for (operation, label) in ARITHMETIC {
                if kinds::can_compute(kind, *operation) {
                    self.words(&[(operation.symbol(), label)], Role::Operator);
                }
            }
        }
        self.words(
            match within {
                Within::Call(_) => &[(")", "ends the arguments"), (",", "the next argument")],
                Within::Set => &[(",", "the next element"), ("..", "to"), ("}", "ends the set")],
                Within::Braces => &[("}", "ends the group")],
                Within::Tests => JOINS,
            },
            Role::Operator,
        );
    }
}

const UNITS: &[(&str, &str)] =
    &[("ms", "milliseconds"), ("us", "microseconds"), ("s", "seconds"), ("ns", "nanoseconds")];

const QUANTIFIERS: &[(&str, &str)] = &[
    ("not", "the test fails"),
    ("any", "at least one of the values"),
    ("all", "every one of the values"),
];

const JOINS: &[(&str, &str)] =
    &[("and", "both tests"), ("or", "either test"), ("xor", "exactly one of two tests")];

const COMPARISONS: &[(&str, &str)] = &[
    ("==", "any value is equal"),
    ("!=", "all values differ"),
    (">", "greater"),
    (">=", "greater or equal"),
    ("<", "less"),
    ("<=", "less or equal"),
    ("===", "all values are equal"),
    ("!==", "any value differs"),
];

const SETS: &[(&str, &str)] =
    &[("in", "one of a set, such as {1, 3, 5..7}"), ("not in", "none of a set")];

const SEARCHES: &[(&str, &str)] =
    &[("contains", "bytes or text in it"), ("matches", "a regular expression matches")];

const ARITHMETIC: &[(Arithmetic, &str)] = &[
    (Arithmetic::And, "the bits set in both"),
    (Arithmetic::Add, "sum"),
    (Arithmetic::Subtract, "difference"),
    (Arithmetic::Multiply, "product"),
    (Arithmetic::Divide, "quotient"),
    (Arithmetic::Remainder, "remainder"),
];

// Determines what is expected at the end of an unfinished expression.

/// The last value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Operand {
    /// Its kind; `None` for a literal.
    pub(super) kind: Option<Kind>,
    /// The field, if the value is one whole field.
    pub(super) field: Option<&'static Field>,
    /// True for a slice, which is compared with the bytes of any value that has bytes.
    pub(super) slice: bool,
}

impl Operand {
    /// Returns whether it can be compared with a field of this kind.
    pub(super) fn compares_with(self, kind: Kind) -> bool {
        self.slice && kinds::can_slice(kind)
            || self.kind.is_some_and(|own| kinds::compatible(own, kind))
    }
}

/// What may follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Place {
    /// A test begins: a field, a function, `not`, `any`, `all`.
    #[default]
    Test,
    /// An operand of a test or an operation, or an argument of a function.
    Value,
    /// The other side of a comparison.
    Compared(Operand),
    /// A regular expression.
    Pattern,
    /// What may follow a value: an operator.
    Operator(Operand),
    /// What may follow a complete test: `and`, `or`, `xor`.
    Joined,
    /// `{`, after `in`.
    Set,
    /// `in`, after `not`.
    In,
}

/// Something that is not closed yet.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Open {
    /// Tests in parentheses.
    Group,
    /// Values in braces, within this comparison.
    Braces(Option<Operand>),
    /// A set, compared with this operand.
    Set(Operand),
    /// The arguments of a function within this comparison, and the kind of the previous ones.
    Call { function: String, outer: Option<Operand>, argument: Option<Kind> },
}

/// What encloses a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Within<'a> {
    /// Tests, in parentheses or not.
    Tests,
    Braces,
    Set,
    /// The arguments of this function.
    Call(&'a str),
}

/// A state machine that follows an expression, token by token.
#[derive(Debug, Default)]
pub(super) struct State {
    /// What may follow.
    pub(super) place: Place,
    open: Vec<Open>,
    /// The left side of the comparison whose right side is being written.
    left: Option<Operand>,
    /// The last value.
    operand: Operand,
    /// The kind of the value before an arithmetic operator.
    computed: Option<Kind>,
    /// The last word, which may turn out to be a function.
    word: String,
}

impl State {
    /// Returns what encloses the cursor.
    pub(super) fn within(&self) -> Within<'_> {
        match self.open.last() {
            Some(Open::Call { function, .. }) => Within::Call(function),
            Some(Open::Set(_)) => Within::Set,
            Some(Open::Braces(_)) => Within::Braces,
            Some(Open::Group) | None => Within::Tests,
        }
    }

    /// Returns true after the first value of a test.
    pub(super) fn first(&self) -> bool {
        self.left.is_none()
    }

    /// Advances by the next token.
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
        // A literal takes the kind of the value that it is computed with.
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

/// Returns the kind of what a function yields.
fn result(function: &str, argument: Option<Kind>) -> Option<Kind> {
    match function {
        "len" | "count" => Some(Kind::Unsigned(32)),
        "upper" | "lower" | "string" => Some(Kind::Text),
        _ => argument,
    }
}

/// Returns whether a field may be an argument of the function.
pub(super) fn takes(function: &str, kind: Kind) -> bool {
    match function {
        "upper" | "lower" => kind == Kind::Text,
        "string" => kinds::can_string(kind),
        "abs" => kinds::can_negate(kind),
        "max" | "min" => !matches!(kind, Kind::Heading | Kind::Protocol),
        _ => true,
    }
}
