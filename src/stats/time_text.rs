//! The sections over time: throughput and credits.

use super::bar::bar;
use super::names;
use super::run::INTERVALS;
use super::text::{INDENT, some};
use crate::quantity::{length as words, share};
use crate::table::{Cell, Column, Look, Table};
use owo_colors::Style;
use std::io::{self, Write};
use warpscope_dissector::format::counted;
use warpscope_dissector::statistics::{Calls, Counts, Interval, Range};

/// Intervals with nothing in them that have a row each; more have one together.
const MANY_EMPTY: i64 = 4;

/// Messages and bytes by interval, and what was sent again.
pub(super) fn throughput(
    look: Look,
    counts: &Counts,
    chosen: Option<u64>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (length, intervals) = counts.timeline.intervals(INTERVALS);
    heading(look, "Throughput", length, chosen, out)?;
    let mut table = Table::new(
        INDENT,
        [
            Column::right("from", 0),
            Column::right("frames", 4),
            Column::right("wire bytes", 3),
            Column::right("messages", 2),
            Column::right("data bytes", 0),
            Column::right("Mbit/s", 1),
            Column::right("sent again", 5),
            Column::left("data", 1),
        ],
    );
    let greatest = intervals.iter().map(|(_, what)| what.data).max().unwrap_or(0);
    rows(&mut table, length, &intervals, |what| {
        let megabits = what.data as f64 * 8e3 / length as f64;
        vec![
            what.frames.into(),
            what.wire.into(),
            what.messages.into(),
            what.data.into(),
            format!("{megabits:.2}").into(),
            if what.repeated == 0 { "".into() } else { share(what.repeated, what.payload).into() },
            Cell::styled(bar(what.data, greatest), Style::new().green()),
        ]
    });
    table.print(look, out)?;
    for (column, role) in names::ROLES.into_iter().enumerate() {
        let of = |bytes: &[u64; 2]| bytes.get(column).copied().unwrap_or(0);
        let (repeated, payload) = (of(&counts.repeated), of(&counts.payload));
        let share = share(repeated, payload);
        writeln!(
            out,
            "  {role} sent {repeated} of {payload} bytes of TCP payload again ({share})"
        )?;
    }
    Ok(())
}

/// Credits granted and in use by interval.
pub(super) fn credits(
    look: Look,
    counts: &Counts,
    chosen: Option<u64>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (length, intervals) = counts.timeline.intervals(INTERVALS);
    if !counts.calls.iter().any(Calls::any) {
        writeln!(out, "{}", look.heading("Credits"))?;
        return writeln!(out, "  no call was seen");
    }
    heading(look, "Credits", length, chosen, out)?;
    let intervals: Vec<(i64, Interval)> = intervals
        .into_iter()
        .filter(|(_, what)| what.calls > 0 || what.granted.is_some())
        .collect();
    let mut table = Table::new(
        INDENT,
        [
            Column::right("from", 0),
            Column::right("calls", 0),
            Column::right("granted", 0),
            Column::right("in use", 0),
            Column::left("", 1),
        ],
    );
    let greatest = intervals.iter().map(|(_, what)| what.in_use).max().unwrap_or(0);
    rows(&mut table, length, &intervals, |what| {
        let used = u64::from(what.in_use);
        vec![
            some(what.calls).into(),
            what.granted.map(range).unwrap_or_default().into(),
            some(used).into(),
            Cell::styled(bar(used, greatest.into()), Style::new().green()),
        ]
    });
    table.print(look, out)?;
    for (calls, role) in counts.calls.iter().zip(names::ROLES) {
        if !calls.any() {
            continue;
        }
        let over = match calls.over_grant {
            0 => String::new(),
            over => format!(", {} beyond the grant", counted(over, "call")),
        };
        writeln!(
            out,
            "  {role}: asked for {}, was granted {}, had at most {} in flight{over}",
            calls.credits_asked.map_or_else(|| "-".to_owned(), range),
            calls.credits_granted.map_or_else(|| "-".to_owned(), range),
            counted(calls.most_in_flight.into(), "call"),
        )?;
    }
    Ok(())
}

fn range(range: Range) -> String {
    if range.least == range.most {
        range.most.to_string()
    } else {
        format!("{} to {}", range.least, range.most)
    }
}

fn heading(
    look: Look,
    what: &str,
    length: u64,
    chosen: Option<u64>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let grown = match chosen {
        Some(chosen) if chosen != length => {
            format!(" ({} gave too many)", words(chosen))
        }
        _ => String::new(),
    };
    let title = format!("{what} in intervals of {}{grown}", words(length));
    writeln!(out, "{}", look.heading(&title))
}

/// A row an interval, with the seconds at which it begins before. Intervals with nothing in them have
/// a row too, or when there are many, one together.
fn rows(
    table: &mut Table,
    length: u64,
    intervals: &[(i64, Interval)],
    cells: impl Fn(&Interval) -> Vec<Cell>,
) {
    // As many digits as tell two intervals apart.
    let digits = (0..9).find(|digits| length.is_multiple_of(10_u64.pow(9 - digits))).unwrap_or(9);
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    let at = |start: i64| format!("{:.*}", digits as usize, start as f64 / 1e9);
    let mut expected = None;
    for (start, what) in intervals {
        let from = expected.unwrap_or(*start);
        let empty = start.saturating_sub(from) / length;
        if empty > MANY_EMPTY {
            let words = format!("{empty} empty");
            table.push(vec![Cell::styled(words, Style::new().dimmed())]);
        } else {
            for index in 0..empty {
                table.push(vec![Cell::from(at(from.saturating_add(index * length)))]);
            }
        }
        expected = Some(start.saturating_add(length));
        let mut row = vec![Cell::from(at(*start))];
        row.extend(cells(what));
        table.push(row);
    }
}
