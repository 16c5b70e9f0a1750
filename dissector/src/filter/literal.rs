//! Reads literals as the kind of the value that they are compared with.

use super::evaluate::{Constant, Number};
use super::kinds::{self, is_number, is_wide};
use super::syntax::Fault;
use crate::field::{Display, Field, Kind};
use chrono::{Local, NaiveDate, NaiveDateTime, TimeDelta, TimeZone};
use std::net::{Ipv4Addr, Ipv6Addr};
use std::str::FromStr;
use warpscope_text::suggest;

/// What a literal should become.
#[derive(Debug, Clone, Copy)]
pub(super) struct Target {
    /// The kind of the other side.
    pub(super) kind: Kind,
    /// The field of the other side, whose values may have names.
    pub(super) field: Option<&'static Field>,
    /// True if part of a value is enough, as for `contains`.
    pub(super) partial: bool,
}

/// Parses a decimal, hexadecimal (0x), octal (0) or binary (0b) number; the error says what is wrong.
pub(super) fn integer(text: &str) -> Result<u64, String> {
    let lower = text.to_ascii_lowercase();
    let (digits, radix) = if let Some(digits) = lower.strip_prefix("0x") {
        (digits, 16)
    } else if let Some(digits) = lower.strip_prefix("0b") {
        (digits, 2)
    } else if lower.len() > 1 && lower.starts_with('0') {
        (lower.as_str(), 8)
    } else {
        (lower.as_str(), 10)
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return Err(format!("`{text}` is not a valid number"));
    }
    u64::from_str_radix(digits, radix)
        .map_err(|_| format!("`{text}` is too large: numbers have 64 bits at most"))
}

impl Target {
    /// Returns what the literal is compared with, for a message.
    fn described(&self) -> String {
        match self.field {
            Some(field) => format!("{}, which is {}", field.name, kinds::name(self.kind)),
            None => kinds::name(self.kind),
        }
    }

    fn refuse(&self, shown: &str) -> String {
        format!(
            "`{shown}` is not a value for {}; write {}",
            self.described(),
            kinds::example(self.kind)
        )
    }

    /// Reads a bare word.
    pub(super) fn word(&self, word: &str) -> Result<Constant, String> {
        if let Some(constant) = self.named(word) {
            return Ok(constant);
        }
        let bytes_of = |word: &str| bytes(word).ok_or_else(|| self.refuse(word));
        match self.kind {
            Kind::Unsigned(_) | Kind::FrameNumber => self.number(word),
            Kind::Boolean => integer(word)
                .map(|number| Constant::Boolean(number != 0))
                .map_err(|_| self.unnamed(word)),
            Kind::Bytes | Kind::Protocol => bytes_of(word).map(Constant::Bytes),
            Kind::Ethernet if self.partial => bytes_of(word).map(Constant::Bytes),
            Kind::Ethernet => ethernet(word).ok_or_else(|| self.refuse(word)),
            Kind::Ipv4 => self.ipv4(word),
            Kind::Ipv6 => self.ipv6(word),
            Kind::Text => Ok(Constant::Text(word.as_bytes().to_vec())),
            Kind::AbsoluteTime => self.time(absolute(word), word),
            Kind::RelativeTime => self.time(relative(word), word),
            Kind::Heading => Err(self.refuse(word)),
        }
    }

    pub(super) fn quoted(&self, text: &[u8]) -> Result<Constant, String> {
        let shown = String::from_utf8_lossy(text);
        match self.kind {
            Kind::Text => Ok(Constant::Text(text.to_vec())),
            Kind::Bytes | Kind::Protocol => Ok(Constant::Bytes(text.to_vec())),
            Kind::AbsoluteTime => self.time(absolute(&shown), &shown),
            Kind::Unsigned(_) | Kind::Boolean | Kind::FrameNumber => {
                self.named(&shown).ok_or_else(|| self.unnamed(&shown))
            }
            _ => Err(format!(
                "the string \"{shown}\" cannot be compared with {}; write {} without quotes",
                self.described(),
                kinds::example(self.kind)
            )),
        }
    }

