//! All layouts, messages and codes.

use std::sync::Arc;

use super::file::Loader;
use super::{Fields, Layout, Message, TerminateCode, UnknownField};
use crate::yaml::{Diagnostic, Source};

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

    /// Every layout.
    pub fn all(&self) -> impl Iterator<Item = &Layout> {
        self.layouts.iter().map(|layout| &**layout)
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
    pub fn codes(&self) -> &[TerminateCode] {
        &self.codes
    }

    /// The message that a segment is the first or only one of, and its fields: the one of the
    /// profiles, tried in their order, whose values the fields have. It has no fields of other
    /// messages that use the same opcode, as `rpc_over_rdma` does: ask [`Message::read`] for those.
    pub fn recognise(&self, segment: &[u8], profiles: &[&str]) -> Option<(&Message, Fields)> {
        profiles.iter().find_map(|profile| {
            self.messages.iter().filter(|it| it.profile == *profile).find_map(|message| {
                message.field("opcode").ok()?;
                let fields = message.read(segment).ok()?;
                message.is(&fields).then_some((message, fields))
            })
        })
    }
}
