//! The whole state.

use super::{
    Cursor, Density, Editor, FieldPrompt, FieldsView, FilterBar, FindingsView, GraphView,
    LadderView, MessagesView, PaletteView, SearchBar, Settings, StatisticsView, StreamView,
    TableView,
};
use crate::action::{Key, Keymap};
use crate::event::{Comments, Effect, Event, Progress};
use crate::index::{
    CallRow, ChunkRow, Flags, FlowRow, FoundRow, Frames, OperationRow, TcpConnections,
};
use crate::layout::{self, Pane, Share, View};
use crate::look::{Look, Theme, Tone};
use crate::rules::{self, Rule};
use crate::text::{TextLine, fitted, piece, wrap_line};
use ratatui::layout::Rect;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::sync::Arc;
use warpscope_dissector::statistics::Counts;
use warpscope_text::{escaped, wrap};

/// The receiver of the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// The view: keys are actions.
    #[default]
    View,
    /// The display filter is being edited.
    Filter,
    /// The search is being edited.
    Search,
    /// The command palette is open.
    Palette,
    /// The help is open.
    Help,
    /// The current settings are shown.
    Settings,
    /// Columns are being selected.
    Columns,
    /// The name of a field to add as a column is being typed.
    Field,
    /// The name of a file to write is being edited.
    Export,
    /// The bytes of a conversation are shown.
    Stream,
    /// A comment is being edited.
    Comment,
}

/// A message in the status line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Good, bad, or neither.
    pub tone: Tone,
    /// The text.
    pub text: String,
}

/// A place to return to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The view.
    pub view: View,
    /// The selected frame of the messages view.
    pub frame: u32,
    /// The only flow shown.
    pub flow: Option<u32>,
    /// The filter that was removed to show a frame.
    pub filter: Option<String>,
    /// The density before it was changed to show a frame.
    pub density: Option<Density>,
}

/// The item to select in the tree of a frame.
#[derive(Debug, Clone)]
pub enum Opened {
    /// The field that a finding is about.
    Finding(FoundRow),
    /// The message of an operation: a frame, and the operation's number.
    Operation(u32, u32),
}

impl Opened {
    /// Returns the frame.
    pub fn frame(&self) -> u32 {
        match self {
            Self::Finding(row) => row.frame,
            Self::Operation(frame, _) => *frame,
        }
    }
}

/// The events of workers during a pause of the screen.
#[derive(Debug, Clone, Default)]
pub struct HeldEvents {
    /// The events, in order.
    pub events: Vec<Event>,
    /// The number of frames in them.
    pub frames: usize,
}

