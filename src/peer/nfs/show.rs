//! Attributes of files as text.

use crate::peer::run::{GRACE, Regions};
use crate::peer::services::ReportedService;
use crate::table::{Cell, Column, Look, Table};
use crate::terminal::Stop;
use chrono::{DateTime, Local};
use owo_colors::Style;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use warpscope_nfs::client::{Callbacks, ListedEntry, Session, result_is_inline};
use warpscope_nfs::rpc::{Answer, OutgoingCall};
use warpscope_nfs::rpcrdma::{CallFailure, ReducedReply, RpcRdmaConfig};
use warpscope_nfs::{Attributes, FileType, Rpc, Time};
use warpscope_peer::bug::Bugs;
use warpscope_peer::connection::{Config, Event};
use warpscope_peer::network::Host;
use warpscope_peer::service::Service as _;
use warpscope_peer::streams::StreamEvent;
use warpscope_text::escaped;

/// The letters of a mode's bits, in display order.
const BITS: [char; 9] = ['r', 'w', 'x', 'r', 'w', 'x', 'r', 'w', 'x'];
/// Set-user-ID, set-group-ID and sticky: bit, place among [`BITS`], letter with x and without.
const SPECIAL: [(u32, usize, char, char); 3] =
    [(0o4000, 2, 's', 'S'), (0o2000, 5, 's', 'S'), (0o1000, 8, 't', 'T')];

/// Returns a printable form of a name.
pub(super) fn name(bytes: &[u8]) -> String {
    escaped(&String::from_utf8_lossy(bytes))
}

/// Returns the letter and the name of a type.
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

