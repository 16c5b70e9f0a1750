//! A capture with one RPC message in each frame, over UDP.

use super::messages::Message;
use crate::prelude::*;
use crate::support::frames::udp;

/// Writes the messages into a capture file of that name.
pub fn write(name: &str, messages: &[Message]) -> PathBuf {
    let path = folder("nfs-witness").join(format!("{name}.pcap"));
    let frames: Vec<_> = messages.iter().map(|message| whole(frame(message))).collect();
    put(&path, &pcap(1, &frames));
    path
}

/// Ethernet, IPv4 and UDP around a message: from the client's port 1000 to the server's 2049, or back.
fn frame(message: &Message) -> Vec<u8> {
    let mut datagram = udp(&message.bytes);
    let ports = [1000_u16, 2049].map(u16::to_be_bytes);
    datagram[..4].copy_from_slice(&ports.concat());
    datagram[6..8].fill(0);
    let mut packet = ipv4(17, &datagram);
    if message.direction == Direction::Reply {
        packet[12..20].rotate_left(4);
        packet[20..24].rotate_left(2);
    }
    ethernet(0x0800, &packet)
}
