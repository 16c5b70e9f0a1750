//! Layout files.

use super::header::{Announced, Field, Given, Kind, Layout, Shape, Size};
use super::{Carrier, Message, Payload, TerminateCode, UnknownField};
use crate::yaml;
use crate::yaml::{Diagnostic, Diagnostics, Node, Source};
use std::sync::Arc;

const LAYOUT: &[&str] = &["name", "section", "figure", "title", "within", "fields", "choose"];
const FIELD: &[&str] = &[
    "name", "short", "at", "width", "kind", "bytes", "fixed", "when", "values", "embed", "repeat",
];
const MESSAGE: &[&str] = &["name", "profile", "carrier", "is", "values", "payload", "split"];
const CODE: &[&str] = &["layer", "type", "type_number", "code", "name", "document", "section"];

/// Reads files one after the other, and gathers what is wrong with them.
#[derive(Default)]
pub(super) struct Loader {
    set: Layouts,
    wrong: Diagnostics,
}

/// What stopped the reading of an entry: it was reported.
struct Reported;

impl Loader {
    pub(super) fn done(self) -> Result<Layouts, Vec<Diagnostic>> {
        if self.wrong.is_empty() { Ok(self.set) } else { Err(self.wrong.sorted()) }
    }

    pub(super) fn file(&mut self, source: &Source) {
        let root = match yaml::parse(source) {
            Ok(root) => root,
            Err(diagnostic) => return self.wrong.push(diagnostic),
        };
        let mut file = File { source, loader: self };
        // What is wrong was told.
        let _ = file.root(&root);
    }
}

struct File<'a> {
    source: &'a Source,
    loader: &'a mut Loader,
}

