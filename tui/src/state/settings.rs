//! What the settings file sets.

use super::{Density, TimeDisplay};
use crate::action::Keymap;
use crate::layout::{Share, View};
use crate::look::Theme;
use crate::rules::{self, Rule};
use std::sync::Arc;

/// What the settings file sets.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The theme; none for the one that suits the terminal's background, or was chosen inside.
    pub theme: Option<Theme>,
    /// Whether only ASCII is drawn.
    pub ascii: Option<bool>,
    /// The view that is shown first.
    pub view: Option<View>,
    /// Which frames are listed at first.
    pub rows: Option<Density>,
    /// How times are shown.
    pub time: Option<TimeDisplay>,
    /// The names of the columns of the messages that are shown, from left to right.
    pub columns: Option<Vec<String>>,
    /// How much of the screen lists have that something is shown below.
    pub list_share: Share,
    /// The command that takes what is copied.
    pub copy_command: Option<String>,
    /// The keys of actions.
    pub keymap: Keymap,
    /// What colours the messages: the first rule that fits.
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
