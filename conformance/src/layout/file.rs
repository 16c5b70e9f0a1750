//! Layout files.

use super::header::{Announced, Field, Given, Kind, Layout, Shape, Size};
use super::{Carrier, Message, TerminateCode, UnknownField};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use warpscope_yaml::{Entries, Place, Placed, YamlError};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default, rename = "document")]
    _document: String,
    #[serde(default)]
    layouts: Vec<LayoutEntry>,
    #[serde(default)]
    messages: Vec<MessageEntry>,
    #[serde(default)]
    codes: Vec<TerminateCode>,
}

#[derive(Deserialize)]
struct LayoutEntry {
    name: Placed<String>,
    title: String,
    within: Option<String>,
    #[serde(default)]
    fields: Vec<FieldEntry>,
    choose: Option<Choose>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Choose {
    at: usize,
    width: usize,
    values: BTreeMap<u64, Placed<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FieldEntry {
    name: Placed<String>,
    short: Option<String>,
    at: Option<usize>,
    width: Option<usize>,
    #[serde(default)]
    kind: Kind,
    bytes: Option<ByteCount>,
    fixed: Option<u64>,
    #[serde(default)]
    when: Vec<BTreeMap<String, u64>>,
    #[serde(default)]
    values: Entries<u64>,
    embed: Option<Placed<String>>,
    repeat: Option<Repeat>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum ByteCount {
    Rest,
    From(String),
    UpTo(usize),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Repeat {
    layout: Placed<String>,
    announced: Announced,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MessageEntry {
    name: String,
    profile: String,
    #[serde(default)]
    carrier: Carrier,
    is: Vec<Placed<String>>,
    #[serde(default)]
    values: Entries<Usual>,
    #[serde(default)]
    split: bool,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Usual {
    Number(u64),
    Text(String),
}

/// Reads a file, which may use the layouts of the files before it.
struct Reader<'a> {
    file: &'a Path,
    set: &'a mut Layouts,
}

impl Reader<'_> {
    fn read(&mut self, text: &str) -> Result<(), YamlError> {
        let file: File = warpscope_yaml::read(self.file, text)?;
        for entry in file.layouts {
            let layout = self.layout(entry)?;
            self.set.layouts.push(Arc::new(layout));
        }
        for entry in file.messages {
            let message = self.message(entry)?;
            self.set.messages.push(message);
        }
        let terminate = self.set.layouts.iter().find(|it| it.name == "terminate");
        let layers = terminate.and_then(|it| it.find("layer")).map_or(&[][..], |it| &it.values);
        for mut code in file.codes {
            let layer = layers.iter().find(|(name, _)| *name == code.layer);
            code.layer_number = layer.map_or(u64::MAX, |(_, number)| *number);
            self.set.codes.push(code);
        }
        Ok(())
    }

    fn wrong(&self, place: Place, what: impl Into<String>) -> YamlError {
        YamlError::new(self.file, place, what)
    }

    fn known(&self, name: &Placed<String>) -> Result<Arc<Layout>, YamlError> {
        let found = self.set.layouts.iter().find(|it| it.name == name.value).cloned();
        let what = || format!("no earlier layout has the name `{}`", name.value);
        found.ok_or_else(|| self.wrong(name.place, what()))
    }

    fn layout(&self, entry: LayoutEntry) -> Result<Layout, YamlError> {
        let shape = match entry.choose {
            Some(Choose { at, width, values }) => {
                let cases = values.iter().map(|(number, name)| Ok((*number, self.known(name)?)));
                Shape::Choose { at, width, cases: cases.collect::<Result<_, _>>()? }
            }
            None => {
                let fields = entry.fields.into_iter().map(|field| self.field(field));
                Shape::Fields(fields.collect::<Result<_, _>>()?)
            }
        };
        Ok(Layout { name: entry.name.value, title: entry.title, within: entry.within, shape })
    }

    fn field(&self, entry: FieldEntry) -> Result<Field, YamlError> {
        let size = match (entry.embed, entry.repeat, entry.bytes, entry.width) {
            (Some(name), None, None, None) => Size::Embed(self.known(&name)?),
            (None, Some(repeat), None, None) => {
                Size::Repeat(self.known(&repeat.layout)?, repeat.announced)
            }
            (None, None, Some(ByteCount::Rest), None) => Size::Rest,
            (None, None, Some(ByteCount::From(field)), None) => Size::From(field),
            (None, None, Some(ByteCount::UpTo(unit)), None) => Size::UpTo(unit),
            (None, None, None, Some(width)) if entry.kind == Kind::Bytes && width % 8 == 0 => {
                Size::Bits(width)
            }
            (None, None, None, Some(width @ 1..=64)) if entry.kind != Kind::Bytes => {
                Size::Bits(width)
            }
            _ => {
                let what = "a field has 1 to 64 bits, whole bytes, or another layout";
                return Err(self.wrong(entry.name.place, what));
            }
        };
        let field = Field {
            name: entry.name.value,
            short: entry.short,
            at: entry.at,
            size,
            kind: entry.kind,
            fixed: entry.fixed,
            when: entry.when.into_iter().flatten().collect(),
            values: entry.values.0.into_iter().map(|(name, it)| (name.value, it)).collect(),
        };
        let mut numbers = field.fixed.iter().chain(field.values.iter().map(|(_, number)| number));
        if let Some(number) = numbers.find(|number| !field.holds(**number)) {
            let what = format!("{number:#x} does not fit into `{}`", field.name);
            return Err(self.wrong(entry.name.place, what));
        }
        Ok(field)
    }

    fn message(&self, entry: MessageEntry) -> Result<Message, YamlError> {
        let mut message = Message {
            name: entry.name,
            profile: entry.profile,
            carrier: entry.carrier,
            split: entry.split,
            parts: entry.is.iter().map(|name| self.known(name)).collect::<Result<_, _>>()?,
            values: Vec::new(),
        };
        for (name, value) in entry.values.0 {
            let field = message
                .field(&name.value)
                .map_err(|error| self.wrong(name.place, error.to_string()))?;
            let given = match value {
                Usual::Number(number) if field.holds(number) => Given::Number(number),
                Usual::Text(text) => Given::Bytes(text.into_bytes()),
                Usual::Number(_) => {
                    let what = format!("`{}` cannot have that type", name.value);
                    return Err(self.wrong(name.place, what));
                }
            };
            let name = field.name.clone();
            message.values.push((name, given));
        }
        Ok(message)
    }
}

/// The built-in files, in the order in which they are read.
const FILES: &[(&str, &str)] = &[
    ("layouts/rfc5044.yaml", include_str!("../../layouts/rfc5044.yaml")),
    ("layouts/rfc6581.yaml", include_str!("../../layouts/rfc6581.yaml")),
    ("layouts/rfc5041.yaml", include_str!("../../layouts/rfc5041.yaml")),
    ("layouts/rfc5040.yaml", include_str!("../../layouts/rfc5040.yaml")),
    ("layouts/rfc7306.yaml", include_str!("../../layouts/rfc7306.yaml")),
    ("layouts/extv2.yaml", include_str!("../../layouts/extv2.yaml")),
    ("layouts/commit.yaml", include_str!("../../layouts/commit.yaml")),
    ("layouts/rfc8166.yaml", include_str!("../../layouts/rfc8166.yaml")),
    ("layouts/rfc5531.yaml", include_str!("../../layouts/rfc5531.yaml")),
    ("layouts/rfc1813.yaml", include_str!("../../layouts/rfc1813.yaml")),
    ("layouts/rfc8797.yaml", include_str!("../../layouts/rfc8797.yaml")),
    ("layouts/rfc8881.yaml", include_str!("../../layouts/rfc8881.yaml")),
    ("layouts/messages.yaml", include_str!("../../layouts/messages.yaml")),
    ("layouts/terminate-codes.yaml", include_str!("../../layouts/terminate-codes.yaml")),
];

/// All layouts, messages and codes.
#[derive(Clone, Debug, Default)]
pub struct Layouts {
    pub(super) layouts: Vec<Arc<Layout>>,
    pub(super) messages: Vec<Message>,
    pub(super) codes: Vec<TerminateCode>,
}

impl Layouts {
    /// Returns the built-in layouts.
    ///
    /// # Errors
    /// Fails if a file is wrong, which tests rule out.
    pub fn builtin() -> Result<Self, YamlError> {
        let mut set = Self::default();
        for (name, text) in FILES {
            Reader { file: Path::new(name), set: &mut set }.read(text)?;
        }
        Ok(set)
    }

    /// Returns the layout with this name.
    ///
    /// # Errors
    /// Fails if there is none.
    pub fn layout(&self, name: &str) -> Result<&Layout, UnknownField> {
        let found = self.layouts.iter().find(|it| it.name == name).map(|it| &**it);
        found.ok_or_else(|| {
            let known = self.layouts.iter().map(|it| it.name.clone()).collect();
            UnknownField::new("the layouts", name, known)
        })
    }

    /// Returns all messages.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Returns the message with this name.
    pub fn message(&self, name: &str) -> Option<&Message> {
        self.messages.iter().find(|it| it.name == name)
    }

    /// Returns the meanings of all Terminate codes.
    pub(crate) fn codes(&self) -> &[TerminateCode] {
        &self.codes
    }
}
