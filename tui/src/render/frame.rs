//! The whole screen: title, filter, the view, and what is going on.

use super::canvas::Canvas;
use super::{
    calls, columns, fields, filter, findings, flows, help, ladder, messages, operations, palette,
    run, statistics,
};
use crate::format::{bytes, tabs};
use crate::layout;
use crate::look::Tone;
use crate::state::{FieldPrompt, FilterBar, Mode, Notice, State, View};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use warpscope_dissector::format::counted;

/// Draws everything; returns where the cursor stands, when text is being typed.
pub fn draw(state: &State, buffer: &mut Buffer) -> Option<Position> {
    let mut canvas = Canvas { buffer, look: state.look };
    if !state.fits() {
        let (columns, rows) = layout::LEAST;
        let words = format!("too small: {columns}x{rows} is the least");
        canvas.text(0, 0, state.size.0, &words, Tone::Warn);
        return None;
    }
    let screen = layout::screen(state.size);
    title(state, &mut canvas, screen.title);
    let mut cursor = filter::draw(state, &mut canvas, screen.bar);
    match state.mode {
        Mode::Help => help::draw(state, &mut canvas, screen.body),
        Mode::Palette => cursor = palette::draw(state, &mut canvas, screen.body),
        _ => view(state, &mut canvas, screen.body),
    }
    match state.mode {
        Mode::Filter => {
            let FilterBar { offered, chosen, example, .. } = &state.filter;
            filter::draw_offered(offered, *chosen, *example, &mut canvas, screen.body);
        }
        Mode::Field => {
            if state.prompt.back == Mode::Columns {
                columns::draw(state, &mut canvas, screen.body);
            }
            let FieldPrompt { offered, chosen, .. } = &state.prompt;
            filter::draw_offered(offered, *chosen, None, &mut canvas, screen.body);
        }
        Mode::Columns => columns::draw(state, &mut canvas, screen.body),
        Mode::Export => {
            let x =
                canvas.text(0, screen.status.y, screen.status.width, " write to: ", Tone::Heading);
            cursor = filter::editor(&state.export, &mut canvas, screen.status, x);
        }
        _ => {}
    }
    if state.mode != Mode::Export {
        status(state, &mut canvas, screen.status);
    }
    cursor
}

fn view(state: &State, canvas: &mut Canvas<'_>, body: Rect) {
    match state.view {
        View::Flows => flows::draw(state, canvas, body),
        View::Messages => messages::draw(state, canvas, body),
        View::Operations => operations::draw(state, canvas, body),
        View::Calls => calls::draw(state, canvas, body),
        View::Ladder => ladder::draw(state, canvas, body),
        View::Findings => findings::draw(state, canvas, body),
        View::Statistics => statistics::draw(state, canvas, body),
        View::Fields => fields::draw(state, canvas, body),
        View::Run => run::draw(state, canvas, body),
    }
}

fn title(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    canvas.lay(area, area.y, canvas.look.bar());
    let mut end = area.x;
    for (x, text, view) in tabs(state) {
        let chosen = view == state.view;
        let tone = if chosen { Tone::Strong } else { Tone::Dim };
        end = canvas.text(x, area.y, area.width.saturating_sub(x), &text, tone);
        if chosen {
            let width = end.saturating_sub(x);
            let tab = Rect { x, width, height: 1, ..area };
            canvas.buffer.set_style(tab, canvas.look.chosen(true));
        }
    }
    let room = area.width.saturating_sub(end + 2);
    let name = shortened(&state.name, usize::from(room));
    canvas.right(end + 2, area.y, room, &name, Tone::Plain);
}

/// The end of a name that does not fit.
fn shortened(name: &str, room: usize) -> String {
    let count = name.chars().count();
    if count <= room {
        return name.to_owned();
    }
    let kept: String = name.chars().skip(count + 1 - room.max(1)).collect();
    if room < 4 { String::new() } else { format!("…{kept}") }
}

fn status(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    canvas.lay(area, area.y, canvas.look.bar());
    let columns = usize::from(area.width);
    // What is said goes before where the user is.
    let said = state.notice.as_ref().map(|notice| notice.text.chars().count());
    let room = said.map_or(columns * 5 / 8, |said| columns.saturating_sub(said + 4));
    let right = fitting(progress(state), room);
    let width = u16::try_from(right.chars().count()).unwrap_or(0);
    canvas.right(area.width.saturating_sub(width + 1), area.y, width, &right, Tone::Dim);
    let room = area.width.saturating_sub(width + 3);
    match &state.notice {
        Some(Notice { tone, text }) => {
            canvas.text(1, area.y, room, text, *tone);
        }
        None => {
            canvas.text(1, area.y, room, &fitting(hints(state), room.into()), Tone::Dim);
        }
    }
}

