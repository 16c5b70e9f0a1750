//! The whole screen: title, filter, view, and status.

use super::panes::{self, editor};
use super::{details, graph, ladder, tables};
use crate::action::{Key, Keymap};
use crate::format::{endings, export_text, help, tabs};
use crate::layout::{self, Pane, View};
use crate::look::{Look, Tone};
use crate::state::{CALL_COLUMNS, FieldPrompt, FilterBar, Mode, Notice, OPERATION_COLUMNS, State};
use crate::text::{TextLine, bytes, cut};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use std::borrow::Cow;
use warpscope_text::counted;

/// Draws everything; returns the position of the cursor if text is being typed.
pub fn draw(state: &State, buffer: &mut Buffer) -> Option<Position> {
    let mut canvas = Canvas { buffer, look: state.look };
    let whole = *canvas.buffer.area();
    canvas.buffer.set_style(whole, state.look.page());
    if !state.fits() {
        let (columns, rows) = layout::LEAST;
        let words = format!("too small: {columns}x{rows} at least");
        canvas.text(0, 0, state.size.0, &words, Tone::Warn);
        return None;
    }
    let screen = layout::screen(state.size);
    title(state, &mut canvas, screen.title);
    let mut cursor = panes::draw_filter(state, &mut canvas, screen.bar);
    match state.mode {
        Mode::Help => draw_lines(&mut canvas, screen.body, "help", &help(state), state.help.top),
        Mode::Settings => {
            let lines = crate::format::settings(state);
            draw_lines(&mut canvas, screen.body, "current settings", &lines, state.help.top);
        }
        Mode::Stream => draw_stream(state, &mut canvas, screen.body),
        Mode::Palette => {
            if state.palette.before.is_some() {
                view(state, &mut canvas, screen.body);
            }
            cursor = draw_palette(state, &mut canvas, screen.body);
        }
        _ => view(state, &mut canvas, screen.body),
    }
    match state.mode {
        Mode::Filter => {
            let FilterBar { offered, chosen, example, .. } = &state.filter;
            panes::draw_offered(offered, *chosen, *example, &mut canvas, screen.body);
        }
        Mode::Field => {
            if state.prompt.back == Mode::Columns {
                tables::draw_columns(state, &mut canvas, screen.body);
            }
            let FieldPrompt { offered, chosen, .. } = &state.prompt;
            panes::draw_offered(offered, *chosen, None, &mut canvas, screen.body);
        }
        Mode::Columns => tables::draw_columns(state, &mut canvas, screen.body),
        Mode::Export => {
            let x =
                canvas.text(0, screen.status.y, screen.status.width, " write to: ", Tone::Heading);
            cursor = panes::editor(&state.export, &mut canvas, screen.status, x);
            let hints = Rect { y: screen.status.y.saturating_sub(1), ..screen.status };
            canvas.text(0, hints.y, hints.width, &" ".repeat(hints.width.into()), Tone::Plain);
            canvas.lay(hints, hints.y, canvas.look.bar());
            match &state.notice {
                Some(Notice { tone, text }) => {
                    _ = canvas.text(1, hints.y, hints.width, text, *tone)
                }
                None => {
                    let words = export_text(state, &state.export.text);
                    let endings = endings(state).join(" ");
                    let words = format!("{words}  Enter writes  Tab: {endings}  Esc cancels");
                    canvas.text(1, hints.y, hints.width, &words, Tone::Dim);
                }
            }
        }
        _ => {}
    }
    if state.mode == Mode::Comment {
        let frame = state.frame_at_hand().unwrap_or(0);
        let words = format!(" comment on frame {frame}: ");
        canvas.lay(screen.status, screen.status.y, state.look.bar());
        let x = canvas.text(0, screen.status.y, screen.status.width, &words, Tone::Heading);
        cursor = panes::editor(&state.comment, &mut canvas, screen.status, x);
    } else if state.mode != Mode::Export {
        status(state, &mut canvas, screen.status);
    }
    cursor
}

