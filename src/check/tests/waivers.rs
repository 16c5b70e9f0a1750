//! Files of waivers.

use super::super::waivers::Waivers;
use super::{FILL, SEQUENCE, all, found};
use crate::check::run::Selection;

fn parsed(text: &str) -> Waivers {
    Waivers::parse("waivers.yaml", text, &all()).unwrap()
}

fn refused(text: &str) -> String {
    Waivers::parse("waivers.yaml", text, &all()).unwrap_err().to_string()
}

/// What is reported of waivers that were not used, when the rules of `asked` are judged by.
fn unused(waivers: &Waivers, asked: &[&str]) -> Vec<String> {
    let asked: Vec<String> = asked.iter().map(|id| (*id).to_owned()).collect();
    waivers.unused(&Selection::new(&all(), &asked, &[]).unwrap())
}

#[test]
fn a_waiver_covers_what_it_names_and_nothing_else() {
    let sequence = found(&SEQUENCE, 12, None).finding;
    let other_frame = found(&SEQUENCE, 13, None).finding;
    let fill = found(&FILL, 12, None).finding;
    for (narrowed, file, covered) in [
        ("", "a/b.pcap", true),
        ("frame: 12", "a/b.pcap", true),
        ("frame: 11", "a/b.pcap", false),
        ("connection: 3", "a/b.pcap", true),
        ("connection: 0", "a/b.pcap", false),
        ("file: b.pcap", "a/b.pcap", true),
        ("file: '*.pcap'", "/x/y/b.pcap", true),
        ("file: a/*.pcap", "./a/b.pcap", true),
        ("file: ./a/*.pcap", "a/b.pcap", true),
        ("file: '*/b.pcap'", "a/c/b.pcap", false),
        ("file: '**/b.pcap'", "a/c/b.pcap", true),
        ("file: b.pcap", "a/bb.pcap", false),
    ] {
        let text = format!("- rule: ddp-msn-sequence\n  reason: known\n  {narrowed}\n");
        let mut waivers = parsed(&text);
        let reason = waivers.reason(file, &sequence);
        assert_eq!(reason.as_deref() == Some("known"), covered, "{narrowed} {file}");
        assert_eq!(unused(&waivers, &[]).is_empty(), covered, "{narrowed} {file}");
        assert_eq!(waivers.reason(file, &fill), None, "{narrowed}");
        if narrowed.starts_with("frame") {
            assert_eq!(waivers.reason(file, &other_frame), None, "{narrowed}");
        }
    }
    let mut by_requirement = parsed("- {rule: RFC5041-5.3-02, reason: known}");
    assert!(by_requirement.reason("b.pcap", &sequence).is_some());
}

#[test]
fn unused_waivers_are_told_by_their_lines_unless_their_rules_were_not_judged_by() {
    let waivers = parsed(
        "# nothing\n- rule: mpa-fill\n  file: x.pcap\n  frame: 9\n  reason: a\n- rule: ddp-msn-sequence\n  reason: b\n",
    );
    let fill =
        "waivers.yaml:2: the waiver of mpa-fill in x.pcap in frame 9 was not used; remove it";
    let sequence = "waivers.yaml:6: the waiver of ddp-msn-sequence was not used; remove it";
    assert_eq!(unused(&waivers, &[]), [fill, sequence]);
    assert_eq!(unused(&waivers, &["mpa-fill"]), [fill]);
}

#[test]
fn what_cannot_be_followed_is_refused_with_its_place() {
    for (text, start) in [
        ("- rule: [", "1:"),
        ("- rule: mpa-fill\n  reason: x\n  frames: 3\n", "3:3: "),
        ("- rule: mpa-fill\n  reason: x\n  frame: twelve\n", "3:10: "),
        ("- rule: mpa-fill\n", "1:3: the key `reason` is missing"),
        ("- rule: mpa-fill\n  reason: ' '\n", "2:11: the reason is empty"),
        ("- rule: mpa-full\n  reason: x\n", "1:9: mpa-full: no such rule; did you mean mpa-fill?"),
        ("- rule: mpa-fill\n  file: 'a[b'\n  reason: x\n", "2:9: a[b: not a file pattern: "),
        ("rule: mpa-fill\nreason: x\n", "1:1: "),
    ] {
        let refused = refused(text);
        assert!(refused.starts_with(&format!("waivers.yaml:{start}")), "{text:?}: {refused}");
        assert_eq!(refused.lines().count(), 1, "{refused}");
    }
    let two = refused("- rule: a\n  reason: x\n- rule: b\n  reason: x\n");
    assert_eq!(two.lines().count(), 2, "{two}");
}

#[test]
fn a_file_without_waivers_is_one() {
    assert!(unused(&parsed(""), &[]).is_empty());
    assert!(unused(&parsed("# none yet\n"), &[]).is_empty());
    assert!(unused(&parsed("[]"), &[]).is_empty());
}

#[test]
fn waivers_without_any_byte_are_read_or_told_with_a_place() {
    let text = "# What is known of the target.\n- rule: ddp-msn-sequence\n  reason: known\n  file: 'a/*.pcap'\n  \
                frame: 12\n- {rule: ddp-msn-sequence, reason: 'known too', connection: 3}\n";
    assert_eq!(unused(&parsed(text), &["ddp-msn-sequence"]).len(), 2);
    warpscope_traces::without_each_byte(text, |cut| {
        Waivers::parse("a.yaml", cut, &all()).err().map(|error| error.to_string())
    });
}