/// The words that fit into so many columns, two blanks between them: those of the highest rank go first, of several the
/// last. Those of rank 0 go when even they have no room.
fn fitting(mut words: Vec<(u8, String)>, columns: usize) -> String {
    let width = |words: &[(u8, String)]| -> usize {
        words.iter().map(|(_, word)| word.chars().count() + 2).sum()
    };
    while width(&words) > columns + 2 {
        let highest = words.iter().map(|(rank, _)| *rank).max().unwrap_or(0);
        let at = words.iter().rposition(|(rank, _)| *rank == highest).unwrap_or(0);
        words.remove(at);
    }
    let words: Vec<String> = words.into_iter().map(|(_, word)| word).collect();
    words.join("  ")
}

/// The keys that are wanted most in the view, with their ranks.
fn hints(state: &State) -> Vec<(u8, String)> {
    let hints = match (state.mode, state.view) {
        (Mode::Filter, _) => "Tab completes  Enter applies  Esc leaves",
        (Mode::Search, _) => "text, ~regex or 0xhex  Enter searches  Esc leaves",
        (Mode::Palette, _) => "type a name  Enter does it  Esc leaves",
        (Mode::Columns, _) => "Space shows  + adds  x takes away  < > move  Esc leaves",
        (Mode::Field, _) => "Tab completes  Enter makes it a column  Esc leaves",
        (Mode::Help, _) => "j k scroll  q closes",
        (_, View::Flows) => "Enter messages  5 ladder  o sort  f filter  ? help  q quit",
        (_, View::Messages) => "Tab panes  f filter  / search  p partner  ] wrong  ? help",
        (_, View::Operations) => "Enter goes there  p the answer  = its STag  o sort  ? help",
        (_, View::Calls) => "Enter goes there  p the answer  b all of it  o sort  ? help",
        (_, View::Ladder) => "Enter goes there  p partner  w scale  e export  ? help",
        (_, View::Findings) => "Enter opens  = its frames  t this flow  ? help",
        (_, View::Statistics) => "j k scroll  t of the flow  e export  ? help",
        (_, View::Run) => "Tab to what is told  ] the next failure  Enter folds  ? help",
        (_, View::Fields) => "Enter filters by it  a as a column  y copies  ? help",
    };
    let rank = |hint: &str| u8::from(!hint.starts_with('?'));
    hints.split("  ").map(|hint| (rank(hint), hint.to_owned())).collect()
}

/// How far the reading is, and where the user is, with ranks.
fn progress(state: &State) -> Vec<(u8, String)> {
    let progress = &state.capture.progress;
    let frames = counted(progress.frames.into(), "frame");
    let mut words = Vec::new();
    let mut put = |rank, text| words.push((rank, text));
    if let Some((cursor, count)) = state.cursor().filter(|(_, count)| *count > 0) {
        let at = if state.scrolls() { cursor.top } else { cursor.selected };
        put(1, format!("{}/{count}", at + 1));
    }
    if state.filter.active() && state.filter.upto < state.capture.frames.count() {
        put(2, format!("filtered to {}", state.filter.upto));
    }
    match (progress.ended, progress.total) {
        // There is a report, and no capture.
        (true, _) if progress.frames == 0 && !state.run.entries.is_empty() => {}
        (true, _) if progress.error.is_some() => put(2, format!("{frames}, cut off")),
        (true, _) => put(2, frames),
        (false, Some(total)) if total > 0 => {
            put(2, format!("{frames} {} %", progress.bytes.min(total) * 100 / total));
        }
        (false, _) => {
            put(2, frames);
            put(6, format!("{} bytes", bytes(progress.bytes)));
        }
    }
    if let Some((frames, bytes_now)) = progress.rate.filter(|_| !progress.ended) {
        put(4, format!("{frames}/s"));
        put(5, format!("{} bytes/s", bytes(bytes_now)));
    }
    if progress.dropped > 0 {
        put(3, format!("{} rows too many", progress.dropped));
    }
    match &state.held {
        Some(held) => put(0, format!("{} more, standing still", held.frames)),
        None if state.follow => put(1, "following".to_owned()),
        None => {}
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_by_rank() {
        let words = || vec![(1, "1/9".to_owned()), (2, "9 frames".into()), (6, "5 bytes".into())];
        let fits = |columns| fitting(words(), columns);
        assert_eq!((fits(80), fits(22)), ("1/9  9 frames  5 bytes".into(), fits(80)));
        assert_eq!(
            [21, 13, 12, 3, 2].map(fits),
            ["1/9  9 frames", "1/9  9 frames", "1/9", "1/9", ""]
        );
        let equal = || ["Enter opens", "f filter"].map(|hint| (1, hint.to_owned()));
        let hints =
            |columns| fitting(equal().into_iter().chain([(0, "? help".into())]).collect(), columns);
        assert_eq!(
            (hints(20), hints(28)),
            ("Enter opens  ? help".into(), "Enter opens  ? help".into())
        );
        assert_eq!(
            (hints(10), hints(29)),
            ("? help".into(), "Enter opens  f filter  ? help".into())
        );
    }
}
