//! Expectations about a capture: `NAME.expect.yaml`, read and checked.

use super::observed::{Expected, FieldExpectation, MAPS, NUMBERS, Observed, is_kind, kinds};
use serde::Deserialize;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;
use warpscope_dissector::field::{self};
use warpscope_dissector::pipeline;
use warpscope_wire::rdmap::Profile;
use warpscope_yaml::{Entries, Placed, YamlError, read, unknown};

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    capture: Option<Placed<String>>,
    #[serde(default)]
    options: OptionsOfFile,
    #[serde(default)]
    counts: CountsOfFile,
    findings: Option<Entries<Placed<u64>>>,
    #[serde(default)]
    waived: Entries<Placed<String>>,
    #[serde(default)]
    fields: Entries<Entries<Expected>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct OptionsOfFile {
    profile: Option<Placed<String>>,
    #[serde(default)]
    ports: Entries<Placed<String>>,
}

type Number = Option<Placed<u64>>;
type Map = Option<Entries<Placed<u64>>>;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct CountsOfFile {
    frames: Number,
    connections: Number,
    setup_frames: Number,
    fpdus: Number,
    without_header: Number,
    crc: Map,
    segments: Map,
    messages: Map,
    rpc_over_rdma: Map,
    rpc: Map,
    skipped_bytes: Map,
}

