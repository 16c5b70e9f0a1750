//! As much of connection tracking as relative numbers need.

use std::collections::HashMap;
use warpscope_dissector::flow::{TcpContext, WindowScale};
use warpscope_dissector::link::{Endpoint, TcpOption, TcpOptions, TcpSegment};

#[derive(Default, Clone, Copy)]
struct Direction {
    base: Option<u32>,
    /// What the SYN said about the scale.
    scale: Option<Option<u8>>,
}

struct Stream {
    number: u32,
    directions: [Direction; 2],
    first_time: i64,
    last_time: i64,
}

#[derive(Default)]
pub struct Streams {
    known: HashMap<(Endpoint, Endpoint), Stream>,
    count: u32,
}

impl Streams {
    pub fn context(&mut self, segment: &TcpSegment<'_>, time: i64) -> TcpContext {
        let swapped = segment.source > segment.destination;
        let (low, high) = if swapped {
            (segment.destination, segment.source)
        } else {
            (segment.source, segment.destination)
        };
        let mine = usize::from(swapped);
        let opens = segment.flags.syn() && !segment.flags.ack();
        if let Some(stream) = self.known.get(&(low, high))
            && opens
            && stream.directions[mine].base.is_some_and(|base| base != segment.sequence_number)
        {
            self.known.remove(&(low, high));
        }
        let count = &mut self.count;
        let stream = self.known.entry((low, high)).or_insert_with(|| {
            *count += 1;
            Stream {
                number: *count - 1,
                directions: Default::default(),
                first_time: time,
                last_time: time,
            }
        });
        let syn = segment.flags.syn();
        let first = segment.sequence_number.wrapping_sub(u32::from(!syn));
        let base = *stream.directions[mine].base.get_or_insert(first);
        let mut other = stream.directions[1 - mine].base;
        if segment.flags.ack() && other.is_none() {
            other = Some(segment.acknowledgment_number.wrapping_sub(1));
            stream.directions[1 - mine].base = other;
        }
        if syn {
            let mut options = TcpOptions::new(segment.options());
            let scale = options.find(|option| option.kind == TcpOption::WINDOW_SCALE);
            stream.directions[mine].scale =
                Some(scale.and_then(|option| option.bytes.get(2).copied()));
        }
        let window_scale = match (stream.directions[mine].scale, stream.directions[1 - mine].scale)
        {
            (None, _) => WindowScale::Unknown,
            (Some(None), _) | (_, Some(None)) => WindowScale::NotUsed,
            (Some(Some(shift)), _) => WindowScale::Shift(shift),
        };
        let context = TcpContext {
            stream: stream.number,
            relative_sequence: segment.sequence_number.wrapping_sub(base),
            relative_acknowledgment: segment.acknowledgment_number.wrapping_sub(other.unwrap_or(0)),
            window_scale,
            time_relative: Some(time - stream.first_time),
            time_delta: Some(time - stream.last_time),
        };
        stream.last_time = time;
        context
    }
}
