//! Themes and drawing characters.

use ratatui::style::{Color, Modifier, Style};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// A set of colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Theme {
    /// For a dark background.
    #[default]
    Dark,
    /// For a light background.
    Light,
    /// High contrast, with its own black background.
    Contrast,
    /// No colours: only bold, dim, underlined and reversed.
    #[strum(serialize = "none")]
    Plain,
}

impl Theme {
    /// Every theme, in the order of switching.
    pub const ALL: &[Self] = Self::VARIANTS;

    /// Returns the name in the settings.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns the theme with that name.
    pub fn find(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    /// Returns the theme after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self::ALL.get(self as usize + 1).copied().unwrap_or_default()
    }
}

/// The meaning of a piece of text; the theme defines its look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Tone {
    /// Ordinary text.
    #[default]
    Plain,
    /// Less important text.
    Dim,
    /// Emphasized text.
    Strong,
    /// The head of a table or pane.
    Heading,
    /// A link, a key, a notable number.
    Accent,
    /// A good result.
    Good,
    /// A possible problem.
    Warn,
    /// An error.
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

/// The appearance of the UI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Look {
    /// The colours.
    pub theme: Theme,
    /// Whether only ASCII is drawn.
    pub ascii: bool,
    /// Whether the terminal has only 16 colours, which its palette may redefine.
    pub few: bool,
}

/// Heights of a bar that grows upwards, from nothing to full.
const BARS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
const ASCII_BARS: [&str; 9] = [" ", ".", ".", ":", "-", "=", "+", "*", "#"];

/// Returns the colours of a tone in the themes dark, light and contrast: of the 256, those that no palette
/// changes. Each is readable on its theme's backgrounds and on common terminal ones: a test computes it.
fn colours(tone: Tone) -> [u8; 3] {
    match tone {
        Tone::Plain => [252, 235, 231],
        Tone::Strong | Tone::Heading => [231, 16, 231],
        Tone::Dim => [248, 240, 254],
        Tone::Accent => [117, 20, 87],
        Tone::Good => [114, 22, 120],
        Tone::Warn => [221, 58, 226],
        Tone::Bad => [210, 124, 224],
        Tone::Setup => [213, 90, 225],
        Tone::Call => [80, 24, 123],
        Tone::Reply => [123, 18, 159],
        Tone::Write => [150, 22, 156],
        Tone::Request => [111, 23, 195],
        Tone::Response => [147, 54, 189],
    }
}

/// Returns the colour of a tone out of 16: for a dark and a light background. None is the terminal's own.
fn few_colours(tone: Tone) -> [Option<Color>; 2] {
    match tone {
        Tone::Accent => [Some(Color::LightCyan), Some(Color::Blue)],
        Tone::Reply => [Some(Color::LightCyan), Some(Color::Magenta)],
        Tone::Good | Tone::Write => [Some(Color::LightGreen), None],
        Tone::Warn => [Some(Color::LightYellow), Some(Color::Red)],
        Tone::Bad => [Some(Color::LightRed), Some(Color::Red)],
        Tone::Setup => [Some(Color::LightMagenta), Some(Color::Magenta)],
        Tone::Call => [Some(Color::Cyan), Some(Color::Blue)],
        _ => [None, None],
    }
}

impl Look {
    /// Returns the style of a tone.
    pub fn style(self, tone: Tone) -> Style {
        let column = self.theme as usize;
        let colour = match (self.theme, self.few) {
            (Theme::Plain, _) => None,
            (Theme::Light, true) => few_colours(tone)[1],
            (_, true) => few_colours(tone)[0],
            _ => colours(tone).get(column).copied().map(Color::Indexed),
        };
        let style = Style { fg: colour, ..Style::new() };
        match (self.theme, tone) {
            (_, Tone::Strong | Tone::Heading) | (Theme::Plain, Tone::Bad | Tone::Accent) => {
                style.add_modifier(Modifier::BOLD)
            }
            (_, Tone::Bad) if self.few => style.add_modifier(Modifier::BOLD),
            (Theme::Plain, Tone::Dim) => style.add_modifier(Modifier::DIM),
            (Theme::Plain, Tone::Warn) => style.add_modifier(Modifier::UNDERLINED),
            _ => style,
        }
    }

