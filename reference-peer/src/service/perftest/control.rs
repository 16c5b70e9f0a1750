//! A client's control stream.

use super::destination::Destination;
use crate::memory::{Registration, Rights};
use crate::streams::Streams;
use crate::work::{Operation, RemoteBuffer, WorkRequest};
use std::time::Duration;

/// The longest message that is answered, in bytes.
const LONGEST: usize = 256;
/// Receives that are posted: a client sends one message and waits.
const RECEIVES: usize = 4;
/// Where the Tagged Offsets of the region begin.
const BASE: u64 = 0x10000;
/// How long a client that is through may take to close.
const PATIENCE: Duration = Duration::from_secs(1);

/// A control stream.
#[derive(Debug)]
pub(super) struct Control {
    region: RemoteBuffer,
    /// The memory that the client names for each queue pair.
    pub(super) buffers: Vec<RemoteBuffer>,
    /// Whether messages of data or results came: then the next destination says that it is over.
    pub(super) used: bool,
    /// When the data streams are closed, if the client does not do so first.
    pub(super) due: Option<Duration>,
}

impl Control {
    /// Registers the memory that the client reads and writes.
    pub(super) fn begin(streams: &mut Streams, number: u64, room: usize) -> Result<Self, String> {
        for _ in 0..RECEIVES {
            receive(streams, number)?;
        }
        let domain = streams.config(number).map(|config| config.accessor.protection_domain);
        let registration = Registration::shared(
            domain.unwrap_or_default(),
            Rights::READ | Rights::WRITE | Rights::ATOMIC,
        );
        let region = streams.memory().register(vec![0; room], registration.based_at(BASE));
        let steering_tag = region.map_err(|error| error.to_string())?;
        let region = RemoteBuffer { steering_tag, tagged_offset: BASE };
        Ok(Self { region, buffers: Vec::new(), used: false, due: None })
    }

    /// A message came: it is answered by one of the same length.
    pub(super) fn message(
        &mut self,
        streams: &mut Streams,
        number: u64,
        bytes: &[u8],
    ) -> Result<(), String> {
        receive(streams, number)?;
        self.due = None;
        let answer = match Destination::parse(bytes) {
            Some(theirs) => {
                if let Some(buffer) = theirs.buffer().filter(|it| !self.buffers.contains(it)) {
                    self.buffers.push(buffer);
                }
                self.due = self.used.then_some(streams.now().saturating_add(PATIENCE));
                theirs.with(number as u32 & 0xff_ffff, self.region).bytes().to_vec()
            }
            None => {
                // The first numbers of the results have eight bytes, as no other message has.
                self.used |= bytes.len() == 8;
                bytes.to_vec()
            }
        };
        let posted = streams.post(number, WorkRequest::new(0, Operation::send(&answer)));
        posted.map_err(|error| error.to_string())
    }

    /// Gives the memory back.
    pub(super) fn end(&self, streams: &mut Streams) {
        // It may be gone already.
        let _ = streams.memory().deregister(self.region.steering_tag);
    }
}

fn receive(streams: &mut Streams, number: u64) -> Result<(), String> {
    streams.post_receive(number, 0, LONGEST).map_err(|error| error.to_string())
}
