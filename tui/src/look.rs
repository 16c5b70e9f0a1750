//! Themes and drawing characters.

use ratatui::style::{Color, Modifier, Style};

/// A set of colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Theme {
    /// For a dark background.
    #[default]
    Dark,
    /// For a light background.
    Light,
    /// No colours: bold, dim, underlined and reversed alone.
    #[strum(serialize = "none")]
    Plain,
}

impl Theme {
    /// Its name.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The theme of that name.
    pub fn find(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    /// The theme after this one.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Dark => Self::Light,
            Self::Light => Self::Plain,
            Self::Plain => Self::Dark,
        }
    }
}

/// What a piece of text is; the theme says how it looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tone {
    /// Ordinary text.
    #[default]
    Plain,
    /// What matters less.
    Dim,
    /// What stands out.
    Strong,
    /// The head of a table or pane.
    Heading,
    /// A link, a key, a number to look at.
    Accent,
    /// All is well.
    Good,
    /// Perhaps not.
    Warn,
    /// Something is wrong.
    Bad,
    /// Setup frames.
    Setup,
    /// RPC calls.
    Call,
    /// RPC replies.
    Reply,
    /// Writes.
    Write,
    /// Requests.
    Request,
    /// Responses.
    Response,
}

/// How everything looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Look {
    /// The colours.
    pub theme: Theme,
    /// Whether only ASCII is drawn.
    pub ascii: bool,
}

/// Heights of a bar that grows upwards, from nothing to full.
const BARS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
const ASCII_BARS: [&str; 9] = [" ", ".", ".", ":", "-", "=", "+", "*", "#"];

impl Look {
    /// The style of a tone.
    pub fn style(self, tone: Tone) -> Style {
        let style = Style::new();
        let colour = match (self.theme, tone) {
            (_, Tone::Plain | Tone::Strong | Tone::Heading) | (Theme::Plain, _) => None,
            (Theme::Dark, Tone::Dim) => Some(Color::DarkGray),
            (Theme::Dark, Tone::Accent) => Some(Color::LightCyan),
            (Theme::Dark, Tone::Good) => Some(Color::LightGreen),
            (Theme::Dark, Tone::Warn) => Some(Color::LightYellow),
            (Theme::Dark, Tone::Bad) => Some(Color::LightRed),
            (Theme::Dark, Tone::Setup) => Some(Color::LightMagenta),
            (Theme::Dark, Tone::Call) => Some(Color::Cyan),
            (Theme::Dark, Tone::Reply) => Some(Color::LightCyan),
            (Theme::Dark, Tone::Write) => Some(Color::Green),
            (Theme::Dark, Tone::Request) => Some(Color::LightBlue),
            (Theme::Dark, Tone::Response) => Some(Color::Blue),
            (Theme::Light, Tone::Dim) => Some(Color::Gray),
            (Theme::Light, Tone::Accent | Tone::Reply | Tone::Call) => Some(Color::Blue),
            (Theme::Light, Tone::Good | Tone::Write) => Some(Color::Green),
            (Theme::Light, Tone::Warn) => Some(Color::Yellow),
            (Theme::Light, Tone::Bad) => Some(Color::Red),
            (Theme::Light, Tone::Setup) => Some(Color::Magenta),
            (Theme::Light, Tone::Request | Tone::Response) => Some(Color::Cyan),
        };
        let style = colour.map_or(style, |colour| style.fg(colour));
        match (self.theme, tone) {
            (_, Tone::Strong | Tone::Heading) | (Theme::Plain, Tone::Bad | Tone::Accent) => {
                style.add_modifier(Modifier::BOLD)
            }
            (Theme::Plain, Tone::Dim) => style.add_modifier(Modifier::DIM),
            (Theme::Plain, Tone::Warn) => style.add_modifier(Modifier::UNDERLINED),
            _ => style,
        }
    }

    /// What is laid over the chosen row, in the pane that has the keys or in another.
    pub fn chosen(self, has_keys: bool) -> Style {
        match (self.theme, has_keys) {
            (Theme::Dark, true) => Style::new().bg(Color::Rgb(40, 60, 100)),
            (Theme::Dark, false) => Style::new().bg(Color::Rgb(45, 45, 50)),
            (Theme::Light, true) => Style::new().bg(Color::Rgb(190, 215, 255)),
            (Theme::Light, false) => Style::new().bg(Color::Rgb(225, 225, 225)),
            (Theme::Plain, true) => Style::new().add_modifier(Modifier::REVERSED),
            (Theme::Plain, false) => Style::new().add_modifier(Modifier::UNDERLINED),
        }
    }

    /// What is laid over bytes of the chosen field.
    pub fn lit(self) -> Style {
        match self.theme {
            Theme::Dark => Style::new().bg(Color::Rgb(120, 90, 0)).fg(Color::White),
            Theme::Light => Style::new().bg(Color::Rgb(255, 225, 120)).fg(Color::Black),
            Theme::Plain => Style::new().add_modifier(Modifier::REVERSED),
        }
    }

    /// What is laid over titles and the bar at the foot.
    pub fn bar(self) -> Style {
        match self.theme {
            Theme::Dark => Style::new().bg(Color::Rgb(30, 30, 38)),
            Theme::Light => Style::new().bg(Color::Rgb(232, 232, 238)),
            Theme::Plain => Style::new(),
        }
    }

    /// The head of a bar that is so many eighths high.
    pub fn height(self, eighths: u8) -> &'static str {
        let bars = if self.ascii { &ASCII_BARS } else { &BARS };
        bars.get(usize::from(eighths)).copied().unwrap_or("#")
    }

    /// A bar of so many columns.
    pub fn bar_of(self, columns: usize) -> String {
        if self.ascii { "#" } else { "█" }.repeat(columns)
    }

    /// One of two ways of drawing something.
    pub fn either(self, unicode: &'static str, ascii: &'static str) -> &'static str {
        if self.ascii { ascii } else { unicode }
    }

    /// A character of text that is not ours, as it can be drawn.
    pub fn drawn(self, character: char) -> char {
        if !self.ascii || character.is_ascii() {
            return character;
        }
        match character {
            '→' | '▶' => '>',
            '←' | '◀' => '<',
            '─' | '–' | '—' => '-',
            '│' | '┊' => '|',
            '…' => '~',
            'µ' => 'u',
            '·' => '.',
            '×' => 'x',
            '§' => 'S',
            _ => '?',
        }
    }
}
