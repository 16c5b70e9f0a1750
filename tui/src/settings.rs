//! The settings file: theme, characters, times, columns, keys, and rules that colour the messages.

use crate::action::{self, Key, Keymap};
use crate::layout::{Share, View};
use crate::look::{Theme, Tone};
use crate::rules::{self, Rule};
pub use crate::state::Settings;
use crate::state::{Columns, Density, MESSAGE_COLUMNS, State, TimeDisplay};
use std::ops::Range;
use std::sync::Arc;
use strum::VariantArray as _;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use warpscope_dissector::field;
use warpscope_dissector::filter::Filter;
use warpscope_text::nearest;

/// An error in a settings file, with a suggestion.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {words}")]
pub struct SettingsError {
    /// The line, from 1.
    pub line: usize,
    /// The error in this line.
    pub words: String,
}

type Found<'a> = Spanned<DeValue<'a>>;

/// The text of the file, to find the lines of its parts.
struct Reader<'a>(&'a str);

impl Reader<'_> {
    fn error(&self, span: Range<usize>, words: impl Into<String>) -> SettingsError {
        let before = self.0.get(..span.start).unwrap_or(self.0);
        SettingsError { line: before.matches('\n').count() + 1, words: words.into() }
    }

    fn text<'v>(&self, value: &'v Found<'_>) -> Result<&'v str, SettingsError> {
        let words = "expected a quoted string";
        value.get_ref().as_str().ok_or_else(|| self.error(value.span(), words))
    }

    fn texts<'v>(
        &self,
        value: &'v Found<'_>,
    ) -> Result<Vec<(&'v str, Range<usize>)>, SettingsError> {
        let Some(list) = value.get_ref().as_array() else {
            return Ok(vec![(self.text(value)?, value.span())]);
        };
        list.iter().map(|value| Ok((self.text(value)?, value.span()))).collect()
    }

    /// Parses one of several names.
    fn one<T>(
        &self,
        (text, span): (&str, Range<usize>),
        names: &[&'static str],
        found: impl Fn(&str) -> Option<T>,
    ) -> Result<T, SettingsError> {
        found(text).ok_or_else(|| {
            let meant = match nearest(text, names.iter().copied()) {
                Some(name) => format!("did you mean {name}?"),
                None if names.len() > 20 => "`warpscope config` lists all".to_owned(),
                None => format!("there are {}", names.join(", ")),
            };
            self.error(span, format!("unknown name {text}; {meant}"))
        })
    }

    fn named<T: std::str::FromStr + 'static>(
        &self,
        value: &Found<'_>,
        names: &[&'static str],
    ) -> Result<T, SettingsError> {
        self.one((self.text(value)?, value.span()), names, |text| text.parse().ok())
    }
}

/// The names of the settings.
const NAMES: [&str; 10] = [
    "theme",
    "ascii",
    "view",
    "rows",
    "time",
    "columns",
    "list-share",
    "copy-command",
    "keys",
    "rules",
];
const RULE: [&str; 2] = ["filter", "tone"];

impl Settings {
    /// Parses a settings file; other settings keep their defaults.
    ///
    /// # Errors
    /// The first incorrect line, with a suggestion.
    pub fn parse(text: &str) -> Result<Self, SettingsError> {
        let (reader, mut settings) = (Reader(text), Self::default());
        let table = DeTable::parse(text)
            .map_err(|error| reader.error(error.span().unwrap_or_default(), error.message()))?;
        for (name, value) in table.get_ref() {
            match &**name.get_ref() {
                "theme" => {
                    let mut names = vec!["auto"];
                    names.extend(Theme::ALL.iter().map(|theme| theme.name()));
                    let find = |text: &str| match text {
                        "auto" => Some(None),
                        name => Theme::find(name).map(Some),
                    };
                    settings.theme =
                        reader.one((reader.text(value)?, value.span()), &names, find)?;
                }
                "ascii" => {
                    let wanted = || reader.error(value.span(), "expected true or false");
                    settings.ascii = Some(value.get_ref().as_bool().ok_or_else(wanted)?);
                }
                "view" => {
                    let names = View::ALL.iter().map(|view| view.name());
                    settings.view = Some(reader.named(value, &names.collect::<Vec<_>>())?);
                }
                "rows" => {
                    let names = Density::VARIANTS.iter().map(|it| (*it).into());
                    settings.rows = Some(reader.named(value, &names.collect::<Vec<_>>())?);
                }
                "time" => {
                    let names = TimeDisplay::VARIANTS.iter().map(|it| (*it).into());
                    settings.time = Some(reader.named(value, &names.collect::<Vec<_>>())?);
                }
                "columns" => {
                    let names = MESSAGE_COLUMNS.map(|(_, name, ..)| name);
                    let known = |text: &str| {
                        let known = names.contains(&text) || field::find(text).is_some();
                        known.then(|| text.to_owned())
                    };
                    let all: Vec<&str> =
                        names.into_iter().chain(field::all().map(|it| it.name)).collect();
                    let columns = reader.texts(value)?.into_iter();
                    let columns = columns.map(|column| reader.one(column, &all, known));
                    settings.columns = Some(columns.collect::<Result<_, _>>()?);
                }
                "list-share" => {
                    let number =
                        value.get_ref().as_integer().and_then(|it| it.as_str().parse().ok());
                    let number = number.filter(|number| Share::RANGE.contains(number));
                    let wanted =
                        || reader.error(value.span(), "expected 10 to 90, percent of the rows");
                    settings.list_share = Share(Some(number.ok_or_else(wanted)?));
                }
                "copy-command" => settings.copy_command = Some(reader.text(value)?.to_owned()),
                "keys" => settings.keymap = keymap(&reader, value)?,
                "rules" => settings.rules = read_rules(&reader, value)?,
                other => reader.one((other, name.span()), &NAMES, |_| None)?,
            }
        }
        Ok(settings)
    }

