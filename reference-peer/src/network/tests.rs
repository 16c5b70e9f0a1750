use super::*;
use std::net::Ipv4Addr;

/// RFC 5044 section 4.5: the segment size can change at any time. However much was sent before, TCP is
/// asked again after the next few.
#[test]
fn the_segment_size_is_asked_for_as_long_as_bytes_are_sent() {
    let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (accepted, _) = listener.accept().unwrap();
    let mut socket = Socket::new(stream, true);
    let mut asked = 0;
    for _ in 0..1000 {
        socket.sent += EMSS_DUE;
        let due = socket.emss_due;
        socket.later_emss();
        asked += usize::from(socket.emss_due > due);
    }
    // After 64, 128, 256 and 512 KiB and 1 MiB; after 2 MiB, and after every MiB from there on.
    assert_eq!(asked, 5 + 61);
    drop(accepted);
}