impl File<'_> {
    fn root(&mut self, root: &Node) -> Result<(), Reported> {
        self.keys(root, &["document", "layouts", "messages", "codes"])?;
        for node in self.entries(root, "layouts")? {
            let document = self.text(root, "document")?;
            if let Ok(layout) = self.layout(&document, node) {
                self.loader.set.layouts.push(Arc::new(layout));
            }
        }
        for node in self.entries(root, "messages")? {
            if let Ok(message) = self.message(node) {
                self.loader.set.messages.push(message);
            }
        }
        for node in self.entries(root, "codes")? {
            if let Ok(code) = self.code(node) {
                self.loader.set.codes.push(code);
            }
        }
        Ok(())
    }

    fn wrong<T>(&mut self, node: &Node, what: impl Into<String>) -> Result<T, Reported> {
        self.loader.wrong.push(self.source.diagnostic(node.place, what));
        Err(Reported)
    }

    /// Checks that a node is a mapping with known keys.
    fn keys(&mut self, node: &Node, known: &[&str]) -> Result<(), Reported> {
        let Some(map) = node.map() else {
            return self.wrong(node, format!("keys belong here, not {}", node.kind()));
        };
        for (key, _) in map {
            if !known.contains(&key.name.as_str()) {
                let what = format!("`{}` means nothing here", key.name);
                let what = yaml::unknown(&what, &key.name, known);
                self.loader.wrong.push(self.source.diagnostic(key.place, what));
            }
        }
        Ok(())
    }

    /// The elements of a list that may be absent.
    fn entries<'n>(&mut self, node: &'n Node, key: &str) -> Result<&'n [Node], Reported> {
        match node.of(key) {
            None => Ok(&[]),
            Some(value) => match value.list() {
                Some(list) => Ok(list),
                None => self.wrong(value, format!("`{key}` is a list, not {}", value.kind())),
            },
        }
    }

    fn maybe_text(&mut self, node: &Node, key: &str) -> Result<Option<String>, Reported> {
        match node.of(key) {
            None => Ok(None),
            Some(value) => match value.text().filter(|text| !text.is_empty()) {
                Some(text) => Ok(Some(text.to_owned())),
                None => self.wrong(value, format!("`{key}` is a word, not {}", value.kind())),
            },
        }
    }

    fn text(&mut self, node: &Node, key: &str) -> Result<String, Reported> {
        match self.maybe_text(node, key)? {
            Some(text) => Ok(text),
            None => self.wrong(node, format!("the key `{key}` is missing")),
        }
    }

    fn maybe_number(&mut self, node: &Node, key: &str) -> Result<Option<u64>, Reported> {
        match node.of(key) {
            None => Ok(None),
            Some(value) => match value.number() {
                Some(number) => Ok(Some(number)),
                None => self.wrong(value, format!("`{key}` is a number")),
            },
        }
    }

    fn bits(&mut self, node: &Node, key: &str) -> Result<Option<usize>, Reported> {
        match self.maybe_number(node, key)? {
            Some(bits @ 0..=65536) => Ok(usize::try_from(bits).ok()),
            Some(_) => self.wrong(node, format!("`{key}` is a number of bits, at most 65536")),
            None => Ok(None),
        }
    }

    fn known_layout(&mut self, node: &Node, name: &str) -> Result<Arc<Layout>, Reported> {
        match self.loader.set.layouts.iter().find(|it| it.name == name) {
            Some(layout) => Ok(Arc::clone(layout)),
            None => {
                let known: Vec<&str> =
                    self.loader.set.layouts.iter().map(|it| it.name.as_str()).collect();
                let what = format!("there is no layout `{name}` in front of this");
                let what = yaml::unknown(&what, name, &known);
                self.wrong(node, what)
            }
        }
    }

    fn layout(&mut self, document: &str, node: &Node) -> Result<Layout, Reported> {
        self.keys(node, LAYOUT)?;
        let name = self.text(node, "name")?;
        if self.loader.set.layouts.iter().any(|it| it.name == name) {
            return self.wrong(node, format!("there is a layout `{name}` already"));
        }
        let shape = match node.of("choose") {
            Some(choose) => self.choose(choose)?,
            None => {
                let mut fields = Vec::new();
                for field in self.entries(node, "fields")? {
                    let field = self.field(field)?;
                    fields.push(field);
                }
                Shape::Fields(fields)
            }
        };
        Ok(Layout {
            name,
            document: document.to_owned(),
            section: self.text(node, "section")?,
            title: self.text(node, "title")?,
            within: self.maybe_text(node, "within")?,
            shape,
        })
    }

    fn choose(&mut self, node: &Node) -> Result<Shape, Reported> {
        self.keys(node, &["at", "width", "values"])?;
        let mut cases = Vec::new();
        for (key, value) in node.of("values").and_then(Node::map).unwrap_or_default() {
            let Some(number) = yaml::number(&key.name) else {
                return self.wrong(value, "a choice is made by a number");
            };
            let name = value.text().unwrap_or_default();
            cases.push((number, self.known_layout(value, name)?));
        }
        let at = self.bits(node, "at")?.unwrap_or(0);
        let Some(width @ 1..=64) = self.bits(node, "width")? else {
            return self.wrong(node, "a choice is made by 1 to 64 bits");
        };
        Ok(Shape::Choose { at, width, cases })
    }

    fn field(&mut self, node: &Node) -> Result<Field, Reported> {
        self.keys(node, FIELD)?;
        let kind = match self.maybe_text(node, "kind")?.as_deref() {
            Some("unsigned") | None => Kind::Unsigned,
            Some("flags") => Kind::Flags,
            Some("bytes") => Kind::Bytes,
            Some("reserved") => Kind::Reserved,
            Some(other) => {
                let known = ["unsigned", "flags", "bytes", "reserved"];
                let what = yaml::unknown(&format!("`{other}` is no kind"), other, &known);
                return self.wrong(node, what);
            }
        };
        let size = self.size(node, kind)?;
        let mut when = Vec::new();
        for condition in self.entries(node, "when")? {
            when.extend(self.numbers(condition)?);
        }
        let values = match node.of("values") {
            Some(values) => self.numbers(values)?,
            None => Vec::new(),
        };
        let field = Field {
            name: self.text(node, "name")?,
            short: self.maybe_text(node, "short")?,
            at: self.bits(node, "at")?,
            fixed: self.maybe_number(node, "fixed")?,
            size,
            kind,
            when,
            values,
        };
        let numbers = field.fixed.iter().chain(field.values.iter().map(|(_, number)| number));
        if let Some(number) = numbers.into_iter().find(|number| !field.holds(**number)) {
            let what = format!("{number:#x} does not fit into `{}`", field.name);
            return self.wrong(node, what);
        }
        Ok(field)
    }

    fn size(&mut self, node: &Node, kind: Kind) -> Result<Size, Reported> {
        if let Some(name) = self.maybe_text(node, "embed")? {
            return Ok(Size::Embed(self.known_layout(node, &name)?));
        }
        if let Some(repeat) = node.of("repeat") {
            self.keys(repeat, &["layout", "marked", "counted", "optional"])?;
            let name = self.text(repeat, "layout")?;
            let layout = self.known_layout(repeat, &name)?;
            let announced = match (repeat.of("marked"), repeat.of("counted")) {
                (Some(_), _) => Announced::Marked,
                (_, Some(_)) => Announced::Counted,
                _ => Announced::Optional,
            };
            return Ok(Size::Repeat(layout, announced));
        }
        if let Some(bytes) = node.of("bytes") {
            if bytes.text() == Some("rest") {
                return Ok(Size::Rest);
            }
            if let Some(from) = self.maybe_text(bytes, "from")? {
                return Ok(Size::From(from));
            }
            return match bytes.of("up_to").and_then(Node::number) {
                Some(unit @ 1..=4096) => Ok(Size::UpTo(usize::try_from(unit).unwrap_or(1))),
                _ => self.wrong(bytes, "`bytes` is rest, {from: field} or {up_to: unit}"),
            };
        }
        match self.bits(node, "width")? {
            Some(width) if kind == Kind::Bytes && width % 8 == 0 => Ok(Size::Bits(width)),
            Some(width @ 1..=64) if kind != Kind::Bytes => Ok(Size::Bits(width)),
            _ => self.wrong(node, "a field has 1 to 64 bits, or whole bytes"),
        }
    }

    fn numbers(&mut self, node: &Node) -> Result<Vec<(String, u64)>, Reported> {
        let mut numbers = Vec::new();
        for (key, value) in node.map().unwrap_or_default() {
            match value.number() {
                Some(number) => numbers.push((key.name.clone(), number)),
                None => return self.wrong(value, format!("`{}` is a number", key.name)),
            }
        }
        Ok(numbers)
    }

    fn message(&mut self, node: &Node) -> Result<Message, Reported> {
        self.keys(node, MESSAGE)?;
        let mut parts = Vec::new();
        for part in self.entries(node, "is")? {
            parts.push(self.known_layout(part, part.text().unwrap_or_default())?);
        }
        let mut message = Message {
            name: self.text(node, "name")?,
            profile: self.text(node, "profile")?,
            carrier: match self.maybe_text(node, "carrier")?.as_deref() {
                Some("stream") => Carrier::Stream,
                None | Some("fpdu") => Carrier::Fpdu,
                Some(_) => return self.wrong(node, "`carrier` is fpdu or stream"),
            },
            payload: match self.text(node, "payload")?.as_str() {
                "none" => Payload::None,
                "any" => Payload::Any,
                _ => return self.wrong(node, "`payload` is none or any"),
            },
            split: node.of("split").and_then(Node::truth).unwrap_or(false),
            parts,
            values: Vec::new(),
        };
        for (key, value) in node.of("values").and_then(Node::map).unwrap_or_default() {
            let field = match message.field(&key.name) {
                Ok(field) => field,
                Err(error) => return self.wrong(value, error.to_string()),
            };
            let given = match (value.number(), value.text()) {
                (Some(number), _) if field.holds(number) => Given::Number(number),
                (None, Some(text)) => Given::Bytes(text.as_bytes().to_vec()),
                _ => return self.wrong(value, format!("`{}` cannot be that", key.name)),
            };
            message.values.push((field.name.clone(), given));
        }
        Ok(message)
    }

    fn code(&mut self, node: &Node) -> Result<TerminateCode, Reported> {
        self.keys(node, CODE)?;
        let layer = self.text(node, "layer")?;
        let numbers = self.known_layout(node, "terminate")?;
        let numbers = numbers.find("layer").map(|field| field.values.clone()).unwrap_or_default();
        let Some((_, layer_number)) = numbers.iter().find(|(name, _)| *name == layer) else {
            return self.wrong(node, format!("`{layer}` is no layer"));
        };
        let code = match self.text(node, "code")?.as_str() {
            "any" => None,
            _ => self.maybe_number(node, "code")?,
        };
        Ok(TerminateCode {
            layer_number: *layer_number,
            layer,
            error_type: self.text(node, "type")?,
            error_type_number: self.maybe_number(node, "type_number")?.unwrap_or(0),
            code,
            name: self.text(node, "name")?,
            document: self.text(node, "document")?,
            section: self.text(node, "section")?,
        })
    }
}

