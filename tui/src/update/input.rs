//! Keys and the mouse.

use crate::action::{Action, Key};
use crate::event::{Comments, Effect};
use crate::index::{CallRow, OperationRow};
use crate::layout::{self, Pane, View};
use crate::look::Tone;
use crate::state::{Mode, State};
use crate::text::plain;
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Position;
use warpscope_dissector::field::Kind;
use warpscope_dissector::tree::{Node, Tree, Value};
use warpscope_text::{counted, nearest};

/// The key that leaves the current mode.
const INTERRUPT: Key = Key { code: KeyCode::Char('c'), control: true, alt: false };

/// Rows that a turn of the wheel moves.
const WHEEL: isize = 3;

/// A mouse event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mouse {
    /// The first button was pressed.
    Press,
    /// The mouse moved while the first button was pressed.
    Drag,
    /// The wheel was turned; down is positive.
    Wheel(i8),
}

impl State {
    /// Handles a key. A key whose target is not there yet waits for it, with all later keys.
    pub fn key(&mut self, key: Key) {
        self.take_typed();
        if key == INTERRUPT {
            self.typed.clear();
        } else if !self.typed.is_empty() || self.awaits(key) {
            return self.typed.push_back(key);
        }
        self.take_key(key);
    }

    /// Handles the waiting keys.
    pub(super) fn take_typed(&mut self) {
        while let Some(key) = self.typed.pop_front() {
            if self.awaits(key) {
                return self.typed.push_front(key);
            }
            self.take_key(key);
        }
    }

    /// Whether a key acts on a tree or a ladder that is not there yet.
    fn awaits(&self, key: Key) -> bool {
        let frame = self.chosen_frame();
        let tree = self.messages.tree.found.as_ref().map_or(0, |(frame, _)| *frame);
        let known = self.ladder.ladder.as_ref().map(|(flow, _)| *flow);
        let action = self.keymap.action(key, self.view, self.active_pane());
        self.mode == Mode::View
            && match (self.view, self.active_pane(), action) {
                (_, _, None | Some(Action::Show(_) | Action::Back | Action::Quit)) => false,
                (View::Messages, Pane::Tree | Pane::Bytes, _)
                | (View::Messages, _, Some(Action::FilterValue | Action::FilterOut)) => {
                    frame != 0 && tree != frame
                }
                (View::Ladder, _, _) => self.ladder.flow.is_some() && self.ladder.flow != known,
                _ => false,
            }
    }

    fn take_key(&mut self, key: Key) {
        if self.mode != Mode::View && key == INTERRUPT {
            self.mode = Mode::View;
            return;
        }
        match self.mode {
            Mode::View => match self.keymap.action(key, self.view, self.active_pane()) {
                Some(action) => self.act(action),
                None => self.say(Tone::Dim, format!("{key} does nothing here; ? shows the keys")),
            },
            Mode::Filter => self.filter_key(key),
            Mode::Search => self.search_key(key),
            Mode::Palette => self.palette_key(key),
            Mode::Help | Mode::Settings => self.help_key(key),
            Mode::Columns => self.columns_key(key),
            Mode::Field => self.field_key(key),
            Mode::Export => self.export_key(key),
            Mode::Stream => self.stream_key(key),
            Mode::Comment => self.comment_key(key),
        }
    }

    fn filter_key(&mut self, key: Key) {
        match key.code {
            KeyCode::Enter => {
                self.enter_filter();
                // The user wants to see the filtered items, which are in the other lists.
                if self.mode == Mode::View && self.view == View::Flows && self.filter.active() {
                    self.show(View::Messages);
                }
            }
            KeyCode::Esc => self.mode = Mode::View,
            KeyCode::Tab => self.filter.complete(true),
            KeyCode::BackTab => self.filter.complete(false),
            _ => {
                if self.filter.editor.key(key) {
                    self.filter.judge();
                }
            }
        }
    }

    fn search_key(&mut self, key: Key) {
        match key.code {
            KeyCode::Enter => self.enter_search(),
            KeyCode::Esc => self.mode = Mode::View,
            _ => {
                if self.search.editor.key(key) {
                    self.search.judge();
                }
            }
        }
    }