/// What is expected of a capture. What the file leaves out is not compared.
#[derive(Debug, Default)]
pub struct Expectations {
    /// The name of the capture's file.
    pub capture: Option<Placed<String>>,
    /// How the capture must be decoded.
    pub options: pipeline::Options,
    /// The expected ones of [`NUMBERS`].
    pub numbers: Vec<(&'static str, Placed<u64>)>,
    /// The expected ones of [`MAPS`]; each names all its kinds.
    pub maps: Vec<(&'static str, Entries<Placed<u64>>)>,
    /// How often each rule finds something; `None` if findings are not compared.
    pub findings: Option<Entries<Placed<u64>>>,
    /// The rules whose findings are accepted, and why.
    pub waived: Entries<Placed<String>>,
    /// The values that fields must have.
    pub fields: Vec<FieldExpectation>,
}

impl Expectations {
    /// Parses the text of a file.
    ///
    /// # Errors
    /// Fails if it is not YAML, or names something that does not exist, with file, line and column.
    pub fn read(file: &Path, text: &str) -> Result<Self, YamlError> {
        // A file with only comments expects nothing.
        let written =
            text.lines().any(|line| !line.trim_start().starts_with('#') && !line.trim().is_empty());
        let read: File = if written { read(file, text)? } else { File::default() };
        let CountsOfFile { frames, connections, setup_frames, fpdus, without_header, .. } =
            read.counts;
        let CountsOfFile { crc, segments, messages, rpc_over_rdma, rpc, skipped_bytes, .. } =
            read.counts;
        let numbers = [frames, connections, setup_frames, fpdus, without_header];
        let maps = [crc, segments, messages, rpc_over_rdma, rpc, skipped_bytes];
        let maps: Vec<_> =
            MAPS.into_iter().zip(maps).filter_map(|(name, map)| Some((name, map?))).collect();
        for (name, map) in &maps {
            check_kinds(file, name, map)?;
        }
        Ok(Self {
            capture: read.capture,
            options: options(file, &read.options)?,
            numbers: NUMBERS
                .into_iter()
                .zip(numbers)
                .filter_map(|(name, number)| Some((name, number?)))
                .collect(),
            maps,
            findings: read.findings,
            waived: read.waived,
            fields: fields(file, read.fields)?,
        })
    }

    /// Whether what is written by hand is the same: everything but counts and findings.
    pub fn same_by_hand(&self, other: &Self) -> bool {
        let capture = |it: &Self| it.capture.as_ref().map(|named| named.value.clone());
        let waived = |it: &Self| -> Vec<[String; 2]> {
            let entries = it.waived.0.iter();
            entries.map(|(rule, reason)| [rule.value.clone(), reason.value.clone()]).collect()
        };
        let fields = |it: &Self| -> Vec<(u64, &'static str, Expected)> {
            let fields = it.fields.iter();
            fields.map(|field| (field.frame, field.field.name, field.values.clone())).collect()
        };
        capture(self) == capture(other)
            && self.options.profile == other.options.profile
            && self.options.ports == other.options.ports
            && waived(self) == waived(other)
            && fields(self) == fields(other)
    }
}

fn check_kinds(file: &Path, name: &str, map: &Entries<Placed<u64>>) -> Result<(), YamlError> {
    let wrong = map.0.iter().find(|(kind, _)| !is_kind(name, &kind.value));
    match wrong {
        Some((kind, _)) => {
            Err(YamlError::new(file, kind.place, unknown(&kind.value, &kinds(name))))
        }
        None => Ok(()),
    }
}

fn options(file: &Path, options: &OptionsOfFile) -> Result<pipeline::Options, YamlError> {
    let mut profile = Profile::ALL;
    if let Some(named) = &options.profile {
        let names: Vec<&str> = Profile::NAMES.iter().map(|(name, _)| *name).collect();
        profile = Profile::by_name(&named.value)
            .ok_or_else(|| YamlError::new(file, named.place, unknown(&named.value, &names)))?;
    }
    let mut ports = HashMap::new();
    for (port, protocol) in &options.ports.0 {
        let number: u16 = port.value.parse().map_err(|_| {
            let message = format!("`{}` is not a port: use a number from 0 to 65535", port.value);
            YamlError::new(file, port.place, message)
        })?;
        let iwarp = match protocol.value.as_str() {
            "iwarp" => true,
            "data" => false,
            other => {
                let message = unknown(other, &["iwarp", "data"]);
                return Err(YamlError::new(file, protocol.place, message));
            }
        };
        ports.insert(number, iwarp);
    }
    Ok(pipeline::Options { profile, ports, analysis: true, ..Default::default() })
}

fn fields(
    file: &Path,
    frames: Entries<Entries<Expected>>,
) -> Result<Vec<FieldExpectation>, YamlError> {
    let mut found = Vec::new();
    for (frame, fields) in frames.0 {
        let number = frame.value.parse().ok().filter(|number| *number > 0).ok_or_else(|| {
            let message = format!("`{}` is not a frame: use a number from 1", frame.value);
            YamlError::new(file, frame.place, message)
        })?;
        for (name, values) in fields.0 {
            let place = name.place;
            let field = field::find(&name.value).ok_or_else(|| {
                let advice = match field::nearest(&name.value) {
                    Some(known) => format!("did you mean `{known}`?"),
                    None => "`warpscope fields` lists them".to_owned(),
                };
                YamlError::new(file, place, format!("`{}` is not a field; {advice}", name.value))
            })?;
            values.check(field).map_err(|message| YamlError::new(file, place, message))?;
            found.push(FieldExpectation { frame: number, field, place, values });
        }
    }
    Ok(found)
}

// The text of `NAME.expect.yaml`: newly written, or with new counts and findings and everything else
// unchanged.

const HEAD: &str = "\
# What `warpscope replay` expects of this capture. What is left out is not compared; a kind that a
# count does not name is expected not to occur. `--bless` writes counts and findings anew, and keeps
# the comments and what is written by hand: options, waived, fields.
";

/// Returns the text for a capture without a file.
pub fn fresh(capture: &str, observed: &Observed) -> String {
    let mut text = format!("{HEAD}capture: {}\n", plain(capture));
    for block in [counts(None, observed), findings(None, observed)] {
        for line in block {
            line.push_to(&mut text, &Comments::default());
        }
    }
    text
}

/// Returns the text with its counts and findings brought up to date. Counts that it leaves out are not added,
/// but if it has no counts, all are added.
pub fn updated(text: &str, expectations: &Expectations, observed: &Observed) -> String {
    let mut out = String::new();
    let mut seen_counts = false;
    let blocks = blocks(text);
    for block in &blocks {
        let lines = match block.key {
            "counts" => {
                seen_counts = true;
                counts(Some(expectations), observed)
            }
            "findings" => findings(Some(expectations), observed),
            _ => {
                block.lines.iter().for_each(|line| push_line(&mut out, line));
                continue;
            }
        };
        let comments = Comments::of(&block.lines);
        for line in lines {
            line.push_to(&mut out, &comments);
        }
        comments.last.iter().for_each(|line| push_line(&mut out, line));
    }
    if !seen_counts {
        let lines = counts(None, observed).into_iter();
        let lines: Vec<Line> = if expectations.findings.is_none() {
            lines.chain(findings(None, observed)).collect()
        } else {
            lines.collect()
        };
        lines.iter().for_each(|line| line.push_to(&mut out, &Comments::default()));
    }
    out
}

fn push_line(out: &mut String, line: &str) {
    out.push_str(line);
    out.push('\n');
}

/// A line of a block: the location of its key, the key as written, and the value.
struct Line {
    path: String,
    depth: usize,
    key: String,
    value: String,
}

impl Line {
    fn new(parent: &str, depth: usize, key: &str, value: impl ToString) -> Self {
        let path = if parent.is_empty() { key.to_owned() } else { format!("{parent}.{key}") };
        Self { path, depth, key: plain(key), value: value.to_string() }
    }

    /// Writes the line with the comments before and after its key.
    fn push_to(&self, out: &mut String, comments: &Comments) {
        for line in comments.before.get(&self.path).into_iter().flatten() {
            push_line(out, line);
        }
        let indent = " ".repeat(self.depth * 2);
        let space = if self.value.is_empty() { "" } else { " " };
        let written = write!(out, "{indent}{}:{space}{}", self.key, self.value);
        debug_assert!(written.is_ok());
        if let Some(comment) = comments.behind.get(&self.path) {
            out.push_str("  ");
            out.push_str(comment);
        }
        out.push('\n');
    }
}

/// Writes a map of counts below a key; `{}` if it is empty.
fn map<'k>(
    parent: &str,
    depth: usize,
    key: &str,
    counts: impl IntoIterator<Item = (&'k str, u64)>,
    lines: &mut Vec<Line>,
) {
    let head = lines.len();
    lines.push(Line::new(parent, depth, key, ""));
    let path = if parent.is_empty() { key.to_owned() } else { format!("{parent}.{key}") };
    for (kind, count) in counts {
        lines.push(Line::new(&path, depth + 1, kind, count));
    }
    if lines.len() == head + 1
        && let Some(line) = lines.last_mut()
    {
        "{}".clone_into(&mut line.value);
    }
}

fn counts(expectations: Option<&Expectations>, observed: &Observed) -> Vec<Line> {
    let chosen = expectations
        .filter(|expectations| !expectations.numbers.is_empty() || !expectations.maps.is_empty());
    let counts = &observed.counts;
    let mut lines = vec![Line::new("", 0, "counts", "")];
    for name in NUMBERS {
        let wanted = match chosen {
            Some(chosen) => chosen.numbers.iter().any(|(known, _)| *known == name),
            // Rare enough to be left out if it is 0.
            None => name != "without_header" || counts.number(name) > 0,
        };
        if wanted {
            lines.push(Line::new("counts", 1, name, counts.number(name)));
        }
    }
    for name in MAPS {
        let wanted = match chosen {
            Some(chosen) => chosen.maps.iter().any(|(known, _)| *known == name),
            None => true,
        };
        if wanted {
            map("counts", 1, name, counts.map(name), &mut lines);
        }
    }
    lines
}

fn findings(expectations: Option<&Expectations>, observed: &Observed) -> Vec<Line> {
    let counted = observed.findings.iter().filter(|(rule, _)| {
        expectations.is_none_or(|expectations| {
            let counted = expectations.findings.as_ref();
            expectations.waived.of(rule).is_none()
                || counted.is_some_and(|counted| counted.of(rule).is_some())
        })
    });
    let mut lines = Vec::new();
    let counted = counted.map(|(rule, count)| (rule.as_str(), *count));
    map("", 0, "findings", counted, &mut lines);
    lines
}

/// Returns a key or text in the form for YAML, in quotes if necessary.
fn plain(text: &str) -> String {
    let simple = text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || " _-.,/()+".contains(c))
        && !text.ends_with(' ')
        && !["true", "false", "null", "yes", "no", "on", "off"].contains(&text);
    if simple {
        return text.to_owned();
    }
    let escaped: String = text
        .chars()
        .flat_map(|character| match character {
            '"' | '\\' => vec!['\\', character],
            character if character.is_control() => character.escape_unicode().collect(),
            character => vec![character],
        })
        .collect();
    format!("\"{escaped}\"")
}

/// What may be around a key.
const QUOTES: [char; 2] = ['"', '\''];

/// A section of the file: its key and its lines, starting with the comments above it.
struct Block<'t> {
    key: &'t str,
    lines: Vec<&'t str>,
}

