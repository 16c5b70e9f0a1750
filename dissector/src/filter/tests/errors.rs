//! Faults: their places and their words.

use super::fixture::parse;

const NO_VALUE: &str =
    "`x` is not a value for tcp.srcport, which is an unsigned integer of 2 bytes; write 4791";

/// Expression, the part that is blamed, and a part of the message.
const FAULTS: &[(&str, &str, &str)] = &[
    ("tcp.srcprt == 1", "tcp.srcprt", "did you mean `tcp.srcport`?"),
    ("TCP", "TCP", "neither a field nor a protocol"),
    (
        "tcp.srcport-1 == 7173",
        "tcp.srcport-1",
        "a subtraction needs a space, as in `tcp.srcport - 1`",
    ),
    ("\"abc\"", "\"abc\"", "neither a field nor a protocol"),
    ("2", "2", "neither a field nor a protocol"),
    ("tcp && 2", "2", "neither a field nor a protocol"),
    ("1 == 1", "1 == 1", "constants alone are not a test"),
    ("tcp.srcport == \"x\"", "\"x\"", NO_VALUE),
    ("tcp.srcport == \"7174\"", "\"7174\"", "write 4791"),
    ("tcp.srcport == tcp.dstprt", "tcp.dstprt", "did you mean `tcp.dstport`?"),
    ("tcp.srcport == 70000", "70000", "the largest value is 65535"),
    ("tcp.srcport == 08", "08", "not a valid number"),
    ("tcp.srcport == 1e3", "1e3", "not a valid number"),
    ("tcp.srcport == 99999999999999999999", "99999999999999999999", "64 bits"),
    ("tcp.srcport == 7174.0", "7174.0", "not a valid number"),
    ("tcp.srcport == True", "True", "not a value for tcp.srcport"),
    ("iwarp_rdma.opcode == \"Sendx\"", "\"Sendx\"", "did you mean \"Send\"?"),
    ("iwarp_rdma.opcode == \"zzz\"", "\"zzz\"", "write a name such as \"Write\" or 0"),
    ("tcp.flags.syn == -1", "-1", "a Boolean has no sign"),
    ("tcp.flags.syn + 1 == 2", "tcp.flags.syn", "cannot compute"),
    ("tcp.flags.syn == frame.number", "frame.number", "they cannot be compared"),
    ("tcp.srcport == ip.src", "ip.src", "they cannot be compared"),
    ("ip.src == ipv6.src", "ipv6.src", "they cannot be compared"),
    ("tcp == tcp.payload", "tcp.payload", "they cannot be compared"),
    ("frame.protocols == eth", "eth", "they cannot be compared"),
    ("ip.src == ::1", "::1", "an IPv4 address; write 192.0.2.1"),
    ("ip.src == \"10.66.0.1\"", "\"10.66.0.1\"", "without quotes"),
    ("ip.src == 10.66.0.1/33", "10.66.0.1/33", "longer than 32 bits"),
    ("ip.src == 10.66", "10.66", "an IPv4 address"),
    ("ipv6.src == 2001:db8::1/129", "2001:db8::1/129", "longer than 128 bits"),
    ("ip.src + 1 == 10.66.0.2", "ip.src", "+ cannot compute"),
    ("ip.src contains 42", "ip.src", "as in string(ip.src) contains"),
    ("tcp.srcport matches \"7\"", "tcp.srcport", "as in string(tcp.srcport) matches"),
    ("eth.src == ff:ff", "ff:ff", "an Ethernet address"),
    ("tcp.payload contains 0x0102", "0x0102", "01:02:0a"),
    ("frame contains MPA", "MPA", "not a value for frame"),
    ("tcp.analysis == 1", "tcp.analysis", "test only its presence"),
    ("tcp.srcport[0] == 1c", "tcp.srcport", "no bytes to slice"),
    ("frame.protocols matches abc", "abc", "in double quotes"),
    ("frame.protocols matches \"(\"", "\"(\"", "not a valid regular expression: unclosed group"),
    ("frame.protocols contains \"\\q\"", "\\q", "not an escape sequence"),
    ("frame.protocols contains \"\\777\"", "\\777", "not an escape sequence"),
    ("frame.protocols contains \"abc", "\"", "never closed"),
    ("frame.protocols contains 'a", "'", "never closed"),
    ("frame.protocols contains 'ab'", "'ab'", "one byte"),
    ("tcp[0:0] == 00", "0:0", "must be positive"),
    ("tcp[2-1] == 00", "2-1", "ends before it begins"),
    ("tcp[-3-1] == 00", "-3-1", "same sign"),
    ("tcp[1, x] == 00", "x", "not an offset"),
    ("tcp[] == 00", "", "needs a number"),
    ("tcp[0", "[", "never closed"),
    ("tcp]", "]", "closes nothing"),
    ("ip.addr# 1", "#", "number of a layer"),
    ("ip.addr#", "#", "number of a layer"),
    ("(tcp", "(", "parenthesis is never closed"),
    ("tcp and (ip or (udp)", "(", "parenthesis is never closed"),
    ("tcp)", ")", "never opened"),
    ("tcp}", "}", "never opened"),
    ("()", ")", "expected a field"),
    ("(tcp.srcport + 1) * 2 == 14350", "*", "values are grouped by braces"),
    ("tcp.srcport == (7174)", "(", "values are grouped by braces"),
    ("{tcp.srcport == 1}", "==", "expected `}`"),
    ("{tcp.srcport", "{", "brace is never closed"),
    ("tcp and", "", "ends too early"),
    ("and tcp", "and", "unexpected"),
    ("tcp tcp", "tcp", "expected an operator"),
    ("tcp.srcport == ", "", "ends too early"),
    ("tcp.srcport in {}", "}", "unexpected"),
    ("tcp.srcport in {1,}", "}", "unexpected"),
    ("tcp.srcport in {1 2}", "2", "separated by commas"),
    ("tcp.srcport in {1", "{", "never closed"),
    ("tcp.srcport in 7174", "7174", "a set in braces"),
    ("tcp.srcport in {ip.src}", "ip.src", "cannot be compared"),
    ("tcp.srcport = 1", "=", "write =="),
    ("tcp | ip", "|", "write ||"),
    ("tcp ^ ip", "^", "write ^^"),
    ("${tcp.srcport} == 1", "$", "selected packet"),
    ("@tcp.srcport == 1", "@", "raw field"),
    ("any tcp", "", "after any or all"),
    ("len(tcp.payload)", "len(tcp.payload)", "compare it"),
    ("len()", "len", "takes one argument, not 0"),
    ("len(\"abc\") == 3", "\"abc\"", "takes a field"),
    ("foo(tcp) == 1", "foo", "no function `foo`; the functions are len, count"),
    ("lne(tcp) == 1", "lne", "did you mean `len`?"),
    ("uper(frame.protocols) == \"A\"", "uper", "did you mean `upper`?"),
    ("frame contians 01", "contians", "`contians` is not an operator; did you mean `contains`?"),
    ("tcp.port iin {1}", "iin", "did you mean `in`?"),
    ("frame.time_delta > 1xs", "1xs", "write 0.001, 1ms, 250us or -2.5"),
    ("frame.time_delta > 1.5ns", "1.5ns", "not a value for frame.time_delta"),
    ("frame.time_delta > ms", "ms", "not a value for frame.time_delta"),
    ("frame.time_delta > 1e3s", "1e3s", "not a value for frame.time_delta"),
    ("tcp.srcport > 1ms", "1ms", "not a valid number"),
    ("upper(tcp.srcport) == \"A\"", "tcp.srcport", "upper() takes text"),
    ("string(tcp.payload) == \"a\"", "tcp.payload", "a field with a number or an address"),
    ("abs(ip.src) == 1", "ip.src", "a number or a span of time"),
    ("max() == 5", "max", "at least one argument"),
    ("max(tcp.srcport, ip.src) == 4", "ip.src", "cannot be compared"),
    ("tcp.srcport == 1 - 9999999999", "9999999999", "too large"),
];