    pub(super) fn character(&self, byte: u8) -> Result<Constant, String> {
        match self.kind {
            Kind::Text => Ok(Constant::Text(vec![byte])),
            Kind::Bytes | Kind::Protocol => Ok(Constant::Bytes(vec![byte])),
            Kind::Boolean => Ok(Constant::Boolean(byte != 0)),
            kind if is_number(kind) => {
                Ok(Constant::Number(Number::unsigned(u64::from(byte), is_wide(kind))))
            }
            _ => Err(format!(
                "a character cannot be compared with {}; write {}",
                self.described(),
                kinds::example(self.kind)
            )),
        }
    }

    fn number(&self, word: &str) -> Result<Constant, String> {
        let starts_with_digit = word.starts_with(|first: char| first.is_ascii_digit());
        if !starts_with_digit {
            return Err(self.unnamed(word));
        }
        let value = integer(word).map_err(|message| format!("{message}; {}", self.refuse(word)))?;
        let bits = u32::from(kinds::integer_bytes(self.kind)) * 8;
        let largest = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
        if value > largest {
            return Err(format!(
                "{word} is too large for {}: the largest value is {largest}",
                self.described()
            ));
        }
        Ok(Constant::Number(Number::unsigned(value, is_wide(self.kind))))
    }

    /// Returns the value with this name, ignoring case.
    fn named(&self, name: &str) -> Option<Constant> {
        let boolean = self.kind == Kind::Boolean;
        let is =
            |words: [&str; 2]| boolean && words.iter().any(|word| word.eq_ignore_ascii_case(name));
        let from_field =
            self.value_names().iter().find(|(_, known)| known.eq_ignore_ascii_case(name));
        let value = match from_field {
            Some((value, _)) => *value,
            None if is(["true", "set"]) => 1,
            None if is(["false", "not set"]) => 0,
            None => return None,
        };
        if boolean {
            Some(Constant::Boolean(value != 0))
        } else if is_number(self.kind) {
            Some(Constant::Number(Number::unsigned(value, is_wide(self.kind))))
        } else {
            None
        }
    }

    fn value_names(&self) -> &'static [(u64, &'static str)] {
        match self.field.map(|field| field.display) {
            Some(Display::Named(names) | Display::NamedHexadecimal(names)) => names,
            _ => &[],
        }
    }

    /// Returns the message for a word that is neither a number nor the name of a value.
    fn unnamed(&self, name: &str) -> String {
        let names = self.value_names();
        if names.is_empty() {
            return self.refuse(name);
        }
        let nearest = suggest(name, names.iter().map(|(_, known)| *known));
        let advice = match (nearest, names.first()) {
            (Some(known), _) => format!("; did you mean \"{known}\"?"),
            (None, Some((value, known))) => {
                format!("; write a name such as \"{known}\" or {value}")
            }
            (None, None) => String::new(),
        };
        format!("\"{name}\" is not one of the values of {}{advice}", self.described())
    }

    fn time(&self, found: Option<i64>, shown: &str) -> Result<Constant, String> {
        found.map(Constant::Time).ok_or_else(|| self.refuse(shown))
    }

    fn ipv4(&self, word: &str) -> Result<Constant, String> {
        let (address, left) = self.address::<Ipv4Addr>(word, 32)?;
        let mask = u32::MAX.checked_shl(left).unwrap_or(0);
        Ok(Constant::Ipv4 { address: address.to_bits(), mask })
    }

    fn ipv6(&self, word: &str) -> Result<Constant, String> {
        let (address, left) = self.address::<Ipv6Addr>(word, 128)?;
        let mask = u128::MAX.checked_shl(left).unwrap_or(0);
        Ok(Constant::Ipv6 { address: address.to_bits(), mask })
    }

    /// Parses an address of `bits` bits; returns it and the number of bits after its prefix.
    fn address<A: FromStr>(&self, word: &str, bits: u32) -> Result<(A, u32), String> {
        let (address, length) = match word.split_once('/') {
            Some((address, length)) => (address, length.parse().ok()),
            None => (word, Some(bits)),
        };
        let address = address.parse().map_err(|_| self.refuse(word))?;
        let left = length.and_then(|length| bits.checked_sub(length));
        let left =
            left.ok_or_else(|| format!("the prefix of `{word}` is longer than {bits} bits"))?;
        Ok((address, left))
    }
}

