//! Parses tokens into the syntax tree.
//!
//! Precedence, lowest first: `or`, `xor`, `and`, `not`, comparisons, `&`, `+` and `-`, `*` `/` `%`.

use super::syntax::{
    Arithmetic, Comparison, DEPTH_LIMIT, Expression, Fault, Kind, Quantifier, Relation, Test,
};
use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;
use warpscope_text::suggest;

/// Parses an expression; an empty one is true for every tree.
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
        Some(token) => Err(match token {
            Token::Word(word) => suggest(word, WORDS).map(|known| {
                parser.fault(format!("`{word}` is not an operator; did you mean `{known}`?"))
            }),
            _ => None,
        }
        .unwrap_or_else(|| parser.unexpected("an operator such as and, or, == or `in`"))),
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

    /// Returns the span of the next token; empty, at the end, if there is none.
    fn span(&self) -> Range<usize> {
        let end = self.text.len();
        self.tokens.get(self.position).map_or(end..end, |(_, span)| span.clone())
    }

    /// Returns the end of the previous token.
    fn last_end(&self) -> usize {
        self.position
            .checked_sub(1)
            .and_then(|before| self.tokens.get(before))
            .map_or(0, |(_, span)| span.end)
    }

    /// Consumes the next token if it is the wanted one.
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

    /// Parses tests joined by operators that bind more tightly than `above`.
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

    /// Consumes the token that closes a group, or reports the one that opened it.
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

    /// Parses `a < b`, and the chain `a < b < c`, which means `a < b and b < c`.
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

    /// Parses a field with or without layer, a function call, or a literal.
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

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A name or a literal.
    Word(String),
    Quoted(Vec<u8>),
    Character(u8),
    Slice(Vec<super::literal::Span>),
    Layer(Vec<super::literal::Span>),
    Relation(Relation),
    Arithmetic(Arithmetic),
    And,
    Or,
    Xor,
    Not,
    In,
    Quantifier(Quantifier),
    ParenthesisOpen,
    ParenthesisClose,
    BraceOpen,
    BraceClose,
    Comma,
    Range,
}

/// Returns the tokens of an expression with their spans.
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, Range<usize>)>, Fault> {
    let mut lexer = Lexer { text, position: 0 };
    let mut tokens = Vec::new();
    while let Some(token) = lexer.next_token()? {
        tokens.push(token);
    }
    Ok(tokens)
}

struct Lexer<'a> {
    text: &'a str,
    position: usize,
}

const SYMBOLS: &[(&str, Token)] = &[
    ("===", compare(Comparison::Equal, Quantifier::All)),
    ("!==", compare(Comparison::NotEqual, Quantifier::Any)),
    ("==", compare(Comparison::Equal, Quantifier::Any)),
    ("!=", compare(Comparison::NotEqual, Quantifier::All)),
    ("~=", compare(Comparison::NotEqual, Quantifier::Any)),
    (">=", compare(Comparison::GreaterOrEqual, Quantifier::Any)),
    ("<=", compare(Comparison::LessOrEqual, Quantifier::Any)),
    ("&&", Token::And),
    ("||", Token::Or),
    ("^^", Token::Xor),
    ("..", Token::Range),
    (">", compare(Comparison::Greater, Quantifier::Any)),
    ("<", compare(Comparison::Less, Quantifier::Any)),
    ("~", Token::Relation(Relation::Matches)),
    ("!", Token::Not),
    ("&", Token::Arithmetic(Arithmetic::And)),
    ("+", Token::Arithmetic(Arithmetic::Add)),
    ("-", Token::Arithmetic(Arithmetic::Subtract)),
    ("*", Token::Arithmetic(Arithmetic::Multiply)),
    ("/", Token::Arithmetic(Arithmetic::Divide)),
    ("%", Token::Arithmetic(Arithmetic::Remainder)),
    ("(", Token::ParenthesisOpen),
    (")", Token::ParenthesisClose),
    ("{", Token::BraceOpen),
    ("}", Token::BraceClose),
    (",", Token::Comma),
];

const fn compare(comparison: Comparison, quantifier: Quantifier) -> Token {
    Token::Relation(Relation::Compare(comparison, quantifier))
}

/// Words that may follow a value.
#[rustfmt::skip]
pub(super) const WORDS: [&str; 18] = [
    "eq", "ne", "gt", "ge", "lt", "le", "any_eq", "all_eq", "any_ne", "all_ne", "contains",
    "matches", "bitwise_and", "bitand", "and", "or", "xor", "in",
];

