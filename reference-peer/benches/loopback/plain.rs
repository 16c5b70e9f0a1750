//! Plain TCP: what is moved, without a protocol.

use super::{Other, Outcome, READ, READS};
use std::io::{ErrorKind, Read, Write, stdout};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// Bytes of an FPDU that carries a Read Request.
const REQUEST: usize = 52;
/// Bytes of a read of small messages.
const SMALL_READ: usize = 64 * 1024;

fn accept() -> Outcome<TcpStream> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    writeln!(stdout(), "{} 0", listener.local_addr()?)?;
    let stream = listener.accept()?.0;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Reads messages into one place until a byte that is 1 ends one, and answers with a byte.
pub(crate) fn serve_sink(message: usize) -> Outcome<()> {
    let mut stream = accept()?;
    let mut place = vec![0; message.max(SMALL_READ)];
    loop {
        let count = stream.read(&mut place)?;
        if count == 0 {
            return Ok(());
        }
        if place.get(count - 1) == Some(&1) {
            stream.write_all(&[1])?;
        }
    }
}

/// Sends messages of that length, one write each, until the other process has all of them.
pub(crate) fn copy(message: usize, messages: usize) -> Outcome<Duration> {
    let other = Other::start(&["sink", &message.to_string()])?;
    let mut stream = TcpStream::connect(other.address)?;
    stream.set_nodelay(true)?;
    let mut bytes = vec![0; message];
    let begun = Instant::now();
    for _ in 1..messages {
        stream.write_all(&bytes)?;
    }
    if let Some(last) = bytes.last_mut() {
        *last = 1;
    }
    stream.write_all(&bytes)?;
    stream.read_exact(&mut [0])?;
    let taken = begun.elapsed();
    drop(stream);
    other.end()?;
    Ok(taken)
}

/// Answers each request with as many bytes as an RDMA Read asks for.
pub(crate) fn serve_answers() -> Outcome<()> {
    let mut stream = accept()?;
    let mut request = [0; REQUEST];
    loop {
        match stream.read_exact(&mut request) {
            Ok(()) => stream.write_all(&[5; READ])?,
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Asks, waits for the answer, and asks again.
pub(crate) fn ask() -> Outcome<Vec<Duration>> {
    let other = Other::start(&["answer"])?;
    let mut stream = TcpStream::connect(other.address)?;
    stream.set_nodelay(true)?;
    let mut answer = vec![0; READ];
    let mut times = Vec::with_capacity(READS);
    for _ in 0..READS {
        let begun = Instant::now();
        stream.write_all(&[3; REQUEST])?;
        stream.read_exact(&mut answer)?;
        times.push(begun.elapsed());
    }
    drop(stream);
    other.end()?;
    Ok(times)
}