    /// Applies the settings; theme and characters only if flags and environment do not set them.
    pub fn apply(&self, state: &mut State, theme: bool, ascii: bool) {
        state.look.theme = self.theme.filter(|_| theme).unwrap_or(state.look.theme);
        state.look.ascii = self.ascii.filter(|_| ascii).unwrap_or(state.look.ascii);
        state.own_look.suited = self.theme.unwrap_or(state.own_look.suited);
        state.share = self.list_share;
        state.view = self.view.unwrap_or_default();
        state.messages.time = self.time.unwrap_or_default();
        state.messages.density = self.rows.unwrap_or_default();
        (state.keymap, state.rules) = (self.keymap.clone(), self.rules.clone());
        if let Some(columns) = &self.columns {
            state.messages.columns.recall(&columns.iter().map(String::as_str).collect::<Vec<_>>());
        }
        state.settings = self.clone();
    }

    /// Returns the default settings as a settings file in comments: lines that begin with `#` set nothing.
    pub fn defaults() -> String {
        let list = |texts: &[&str]| {
            let quoted: Vec<String> = texts.iter().map(|text| format!("{text:?}")).collect();
            quoted.join(", ")
        };
        let shown = MESSAGE_COLUMNS.iter().filter(|(.., shown)| *shown).map(|(_, name, ..)| *name);
        let tones: Vec<&str> = Tone::VARIANTS.iter().map(|tone| (*tone).into()).collect();
        let mut out = format!(
            "# What is set here applies to every session; anything else is remembered as you last chose it in the UI.\n\
             # Flags and NO_COLOR override both.\n\n\
             # Colours: auto (dark or light, to match the terminal's background), dark, light, contrast, none.\n\
             #theme = \"auto\"\n\
             # Draw with ASCII only.\n\
             #ascii = false\n\
             # The first screen: {}.\n\
             #view = \"flows\"\n\
             # Rows of the messages view without a filter: messages, iwarp (all frames with iWARP), frames (all).\n\
             #rows = \"messages\"\n\
             # Times of messages: relative (to the first frame or the reference), absolute (UTC), delta.\n\
             #time = \"relative\"\n\
             # Columns of the messages, from left to right; any field can be one.\n\
             #columns = [{}]\n\
             # Percentage of the rows for a list with something below it; if not set, it depends on the view.\n\
             #list-share = 50\n\
             # Copies go to this command's standard input; without a command, they go to the terminal.\n\
             #copy-command = \"xclip -selection clipboard\"\n\n\
             # Colours of messages without errors: the first rule whose filter matches. Rules set here replace\n\
             # all of these defaults. Tones: {}.\n",
            View::ALL.iter().map(|view| view.name()).collect::<Vec<_>>().join(", "),
            list(&shown.collect::<Vec<_>>()),
            tones.join(", "),
        );
        for (filter, tone) in rules::DEFAULTS {
            let tone: &str = tone.into();
            out += &format!("#[[rules]]\n#filter = {filter:?}\n#tone = {tone:?}\n");
        }
        out +=
            "\n# Keys of actions. A key set here is taken from the action that has it.\n#[keys]\n";
        for binding in action::all() {
            out += &format!("#{} = [{}] # {}\n", binding.name, list(binding.keys), binding.words);
        }
        out
    }
}

/// A current setting: its name, its value, and the origin of the value.
pub type InForce = (&'static str, String, &'static str);

const FROM_FILE: &str = "settings file";
const CHOSEN: &str = "set in the UI";
const DEFAULT: &str = "default";

