//! Switches views, and opens the selected item.

use super::act::cursor_of;
use super::input::both;
use crate::action::Action;
use crate::index::{CallRow, FlowRow, OperationRow};
use crate::layout::{Pane, View};
use crate::look::Tone;
use crate::state::{
    CALL_COLUMNS, CALL_SORTS, Cursor, FLOW_COLUMNS, FLOW_SORTS, FindingLine, OPERATION_COLUMNS,
    OPERATION_SORTS, Opened, Span, State, TableColumn,
};
use std::sync::Arc;

impl State {
    /// Shows a view.
    pub fn show(&mut self, view: View) {
        if self.view == view {
            return;
        }
        let flow = self
            .meant_flow()
            .or_else(|| self.capture.flows.first().map(|row| row.flow.info.number));
        let frame = self.frame_at_hand();
        let operation = match self.view {
            View::Operations => self.operations.of(&self.capture.operations).map(|row| row.number),
            View::Messages => self.messages.tree.operation(frame),
            _ => None,
        };
        self.remember_place();
        self.last_flow = flow;
        self.view = view;
        self.pane = Pane::List;
        if view == View::Ladder {
            self.ladder.seek = frame.map(|frame| (frame, operation));
            self.show_ladder(flow);
        }
        self.settle_cursors();
    }

    /// Shows the TCP connections with any content.
    pub(super) fn show_connections(&mut self) {
        if self.flow.take().is_some() {
            self.list_all();
        }
        self.show(View::Statistics);
        let (look, columns, page) = (self.look, self.size.0, self.page());
        self.statistics.list(&self.capture, None, look, columns);
        match self.statistics.connections {
            Some(head) => {
                let count = self.statistics.lines.len();
                self.statistics.cursor = Cursor { top: head, selected: head };
                self.statistics.cursor.choose(head + 2, count, page);
            }
            None => self.say(Tone::Plain, "no TCP connection was found"),
        }
    }

    fn show_ladder(&mut self, flow: Option<u32>) {
        let page = self.page();
        self.ladder.flow = flow;
        self.ladder.renew = true;
        let at_hand = self.ladder.ladder.as_ref().is_some_and(|(known, _)| Some(*known) == flow);
        if at_hand {
            self.ladder.list(page);
        }
        if flow.is_none() {
            self.say(Tone::Warn, "there is no flow with iWARP");
        }
    }

    pub(super) fn open(&mut self) {
        match (self.view, self.active_pane()) {
            (View::Flows, _) => {
                let flow = self.chosen_flow();
                if flow.is_some() {
                    self.remember_place();
                    self.flow = flow;
                    self.list_all();
                    self.view = View::Messages;
                    self.choose_frame(0);
                    self.settle_cursors();
                    self.say_flow();
                }
            }
            (View::Messages, Pane::List) => {
                self.messages.detail = true;
                self.pane = Pane::Tree;
                self.settle_cursors();
            }
            (View::Messages, Pane::Tree) => {
                let page = crate::layout::page(self.message_panes().tree);
                self.messages.tree.toggle(page);
            }
            (View::Messages, Pane::Bytes | Pane::Detail) => self.pane = Pane::Tree,
            (View::Operations, _) => {
                let row = self.operations.of(&self.capture.operations);
                self.opened = row.map(|row| Opened::Operation(row.frame, row.number));
                self.go_to_opened();
            }
            (View::Calls, _) => {
                let row = self.calls.of(&self.capture.calls);
                let frame = row.map(|row| if row.frame == 0 { row.answer } else { row.frame });
                self.go_to(frame);
            }
            (View::Ladder, _) => self.go_to(self.ladder.chosen_frame()),
            (View::Findings, _) => match self.findings.lines.get(self.findings.cursor.selected) {
                Some(FindingLine::Place(index)) => {
                    self.opened = self.capture.found.get(*index).cloned().map(Opened::Finding);
                    self.go_to_opened();
                }
                Some(FindingLine::Rule(rule, _)) => {
                    let open = self.findings.open.contains(rule.id);
                    self.open_rule(!open);
                }
                None => {}
            },
            (View::Fields, _) => {
                let Some(field) = self.fields.chosen() else { return };
                self.filter_by(field.name.to_owned());
            }
            (View::Run, Pane::Detail) => self.pane = Pane::List,
            (View::Run, _) => {
                let page = self.page();
                self.run.fold(None, page);
            }
            (View::Statistics, _) => self.filter_value(true),
            (View::Graph, _) => self.choose_span(),
        }
    }

