//! The content of the settings file.

use super::{Density, TimeDisplay};
use crate::action::Keymap;
use crate::layout::{Share, View};
use crate::look::Theme;
use crate::rules::{self, Rule};
use std::sync::Arc;

/// The content of the settings file.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The theme; none for the one that suits the terminal's background, or was chosen in the UI.
    pub theme: Option<Theme>,
    /// Whether only ASCII is drawn.
    pub ascii: Option<bool>,
    /// The initial view.
    pub view: Option<View>,
    /// The initial density.
    pub rows: Option<Density>,
    /// The display of times.
    pub time: Option<TimeDisplay>,
    /// The names of the shown columns of the messages, from left to right.
    pub columns: Option<Vec<String>>,
    /// The list's share of the screen in views with details below it.
    pub list_share: Share,
    /// The command that receives copied text.
    pub copy_command: Option<String>,
    /// The keys of actions.
    pub keymap: Keymap,
    /// The rules that colour the messages; the first match counts.
    pub rules: Arc<[Rule]>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            theme: None,
            ascii: None,
            view: None,
            rows: None,
            time: None,
            columns: None,
            list_share: Share::default(),
            copy_command: None,
            keymap: Keymap::default(),
            rules: rules::defaults(),
        }
    }
}
