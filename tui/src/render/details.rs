//! The details of the selected operation or call, below its list.

use crate::index::{CallRow, ChunkRow, ListedChunk, OperationRow};
use crate::look::Tone;
use crate::state::State;
use crate::text::{TextLine, piece};
use warpscope_dissector::format::span;
use warpscope_dissector::operation::OperationKind;
use warpscope_text::{counted, wrap};

/// Returns an operation's details: the frames of request and response, and their text if it is only its own.
pub(super) fn operation(state: &State, row: &OperationRow, columns: usize) -> Vec<TextLine> {
    let capture = &state.capture;
    let of_frame = |frame: u32| {
        let own =
            |it: &&OperationRow| it.flow == row.flow && [it.frame, it.answer].contains(&frame);
        capture.operations.iter().filter(own).count()
    };
    let others = of_frame(row.frame).saturating_sub(1) as u64;
    let [request, answer] = row.segments.map(|count| counted(count.into(), "segment"));
    let mut lines = Vec::new();
    let name = if row.kind.answered() { "request" } else { "message" };
    if row.frame != 0 {
        let mut words = format!("{}, {request}", frames(row.first, row.frame));
        if others > 0 {
            words += &format!(", with {} in the same frame", counted(others, "other operation"));
        }
        lines.push(named(name, words));
    }
    if row.answer != 0 {
        let mut words = format!("{}, {answer}", frames(row.answer_first, row.answer));
        if row.latency >= 0 {
            words += &format!(", {} after the request", span(Some(row.latency)));
        }
        if row.first_byte >= 0 && row.answer_first != row.answer {
            words += &format!(", the first byte after {}", span(Some(row.first_byte)));
        }
        lines.push(named("answer", words));
    }
    if row.steering_tag != 0 {
        let bytes = counted(row.bytes, "byte");
        let (tag, offset) = (row.steering_tag, row.tagged_offset);
        lines.push(named("memory", format!("STag {tag:#010x}, TO {offset:#x}, {bytes}")));
    }
    if let Some(pause) = row.pause {
        lines.push(named("pause", format!("{} {}", span(Some(pause.length)), pause.words())));
    }
    if row.repeated > 0 {
        let words =
            format!("{} sent again in its direction meanwhile", counted(row.repeated, "byte"));
        lines.push(named("again", words));
    }
    let own = [row.frame, row.answer].into_iter().filter(|frame| of_frame(*frame) == 1);
    lines.extend(own.flat_map(|frame| frame_info(state, frame, columns)));
    lines
}

/// Returns the details of a call: its request, the parts of its time, and the text of its messages.
pub(super) fn call(state: &State, row: &CallRow, columns: usize) -> Vec<TextLine> {
    let asked = [row.frame, row.completed].into_iter().find_map(|frame| {
        let rpc = &state.messages.lines.get(&frame)?.line.rpc;
        rpc.iter().find(|(xid, _)| *xid == row.xid).map(|(_, words)| words.as_str())
    });
    // The name of a file is not in the message that requests its bytes.
    let named = !row.object.is_empty() && asked.is_none_or(|words| !words.contains(&*row.object));
    let about = named.then(|| format!("{} {}", row.name, row.object));
    let both = about.as_deref().into_iter().chain(asked);
    let wrapped = both.flat_map(|words| wrap(words, columns));
    let mut lines: Vec<TextLine> = wrapped.map(|line| vec![piece(Tone::Strong, line)]).collect();
    let used = state.capture.chunks_of(row);
    lines.extend(times(state, row, &used).into_iter().flatten());
    lines.extend(chunks(&used));
    let frames = [row.frame, row.answer].into_iter();
    lines.extend(frames.flat_map(|frame| frame_info(state, frame, columns)));
    lines
}

/// Returns the parts of a call's time: until its data began to move, while it moved, until the reply. None
/// without chunks, or if a frame is unknown.
fn times(state: &State, row: &CallRow, chunks: &[ChunkRow]) -> Option<[TextLine; 3]> {
    let capture = &state.capture;
    let time = |frame: u32| capture.frames.find(frame)?.time();
    let (first, last) = (chunks.first()?.first, chunks.iter().map(|chunk| chunk.last).max()?);
    // A Read begins with its request.
    let asks = |it: &&OperationRow| {
        it.flow == row.flow
            && it.kind == OperationKind::Read
            && (row.frame..=first).contains(&it.frame)
            && (first..=last).contains(&it.answer)
            && chunks.iter().any(|chunk| chunk.steering_tag == it.steering_tag)
    };
    let ask = capture.operations.iter().filter(asks).map(|it| it.frame).min();
    let (begin, what) = ask.map_or((first, "the data"), |frame| (frame, "the Read Request"));
    let [called, begun, moved, replied] = [row.frame, begin, last, row.answer].map(time);
    let took = |from: i64, to: i64| span(Some(to.saturating_sub(from)));
    let (called, begun, moved, replied) = (called?, begun?, moved?, replied?);
    Some([
        named("waiting", format!("{} until {what} in frame {begin}", took(called, begun))),
        named("data", format!("{}, {}", took(begun, moved), frames(begin, last))),
        named("reply", format!("{} later, frame {}", took(moved, replied), row.answer)),
    ])
}

/// The most chunks of a call with a line.
const CHUNKS: usize = 8;

/// Lists the memory that a call offered and that was used.
fn chunks(chunks: &[ChunkRow]) -> Vec<TextLine> {
    let mut lines: Vec<TextLine> = Vec::new();
    for chunk in chunks.iter().take(CHUNKS) {
        let frames = frames(chunk.first, chunk.last);
        let handle = chunk.steering_tag;
        lines.push(match chunk.listed {
            Some(ListedChunk { name, offset, length, moved }) => {
                let bytes = counted(length.into(), "byte");
                let bytes = match u64::from(length) == moved {
                    true => bytes,
                    false => format!("{moved} of {bytes}"),
                };
                let words = format!("handle {handle:#010x}, offset {offset:#x}, {bytes}, {frames}");
                named(name, words)
            }
            None => named("memory", format!("STag {handle:#010x}, {frames}")),
        });
    }
    let more = chunks.len().saturating_sub(CHUNKS) as u64;
    if more > 0 {
        lines.push(named("", format!("and {}", counted(more, "other chunk"))));
    }
    lines
}

fn named(name: &str, words: String) -> TextLine {
    vec![piece(Tone::Dim, format!("{name:<8} ")), piece(Tone::Plain, words)]
}

fn frames(first: u32, last: u32) -> String {
    match first {
        0 => format!("frame {last}"),
        first if first == last => format!("frame {last}"),
        first => format!("frames {first} to {last}"),
    }
}

fn frame_info(state: &State, frame: u32, columns: usize) -> Vec<TextLine> {
    let Some(row) = state.messages.lines.get(&frame) else { return Vec::new() };
    let tone = if row.line.alarm { Tone::Bad } else { Tone::Plain };
    let words = wrap(&format!("frame {frame}: {}", row.line.info), columns).into_iter();
    words.map(|line| vec![piece(tone, line)]).collect()
}
