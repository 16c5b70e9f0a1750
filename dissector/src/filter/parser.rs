//! From tokens to the syntax tree.
//!
//! From loosest to tightest: `or`, `xor`, `and`, `not`, comparisons, `&`, `+` and `-`, `*` `/` `%`.

use super::error::Fault;
use super::lexer::{Token, WORDS, tokens};
use super::names::nearest_word;
use super::syntax::{Arithmetic, DEPTH_LIMIT, Expression, Kind, Quantifier, Relation, Test};
use std::ops::Range;

/// Parses an expression; an empty one is true of every tree.
pub(super) fn parse(text: &str) -> Result<Test, Fault> {
    let tokens = tokens(text)?;
    if tokens.is_empty() {
        return Ok(Test::All(Vec::new()));
    }
    let mut parser = Parser { text, tokens: &tokens, position: 0, depth: 0 };
    let test = parser.logic(0)?;
    match parser.peek() {
        None => Ok(test),
        Some(Token::ParenthesisClose) => Err(parser.fault("this parenthesis was never opened")),
        Some(Token::BraceClose) => Err(parser.fault("this brace was never opened")),
        Some(Token::Word(word)) if nearest_word(word, &WORDS).is_some() => {
            let known = nearest_word(word, &WORDS).unwrap_or_default();
            Err(parser.fault(format!("`{word}` is no operator; did you mean `{known}`?")))
        }
        Some(_) => Err(parser.unexpected("an operator such as and, or, == or `in`")),
    }
}

