//! What is done with files.

use super::line::{Line, LineError};
use super::{copy, show};
use crate::cli::NfsCommand;
use crate::failure::{OutputError, complain};
use crate::terminal::standard_output;
use anyhow::{Result, anyhow};
use std::io::Write as _;
use std::process::ExitCode;
use warpscope_nfs::Status;
use warpscope_nfs::client::{Files, FilesError, ResultError};

pub(super) type Mounted<'a> = Files<&'a mut Line>;
type Error = FilesError<LineError>;

/// What can be done about a status.
const ADVICE: &[(Status, &str)] = &[
    (Status::NOENT, "ls shows what there is"),
    (Status::ACCES, "ask who runs the server for the right, or name another --user"),
    (Status::PERM, "ask who runs the server for the right, or name another --user"),
    (Status::ROFS, "the server was told to let nothing be changed"),
    (Status::NOTEMPTY, "remove what is in it first"),
    (Status::EXIST, "remove it first, or take another name"),
    (Status::ISDIR, "name a file in it; rmdir removes a folder"),
    (Status::NOTDIR, "only folders have names below them, and symbolic links are not followed"),
    (Status::INVAL, "a symbolic link is not followed: readlink says where it goes"),
    (Status::STALE, "it was removed meanwhile; try again"),
    (Status::NOSPC, "make room on the server"),
    (Status::DQUOT, "make room on the server"),
    (Status::JUKEBOX, "try again later"),
];

/// The error with what was tried, and what can be done.
pub(super) fn explained(what: &str, error: &Error) -> anyhow::Error {
    let advice = match error {
        FilesError::Result(ResultError::Failed(status)) => {
            ADVICE.iter().find(|(known, _)| known == status).map(|(_, advice)| *advice)
        }
        _ => None,
    };
    match advice {
        Some(advice) => anyhow!("{what}: {error}; {advice}"),
        None => anyhow!("{what}: {error}"),
    }
}

/// Does one command.
///
/// # Errors
/// When nothing of it could be done.
pub(super) fn run(files: &mut Mounted<'_>, command: &NfsCommand) -> Result<ExitCode> {
    let failed = |what: &str| {
        let what = what.to_owned();
        move |error: Error| explained(&what, &error)
    };
    match command {
        NfsCommand::Ls { long, path } => {
            let entries = files.list(path.as_bytes()).map_err(failed(path))?;
            let (mut out, coloured) = standard_output();
            show::list(entries, *long, coloured, &mut *out).map_err(OutputError)?;
        }
        // Done without a mount.
        NfsCommand::Null { .. } => {}
        NfsCommand::Get { remote, local } => copy::get(files, remote, local.as_deref())?,
        NfsCommand::Put { local, remote } => copy::put(files, local, remote.as_deref())?,
        NfsCommand::Mkdir { paths } => {
            return each(paths, |path| files.make_directory(path.as_bytes()));
        }
        NfsCommand::Rm { paths } => return each(paths, |path| files.remove(path.as_bytes())),
        NfsCommand::Rmdir { paths } => {
            return each(paths, |path| files.remove_directory(path.as_bytes()));
        }
        NfsCommand::Mv { from, to } => {
            files.rename(from.as_bytes(), to.as_bytes()).map_err(failed(from))?;
        }
        NfsCommand::Ln { symbolic: true, target, path } => {
            files.make_link(path.as_bytes(), target.as_bytes()).map_err(failed(path))?;
        }
        NfsCommand::Ln { symbolic: false, target, path } => {
            files.link(target.as_bytes(), path.as_bytes()).map_err(failed(path))?;
        }
        NfsCommand::Readlink { paths } => {
            let (mut out, _) = standard_output();
            let code = each(paths, |path| {
                let target = files.read_link(path.as_bytes())?;
                Ok(writeln!(out, "{}", show::name(&target))?)
            })?;
            out.flush().map_err(OutputError)?;
            return Ok(code);
        }
        NfsCommand::Stat { paths } => {
            let (mut out, coloured) = standard_output();
            let code = each(paths, |path| {
                let attributes = files.attributes(path.as_bytes())?;
                Ok(show::attributes(path, &attributes, coloured, &mut *out)?)
            })?;
            out.flush().map_err(OutputError)?;
            return Ok(code);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Does the same to each path; those that fail are told of.
fn each(paths: &[String], mut act: impl FnMut(&str) -> Result<(), Error>) -> Result<ExitCode> {
    let mut failures = 0;
    for path in paths {
        match act(path) {
            Ok(()) => {}
            // Nothing more can be asked, or told.
            Err(error @ FilesError::Session(_)) => return Err(explained(path, &error)),
            Err(FilesError::Local(error)) => return Err(OutputError(error).into()),
            Err(error) => {
                complain(&explained(path, &error).to_string());
                failures += 1;
            }
        }
    }
    Ok(match failures {
        0 => ExitCode::SUCCESS,
        all if all == paths.len() => ExitCode::from(2),
        _ => ExitCode::FAILURE,
    })
}