    /// Returns a background by its colours in the themes dark, light and contrast; with too few colours, an
    /// alternative modifier.
    fn ground(self, colours: [u8; 3], otherwise: Modifier) -> Style {
        match colours.get(self.theme as usize) {
            Some(colour) if !self.few => Style::new().bg(Color::Indexed(*colour)),
            _ => Style::new().add_modifier(otherwise),
        }
    }

    /// Returns the style of the screen: the terminal's own background, except for high contrast.
    pub fn page(self) -> Style {
        match (self.theme, self.few) {
            (Theme::Contrast, false) => Style::new().bg(Color::Indexed(16)).fg(Color::Indexed(231)),
            (Theme::Contrast, true) => Style::new().bg(Color::Black).fg(Color::White),
            _ => Style::new(),
        }
    }

    /// Returns the style over the selected row, in the active pane or in another.
    pub fn chosen(self, has_keys: bool) -> Style {
        match has_keys {
            // One background for the whole row: reversed text has no colour of its own.
            true => match self.ground([18, 189, 18], Modifier::REVERSED) {
                style if style.bg.is_none() => {
                    let text = self.page().fg.unwrap_or(Color::Reset);
                    style.fg(text).remove_modifier(Modifier::DIM | Modifier::UNDERLINED)
                }
                style => style,
            },
            false => self.ground([236, 253, 236], Modifier::UNDERLINED),
        }
    }

    /// Returns the style over bars in the selected row: not reversed with the row, which would invert them.
    pub fn chosen_bars(self) -> Style {
        Style::new().remove_modifier(Modifier::REVERSED)
    }

    /// Returns the style over the bytes of the selected field.
    pub fn lit(self) -> Style {
        let style = self.ground([94, 222, 22], Modifier::REVERSED);
        let text = [231, 16, 231].get(self.theme as usize).filter(|_| !self.few);
        text.map_or(style, |text| style.fg(Color::Indexed(*text)))
    }

    /// Returns the style over titles and the status bar.
    pub fn bar(self) -> Style {
        self.ground([235, 254, 235], Modifier::empty())
    }

