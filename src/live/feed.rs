//! Live frames for who takes them one by one, and does not want to wait for long.

use super::Session;
use crate::cli::LiveArguments;
use anyhow::Result;
use std::time::{Duration, Instant};
use warpscope_dissector::capture::{Blocks, DescribedFrame, Frame, Interface, LinkType};
use warpscope_tui::worker::{Fed, Feed};

/// How often it is said that there is nothing for now, even when packets never stop coming.
const FLUSH: Duration = Duration::from_millis(100);

/// A live capture, frame by frame.
pub(crate) struct LiveFeed {
    session: Session,
    interfaces: Vec<Interface>,
    frames: u64,
    bytes: Vec<u8>,
    flushed: Instant,
}

impl LiveFeed {
    /// Begins to capture.
    ///
    /// # Errors
    /// When an interface cannot be opened.
    pub(crate) fn start(arguments: &LiveArguments) -> Result<Self> {
        let session = Session::start(arguments)?;
        let interfaces = session.interfaces().to_vec();
        let (frames, bytes, flushed) = (0, Vec::new(), Instant::now());
        Ok(Self { session, interfaces, frames, bytes, flushed })
    }
}

impl Feed for LiveFeed {
    fn next(&mut self) -> Fed<'_> {
        if self.flushed.elapsed() >= FLUSH {
            self.flushed = Instant::now();
            return Fed::Idle;
        }
        let bytes = &mut self.bytes;
        let mut taken = None;
        loop {
            let turn = self.session.turn(&mut |packet| {
                bytes.clear();
                bytes.extend_from_slice(packet.bytes);
                taken = Some((packet.interface, packet.time, packet.original_length));
            });
            if taken.is_some() {
                break;
            }
            match turn {
                Some(true) => {}
                Some(false) => {
                    self.flushed = Instant::now();
                    return Fed::Idle;
                }
                None => {
                    let failures = self.session.endings().into_iter().filter_map(|it| it.failure);
                    let failures: Vec<String> = failures.collect();
                    return Fed::Ended((!failures.is_empty()).then(|| failures.join("; ")));
                }
            }
        }
        let Some((interface, time, original_length)) = taken else { return Fed::Idle };
        self.frames += 1;
        let described = self.interfaces.get(interface as usize);
        let frame = Frame {
            number: self.frames,
            interface,
            time: Some(time),
            link_type: described.map_or(LinkType::NULL, |described| described.link_type),
            bytes: &self.bytes,
            original_length,
        };
        let (time_digits, blocks) = (self.session.time_digits(), Blocks::default());
        Fed::Frame(DescribedFrame { frame, interface: described, time_digits, blocks })
    }
}

impl Drop for LiveFeed {
    fn drop(&mut self) {
        self.session.stop();
    }
}
