//! What is known of files, for people.

use crate::table::{Cell, Column, Look, Table};
use crate::terminal::width;
use chrono::{DateTime, Local};
use owo_colors::OwoColorize as _;
use std::io::{self, Write};
use warpscope_dissector::format::push_shown;
use warpscope_nfs::client::ListedEntry;
use warpscope_nfs::{Attributes, FileType, Time};

/// Bits of a mode in the order in which they are shown.
const BITS: [char; 9] = ['r', 'w', 'x', 'r', 'w', 'x', 'r', 'w', 'x'];
/// Set-user-ID, set-group-ID and sticky: bit, place among [`BITS`], letter with x and without.
const SPECIAL: [(u32, usize, char, char); 3] =
    [(0o4000, 2, 's', 'S'), (0o2000, 5, 's', 'S'), (0o1000, 8, 't', 'T')];

/// A name as it can be shown.
pub(super) fn name(bytes: &[u8]) -> String {
    let mut shown = String::new();
    push_shown(&String::from_utf8_lossy(bytes), &mut shown);
    shown
}

/// Letters and words of a type.
fn kind(file_type: FileType) -> (char, &'static str) {
    match file_type {
        FileType::Regular => ('-', "regular file"),
        FileType::Directory => ('d', "folder"),
        FileType::BlockDevice => ('b', "block device"),
        FileType::CharacterDevice => ('c', "character device"),
        FileType::SymbolicLink => ('l', "symbolic link"),
        FileType::Socket => ('s', "socket"),
        FileType::NamedPipe => ('p', "named pipe"),
    }
}

/// `-rw-r--r--`.
fn mode(attributes: &Attributes) -> String {
    let set = |place: usize| attributes.mode & (0o400 >> place) != 0;
    let letter = |(place, letter): (usize, &char)| {
        let special = SPECIAL.iter().find(|it| it.1 == place && attributes.mode & it.0 != 0);
        match special {
            Some((_, _, with, without)) => {
                if set(place) {
                    *with
                } else {
                    *without
                }
            }
            None if set(place) => *letter,
            None => '-',
        }
    };
    let letters = BITS.iter().enumerate().map(letter);
    std::iter::once(kind(attributes.file_type).0).chain(letters).collect()
}

fn time(time: Time) -> String {
    DateTime::from_timestamp(time.seconds.into(), time.nanoseconds).map_or_else(
        || format!("{} s", time.seconds),
        |it| it.with_timezone(&Local).format("%Y-%m-%d %H:%M:%S").to_string(),
    )
}

/// Prints a folder's names, sorted.
///
/// # Errors
/// When the output failed.
pub(super) fn list(
    mut entries: Vec<ListedEntry>,
    long: bool,
    coloured: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    entries.sort_by(|one, other| one.name.cmp(&other.name));
    if !long {
        for entry in &entries {
            let name = name(&entry.name);
            let folder = entry.attributes.is_some_and(|it| it.file_type == FileType::Directory);
            match coloured && folder {
                true => writeln!(out, "{}", name.blue())?,
                false => writeln!(out, "{name}")?,
            }
        }
        return out.flush();
    }
    let columns = [
        Column::left("mode", 0),
        Column::right("links", 2),
        Column::right("user", 1),
        Column::right("group", 1),
        Column::right("size", 0),
        Column::left("modified", 0),
        Column::left("name", 0),
    ];
    let mut table = Table::new(0, columns);
    for entry in &entries {
        let of = |show: &dyn Fn(&Attributes) -> String| {
            Cell::from(entry.attributes.as_ref().map_or("?".to_owned(), show))
        };
        table.push(vec![
            of(&mode),
            of(&|it| it.links.to_string()),
            of(&|it| it.user.to_string()),
            of(&|it| it.group.to_string()),
            of(&|it| it.size.to_string()),
            of(&|it| time(it.modified)),
            Cell::from(name(&entry.name)),
        ]);
    }
    table.print(Look { coloured, width: width() }, out)?;
    out.flush()
}

/// Prints what is known of one object.
///
/// # Errors
/// When the output failed.
pub(super) fn attributes(
    path: &str,
    it: &Attributes,
    coloured: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let path = name(path.as_bytes());
    match coloured {
        true => writeln!(out, "{}", path.bold())?,
        false => writeln!(out, "{path}")?,
    }
    let lines = [
        ("type", kind(it.file_type).1.to_owned()),
        ("mode", format!("{:04o} {}", it.mode & 0o7777, mode(it))),
        ("size", it.size.to_string()),
        ("used", it.used.to_string()),
        ("links", it.links.to_string()),
        ("user", it.user.to_string()),
        ("group", it.group.to_string()),
        ("file ID", it.file_id.to_string()),
        ("file system", format!("{:#x}", it.file_system)),
        ("accessed", time(it.accessed)),
        ("modified", time(it.modified)),
        ("changed", time(it.changed)),
    ];
    for (name, value) in lines {
        writeln!(out, "  {name:11}  {value}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_read_as_ls_shows_them() {
        let shown =
            |file_type, bits| mode(&Attributes { file_type, mode: bits, ..Attributes::default() });
        assert_eq!(shown(FileType::Regular, 0o644), "-rw-r--r--");
        assert_eq!(shown(FileType::Directory, 0o1777), "drwxrwxrwt");
        assert_eq!(shown(FileType::Regular, 0o6750), "-rwsr-s---");
        assert_eq!(shown(FileType::SymbolicLink, 0o4000), "l--S------");
    }
}