    fn palette_key(&mut self, key: Key) {
        let count = self.palette.offered().len();
        let page = layout::page(layout::screen(self.size).body);
        let cursor = &mut self.palette.cursor;
        match key.code {
            KeyCode::Esc => {
                self.go_along(None);
                self.mode = Mode::View;
            }
            KeyCode::Down | KeyCode::Tab => _ = cursor.act(Action::Down, count, page),
            KeyCode::Up | KeyCode::BackTab => _ = cursor.act(Action::Up, count, page),
            KeyCode::Enter => {
                let chosen = self.palette.offered().get(self.palette.cursor.selected).copied();
                self.mode = Mode::View;
                if let Some(frame) = self.palette.frame() {
                    self.go_along(None);
                    return self.go_to(Some(frame));
                }
                let Some(binding) = chosen else {
                    return self.no_command();
                };
                if binding.scope.holds(self.view, self.active_pane()) {
                    return self.act(binding.action);
                }
                let words = format!("{} is not available here", binding.name);
                self.say(Tone::Warn, words);
            }
            _ => {
                if self.palette.editor.key(key) {
                    self.palette.cursor = Default::default();
                    self.go_along(self.palette.frame());
                }
            }
        }
    }

    /// Reports that the palette has no such command, with a suggestion.
    fn no_command(&mut self) {
        let typed = self.palette.editor.text.trim().to_owned();
        let word = typed.split_whitespace().next().unwrap_or_default();
        let names = crate::action::all().iter().map(|binding| binding.name);
        let meant = nearest(word, names).filter(|_| !word.is_empty());
        let hint = match meant {
            Some(name) if name == word => format!("`:{name}` takes no arguments"),
            Some(name) => format!("did you mean `:{name}`?"),
            None => "`:` lists all; a number goes to a frame".to_owned(),
        };
        self.say(Tone::Warn, format!("there is no command `{typed}`: {hint}"));
    }

    fn help_key(&mut self, key: Key) {
        let page = layout::page(layout::screen(self.size).body);
        let count = match self.mode {
            Mode::Settings => crate::format::settings(self).len(),
            _ => crate::format::help(self).len(),
        };
        match self.keymap.action(key, self.view, Pane::List) {
            Some(action @ Action::Show(_)) => {
                self.mode = Mode::View;
                self.act(action);
            }
            Some(Action::Quit | Action::Back | Action::Help | Action::Settings | Action::Open) => {
                self.mode = Mode::View
            }
            Some(action) => self.help.scroll(action, count, page),
            None => {}
        }
    }

    fn comment_key(&mut self, key: Key) {
        match key.code {
            KeyCode::Enter => {
                self.mode = Mode::View;
                let Some(frame) = self.frame_at_hand() else { return };
                let text = self.comment.text.trim().to_owned();
                let words = if text.is_empty() {
                    self.comments.remove(&frame);
                    format!("you have no comment on frame {frame}")
                } else {
                    self.comments.insert(frame, text);
                    format!("commented on frame {frame}; e writes comments to a .pcapng")
                };
                self.unsaved = !self.comments.is_empty();
                self.say(Tone::Plain, words);
                self.settle_cursors();
            }
            KeyCode::Esc => self.mode = Mode::View,
            _ => _ = self.comment.key(key),
        }
    }

    fn stream_key(&mut self, key: Key) {
        let page = layout::page(layout::screen(self.size).body);
        let lines = self.stream.lines.as_deref().unwrap_or_default();
        match self.keymap.action(key, self.view, Pane::List) {
            Some(Action::Quit | Action::Back | Action::Stream | Action::Open) => {
                self.mode = Mode::View
            }
            // The keys of views show them.
            Some(
                action @ (Action::Show(_) | Action::Connections | Action::LastFrame | Action::Help),
            ) => {
                self.mode = Mode::View;
                self.act(action);
            }
            Some(Action::CopyRow | Action::CopyValue | Action::CopyTree) => {
                let text: Vec<String> = lines.iter().map(plain).collect();
                self.say(Tone::Good, format!("copied {}", counted(text.len() as u64, "line")));
                self.effects.push(Effect::Copy(text.join("\n") + "\n"));
            }
            Some(action) => self.stream.cursor.scroll(action, lines.len(), page),
            None => {}
        }
    }

