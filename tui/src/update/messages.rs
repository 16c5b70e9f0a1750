//! The panes of the messages view.

use crate::action::Action;
use crate::layout;
use crate::state::{BYTES_IN_ROW, State};

impl State {
    /// Moves in the tree.
    pub(super) fn move_in_tree(&mut self, action: Action) {
        let panes = self.message_panes();
        let page = layout::page(panes.tree);
        let tree = &mut self.messages.tree;
        match action {
            Action::Left => tree.fold(page),
            Action::Right => tree.open(page),
            _ => {
                tree.cursor.act(action, tree.visible.len(), page);
                tree.follow_node();
            }
        }
        tree.show_byte(layout::page(panes.bytes));
    }

    /// Moves in the bytes: the field of the chosen byte is chosen too.
    pub(super) fn move_in_bytes(&mut self, action: Action) {
        let panes = self.message_panes();
        let rows = layout::page(panes.bytes);
        let page = rows * BYTES_IN_ROW;
        let tree = &mut self.messages.tree;
        let at = tree.byte;
        let byte = match action {
            Action::Left => at.saturating_sub(1),
            Action::Right => at.saturating_add(1),
            Action::Up if at < BYTES_IN_ROW => at,
            Action::Up => at - BYTES_IN_ROW,
            Action::Down => at.saturating_add(BYTES_IN_ROW),
            Action::PageUp => at.saturating_sub(page),
            Action::PageDown => at.saturating_add(page),
            Action::HalfUp => at.saturating_sub(rows / 2 * BYTES_IN_ROW),
            Action::HalfDown => at.saturating_add(rows / 2 * BYTES_IN_ROW),
            Action::First => 0,
            Action::Last => usize::MAX,
            _ => return,
        };
        tree.choose_byte(byte, layout::page(panes.tree));
        tree.show_byte(rows);
    }

    /// Lists the messages anew; the chosen frame, or the one behind it, stays chosen.
    pub(super) fn list_messages(&mut self) {
        let frame = self.chosen_frame();
        let matched = self.filter.active().then_some(self.filter.matched.as_slice());
        self.messages.list(&self.capture, self.flow, matched);
        self.choose_frame(frame);
    }

    /// Chooses a frame in the messages view, or the next one that is listed.
    pub fn choose_frame(&mut self, frame: u32) {
        let body = layout::screen(self.size).body;
        let page = layout::page(layout::messages(body, self.messages.detail).list);
        let view = &mut self.messages;
        view.cursor.jump(view.rows.near(frame), view.rows.len(), page);
    }

    /// Stays at the end of the messages, when the user wants it.
    pub(super) fn follow_end(&mut self) {
        if self.follow {
            self.choose_frame(u32::MAX);
        }
    }
}