/// Returns the sections of a file, in order. The text before the first key belongs to none.
fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut waiting: Vec<&str> = Vec::new();
    for line in text.lines() {
        let top = line.starts_with(|first: char| first.is_alphabetic() || QUOTES.contains(&first));
        if top {
            let key = line.split(':').next().unwrap_or("").trim().trim_matches(QUOTES);
            let mut lines = std::mem::take(&mut waiting);
            lines.push(line);
            blocks.push(Block { key, lines });
        } else if line.trim().is_empty() || line.starts_with('#') || blocks.is_empty() {
            // It may belong to the next section.
            waiting.push(line);
        } else if let Some(block) = blocks.last_mut() {
            block.lines.append(&mut waiting);
            block.lines.push(line);
        }
    }
    match blocks.last_mut() {
        Some(block) => block.lines.append(&mut waiting),
        None => blocks.push(Block { key: "", lines: waiting }),
    }
    blocks
}

/// The comments of a section, by the key that they belong to.
#[derive(Default)]
struct Comments {
    /// The lines above the key.
    before: HashMap<String, Vec<String>>,
    /// The comment after the key's value.
    behind: HashMap<String, String>,
    /// The lines below the last key.
    last: Vec<String>,
}

impl Comments {
    fn of(lines: &[&str]) -> Self {
        let mut comments = Self::default();
        let mut open: Vec<(usize, String)> = Vec::new();
        for line in lines {
            let trimmed = line.trim_start();
            if trimmed.is_empty() || trimmed.starts_with('#') {
                comments.last.push((*line).to_owned());
                continue;
            }
            let indent = line.len() - trimmed.len();
            let Some(key) = trimmed.split(':').next() else { continue };
            let key = key.trim().trim_matches(QUOTES);
            while open.last().is_some_and(|(above, _)| *above >= indent) {
                open.pop();
            }
            let path = match open.last() {
                Some((_, parent)) => format!("{parent}.{key}"),
                None => key.to_owned(),
            };
            if !comments.last.is_empty() {
                comments.before.insert(path.clone(), std::mem::take(&mut comments.last));
            }
            if let Some(place) = comment(trimmed) {
                let behind = trimmed.get(place..).unwrap_or("").to_owned();
                comments.behind.insert(path.clone(), behind);
            }
            open.push((indent, path));
        }
        comments
    }
}