    fn export_key(&mut self, key: Key) {
        match key.code {
            KeyCode::Enter => {
                self.mode = Mode::View;
                let name = self.export.text.trim().to_owned();
                if name.is_empty() {
                    return;
                }
                let endings = crate::format::endings(self);
                if !endings.iter().any(|ending| name.ends_with(ending)) {
                    self.mode = Mode::Export;
                    let words = format!("the name must end with {}", endings.join(", "));
                    return self.say(Tone::Bad, words);
                }
                self.export.remember();
                if self.view == View::Ladder && self.ladder.at_hand().is_none() {
                    self.say(Tone::Warn, "the ladder is not ready yet: try again once it is drawn");
                    return;
                }
                self.effects.push(if name.ends_with(".pcapng") {
                    let frames = self.meant_frames();
                    let comments = frames.iter().map(|frame| (*frame, self.comments_on(*frame)));
                    let comments: Comments = comments.filter(|(_, on)| !on.is_empty()).collect();
                    self.unsaved &= self.comments.keys().any(|frame| !comments.contains_key(frame));
                    self.writing = true;
                    Effect::SaveFrames { name, frames, comments }
                } else {
                    let text = crate::format::exported(self, &name);
                    Effect::Save { name, text }
                });
            }
            KeyCode::Esc => self.mode = Mode::View,
            KeyCode::Tab | KeyCode::BackTab => {
                let endings = crate::format::endings(self);
                let name = self.export.text.clone();
                let at = endings.iter().position(|ending| name.ends_with(ending));
                let by = if key.code == KeyCode::Tab { 1 } else { endings.len() - 1 };
                let next = endings.get(at.map_or(0, |at| (at + by) % endings.len()));
                let stem = at.and_then(|at| name.strip_suffix(endings.get(at)?)).unwrap_or(&name);
                self.export.set(format!("{stem}{}", next.unwrap_or(&"")));
            }
            _ => {
                self.notice = None;
                self.export.key(key);
            }
        }
    }

    /// Handles a mouse event at a position on the screen.
    pub fn mouse(&mut self, at: (u16, u16), what: Mouse) {
        if self.mode != Mode::View || !self.fits() {
            return;
        }
        let at = Position::new(at.0, at.1);
        let screen = layout::screen(self.size);
        if screen.title.contains(at) && what == Mouse::Press {
            let tabs = crate::format::tabs(self);
            let hit = tabs.iter().find(|(x, text, _)| {
                (*x..*x + u16::try_from(text.chars().count()).unwrap_or(0)).contains(&at.x)
            });
            if let Some((_, _, view)) = hit {
                self.act(Action::Show(*view));
            }
            return;
        }
        if screen.bar.contains(at) && what == Mouse::Press {
            return self.act(Action::Filter);
        }
        // The head of the pane below the list is the border between them.
        let list = self.list_area();
        if what == Mouse::Press {
            let border = at.y == list.bottom() && screen.body.contains(at);
            self.dragging = border && !self.messages.alone;
        }
        if what == Mouse::Drag {
            if self.dragging {
                self.share_rows(at.y.saturating_sub(list.y));
            }
            return;
        }
        let panes = self.message_panes();
        if self.view == View::Messages && panes.tree.contains(at) {
            self.pane = Pane::Tree;
            let page = layout::page(panes.tree);
            let tree = &mut self.messages.tree;
            match what {
                Mouse::Wheel(rows) => {
                    tree.cursor.wheel(WHEEL * isize::from(rows), tree.visible.len(), page);
                }
                _ => {
                    if let Some(row) = at.y.checked_sub(panes.tree.y + 1) {
                        let row = tree.cursor.top + usize::from(row);
                        let again = row == tree.cursor.selected;
                        tree.cursor.choose(row, tree.visible.len(), page);
                        tree.follow_node();
                        if again {
                            tree.toggle(page);
                        }
                    }
                }
            }
            return;
        }
        if self.view == View::Messages && panes.bytes.contains(at) {
            self.pane = Pane::Bytes;
            self.bytes_mouse(at, what);
            return;
        }
        if self.view == View::Run
            && layout::parts(View::Run, screen.body, self.share).detail.contains(at)
        {
            self.pane = Pane::Detail;
            if let Mouse::Wheel(rows) = what {
                self.scroll_details(WHEEL * isize::from(rows));
            }
            return;
        }
        if !list.contains(at) {
            return;
        }
        if let (View::Graph, Mouse::Press) = (self.view, what) {
            let column = usize::from(at.x.saturating_sub(layout::PLOT));
            let (chosen, count) = self.cursor();
            let again = column == chosen.selected;
            self.graph.cursor.choose(column, count, count);
            if again {
                self.open();
            }
            return;
        }
        self.pane = Pane::List;
        match what {
            Mouse::Wheel(rows) => self.wheel(WHEEL * isize::from(rows)),
            _ => {
                if let Some(row) = at.y.checked_sub(list.y + 1) {
                    self.press(usize::from(row));
                }
            }
        }
    }

