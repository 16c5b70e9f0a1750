//! The rules that traces break which are not made to break them, and why.

/// A rule that a trace breaks, so many times.
pub struct Deviation {
    /// The file's name in `traces/synthetic` or `traces/captures`, without what follows the first dot.
    pub trace: &'static str,
    pub rule: &'static str,
    pub findings: usize,
    pub reason: &'static str,
}

const fn row(
    trace: &'static str,
    rule: &'static str,
    findings: usize,
    reason: &'static str,
) -> Deviation {
    Deviation { trace, rule, findings, reason }
}

const CONTROL: &str = "siw fills each byte of Terminate Control from its low end";
const LENGTH: &str = "siw's DDP Segment Length leaves out the DDP header, and is 0 for Reads";
const ECHO: &str = "siw writes the read size over the MSN of the header that it echoes";
const PAD: &str = "siw pads a short Send with the bytes that stand behind it in its buffer";
const REPLACED: &str = "the capture is about every procedure of RFC 5666 too, and about version 2";
const INVALIDATE: &str = "Linux's NFS server has R clear in its private data (0xf6ab0e18 01 00 03 03), \
    and sends replies with Invalidate all the same, as soon as the client has R set";
const TRUNCATED: &str = "siw's PD_Length loses its high byte: 256 becomes 0 and 259 becomes 3";

/// Every row was read in the bytes and in the document again before it was written here.
pub const TABLE: &[Deviation] = &[
    row("bad-crc", "mpa-crc", 2, "the capture is about wrong CRCs"),
    row("bad-marker", "mpa-marker-pointer", 1, "the capture is about a wrong marker"),
    row("garbage-after-request", "mpa-bytes-after-setup", 2, "the capture is about these bytes"),
    row(
        "setup-variants",
        "mpa-enhanced-needless",
        1,
        "one variant negotiates neither model nor depth",
    ),
    row("rpcordma", "rpc-version", 1, REPLACED),
    row("rpcordma", "rpc-msgp", 1, REPLACED),
    row("rpcordma", "rpc-done", 1, REPLACED),
    row("terminate-all", "rdmap-terminate-missing-header", 2, "one has M alone and one D alone"),
    row("terminate-swapped", "rdmap-terminate-control", 3, "the capture is about these Terminates"),
    row("a5-mpav1", "mpa-pad", 6, PAD),
    row("b2-perftest-crc", "mpa-pad", 28, PAD),
    row("i1-netem-loss-reorder", "mpa-pad", 4, PAD),
    row("a9-rping-gso-crc", "mpa-setup-reserved", 6, "siw asks for large FPDUs by the bit 0x08"),
    row("a9-rping-gso-crc", "mpa-mulpdu", 4, "with that bit siw makes FPDUs as large as GSO takes"),
    row("a9-rping-gso-crc", "mpa-ulpdu-length", 12, "and does not limit them to 64768 bytes"),
    row(
        "b2-perftest-crc",
        "mpa-responder-first",
        1,
        "siw lets its user send as responder before anything came (ib_write_lat)",
    ),
    row("d2-private-data-sizes", "mpa-enhanced-short", 2, TRUNCATED),
    row("d2-private-data-sizes", "mpa-bytes-after-setup", 2, TRUNCATED),
    row(
        "e1-terminate-stock",
        "ddp-to-wrap",
        1,
        "the program that was captured asks for this error",
    ),
    row("e1-terminate-stock", "rdmap-terminate-control", 17, CONTROL),
    row("e1-terminate-stock", "rdmap-terminate-segment-length", 17, LENGTH),
    row("e1-terminate-stock", "rdmap-terminate-echo", 5, ECHO),
    row(
        "e1-terminate-stock",
        "rdmap-terminate-needless-header",
        1,
        "siw calls a TO wrap a local catastrophic error and nests the header",
    ),
    row("g-nfs-v3-cut", "rpc-invalidate-unagreed", 13, INVALIDATE),
    row("g-nfs-v4", "rpc-invalidate-unagreed", 17, INVALIDATE),
];
