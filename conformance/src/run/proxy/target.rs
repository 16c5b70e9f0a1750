//! Connects to the target.

use crate::run::error::RunError;
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// How long one attempt may take.
const WITHIN: Duration = Duration::from_secs(5);
/// What passes before a refused connection is tried again.
const AGAIN: [Duration; 3] =
    [Duration::from_millis(20), Duration::from_millis(100), Duration::from_millis(400)];

/// Connects to the first of the addresses that answers, and says which.
///
/// # Errors
/// [`RunError::Connect`] of the last one when none does.
pub(super) fn connect(addresses: &[SocketAddr]) -> Result<(TcpStream, SocketAddr), RunError> {
    let mut failed = RunError::Unknown("the target has no address".to_owned());
    for pause in AGAIN.into_iter().map(Some).chain([None]) {
        let mut refused = false;
        for address in addresses {
            match TcpStream::connect_timeout(address, WITHIN) {
                Ok(stream) => return Ok((stream, *address)),
                Err(error) => {
                    refused |= error.kind() == ErrorKind::ConnectionRefused;
                    failed = RunError::Connect { address: *address, error: plain(error) };
                }
            }
        }
        match pause {
            Some(pause) if refused => std::thread::sleep(pause),
            _ => break,
        }
    }
    Err(failed)
}

/// The same error in the words of its kind where the system's say less.
fn plain(error: io::Error) -> io::Error {
    if error.kind() == ErrorKind::TimedOut {
        return io::Error::new(ErrorKind::TimedOut, format!("no answer within {WITHIN:?}"));
    }
    error
}