/// Parses bytes: pairs of hexadecimal digits joined by colons, hyphens or dots, or without separators; one
/// byte with `0x`; a colon in front marks a literal unambiguously.
fn bytes(word: &str) -> Option<Vec<u8>> {
    let word = word.strip_prefix(':').unwrap_or(word);
    if let Some(digits) = word.strip_prefix("0x") {
        return (digits.len() == 2).then(|| pairs(digits))?;
    }
    match word.chars().find(|character| matches!(character, ':' | '-' | '.')) {
        Some(separator) => {
            word.split(separator).map(|pair| (pair.len() == 2).then(|| byte(pair))?).collect()
        }
        None => pairs(word),
    }
}

/// Parses pairs of hexadecimal digits; a single one at the end is a byte too.
fn pairs(digits: &str) -> Option<Vec<u8>> {
    if digits.is_empty() || !digits.is_ascii() {
        return None;
    }
    digits.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).ok().and_then(byte)).collect()
}

fn byte(digits: &str) -> Option<u8> {
    let valid = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    if valid { u8::from_str_radix(digits, 16).ok() } else { None }
}

/// Parses six bytes, or three groups of four hexadecimal digits joined by dots.
fn ethernet(word: &str) -> Option<Constant> {
    let groups: Vec<&str> = word.split('.').collect();
    let found = if groups.len() == 3 && groups.iter().all(|group| group.len() == 4) {
        pairs(&groups.concat())
    } else {
        bytes(word)
    };
    found.filter(|bytes| bytes.len() == 6).map(Constant::Bytes)
}

// Slices: the bytes that `[2]`, `[1-2]`, `[0:4]`, `[:4]`, `[4:]` and lists of them select.

/// The end of a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// After this many items.
    Length(usize),
    /// With this item; negative counts from the end.
    Inclusive(i64),
    /// With the last item.
    Last,
}

/// A range of a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    start: i64,
    end: End,
}

impl Span {
    /// All items.
    pub(super) const ALL: Self = Self { start: 0, end: End::Last };

    /// Creates a range of one item.
    pub(super) const fn single(index: i64) -> Self {
        Self { start: index, end: End::Length(1) }
    }

    /// Returns the first item and number of items out of `length`; `None` if any of them does not exist.
    pub(super) fn resolve(&self, length: usize) -> Option<(usize, usize)> {
        let absolute = |index: i64| {
            let magnitude = usize::try_from(index.unsigned_abs()).ok()?;
            if index < 0 { length.checked_sub(magnitude) } else { Some(magnitude) }
        };
        let start = absolute(self.start)?;
        let count = match self.end {
            End::Length(count) => count,
            End::Inclusive(last) => absolute(last)?.checked_sub(start)?.checked_add(1)?,
            End::Last => length.checked_sub(start)?,
        };
        (start.checked_add(count)? <= length).then_some((start, count))
    }

    /// Returns whether the item with this index, out of `length`, is selected. Unlike
    /// [`resolve`](Self::resolve), the range may extend beyond the last item.
    pub(super) fn contains(&self, index: usize, length: usize) -> bool {
        let absolute = |position: i64| {
            if position < 0 { length as i64 + position } else { position }
        };
        let (index, start) = (index as i64, absolute(self.start));
        index >= start
            && match self.end {
                End::Length(count) => index < start.saturating_add(count as i64),
                End::Inclusive(last) => index <= absolute(last),
                End::Last => true,
            }
    }
}

/// Parses the ranges between brackets, from the text and the offset where it begins.
pub(super) fn parse_ranges(text: &str, begin: usize) -> Result<Vec<Span>, Fault> {
    let mut spans = Vec::new();
    let mut offset = begin;
    for part in text.split(',') {
        let trimmed = part.trim();
        let start = offset + (part.len() - part.trim_start().len());
        let span = start..start + trimmed.len();
        if trimmed.is_empty() {
            return Err(Fault::new(
                offset..offset + part.len(),
                "a slice needs a number here, such as [2], [0:4] or [1-2]",
            ));
        }
        spans.push(parse_one(trimmed).map_err(|message| Fault::new(span, message))?);
        offset += part.len() + 1;
    }
    Ok(spans)
}

