//! The ladder view: the conversation of a flow, one arrow per message.

use super::frame::{self, Canvas};
use crate::layout::{self, View};
use crate::look::Tone;
use crate::state::{LadderLine, State, frames_text};
use crate::text::{TextLine, cut, piece};
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr as _;
use warpscope_dissector::format::{duration, seconds, span};
use warpscope_dissector::ladder::{Kind, Ladder, Row, drawn, parameters, role};
use warpscope_dissector::mpa::Side;
use warpscope_text::{counted, escaped, wrap};

/// The least columns between the two ends with space for their roles.
const ROOMY: u16 = 80;
/// The most columns between the two ends: wider arrows are hard to follow.
const WIDEST: u16 = 120;

#[derive(Debug, Clone, Copy)]
struct Lanes {
    frames: u16,
    times: u16,
    lane: u16,
    left: Side,
}

impl Lanes {
    fn new((frames, times): (usize, usize), columns: u16, left: Side) -> Self {
        let [frames, times] =
            [frames, times].map(|width| u16::try_from(width).unwrap_or(u16::MAX).min(24));
        let mut lanes = Self { frames, times, lane: 0, left };
        lanes.lane = columns.saturating_sub(lanes.margin() + 3).min(WIDEST);
        lanes
    }

    /// Returns the columns before the left end.
    fn margin(self) -> u16 {
        self.frames + self.times + 4
    }
}

pub(super) fn draw_ladder(state: &State, canvas: &mut Canvas<'_>, body: Rect) {
    let areas = layout::parts(View::Ladder, body, state.share);
    let area = areas.list;
    let view = &state.ladder;
    let Some(ladder) = view.at_hand() else {
        let words = match (view.flow, &view.ladder) {
            (None, _) => "no flow with iWARP".to_owned(),
            (Some(flow), Some(_)) => format!("there is no flow {flow}"),
            (Some(flow), None) => format!("drawing flow {flow}…"),
        };
        canvas.head(area, &words, true);
        return;
    };
    let left = ladder.negotiation.initiator().unwrap_or(Side(0));
    let lanes = Lanes::new(view.widths, area.width, left);
    head(canvas, area, ladder, lanes);
    let lines = view.lines.iter().enumerate().skip(view.cursor.top);
    for ((at, line), y) in lines.zip(area.y + 1..area.bottom()) {
        draw_line(canvas, area, y, lanes, ladder, *line);
        if at == view.cursor.selected {
            canvas.lay(area, y, canvas.look.chosen(true));
        }
    }
    let row = view.chosen().and_then(|row| ladder.rows.get(row));
    let name = row.map_or(String::new(), |row| row.label.clone());
    canvas.head(areas.detail, &name, false);
    let below = frame::below_head(areas.detail);
    let columns = usize::from(below.width.saturating_sub(2)).min(110);
    if let Some(row) = row {
        frame::draw_text(canvas, below, &details(ladder, row, columns), 0);
    }
}

fn head(canvas: &mut Canvas<'_>, area: Rect, ladder: &Ladder, lanes: Lanes) {
    let Lanes { lane, left, .. } = lanes;
    canvas.head(area, &format!("flow {}", ladder.connection.number), true);
    let end = |side: Side| {
        let name = ladder.connection.ends[side.index()].to_string();
        if lane < ROOMY { name } else { format!("{name} {}", role(&ladder.negotiation, side)) }
    };
    let x = area.x + lanes.margin();
    canvas.text(x, area.y, lane / 2, &end(left), Tone::Heading);
    canvas.right(x + lane / 2 + 1, area.y, lane - lane / 2 + 1, &end(left.peer()), Tone::Heading);
}