    fn go_to_opened(&mut self) {
        self.go_to(self.opened.as_ref().map(Opened::frame));
        self.choose_opened();
    }

    /// Selects the opened item in the tree.
    pub(super) fn choose_opened(&mut self) {
        let tree = &mut self.messages.tree;
        let at_hand = tree.found.as_ref().map(|(frame, _)| *frame);
        let opened = self.opened.take_if(|opened| Some(opened.frame()) == at_hand);
        let node = match opened {
            None => None,
            Some(Opened::Operation(_, number)) => tree.message_of(number),
            Some(Opened::Finding(found)) => {
                let protocol = match found.rule.id.split('-').next() {
                    Some("mpa") => "iwarp_mpa",
                    Some("ddp") => "iwarp_ddp",
                    Some("rdmap") => "iwarp_rdma",
                    _ => "rpcordma",
                };
                tree.named(&found.explanation, protocol, found.message)
            }
        };
        if let Some(node) = node {
            let panes = self.message_panes();
            let tree = &mut self.messages.tree;
            tree.choose_node(node, crate::layout::page(panes.tree));
            tree.follow_node();
            tree.show_byte(crate::layout::page(panes.bytes));
        }
    }

    /// Zooms in: filters by the half of the time around the selected interval.
    pub(super) fn see_closer(&mut self) {
        let count = self.graph.intervals.len();
        if count < 2 {
            return self.say(Tone::Plain, "cannot zoom in further");
        }
        let first = self.graph.cursor.selected.saturating_sub(count / 4).min(count - count / 2);
        self.graph.from = Some(first);
        self.graph.cursor.selected = first + count / 2 - 1;
        self.choose_span();
    }

    /// Zooms out: restores the filter from before the span of time was chosen.
    pub(super) fn see_wider(&mut self) {
        let now = &self.filter.text;
        match self.graph.spans.pop().filter(|span| span.inner == *now) {
            Some(Span { outer, .. }) => {
                self.graph.cursor = Cursor::default();
                self.filter.editor.set(outer);
                self.enter_filter();
            }
            None => {
                self.graph.spans.clear();
                self.say(Tone::Plain, "no time span was selected here; x clears the filter");
            }
        }
    }

    /// Starts a span of time at the selected interval; if one is started, filters by it.
    fn choose_span(&mut self) {
        if self.graph.intervals.is_empty() {
            return;
        }
        if self.graph.from.is_none() {
            self.graph.from = Some(self.graph.cursor.selected);
            let words = "Enter at the other end filters by this time span; Esc cancels";
            return self.say(Tone::Plain, words);
        }
        let Some(origin) = self.capture.frames.first_time() else { return };
        let test = self.graph.test(origin);
        // A span within a span replaces it, with the same filter besides the time.
        let outer = self.filter.text.clone();
        let beside = self.graph.spans.last().filter(|span| span.inner == outer);
        let beside = beside.map_or(outer.clone(), |span| span.beside.clone());
        let inner = both(&beside, &test);
        self.filter.editor.set(inner.clone());
        self.graph.cursor = Cursor::default();
        self.graph.spans.push(Span { inner, outer, beside });
        self.enter_filter();
    }

    /// Shows or hides the places of the selected rule.
    pub(super) fn open_rule(&mut self, open: bool) {
        let Some(rule) = self.findings.rule(&self.capture) else { return };
        let changed = if open {
            self.findings.open.insert(rule.id)
        } else {
            self.findings.open.remove(rule.id)
        };
        if changed {
            let page = self.page();
            self.list_findings();
            let line = self
                .findings
                .lines
                .iter()
                .position(|line| matches!(line, FindingLine::Rule(other, _) if *other == rule));
            let count = self.findings.lines.len();
            self.findings.cursor.jump(line.unwrap_or(0), count, page);
        }
    }