fn parse_one(text: &str) -> Result<Span, String> {
    if let Some((start, length)) = text.split_once(':') {
        let start = if start.trim().is_empty() { 0 } else { number(start)? };
        if length.trim().is_empty() {
            return Ok(Span { start, end: End::Last });
        }
        let count = number(length)?;
        return match usize::try_from(count) {
            Ok(count) if count > 0 => Ok(Span { start, end: End::Length(count) }),
            _ => Err(format!(
                "the length {count} of `{text}` must be positive; [offset:length] takes `length` bytes"
            )),
        };
    }
    // A hyphen after the first character separates two offsets; at the first it is a sign.
    let separator =
        text.char_indices().skip(1).find(|(_, character)| *character == '-').map(|(at, _)| at);
    let Some((first, last)) = separator
        .and_then(|at| Some((text.get(..at)?, text.get(at + 1..)?)))
        .filter(|(first, _)| !first.trim().is_empty())
    else {
        return Ok(Span::single(number(text)?));
    };
    let (start, last) = (number(first)?, number(last)?);
    if (start < 0) != (last < 0) {
        return Err(format!(
            "`{text}` mixes an offset from the start with one from the end; give both the same sign"
        ));
    }
    if start >= last {
        return Err(format!(
            "`{text}` ends before it begins; [first-last] takes both ends, and [{start}] takes one byte"
        ));
    }
    Ok(Span { start, end: End::Inclusive(last) })
}

fn number(text: &str) -> Result<i64, String> {
    let text = text.trim();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    integer(digits)
        .ok()
        .and_then(|magnitude| i32::try_from(magnitude).ok())
        .map(|magnitude| if negative { -i64::from(magnitude) } else { i64::from(magnitude) })
        .ok_or_else(|| {
            format!("`{text}` is not an offset; a slice is [2], [0:4], [1-2], [:4] or [4:]")
        })
}

// Time literals.

const NANOSECONDS: i64 = 1_000_000_000;

/// The units of a time span, with their nanoseconds; a time span without a unit is in seconds.
const UNITS: [(&str, i64); 5] =
    [("ns", 1), ("us", 1_000), ("µs", 1_000), ("ms", 1_000_000), ("s", NANOSECONDS)];

/// Parses a time span: decimal seconds with up to nine digits after the point, or a decimal number and its
/// unit (`250us`, `1.5ms`), in whole nanoseconds.
pub(super) fn relative(text: &str) -> Option<i64> {
    let unit = UNITS.iter().find_map(|(unit, scale)| Some((text.strip_suffix(unit)?, *scale)));
    let (number, scale) = unit.unwrap_or((text, NANOSECONDS));
    let (whole, fraction) = match number.split_once('.') {
        Some((whole, fraction)) => (whole, parts(fraction, scale)?),
        None => (number, 0),
    };
    if whole.is_empty() || !whole.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let whole = whole.parse::<i64>().unwrap_or(i64::MAX);
    Some(whole.saturating_mul(scale).saturating_add(fraction))
}

/// Returns the nanoseconds of the digits after the point of a number whose unit has `scale` of them.
fn parts(digits: &str, scale: i64) -> Option<i64> {
    let value = nanoseconds(digits)?;
    let (product, seconds) = (value.checked_mul(scale)?, NANOSECONDS);
    (product % seconds == 0).then_some(product / seconds)
}

/// Parses one to nine digits after a decimal point.
fn nanoseconds(digits: &str) -> Option<i64> {
    if digits.is_empty() || digits.len() > 9 || !digits.bytes().all(|digit| digit.is_ascii_digit())
    {
        return None;
    }
    let value = digits.parse::<i64>().ok()?;
    let scale = 9_u32.checked_sub(u32::try_from(digits.len()).ok()?)?;
    value.checked_mul(10_i64.checked_pow(scale)?)
}