/// The state of the whole UI.
#[derive(Debug, Clone, Default)]
pub struct State {
    /// The name of the capture.
    pub name: String,
    /// The number of this capture, from 1, and the number of all captures.
    pub one_of: Option<(usize, usize)>,
    /// The columns and rows of the screen.
    pub size: (u16, u16),
    /// The look of the UI.
    pub look: Look,
    /// The user's choices of the look in the UI, in this session or an earlier one.
    pub own_look: OwnLook,
    /// The keys of actions.
    pub keymap: Keymap,
    /// The rules that colour the messages.
    pub rules: Arc<[Rule]>,
    /// The receiver of the keys.
    pub mode: Mode,
    /// Keys that wait for a tree or a ladder.
    pub typed: VecDeque<Key>,
    /// The view.
    pub view: View,
    /// The pane of the messages view.
    pub pane: Pane,
    /// The list's share of the body.
    pub share: Share,
    /// Whether the mouse holds the border below the list.
    pub dragging: bool,
    /// Places to return to, the latest last.
    pub back: Vec<Place>,
    /// Requested effects, to be performed by others.
    pub effects: Vec<Effect>,
    /// The capture's index and tables.
    pub capture: Capture,
    /// The only flow shown.
    pub flow: Option<u32>,
    /// The display filter.
    pub filter: FilterBar,
    /// The search.
    pub search: SearchBar,
    /// The command palette.
    pub palette: PaletteView,
    /// The first visible line of the help, or of the current settings.
    pub help: Cursor,
    /// The content of the settings file.
    pub settings: Settings,
    /// The path of the settings file, even if it does not exist.
    pub settings_file: Option<String>,
    /// The field to add as a column.
    pub prompt: FieldPrompt,
    /// The name of the file to write.
    pub export: Editor,
    /// Whether only the marked frames are written to it.
    pub export_marked: bool,
    /// The comment being typed.
    pub comment: Editor,
    /// The user's own comments, by frame.
    pub comments: BTreeMap<u32, String>,
    /// Whether some of them are not saved yet.
    pub unsaved: bool,
    /// Whether frames are being written to a file.
    pub writing: bool,
    /// Marked frames.
    pub marks: BTreeSet<u32>,
    /// Connections.
    pub flows: TableView,
    /// Messages.
    pub messages: MessagesView,
    /// Operations.
    pub operations: TableView,
    /// Calls.
    pub calls: TableView,
    /// The ladder.
    pub ladder: LadderView,
    /// Findings.
    pub findings: FindingsView,
    /// Statistics.
    pub statistics: StatisticsView,
    /// Bars over time.
    pub graph: GraphView,
    /// The bytes of a conversation.
    pub stream: StreamView,
    /// Fields.
    pub fields: FieldsView,
    /// Results of a conformance run.
    pub run: RunView,
    /// Whether flows, operations, calls and findings must be rebuilt when they are shown.
    pub stale: bool,
    /// Whether the view follows the end of growing lists.
    pub follow: bool,
    /// The events of workers since the screen was paused; none if it is not.
    pub held: Option<HeldEvents>,
    /// The flow selected in the previous view, for views without a selection.
    pub last_flow: Option<u32>,
    /// The frame to select after it is read again.
    pub seek: Option<u32>,
    /// The opened item, to be selected when the tree of its frame arrives.
    pub opened: Option<Opened>,
    /// The message in the status line.
    pub notice: Option<Notice>,
    /// Whether the session has ended.
    pub quit: bool,
}

/// The user's choices of the look in the UI; nothing else of it is saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OwnLook {
    /// The theme.
    pub theme: Option<Theme>,
    /// Whether only ASCII is drawn.
    pub ascii: Option<bool>,
    /// The default theme: choosing it removes the user's choice.
    pub suited: Theme,
}

/// The most places to return to.
const BACK: usize = 64;

impl State {
    /// Creates the state before any frame is read.
    pub fn new(name: impl Into<String>, size: (u16, u16), look: Look) -> Self {
        let own_look = OwnLook { suited: look.theme, ..OwnLook::default() };
        let rules = rules::defaults();
        Self { name: name.into(), size, look, own_look, rules, ..Self::default() }
    }

    /// Whether the screen is large enough.
    pub fn fits(&self) -> bool {
        self.size.0 >= layout::LEAST.0 && self.size.1 >= layout::LEAST.1
    }

    /// Returns the area of the current view's list.
    pub fn list_area(&self) -> Rect {
        let body = layout::screen(self.size).body;
        match self.view {
            View::Messages if self.messages.alone && self.active_pane() == Pane::List => body,
            View::Messages => layout::messages(body, self.messages.detail, 0, self.share).list,
            view => layout::parts(view, body, self.share).list,
        }
    }

    /// Returns the number of rows of that list.
    pub fn page(&self) -> usize {
        layout::page(self.list_area())
    }

    /// Returns the interface on which a flow was captured, if there are several.
    pub fn captured_on(&self, row: &FlowRow) -> Option<&str> {
        let frames = &self.capture.frames;
        let first = u32::try_from(row.flow.first.frame).ok()?;
        let interface = frames.interface(frames.find(first)?.interface)?;
        interface.name.as_deref().filter(|_| frames.interfaces().len() > 1)
    }

