//! Going through what a search finds: frames that a worker scans, or rows of other views.

use super::act::cursor_of;
use crate::event::{Effect, ScanKind, Wanted};
use crate::format::row_words;
use crate::look::Tone;
use crate::state::{SearchBar, State, View};

impl State {
    /// Goes to the next place that the search finds, or to the one before.
    pub(super) fn go_found(&mut self, forward: bool) -> Vec<Effect> {
        if self.search.text.is_empty() {
            self.say(Tone::Plain, "nothing is searched for; / begins a search");
            return Vec::new();
        }
        let Ok(wanted) = SearchBar::wanted(&self.search.text) else { return Vec::new() };
        match (self.view, wanted) {
            (View::Messages, wanted) if !self.search.asked => {
                self.search.found.clear();
                (self.search.upto, self.search.asked) = (0, true);
                self.search.awaited = forward;
                self.search.question += 1;
                let question = self.search.question;
                return vec![Effect::Scan(ScanKind::Search, question, Some(wanted))];
            }
            (View::Messages, _) => self.go_to_found(forward),
            (_, Wanted::Text(regex)) => self.go_to_row(&regex, forward),
            _ => self.say(Tone::Plain, "bytes are searched for in the messages"),
        }
        Vec::new()
    }

    /// Goes to the next frame that a worker found, or to the one before.
    pub(super) fn go_to_found(&mut self, forward: bool) {
        let frame = self.chosen_frame();
        let listed = |found: &&u32| self.messages.rows.find(**found).is_some();
        let found = if forward {
            self.search.found.iter().filter(listed).find(|found| **found > frame)
        } else {
            self.search.found.iter().rev().filter(listed).find(|found| **found < frame)
        };
        match found.copied() {
            Some(found) => {
                self.choose_frame(found);
                self.search.awaited = false;
            }
            None if forward && self.search.upto < self.capture.frames.count() => {
                self.search.awaited = true;
                self.say(Tone::Plain, "searching…");
            }
            None => {
                self.search.awaited = false;
                let words = format!("{} is not found in this direction", self.search.text);
                self.say(Tone::Warn, words);
            }
        }
    }

    /// Goes to the next row that says it, or to the one before; behind the last comes the first.
    fn go_to_row(&mut self, regex: &regex::Regex, forward: bool) {
        let Some((cursor, count)) = self.cursor().filter(|(_, count)| *count > 0) else { return };
        let at = if self.scrolls() { cursor.top } else { cursor.selected }.min(count - 1);
        let fits = |row: &usize| regex.is_match(&row_words(self, *row).join("\t"));
        let found = if forward {
            (at + 1..count).chain(0..=at).find(fits)
        } else {
            (0..at).rev().chain((at..count).rev()).find(fits)
        };
        let page = self.page();
        match found {
            Some(row) => {
                if self.scrolls() {
                    cursor_of(self).top = row;
                } else {
                    cursor_of(self).jump(row, count, page);
                }
                let around = if forward { row <= at } else { row >= at };
                if around {
                    self.say(Tone::Plain, "from the other end");
                }
            }
            None => {
                let words = format!("{} is in no row here", self.search.text);
                self.say(Tone::Warn, words);
            }
        }
    }
}