/// Returns every current setting, in the order of the settings file; a list takes several rows.
pub fn in_force(state: &State) -> Vec<InForce> {
    let set = &state.settings;
    let names =
        |columns: &Columns| columns.shown().map(|it| it.name().to_owned()).collect::<Vec<_>>();
    let theme = match set.theme {
        _ if state.own_look.theme == Some(state.look.theme) => CHOSEN,
        Some(theme) if theme == state.look.theme => FROM_FILE,
        _ => "flag, NO_COLOR or the terminal's background",
    };
    let ascii = match set.ascii {
        _ if state.own_look.ascii == Some(state.look.ascii) => CHOSEN,
        Some(ascii) if ascii == state.look.ascii => FROM_FILE,
        _ => "flag or locale",
    };
    let columns = names(&state.messages.columns);
    let of_columns = match &set.columns {
        Some(given) if *given == columns => FROM_FILE,
        None if columns == names(&Columns::default()) => DEFAULT,
        _ => CHOSEN,
    };
    let share = state.share.0.map_or("depends on the view".to_owned(), |it| it.to_string());
    let copy = set.copy_command.clone();
    let from_file = |given: bool| if given { FROM_FILE } else { DEFAULT };
    let mut rows = vec![
        ("theme", state.look.theme.name().to_owned(), theme),
        ("ascii", state.look.ascii.to_string(), ascii),
        ("view", set.view.unwrap_or_default().name().to_owned(), from_file(set.view.is_some())),
        named("rows", set.rows, state.messages.density),
        named("time", set.time, state.messages.time),
        ("columns", columns.join(", "), of_columns),
        ("list-share", share, whence(set.list_share.0.map(Some), state.share.0)),
        (
            "copy-command",
            copy.unwrap_or("none: copies go to the terminal".to_owned()),
            if set.copy_command.is_some() { "flag or settings file" } else { DEFAULT },
        ),
    ];
    let own = |(binding, keys): &(&action::Binding, Vec<Key>)| {
        let keys: Vec<String> = keys.iter().map(Key::to_string).collect();
        ("keys", format!("{} = {}", binding.name, keys.join(" ")), FROM_FILE)
    };
    rows.extend(state.keymap.own().iter().map(own));
    if state.keymap.own().is_empty() {
        rows.push(("keys", "? shows them".to_owned(), DEFAULT));
    }
    let of_rules = from_file(state.rules != rules::defaults());
    rows.extend(state.rules.iter().map(|rule| {
        let tone: &str = rule.tone.into();
        ("rules", format!("{tone}: {}", rule.text), of_rules)
    }));
    rows
}

fn named<T: PartialEq + Default + Copy + Into<&'static str>>(
    name: &'static str,
    given: Option<T>,
    now: T,
) -> InForce {
    (name, now.into().to_owned(), whence(given, now))
}

fn whence<T: PartialEq + Default>(given: Option<T>, now: T) -> &'static str {
    match given {
        Some(given) if given == now => FROM_FILE,
        None if now == T::default() => DEFAULT,
        _ => CHOSEN,
    }
}

fn keymap(reader: &Reader<'_>, value: &Found<'_>) -> Result<Keymap, SettingsError> {
    let wanted = || reader.error(value.span(), "expected a table: [keys]");
    let table = value.get_ref().as_table().ok_or_else(wanted)?;
    let names: Vec<&str> = action::all().iter().map(|binding| binding.name).collect();
    let mut keymap = Keymap::default();
    for (name, value) in table {
        let find = |name: &str| action::all().iter().find(|binding| binding.name == name);
        let binding = reader.one((name.get_ref(), name.span()), &names, find)?;
        let mut keys = Vec::new();
        for (word, span) in reader.texts(value)? {
            let Some(key) = Key::parse(word) else {
                let words = format!("{word} is not a key; write j, Ctrl-d, PageDown, Space");
                return Err(reader.error(span, words));
            };
            if let Some(other) = keymap.taken(key, binding.scope) {
                let words = format!("{word} is bound to both {} and {}", other.name, binding.name);
                return Err(reader.error(span, words));
            }
            keys.push(key);
        }
        keymap.set(binding, keys);
    }
    Ok(keymap)
}

