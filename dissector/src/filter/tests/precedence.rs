//! How the operators bind, and how many values a test looks at.

use super::fixture::passes;

/// What passes over the test tree, and what does not.
pub(super) fn check(table: &[(&str, bool)]) {
    let wrong: Vec<_> = table.iter().filter(|(text, expected)| passes(text) != *expected).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn presence_and_logic() {
    check(&[
        ("", true),
        ("   ", true),
        ("tcp", true),
        ("udp", false),
        (".tcp", true),
        ("mac-lte", false),
        ("tcp.analysis", true),
        ("tcp.flags.syn", true),
        ("tcp.flags.ack", true),
        ("udp.port", false),
        ("!tcp", false),
        ("!!tcp", true),
        ("not not not tcp", false),
        ("((tcp))", true),
        ("{tcp}", true),
        ("tcp and ip", true),
        ("tcp && udp", false),
        ("tcp or udp", true),
        ("udp || udp.port", false),
        ("tcp xor ip", false),
        ("tcp ^^ udp", true),
        ("tcp xor ip xor eth", true),
        ("udp and tcp or tcp", true),
        ("tcp or tcp and udp", true),
        ("(tcp or tcp) and udp", false),
        ("tcp or tcp xor tcp", true),
        ("(tcp or tcp) xor tcp", false),
        ("tcp xor tcp and udp", true),
        ("(tcp xor tcp) and udp", false),
        ("not udp and udp", false),
        ("not (udp and udp)", true),
        ("not tcp or ip", true),
        ("not tcp.srcport == 7174", false),
        ("!tcp.srcport==7174", false),
        ("not tcp.srcport == 1 and tcp", true),
        ("not tcp.srcport & 1", true),
        ("! tcp.srcport & 1 == 0", false),
    ]);
}

#[test]
fn quantifiers() {
    check(&[
        ("tcp.port == 7174", true),
        ("tcp.port eq 37801", true),
        ("tcp.port any_eq 7174", true),
        ("tcp.port == 1", false),
        ("tcp.port != 7174", false),
        ("tcp.port ne 7174", false),
        ("tcp.port all_ne 7174", false),
        ("tcp.port != 1", true),
        ("udp.port != 1", false),
        ("udp.port == 1", false),
        ("not udp.port == 1", true),
        ("tcp.port ~= 7174", true),
        ("tcp.port !== 7174", true),
        ("tcp.port any_ne 7174", true),
        ("tcp.srcport any_ne 7174", false),
        ("udp.port ~= 1", false),
        ("tcp.port === 7174", false),
        ("tcp.port all_eq 7174", false),
        ("tcp.srcport === 7174", true),
        ("udp.port === 1", false),
        ("any tcp.port == 7174", true),
        ("all tcp.port == 7174", false),
        ("all tcp.port > 7000", true),
        ("all tcp.port > 8000", false),
        ("any tcp.port != 7174", true),
        ("all tcp.port != 7174", false),
        ("any tcp.port === 7174", true),
        ("all tcp.port in {7174}", false),
        ("all tcp.port in {7174, 30000..40000}", true),
        ("any tcp.port in {7174}", true),
        ("all udp.port > 0", false),
        ("tcp.port > 7174", true),
        ("tcp.port < 7174", false),
        ("tcp.port == tcp.srcport", true),
        ("tcp.port != tcp.srcport", false),
        ("tcp.srcport == udp.port", false),
        ("tcp.srcport != udp.port", false),
    ]);
}

#[test]
fn arithmetic() {
    check(&[
        ("tcp.srcport + 1 == 7175", true),
        ("tcp.srcport+1 == 7175", true),
        ("tcp.srcport -1 == 7173", true),
        ("tcp.srcport - 1 == 7173", true),
        ("tcp.srcport*2 == 14348", true),
        ("tcp.srcport/2 == 3587", true),
        ("tcp.srcport / 10 == 717", true),
        ("tcp.srcport%10 == 4", true),
        ("tcp.srcport / 0 == 0", false),
        ("tcp.srcport % 0", false),
        ("{tcp.srcport + 1} * 2 == 14350", true),
        ("tcp.srcport + 1 * 2 == 7176", true),
        ("tcp.srcport - 4 - 70 == 7100", true),
        ("tcp.srcport == 7173 + 1", true),
        ("tcp.srcport == {7173 + 1}", true),
        ("tcp.srcport == 2 * 3587", true),
        ("1 + tcp.srcport == 7175", true),
        ("tcp.srcport & 2", true),
        ("tcp.srcport & 1", false),
        ("tcp.srcport bitwise_and 2", true),
        ("tcp.srcport & 2 == 2", true),
        ("tcp.srcport & 0xff00 == 0x1c00", true),
        // Addition binds more tightly than `&`.
        ("tcp.srcport & 1 + 1", true),
        ("tcp.srcport & 0xff00 + 1 == 0x1c00", true),
        ("tcp.srcport & 7 == tcp.dstport & 7", false),
        ("tcp.srcport + 1", true),
        ("tcp.srcport * 0", false),
        ("tcp.srcport - 7174", false),
        ("udp.port + 1", false),
        ("-tcp.srcport == -7174", true),
        ("- tcp.srcport < 0", true),
        ("-{tcp.srcport - 8000} > 0", true),
        ("tcp.srcport == +7174", true),
        ("tcp.srcport - 8000 == -826", true),
        ("tcp.srcport - 8000 < 0", true),
        ("{tcp.srcport - 8000} * 2 == -1652", true),
        ("{tcp.srcport - 8000} + 9000 == 8174", true),
        // The sign of the left side decides how the bits are compared.
        ("tcp.srcport == -1", false),
        ("tcp.srcport > -5", false),
        ("tcp.dstport > {tcp.srcport - 8000}", false),
        ("{tcp.srcport - 8000} < tcp.dstport", true),
        ("tcp.srcport + 65535 > 65535", true),
        ("tcp.srcport * 10 == 71740", true),
        // What does not fit in 32 bits has no value.
        ("tcp.seq_raw + 4294967295", false),
        ("tcp.seq_raw + tcp.seq_raw > 0", false),
        ("tcp.seq_raw - 4294967295 < 0", true),
        ("tcp.srcport - 4294967295 < 0", false),
        ("tcp.seq_raw - 1 > 0", true),
        ("iwarp_ddp.tagged_offset + 1 == 0x100000002", true),
        ("tcp.srcport + frame.number == 7181", true),
        ("ip.src & 255.0.0.0 == 10.0.0.0", true),
        ("ip.src & 0.0.0.0", false),
        ("eth.src & 02:00:00:00:00:00", true),
        ("eth.src & 01:00:00:00:00:00", false),
        ("tcp.payload & 4d", true),
        ("tcp.payload & 00", false),
        ("frame.time_delta + 1 > 1", true),
        ("frame.time_delta - 1 < 0", true),
    ]);
}

#[test]
fn chains() {
    check(&[
        ("7000 < tcp.srcport < 8000", true),
        ("7000 < tcp.srcport < 7100", false),
        ("7174 == tcp.srcport", true),
        ("frame.number < tcp.srcport < tcp.dstport", true),
        ("tcp.srcport < tcp.dstport < frame.number", false),
        ("tcp.srcport == tcp.srcport == 7174", true),
    ]);
}