    fn bytes_mouse(&mut self, at: Position, what: Mouse) {
        let panes = self.message_panes();
        let page = layout::page(panes.bytes);
        let tree = &mut self.messages.tree;
        let rows = tree.bytes().len().div_ceil(crate::state::BYTES_IN_ROW);
        match what {
            Mouse::Wheel(by) => {
                let last = rows.saturating_sub(page);
                let moved = tree.bytes_top.saturating_add_signed(WHEEL * isize::from(by));
                tree.bytes_top = moved.min(last);
            }
            _ => {
                // Two columns before the offset's end, then three for each byte.
                let column = at.x.saturating_sub(panes.bytes.x + crate::layout::OFFSET) / 3;
                let row = usize::from(at.y.saturating_sub(panes.bytes.y + 1));
                if column < 16 && at.y > panes.bytes.y {
                    let byte = (tree.bytes_top + row) * crate::state::BYTES_IN_ROW;
                    let page = layout::page(panes.tree);
                    tree.choose_byte(byte + usize::from(column), page);
                }
            }
        }
    }
}

// Filters from the selection: a value, a flow, a STag, a transaction, an exchange.

/// Fields with the STag of remote memory.
const STEERING_TAGS: [&str; 7] = [
    "iwarp_ddp.stag",
    "iwarp_rdma.srcstag",
    "iwarp_rdma.sinkstag",
    "iwarp_rdma.atomic.remote_stag",
    "iwarp_rdma.commit.stag",
    "iwarp_rdma.inval_stag",
    "rpcordma.rdma_handle",
];
/// Fields with the transaction ID of a call.
const TRANSACTIONS: [&str; 3] = ["rpcordma.xid", "rpc.xid", "warpscope.io.identifier"];
/// Fields with the kind of a row's message, the innermost first.
const KINDS: [&str; 5] =
    ["nfs.main_opcode", "nfs.procedure_v3", "iwarp_rdma.opcode", "iwarp_mpa.req", "iwarp_mpa.rep"];
/// Fields whose numbers count within a connection.
const NUMBERS: [&str; 5] = [
    "iwarp_rdma.message.number",
    "iwarp_rdma.message.operation",
    "warpscope.op.number",
    "warpscope.op.cause.message",
    "warpscope.rpc.number",
];
/// The most frames that a filter names.
const MOST_FRAMES: usize = 500;
/// The most bytes of a value that a filter compares.
const MOST_BYTES: usize = 64;

impl State {
    /// Filters by the selected value, or excludes it.
    pub(super) fn filter_value(&mut self, keep: bool) {
        let Some(test) = self.test_at_hand() else {
            return self.nothing("nothing is selected to filter by");
        };
        let text = self.narrowed(if keep { test } else { format!("!({test})") });
        self.filter_by(text)
    }

