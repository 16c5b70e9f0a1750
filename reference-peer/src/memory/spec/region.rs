//! A region as it is described, and how it is made.

use super::parse::{number, optional_number, optional_text, text};
use super::{Fill, RegisterError, Scope, SpecError};
use crate::memory::file_store::zeros;
use crate::memory::{
    Accessor, Association, Base, FileStore, HashAlgorithm, Memory, MemoryError, OpenedFile,
    Registration, Rights, Store,
};
use serde::Deserialize;
use std::path::PathBuf;

/// The description of a region.
///
/// On a command line: `key=value` with commas between them; `\,` is a comma in a value, and `\\` a
/// backslash. `window=NAME:OFFSET:LENGTH[:RIGHTS[:SCOPE]]` may stand there more than once.
///
/// ```
/// use warpscope_peer::memory::{Base, RegionSpec};
///
/// let spec: RegionSpec = "name=log,size=64KiB,base=0x1000,window=head:0:512:read".parse()?;
/// assert_eq!((spec.size, spec.base), (Some(65536), Base::Address(0x1000)));
/// let error = "name=log,siez=64KiB".parse::<RegionSpec>().unwrap_err().to_string();
/// assert_eq!(error, "`siez` means nothing in a region; did you mean `size`?");
/// # Ok::<(), warpscope_peer::memory::SpecError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegionSpec {
    /// What it is called.
    pub name: String,
    /// Its length in bytes; without it, that of the file or the text.
    #[serde(default, deserialize_with = "optional_number")]
    pub size: Option<u64>,
    /// What a remote peer may do; without it, read and write.
    #[serde(default = "read_and_write", deserialize_with = "text")]
    pub rights: Rights,
    /// Where its Tagged Offsets begin; without it, at 0.
    #[serde(default, deserialize_with = "text")]
    pub base: Base,
    /// Which streams may use it; without it, shared.
    #[serde(default, deserialize_with = "text")]
    pub scope: Scope,
    /// The hash that a Verify computes; without it, CRC-32C.
    #[serde(default, deserialize_with = "text")]
    pub hash: HashAlgorithm,
    /// The file behind it.
    #[serde(default)]
    pub file: Option<PathBuf>,
    /// What it holds at first, unless a file has something.
    #[serde(default, deserialize_with = "text")]
    pub fill: Fill,
    /// Windows that are bound to it.
    #[serde(default)]
    pub windows: Vec<WindowSpec>,
}

/// The description of a window.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WindowSpec {
    /// What it is called.
    pub name: String,
    /// Bytes of the region before its first.
    #[serde(deserialize_with = "number")]
    pub offset: u64,
    /// Its length in bytes.
    #[serde(deserialize_with = "number")]
    pub length: u64,
    /// What a remote peer may do; without it, what it may with the region.
    #[serde(default, deserialize_with = "optional_text")]
    pub rights: Option<Rights>,
    /// Which streams may use it; without it, those of the region.
    #[serde(default, deserialize_with = "optional_text")]
    pub scope: Option<Scope>,
}

/// A region or window that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registered {
    /// What it is called.
    pub name: String,
    /// Its Steering Tag.
    pub steering_tag: u32,
    /// The Tagged Offset of its first byte.
    pub tagged_offset: u64,
    /// Its length in bytes.
    pub length: u64,
    /// What a remote peer may do.
    pub rights: Rights,
}

pub(super) fn read_and_write() -> Rights {
    Rights::READ | Rights::WRITE
}

impl RegionSpec {
    /// Finds what no single key shows.
    ///
    /// # Errors
    /// [`SpecError::Missing`] when nothing says how long the region is.
    pub fn check(&self) -> Result<(), SpecError> {
        let name = |key| SpecError::Missing { key, advice: "write name=NAME" };
        if self.name.is_empty() || self.windows.iter().any(|window| window.name.is_empty()) {
            return Err(name("name"));
        }
        if self.file.is_none() && self.length() == 0 {
            let advice = "write size=64KiB, fill=text:... or the file=PATH that holds the bytes";
            return Err(SpecError::Missing { key: "size", advice });
        }
        Ok(())
    }

