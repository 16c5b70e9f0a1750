//! The positions of panels. The reducers use them too, because they need the length of a page.

use ratatui::layout::Rect;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// A view, which fills the screen.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Default, EnumString, IntoStaticStr, VariantArray,
)]
#[strum(serialize_all = "lowercase")]
pub enum View {
    /// Connections.
    #[default]
    Flows,
    /// Messages, frames of iWARP, or all frames; with tree and bytes.
    Messages,
    /// Requests with their responses.
    Operations,
    /// RPC calls with their replies.
    Calls,
    /// The conversation of a flow.
    Ladder,
    /// Broken rules.
    Findings,
    /// Counts of the capture.
    Statistics,
    /// The fields of filters.
    Fields,
    /// The results of a conformance run.
    Run,
    /// Throughput, latency and requests in flight over time.
    Graph,
}

impl View {
    /// Every view, in the order of the keys that show them.
    pub const ALL: &[Self] = Self::VARIANTS;

    /// Returns the name in the tabs and in `:`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns the short name for narrow screens.
    pub fn short(self) -> &'static str {
        match self {
            Self::Messages => "msgs",
            Self::Operations => "ops",
            Self::Findings => "rules",
            Self::Statistics => "stats",
            _ => self.name(),
        }
    }

    /// Whether it lists items with their own frames, which flow and filter select.
    pub fn is_table(self) -> bool {
        matches!(self, Self::Flows | Self::Operations | Self::Calls | Self::Findings)
    }

    /// Whether it shows only items that pass the filter.
    pub fn follows_filter(self) -> bool {
        self.is_table() || self == Self::Graph
    }

    /// Returns the view with that name.
    pub fn find(name: &str) -> Option<Self> {
        name.parse().ok()
    }
}

/// A pane of the messages or of a run; other views have only the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Pane {
    /// The rows.
    #[default]
    List,
    /// The tree of the selected frame.
    Tree,
    /// Its bytes.
    Bytes,
    /// The details of a run's selected entry.
    Detail,
}

impl Pane {
    /// Every pane.
    pub const ALL: [Self; 4] = [Self::List, Self::Tree, Self::Bytes, Self::Detail];
}

/// The minimum columns and rows of a screen.
pub const LEAST: (u16, u16) = (40, 10);

/// The parts of every screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Screen {
    /// The names of the views.
    pub title: Rect,
    /// Filter and search.
    pub bar: Rect,
    /// The view.
    pub body: Rect,
    /// Progress, messages and keys.
    pub status: Rect,
}

/// Returns the parts of a screen with these columns and rows.
pub fn screen((columns, rows): (u16, u16)) -> Screen {
    let at = |y: u16, height: u16| Rect::new(0, y.min(rows), columns, height.min(rows));
    Screen {
        title: at(0, 1),
        bar: at(1, 1),
        body: at(2, rows.saturating_sub(3)),
        status: at(rows.saturating_sub(1), 1),
    }
}

/// A list with a detail pane below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Split {
    /// The list.
    pub list: Rect,
    /// The detail pane; empty if it is hidden.
    pub detail: Rect,
}

/// The list's percentage of the body, if the user chose it; else a default of the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Share(pub Option<u16>);

impl Share {
    /// The allowed percentages.
    pub const RANGE: std::ops::RangeInclusive<u16> = 10..=90;

    /// Returns the allowed share that is nearest to a list of `rows` rows.
    pub fn of(rows: u16, body: Rect) -> Self {
        let share = (u32::from(rows) * 100).div_ceil(u32::from(body.height.max(1)));
        let share = u16::try_from(share).unwrap_or(u16::MAX);
        Self(Some(share.clamp(*Self::RANGE.start(), *Self::RANGE.end())))
    }
}

/// Splits a body in two; the upper part gets this percentage.
fn split(body: Rect, hundredths: u16) -> Split {
    cut(body, rows(body, hundredths))
}

/// Returns a percentage of a body's rows.
fn rows(body: Rect, hundredths: u16) -> u16 {
    (u32::from(body.height) * u32::from(hundredths) / 100) as u16
}

fn cut(body: Rect, upper: u16) -> Split {
    let upper = upper.clamp(4.min(body.height), body.height);
    Split {
        list: Rect { height: upper, ..body },
        detail: Rect { y: body.y + upper, height: body.height - upper, ..body },
    }
}

