//! MPA: two streams of any bytes after a setup with markers and CRCs as the first byte says; what is
//! taken out of marked bytes by the codec is what was put in.
#![no_main]

use libfuzzer_sys::fuzz_target;
use warpscope_dissector::capture::LinkType;
use warpscope_fuzz::{Conversation, Everything, fpdu};
use warpscope_wire::mpa::{Fpdu, FpduView, demark};

fuzz_target!(|bytes: &[u8]| {
    let [how, rest @ ..] = bytes else { return };
    let (mut everything, mut conversation) = (Everything::default(), Conversation::default());
    for frame in conversation.setup(how & 0xc0) {
        everything.bytes(&frame, LinkType::ETHERNET);
    }
    let (one, other) = rest.split_at(rest.len() * usize::from(how & 7) / 8);
    for (side, bytes) in [one, other].into_iter().enumerate() {
        // As FPDUs with their CRCs, or as they are.
        let mut payload = bytes.to_vec();
        if how & 0x20 != 0 {
            payload.clear();
            for ulpdu in bytes.chunks(usize::from(how & 0x18) * 4 + 14) {
                let bytes = fpdu(ulpdu);
                let (view, behind) = FpduView::parse(&bytes).unwrap();
                assert!(behind.is_empty() && Fpdu::try_from(view) == Fpdu::new(ulpdu));
                payload.extend(bytes);
            }
        }
        for part in payload.chunks(usize::from(how & 15) * 90 + 21) {
            everything.bytes(&conversation.frame(side, part), LinkType::ETHERNET);
        }
    }
    everything.finish();
    let (mut fpdu, mut markers) = (Vec::new(), Vec::new());
    if let Ok(demarked) = demark(u64::from(*how), rest, &mut fpdu, &mut markers) {
        assert!(demarked.consumed <= rest.len());
        assert_eq!(demarked.consumed, fpdu.len() + markers.len() * 4);
    }
});