fn view(state: &State, canvas: &mut Canvas<'_>, body: Rect) {
    match state.view {
        View::Flows => tables::draw_flows(state, canvas, body),
        View::Messages => tables::draw_messages(state, canvas),
        View::Operations => {
            let (rows, view) = (&state.capture.operations, &state.operations);
            let details = details::operation;
            tables::draw_rows(state, OPERATION_COLUMNS, rows, view, details, canvas, body);
        }
        View::Calls => {
            let (rows, view) = (&state.capture.calls, &state.calls);
            tables::draw_rows(state, CALL_COLUMNS, rows, view, details::call, canvas, body);
        }
        View::Ladder => ladder::draw_ladder(state, canvas, body),
        View::Findings => tables::draw_findings(state, canvas, body),
        View::Statistics => panes::draw_statistics(state, canvas, body),
        View::Fields => panes::draw_fields(state, canvas, body),
        View::Run => draw_run(state, canvas, body),
        View::Graph => graph::draw_graph(state, canvas, body),
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

/// Shortens a name that does not fit to its end.
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
    // A notice has priority over the user's position.
    let notice_width = state.notice.as_ref().map(|notice| notice.text.chars().count());
    let room = notice_width.map_or(columns * 5 / 8, |width| columns.saturating_sub(width + 4));
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

/// Returns the words that fit into `columns` columns, separated by two spaces: the words with the highest
/// rank are removed first, of several the last. Those of rank 0 are removed if even they do not fit.
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

/// Returns the most useful keys, with their ranks: those of the view first, and as many more as fit.
fn hints(state: &State) -> Vec<(u8, String)> {
    let (first, more) = match (state.mode, state.view) {
        (Mode::Filter, _) => ("Tab completes  Enter applies  Esc cancels", ""),
        (Mode::Search, _) => {
            ("text, ~regex or 0xhex  Enter searches, empty ends it  Esc cancels", "")
        }
        (Mode::Palette, _) => ("type a name  Enter runs it  Esc cancels", ""),
        (Mode::Columns, _) => ("Space shows  + adds  x removes  < > move  Esc closes", ""),
        (Mode::Field, _) => ("Tab completes  Enter makes it a column  Esc cancels", ""),
        (Mode::Help | Mode::Settings, _) => ("j k scroll  q closes", ""),
        (Mode::Stream, _) => ("j k scroll  y copies all  Esc closes", ""),
        (_, View::Flows) => (
            "Enter messages  5 ladder  o sort  f filter  ? help  q quit",
            "/ search  t this flow only  W all TCP  e export  > next view",
        ),
        (_, View::Messages) => (
            "Tab panes  f filter  / search  p partner  ] problem  ? help",
            "v more rows  d tree and bytes  Z pane only  m mark  C columns  y copy  e export  > next view",
        ),
        (_, View::Operations) => (
            "Enter goes there  p its answer  = its STag  o sort  ? help",
            "f filter  / search  t this flow only  e export  > next view",
        ),
        (_, View::Calls) => (
            "Enter goes there  p its answer  b its RPC  o sort  ? help",
            "f filter  / search  t this flow only  e export  > next view",
        ),
        (_, View::Ladder) => (
            "Enter goes there  p partner  w scale  e export  ? help",
            "/ search  b its RPC  B its bytes  > next view",
        ),
        (_, View::Findings) => (
            "Enter opens  = its frames  t this flow  ? help",
            "f filter  / search  y copy  e export  > next view",
        ),
        (_, View::Statistics) => (
            "Enter filters by the row  t this flow  e export  ? help",
            "/ search  W TCP connections  > next view",
        ),
        (_, View::Run) => {
            ("Tab details  ] next failure  Enter folds  ? help", "/ search  e export  > next view")
        }
        (_, View::Graph) => (
            "h l move  Enter selects a span  o latency, in flight  f filter  ? help",
            "+ zoom in  - undo zoom  t this flow only  e export  > next view",
        ),
        (_, View::Fields) => {
            ("Enter filters by it  a adds a column  y copies  ? help", "/ search  > next view")
        }
    };
    // Skip a key that the settings file has reassigned.
    let holds = |hint: &&str| {
        let key = hint.split(' ').next().and_then(Key::parse).filter(|_| state.mode == Mode::View);
        key.is_none_or(|key| {
            let asked = |keymap: &Keymap| keymap.action(key, state.view, Pane::List);
            asked(&state.keymap) == asked(&Keymap::default())
        })
    };
    let ranked = |hints: &'static str, rank: u8| {
        let hints = hints.split("  ").filter(|hint| !hint.is_empty()).filter(holds);
        let rank = move |hint: &str| if hint.starts_with('?') { 0 } else { rank };
        hints.map(move |hint| (rank(hint), hint.to_owned())).collect::<Vec<_>>()
    };
    // The help key stays at the end.
    let mut hints = ranked(first, 1);
    let help = hints.iter().position(|(rank, _)| *rank == 0).unwrap_or(hints.len());
    hints.splice(help..help, ranked(more, 2));
    hints
}

/// Returns the progress of reading and the user's position, with ranks.
fn progress(state: &State) -> Vec<(u8, String)> {
    let progress = &state.capture.progress;
    let frames = counted(progress.frames.into(), "frame");
    let mut words = Vec::new();
    let mut put = |rank, text| words.push((rank, text));
    let (cursor, count) = state.cursor();
    if count > 0 {
        put(1, format!("{}/{count}", cursor.selected + 1));
    }
    if state.filter.active() && state.filter.upto < state.capture.frames.count() {
        put(2, format!("filtered to {}", state.filter.upto));
    }
    match (progress.ended, progress.total) {
        // Only a report, without a capture.
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
        put(3, format!("{} rows not kept", progress.dropped));
    }
    match &state.held {
        Some(held) => put(0, format!("{} more, paused", held.frames)),
        None if state.follow => put(1, "following".to_owned()),
        None => {}
    }
    words
}

// Text output in tones.

/// The screen and its look.
pub(super) struct Canvas<'a> {
    pub(super) buffer: &'a mut Buffer,
    pub(super) look: Look,
}

