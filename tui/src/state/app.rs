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

/// What takes the keys.
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
    /// The settings in force are shown.
    Settings,
    /// Columns are being chosen.
    Columns,
    /// A field that is to be a column is being named.
    Field,
    /// The name of a file to write is being edited.
    Export,
    /// The bytes of a conversation are shown.
    Stream,
    /// A comment is being edited.
    Comment,
}

/// Words at the foot of the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Good, bad, or neither.
    pub tone: Tone,
    /// The words.
    pub text: String,
}

/// A place to come back to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The view.
    pub view: View,
    /// The chosen frame of the messages view.
    pub frame: u32,
    /// The flow that alone is shown.
    pub flow: Option<u32>,
    /// The filter that was taken away to show a frame.
    pub filter: Option<String>,
    /// Which frames were listed before more were, to show a frame.
    pub density: Option<Density>,
}

/// What is to be chosen in the tree of a frame.
#[derive(Debug, Clone)]
pub enum Opened {
    /// The field that a finding is about.
    Finding(FoundRow),
    /// The message of an operation: a frame, and the operation's number.
    Operation(u32, u32),
}

impl Opened {
    /// The frame.
    pub fn frame(&self) -> u32 {
        match self {
            Self::Finding(row) => row.frame,
            Self::Operation(frame, _) => *frame,
        }
    }
}

/// What workers have reported while the screen pauses.
#[derive(Debug, Clone, Default)]
pub struct HeldEvents {
    /// What they reported, in order.
    pub events: Vec<Event>,
    /// Frames in it.
    pub frames: usize,
}

/// Everything.
#[derive(Debug, Clone, Default)]
pub struct State {
    /// What the capture is called.
    pub name: String,
    /// Which of several captures it is, from 1, and of how many.
    pub one_of: Option<(usize, usize)>,
    /// Columns and rows of the screen.
    pub size: (u16, u16),
    /// How everything looks.
    pub look: Look,
    /// What the user chose of it inside, in this session or an earlier one.
    pub own_look: OwnLook,
    /// The keys of actions.
    pub keymap: Keymap,
    /// What colours the messages.
    pub rules: Arc<[Rule]>,
    /// What takes the keys.
    pub mode: Mode,
    /// Keys that wait for a tree or a ladder.
    pub typed: VecDeque<Key>,
    /// The view.
    pub view: View,
    /// The pane of the messages view.
    pub pane: Pane,
    /// How much of the body the list has.
    pub share: Share,
    /// Whether the mouse holds the border below the list.
    pub dragging: bool,
    /// Places to come back to, the latest last.
    pub back: Vec<Place>,
    /// What the user asked for, and others must do.
    pub effects: Vec<Effect>,
    /// What is known of the capture.
    pub capture: Capture,
    /// The flow that alone is shown.
    pub flow: Option<u32>,
    /// The display filter.
    pub filter: FilterBar,
    /// The search.
    pub search: SearchBar,
    /// The command palette.
    pub palette: PaletteView,
    /// The first line of the help, or of the settings in force, that is seen.
    pub help: Cursor,
    /// What the settings file says.
    pub settings: Settings,
    /// Where the settings file is, or would be.
    pub settings_file: Option<String>,
    /// The field that is to be a column.
    pub prompt: FieldPrompt,
    /// The name of the file to write.
    pub export: Editor,
    /// Whether the marked frames are written to it.
    pub export_marked: bool,
    /// A comment as it is typed.
    pub comment: Editor,
    /// The user's own comments, by frame.
    pub comments: BTreeMap<u32, String>,
    /// Whether some of them are in no file yet.
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
    /// Whether flows, operations, calls and findings are to be listed anew, once they are looked at.
    pub stale: bool,
    /// Whether the end of the lists is followed as they grow.
    pub follow: bool,
    /// What workers have reported since the screen was made to pause; none when it is not.
    pub held: Option<HeldEvents>,
    /// The flow that was meant in the view before, for views that choose none.
    pub last_flow: Option<u32>,
    /// The frame that is to be chosen once it is read again.
    pub seek: Option<u32>,
    /// What was opened: its place is to be chosen once the tree of its frame is there.
    pub opened: Option<Opened>,
    /// Words at the foot.
    pub notice: Option<Notice>,
    /// Whether the session is over.
    pub quit: bool,
}