/// Formats a mode as `-rw-r--r--`.
fn mode(attributes: &Attributes) -> String {
    let set = |place: usize| attributes.mode & (0o400 >> place) != 0;
    let letter = |(place, letter): (usize, &char)| {
        let special = SPECIAL.iter().find(|it| it.1 == place && attributes.mode & it.0 != 0);
        let (with, without) = special.map_or((*letter, '-'), |it| (it.2, it.3));
        if set(place) { with } else { without }
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
pub(super) fn list(
    mut entries: Vec<ListedEntry>,
    long: bool,
    look: Look,
    out: &mut dyn Write,
) -> io::Result<()> {
    entries.sort_by(|one, other| one.name.cmp(&other.name));
    if !long {
        for entry in &entries {
            let name = name(&entry.name);
            let folder = entry.attributes.is_some_and(|it| it.file_type == FileType::Directory);
            let style = if folder { Style::new().blue() } else { Style::new() };
            writeln!(out, "{}", look.styled(&name, style))?;
        }
        return Ok(());
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
    table.print(look, out)
}

pub(super) fn attributes(
    path: &str,
    it: &Attributes,
    look: Look,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{}", look.heading(&name(path.as_bytes())))?;
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

// A stream to a server, for calls one after the other.

/// The longest sleep, so that a request to stop is noticed.
const NAP: Duration = Duration::from_millis(100);

/// Why a call has no reply.
#[derive(Debug, thiserror::Error)]
pub(super) enum LineError {
    #[error("no stream to {0}: {1}; does an NFS server listen there, with RDMA over TCP?")]
    NotOpened(SocketAddr, String),
    #[error("{0}{1}")]
    Call(CallFailure, String),
    /// The server left a result inline that a write chunk was offered for (RFC 8166 section 6.1).
    #[error("the server put a result into its reply that belongs in the chunk offered for it")]
    Misplaced,
    #[error("the server has not answered within {0:?}; use --timeout to wait longer")]
    Timeout(Duration),
    #[error("stopped")]
    Stopped,
    /// A system call failed.
    #[error("a system call on the sockets failed: {0}")]
    System(#[from] io::Error),
}

pub(super) struct Line {
    host: Host,
    service: ReportedService<Rpc<Callbacks>>,
    address: SocketAddr,
    number: u64,
    established: bool,
    closed: bool,
    /// Whether a call failed; then no more calls are made.
    broken: bool,
    timeout: Duration,
    stop: Stop,
    /// The seeded bugs of this side.
    bugs: Bugs,
}

impl Line {
    pub(super) fn new(
        mut host: Host,
        rpc: RpcRdmaConfig,
        (address, config, fall_back): (SocketAddr, Config, bool),
        timeout: Duration,
        stop: Stop,
    ) -> Self {
        let bugs = rpc.bugs;
        let rpc = Rpc::new(Callbacks::default(), RpcRdmaConfig::server(1), rpc);
        let number = host.streams().connect(address, config, fall_back);
        Self {
            host,
            service: ReportedService::new(Box::new(rpc), Regions::default(), true, None),
            address,
            number,
            established: false,
            closed: false,
            broken: false,
            timeout,
            stop,
            bugs,
        }
    }

    /// Returns the handler of the server's calls.
    pub(super) fn callbacks(&self) -> Callbacks {
        self.service.inner.answer.clone()
    }

    /// Returns the longest message that the server sends inline, in bytes, if there is a stream.
    pub(super) fn inline(&self) -> Option<usize> {
        let thresholds = self.service.inner.of(self.number)?.thresholds()?;
        Some(thresholds.receive)
    }

    /// Returns the address of the server.
    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits until calls can be made.
    pub(super) fn open(&mut self) -> Result<(), LineError> {
        let until = Instant::now() + self.timeout;
        while !self.established {
            self.turn(until)?;
            if self.closed {
                let trouble = self.service.trouble.take();
                let trouble = trouble.unwrap_or_else(|| "it was closed".to_owned());
                return Err(LineError::NotOpened(self.address, trouble));
            }
        }
        Ok(())
    }

    /// Waits for this time and handles events meanwhile.
    pub(super) fn pass(&mut self, time: Duration) -> Result<(), LineError> {
        let until = Instant::now() + time;
        while !self.closed {
            match self.turn(until) {
                Err(LineError::Timeout(_)) => break,
                other => other?,
            }
        }
        Ok(())
    }

    /// Handles the next event, if it happens before `until`.
    fn turn(&mut self, until: Instant) -> Result<(), LineError> {
        if self.stop.asked() {
            return Err(LineError::Stopped);
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(LineError::Timeout(self.timeout));
        }
        let Some((number, event)) = self.host.wait(left.min(NAP))? else { return Ok(()) };
        if number == self.number {
            match &event {
                StreamEvent::Event(Event::Established(_)) => self.established = true,
                StreamEvent::FellBack(next) => self.number = *next,
                StreamEvent::Closed => self.closed = true,
                _ => {}
            }
        }
        self.service.handle(self.host.streams(), number, event);
        Ok(())
    }

    /// Makes calls, as many in parallel as credits allow; returns their replies in the order of the calls.
    pub(super) fn replies(&mut self, calls: Vec<OutgoingCall>) -> Result<Vec<Vec<u8>>, LineError> {
        if self.broken {
            return Err(LineError::Call(CallFailure::Cancelled, String::new()));
        }
        let replies = self.all_of(calls);
        self.broken = replies.is_err();
        replies
    }

    fn all_of(&mut self, calls: Vec<OutgoingCall>) -> Result<Vec<Vec<u8>>, LineError> {
        let mut until = Instant::now() + self.timeout;
        let mut asked = Vec::new();
        for call in calls {
            let made = call.message.bytes.clone();
            let handle = self.service.inner.call(self.host.streams(), self.number, call);
            asked.push((handle, made, None));
        }
        while asked.iter().any(|(.., reply)| reply.is_none()) {
            while let Some((number, handle, result)) = self.service.inner.poll() {
                let wanted = asked.iter_mut().find(|(it, ..)| *it == handle);
                let Some((_, call, place)) = wanted.filter(|_| number == self.number) else {
                    continue;
                };
                let reply = result.map_err(|failure| {
                    let trouble = self.service.trouble.take();
                    let trouble = trouble.filter(|_| matches!(failure, CallFailure::Lost));
                    LineError::Call(failure, trouble.map_or(String::new(), |it| format!(": {it}")))
                })?;
                if !reply.chunks.is_empty() && result_is_inline(call, &reply.bytes, self.bugs) {
                    return Err(LineError::Misplaced);
                }
                *place = Some(whole(&reply));
                until = Instant::now() + self.timeout;
            }
            if asked.iter().any(|(.., reply)| reply.is_none()) {
                self.turn(until)?;
            }
        }
        Ok(asked.into_iter().filter_map(|(.., reply)| reply).collect())
    }

    /// Closes the stream: cleanly, if calls succeeded.
    pub(super) fn end(mut self) -> io::Result<()> {
        let well = self.established && !self.broken;
        self.host.serve(&mut self.service, || true, if well { GRACE } else { NAP })
    }
}

impl Session for &mut Line {
    type Error = LineError;

    fn call(&mut self, call: OutgoingCall) -> Result<Vec<u8>, LineError> {
        Ok(self.replies(vec![call])?.pop().unwrap_or_default())
    }

    fn wait(&mut self, time: Duration) -> Result<(), LineError> {
        self.pass(time)
    }
}

/// Returns the complete reply. The data of READ and the target of READLINK, which may use a write chunk, are
/// the last of its results, in version 4 as well, because this client requests it so; some servers still
/// send their round-up inline (RFC 8166 section 3.4.6.2).
fn whole(reply: &ReducedReply) -> Vec<u8> {
    let bytes = &reply.bytes;
    let Some(item) = reply.chunks.first().filter(|item| !item.is_empty()) else {
        return bytes.clone();
    };
    let word = |back: usize| {
        let at = bytes.len().checked_sub(back)?;
        bytes.get(at..)?.first_chunk().map(|word| u32::from_be_bytes(*word))
    };
    let length = Some(item.len() as u32);
    let padded = !item.len().is_multiple_of(4) && word(4) != length && word(8) == length;
    let place = bytes.len() - if padded { 4 } else { 0 };
    reply.whole(&[place]).unwrap_or_else(|| bytes.clone())
}

// RPC over plain TCP, with record marking (RFC 5531 section 11): Linux clients use MOUNT over TCP
// even if NFS uses RDMA.

/// The most connections at the same time; further ones are closed.
const MOST_CONNECTIONS: usize = 64;
/// How long a client may send nothing.
const SILENCE: Duration = Duration::from_secs(600);
/// How long a client may read nothing of a reply.
const STALLED: Duration = Duration::from_secs(60);
/// The bit of a fragment's header that marks the last fragment of a record.
const LAST: u32 = 1 << 31;

/// Serves at `address`, in threads, until the program ends; returns the address with its port.
/// `most` is the size of the longest call in bytes.
pub(super) fn listen(
    address: SocketAddr,
    answer: &(impl Answer + Clone + Send + 'static),
    most: usize,
) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind(address)?;
    let bound = listener.local_addr()?;
    let answer = answer.clone();
    thread::Builder::new().spawn(move || {
        let connections = Arc::new(());
        loop {
            let Ok((stream, _)) = listener.accept() else {
                // The process has no free descriptor: try again later.
                thread::sleep(Duration::from_millis(100));
                continue;
            };
            if Arc::strong_count(&connections) > MOST_CONNECTIONS {
                continue;
            }
            let (mut answer, connection) = (answer.clone(), Arc::clone(&connections));
            // If no thread can be started, the connection is closed.
            let _ = thread::Builder::new().spawn(move || {
                // Errors of a client do not concern the server.
                let _ = serve(&stream, &mut answer, most);
                drop(connection);
            });
        }
    })?;
    Ok(bound)
}

fn serve(stream: &TcpStream, answer: &mut impl Answer, most: usize) -> io::Result<()> {
    stream.set_read_timeout(Some(SILENCE))?;
    stream.set_write_timeout(Some(STALLED))?;
    stream.set_nodelay(true)?;
    let (mut from, mut to) = (io::BufReader::new(stream), stream);
    while let Some(call) = read_record(&mut from, most)? {
        let reply = answer.answer(&call).bytes;
        if !reply.is_empty() {
            write_record(&mut to, &reply)?;
        }
    }
    Ok(())
}

/// Reads the next record; returns none at the end.
pub(super) fn read_record(from: &mut impl Read, most: usize) -> io::Result<Option<Vec<u8>>> {
    let mut record = Vec::new();
    loop {
        let mut header = [0; 4];
        if from.read(&mut header[..1])? == 0 {
            return if record.is_empty() { Ok(None) } else { Err(ErrorKind::UnexpectedEof.into()) };
        }
        from.read_exact(&mut header[1..])?;
        let header = u32::from_be_bytes(header);
        let length = header & !LAST;
        if record.len() + length as usize > most {
            return Err(ErrorKind::InvalidData.into());
        }
        // Memory grows with the received bytes, not with the claimed length.
        if from.take(length.into()).read_to_end(&mut record)? < length as usize {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        if header & LAST != 0 {
            return Ok(Some(record));
        }
    }
}

pub(super) fn write_record(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let length = u32::try_from(bytes.len()).ok().filter(|length| length & LAST == 0);
    let length = length.ok_or(ErrorKind::InvalidInput)?;
    let mut record = (length | LAST).to_be_bytes().to_vec();
    record.extend_from_slice(bytes);
    to.write_all(&record)
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

    #[test]
    fn data_goes_behind_its_length() {
        let reply = |bytes: &[u8], item: &[u8]| {
            whole(&ReducedReply { bytes: bytes.to_vec(), chunks: vec![item.to_vec()] })
        };
        let stem = [9, 9, 9, 9, 0, 0, 0, 3];
        let filled = [9, 9, 9, 9, 0, 0, 0, 3, b'a', b'b', b'c', 0];
        assert_eq!(reply(&stem, b"abc"), filled);
        // With the round-up inline, the data still follows its length.
        let padded = [9, 9, 9, 9, 0, 0, 0, 3, 0, 0, 0, 0];
        assert_eq!(reply(&padded, b"abc")[..12], filled);
        // Nothing went by the chunk.
        assert_eq!(reply(&filled, b""), filled);
    }

    #[test]
    fn records_are_put_together_from_fragments() {
        // RFC 5531 section 11: 31 bits of length, the highest bit in the last fragment's header.
        let bytes = [0, 0, 0, 2, 1, 2, 0, 0, 0, 0, 0x80, 0, 0, 1, 3, 0x80, 0, 0, 0];
        let mut from = &bytes[..];
        assert_eq!(read_record(&mut from, 3).unwrap(), Some(vec![1, 2, 3]));
        assert_eq!(read_record(&mut from, 3).unwrap(), Some(vec![]));
        assert_eq!(read_record(&mut from, 3).unwrap(), None);
    }

    #[test]
    fn what_is_cut_short_or_too_long_is_an_error() {
        let kind = |bytes: &[u8], most| read_record(&mut &*bytes, most).unwrap_err().kind();
        assert_eq!(kind(&[0x80, 0, 0, 4, 1, 2, 3], 4), ErrorKind::UnexpectedEof);
        assert_eq!(kind(&[0x80, 0], 4), ErrorKind::UnexpectedEof);
        assert_eq!(kind(&[0, 0, 0, 1, 1], 4), ErrorKind::UnexpectedEof);
        assert_eq!(kind(&[0xff; 64], usize::MAX), ErrorKind::UnexpectedEof);
        assert_eq!(kind(&[0, 0, 0, 2, 1, 2, 0x80, 0, 0, 1, 3], 2), ErrorKind::InvalidData);
    }

    #[test]
    fn a_record_is_written_as_one_fragment() {
        let mut to = Vec::new();
        write_record(&mut to, b"abc").unwrap();
        assert_eq!(to, [0x80, 0, 0, 3, b'a', b'b', b'c']);
    }
}