    /// Returns the panes of the messages view.
    pub fn message_panes(&self) -> layout::Messages {
        let body = layout::screen(self.size).body;
        match self.messages.alone {
            true => layout::Messages::alone(body, self.active_pane()),
            false => {
                let words = self.words_at_hand().len();
                layout::messages(body, self.messages.detail, words, self.share)
            }
        }
    }

    /// Returns the comments on a frame: those of the capture, then the user's own.
    pub fn comments_on(&self, frame: u32) -> Vec<String> {
        let read = self.capture.comments.get(&frame).cloned().unwrap_or_default();
        read.into_iter().chain(self.comments.get(&frame).cloned()).collect()
    }

    /// Returns the complete notes on the selected message: its comments, and, for an incorrect message, its
    /// text and the rules that it breaks.
    pub fn words_at_hand(&self) -> Vec<TextLine> {
        let frame = self.chosen_frame();
        let (capture, columns) = (&self.capture, usize::from(self.size.0).saturating_sub(2));
        let flags = capture.frames.find(frame).map(|entry| entry.flags).unwrap_or_default();
        let broken = capture.found_frames.contains(&frame);
        let wrapped = |text: &str, tone| {
            let lines = wrap(&escaped(text), columns).into_iter();
            lines.map(|line| vec![piece(tone, line)]).collect::<Vec<TextLine>>()
        };
        let comments = self.comments_on(frame).into_iter();
        let comments = comments.flat_map(|text| wrapped(&format!("comment: {text}"), Tone::Accent));
        if !broken && !flags.intersects(Flags::TERMINATE | Flags::WRONG | Flags::SKIPPED) {
            return comments.collect();
        }
        let info = self.messages.lines.get(&frame).map(|row| row.line.info.clone());
        let found = capture.found.iter().filter(|row| broken && row.frame == frame);
        let found = found.map(|row| format!("{}: {}", row.rule.id, row.explanation));
        let all = info.into_iter().chain(found);
        comments.chain(all.flat_map(|text| wrapped(&text, Tone::Bad))).collect()
    }

    /// Returns the frames of the selected row: of a request and its response; 0 if missing.
    pub fn frames_at_hand(&self) -> [u32; 2] {
        let capture = &self.capture;
        let frames = match self.view {
            View::Messages => Some([self.chosen_frame(), 0]),
            View::Operations => {
                self.operations.of(&capture.operations).map(|it| [it.frame, it.answer])
            }
            View::Calls => self.calls.of(&capture.calls).map(|it| [it.frame, it.answer]),
            View::Ladder => self.ladder.chosen_frame().map(|frame| [frame, 0]),
            View::Findings => self.findings.chosen(capture).map(|it| [it.frame, 0]),
            _ => None,
        };
        frames.unwrap_or_default()
    }

    /// Returns the first of them that exists.
    pub fn frame_at_hand(&self) -> Option<u32> {
        self.frames_at_hand().into_iter().find(|frame| *frame > 0)
    }

    /// Returns the pane that receives the keys: in most views the list.
    pub fn active_pane(&self) -> Pane {
        match (self.view, self.pane) {
            (View::Messages, Pane::Tree | Pane::Bytes) if self.messages.detail => self.pane,
            (View::Run, Pane::Detail) => self.pane,
            _ => Pane::List,
        }
    }

    /// Returns the frame selected in the messages view, or 0.
    pub fn chosen_frame(&self) -> u32 {
        self.messages.rows.frame(self.messages.cursor.selected).unwrap_or(0)
    }

    /// Returns the current flow: the only one shown, else that of the selected row; in the flows, that row.
    pub fn meant_flow(&self) -> Option<u32> {
        match self.view {
            // A row selected in the flows has priority over the only flow shown elsewhere.
            View::Flows => self.chosen_flow().or(self.flow),
            _ => self.flow.or_else(|| self.chosen_flow()),
        }
    }

