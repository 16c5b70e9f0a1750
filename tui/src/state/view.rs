//! The views, and the panes in them.

/// A view: what fills the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum View {
    /// Connections.
    Flows,
    /// Messages, frames of iWARP, or all frames; with tree and bytes.
    Messages,
    /// Requests with their responses.
    Operations,
    /// RPC calls with their replies.
    Calls,
    /// The conversation of a flow.
    Ladder,
    /// Rules that are broken.
    Findings,
    /// What was counted.
    Statistics,
    /// Fields that filters know.
    Fields,
    /// The results of a conformance run.
    Run,
}

impl View {
    /// Every view, in the order of the keys that show them.
    pub const ALL: [Self; 9] = [
        Self::Flows,
        Self::Messages,
        Self::Operations,
        Self::Calls,
        Self::Ladder,
        Self::Findings,
        Self::Statistics,
        Self::Fields,
        Self::Run,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Flows => "flows",
            Self::Messages => "messages",
            Self::Operations => "operations",
            Self::Calls => "calls",
            Self::Ladder => "ladder",
            Self::Findings => "findings",
            Self::Statistics => "statistics",
            Self::Fields => "fields",
            Self::Run => "run",
        }
    }

    /// Its name where room is scarce.
    pub fn short(self) -> &'static str {
        match self {
            Self::Messages => "msgs",
            Self::Operations => "ops",
            Self::Findings => "finds",
            Self::Statistics => "stats",
            _ => self.name(),
        }
    }

    /// The view of that name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|view| view.name() == name)
    }
}

/// A pane of the messages or of a run; other views have the list alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Pane {
    /// The rows.
    #[default]
    List,
    /// The tree of the chosen frame.
    Tree,
    /// Its bytes.
    Bytes,
    /// What is told of the chosen entry of a run.
    Told,
}

impl Pane {
    /// Every pane.
    pub const ALL: [Self; 4] = [Self::List, Self::Tree, Self::Bytes, Self::Told];
}