/// The panes of the messages view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Messages {
    /// The messages.
    pub list: Rect,
    /// The complete findings of the selected message.
    pub words: Rect,
    /// The tree of the selected message.
    pub tree: Rect,
    /// Its bytes.
    pub bytes: Rect,
}

impl Messages {
    /// Returns a layout with one pane that fills the body.
    pub fn alone(body: Rect, pane: Pane) -> Self {
        let nothing = Rect { y: body.bottom(), height: 0, ..body };
        let area = |of: Pane| if pane == of { body } else { nothing };
        let [list, tree, bytes] = [Pane::List, Pane::Tree, Pane::Bytes].map(area);
        Self { list, words: nothing, tree, bytes }
    }
}

/// Returns a view's list and the details of the selected row below it: by percentage of the body, and at most
/// a limited number of rows for the details, because a large screen should show more of the list.
pub fn parts(view: View, body: Rect, share: Share) -> Split {
    let (hundredths, most): (u16, u16) = match view {
        View::Flows => (55, 22),
        View::Ladder => (65, 12),
        View::Fields => (55, 16),
        View::Findings => (50, 16),
        View::Run => (45, u16::MAX),
        View::Operations | View::Calls => (65, 9),
        View::Messages | View::Statistics | View::Graph => (100, 0),
    };
    match share.0.filter(|_| hundredths < 100) {
        Some(chosen) => split(body, chosen),
        None => cut(body, rows(body, hundredths).max(body.height.saturating_sub(most))),
    }
}

/// Columns before the first bar of a graph.
pub const PLOT: u16 = 12;

/// Columns before the first byte of a row.
pub const OFFSET: u16 = 8;

/// Columns that a row of 16 bytes needs.
pub const BYTES: u16 = 76;

/// Returns the panes of the messages view, with at most `words` rows of findings; tree and bytes are side by
/// side if there is room.
pub fn messages(body: Rect, detail: bool, words: usize, share: Share) -> Messages {
    let nothing = Rect { y: body.bottom(), height: 0, ..body };
    if !detail {
        return Messages { list: body, words: nothing, tree: nothing, bytes: nothing };
    }
    let cut_words = |detail: Rect| {
        let height = u16::try_from(words).unwrap_or(u16::MAX).min(detail.height / 2);
        let rest = Rect { y: detail.y + height, height: detail.height - height, ..detail };
        (Rect { height, ..detail }, rest)
    };
    if body.width >= BYTES + 50 {
        let Split { list, detail } = split(body, share.0.unwrap_or(45));
        let (words, detail) = cut_words(detail);
        let tree = Rect { width: detail.width - BYTES, ..detail };
        let bytes = Rect { x: detail.x + tree.width, width: BYTES, ..detail };
        return Messages { list, words, tree, bytes };
    }
    let Split { list, detail } = split(body, share.0.unwrap_or(40));
    let (words, detail) = cut_words(detail);
    let Split { list: tree, detail: bytes } = split(detail, 56);
    Messages { list, words, tree, bytes }
}

/// Returns the panel for selecting columns: the list stays visible above it.
pub fn columns(body: Rect, share: Share) -> Rect {
    let list = messages(body, true, 0, share).list;
    Rect { y: list.bottom(), height: body.height - list.height, ..body }
}

/// Returns the number of rows of a list below its head.
pub fn page(list: Rect) -> usize {
    usize::from(list.height.saturating_sub(1)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_lie_within_the_screen_and_apart() {
        for columns in [0, 1, 40, 80, 126, 200] {
            for rows in [0, 1, 3, 10, 24, 60] {
                let screen = screen((columns, rows));
                let whole = Rect::new(0, 0, columns, rows);
                let panes = messages(screen.body, true, usize::from(rows / 3), Share(None));
                for part in [screen.body, panes.list, panes.words, panes.tree, panes.bytes] {
                    assert_eq!(part.intersection(whole).area(), part.area(), "{part:?}");
                }
                for view in View::ALL.iter().copied() {
                    let Split { list, detail } = parts(view, screen.body, Share(None));
                    assert_eq!(list.area() + detail.area(), screen.body.area(), "{view:?}");
                    assert!(!list.intersects(detail) && list.height >= detail.height / 2);
                }
                assert!(!panes.tree.intersects(panes.bytes) && !panes.list.intersects(panes.tree));
                assert!(!panes.words.intersects(panes.list) && !panes.words.intersects(panes.tree));
            }
        }
    }
}