fn read_rules(reader: &Reader<'_>, value: &Found<'_>) -> Result<Arc<[Rule]>, SettingsError> {
    let wanted = |span| reader.error(span, "expected tables: [[rules]]");
    let list = value.get_ref().as_array().ok_or_else(|| wanted(value.span()))?;
    let mut rules = Vec::new();
    for value in list.iter() {
        let table = value.get_ref().as_table().ok_or_else(|| wanted(value.span()))?;
        let (mut filter, mut tone) = (None, None);
        for (name, value) in table {
            match &**name.get_ref() {
                "filter" => {
                    let text = reader.text(value)?;
                    let parsed = Filter::parse(text).map_err(|fault| {
                        reader.error(value.span(), format!("{text}: {}", fault.message))
                    })?;
                    filter = Some((text.to_owned(), parsed));
                }
                "tone" => {
                    let names: Vec<&str> =
                        Tone::VARIANTS.iter().map(|tone| (*tone).into()).collect();
                    tone = Some(reader.named(value, &names)?);
                }
                other => reader.one((other, name.span()), &RULE, |_| None)?,
            }
        }
        let (Some((text, filter)), Some(tone)) = (filter, tone) else {
            return Err(reader.error(value.span(), "a rule needs a filter and a tone"));
        };
        rules.push(Rule { text, filter, tone });
    }
    Ok(rules.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Action;
    use crate::layout::Pane;

    #[test]
    fn the_defaults_are_what_there_is_without_a_file() {
        let text = Settings::defaults();
        let nothing = Settings::parse(&text).unwrap();
        assert!(nothing.theme.is_none() && nothing.columns.is_none());
        assert_eq!(nothing.rules.len(), rules::DEFAULTS.len(), "every rule can be read");
        // What is set in comments is what there is.
        let set: String = text
            .lines()
            .map(|line| match line.strip_prefix('#') {
                Some(rest) if !rest.starts_with(' ') => format!("{rest}\n"),
                _ => format!("{line}\n"),
            })
            .collect();
        let set = Settings::parse(&set).unwrap();
        assert_eq!((set.theme, set.ascii), (None, Some(false)));
        assert_eq!(set.time, Some(TimeDisplay::Relative));
        assert_eq!(set.rules, nothing.rules);
        for binding in action::all() {
            let keys = |settings: &Settings| settings.keymap.keys(binding);
            assert_eq!(keys(&set), keys(&nothing), "{}", binding.name);
        }
    }

    #[test]
    fn a_file_sets_columns_keys_and_rules() {
        let text = "theme = 'light'\ncolumns = ['frame', 'iwarp_ddp.stag', 'info']\ntime = 'absolute'\n\
                    [keys]\ndown = ['n', 'Down']\nnext-found = 'Alt-n'\n\
                    [[rules]]\nfilter = 'tcp.stream == 3'\ntone = 'accent'\n";
        let settings = Settings::parse(text).unwrap();
        assert_eq!(
            (settings.theme, settings.time),
            (Some(Theme::Light), Some(TimeDisplay::Absolute))
        );
        assert_eq!(settings.columns.unwrap(), ["frame", "iwarp_ddp.stag", "info"]);
        assert_eq!((settings.rules.len(), settings.rules[0].tone), (1, Tone::Accent));
        let asked = |word: &str| {
            settings.keymap.action(Key::parse(word).unwrap(), View::Messages, Pane::List)
        };
        assert_eq!((asked("n"), asked("Alt-n")), (Some(Action::Down), Some(Action::NextFound)));
        assert_eq!(
            (asked("j"), asked("Down"), asked("k")),
            (None, Some(Action::Down), Some(Action::Up))
        );
    }

    #[test]
    fn a_wrong_line_is_named_with_what_may_be_meant() {
        for (text, line, words) in [
            ("\nthem = 'dark'", 2, "unknown name them; did you mean theme?"),
            ("theme = 'lihgt'", 1, "unknown name lihgt; did you mean light?"),
            ("ascii = 1", 1, "expected true or false"),
            ("list-share = 95", 1, "expected 10 to 90"),
            ("columns = [\n'frame',\n'iwarp_ddp.stagg']", 3, "did you mean iwarp_ddp.stag?"),
            ("[keys]\n\nsort = 'o'\ndwon = 'j'", 4, "unknown name dwon; did you mean down?"),
            ("[keys]\ndown = 'Hyper'", 2, "Hyper is not a key; write j, Ctrl-d, PageDown, Space"),
            ("[keys]\ndown = 'z'\nup = 'z'", 3, "z is bound to both down and up"),
            ("[[rules]]\nfilter = 'tcp.steam == 1'\ntone = 'bad'", 2, "tcp.steam"),
            ("[[rules]]\nfilter = 'tcp'\ntone = 'read'", 3, "unknown name read"),
            ("[[rules]]\nfilter = 'tcp'", 1, "a rule needs a filter and a tone"),
            ("theme = ", 1, ""),
        ] {
            let error = Settings::parse(text).unwrap_err();
            assert!(error.line == line && error.words.contains(words), "{text}: {error}");
        }
    }
}
