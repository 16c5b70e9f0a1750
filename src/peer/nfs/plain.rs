//! RPC over plain TCP, with record marking (RFC 5531 section 11): Linux clients speak MOUNT over
//! TCP also when NFS goes over RDMA.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use warpscope_nfs::rpc::Answer;

/// The most connections at once; more are closed.
const MOST_CONNECTIONS: usize = 64;
/// How long a client may be silent.
const SILENCE: Duration = Duration::from_secs(600);
/// How long a client may take nothing of a reply.
const STALLED: Duration = Duration::from_secs(60);
/// The bit of a fragment's header that says that it is the record's last.
const LAST: u32 = 1 << 31;

/// Answers at `address`, in threads, until the program ends; returns the address with its port.
/// `most` are the bytes of the longest call.
///
/// # Errors
/// When the address cannot be listened at.
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
                // No room for it in this process: later, perhaps.
                thread::sleep(Duration::from_millis(100));
                continue;
            };
            if Arc::strong_count(&connections) > MOST_CONNECTIONS {
                continue;
            }
            let (mut answer, connection) = (answer.clone(), Arc::clone(&connections));
            // Without a thread for it, it is closed.
            let _ = thread::Builder::new().spawn(move || {
                // A client that fails or goes away is no matter of the server's.
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

/// The next record; none at the end.
///
/// # Errors
/// When it is longer than `most`, ends too soon, or cannot be read.
fn read_record(from: &mut impl Read, most: usize) -> io::Result<Option<Vec<u8>>> {
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
        // Memory grows with what comes, not with what is claimed.
        if from.take(length.into()).read_to_end(&mut record)? < length as usize {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        if header & LAST != 0 {
            return Ok(Some(record));
        }
    }
}

/// Writes a record of one fragment.
///
/// # Errors
/// When that fails, or a fragment cannot be so long.
fn write_record(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
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