/// What the user chose inside of how everything looks: nothing else of it is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OwnLook {
    /// The theme.
    pub theme: Option<Theme>,
    /// Whether only ASCII is drawn.
    pub ascii: Option<bool>,
    /// The theme that there is without a choice: who chooses it leaves it open again.
    pub suited: Theme,
}

/// Places that are remembered.
const BACK: usize = 64;

impl State {
    /// The state before anything is known of a capture.
    pub fn new(name: impl Into<String>, size: (u16, u16), look: Look) -> Self {
        let own_look = OwnLook { suited: look.theme, ..OwnLook::default() };
        let rules = rules::defaults();
        Self { name: name.into(), size, look, own_look, rules, ..Self::default() }
    }

    /// Whether the screen has room for anything.
    pub fn fits(&self) -> bool {
        self.size.0 >= layout::LEAST.0 && self.size.1 >= layout::LEAST.1
    }

    /// The list of the view at hand, on the screen.
    pub fn list_area(&self) -> Rect {
        let body = layout::screen(self.size).body;
        match self.view {
            View::Messages if self.messages.alone && self.active_pane() == Pane::List => body,
            View::Messages => layout::messages(body, self.messages.detail, 0, self.share).list,
            view => layout::parts(view, body, self.share).list,
        }
    }

    /// Rows of that list.
    pub fn page(&self) -> usize {
        layout::page(self.list_area())
    }

    /// The interface that a flow was captured on, where there are several.
    pub fn captured_on(&self, row: &FlowRow) -> Option<&str> {
        let frames = &self.capture.frames;
        let first = u32::try_from(row.flow.first.frame).ok()?;
        let interface = frames.interface(frames.find(first)?.interface)?;
        interface.name.as_deref().filter(|_| frames.interfaces().len() > 1)
    }

    /// The panes of the messages view.
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

    /// The comments on a frame: those of the capture, then the user's own.
    pub fn comments_on(&self, frame: u32) -> Vec<String> {
        let read = self.capture.comments.get(&frame).cloned().unwrap_or_default();
        read.into_iter().chain(self.comments.get(&frame).cloned()).collect()
    }

    /// What is to be known of the chosen message, in full: the comments on it, and, where something is wrong with it, what
    /// it says and the rules that it breaks.
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
        let said = self.messages.lines.get(&frame).map(|row| row.line.info.clone());
        let found = capture.found.iter().filter(|row| broken && row.frame == frame);
        let found = found.map(|row| format!("{}: {}", row.rule.id, row.explanation));
        let all = said.into_iter().chain(found);
        comments.chain(all.flat_map(|text| wrapped(&text, Tone::Bad))).collect()
    }

    /// The frames of the chosen row: of a request and its response; 0 for what there is not.
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

    /// The first of them that there is.
    pub fn frame_at_hand(&self) -> Option<u32> {
        self.frames_at_hand().into_iter().find(|frame| *frame > 0)
    }

    /// The pane that has the keys: of most views the list.
    pub fn active_pane(&self) -> Pane {
        match (self.view, self.pane) {
            (View::Messages, Pane::Tree | Pane::Bytes) if self.messages.detail => self.pane,
            (View::Run, Pane::Detail) => self.pane,
            _ => Pane::List,
        }
    }

    /// The frame chosen in the messages view, or 0.
    pub fn chosen_frame(&self) -> u32 {
        self.messages.rows.frame(self.messages.cursor.selected).unwrap_or(0)
    }

    /// The flow that is meant: the one shown alone, else that of the chosen row; of the flows the chosen one.
    pub fn meant_flow(&self) -> Option<u32> {
        match self.view {
            // Who chooses a row of the flows means it, whichever is shown alone elsewhere.
            View::Flows => self.chosen_flow().or(self.flow),
            _ => self.flow.or_else(|| self.chosen_flow()),
        }
    }

    /// The flow of the chosen row.
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

    /// The frames that an export of the view takes: of the messages those that are listed, else those of the
    /// flow that is meant, else all.
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

    /// Says something at the foot.
    pub fn say(&mut self, tone: Tone, text: impl Into<String>) {
        self.notice = Some(Notice { tone, text: text.into() });
    }

    /// Remembers where the user is.
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