fn keyword(word: &str) -> Option<Token> {
    Some(match word {
        "eq" | "any_eq" => compare(Comparison::Equal, Quantifier::Any),
        "all_eq" => compare(Comparison::Equal, Quantifier::All),
        "ne" | "all_ne" => compare(Comparison::NotEqual, Quantifier::All),
        "any_ne" => compare(Comparison::NotEqual, Quantifier::Any),
        "gt" => compare(Comparison::Greater, Quantifier::Any),
        "ge" => compare(Comparison::GreaterOrEqual, Quantifier::Any),
        "lt" => compare(Comparison::Less, Quantifier::Any),
        "le" => compare(Comparison::LessOrEqual, Quantifier::Any),
        "contains" => Token::Relation(Relation::Contains),
        "matches" => Token::Relation(Relation::Matches),
        "bitwise_and" | "bitand" => Token::Arithmetic(Arithmetic::And),
        "and" => Token::And,
        "or" => Token::Or,
        "xor" => Token::Xor,
        "not" => Token::Not,
        "in" => Token::In,
        "any" => Token::Quantifier(Quantifier::Any),
        "all" => Token::Quantifier(Quantifier::All),
        _ => return None,
    })
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | ':' | '.' | '-')
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.position..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Consumes the next character.
    fn bump(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.position += character.len_utf8();
        Some(character)
    }

    fn next_token(&mut self) -> Result<Option<(Token, Range<usize>)>, Fault> {
        while self.peek().is_some_and(char::is_whitespace) {
            self.bump();
        }
        let start = self.position;
        let Some(first) = self.peek() else { return Ok(None) };
        let second = self.rest().chars().nth(1);
        let token = match (first, second) {
            ('"', _) => {
                self.bump();
                Token::Quoted(self.quoted(start, '"', false)?)
            }
            ('r' | 'R', Some('"')) => {
                self.bump();
                self.bump();
                Token::Quoted(self.quoted(start, '"', true)?)
            }
            ('\'', _) => {
                self.bump();
                Token::Character(self.character(start)?)
            }
            ('[', _) => Token::Slice(self.bracket("a slice")?),
            ('#', _) => Token::Layer(self.layer()?),
            ('$', _) => {
                return Err(Fault::new(
                    start..start + 1,
                    "a reference `${field}` to the selected packet has no meaning here; write the value itself",
                ));
            }
            ('@', _) => {
                return Err(Fault::new(
                    start..start + 1,
                    "a raw field `@field` is not supported here; compare a slice of its protocol, such as tcp[0:2] == 1c:06",
                ));
            }
            _ if first != '-' && is_word(first) && !self.rest().starts_with("..") => self.word(),
            _ => self.symbol(start)?,
        };
        Ok(Some((token, start..self.position)))
    }

    fn symbol(&mut self, start: usize) -> Result<Token, Fault> {
        let found = SYMBOLS.iter().find(|(symbol, _)| self.rest().starts_with(symbol));
        if let Some((symbol, token)) = found {
            self.position += symbol.len();
            return Ok(token.clone());
        }
        let character = self.bump().unwrap_or(' ');
        let message = match character {
            '=' => "`=` alone compares nothing; write == for equality".to_owned(),
            '|' => "`|` is not an operator; write || or `or`".to_owned(),
            '^' => "`^` is not an operator; write ^^ or `xor`".to_owned(),
            ']' => "this bracket closes nothing".to_owned(),
            _ => format!("`{character}` has no meaning in a filter"),
        };
        Err(Fault::new(start..self.position, message))
    }

    fn word(&mut self) -> Token {
        let start = self.position;
        while self.peek().is_some_and(is_word) && !self.rest().starts_with("..") {
            self.bump();
        }
        let word = self.text.get(start..self.position).unwrap_or("");
        // A prefix length belongs to an address; after anything else a slash divides.
        let address = word.parse::<Ipv4Addr>().is_ok() || word.parse::<Ipv6Addr>().is_ok();
        let mut after = self.rest().chars();
        if address
            && after.next() == Some('/')
            && after.next().is_some_and(|digit| digit.is_ascii_digit())
        {
            self.bump();
            while self.peek().is_some_and(|digit| digit.is_ascii_digit()) {
                self.bump();
            }
        }
        let word = self.text.get(start..self.position).unwrap_or("");
        keyword(word).unwrap_or_else(|| Token::Word(word.to_owned()))
    }

    /// Reads `[...]`, with the reader at the opening bracket.
    fn bracket(&mut self, what: &str) -> Result<Vec<super::literal::Span>, Fault> {
        let open = self.position;
        self.bump();
        let begin = self.position;
        let Some(length) = self.rest().find(']') else {
            return Err(Fault::new(
                open..open + 1,
                format!("this bracket of {what} is never closed"),
            ));
        };
        let content = self.text.get(begin..begin + length).unwrap_or("");
        self.position = begin + length + 1;
        super::literal::parse_ranges(content, begin)
    }

    fn layer(&mut self) -> Result<Vec<super::literal::Span>, Fault> {
        let start = self.position;
        self.bump();
        if self.peek() == Some('[') {
            return self.bracket("a layer");
        }
        let digits = self.position;
        while self.peek().is_some_and(|digit| digit.is_ascii_digit()) {
            self.bump();
        }
        self.text
            .get(digits..self.position)
            .and_then(|number| number.parse::<i32>().ok())
            .map(|number| vec![super::literal::Span::single(i64::from(number))])
            .ok_or_else(|| {
                Fault::new(
                    start..self.position.max(start + 1),
                    "`#` takes the number of a layer, such as ip.addr#1 or ip.addr#[1-2]",
                )
            })
    }

    /// Returns the bytes of a string or character that begins at `start`, up to its closing quote.
    fn quoted(&mut self, start: usize, quote: char, raw: bool) -> Result<Vec<u8>, Fault> {
        let mut bytes = Vec::new();
        loop {
            let at = self.position;
            match self.bump() {
                None => {
                    let what = if quote == '"' { "string" } else { "character" };
                    return Err(Fault::new(
                        start..start + 1,
                        format!("this {what} is never closed"),
                    ));
                }
                Some(character) if character == quote => return Ok(bytes),
                Some('\\') if raw => {
                    bytes.push(b'\\');
                    if let Some(next) = self.bump() {
                        push_character(&mut bytes, next);
                    }
                }
                Some('\\') => self.escape(at, &mut bytes)?,
                Some(character) => push_character(&mut bytes, character),
            }
        }
    }

    fn character(&mut self, start: usize) -> Result<u8, Fault> {
        let bytes = self.quoted(start, '\'', false)?;
        match bytes.as_slice() {
            [byte] => Ok(*byte),
            _ => Err(Fault::new(
                start..self.position,
                "single quotes hold one byte, such as 'a' or '\\x0d'; use double quotes for text",
            )),
        }
    }

    /// Reads what follows a backslash.
    fn escape(&mut self, start: usize, bytes: &mut Vec<u8>) -> Result<(), Fault> {
        let plain = match self.bump() {
            Some('a') => 0x07,
            Some('b') => 0x08,
            Some('f') => 0x0c,
            Some('n') => b'\n',
            Some('r') => b'\r',
            Some('t') => b'\t',
            Some('v') => 0x0b,
            Some('\\') => b'\\',
            Some('"') => b'"',
            Some('\'') => b'\'',
            Some('x') => {
                let value = self.digits(16, 2).and_then(|value| u8::try_from(value).ok());
                value.ok_or_else(|| self.bad_escape(start))?
            }
            Some('0'..='7') => {
                self.position -= 1;
                let value = self.digits(8, 3).and_then(|value| u8::try_from(value).ok());
                value.ok_or_else(|| self.bad_escape(start))?
            }
            Some(form @ ('u' | 'U')) => {
                let wanted = if form == 'u' { 4 } else { 8 };
                let begin = self.position;
                let value = self.digits(16, wanted).and_then(char::from_u32);
                let character = value
                    .filter(|_| self.position == begin + wanted)
                    .ok_or_else(|| self.bad_escape(start))?;
                push_character(bytes, character);
                return Ok(());
            }
            _ => return Err(self.bad_escape(start)),
        };
        bytes.push(plain);
        Ok(())
    }

    fn bad_escape(&self, start: usize) -> Fault {
        let shown = self.text.get(start..self.position).unwrap_or("\\");
        Fault::new(
            start..self.position,
            format!(
                "`{shown}` is not an escape sequence; a backslash itself is \\\\, or use r\"...\""
            ),
        )
    }

    fn digits(&mut self, radix: u32, most: usize) -> Option<u32> {
        let mut value = None;
        for _ in 0..most {
            let Some(digit) = self.peek().and_then(|digit| digit.to_digit(radix)) else { break };
            self.bump();
            value = Some(value.unwrap_or(0_u32).checked_mul(radix)?.checked_add(digit)?);
        }
        value
    }
}

fn push_character(bytes: &mut Vec<u8>, character: char) {
    bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}
