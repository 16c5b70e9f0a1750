//! From text to tokens.

use super::error::Fault;
use super::ranges;
use super::syntax::{Arithmetic, Comparison, Quantifier, Relation};
use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;

/// A token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A name or a literal.
    Word(String),
    Quoted(Vec<u8>),
    Character(u8),
    /// `[...]`.
    Slice(Vec<ranges::Span>),
    /// `#...`.
    Layer(Vec<ranges::Span>),
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

/// The tokens of an expression and where they stand.
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

/// The words that may stand behind a value.
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

    /// Takes the next character.
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
                Token::Quoted(self.quoted(start, false)?)
            }
            ('r' | 'R', Some('"')) => {
                self.bump();
                self.bump();
                Token::Quoted(self.quoted(start, true)?)
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
                    "a raw field `@field` is not known here; compare a slice of its protocol, such as tcp[0:2] == 1c:06",
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
            '|' => "`|` is no operator; write || or `or`".to_owned(),
            '^' => "`^` is no operator; write ^^ or `xor`".to_owned(),
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
        // The prefix length belongs to an address; behind anything else a slash divides.
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

    /// `[...]`, with the reader at the opening bracket.
    fn bracket(&mut self, what: &str) -> Result<Vec<ranges::Span>, Fault> {
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
        ranges::parse(content, begin)
    }

    fn layer(&mut self) -> Result<Vec<ranges::Span>, Fault> {
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
            .map(|number| vec![ranges::Span::single(i64::from(number))])
            .ok_or_else(|| {
                Fault::new(
                    start..self.position.max(start + 1),
                    "`#` takes the number of a layer, such as ip.addr#1 or ip.addr#[1-2]",
                )
            })
    }

    fn quoted(&mut self, start: usize, raw: bool) -> Result<Vec<u8>, Fault> {
        let mut bytes = Vec::new();
        loop {
            let at = self.position;
            match self.bump() {
                None => {
                    return Err(Fault::new(start..start + 1, "this string is never closed"));
                }
                Some('"') => return Ok(bytes),
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
        let mut bytes = Vec::new();
        loop {
            let at = self.position;
            match self.bump() {
                None => {
                    return Err(Fault::new(start..start + 1, "this character is never closed"));
                }
                Some('\'') => break,
                Some('\\') => self.escape(at, &mut bytes)?,
                Some(character) => push_character(&mut bytes, character),
            }
        }
        match bytes.as_slice() {
            [byte] => Ok(*byte),
            _ => Err(Fault::new(
                start..self.position,
                "single quotes hold one byte, such as 'a' or '\\x0d'; use double quotes for text",
            )),
        }
    }

    /// What follows a backslash.
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
            format!("`{shown}` is no escape sequence; a backslash itself is \\\\, or use r\"...\""),
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
