//! `-T text`: lines, trees, bytes, times.

use super::dissected;

const FIRST: &str = "    1   0.000000     10.0.0.2 → 10.0.0.1     TCP 54 40000 → 7174 [SYN] Seq=0 \
                     Win=4096 Len=0\n";

#[test]
fn lines_are_aligned() {
    let text = dissected(&[]);
    assert!(text.starts_with(FIRST), "{text}");
    assert_eq!(text.lines().count(), 10);
    let arp = text.lines().nth(8).unwrap();
    assert!(arp.starts_with("    9   0.008008 ") && arp.contains(" ARP 42 "), "{arp}");
}

#[test]
fn times() {
    let time = |format: &str| {
        let text = dissected(&["-t", format, "-Y", "frame.number in {1, 4}"]);
        let line = text.lines().nth(1).unwrap().to_owned();
        line[6..line.find("     10.0.0.2").unwrap()].trim().to_owned()
    };
    assert_eq!(time("r"), "0.003003");
    assert_eq!(time("d"), "0.001001");
    assert_eq!(time("dd"), "0.003003");
    assert_eq!(time("e"), "1700000000.003003");
    assert_eq!(time("u"), "22:13:20.003003");
    assert_eq!(time("ud"), "2023-11-14 22:13:20.003003");
    assert_eq!(time("a"), "22:13:20.003003");
    assert_eq!(time("ad"), "2023-11-14 22:13:20.003003");
}

#[test]
fn bytes_alone_and_with_the_line() {
    let rows = "0000  02 00 00 00 00 01 02 00 00 00 00 02 08 00 45 00   ..............E.\n\
                0010  00 28 00 01 40 00 40 06 00 00 0a 00 00 02 0a 00   .(..@.@.........\n\
                0020  00 01 9c 40 1c 06 00 00 03 e7 00 00 00 00 50 02   ...@..........P.\n\
                0030  10 00 00 00 00 00                                 ......\n\n";
    assert_eq!(dissected(&["-x", "-c", "1"]), rows);
    assert_eq!(dissected(&["-x", "-P", "-c", "1"]), format!("{FIRST}\n{rows}"));
    let all = dissected(&["-x", "-V", "-P", "-c", "1"]);
    assert!(all.starts_with(FIRST), "{all}");
    assert!(all.ends_with(&format!("\n\n{rows}")), "{all}");
}

#[test]
fn trees_have_values_names_and_bits() {
    let text = dissected(&["-V", "-c", "2"]);
    for line in [
        "Frame 1: ",
        "    Frame Number: 1\n",
        "    [Protocols in frame: eth:ethertype:ip:tcp]\n",
        "Internet Protocol Version 4, Src: 10.0.0.2, Dst: 10.0.0.1\n",
        "    0100 .... = Version: 4\n",
        "    Protocol: TCP (6)\n",
        "Transmission Control Protocol, Src Port: 40000, Dst Port: 7174, Seq: 0, Len: 0\n",
        "    [Stream index: 0]\n",
        " seconds]\n",
    ] {
        assert!(text.contains(line), "{line:?} in {text}");
    }
    assert!(text.contains("..1. = Syn: "), "{text}");
    assert!(!text.contains("Source or Destination"), "{text}");
    assert!(text.contains("\n\nFrame 2: ") && text.ends_with("]\n\n"), "{text}");
}

/// A capture says what it likes: none of it reaches the terminal as a control character.
#[test]
fn no_control_characters() {
    let text = dissected(&["-V", "-x", "-P"]);
    assert!(!text.chars().any(|character| character.is_control() && character != '\n'));
}