impl Canvas<'_> {
    /// Writes text into at most `columns` columns; returns the column after it.
    pub(super) fn text(&mut self, x: u16, y: u16, columns: u16, text: &str, tone: Tone) -> u16 {
        self.styled(x, y, columns, text, self.look.style(tone))
    }

    pub(super) fn styled(&mut self, x: u16, y: u16, columns: u16, text: &str, style: Style) -> u16 {
        let area = *self.buffer.area();
        if y >= area.bottom() || x >= area.right() || columns == 0 {
            return x;
        }
        let room = columns.min(area.right() - x);
        // A single character is not truncated.
        let text = if room > 1 { cut(text, room) } else { Cow::Borrowed(text) };
        let text = if self.look.ascii && !text.is_ascii() {
            Cow::Owned(text.chars().map(|character| self.look.drawn(character)).collect())
        } else {
            text
        };
        self.buffer.set_stringn(x, y, text, usize::from(room), style).0
    }

    /// Writes right-aligned text into `columns` columns; text that is too long loses its end.
    pub(super) fn right(&mut self, x: u16, y: u16, columns: u16, text: &str, tone: Tone) {
        use unicode_width::UnicodeWidthStr as _;
        let width = u16::try_from(text.width()).unwrap_or(u16::MAX).min(columns);
        self.text(x + (columns - width), y, width, text, tone);
    }

    pub(super) fn line(&mut self, area: Rect, y: u16, line: &TextLine) {
        let mut x = area.x;
        for piece in line {
            let columns = area.right().saturating_sub(x);
            x = self.text(x, y, columns, &piece.text, piece.tone);
        }
    }

    pub(super) fn lay(&mut self, area: Rect, y: u16, style: Style) {
        if y < area.bottom() {
            self.buffer.set_style(Rect { y, height: 1, ..area }, style);
        }
    }

    /// Draws the head of a pane: its name on a bar.
    pub(super) fn head(&mut self, area: Rect, name: &str, has_keys: bool) {
        if area.height == 0 {
            return;
        }
        self.lay(area, area.y, self.look.bar());
        let tone = if has_keys { Tone::Heading } else { Tone::Dim };
        let mark = match (has_keys, self.look.ascii) {
            (false, _) => " ",
            (true, true) => ">",
            (true, false) => "▌",
        };
        let x = self.text(area.x, area.y, 1, mark, Tone::Accent);
        self.text(x, area.y, area.width.saturating_sub(1), name, tone);
    }
}

// The command palette.

