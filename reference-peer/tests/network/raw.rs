//! Initiators whose bytes a test sends itself, in whatever pace and pieces.

use crate::prelude::*;
use std::io::{ErrorKind, Read};
use warpscope_peer::connection::{Connection, Transmit};
use warpscope_peer::work::LocalBuffer;

/// A connection whose bytes are fetched, and the TCP connection that they are for.
pub(crate) struct Raw {
    pub(crate) tcp: TcpStream,
    pub(crate) connection: Connection,
    memory: Memory,
    sink: u32,
    began: Instant,
}

impl Raw {
    /// TCP is open; nothing has been sent.
    pub(crate) fn connect(address: SocketAddr) -> Self {
        Self::over(TcpStream::connect(address).unwrap())
    }

    /// The same over a TCP connection that is there.
    pub(crate) fn over(tcp: TcpStream) -> Self {
        tcp.set_nodelay(true).unwrap();
        tcp.set_read_timeout(Some(PATIENCE)).unwrap();
        let accessor = Accessor { stream: 1, protection_domain: 1 };
        let mut memory = Memory::new(|| 0x1234_5600);
        let sink = Registration::stream(accessor.stream, Rights::NONE);
        let sink = memory.register(vec![0; 1 << 20], sink).unwrap();
        let connection = Connection::new(Config::new(Role::Initiator, accessor), Duration::ZERO);
        Self { tcp, connection, memory, sink, began: Instant::now() }
    }

    pub(crate) fn bytes(&mut self) -> Vec<u8> {
        let now = self.began.elapsed();
        let mut bytes = Vec::new();
        while let Some(Transmit::Bytes(more)) = self.connection.poll_transmit(now, &mut self.memory)
        {
            bytes.extend(more);
        }
        bytes
    }

    pub(crate) fn send(&mut self) {
        let bytes = self.bytes();
        self.tcp.write_all(&bytes).unwrap();
    }

    /// Sends it byte by byte.
    pub(crate) fn drip(&mut self, pause: Duration) {
        for byte in self.bytes() {
            self.tcp.write_all(&[byte]).unwrap();
            std::thread::sleep(pause);
        }
    }

    pub(crate) fn feed(&mut self, mut enough: impl FnMut(&mut Connection) -> bool) {
        let mut buffer = vec![0; 1 << 16];
        while !enough(&mut self.connection) {
            let count = self.tcp.read(&mut buffer).unwrap();
            assert!(count > 0, "the peer closed");
            let now = self.began.elapsed();
            self.connection.handle_bytes(now, &mut self.memory, &buffer[..count]);
        }
    }

    pub(crate) fn establish(&mut self) {
        self.send();
        self.feed(|it| it.agreement().is_some());
    }

    pub(crate) fn post_send(&mut self, bytes: &[u8]) {
        self.connection.post_receive(1, 4096).unwrap();
        let request = WorkRequest::new(1, Operation::send(bytes));
        self.connection.post(&self.memory, request).unwrap();
    }

    /// Posts a Read of that many bytes of a region.
    pub(crate) fn post_read(&mut self, steering_tag: u32, length: u32) {
        let remote = RemoteBuffer { steering_tag, tagged_offset: 0 };
        let sink = LocalBuffer { steering_tag: self.sink, tagged_offset: 0 };
        let request = WorkRequest::new(2, Operation::Read { sink, length, remote });
        self.connection.post(&self.memory, request).unwrap();
    }
}

/// Whether the peer has closed or reset a TCP connection within that time; what comes is dropped.
pub(crate) fn is_closed_within(tcp: &mut TcpStream, patience: Duration) -> bool {
    let until = Instant::now() + patience;
    let mut buffer = [0; 4096];
    tcp.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
    while Instant::now() < until {
        match tcp.read(&mut buffer) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(_) => return true,
        }
    }
    false
}