/// Returns where the comment after a value begins.
fn comment(line: &str) -> Option<usize> {
    let mut quote = None;
    let mut before = ' ';
    for (place, character) in line.char_indices() {
        match (quote, character) {
            (None, '#') if before.is_whitespace() => return Some(place),
            (None, '"' | '\'') => quote = Some(character),
            (Some(open), _) if open == character && before != '\\' => quote = None,
            _ => {}
        }
        before = character;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn expectations_without_any_byte_are_read_or_told_with_a_place() {
        let texts = [
            include_str!("../../traces/captures/c4-mpav2-client-mpav1-server.expect.yaml"),
            include_str!("../../traces/captures/e1-terminate-stock.expect.yaml"),
        ];
        for text in texts {
            let read = |text: &str| Expectations::read(Path::new("a.yaml"), text);
            assert!(!read(text).unwrap().numbers.is_empty());
            warpscope_traces::without_each_byte(text, |cut| {
                read(cut).err().map(|error| error.to_string())
            });
        }
    }

    fn observed() -> Observed {
        let mut observed = Observed::default();
        let numbers = [("frames", 10), ("connections", 1), ("setup_frames", 2), ("fpdus", 3)];
        observed.counts.numbers = numbers.into_iter().collect();
        let messages = [("Send".to_owned(), 2), ("Read Request".to_owned(), 1)];
        observed.counts.maps.insert("messages", messages.into_iter().collect());
        observed
    }

    fn update(text: &str) -> String {
        let expectations = Expectations::read(Path::new("a"), text).unwrap();
        updated(text, &expectations, &observed())
    }

    #[test]
    fn a_fresh_text_expects_what_was_found_and_is_stable() {
        let text = fresh("a b#.pcap", &observed());
        assert!(text.ends_with(
            "capture: \"a b#.pcap\"\ncounts:\n  frames: 10\n  connections: 1\n  setup_frames: 2\n  \
             fpdus: 3\n  crc: {}\n  segments: {}\n  messages:\n    Read Request: 1\n    Send: 2\n  \
             rpc_over_rdma: {}\n  rpc: {}\n  skipped_bytes: {}\nfindings: {}\n"
        ));
        assert_eq!(update(&text), text);
    }

    #[test]
    fn comments_choices_and_handwritten_sections_are_kept() {
        let old = "\
# Head.

capture: c.pcap # the file
options:
  profile: rfc5040   # not all

# Counted by hand.
counts:
  frames: 9 # with the ARP
  # Only these.
  messages:
    # Sends first.
    Send: 7  # \"two\"
    Write: 1 # gone
  # The end.

fields:
  4: {iwarp_mpa.rev: 1} # as RFC 5044 has it
# Tail.
";
        let new = old
            .replace("frames: 9 #", "frames: 10  #")
            .replace(
                "    # Sends first.\n    Send: 7  #",
                "    Read Request: 1\n    # Sends first.\n    Send: 2  #",
            )
            .replace("    Write: 1 # gone\n", "");
        assert_eq!(update(old), new);
        assert_eq!(update(&new), new);
    }

    #[test]
    fn a_text_without_counts_gets_them() {
        let new = update("# Nothing yet.\nfields: {}\n");
        assert!(new.starts_with("# Nothing yet.\nfields: {}\ncounts:\n  frames: 10\n"), "{new}");
        assert!(new.ends_with("findings: {}\n"));
        assert_eq!(update(&new), new);
        let flow = update("counts: {frames: 1, fpdus: 2}\n");
        assert_eq!(flow, "counts:\n  frames: 10\n  fpdus: 3\n");
    }
}
