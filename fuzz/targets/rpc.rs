//! RPC-over-RDMA and NFS: Sends, Writes and Read Responses of any bytes on a connection of both.
#![no_main]

use libfuzzer_sys::fuzz_target;
use warpscope_dissector::capture::LinkType;
use warpscope_fuzz::{Conversation, Everything, fpdu, parts};

fuzz_target!(|bytes: &[u8]| {
    let (mut everything, mut conversation) = (Everything::default(), Conversation::default());
    for frame in conversation.setup(0x40) {
        everything.bytes(&frame, LinkType::ETHERNET);
    }
    let mut sent = [0_u32; 2];
    for (what, part) in parts(bytes) {
        let side = usize::from(what & 1);
        let ulpdu = if what & 2 == 0 {
            sent[side] += 1;
            let mut header = [0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
            header[10..14].copy_from_slice(&sent[side].to_be_bytes());
            [&header, part].concat()
        } else {
            // STag and Tagged Offset are the first bytes of the part.
            [&[0xc1, if what & 4 == 0 { 0x40 } else { 0x42 }], part].concat()
        };
        everything.bytes(&conversation.frame(side, &fpdu(&ulpdu)), LinkType::ETHERNET);
    }
    everything.finish();
});
