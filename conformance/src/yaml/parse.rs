//! From text to a tree.

use serde_saphyr::granit_parser::{Event, Parser, ScalarStyle, Span};

use super::hint::hint;
use super::{Data, Diagnostic, Key, Node, Place, Source};

/// The deepest nesting that is read.
const DEEPEST: usize = 40;

/// A list or mapping whose end has not come.
enum Open {
    List(Place, Vec<Node>),
    Map(Place, Vec<(Key, Node)>, Option<Key>),
}

/// Reads a file that holds one YAML document.
///
/// # Errors
/// When it is not YAML, or uses what the suite's files have no use for: anchors, tags, several
/// documents.
pub(crate) fn parse(source: &Source) -> Result<Node, Diagnostic> {
    let mut stack: Vec<Open> = Vec::new();
    let mut root: Option<Node> = None;
    for item in Parser::new_from_str(source.text()) {
        let (event, span) = item.map_err(|error| {
            let place = place(error.marker().line(), error.marker().col());
            let (place, what) = hint(source, &error, place);
            source.diagnostic(place, what)
        })?;
        let at = start(&span);
        let wrong = |what: &str| source.diagnostic(at, what);
        if stack.len() > DEEPEST {
            return Err(wrong("this is nested too deeply"));
        }
        let done = match event {
            Event::Scalar(text, style, anchor, tag) => {
                if anchor != 0 || tag.is_some() {
                    return Err(wrong("anchors and tags have no use here: share steps by `use`"));
                }
                let text = text.into_owned();
                Node { place: at, data: scalar(text, style) }
            }
            Event::SequenceStart(_, anchor, tag) | Event::MappingStart(_, anchor, tag)
                if anchor != 0 || tag.is_some() =>
            {
                return Err(wrong("anchors and tags have no use here: share steps by `use`"));
            }
            Event::SequenceStart(..) => {
                stack.push(Open::List(at, Vec::new()));
                continue;
            }
            Event::MappingStart(..) => {
                stack.push(Open::Map(at, Vec::new(), None));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match stack.pop() {
                Some(Open::List(place, list)) => Node { place, data: Data::List(list) },
                Some(Open::Map(place, map, _)) => Node { place, data: Data::Map(map) },
                None => return Err(wrong("an end without a beginning")),
            },
            Event::Alias(_) => {
                return Err(wrong("aliases have no use here: share steps by `use`"));
            }
            Event::DocumentStart(..) if root.is_some() => {
                return Err(wrong("a second document begins: one file holds one"));
            }
            _ => continue,
        };
        match stack.last_mut() {
            None => root = Some(done),
            Some(Open::List(_, list)) => list.push(done),
            Some(Open::Map(_, map, key)) => match key.take() {
                Some(name) => map.push((name, done)),
                None => {
                    let Some(name) = done.text().map(str::to_owned) else {
                        return Err(source.diagnostic(done.place, "a key is a word"));
                    };
                    if map.iter().any(|(known, _)| known.name == name) {
                        let what = format!("the key `{name}` stands here a second time");
                        return Err(source.diagnostic(done.place, what));
                    }
                    *key = Some(Key { place: done.place, name });
                }
            },
        }
    }
    root.ok_or_else(|| source.diagnostic(Place { line: 1, column: 1 }, "the file is empty"))
}

fn scalar(text: String, style: ScalarStyle) -> Data {
    match style {
        ScalarStyle::Plain if text == "~" || text == "null" => Data::Plain(String::new()),
        ScalarStyle::Plain => Data::Plain(text),
        _ => Data::Quoted(text),
    }
}

fn start(span: &Span) -> Place {
    place(span.start.line(), span.start.col())
}

/// A place from a line that counts from 1 and a column that counts from 0.
fn place(line: usize, column: usize) -> Place {
    Place { line: line.max(1), column: column.saturating_add(1) }
}
