//! The control stream.

use super::error::RunError;
use super::hub::{Connection, Heard};
use crate::engine::{Client, Delivery, Link, LinkOptions, Part, SetupOut, TcpWrite};
use std::time::Duration;

/// The control stream of a session.
#[derive(Debug)]
pub(super) struct Control {
    pub(super) client: Client,
    pub(super) connection: Connection,
    pub(super) failed: Option<crate::engine::ClientError>,
}

impl Control {
    /// A control stream on a connection that this side opened: sends the request.
    pub(super) fn begin(connection: Connection, session: u32) -> Self {
        let link = Link::new(LinkOptions::default());
        let client = Client::new(link, session, 1);
        let mut it = Self { client, connection, failed: None };
        if it.connection.opened {
            let setup = SetupOut::request(&it.client.greeting());
            let parts = [Part::Setup(setup)];
            let writes = it.client.link.sending(&parts, &Delivery::default());
            it.write(&writes);
        }
        it
    }

    /// Answers the request of a target that opened the control stream.
    pub(super) fn reply(&mut self) {
        let setup = SetupOut::reply(&self.client.greeting());
        let writes = self.client.link.sending(&[Part::Setup(setup)], &Delivery::default());
        self.write(&writes);
    }

    pub(super) fn write(&mut self, writes: &[TcpWrite]) {
        for write in writes {
            // That it failed shows in what is heard.
            let _ = self.connection.write(&write.bytes);
        }
    }

    /// Takes what was heard.
    pub(super) fn hear(&mut self, at: Duration, heard: &Heard) {
        match heard {
            Heard::Bytes(bytes) => {
                self.client.link.receive(at, bytes);
            }
            Heard::Finished => self.client.link.finished(at),
            Heard::Reset => self.client.link.reset(at),
        }
        match self.client.look() {
            Ok(writes) => self.write(&writes),
            Err(error) => self.failed = Some(error),
        }
    }

    /// Whether it is of use.
    pub(super) fn usable(&self) -> Result<(), RunError> {
        self.failed.clone().map_or(Ok(()), |error| Err(error.into()))
    }
}