    /// Returns a test that the selection passes.
    pub(super) fn test_at_hand(&self) -> Option<String> {
        let test = match self.view {
            View::Messages => self.test_of_value(),
            View::Operations => self.steering_tag().map(|tag| any_of(&STEERING_TAGS, tag)),
            View::Calls => self.transaction().map(|xid| any_of(&TRANSACTIONS, xid)),
            View::Findings => self.test_of_finding(),
            View::Statistics => {
                return self.statistics.tests.get(&self.statistics.cursor.selected).cloned();
            }
            _ => None,
        };
        let flow = || self.chosen_flow().map(|flow| format!("tcp.stream == {flow}"));
        test.or_else(flow)
    }

    /// Returns the current filter combined with a test.
    pub(super) fn narrowed(&self, test: String) -> String {
        both(&self.filter.text, &test)
    }

    /// Filters by the STag of the selection.
    pub(super) fn filter_steering_tag(&mut self) {
        match self.steering_tag() {
            Some(tag) => self.filter_by(any_of(&STEERING_TAGS, tag)),
            None => self.nothing("there is no STag here"),
        }
    }

    /// Filters by the transaction ID of the selection.
    pub(super) fn filter_transaction(&mut self) {
        match self.transaction() {
            Some(xid) => self.filter_by(any_of(&TRANSACTIONS, xid)),
            None => self.nothing("it is not part of an RPC call"),
        }
    }

    /// Shows the call of the selection, its reply, and the transfers of its chunks.
    pub(super) fn filter_exchange(&mut self) {
        let Some(call) = self.exchange().cloned() else {
            return self.nothing("it is not part of an RPC call");
        };
        let flow = format!("tcp.stream == {}", call.flow);
        let mut parts = vec![any_of(&TRANSACTIONS, call.xid)];
        for chunk in self.capture.chunks_of(&call) {
            // A Read of the chunk was requested before its first segment arrived, and after the call.
            let frames = format!("frame.number in {{{}..{}}}", call.frame.max(1), chunk.last);
            let tag = chunk.steering_tag;
            parts.push(format!("warpscope.op.stag == {tag:#010x} && {frames}"));
            parts.push(format!("iwarp_ddp.stag == {tag:#010x} && {frames}"));
            parts.push(format!("iwarp_rdma.srcstag == {tag:#010x} && {frames}"));
        }
        self.filter_by(format!("{flow} && ({})", parts.join(" || ")))
    }

    fn nothing(&mut self, words: &str) {
        self.say(Tone::Plain, words);
    }

    pub(super) fn filter_by(&mut self, text: String) {
        let frame = self.frame_at_hand();
        self.show(View::Messages);
        self.filter.editor.set(text);
        self.enter_filter();
        // Select the same frame again when it arrives.
        self.filter.seek = frame.or(self.filter.seek);
    }

    /// Returns the STag of the selection: of the selected field, or the first one of the message.
    fn steering_tag(&self) -> Option<u32> {
        match self.view {
            View::Messages => {
                let pane = &self.messages.tree;
                let chosen = pane.node().is_some_and(|it| STEERING_TAGS.contains(&it.field.name));
                let of_operation = self.steering_tag_at(self.chosen_frame());
                let of_operation = of_operation.filter(|_| !chosen);
                of_operation.or_else(|| self.named_in_tree(&STEERING_TAGS))
            }
            View::Operations => {
                let row = self.operations.of(&self.capture.operations)?;
                Some(row.steering_tag).filter(|tag| *tag != 0)
            }
            _ => self.steering_tag_at(self.frame_at_hand()?),
        }
    }

    /// Returns the STag of the remote memory that a frame's operation names.
    fn steering_tag_at(&self, frame: u32) -> Option<u32> {
        let own = |row: &&OperationRow| {
            row.steering_tag != 0 && (row.frame == frame || row.answer == frame)
        };
        self.capture.operations.iter().find(own).map(|row| row.steering_tag)
    }

    fn transaction(&self) -> Option<u32> {
        let named = || self.named_in_tree(&TRANSACTIONS).filter(|_| self.view == View::Messages);
        self.exchange().map(|call| call.xid).or_else(named)
    }