    /// Returns the flow of the selected row.
    pub fn chosen_flow(&self) -> Option<u32> {
        match self.view {
            View::Flows => Some(self.flows.of(&self.capture.flows)?.flow.info.number),
            View::Operations => Some(self.operations.of(&self.capture.operations)?.flow),
            View::Calls => Some(self.calls.of(&self.capture.calls)?.flow),
            View::Findings => self.findings.chosen(&self.capture).map(|found| found.flow),
            View::Ladder => self.ladder.flow,
            View::Messages => self.capture.frames.find(self.chosen_frame())?.flow(),
            View::Statistics | View::Fields | View::Run | View::Graph => self.last_flow,
        }
    }

    /// Returns the frames that an export of the view includes: in the messages those that are listed, else
    /// those of the current flow, else all.
    pub fn meant_frames(&self) -> Vec<u32> {
        if self.export_marked {
            return self.marks.iter().copied().collect();
        }
        if self.view == View::Messages {
            let rows = &self.messages.rows;
            return (0..rows.len()).filter_map(|row| rows.frame(row)).collect();
        }
        let flow = self.meant_flow();
        let wanted = |flow_of: u32| flow.is_none_or(|flow| flow == flow_of);
        let frames = self.capture.frames.from(1).filter(|(_, entry)| wanted(entry.flow));
        frames.map(|(number, _)| number).collect()
    }

    /// Shows a message in the status line.
    pub fn say(&mut self, tone: Tone, text: impl Into<String>) {
        self.notice = Some(Notice { tone, text: text.into() });
    }

    /// Saves the user's current place.
    pub fn remember_place(&mut self) {
        let (view, frame, flow) = (self.view, self.chosen_frame(), self.flow);
        let place = Place { view, frame, flow, filter: None, density: None };
        if self.back.last() != Some(&place) {
            self.back.push(place);
        }
        if self.back.len() > BACK {
            self.back.remove(0);
        }
    }
}

// The run view: the results of a conformance run.

/// A document, section, case or instance of a run, and its result. The entries of a run are a flat
/// list: the children of an entry follow it with a greater depth.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunEntry {
    /// Its depth: 0 for a document.
    pub depth: u8,
    /// Its name: a document, a section with its number, a case's or instance's id.
    pub name: String,
    /// Its verdict, or the counts of its children.
    pub verdict: String,
    /// Good, bad, or neither.
    pub tone: Tone,
    /// Whether the run fails because of it, or of an entry below it.
    pub fails: bool,
    /// The details: title, requirement, reason, sent and received messages, the ladder.
    pub details: Vec<TextLine>,
}

/// The run view.
#[derive(Debug, Clone, Default)]
pub struct RunView {
    /// The selected entry and the visible part.
    pub cursor: Cursor,
    /// A short description of the run.
    pub title: String,
    /// Every entry.
    pub entries: Vec<RunEntry>,
    /// Entries whose children are hidden.
    pub folded: HashSet<usize>,
    /// The entries that are not hidden.
    pub visible: Vec<usize>,
    /// The first visible line of the details.
    pub shift: usize,
}

impl RunView {
    /// Sets a run; entries that did not fail are folded below their case.
    pub fn set(&mut self, title: String, entries: Vec<RunEntry>) {
        let quiet = |(index, entry): (usize, &RunEntry)| {
            (entry.depth >= 2 && !entry.fails).then_some(index)
        };
        self.folded = entries.iter().enumerate().filter_map(quiet).collect();
        (self.title, self.entries) = (title, entries);
        self.list(1);
    }

    /// Rebuilds the list of shown entries; the selected one stays selected.
    pub fn list(&mut self, page: usize) {
        let chosen = self.visible.get(self.cursor.selected).copied().unwrap_or(0);
        let mut hidden_below = None;
        self.visible.clear();
        for (index, entry) in self.entries.iter().enumerate() {
            if hidden_below.is_some_and(|depth| entry.depth > depth) {
                continue;
            }
            hidden_below = self.folded.contains(&index).then_some(entry.depth);
            self.visible.push(index);
        }
        let row = self.visible.partition_point(|index| *index <= chosen).saturating_sub(1);
        self.cursor.choose(row, self.visible.len(), page);
        self.shift = 0;
    }

    /// Returns the selected entry.
    pub fn chosen(&self) -> Option<&RunEntry> {
        self.entries.get(*self.visible.get(self.cursor.selected)?)
    }

