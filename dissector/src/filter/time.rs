//! Literals of times.

use chrono::{Local, NaiveDate, NaiveDateTime, TimeDelta, TimeZone};

const NANOSECONDS: i64 = 1_000_000_000;

/// The units that a span of time may be written with, and their nanoseconds; without one it counts
/// seconds.
const UNITS: [(&str, i64); 5] =
    [("ns", 1), ("us", 1_000), ("µs", 1_000), ("ms", 1_000_000), ("s", NANOSECONDS)];

/// A span of time: decimal seconds with up to nine digits behind the point, or a decimal number
/// and its unit (`250us`, `1.5ms`), in whole nanoseconds.
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

/// The nanoseconds of the digits behind the point of a number whose unit has `scale` of them.
fn parts(digits: &str, scale: i64) -> Option<i64> {
    let value = nanoseconds(digits)?;
    let (product, seconds) = (value.checked_mul(scale)?, NANOSECONDS);
    (product % seconds == 0).then_some(product / seconds)
}

/// One to nine digits behind a decimal point.
fn nanoseconds(digits: &str) -> Option<i64> {
    if digits.is_empty() || digits.len() > 9 || !digits.bytes().all(|digit| digit.is_ascii_digit())
    {
        return None;
    }
    let value = digits.parse::<i64>().ok()?;
    let scale = 9_u32.checked_sub(u32::try_from(digits.len()).ok()?)?;
    value.checked_mul(10_i64.checked_pow(scale)?)
}

/// A date and time: `2026-01-01`, `2026-01-01 10:20`, `2026-01-01T10:20:30.5`, each with `Z`,
/// ` UTC` or an offset such as `+0100` behind it, or in local time; or `Nov 12, 1999 08:55:44.123`.
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

/// Seconds since 1970-01-01 UTC of a time on the clocks of the place; the earlier one of two.
fn local_seconds(moment: &NaiveDateTime) -> i64 {
    let there = Local.from_local_datetime(moment).earliest();
    there.map_or(moment.and_utc().timestamp(), |there| there.timestamp())
}

/// Year, month and day.
type Date = (i32, u32, u32);

/// The date, and what follows.
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

/// Seconds of the day, nanoseconds and the zone.
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
    let (hours, minutes, seconds) = (number(hours)?, number(minutes)?, number(seconds)?);
    (hours < 24 && minutes < 60 && seconds <= 60).then_some(())?;
    Some((hours * 3600 + minutes * 60 + seconds, fraction, rest))
}

/// Seconds east of Greenwich.
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
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

/// The leading decimal digits and what follows them.
fn digits(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    text.split_at_checked(end).filter(|(digits, _)| !digits.is_empty())
}

fn number(text: &str) -> Option<i64> {
    text.bytes().all(|digit| digit.is_ascii_digit()).then(|| text.parse::<i64>().ok())?
}
