//! `--files`: what NFS wrote to files and read from them, and a manifest.

use super::content::Content;
use super::manifest;
use crate::cli::ExportArguments;
use crate::decoding;
use crate::decoding::Decoding;
use crate::failure::{OutputError, ReadError, report};
use crate::terminal::Progress;
use anyhow::{Context as _, Result, bail};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use warpscope_dissector::nfs_transfer::{Collector, FileKey, Named, Transferred, Way};
use warpscope_dissector::pipeline::Pipeline;

/// The most files that are told apart.
const FILES: usize = 10_000;
/// The most names of a file that are kept.
const NAMES: usize = 16;

/// A file as far as it was seen.
#[derive(Debug, Default)]
pub(super) struct Moved {
    /// Its place in the manifest, from 1.
    pub(super) number: usize,
    /// The names that it was found by.
    pub(super) names: BTreeSet<String>,
    /// What was written.
    pub(super) written: Option<Content>,
    /// Bytes of that without a reply that confirms them.
    pub(super) unconfirmed: u64,
    /// What was read.
    pub(super) read: Option<Content>,
}

/// The files of the captures.
#[derive(Debug)]
pub(super) struct Files {
    folder: PathBuf,
    pub(super) files: BTreeMap<FileKey, Moved>,
    /// Bytes of files beyond those that are told apart.
    pub(super) beyond: u64,
    failed: Option<std::io::Error>,
}

/// Writes the files that the captures hold.
///
/// # Errors
/// When the folder cannot be used, nothing could be read, or the output failed.
pub(super) fn run(arguments: &ExportArguments, folder: &Path) -> Result<ExitCode> {
    let decoding = Decoding::new(&arguments.decoding)?;
    make(folder)?;
    let files =
        Files { folder: folder.to_owned(), files: BTreeMap::new(), beyond: 0, failed: None };
    let files = RefCell::new(files);
    let (mut code, mut read_any) = (ExitCode::SUCCESS, false);
    for capture in &arguments.captures {
        let opened = match decoding::open(capture) {
            Ok(opened) => opened,
            Err(error) => {
                code = report(&ReadError::from(error).into());
                continue;
            }
        };
        read_any = true;
        let (mut reader, bytes) = opened;
        let mut pipeline = Pipeline::new(decoding.pipeline.clone());
        let mut collector = Collector::new(
            |transferred: &Transferred<'_>| files.borrow_mut().transferred(transferred),
            |named: &Named<'_>| files.borrow_mut().named(named),
        );
        let progress = Progress::of_silence(bytes);
        let mut frames = 0;
        loop {
            match reader.next_frame() {
                Ok(Some(frame)) => pipeline.frame(&frame, &mut collector),
                Ok(None) => break,
                Err(error) => {
                    code = report(&ReadError::from(error).into());
                    break;
                }
            }
            frames += 1;
            progress.at(frames, || reader.bytes_read());
        }
        progress.clear();
        pipeline.finish(&mut collector);
        collector.finish();
    }
    let mut files = files.into_inner();
    if let Some(error) = files.failed.take() {
        return Err(OutputError(error).into());
    }
    if !read_any {
        return Ok(code);
    }
    manifest::write(&mut files, &arguments.captures, &folder.join("manifest.json"))?;
    let partly = code != ExitCode::SUCCESS;
    Ok(if partly { ExitCode::from(super::run::PARTLY) } else { code })
}

/// Makes the folder; one with something in it is refused, so that nothing is written over.
fn make(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| {
        format!("cannot make the folder {}: check its place and permissions", folder.display())
    })?;
    let mut entries = fs::read_dir(folder)
        .with_context(|| format!("cannot read the folder {}", folder.display()))?;
    if entries.next().is_some() {
        bail!("the folder {} is not empty: name another, or empty it", folder.display());
    }
    Ok(())
}

impl Files {
    fn file(&mut self, key: &FileKey) -> Option<&mut Moved> {
        if !self.files.contains_key(key) {
            if self.files.len() >= FILES {
                return None;
            }
            let number = self.files.len() + 1;
            self.files.insert(key.clone(), Moved { number, ..Moved::default() });
        }
        self.files.get_mut(key)
    }

    fn named(&mut self, named: &Named<'_>) {
        if let Some(file) = self.file(named.file).filter(|file| file.names.len() < NAMES) {
            file.names.insert(named.name.to_owned());
        }
    }

    fn transferred(&mut self, transferred: &Transferred<'_>) {
        if self.failed.is_some() {
            return;
        }
        if let Err(error) = self.put(transferred) {
            self.failed = Some(error);
        }
    }

    fn put(&mut self, transferred: &Transferred<'_>) -> std::io::Result<()> {
        let folder = self.folder.clone();
        let hash = transferred.file.hash();
        let bytes = transferred.bytes.len() as u64;
        let Some(file) = self.file(transferred.file) else {
            self.beyond += bytes;
            return Ok(());
        };
        let (content, word) = match transferred.way {
            Way::Written { confirmed } => {
                file.unconfirmed += if confirmed { 0 } else { bytes };
                (&mut file.written, "written")
            }
            Way::Read => (&mut file.read, "read"),
        };
        // Names from the wire are in the manifest alone: no path is made of them.
        let name = format!("{:04}-{hash:08x}.{word}", file.number);
        let content = match content {
            Some(content) => content,
            none => none.insert(Content::create(&folder, name)?),
        };
        content.put(transferred.offset, transferred.bytes)
    }
}
