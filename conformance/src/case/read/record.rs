//! Arguments by the tables of the grammar.

use super::{Read, Reader};
use crate::case::grammar::{self, Entry, Key, Takes};
use crate::case::record::{Argument, Record};
use crate::yaml::{self, Node, Place};

impl Reader<'_> {
    /// The record that a mapping is, by a table. Keys of `more` are left to the caller.
    pub(in crate::case) fn record(
        &mut self,
        place: Place,
        entries: &[(yaml::Key, Node)],
        keys: &'static [Key],
        more: &[Key],
    ) -> Read<Record> {
        let mut record = Record::default();
        let mut good = true;
        for (key, node) in entries {
            if more.iter().any(|known| known.name == key.name) {
                continue;
            }
            let Some(known) = keys.iter().find(|known| known.name == key.name) else {
                let mut names = grammar::names(keys);
                names.extend(grammar::names(more));
                self.unknown(
                    key.place,
                    &format!("`{}` means nothing here", key.name),
                    &key.name,
                    &names,
                );
                good = false;
                continue;
            };
            match self.argument(known, node) {
                Ok(argument) => record.arguments.push((known.name, argument)),
                Err(_) => good = false,
            }
        }
        for key in keys.iter().filter(|key| key.needed) {
            if !entries.iter().any(|(known, _)| known.name == key.name) {
                self.tell(place, format!("the key `{}` is missing", key.name));
                good = false;
            }
        }
        if good { Ok(record) } else { Err(super::Told) }
    }

    /// The argument that a key takes.
    fn argument(&mut self, key: &Key, node: &Node) -> Read<Argument> {
        Ok(match key.takes {
            Takes::Number => Argument::Number(self.value(node)?),
            Takes::Flag => Argument::Flag(self.flag(node)?),
            Takes::Word(words) => Argument::Word(self.word(node, words)?),
            Takes::Words(words) => {
                let mut all = Vec::new();
                for element in self.list(node) {
                    all.push(self.word(&element, words)?);
                }
                Argument::Words(all)
            }
            Takes::Bytes => Argument::Bytes(self.bytes(node)?),
            Takes::Region => Argument::Region(self.region(node)?),
            Takes::Time => Argument::Time(self.time(node)?),
            Takes::Stream | Takes::Text | Takes::Texts | Takes::Own => {
                Argument::Stream(self.text(node, "this")?)
            }
        })
    }

    /// The entry of a table, by the one key of a mapping, with its arguments.
    pub(in crate::case) fn entry(
        &mut self,
        key: &yaml::Key,
        node: &Node,
        table: &'static [Entry],
        what: &str,
    ) -> Read<Record> {
        let Some(entry) = table.iter().find(|entry| entry.name == key.name) else {
            let names: Vec<&str> = table.iter().map(|entry| entry.name).collect();
            let what = format!("`{}` is no {what}", key.name);
            return Err(self.unknown(key.place, &what, &key.name, &names));
        };
        let map = self.map(node, &format!("`{}`", key.name))?;
        let mut record = self.record(key.place, &map, entry.keys, &[])?;
        record.name = entry.name;
        Ok(record)
    }
}