/// A document, section, case or instance of a run, and what came of it. The entries of a run are a flat
/// list: those that belong to one follow it with a greater depth.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunEntry {
    /// How deep it lies: 0 for a document.
    pub depth: u8,
    /// Its name: a document, a section with its number, a case's or instance's id.
    pub name: String,
    /// Its verdict, or the counts of those below.
    pub verdict: String,
    /// Good, bad, or neither.
    pub tone: Tone,
    /// Whether the run fails because of it, or of something below it.
    pub fails: bool,
    /// The details: title, requirement, reason, what was sent and came, the ladder.
    pub details: Vec<TextLine>,
}

/// The run view.
#[derive(Debug, Clone, Default)]
pub struct RunView {
    /// The chosen entry, and what is seen.
    pub cursor: Cursor,
    /// What was run, in a few words.
    pub title: String,
    /// Every entry.
    pub entries: Vec<RunEntry>,
    /// Entries whose own are not shown.
    pub folded: HashSet<usize>,
    /// The entries that are shown.
    pub visible: Vec<usize>,
    /// The first line of the details that is seen.
    pub shift: usize,
}

impl RunView {
    /// Takes a run: what did not fail is folded below its case.
    pub fn set(&mut self, title: String, entries: Vec<RunEntry>) {
        let quiet = |(index, entry): (usize, &RunEntry)| {
            (entry.depth >= 2 && !entry.fails).then_some(index)
        };
        self.folded = entries.iter().enumerate().filter_map(quiet).collect();
        (self.title, self.entries) = (title, entries);
        self.list(1);
    }

    /// Finds out again which entries are shown; the chosen one stays chosen.
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

    /// The chosen entry.
    pub fn chosen(&self) -> Option<&RunEntry> {
        self.entries.get(*self.visible.get(self.cursor.selected)?)
    }

    /// The details of the chosen entry, in lines of at most so many columns; the picture after an empty line
    /// is made to fit as well.
    pub fn details(&self, columns: usize) -> Vec<TextLine> {
        let Some(entry) = self.chosen() else { return Vec::new() };
        let picture = entry.details.iter().position(Vec::is_empty).unwrap_or(entry.details.len());
        let (text, picture) = entry.details.split_at(picture);
        let wrapped = text.iter().flat_map(|line| wrap_line(line, columns));
        wrapped.chain(fitted(picture, columns)).collect()
    }

    /// Whether others belong to an entry.
    pub fn has_children(&self, index: usize) -> bool {
        match (self.entries.get(index), self.entries.get(index + 1)) {
            (Some(entry), Some(next)) => next.depth > entry.depth,
            _ => false,
        }
    }

    /// Folds or unfolds the chosen entry; an entry without others stays as it is.
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