    /// Returns the details of the selected entry, in lines of at most `columns` columns; the picture after an
    /// empty line is fitted as well.
    pub fn details(&self, columns: usize) -> Vec<TextLine> {
        let Some(entry) = self.chosen() else { return Vec::new() };
        let picture = entry.details.iter().position(Vec::is_empty).unwrap_or(entry.details.len());
        let (text, picture) = entry.details.split_at(picture);
        let wrapped = text.iter().flat_map(|line| wrap_line(line, columns));
        wrapped.chain(fitted(picture, columns)).collect()
    }

    /// Whether an entry has children.
    pub fn has_children(&self, index: usize) -> bool {
        match (self.entries.get(index), self.entries.get(index + 1)) {
            (Some(entry), Some(next)) => next.depth > entry.depth,
            _ => false,
        }
    }

    /// Folds or unfolds the selected entry; an entry without children stays as it is.
    pub fn fold(&mut self, folded: Option<bool>, page: usize) {
        let Some(index) = self.visible.get(self.cursor.selected).copied() else { return };
        if !self.has_children(index) {
            return;
        }
        let folded = folded.unwrap_or(!self.folded.contains(&index));
        if folded {
            self.folded.insert(index);
        } else {
            self.folded.remove(&index);
        }
        self.list(page);
    }

    /// Selects the next or previous failing entry; returns false if there is none.
    pub fn go_failing(&mut self, forward: bool, page: usize) -> bool {
        let at = self.visible.get(self.cursor.selected).copied().unwrap_or(0);
        let fails = |index: &usize| {
            !self.has_children(*index) && self.entries.get(*index).is_some_and(|entry| entry.fails)
        };
        let found = if forward {
            (at + 1..self.entries.len()).find(fails)
        } else {
            (0..at).rev().find(fails)
        };
        let Some(found) = found else { return false };
        // Unfold all its parents.
        let mut depth = self.entries.get(found).map_or(0, |entry| entry.depth);
        for (index, entry) in self.entries.iter().enumerate().take(found).rev() {
            if entry.depth < depth {
                depth = entry.depth;
                self.folded.remove(&index);
            }
        }
        self.list(page);
        let row = self.visible.iter().position(|index| *index == found).unwrap_or(0);
        self.cursor.jump(row, self.visible.len(), page);
        true
    }
}

// The capture's index and tables.

/// The index and the tables of the capture.
#[derive(Debug, Clone, Default)]
pub struct Capture {
    /// Every frame.
    pub frames: Frames,
    /// The progress of reading.
    pub progress: Progress,
    /// Connections with iWARP, in the order of their numbers.
    pub flows: Arc<[Arc<FlowRow>]>,
    /// The counts.
    pub counts: Option<Arc<Counts>>,
    /// TCP connections with any content.
    pub connections: Arc<TcpConnections>,
    /// Operations, in the order of their ends.
    pub operations: Vec<OperationRow>,
    /// Calls, in the order of their ends.
    pub calls: Vec<CallRow>,
    /// Chunks of calls that were used, in the order of their messages' ends.
    pub chunks: Vec<ChunkRow>,
    /// Broken rules, in order.
    pub found: Vec<FoundRow>,
    /// Frames with findings.
    pub found_frames: HashSet<u32>,
    /// The comments in the capture.
    pub comments: Comments,
}

impl Capture {
    /// Returns a flow by its number.
    pub fn flow(&self, number: u32) -> Option<&FlowRow> {
        let found = self.flows.binary_search_by_key(&number, |row| row.flow.info.number);
        found.ok().and_then(|index| self.flows.get(index)).map(|row| &**row)
    }

    /// Returns the operation that a frame requests or answers.
    pub fn operation_at(&self, frame: u32) -> Option<&OperationRow> {
        // A response is looked up more often, and operations end where their responses do.
        let from = self.operations.partition_point(|row| row.frame.max(row.answer) < frame);
        let near = self.operations.get(from.saturating_sub(64)..).unwrap_or(&[]);
        let both =
            |row: &&OperationRow| row.answer != 0 && (row.answer == frame || row.frame == frame);
        near.iter().find(both).or_else(|| self.operations.iter().find(both))
    }