fn draw_line(
    canvas: &mut Canvas<'_>,
    area: Rect,
    y: u16,
    lanes: Lanes,
    ladder: &Ladder,
    line: LadderLine,
) {
    let Lanes { frames, times, lane, left } = lanes;
    let edges = [area.x + lanes.margin(), area.x + lanes.margin() + lane + 1];
    let quiet = matches!(line, LadderLine::Pause(_) | LadderLine::Quiet);
    let edge = if quiet { canvas.look.either("┊", ":") } else { canvas.look.either("│", "|") };
    for x in edges {
        canvas.text(x, y, 1, edge, Tone::Dim);
    }
    let inside = edges[0] + 1;
    let row = line.row().and_then(|row| ladder.rows.get(row));
    match (line, row) {
        (LadderLine::Row(_), Some(row)) => {
            canvas.right(area.x + 1, y, frames, &frames_text(row.frames), Tone::Dim);
            let time = seconds(row.time, ladder.first_time);
            canvas.right(area.x + frames + 3, y, times, &time, Tone::Dim);
            let tone = if row.alarm { Tone::Bad } else { tone(row.kind) };
            let text = arrow(canvas, row, usize::from(lane), row.from == left);
            canvas.text(inside, y, lane, &text, tone);
        }
        (LadderLine::Note(_, note), Some(row)) => {
            let text = row.notes.get(note).map_or("", String::as_str);
            let tone = if row.alarm { Tone::Warn } else { Tone::Dim };
            below_arrow(canvas, inside, y, lane, text, row.from == left, tone);
        }
        (LadderLine::Finding(_, at), Some(row)) => {
            let Some(finding) = row.findings.get(at) else { return };
            let text = format!("! {}: {}", finding.rule, finding.explanation);
            below_arrow(canvas, inside, y, lane, &text, row.from == left, Tone::Bad);
        }
        (LadderLine::Pause(span), _) => {
            let text = format!("{} later", duration(span.unsigned_abs()));
            let blank = usize::from(lane).saturating_sub(text.width()) / 2;
            let x = inside + u16::try_from(blank).unwrap_or(0);
            canvas.text(x, y, lane, &text, Tone::Dim);
        }
        _ => {}
    }
}

/// Draws text below an arrow, on its sender's side.
fn below_arrow(
    canvas: &mut Canvas<'_>,
    x: u16,
    y: u16,
    lane: u16,
    text: &str,
    rightward: bool,
    tone: Tone,
) {
    let shown = escaped(text);
    if rightward || shown.width() > usize::from(lane.saturating_sub(6)) {
        let room = lane.saturating_sub(3);
        canvas.text(x + 3, y, room, &shown, tone);
    } else {
        canvas.right(x, y, lane.saturating_sub(3), &shown, tone);
    }
}

/// Returns an arrow of `lane` columns with text on it.
fn arrow(canvas: &Canvas<'_>, row: &Row, lane: usize, rightward: bool) -> String {
    let shown = escaped(&row.label);
    let label = cut(&shown, u16::try_from(lane.saturating_sub(6)).unwrap_or(u16::MAX));
    drawn(&label, lane, rightward, row.arrow, canvas.look.ascii)
}

fn tone(kind: Kind) -> Tone {
    match kind {
        Kind::Tcp => Tone::Dim,
        Kind::Setup => Tone::Setup,
        Kind::Send => Tone::Plain,
        Kind::Call => Tone::Call,
        Kind::Reply => Tone::Reply,
        Kind::Write => Tone::Write,
        Kind::Request => Tone::Request,
        Kind::Response => Tone::Response,
        Kind::Loss => Tone::Warn,
        Kind::Terminate | Kind::Unknown | Kind::Finding => Tone::Bad,
    }
}

/// Returns the details of the selected row, for below the ladder.
fn details(ladder: &Ladder, row: &Row, columns: usize) -> Vec<TextLine> {
    let mut lines: Vec<TextLine> = Vec::new();
    if let Some(answer) = &row.answers {
        let words = format!("answers frame {}, {} later", answer.frame, span(answer.latency));
        lines.push(vec![piece(Tone::Accent, words)]);
    }
    if let Some(answer) = row.answered_by.and_then(|other| ladder.rows.get(other)) {
        lines.push(vec![piece(Tone::Accent, format!("answered in frame {}", answer.frames.1))]);
    }
    for note in &row.notes {
        lines.extend(wrap(note, columns).into_iter().map(|line| vec![piece(Tone::Plain, line)]));
    }
    for finding in &row.findings {
        let words = format!("{}: {}", finding.rule, finding.explanation);
        lines.extend(wrap(&words, columns).into_iter().map(|line| vec![piece(Tone::Bad, line)]));
    }
    for detail in &row.details {
        let name = format!("{:<22}", detail.name);
        lines.push(vec![piece(Tone::Dim, name), piece(Tone::Plain, escaped(&detail.value))]);
    }
    for (name, value) in parameters(&ladder.negotiation) {
        lines.push(vec![piece(Tone::Dim, format!("{name:<22}")), piece(Tone::Dim, value)]);
    }
    if ladder.left_out.total() > 0 {
        let words = format!("{} left out", counted(ladder.left_out.total(), "row"));
        lines.push(vec![piece(Tone::Warn, words)]);
    }
    lines
}