    /// Rebuilds the lists of all views after the flow selection has changed.
    pub fn list_all(&mut self) {
        self.list_messages();
        self.list_tables();
        self.count_again();
    }

    /// Rebuilds the lists of flows, operations, calls and findings.
    pub fn list_tables(&mut self) {
        self.stale = false;
        let [mut flows, mut operations, mut calls] =
            [&mut self.flows, &mut self.operations, &mut self.calls].map(std::mem::take);
        let (capture, passing) = (&self.capture, self.passing());
        for table in [&mut flows, &mut operations, &mut calls] {
            table.clear();
        }
        flows.extend(&capture.flows, |row| passing.flow(row));
        operations.extend(&capture.operations, |row| passing.operation(row));
        calls.extend(&capture.calls, passing.calls(&capture.operations, &capture.chunks));
        (self.flows, self.operations, self.calls) = (flows, operations, calls);
        self.list_findings();
        self.arrange();
        if !self.filtering() {
            self.let_go();
        }
    }

    /// Whether the filter has not checked all frames yet.
    pub fn filtering(&self) -> bool {
        self.filter.active() && self.filter.upto < self.capture.frames.count()
    }

    /// Clears the rows that should stay selected when the lists are rebuilt.
    pub(super) fn let_go(&mut self) {
        for table in [&mut self.flows, &mut self.operations, &mut self.calls] {
            table.kept = None;
        }
        (self.findings.kept, self.filter.seek) = (None, None);
    }

    pub(super) fn list_findings(&mut self) {
        let mut findings = std::mem::take(&mut self.findings);
        let (page, passing) = (self.page(), self.passing());
        findings.list(&self.capture.found, |row| passing.found(row), page);
        findings.kept = findings.kept.filter(|_| self.filtering());
        self.findings = findings;
    }

    /// Lists further items of the capture; with a filter, rebuilds the lists when they are shown.
    pub(super) fn list_more(&mut self) {
        if self.filter.active() {
            self.stale = true;
            return;
        }
        let flow = self.flow;
        let wanted = move |of: u32| flow.is_none_or(|flow| flow == of);
        self.operations.extend(&self.capture.operations, |row| wanted(row.flow));
        self.calls.extend(&self.capture.calls, |row| wanted(row.flow));
    }

    pub(super) fn arrange(&mut self) {
        let page = self.page();
        let capture = &self.capture;
        let by = |place, one: &_, other: &_| TableColumn::order(FLOW_COLUMNS, place, one, other);
        self.flows.arrange::<Arc<FlowRow>>(&capture.flows, by, page);
        let by =
            |place, one: &_, other: &_| TableColumn::order(OPERATION_COLUMNS, place, one, other);
        self.operations.arrange::<OperationRow>(&capture.operations, by, page);
        let by = |place, one: &_, other: &_| TableColumn::order(CALL_COLUMNS, place, one, other);
        self.calls.arrange::<CallRow>(&capture.calls, by, page);
    }

    /// Sorts the current table by its next column, or reverses the order.
    pub(super) fn sort(&mut self, action: Action) {
        self.let_go();
        let (table, names, sorts): (_, Vec<&str>, &[usize]) = match self.view {
            View::Flows => (&mut self.flows, TableColumn::names(FLOW_COLUMNS), &FLOW_SORTS),
            View::Operations => {
                (&mut self.operations, TableColumn::names(OPERATION_COLUMNS), &OPERATION_SORTS)
            }
            View::Calls => (&mut self.calls, TableColumn::names(CALL_COLUMNS), &CALL_SORTS),
            _ => return,
        };
        if action == Action::Reverse {
            table.reverse = !table.reverse;
        } else {
            table.next_sort(sorts);
        }
        let name = table.sort.and_then(|column| names.get(column)).copied();
        let order = if table.reverse { ", reversed" } else { "" };
        let words = name.map_or("in capture order".to_owned(), |it| format!("by {it}"));
        self.arrange();
        // Show a newly sorted table from its first row.
        *cursor_of(self) = Cursor::default();
        self.say(Tone::Plain, format!("sorted {words}{order}"));
    }

    /// Marks the statistics to be rebuilt when they are shown.
    pub(super) fn count_again(&mut self) {
        (self.statistics.stale, self.graph.stale) = (true, true);
    }
}