    /// Returns the top character of a bar that is `eighths` high.
    pub fn height(self, eighths: u8) -> &'static str {
        let bars = if self.ascii { &ASCII_BARS } else { &BARS };
        bars.get(usize::from(eighths)).copied().unwrap_or("#")
    }

    /// Returns a bar of `columns` columns.
    pub fn bar_of(self, columns: usize) -> String {
        if self.ascii { "#" } else { "█" }.repeat(columns)
    }

    /// Returns the Unicode or the ASCII form.
    pub fn either(self, unicode: &'static str, ascii: &'static str) -> &'static str {
        if self.ascii { ascii } else { unicode }
    }

    /// Returns a printable form of a character of foreign text.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Backgrounds that terminals have: black, white, and those of the themes used most.
    const DARK: [u32; 10] = [
        0x00_0000, 0x00_2b36, 0x07_3642, 0x1e_1e1e, 0x28_2828, 0x30_0a24, 0x28_2c34, 0x2e_3440,
        0x28_2a36, 0x1d_1f21,
    ];
    const LIGHT: [u32; 6] = [0xff_ffff, 0xfd_f6e3, 0xee_e8d5, 0xfb_f1c7, 0xfa_fafa, 0xef_f1f5];
    /// The 16 colours of VGA and of xterm, as far as they are used.
    const NAMED: [(Color, [u32; 2]); 10] = [
        (Color::Black, [0, 0]),
        (Color::White, [0xff_ffff, 0xff_ffff]),
        (Color::Red, [0xaa_0000, 0xcd_0000]),
        (Color::Magenta, [0xaa_00aa, 0xcd_00cd]),
        (Color::Blue, [0x00_00aa, 0x00_00ee]),
        (Color::Cyan, [0x00_aaaa, 0x00_cdcd]),
        (Color::LightRed, [0xff_5555, 0xff_0000]),
        (Color::LightGreen, [0x55_ff55, 0x00_ff00]),
        (Color::LightYellow, [0xff_ff55, 0xff_ff00]),
        (Color::LightMagenta, [0xff_55ff, 0xff_00ff]),
    ];

    /// A colour of the cube of six steps, or of the greys, that follow the 16.
    fn indexed(index: u8) -> u32 {
        const STEPS: [u32; 6] = [0, 95, 135, 175, 215, 255];
        match u32::from(index) {
            grey @ 232.. => (8 + 10 * (grey - 232)) * 0x01_0101,
            cube => [36, 6, 1]
                .map(|by| STEPS[((cube - 16) / by % 6) as usize])
                .into_iter()
                .fold(0, |sum, step| sum << 8 | step),
        }
    }

    /// What a colour may look like.
    fn looks(colour: Color) -> Vec<u32> {
        let of_name = |name: Color| NAMED.iter().find(|(known, _)| *known == name).unwrap().1;
        match colour {
            Color::Indexed(index) => vec![indexed(index)],
            Color::LightCyan => vec![0x55_ffff, 0x00_ffff],
            // The terminal's own.
            Color::Reset => Vec::new(),
            name => of_name(name).to_vec(),
        }
    }

    /// The contrast ratio of WCAG 2, from 1 to 21.
    fn contrast(one: u32, other: u32) -> f64 {
        let luminance = |colour: u32| -> f64 {
            let part = |shift: u32, weight: f64| {
                let part = f64::from(colour >> shift & 0xff) / 255.0;
                let linear = |it: f64| ((it + 0.055) / 1.055).powf(2.4);
                weight * if part <= 0.04045 { part / 12.92 } else { linear(part) }
            };
            part(16, 0.2126) + part(8, 0.7152) + part(0, 0.0722)
        };
        let (one, other) = (luminance(one) + 0.05, luminance(other) + 0.05);
        one.max(other) / one.min(other)
    }

    #[test]
    fn every_text_can_be_read_on_every_ground() {
        assert!((contrast(0, 0xff_ffff) - 21.0).abs() < 0.01);
        for (theme, pages, least) in [
            (Theme::Dark, &DARK[..], 4.5),
            (Theme::Light, &LIGHT, 4.5),
            (Theme::Contrast, &[0], 7.0),
        ] {
            for few in [false, true] {
                // A palette of 16 goes with black and white.
                let (pages, least) = if few { (&pages[..1], 4.5) } else { (pages, least) };
                let look = Look { theme, few, ..Look::default() };
                let grounds = [Style::new(), look.bar(), look.chosen(true), look.chosen(false)];
                let lit = [look.lit(), look.lit().patch(look.chosen(true))];
                let over = |ground: Style| {
                    Tone::VARIANTS
                        .iter()
                        .map(move |tone| look.page().patch(look.style(*tone)).patch(ground))
                };
                for style in grounds.into_iter().flat_map(over).chain(lit) {
                    let grounds = style.bg.map_or(pages.to_vec(), looks);
                    for text in style.fg.map_or(vec![], looks) {
                        for ground in &grounds {
                            let ratio = contrast(text, *ground);
                            assert!(ratio >= least, "{theme:?} {style:?} {ground:06x}: {ratio:.2}");
                        }
                    }
                    // What is not set is the terminal's own, on the terminal's own.
                    assert!(style.fg.is_some() || style.bg.is_none(), "{theme:?} {style:?}");
                }
            }
        }
    }
}