    /// Returns the call that a frame makes or answers, if both are known.
    pub fn call_at(&self, frame: u32) -> Option<&CallRow> {
        self.calls.iter().find(|row| {
            row.answer != 0 && row.frame != 0 && (row.frame == frame || row.answer == frame)
        })
    }

    /// Returns the call that a frame belongs to: as its call, its reply, or a transfer of its chunks.
    pub fn exchange_at(&self, frame: u32) -> Option<&CallRow> {
        let own = |row: &&CallRow| row.frame == frame || row.answer == frame;
        if let Some(row) = self.calls.iter().find(own) {
            return Some(row);
        }
        let flow = self.frames.find(frame)?.flow()?;
        let operation = self.operation_of(flow, frame);
        // A Read of a chunk is requested before its first segment arrives.
        let frames = [frame, operation.map_or(0, |operation| operation.answer)];
        let holds = |row: &&ChunkRow| {
            row.flow == flow
                && frames.iter().any(|frame| (row.first..=row.last).contains(frame))
                && operation.is_none_or(|operation| operation.steering_tag == row.steering_tag)
        };
        let chunk = self.chunks.iter().find(holds)?;
        let near = |row: &&CallRow| row.flow == flow && row.xid == chunk.xid;
        // Transaction IDs are reused: take the call during which the chunk was used, or the last one before.
        let mut calls = self.calls.iter().filter(near);
        let around = |row: &&CallRow| row.frame <= chunk.first && chunk.last <= row.answer;
        calls.clone().find(around).or_else(|| calls.next_back())
    }

    /// Returns the operation of a flow on remote memory whose request or response is in a frame.
    fn operation_of(&self, flow: u32, frame: u32) -> Option<&OperationRow> {
        self.operations.iter().find(|row| {
            row.flow == flow && row.steering_tag != 0 && (row.frame == frame || row.answer == frame)
        })
    }

    /// Returns the chunks of a call.
    pub fn chunks_of(&self, call: &CallRow) -> Vec<ChunkRow> {
        let last = if call.answer == 0 { u32::MAX } else { call.answer };
        let own = |row: &&ChunkRow| {
            (row.flow, row.xid) == (call.flow, call.xid) && (call.frame..=last).contains(&row.first)
        };
        let mut chunks: Vec<ChunkRow> = self.chunks.iter().filter(own).copied().collect();
        chunks.sort_by_key(|row| (row.first, row.last, row.steering_tag));
        chunks.dedup();
        chunks
    }
}

// The state saved between sessions.

/// The most lines of history that are saved.
const HISTORY: usize = 100;
/// The longest saved line, in bytes.
const LONGEST: usize = 4096;

impl State {
    /// Returns the state to save, as JSON: theme and characters if the user chose them in the UI, columns,
    /// and the histories of filter and search.
    pub fn kept(&self) -> String {
        let kept = json!({
            "theme": self.own_look.theme.map(Theme::name),
            "ascii": self.own_look.ascii,
            "columns": self.messages.columns.kept(),
            "filters": self.filter.editor.history,
            "searches": self.search.editor.history,
        });
        format!("{kept:#}\n")
    }

    /// Restores a saved state; unknown parts are ignored. Theme and characters are restored only if flags and
    /// environment do not set them.
    pub fn remember(&mut self, kept: &str, theme: bool, ascii: bool) {
        let Ok(kept) = serde_json::from_str::<Value>(kept) else { return };
        let known = kept.get("theme").and_then(Value::as_str).and_then(Theme::find);
        self.own_look.theme = known;
        self.own_look.ascii = kept.get("ascii").and_then(Value::as_bool);
        self.look.theme = known.filter(|_| theme).unwrap_or(self.look.theme);
        self.look.ascii = self.own_look.ascii.filter(|_| ascii).unwrap_or(self.look.ascii);
        if let Some(names) = kept.get("columns").and_then(Value::as_array) {
            let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
            self.messages.columns.recall(&names);
        }
        self.filter.editor.history = lines(&kept, "filters");
        self.search.editor.history = lines(&kept, "searches");
    }
}

