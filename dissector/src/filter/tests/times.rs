//! Absolute and relative times.

use super::fixture::parse;
use super::precedence::check;
use crate::filter::literal::{absolute, relative};

#[test]
fn comparisons() {
    check(&[
        ("frame.time == \"2026-01-01 00:00:00.5Z\"", true),
        ("frame.time == \"2026-01-01 00:00:00.500 UTC\"", true),
        ("frame.time == \"2026-01-01T01:00:00.5+01:00\"", true),
        ("frame.time > \"2026-01-01 00:00:00Z\"", true),
        ("frame.time < \"2026-01-01 00:00:01Z\"", true),
        ("frame.time > \"2020-1-1 0:0:0\"", true),
        ("frame.time > 2020-01-01", true),
        ("frame.time > \"Jan 1, 2020 00:00:00\"", true),
        ("frame.time in {\"2020-01-01\" .. \"2030-01-01\"}", true),
        ("frame.time_delta > 0.001", true),
        ("frame.time_delta == 0.0025", true),
        ("frame.time_delta > 0", true),
        ("frame.time_delta > -1", true),
        ("frame.time_delta < 99999999999999999999", true),
        ("frame.time_delta > frame.time_delta", false),
        ("frame.time_delta > 1ms", true),
        ("frame.time_delta > 3ms", false),
        ("frame.time_delta == 2.5ms", true),
        ("frame.time_delta == 2500us", true),
        ("frame.time_delta == 2500µs", true),
        ("frame.time_delta == 2500000ns", true),
        ("frame.time_delta == 0.0025s", true),
        ("frame.time_delta < 2s", true),
        ("frame.time_delta > 2s", false),
        ("frame.time_delta > -1ms", true),
        ("frame.time_delta in {10ns .. 2500us}", true),
        ("frame.time_delta in {10ns..2499us}", false),
        ("abs(frame.time_delta - 3ms) < 1ms", true),
        ("max(frame.time_delta, 5ms) == 5ms", true),
        ("1ms < frame.time_delta < 3ms", true),
        ("frame.time_delta + 500us == 3ms", true),
        // Of the two, one took 750 microseconds and one 1500.
        ("warpscope.op.latency > 1ms", true),
        ("all warpscope.op.latency > 1ms", false),
        ("warpscope.op.latency > 1.5ms", false),
        ("warpscope.op.latency in {700us .. 0.8ms}", true),
        ("max(warpscope.op.latency) == 1500us", true),
    ]);
    for text in [
        "frame.time > 1577836800",
        "frame.time > \"2020-13-01\"",
        "frame.time > \"2020-01-01 00:00:00x\"",
        "frame.time_delta > 0.0000000001",
        "frame.time_delta > 1e-3",
        "frame.time_delta > \"0.5\"",
        "frame.time + 1",
    ] {
        assert!(parse(text).is_err(), "{text}");
    }
}

#[test]
fn absolute_times() {
    for (text, seconds) in [
        ("1970-01-01Z", 0),
        ("2000-02-29 00:00:00Z", 951_782_400),
        ("2026-01-01 00:00:00 -0130", 1_767_231_000),
        ("Nov 12, 1999 08:55:44 UTC", 942_396_944),
    ] {
        assert_eq!(absolute(text), Some(seconds * 1_000_000_000), "{text}");
    }
    for text in
        ["", "2026", "2026-02-29Z", "2026-01-01 25:00Z", "2026-01-01 00:00 +1", "é-01-01", "Nov"]
    {
        assert_eq!(absolute(text), None, "{text}");
    }
}

#[test]
fn relative_times() {
    for (text, nanoseconds) in [
        ("1.000000001", 1_000_000_001),
        ("0.5", 500_000_000),
        ("1ms", 1_000_000),
        ("250us", 250_000),
        ("2s", 2_000_000_000),
        ("1.5ms", 1_500_000),
        ("10ns", 10),
        ("0.000001ms", 1),
        ("99999999999999999999s", i64::MAX),
    ] {
        assert_eq!(relative(text), Some(nanoseconds), "{text}");
    }
    let wrong = "ms s 1.ms .5ms 1.5ns 0.0000001ms 1m 1MS 0x1s .5 5. 1.2.3 0x1 +1";
    for text in wrong.split(' ').chain(["", "1 ms"]) {
        assert_eq!(relative(text), None, "{text}");
    }
}
