//! The handle of an export without RPC-over-RDMA: as given by the user, or from MOUNT over plain TCP,
//! the only form that Linux supports.

use super::show::{read_record, write_record};
use anyhow::{Context as _, Result, anyhow, bail};
use std::io;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs as _};
use std::time::Duration;
use warpscope_nfs::client::{Client, Handle, Session};
use warpscope_nfs::rpc::{
    CallHeader, Credential, OutgoingCall, REPLY_HEADER, begin_call, results_of,
};

/// The portmapper's program, version, procedure GETPORT and port (RFC 1833 section 3).
const PORTMAPPER: (u32, u32, u32) = (100_000, 2, 3);
const PORTMAPPER_PORT: u16 = 111;
/// MOUNT (RFC 1813 appendix I) over TCP, as the portmapper is asked for it.
const MOUNT_BY_TCP: [u32; 4] = [warpscope_nfs::MOUNT, warpscope_nfs::VERSION, 6, 0];
/// How long each answer may take.
const ANSWER: Duration = Duration::from_secs(10);
const LONGEST_REPLY: usize = 64 * 1024;

/// RPC over plain TCP.
struct Plain(TcpStream);

impl Plain {
    fn connect(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&address, ANSWER)?;
        stream.set_read_timeout(Some(ANSWER))?;
        Ok(Self(stream))
    }
}

impl Session for Plain {
    type Error = io::Error;

    fn call(&mut self, call: OutgoingCall) -> io::Result<Vec<u8>> {
        write_record(&mut self.0, &call.message.bytes)?;
        let reply = read_record(&mut self.0, LONGEST_REPLY)?;
        reply.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

/// Asks the mount daemon at HOST:PORT for the handle of an export. Without a port, the portmapper of
/// the host is asked for it.
pub(crate) fn mount(host: &str, credential: Credential, export: &str) -> Result<Handle> {
    let failed = || format!("mounting {export} over TCP from {host}");
    let address = mount_daemon(host).with_context(failed)?;
    let mut plain = Plain::connect(address).with_context(failed)?;
    let mut client = Client::new(rand::random(), credential)?;
    let mut call = client.mount(export.as_bytes());
    let reply = plain.call(call.take()).with_context(failed)?;
    let mounted = call.result(&reply).map_err(|error| {
        anyhow!("{}: {error}; check that the server exports it (exportfs -v) to any port", failed())
    })?;
    // The server's list of mounts is only informational: a stale entry does no harm.
    let _ = plain.call(client.unmount(export.as_bytes()).take());
    Ok(mounted.handle)
}

fn mount_daemon(host: &str) -> Result<SocketAddr> {
    if let Some(address) = host.to_socket_addrs().ok().and_then(|mut all| all.next()) {
        return Ok(address);
    }
    let name = host.trim_start_matches('[').trim_end_matches(']');
    let portmapper = (name, PORTMAPPER_PORT).to_socket_addrs()?.next();
    let portmapper = portmapper.context("the host has no address")?;
    asked(portmapper).with_context(|| {
        format!(
            "asking the portmapper at {portmapper}; name the mount daemon's port if it has none"
        )
    })
}

/// Asks a portmapper for the address of the mount daemon.
fn asked(portmapper: SocketAddr) -> Result<SocketAddr> {
    let (program, version, procedure) = PORTMAPPER;
    let (xid, credential) = (rand::random(), &Credential::None);
    let mut call = begin_call(&CallHeader { xid, program, version, procedure, credential })?;
    for word in MOUNT_BY_TCP {
        call.word(word);
    }
    let call = OutgoingCall {
        message: call.finish(),
        result_room: Vec::new(),
        longest_reply: REPLY_HEADER + 4,
    };
    let reply = Plain::connect(portmapper)?.call(call)?;
    match u16::try_from(results_of(&reply, xid)?.word("port")?) {
        Ok(port @ 1..) => Ok(SocketAddr::new(portmapper.ip(), port)),
        _ => bail!("no mount daemon is registered there"),
    }
}

/// Parses a file handle from hexadecimal digits.
pub(crate) fn handle(digits: &str) -> Result<Handle> {
    hex::decode(digits).ok().and_then(Handle::new).with_context(|| {
        format!("the file handle {digits}: use up to 64 bytes in hexadecimal digits")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;
    use std::thread;

    #[test]
    fn handles_are_read_as_digits() {
        assert_eq!(handle("01ff").unwrap().bytes(), [1, 0xff]);
        for wrong in ["0", "0x01", "+1", "zz", "é", &"00".repeat(65)] {
            assert!(handle(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_portmapper_names_the_port() {
        // RFC 1833 section 3: GETPORT takes program, version, protocol and port, and returns a port,
        // which is 0 for a program that is not registered.
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = listener.local_addr().unwrap();
        let answers = thread::spawn(move || {
            for port in [20_048_u32, 0] {
                let (mut stream, _) = listener.accept().unwrap();
                let call = read_record(&mut stream, 1000).unwrap().unwrap();
                let words = [100_000_u32, 2, 3, 0, 0, 0, 0, 100_005, 3, 6, 0];
                assert_eq!(call[12..], words.map(u32::to_be_bytes).concat());
                let reply = [1, 0, 0, 0, 0, port].map(u32::to_be_bytes).concat();
                write_record(&mut stream, &[&call[..4], &reply].concat()).unwrap();
            }
        });
        assert_eq!(asked(at).unwrap(), SocketAddr::new(at.ip(), 20_048));
        let error = asked(at).unwrap_err().to_string();
        assert!(error.contains("no mount daemon"), "{error}");
        answers.join().unwrap();
    }
}
