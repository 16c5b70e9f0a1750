//! The whole state.

use super::{
    Capture, Cursor, Editor, FieldPrompt, FieldsView, FilterBar, FindingsView, LadderView,
    MessagesView, PaletteView, Pane, RunView, SearchBar, StatisticsView, TableView, View,
};
use crate::event::Event;
use crate::layout;
use crate::look::{Look, Tone};
use ratatui::layout::Rect;

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
    /// Columns are being chosen.
    Columns,
    /// A field that is to be a column is being named.
    Field,
    /// The name of a file to write is being edited.
    Export,
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The view.
    pub view: View,
    /// The chosen frame of the messages view.
    pub frame: u32,
    /// The flow that alone is shown.
    pub flow: Option<u32>,
}

/// What workers have told while the screen stands still.
#[derive(Debug, Clone, Default)]
pub struct Held {
    /// What they told, in order.
    pub events: Vec<Event>,
    /// Frames in it.
    pub frames: usize,
}

/// Everything.
#[derive(Debug, Clone)]
pub struct State {
    /// What the capture is called.
    pub name: String,
    /// Columns and rows of the screen.
    pub size: (u16, u16),
    /// How everything looks.
    pub look: Look,
    /// What takes the keys.
    pub mode: Mode,
    /// The view.
    pub view: View,
    /// The pane of the messages view.
    pub pane: Pane,
    /// Places to come back to, the latest last.
    pub back: Vec<Place>,
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
    /// The first line of the help that is seen.
    pub help: Cursor,
    /// The field that is to be a column.
    pub prompt: FieldPrompt,
    /// The name of the file to write.
    pub export: Editor,
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
    /// Fields.
    pub fields: FieldsView,
    /// Results of a conformance run.
    pub run: RunView,
    /// Whether the end of the lists is followed as they grow.
    pub follow: bool,
    /// What workers have told since the screen was made to stand still; none when it is not.
    pub held: Option<Held>,
    /// The flow that was meant in the view before, for views that choose none.
    pub last_flow: Option<u32>,
    /// The frame that is to be chosen once it is read again.
    pub seek: Option<u32>,
    /// Words at the foot.
    pub notice: Option<Notice>,
    /// Whether the session is over.
    pub quit: bool,
}

/// Places that are remembered.
const BACK: usize = 64;

impl State {
    /// The state before anything is known of a capture.
    pub fn new(name: impl Into<String>, size: (u16, u16), look: Look) -> Self {
        Self {
            name: name.into(),
            size,
            look,
            mode: Mode::View,
            view: View::Flows,
            pane: Pane::List,
            back: Vec::new(),
            capture: Capture::default(),
            flow: None,
            filter: FilterBar::default(),
            search: SearchBar::default(),
            palette: PaletteView::default(),
            help: Cursor::default(),
            prompt: FieldPrompt::default(),
            export: Editor::default(),
            flows: TableView::default(),
            messages: MessagesView::default(),
            operations: TableView::default(),
            calls: TableView::default(),
            ladder: LadderView::default(),
            findings: FindingsView::default(),
            statistics: StatisticsView::default(),
            fields: FieldsView::default(),
            run: RunView::default(),
            follow: false,
            held: None,
            last_flow: None,
            seek: None,
            notice: None,
            quit: false,
        }
    }

    /// Whether the screen has room for anything.
    pub fn fits(&self) -> bool {
        self.size.0 >= layout::LEAST.0 && self.size.1 >= layout::LEAST.1
    }

    /// The list of the view at hand, on the screen.
    pub fn list_area(&self) -> Rect {
        let body = layout::screen(self.size).body;
        match self.view {
            View::Messages => layout::messages(body, self.messages.detail).list,
            view => layout::parts(view, body).list,
        }
    }

    /// Rows of that list.
    pub fn page(&self) -> usize {
        layout::page(self.list_area())
    }

    /// The panes of the messages view.
    pub fn message_panes(&self) -> layout::Messages {
        layout::messages(layout::screen(self.size).body, self.messages.detail)
    }

    /// The pane that has the keys: of most views the list.
    pub fn active_pane(&self) -> Pane {
        match (self.view, self.pane) {
            (View::Messages, Pane::Tree | Pane::Bytes) if self.messages.detail => self.pane,
            (View::Run, Pane::Told) => self.pane,
            _ => Pane::List,
        }
    }

    /// The frame chosen in the messages view, or 0.
    pub fn chosen_frame(&self) -> u32 {
        self.messages.rows.frame(self.messages.cursor.selected).unwrap_or(0)
    }

    /// The flow that is meant: the one shown alone, else that of the chosen row.
    pub fn meant_flow(&self) -> Option<u32> {
        self.flow.or_else(|| self.chosen_flow())
    }

    /// The flow of the chosen row.
    pub fn chosen_flow(&self) -> Option<u32> {
        match self.view {
            View::Flows => {
                let row = self.flows.chosen()?;
                Some(self.capture.flows.get(row)?.flow.info.number)
            }
            View::Operations => Some(self.capture.operations.get(self.operations.chosen()?)?.flow),
            View::Calls => Some(self.capture.calls.get(self.calls.chosen()?)?.flow),
            View::Findings => self.findings.chosen(&self.capture).map(|found| found.flow),
            View::Ladder => self.ladder.flow,
            View::Messages => self.capture.frames.find(self.chosen_frame())?.flow(),
            View::Statistics | View::Fields | View::Run => self.last_flow,
        }
    }

    /// The frames that an export of the view takes: of the messages those that are listed, else those of the
    /// flow that is meant, else all.
    pub fn meant_frames(&self) -> Vec<u32> {
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
        let place = Place { view: self.view, frame: self.chosen_frame(), flow: self.flow };
        if self.back.last() != Some(&place) {
            self.back.push(place);
        }
        if self.back.len() > BACK {
            self.back.remove(0);
        }
    }
}