    /// Finds a name that two regions or windows have.
    ///
    /// # Errors
    /// [`SpecError::SameName`].
    pub fn check_names<'a>(specs: impl IntoIterator<Item = &'a Self>) -> Result<(), SpecError> {
        let mut seen = std::collections::HashSet::new();
        for spec in specs {
            let windows = spec.windows.iter().map(|window| &window.name);
            if let Some(name) =
                std::iter::once(&spec.name).chain(windows).find(|it| !seen.insert(*it))
            {
                return Err(SpecError::SameName(name.clone()));
            }
        }
        Ok(())
    }

    /// Its length, if no file has it.
    fn length(&self) -> u64 {
        self.size.unwrap_or(match &self.fill {
            Fill::Text(text) => text.len() as u64,
            Fill::Zero | Fill::Pattern => 0,
        })
    }

    /// Makes the region and its windows for a stream, or, where the scope is not one stream's, for
    /// all of its Protection Domain; the region comes first.
    ///
    /// # Errors
    /// [`RegisterError`]; then nothing was made, but a file that was lengthened stays so.
    pub fn register(
        &self,
        memory: &mut Memory,
        accessor: Accessor,
    ) -> Result<Vec<Registered>, RegisterError> {
        let named = || self.name.clone();
        self.check().map_err(|error| RegisterError::Spec(named(), error))?;
        let registration = Registration {
            base: self.base,
            rights: self.rights,
            association: association(self.scope, accessor),
            hash: self.hash,
        };
        let (bytes, store) = self.contents()?;
        let length = bytes.len() as u64;
        let made = match store {
            Some(store) => memory.register_stored(bytes, Box::new(store), registration),
            None => memory.register(bytes, registration),
        };
        let region = made.map_err(|error| RegisterError::Memory(named(), error))?;
        let mut all = vec![registered(&self.name, region, length, &registration)];
        for window in &self.windows {
            match self.bind(memory, region, window, accessor) {
                Ok(bound) => all.push(bound),
                Err(error) => {
                    for made in all.iter().rev() {
                        // They were made just now, windows last.
                        let _ = memory.deregister(made.steering_tag);
                    }
                    return Err(RegisterError::Memory(named(), error));
                }
            }
        }
        Ok(all)
    }

    fn contents(&self) -> Result<(Vec<u8>, Option<FileStore>), RegisterError> {
        let named = || self.name.clone();
        let Some(path) = &self.file else {
            let length = self.length();
            let none = || RegisterError::NoMemory(named(), length);
            let mut bytes = zeros(length).ok_or_else(none)?;
            self.fill.fill(&mut bytes);
            return Ok((bytes, None));
        };
        let length = Some(self.length()).filter(|length| *length > 0);
        let opened = FileStore::open(path, length);
        let OpenedFile { mut store, mut bytes, made } =
            opened.map_err(|error| RegisterError::File(named(), error))?;
        if made && self.fill != Fill::Zero {
            self.fill.fill(&mut bytes);
            store.save(&bytes).map_err(|error| RegisterError::Fill(named(), error))?;
        }
        Ok((bytes, Some(store)))
    }

    fn bind(
        &self,
        memory: &mut Memory,
        region: u32,
        window: &WindowSpec,
        accessor: Accessor,
    ) -> Result<Registered, MemoryError> {
        let registration = Registration {
            base: match self.base {
                Base::Zero => Base::Zero,
                Base::Address(address) => Base::Address(address.wrapping_add(window.offset)),
            },
            rights: window.rights.unwrap_or(self.rights),
            association: association(window.scope.unwrap_or(self.scope), accessor),
            hash: self.hash,
        };
        let tag = memory.bind_window(region, window.offset, window.length, registration)?;
        Ok(registered(&window.name, tag, window.length, &registration))
    }
}

fn association(scope: Scope, accessor: Accessor) -> Association {
    match scope {
        Scope::Stream => Association::Stream(accessor.stream),
        Scope::ProtectionDomain(domain) => Association::ProtectionDomain(domain),
        Scope::Shared => Association::ProtectionDomain(accessor.protection_domain),
    }
}

fn registered(name: &str, tag: u32, length: u64, registration: &Registration) -> Registered {
    Registered {
        name: name.to_owned(),
        steering_tag: tag,
        tagged_offset: registration.base.tagged_offset(),
        length,
        rights: registration.rights,
    }
}
