//! Slices: which bytes `[2]`, `[1-2]`, `[0:4]`, `[:4]`, `[4:]` and their lists select.

use super::error::Fault;

/// Where a range ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// After this many items.
    Length(usize),
    /// With this item; negative counts from the end.
    Inclusive(i64),
    /// With the last item.
    Last,
}

/// One item of a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    start: i64,
    end: End,
}

impl Span {
    /// Everything.
    pub(super) const ALL: Self = Self { start: 0, end: End::Last };

    /// One item.
    pub(super) const fn single(index: i64) -> Self {
        Self { start: index, end: End::Length(1) }
    }

    /// First item and number of items among `length`; `None` when any of them does not exist.
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

    /// Whether the item with this index, out of `length`, is selected. Unlike
    /// [`resolve`](Self::resolve), the range may reach beyond the last item.
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

/// The parts of what stands between brackets, from the text and where it begins.
pub(super) fn parse(text: &str, begin: usize) -> Result<Vec<Span>, Fault> {
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
    // A hyphen behind the first character separates two offsets; the first one is a sign.
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
    super::literal::integer(digits)
        .ok()
        .and_then(|magnitude| i32::try_from(magnitude).ok())
        .map(|magnitude| if negative { -i64::from(magnitude) } else { i64::from(magnitude) })
        .ok_or_else(|| {
            format!("`{text}` is not an offset; a slice is [2], [0:4], [1-2], [:4] or [4:]")
        })
}