    /// Returns the RPC call that the selection belongs to.
    fn exchange(&self) -> Option<&CallRow> {
        if self.view == View::Calls {
            return self.calls.of(&self.capture.calls);
        }
        self.capture.exchange_at(self.frame_at_hand()?)
    }

    /// Returns the value of one of these fields in the tree; the selected node comes first.
    fn named_in_tree(&self, names: &[&str]) -> Option<u32> {
        let pane = &self.messages.tree;
        let number = |node: &warpscope_dissector::tree::Node| match node.value {
            Value::Unsigned(number) if names.contains(&node.field.name) => number.try_into().ok(),
            _ => None,
        };
        let first = || pane.tree()?.nodes.iter().find_map(number);
        pane.node().and_then(number).or_else(first)
    }

    /// Returns a test for the frames of the selected rule, or for that of the selected place.
    fn test_of_finding(&self) -> Option<String> {
        let chosen = self.findings.lines.get(self.findings.cursor.selected)?;
        let frames: Vec<u32> = match chosen {
            crate::state::FindingLine::Place(index) => {
                vec![self.capture.found.get(*index)?.frame]
            }
            crate::state::FindingLine::Rule(rule, _) => {
                let places = self.capture.found.iter().filter(|row| row.rule == *rule);
                places.filter(|row| self.passing().found(row)).map(|row| row.frame).collect()
            }
        };
        let mut frames: Vec<String> =
            frames.iter().take(MOST_FRAMES).map(ToString::to_string).collect();
        frames.dedup();
        Some(format!("frame.number in {{{}}}", frames.join(", ")))
    }

    /// Returns a test for the selected field's value; in the list, for the row's kind of message.
    fn test_of_value(&self) -> Option<String> {
        let pane = &self.messages.tree;
        let tree = pane.tree()?;
        let kind =
            || KINDS.iter().find_map(|name| tree.nodes.iter().find(|it| it.field.name == *name));
        let layer = || tree.nodes.iter().rfind(|node| node.depth == 0);
        let node = match self.active_pane() {
            Pane::List => kind().or_else(layer)?,
            _ => pane.node()?,
        };
        let test = self.test_of_node(tree, node);
        let flow = self.chosen_flow().filter(|_| NUMBERS.contains(&node.field.name));
        Some(flow.map_or_else(|| test.clone(), |flow| format!("tcp.stream == {flow} && {test}")))
    }

    fn test_of_node(&self, tree: &Tree, node: &Node) -> String {
        let name = node.field.name;
        if matches!(node.field.kind, Kind::Protocol | Kind::Heading) {
            return name.to_owned();
        }
        let mut text = String::new();
        tree.value_text(node, &mut text);
        match (&node.value, node.field.kind) {
            (Value::Text(_), _) => {
                let quoted = text.replace('\\', "\\\\").replace('"', "\\\"");
                format!("{name} == \"{quoted}\"")
            }
            (Value::Bytes { length, .. }, _) if *length == 0 => name.to_owned(),
            (Value::Bytes { .. }, _) => {
                let bytes = tree.value_bytes(&node.value).iter().take(MOST_BYTES);
                let bytes: Vec<String> = bytes.map(|byte| format!("{byte:02x}")).collect();
                match bytes.as_slice() {
                    [one] => format!("{name}[0] == {one}"),
                    several => format!("{name}[0:{}] == {}", several.len(), several.join(":")),
                }
            }
            (Value::Time(_), Kind::AbsoluteTime) => format!("{name} == \"{text}\""),
            (Value::None, _) => name.to_owned(),
            _ => format!("{name} == {text}"),
        }
    }
}

/// Returns a test that one of the fields has a value.
fn any_of(fields: &[&str], value: u32) -> String {
    let tests: Vec<String> =
        fields.iter().map(|field| format!("{field} == {value:#010x}")).collect();
    tests.join(" || ")
}

/// Returns the conjunction of a filter and a test.
pub(super) fn both(filter: &str, test: &str) -> String {
    if filter.is_empty() { test.to_owned() } else { format!("({filter}) && {test}") }
}