/// The files that are built in, in the order in which they are read.
pub(super) const FILES: &[(&str, &str)] = &[
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
    /// Those that are built in.
    ///
    /// # Errors
    /// When a file is wrong, which tests rule out.
    pub fn builtin() -> Result<Self, Vec<Diagnostic>> {
        let files: Vec<Source> = FILES.iter().map(|(name, text)| Source::new(name, text)).collect();
        Self::read(&files)
    }

    /// Those of files; a file may use layouts of files in front of it.
    ///
    /// # Errors
    /// When a file is wrong: everything that is, with its place.
    pub fn read(files: &[Source]) -> Result<Self, Vec<Diagnostic>> {
        let mut loader = Loader::default();
        for file in files {
            loader.file(file);
        }
        loader.done()
    }
    /// The layout of that name.
    ///
    /// # Errors
    /// When there is none.
    pub fn layout(&self, name: &str) -> Result<&Layout, UnknownField> {
        let found = self.layouts.iter().find(|it| it.name == name).map(|it| &**it);
        found.ok_or_else(|| {
            let known = self.layouts.iter().map(|it| it.name.clone()).collect();
            UnknownField::new("the layouts", name, known)
        })
    }

    /// Every message.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The message of that name.
    pub fn message(&self, name: &str) -> Option<&Message> {
        self.messages.iter().find(|it| it.name == name)
    }

    /// What every Terminate code means.
    pub(crate) fn codes(&self) -> &[TerminateCode] {
        &self.codes
    }
}