#[test]
fn places_and_messages() {
    let mut wrong = Vec::new();
    for (text, blamed, message) in FAULTS {
        match parse(text) {
            Ok(_) => wrong.push(format!("{text}: accepted")),
            Err(error) => {
                let shown = text.get(error.span.clone());
                if shown != Some(*blamed) || !error.message.contains(message) {
                    wrong.push(format!("{text}: {shown:?} {}", error.message));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_opener_is_blamed() {
    assert_eq!(parse("tcp and (ip or (udp)").unwrap_err().span, 8..9);
    assert_eq!(parse("tcp tcp").unwrap_err().span, 4..7);
    assert_eq!(parse("tcp and").unwrap_err().span, 7..7);
}

#[test]
fn rendering() {
    let error = parse("tcp and\ttcp.srcprt == 1").unwrap_err();
    assert_eq!(
        error.render(),
        "`tcp.srcprt` is neither a field nor a protocol; did you mean `tcp.srcport`?\n    \
         tcp and tcp.srcprt == 1\n            ^~~~~~~~~~"
    );
    let error = parse("frame.protocols == \"é\" and").unwrap_err();
    assert!(error.render().ends_with(&format!("\n    {}^", " ".repeat(26))), "{}", error.render());
}

#[test]
fn nesting_is_bounded() {
    for (open, close) in [("(", ")"), ("{", "}"), ("abs(", ")")] {
        let text = format!("{}tcp.srcport{}", open.repeat(10_000), close.repeat(10_000));
        assert!(parse(&text).unwrap_err().message.contains("nests deeper"), "{open}");
    }
    let sum = format!("tcp.srcport{} > 0", " + 1".repeat(10_000));
    assert!(parse(&sum).unwrap_err().message.contains("nests deeper"));
    let slices = format!("tcp{}", "[0]".repeat(10_000));
    assert!(parse(&slices).unwrap_err().message.contains("nests deeper"));
    for long in [
        format!("tcp{}", " or tcp".repeat(10_000)),
        format!("{}tcp", "!".repeat(10_000)),
        format!("tcp.srcport{}", " == 7174".repeat(2)),
        format!("tcp.srcport{}", " < tcp.dstport".repeat(10_000)),
        format!("{}tcp{}", "(".repeat(100), ")".repeat(100)),
    ] {
        let _ = parse(&long).map(|filter| filter.matches(&super::fixture::tree()));
    }
}

#[test]
fn the_deepest_expressions_are_evaluated() {
    for (open, close) in [("{", "}"), ("max(", ")"), ("min(1, ", ")"), ("abs(", ")")] {
        let text = format!("{}tcp.srcport{} > 0", open.repeat(98), close.repeat(98));
        assert!(super::fixture::passes(&text), "{open}");
    }
    assert!(super::fixture::passes(&format!("tcp.srcport{} > 0", " + 1".repeat(98))));
    assert!(super::fixture::passes(&format!("tcp{} == 1c", "[0:1]".repeat(98))));
    let mixed = format!("{}tcp{}", "udp or udp xor tcp and (".repeat(99), ")".repeat(99));
    assert!(super::fixture::passes(&mixed));
}

#[test]
fn a_name_without_its_protocol_is_found_in_the_catalogue() {
    for (written, known) in [
        ("opcode == 3", "iwarp_rdma.opcode"),
        ("ulpdulength > 1", "iwarp_mpa.ulpdulength"),
        ("srcport == 7174", "tcp.srcport"),
        ("stag == 1", "iwarp_ddp.stag"),
        ("flags.syn == 1", "tcp.flags.syn"),
    ] {
        let message = crate::filter::Filter::parse(written).unwrap_err().message;
        assert!(message.contains(&format!("did you mean `{known}`?")), "{written}: {message}");
    }
}