struct Parser<'a> {
    text: &'a str,
    tokens: &'a [(Token, Range<usize>)],
    position: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.position).map(|(token, _)| token)
    }

    fn peek_second(&self) -> Option<&'a Token> {
        self.tokens.get(self.position + 1).map(|(token, _)| token)
    }

    /// Where the next token stands; empty and at the end when there is none.
    fn span(&self) -> Range<usize> {
        let end = self.text.len();
        self.tokens.get(self.position).map_or(end..end, |(_, span)| span.clone())
    }

    /// Where the token before stood.
    fn last_end(&self) -> usize {
        self.position
            .checked_sub(1)
            .and_then(|before| self.tokens.get(before))
            .map_or(0, |(_, span)| span.end)
    }

    /// Takes the next token if it is that one.
    fn take(&mut self, wanted: &Token) -> bool {
        let found = self.peek() == Some(wanted);
        self.position += usize::from(found);
        found
    }

    fn fault(&self, message: impl Into<String>) -> Fault {
        Fault::new(self.span(), message)
    }

    fn unexpected(&self, wanted: &str) -> Fault {
        let span = self.span();
        match self.text.get(span.clone()).filter(|shown| !shown.is_empty()) {
            Some(shown) => self.fault(format!("`{shown}` is unexpected here; expected {wanted}")),
            None => self.fault(format!("the expression ends too early; expected {wanted}")),
        }
    }

    fn enter(&mut self) -> Result<(), Fault> {
        self.depth += 1;
        if self.depth > DEPTH_LIMIT { Err(self.too_deep(self.span())) } else { Ok(()) }
    }

    fn too_deep(&self, span: Range<usize>) -> Fault {
        Fault::new(span, format!("the expression nests deeper than {DEPTH_LIMIT} levels"))
    }

    fn expression(&self, kind: Kind, start: usize) -> Result<Expression, Fault> {
        let expression = Expression::new(kind, start..self.last_end());
        if expression.depth > DEPTH_LIMIT {
            return Err(self.too_deep(expression.span));
        }
        Ok(expression)
    }

    /// Tests joined by operators that bind more tightly than `above`.
    fn logic(&mut self, above: u8) -> Result<Test, Fault> {
        let mut left = self.not()?;
        loop {
            let operator = self.peek();
            let (precedence, join): (u8, fn(Vec<Test>) -> Test) = match operator {
                Some(Token::Or) => (1, Test::Any),
                Some(Token::Xor) => (2, Test::Odd),
                Some(Token::And) => (3, Test::All),
                _ => return Ok(left),
            };
            if precedence <= above {
                return Ok(left);
            }
            let mut tests = vec![left];
            while self.peek() == operator {
                self.position += 1;
                tests.push(self.logic(precedence)?);
            }
            left = join(tests);
        }
    }

    fn not(&mut self) -> Result<Test, Fault> {
        let mut negated = false;
        while self.take(&Token::Not) {
            negated = !negated;
        }
        let test = self.primary_test()?;
        Ok(if negated { Test::Not(Box::new(test)) } else { test })
    }

    fn primary_test(&mut self) -> Result<Test, Fault> {
        let open = self.span();
        if !self.take(&Token::ParenthesisOpen) {
            return self.relation();
        }
        self.enter()?;
        let test = self.logic(0)?;
        self.close(&Token::ParenthesisClose, "parenthesis", open)?;
        self.depth -= 1;
        if let Some(Token::Relation(_) | Token::Arithmetic(_) | Token::In | Token::Slice(_)) =
            self.peek()
        {
            return Err(self.unexpected(
                "and, or, or the end: parentheses group tests; values are grouped by braces, such as {tcp.srcport + 1} * 2",
            ));
        }
        Ok(test)
    }

    /// Takes what closes a group, or blames what opened it.
    fn close(&mut self, wanted: &Token, what: &str, open: Range<usize>) -> Result<(), Fault> {
        if self.take(wanted) {
            return Ok(());
        }
        match self.peek() {
            None => Err(Fault::new(open, format!("this {what} is never closed"))),
            Some(_) => Err(self.unexpected(match wanted {
                Token::ParenthesisClose => "`)` or an operator",
                _ => "`}` or an operator",
            })),
        }
    }

    fn relation(&mut self) -> Result<Test, Fault> {
        let quantifier = match self.peek() {
            Some(Token::Quantifier(quantifier)) => {
                self.position += 1;
                Some(*quantifier)
            }
            _ => None,
        };
        let left = self.arithmetic(0)?;
        let negated_set =
            self.peek() == Some(&Token::Not) && self.peek_second() == Some(&Token::In);
        self.position += usize::from(negated_set);
        match self.peek() {
            Some(Token::In) => {
                self.position += 1;
                let set = self.set()?;
                let quantifier = quantifier.unwrap_or(Quantifier::Any);
                let member = Test::Member { quantifier, left, set };
                Ok(if negated_set { Test::Not(Box::new(member)) } else { member })
            }
            Some(Token::Relation(_)) => self.comparisons(quantifier, left),
            _ if quantifier.is_some() => Err(self.unexpected("a comparison after any or all")),
            _ => Ok(Test::Present(left)),
        }
    }

    /// `a < b`, and the chain `a < b < c`, which is `a < b and b < c`.
    fn comparisons(
        &mut self,
        quantifier: Option<Quantifier>,
        first: Expression,
    ) -> Result<Test, Fault> {
        let mut left = first;
        let mut tests = Vec::new();
        while let Some(Token::Relation(relation)) = self.peek() {
            let chained = matches!(relation, Relation::Compare(..));
            if !chained && !tests.is_empty() {
                return Err(self.unexpected("a comparison such as == or <"));
            }
            self.position += 1;
            let right = self.arithmetic(0)?;
            let next = right.clone();
            tests.push(Test::Relation { relation: *relation, quantifier, left, right });
            left = next;
            if !chained {
                break;
            }
        }
        Ok(match tests.len() {
            1 => tests.remove(0),
            _ => Test::All(tests),
        })
    }

    fn set(&mut self) -> Result<Vec<(Expression, Option<Expression>)>, Fault> {
        let open = self.span();
        if !self.take(&Token::BraceOpen) {
            return Err(self.unexpected("a set in braces, such as {1, 3, 5..7}"));
        }
        let mut set = Vec::new();
        loop {
            let low = self.arithmetic(0)?;
            let high = if self.take(&Token::Range) { Some(self.arithmetic(0)?) } else { None };
            set.push((low, high));
            if self.take(&Token::Comma) {
                continue;
            }
            if self.take(&Token::BraceClose) {
                return Ok(set);
            }
            return Err(match self.peek() {
                None => Fault::new(open, "this brace is never closed"),
                Some(Token::Word(_) | Token::Quoted(_) | Token::Character(_)) => self
                    .fault("the elements of a set are separated by commas, such as {1, 3, 5..7}"),
                Some(_) => self.unexpected("a comma, `..` or `}`"),
            });
        }
    }

    fn arithmetic(&mut self, above: u8) -> Result<Expression, Fault> {
        let start = self.span().start;
        let mut left = self.signed()?;
        while let Some(Token::Arithmetic(operator)) = self.peek() {
            if operator.precedence() <= above {
                break;
            }
            self.position += 1;
            let right = self.arithmetic(operator.precedence())?;
            let kind = Kind::Binary(*operator, Box::new(left), Box::new(right));
            left = self.expression(kind, start)?;
        }
        Ok(left)
    }

    fn signed(&mut self) -> Result<Expression, Fault> {
        let start = self.span().start;
        if self.take(&Token::Arithmetic(Arithmetic::Subtract)) {
            let value = self.value()?;
            return self.expression(Kind::Negated(Box::new(value)), start);
        }
        self.take(&Token::Arithmetic(Arithmetic::Add));
        self.value()
    }

    fn value(&mut self) -> Result<Expression, Fault> {
        let span = self.span();
        let start = span.start;
        let kind = match self.peek() {
            Some(Token::Word(word)) => {
                self.position += 1;
                self.word(word, span)?
            }
            Some(Token::Quoted(bytes)) => {
                self.position += 1;
                Kind::Quoted(bytes.clone())
            }
            Some(Token::Character(byte)) => {
                self.position += 1;
                Kind::Character(*byte)
            }
            Some(Token::BraceOpen) => {
                self.position += 1;
                self.enter()?;
                let inner = self.arithmetic(0)?;
                self.close(&Token::BraceClose, "brace", span)?;
                self.depth -= 1;
                return Ok(Expression { span: start..self.last_end(), ..inner });
            }
            Some(Token::ParenthesisOpen) => {
                return Err(self.unexpected(
                    "a value; values are grouped by braces, such as {tcp.srcport + 1} * 2",
                ));
            }
            _ => return Err(self.unexpected("a field, a protocol or a value")),
        };
        let mut value = self.expression(kind, start)?;
        while let Some(Token::Slice(ranges)) = self.peek() {
            self.position += 1;
            value = self.expression(Kind::Slice(Box::new(value), ranges.clone()), start)?;
        }
        Ok(value)
    }

    /// A field with or without layer, a function call, or a literal.
    fn word(&mut self, word: &str, span: Range<usize>) -> Result<Kind, Fault> {
        if let Some(Token::Layer(ranges)) = self.peek() {
            self.position += 1;
            let name = word.strip_prefix('.').unwrap_or(word).to_owned();
            return Ok(Kind::Field { name, layers: Some(ranges.clone()) });
        }
        if self.peek() == Some(&Token::ParenthesisOpen) {
            return self.call(word, span);
        }
        Ok(match word.strip_prefix('.') {
            Some(name) => Kind::Field { name: name.to_owned(), layers: None },
            None => Kind::Word(word.to_owned()),
        })
    }

    fn call(&mut self, name: &str, name_span: Range<usize>) -> Result<Kind, Fault> {
        let open = self.span();
        self.position += 1;
        self.enter()?;
        let mut arguments = Vec::new();
        if self.peek() != Some(&Token::ParenthesisClose) {
            arguments.push(self.arithmetic(0)?);
            while self.take(&Token::Comma) {
                arguments.push(self.arithmetic(0)?);
            }
        }
        self.close(&Token::ParenthesisClose, "parenthesis", open)?;
        self.depth -= 1;
        Ok(Kind::Call { name: name.to_owned(), name_span, arguments })
    }
}