fn lines(kept: &Value, name: &str) -> Vec<String> {
    let all = kept.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let plain = |text: &&str| text.len() <= LONGEST && !text.chars().any(char::is_control);
    let kept = all.iter().rev().filter_map(Value::as_str).filter(plain).take(HISTORY);
    let mut lines: Vec<String> = kept.map(str::to_owned).collect();
    lines.reverse();
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Action;

    fn entry(depth: u8, name: &str, fails: bool) -> RunEntry {
        RunEntry { depth, name: name.to_owned(), fails, ..RunEntry::default() }
    }

    #[test]
    fn what_fails_is_open_and_found() {
        let mut view = RunView::default();
        let entries = vec![
            entry(0, "RFC 5040", true),
            entry(1, "4.8", true),
            entry(2, "good", false),
            entry(3, "good/a", false),
            entry(2, "bad", true),
            entry(3, "bad/a", false),
            entry(3, "bad/b", true),
        ];
        view.set("a run".to_owned(), entries);
        let names = |view: &RunView| -> Vec<String> {
            view.visible.iter().map(|index| view.entries[*index].name.clone()).collect()
        };
        assert_eq!(names(&view), ["RFC 5040", "4.8", "good", "bad", "bad/a", "bad/b"]);
        assert!(view.go_failing(true, 10));
        assert_eq!(view.chosen().unwrap().name, "bad/b");
        assert!(!view.go_failing(true, 10));
        view.cursor.selected = 0;
        view.fold(None, 10);
        assert_eq!(names(&view), ["RFC 5040"]);
        assert!(view.go_failing(true, 10));
        assert_eq!(view.chosen().unwrap().name, "bad/b");
    }

    #[test]
    fn what_is_kept_is_taken_again() {
        let mut one = State::new("one", (80, 24), Look::default());
        one.act(Action::Theme);
        one.act(Action::Ascii);
        one.messages.columns.toggle(2);
        one.messages.columns.toggle(8);
        one.messages
            .columns
            .add(warpscope_dissector::field::find("iwarp_ddp.stag").unwrap(), false);
        one.messages.columns.cursor = Default::default();
        one.filter.editor.set("tcp.stream == 1");
        one.filter.editor.remember();
        one.search.editor.set("read");
        one.search.editor.remember();
        let mut other = State::new("other", (80, 24), Look::default());
        other.remember(&one.kept(), true, true);
        assert_eq!((other.look, &other.messages.columns), (one.look, &one.messages.columns));
        assert_eq!(other.filter.editor.history, ["tcp.stream == 1"]);
        assert_eq!(other.search.editor.history, ["read"]);
        let mut flags = State::new("flags", (80, 24), Look::default());
        flags.remember(&one.kept(), false, false);
        assert_eq!(flags.look, Look::default());
        assert_eq!(flags.kept(), one.kept(), "what the user chose stays chosen");
    }

    #[test]
    fn what_the_environment_says_is_not_kept() {
        let look = Look { theme: Theme::Plain, ascii: true, few: false };
        let one = State::new("one", (80, 24), look);
        let mut other = State::new("other", (80, 24), Look::default());
        other.remember(&one.kept(), true, true);
        assert_eq!(other.look, Look::default());
    }

    #[test]
    fn nonsense_is_left_out() {
        for kept in
            ["", "[]", "{\"theme\": 7, \"columns\": []}", "{\"filters\": [1, \"a\\u001b\"]}"]
        {
            let mut state = State::new("x", (80, 24), Look::default());
            let before = state.messages.columns.clone();
            state.remember(kept, true, true);
            assert_eq!(state.messages.columns, before);
            assert!(state.filter.editor.history.is_empty() && state.look == Look::default());
        }
    }
}
