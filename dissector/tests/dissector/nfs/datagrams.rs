//! A capture with one RPC message in each frame, over UDP.

use super::messages::Message;
use std::path::{Path, PathBuf};
use warpscope_dissector::nfs::Direction;

/// Writes the messages into a capture file of that name.
pub fn write(name: &str, messages: &[Message]) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("nfs-witness");
    std::fs::create_dir_all(&directory).unwrap();
    let path = directory.join(format!("{name}.pcap"));
    let mut file = Vec::new();
    for word in [0xa1b2_c3d4_u32, 0x0002_0004, 0, 0, 0x4_0000, 1] {
        file.extend(word.to_be_bytes());
    }
    for (number, message) in messages.iter().enumerate() {
        let frame = frame(message);
        let length = frame.len() as u32;
        for word in [number as u32, 0, length, length] {
            file.extend(word.to_be_bytes());
        }
        file.extend(frame);
    }
    std::fs::write(&path, file).unwrap();
    path
}

/// Ethernet, IPv4 and UDP around a message: from the client's port 1000 to the server's 2049, or back.
fn frame(message: &Message) -> Vec<u8> {
    let payload = &message.bytes;
    let (from, to) = match message.direction {
        Direction::Call => ((1, 1000_u16), (2, 2049_u16)),
        Direction::Reply => ((2, 2049), (1, 1000)),
    };
    let mut frame = vec![2, 0, 0, 0, 0, to.0, 2, 0, 0, 0, 0, from.0, 8, 0];
    let length = u16::try_from(28 + payload.len()).expect("a message fits into a datagram");
    frame.extend([0x45, 0]);
    frame.extend(length.to_be_bytes());
    frame.extend([0, 1, 0x40, 0, 64, 17, 0, 0, 10, 0, 0, from.0, 10, 0, 0, to.0]);
    frame.extend(from.1.to_be_bytes());
    frame.extend(to.1.to_be_bytes());
    frame.extend((length - 20).to_be_bytes());
    frame.extend([0, 0]);
    frame.extend(payload);
    frame
}
