//! `replay --onto`: which frames, how often, what is refused.

use super::{Folder, Link, dissected, has, shipped, until};

/// A pcap file of Ethernet or another link type, with frames of one length at these seconds.
fn pcap(link_type: u32, length: u32, seconds: &[u32]) -> Vec<u8> {
    let bytes = |words: &[u32]| words.iter().flat_map(|it| it.to_le_bytes()).collect::<Vec<u8>>();
    let mut capture = bytes(&[0xa1b2_c3d4, 0x0004_0002, 0, 0, 65_535, link_type]);
    for seconds in seconds {
        capture.extend(bytes(&[*seconds, 0, length, length]));
        capture.extend(vec![0x02; length as usize]);
    }
    capture
}

#[test]
fn a_filter_and_a_loop() {
    let Some(link) = Link::new() else { return };
    let fields = "-T fields -e ip.id -e tcp.seq_raw";
    let filter = "-Y 'tcp.stream == 2'";
    let once = dissected(&shipped(), &format!("{fields} {filter}"));
    let capture = link.capture(format!("dissect -i right {fields}"));
    let line = format!("replay --onto left {filter} --loop 3 --speed 1000 {}", shipped());
    let ended = link.start(line).success();
    let sent = 3 * once.lines().count();
    assert!(ended.err.starts_with(&format!("{sent} frames (")), "{}", ended.err);
    let left_out = format!("\n{} frames left out by the filter\n", 3 * 308 - sent);
    has(&ended.err, &[&left_out]);
    until("every frame", || capture.stdout().lines().count() == sent);
    assert_eq!(capture.stop().with(0).out, once.repeat(3));
}

#[test]
fn recorded_pauses_can_be_broken_off() {
    let Some(link) = Link::new() else { return };
    let folder = Folder::new();
    let file = folder.write("two", pcap(1, 60, &[0, 100_000]));
    let seen = link.capture("dissect -i right -c 1");
    let replay = link.start(format!("replay --onto left {file}"));
    assert_eq!(seen.success().out.lines().count(), 1);
    let ended = replay.stop().with(0);
    assert!(ended.err.starts_with("1 frame (60 bytes) sent onto left"), "{}", ended.err);
}

#[test]
fn frames_that_cannot_be_sent() {
    let Some(link) = Link::new() else { return };
    let folder = Folder::new();
    let no_ethernet = "its link type is 113, and only Ethernet frames (1) can be sent";
    let too_long = "warpscope: frame 1 could not be sent onto left: Message too long";
    for (capture, start, hint) in [
        (pcap(113, 60, &[0]), format!("warpscope: frame 1: {no_ethernet}"), ""),
        (pcap(1, 20_000, &[0]), too_long.to_owned(), "`ip link set left mtu 65535`"),
    ] {
        let file = folder.write("capture", capture);
        let ended = link.start(format!("replay --onto left {file}")).end().with(2);
        assert!(ended.err.starts_with(&start), "{}", ended.err);
        has(&ended.err, &[hint]);
    }
}