    /// Chooses the next entry that fails, or the one before; false when there is none.
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
        // Whatever it is folded in is unfolded.
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

// What is known of the capture.

/// What is known of the capture.
#[derive(Debug, Clone, Default)]
pub struct Capture {
    /// Every frame.
    pub frames: Frames,
    /// How far the reading is.
    pub progress: Progress,
    /// Connections with iWARP, in the order of their numbers.
    pub flows: Arc<[Arc<FlowRow>]>,
    /// What was counted.
    pub counts: Option<Arc<Counts>>,
    /// TCP connections, whatever they carry.
    pub connections: Arc<TcpConnections>,
    /// Operations, in the order of their ends.
    pub operations: Vec<OperationRow>,
    /// Calls, in the order of their ends.
    pub calls: Vec<CallRow>,
    /// Chunks of calls that were used, in the order of their messages' ends.
    pub chunks: Vec<ChunkRow>,
    /// Rules that were broken, in order.
    pub found: Vec<FoundRow>,
    /// Frames with findings.
    pub found_frames: HashSet<u32>,
    /// The comments that it has.
    pub comments: Comments,
}

impl Capture {
    /// A flow by its number.
    pub fn flow(&self, number: u32) -> Option<&FlowRow> {
        let found = self.flows.binary_search_by_key(&number, |row| row.flow.info.number);
        found.ok().and_then(|index| self.flows.get(index)).map(|row| &**row)
    }

    /// The operation that a frame requests or answers.
    pub fn operation_at(&self, frame: u32) -> Option<&OperationRow> {
        // A response is asked for more often, and operations end where their responses do.
        let from = self.operations.partition_point(|row| row.frame.max(row.answer) < frame);
        let near = self.operations.get(from.saturating_sub(64)..).unwrap_or(&[]);
        let both =
            |row: &&OperationRow| row.answer != 0 && (row.answer == frame || row.frame == frame);
        near.iter().find(both).or_else(|| self.operations.iter().find(both))
    }

    /// The call that a frame makes or answers, where both are known.
    pub fn call_at(&self, frame: u32) -> Option<&CallRow> {
        self.calls.iter().find(|row| {
            row.answer != 0 && row.frame != 0 && (row.frame == frame || row.answer == frame)
        })
    }

    /// The call that a frame is of: that makes it or answers it, or moves what is in its chunks.
    pub fn exchange_at(&self, frame: u32) -> Option<&CallRow> {
        let own = |row: &&CallRow| row.frame == frame || row.answer == frame;
        if let Some(row) = self.calls.iter().find(own) {
            return Some(row);
        }
        let flow = self.frames.find(frame)?.flow()?;
        let operation = self.operation_of(flow, frame);
        // A Read of a chunk is asked for before its first segment comes.
        let frames = [frame, operation.map_or(0, |operation| operation.answer)];
        let holds = |row: &&ChunkRow| {
            row.flow == flow
                && frames.iter().any(|frame| (row.first..=row.last).contains(frame))
                && operation.is_none_or(|operation| operation.steering_tag == row.steering_tag)
        };
        let chunk = self.chunks.iter().find(holds)?;
        let near = |row: &&CallRow| row.flow == flow && row.xid == chunk.xid;
        // A transaction ID comes again: the call that the chunk's use lies in, or the last before.
        let mut calls = self.calls.iter().filter(near);
        let around = |row: &&CallRow| row.frame <= chunk.first && chunk.last <= row.answer;
        calls.clone().find(around).or_else(|| calls.next_back())
    }

    /// The operation of a flow that names remote memory and that a frame is the request or the response of.
    fn operation_of(&self, flow: u32, frame: u32) -> Option<&OperationRow> {
        self.operations.iter().find(|row| {
            row.flow == flow && row.steering_tag != 0 && (row.frame == frame || row.answer == frame)
        })
    }

    /// The chunks of a call.
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

// What is remembered from session to session.

/// Lines of history that are remembered.
const HISTORY: usize = 100;
/// The longest of them, in bytes.
const LONGEST: usize = 4096;

impl State {
    /// What is to be remembered, as JSON: theme and characters where the user chose them inside, columns, and what was
    /// filtered by and searched for.
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

    /// Takes what was remembered; what is not understood is left out. Theme and characters look so only where flags and
    /// environment leave them open.
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