/// Parses a date and time: `2026-01-01`, `2026-01-01 10:20`, `2026-01-01T10:20:30.5`, each with `Z`, ` UTC`
/// or an offset such as `+0100` after it, or in local time; or `Nov 12, 1999 08:55:44.123`.
pub(super) fn absolute(text: &str) -> Option<i64> {
    let (date, rest) = iso_date(text).or_else(|| month_date(text))?;
    let (seconds_of_day, fraction, zone) = clock(rest)?;
    let (year, month, day) = date;
    let midnight = NaiveDate::from_ymd_opt(year, month, day)?.and_hms_opt(0, 0, 0)?;
    let moment = midnight.checked_add_signed(TimeDelta::seconds(seconds_of_day))?;
    let seconds = match zone.trim() {
        "" => local_seconds(&moment),
        zone => moment.and_utc().timestamp().checked_sub(offset(zone)?)?,
    };
    seconds.checked_mul(NANOSECONDS)?.checked_add(fraction)
}

/// Returns the seconds since 1970-01-01 UTC of a local time; the earlier one if it is ambiguous. One that clocks
/// skipped counts on from the hour before it.
fn local_seconds(moment: &NaiveDateTime) -> i64 {
    let there = |moment: &NaiveDateTime| {
        Local.from_local_datetime(moment).earliest().map(|there| there.timestamp())
    };
    let skipped = || Some(there(&moment.checked_sub_signed(TimeDelta::hours(1))?)? + 3600);
    there(moment).or_else(skipped).unwrap_or(moment.and_utc().timestamp())
}

/// Year, month and day.
type Date = (i32, u32, u32);

/// Parses the date; returns it and what follows.
fn iso_date(text: &str) -> Option<(Date, &str)> {
    let (year, rest) = text.split_once('-')?;
    let (month, rest) = rest.split_once('-')?;
    let (day, rest) = digits(rest)?;
    (year.len() == 4).then_some(())?;
    Some(((year.parse().ok()?, month.parse().ok()?, day.parse().ok()?), rest))
}

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

fn month_date(text: &str) -> Option<(Date, &str)> {
    let name = text.get(..3)?.to_ascii_lowercase();
    let month = MONTHS.iter().position(|month| *month == name)?;
    let month = u32::try_from(month).ok()? + 1;
    let (day, rest) = digits(text.get(3..)?.trim_start())?;
    let (year, rest) = digits(rest.strip_prefix(',')?.trim_start())?;
    (year.len() == 4 && !rest.is_empty()).then_some(())?;
    Some(((year.parse().ok()?, month, day.parse().ok()?), rest))
}

/// Parses a time; returns seconds of the day, nanoseconds and the zone.
fn clock(text: &str) -> Option<(i64, i64, &str)> {
    let Some(text) = text.strip_prefix(['T', ' ']) else { return Some((0, 0, text)) };
    let (hours, rest) = digits(text.trim_start())?;
    let (minutes, rest) = digits(rest.strip_prefix(':')?)?;
    let (seconds, rest) = match rest.strip_prefix(':') {
        Some(rest) => digits(rest)?,
        None => ("0", rest),
    };
    let (fraction, rest) = match rest.strip_prefix('.') {
        Some(rest) => {
            let (fraction, rest) = digits(rest)?;
            (nanoseconds(fraction)?, rest)
        }
        None => (0, rest),
    };
    let (hours, minutes, seconds) = (decimal(hours)?, decimal(minutes)?, decimal(seconds)?);
    (hours < 24 && minutes < 60 && seconds <= 60).then_some(())?;
    Some((hours * 3600 + minutes * 60 + seconds, fraction, rest))
}

/// Parses a zone; returns seconds east of Greenwich.
fn offset(zone: &str) -> Option<i64> {
    if matches!(zone, "Z" | "UTC") {
        return Some(0);
    }
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let zone = zone.strip_prefix(['+', '-'])?;
    let (hours, minutes) = match zone.split_once(':') {
        Some(parts) => parts,
        None => (zone.get(..2)?, zone.get(2..)?),
    };
    (hours.len() == 2 && minutes.len() == 2).then_some(())?;
    let (hours, minutes) = (decimal(hours)?, decimal(minutes)?);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

/// Splits off the leading decimal digits; returns them and what follows.
fn digits(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    text.split_at_checked(end).filter(|(digits, _)| !digits.is_empty())
}

fn decimal(text: &str) -> Option<i64> {
    text.bytes().all(|digit| digit.is_ascii_digit()).then(|| text.parse::<i64>().ok())?
}