/// Draws the palette; returns the position of the cursor.
pub(super) fn draw_palette(state: &State, canvas: &mut Canvas<'_>, area: Rect) -> Option<Position> {
    canvas.text(area.x, area.y, area.width, &" ".repeat(area.width.into()), Tone::Plain);
    canvas.lay(area, area.y, canvas.look.bar());
    let x = canvas.text(area.x, area.y, area.width, " : ", Tone::Heading);
    let cursor = editor(&state.palette.editor, canvas, area, x);
    let offered = state.palette.offered();
    let chosen = state.palette.cursor;
    if let Some(frame) = state.palette.frame().filter(|_| state.palette.before.is_none()) {
        let words = format!("   go to frame {frame}");
        canvas.text(area.x, area.y + 1, area.width, &words, Tone::Plain);
        canvas.lay(area, area.y + 1, canvas.look.chosen(true));
    }
    for (index, y) in (chosen.top..offered.len()).zip(area.y + 1..area.bottom()) {
        let Some(binding) = offered.get(index) else { break };
        let here = binding.scope.holds(state.view, state.active_pane());
        let tone = if here { Tone::Plain } else { Tone::Dim };
        let keys = state.keymap.keys(binding).first().map(ToString::to_string).unwrap_or_default();
        let name = format!("   {:<20}{keys:<10}", binding.name);
        let x = canvas.text(area.x, y, area.width, &name, tone);
        canvas.text(x, y, area.right().saturating_sub(x), binding.words, Tone::Dim);
        if index == chosen.selected {
            canvas.lay(area, y, canvas.look.chosen(true));
        }
    }
    cursor
}

// Lines of text in a pane.

/// Draws the lines from `top` on, as many as fit.
pub(super) fn draw_text(canvas: &mut Canvas<'_>, area: Rect, lines: &[TextLine], top: usize) {
    for (line, y) in lines.iter().skip(top).zip(area.y..area.bottom()) {
        canvas.line(Rect { x: area.x + 1, width: area.width.saturating_sub(1), ..area }, y, line);
    }
}

/// Returns the part of an area below its head.
pub(super) fn below_head(area: Rect) -> Rect {
    let head = area.height.min(1);
    Rect { y: area.y + head, height: area.height - head, ..area }
}

// The run view: results of a conformance run, and the details of the selected one.

pub(super) fn draw_run(state: &State, canvas: &mut Canvas<'_>, body: Rect) {
    let view = &state.run;
    let areas = layout::parts(View::Run, body, state.share);
    let area = areas.list;
    if view.entries.is_empty() {
        canvas.head(area, "results of a conformance run", true);
        if area.height > 1 {
            let words = "no report was given: warpscope tui --run REPORT";
            canvas.text(area.x + 1, area.y + 1, area.width, words, Tone::Dim);
        }
        return;
    }
    let in_detail = state.active_pane() == Pane::Detail;
    canvas.head(area, &view.title, !in_detail);
    let lines = view.visible.iter().enumerate().skip(view.cursor.top);
    for ((row, index), y) in lines.zip(area.y + 1..area.bottom()) {
        let Some(entry) = view.entries.get(*index) else { continue };
        let fold = match (view.has_children(*index), view.folded.contains(index)) {
            (false, _) => " ",
            (true, true) => canvas.look.either("▸", "+"),
            (true, false) => canvas.look.either("▾", "-"),
        };
        let x = area.x + u16::from(entry.depth) * 2;
        let x = canvas.text(x, y, area.right().saturating_sub(x), fold, Tone::Accent);
        let tone = if entry.depth < 2 { Tone::Strong } else { Tone::Plain };
        let name = format!(" {}  ", entry.name);
        let x = canvas.text(x, y, area.right().saturating_sub(x), &name, tone);
        canvas.text(x, y, area.right().saturating_sub(x), &entry.verdict, entry.tone);
        if row == view.cursor.selected {
            canvas.lay(area, y, canvas.look.chosen(!in_detail));
        }
    }
    let Some(entry) = view.chosen() else { return };
    canvas.head(areas.detail, &entry.name, in_detail);
    let below = below_head(areas.detail);
    let lines = view.details(below.width.saturating_sub(2).into());
    draw_text(canvas, below, &lines, view.shift);
}

// The help, and the current settings.

fn draw_lines(canvas: &mut Canvas<'_>, area: Rect, name: &str, lines: &[TextLine], top: usize) {
    canvas.head(area, name, true);
    draw_text(canvas, below_head(area), lines, top);
}

// The bytes of a conversation.

fn draw_stream(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let view = &state.stream;
    canvas.head(area, &format!("the bytes of flow {}'s messages", view.flow), true);
    let below = below_head(area);
    match &view.lines {
        Some(lines) => draw_text(canvas, below, lines, view.cursor.top),
        None => _ = canvas.text(below.x + 1, below.y, below.width, "reading…", Tone::Dim),
    }
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
