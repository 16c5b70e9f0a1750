//! The findings view: rules that are broken, their places, and what the chosen rule means.

use super::canvas::Canvas;
use super::text;
use crate::format::wrap;
use crate::layout;
use crate::look::Tone;
use crate::state::{FindingLine, State, TextLine, View, piece};
use ratatui::layout::Rect;
use warpscope_dissector::format::counted;
use warpscope_dissector::rules::Level;

/// Draws the findings.
pub(super) fn draw(state: &State, canvas: &mut Canvas<'_>, body: Rect) {
    let areas = layout::parts(View::Findings, body);
    let capture = &state.capture;
    let view = &state.findings;
    let rules = view.lines.iter().filter(|line| matches!(line, FindingLine::Rule(..))).count();
    let head = format!(
        "{} of {}",
        counted(capture.found.len() as u64, "finding"),
        counted(rules as u64, "rule")
    );
    canvas.head(areas.list, &head, true);
    let area = areas.list;
    if view.lines.is_empty() && area.height > 1 {
        canvas.text(area.x + 1, area.y + 1, area.width, "no rule is broken", Tone::Good);
    }
    let seen = || view.lines.iter().skip(view.cursor.top).take(area.height.into());
    let ids = seen().filter_map(|line| match line {
        FindingLine::Rule(rule, _) => Some(rule.id.len()),
        FindingLine::Place(_) => None,
    });
    let widest = ids.max().unwrap_or(0);
    let lines = seen().enumerate().map(|(row, line)| (row + view.cursor.top, line));
    for ((row, line), y) in lines.zip(area.y + 1..area.bottom()) {
        match line {
            FindingLine::Rule(rule, count) => {
                let (level, tone) = level(rule.level);
                let open = view.open.contains(rule.id);
                let fold = if open { ("▾", "-") } else { ("▸", "+") };
                let fold = canvas.look.either(fold.0, fold.1);
                let x = canvas.text(area.x, y, 2, fold, Tone::Accent);
                let x = canvas.text(x, y, 40, &format!("{count:>7} {level:<7}"), tone);
                let name = format!("{:<widest$}  ", rule.id);
                let x = canvas.text(x, y, area.right().saturating_sub(x), &name, Tone::Strong);
                canvas.text(x, y, area.right().saturating_sub(x), rule.title, Tone::Plain);
            }
            FindingLine::Place(index) => {
                let Some(found) = capture.found.get(*index) else { continue };
                let place = format!("      frame {:<8} flow {:<5}", found.frame, found.flow);
                let x = canvas.text(area.x, y, area.width, &place, Tone::Dim);
                let room = area.right().saturating_sub(x);
                canvas.text(x, y, room, &found.explanation, Tone::Plain);
            }
        }
        if row == view.cursor.selected {
            canvas.lay(area, y, canvas.look.chosen(true));
        }
    }
    canvas.head(areas.detail, view.rule(capture).map_or("", |rule| rule.id), false);
    let below = text::below_head(areas.detail);
    let lines = explained(state, usize::from(below.width.saturating_sub(2)).min(110));
    text::draw(canvas, below, &lines, 0);
}

fn level(level: Level) -> (&'static str, Tone) {
    match level {
        Level::Must => ("MUST", Tone::Bad),
        Level::Should => ("SHOULD", Tone::Warn),
    }
}

/// What the chosen rule demands, what its being broken means, and what was seen.
fn explained(state: &State, columns: usize) -> Vec<TextLine> {
    let capture = &state.capture;
    let Some(rule) = state.findings.rule(capture) else { return Vec::new() };
    let mut lines: Vec<TextLine> = Vec::new();
    let mut push = |tone, text: &str| {
        lines.extend(wrap(text, columns).into_iter().map(|line| vec![piece(tone, line)]));
    };
    let (level, tone) = level(rule.level);
    if let Some(found) = state.findings.chosen(capture) {
        push(tone, &format!("frame {}: {}", found.frame, found.explanation));
    }
    push(Tone::Plain, rule.title);
    push(Tone::Dim, &format!("{level}, {}, {}", rule.section, rule.requirements.join(", ")));
    push(Tone::Plain, rule.meaning);
    if let Some((layer, kind, code)) = rule.terminate {
        let words =
            format!("It deserves a Terminate: layer {layer}, type {kind}, code {code:#04x}.");
        push(Tone::Dim, &words);
    }
    lines
}
