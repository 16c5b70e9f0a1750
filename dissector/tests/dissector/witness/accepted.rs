//! Where this project and tshark may differ, and why.

use super::sides::{BETWEEN, PROTOCOLS, Values};
use crate::prelude::*;
use std::fmt;

/// One field of one frame that the two read differently.
#[derive(Debug)]
pub struct Difference<'a> {
    pub capture: &'a str,
    pub field: &'static str,
    pub ours: &'a str,
    pub theirs: &'a str,
    pub our_frame: &'a Values,
    pub their_frame: &'a Values,
    /// Of the frame after.
    pub our_next: &'a Values,
    /// Of the frame before.
    pub their_previous: &'a Values,
    /// Our values of the frames with RPC calls, by XID.
    pub calls: &'a HashMap<&'a str, &'a Values>,
}

/// One accepted kind of difference.
pub struct Accepted {
    /// Patterns of captures, of which one must fit; `*` stands for anything.
    pub captures: &'static str,
    /// Patterns of fields.
    pub fields: &'static str,
    /// The frames and values.
    when: fn(&Difference<'_>) -> bool,
    /// The fact after it.
    pub reason: &'static str,
}

impl fmt::Debug for Accepted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}: {}", self.captures, self.fields, self.reason)
    }
}

/// True when one of the patterns, parted by blanks, fits.
fn fits(patterns: &str, text: &str) -> bool {
    patterns.split(' ').any(|pattern| tshark::fits(pattern, text))
}

impl Accepted {
    /// True when the entry is about this version of tshark.
    pub fn is_for(&self, version: (u32, u32)) -> bool {
        self.fields != RESERVED || version < (4, 6)
    }

    pub fn is_about(&self, capture: &str) -> bool {
        fits(self.captures, capture)
    }

    pub fn covers(&self, difference: &Difference<'_>) -> bool {
        self.is_about(difference.capture)
            && fits(self.fields, difference.field)
            && (self.when)(difference)
    }
}

/// The field whose entry is true of tshark before 4.6 alone.
const RESERVED: &str = "iwarp_mpa.res";
/// The captures whose Sends carry RPC-over-RDMA.
const RPC: &str = "*nfs* *h-mixed-crc-middle* synthetic/rpcordma";
/// The captures of protocols whose port tshark knows as another protocol's.
const OTHERS_PORT: &str = "*smbd-* *nvme-* *iser-*";
/// The captures whose Sends carry SMB Direct.
const SMB: &str = "*smbd-*";
/// The captures that begin within connections.
const MIDDLE: &str = "captures/h-mixed-crc-middle* captures/j1-mid-connection captures/j3-mid-nfs synthetic/mid-connection*";
/// The RPC fields and the list of protocols that names them.
const RPC_FIELDS: &str = "rpc.* frame.protocols";

/// What tshark is told for a capture.
pub fn options(capture: &str) -> Vec<&'static str> {
    // Without it, tshark loses the FPDUs after a segment that came late.
    let mut options = vec!["-o", "tcp.reassemble_out_of_order:TRUE"];
    if fits(OTHERS_PORT, capture) {
        // The protocol's port is another's there.
        options.extend(["-o", "tcp.try_heuristic_first:TRUE"]);
    }
    if !fits(RPC, capture) {
        // It takes every short Send for RPC-over-RDMA.
        options.extend(["--disable-protocol", "rpcordma"]);
    }
    options
}

/// The entries. The first one that covers a difference counts.
pub static ACCEPTED: &[Accepted] = &[
    Accepted {
        captures: "*",
        fields: RESERVED,
        when: |d| {
            let number = |text: &str| u8::from_str_radix(text.trim_start_matches("0x"), 16).ok();
            d.our_frame.of("iwarp_mpa.rev") == "2"
                && number(d.ours).map(|ours| ours | 0x10) == number(d.theirs)
        },
        reason: "S is a flag since revision 2 (RFC 6581 section 6); tshark before 4.6 counts it to the five reserved bits of RFC 5044",
    },
    Accepted {
        captures: "captures/a9-rping-gso-crc",
        fields: "iwarp_mpa.res.not_set0",
        when: |d| d.theirs.is_empty() && d.our_frame.of("iwarp_mpa.res") == "0x08",
        reason: "tshark hangs its expert information on no item of the tree, so that -e does not show it",
    },
    Accepted {
        captures: MIDDLE,
        fields: "*",
        when: silent,
        reason: "tshark reads FPDUs of connections alone whose setup frames it saw",
    },
    Accepted {
        captures: "midway/j3-mid-nfs",
        fields: "rpc.time",
        when: |d| d.ours.is_empty() && d.our_frame.of("rpc.xid") == d.their_frame.of("rpc.xid"),
        reason: "the first reply, before an acknowledgment shows that nothing before it was under way: how long it took is not certain",
    },
    Accepted {
        captures: "midway/*",
        fields: "*",
        when: |d| {
            let fpdus = |values: &Values| values.each("iwarp_mpa.fpdu").count();
            match fpdus(d.our_frame) {
                0 => fpdus(d.their_frame) == 1 && d.our_next.of(d.field).starts_with(d.theirs),
                _ => {
                    let before = d.their_previous.of(d.field);
                    d.field != PROTOCOLS && joined(before, d.theirs) == d.ours
                }
            }
        },
        reason: "within a connection, an FPDU is believed when the one after it shows that it is one: the first is shown in the next frame, with the second",
    },
    Accepted {
        captures: "captures/d2-private-data-sizes synthetic/garbage-after-request",
        fields: "*",
        when: |d| silent(d) && d.our_frame.of("iwarp_mpa.fpdu").is_empty(),
        reason: "bytes after the private data that PD_Length tells, before the connection's other setup frame: shown where the connection ends, as skipped; tshark has no item for them",
    },
    Accepted {
        captures: "synthetic/split-setup synthetic/one-byte-segments",
        fields: "*",
        when: silent,
        reason: "tshark finds a setup frame only where one TCP segment begins with it and holds its 20 bytes, and then nothing of that connection",
    },
    Accepted {
        captures: "synthetic/bad-crc synthetic/large-fpdus synthetic/markers-initiator-only synthetic/markers-responder-only synthetic/vlan",
        fields: "*",
        when: silent,
        reason: "one side alone requires markers, and the other sends them (RFC 5044 section 4.3); tshark looks for markers in both directions",
    },
    Accepted {
        captures: "synthetic/fpdu-ends-on-512 synthetic/packed-markers synthetic/lost-segment-markers synthetic/first-fpdu-missing synthetic/reordered synthetic/several-connections",
        fields: "*",
        when: |d| silent(d) || (no_length(d) && !d.our_frame.of("iwarp_mpa.markers").is_empty()),
        reason: "with markers, tshark takes each TCP segment for one FPDU: others it loses, or reads as FPDUs of no bytes",
    },
    Accepted {
        captures: "synthetic/marker-between-pad-and-crc",
        fields: "iwarp_mpa.pad",
        when: |d| !d.our_frame.of("iwarp_mpa.markers").is_empty() && d.theirs.len() == d.ours.len(),
        reason: "a marker stands between pad and CRC; tshark shows its back pointer as the pad, which RFC 5044 section 4.1 has zero",
    },
    Accepted {
        captures: "synthetic/first-fpdu-missing*",
        fields: "*",
        when: |d| in_part(d, |ours, theirs| ours.ends_with(theirs)),
        reason: "tshark gives up the FPDUs after bytes that the capture does not hold, until a segment begins with one",
    },
    Accepted {
        captures: "synthetic/reordered",
        fields: "*",
        when: |d| in_part(d, |ours, theirs| ours.starts_with(theirs)),
        reason: "a frame that fills a hole completes the FPDUs after it too; with markers tshark loses them",
    },
    Accepted {
        captures: "synthetic/lost-segment-plain",
        fields: "*",
        when: silent,
        reason: "a hole in the capture that no frame fills: tshark waits for it to the end and shows nothing after it",
    },
    Accepted {
        captures: "synthetic/several-connections",
        fields: "iwarp_mpa.* frame.protocols",
        when: |d| {
            !d.our_frame.of("iwarp_mpa.rev").is_empty()
                && (d.field == "iwarp_mpa.fpdu" || d.theirs.is_empty() || d.theirs == "19792")
                && d.their_frame.of("iwarp_mpa.ulpdulength") == "19792"
        },
        reason: "a port used again: tshark keeps the state of the connection before and takes the key of the setup frame (0x4d50, 19792) for a ULPDU_Length",
    },
    Accepted {
        captures: "synthetic/snap-96 synthetic/snap-200",
        fields: "*",
        when: |d| {
            silent(d)
                || (d.their_frame.of("iwarp_ddp.control_field").is_empty()
                    && (d.theirs.is_empty() || fewer_layers(d)))
        },
        reason: "of an FPDU that the capture cut, tshark shows the length alone, or nothing; the headers are in the bytes captured",
    },
    Accepted {
        captures: "synthetic/commit synthetic/ext-v2 synthetic/rfc7306",
        fields: "iwarp_rdma.reserved",
        when: |d| d.theirs.is_empty() && d.ours == "00000000",
        reason: "every untagged message that invalidates nothing has these 32 reserved bits (RFC 7306 section 4, RFC 5040 section 4.1); tshark shows them for the messages of RFC 5040",
    },
    Accepted {
        captures: "synthetic/commit synthetic/ext-v2",
        fields: "iwarp_rdma.opcode iwarp_rdma.rsv",
        when: |d| {
            let first =
                |text: &str| u8::from_str_radix(text.trim_start_matches("0x"), 16).unwrap_or(0);
            let opcode = first(d.our_frame.of("iwarp_rdma.opcode"));
            match d.field {
                "iwarp_rdma.rsv" => opcode >= 0x10 && d.theirs == "0x01" && d.ours == "0x00",
                _ => opcode >= 0x10 && first(d.theirs) == opcode - 0x10,
            }
        },
        reason: "opcodes of five bits (rdma-commit, rdmap-ext-v2): tshark reads four, and the fifth as reserved",
    },
    Accepted {
        captures: "synthetic/ext-v2",
        fields: "iwarp_rdma.rr iwarp_rdma.sink* iwarp_rdma.src* iwarp_rdma.rdmardsz",
        when: |d| d.our_frame.of("iwarp_rdma.opcode") == "0x11",
        reason: "a Read V2 Request (opcode 0x11) has a header of its own (rdmap-ext-v2 section 6.1); tshark reads it as a Read Request",
    },
    Accepted {
        captures: "synthetic/rfc7306",
        fields: "iwarp_rdma.atomic.swap* iwarp_rdma.atomic.compare*",
        when: |d| d.our_frame.of("iwarp_rdma.atomic.opcode") == "1",
        reason: "Swap (code 1) is in RFC 7306's text and the draft before it, not in figure 5; tshark does not know it and shows the Swap words as Compare words",
    },
    Accepted {
        captures: "synthetic/terminate-all",
        fields: "iwarp_rdma.term_ddp_h",
        when: |d| d.ours.len() == 36 && d.theirs.len() == 28 && d.ours.starts_with(d.theirs),
        reason: "the terminated header of an untagged message has 18 bytes (RFC 5040 section 4.8); tshark shows 14",
    },
    Accepted {
        captures: "synthetic/terminate-all",
        fields: "iwarp_rdma.term_rdma_h",
        when: |d| {
            d.our_frame.of("iwarp_rdma.term_ddp_h").len() == 36
                && d.ours.len() == d.theirs.len()
                && d.theirs.get(8..) == d.ours.get(..48)
        },
        reason: "after an untagged header of 18 bytes (RFC 5040 section 4.8), of which tshark takes the last four for the Read Request's first",
    },
    Accepted {
        captures: "synthetic/terminate-all",
        fields: "iwarp_rdma.term_ddp_seg_len",
        when: |d| d.theirs.is_empty() && d.our_frame.of("iwarp_rdma.hdrct_d") == "0",
        reason: "M alone tells that the segment length is valid (RFC 5040 section 4.8); tshark shows it with D alone",
    },
    Accepted {
        captures: "captures/g-nfs-v3*",
        fields: "rpc.programversion",
        when: |d| d.our_frame.of("rpc.program") == "100000" && is_twice(d),
        reason: "the program's version is repeated in the tree of the program; the portmapper is not decoded here",
    },
    Accepted {
        captures: RPC,
        fields: "rpc.program rpc.programversion rpc.procedure",
        when: |d| {
            let call = d.calls.get(d.their_frame.of("rpc.xid"));
            d.ours.is_empty()
                && is_reply(d)
                && call.is_none()
                && d.theirs.split(BETWEEN).all(|value| value == "0")
        },
        reason: "a reply whose call is not in a Send of the capture: tshark shows program, version and procedure 0",
    },
    Accepted {
        captures: RPC,
        fields: RPC_FIELDS,
        when: |d| {
            d.our_frame.of("rpcordma.xid").is_empty()
                && d.our_frame.each("iwarp_rdma.opcode").any(|opcode| opcode == "0x02")
                && (d.field == PROTOCOLS || (d.ours.is_empty() && is_call(d)))
        },
        reason: "the frame in which the last read chunk of a call has been read: tshark shows the call here, with the values that it has in the frame of the Send",
    },
    Accepted {
        captures: RPC,
        fields: "rpc.*",
        when: |d| d.our_frame.of("rpcordma.writes_count") == "1" && is_twice(d),
        reason: "tshark shows a reply twice whose write chunk it has put together",
    },
    Accepted {
        captures: "synthetic/rpcordma",
        fields: "rpc.*",
        when: |d| d.our_frame.of("rpc.xid") == "0x00000004" && ["", "0", "0|0"].contains(&d.theirs),
        reason: "a call in a read chunk at position 0 (RFC 8166 section 3.5.3), which tshark does not put together; so it does not know what the reply answers",
    },
    Accepted {
        captures: "synthetic/rpcordma",
        fields: "rpc.* rpcordma.* frame.protocols",
        when: |d| {
            d.our_frame.of("rpcordma.version") == "2"
                && d.their_frame.of("rpcordma.version").is_empty()
                && (d.theirs.is_empty() || fewer_layers(d))
        },
        reason: "a header of version 2, and the RDMA_ERROR about it, which has that version too (RFC 8166 section 4.5); tshark takes version 1 alone for RPC-over-RDMA",
    },
    Accepted {
        captures: SMB,
        fields: "smb2.fid",
        when: |d| d.our_frame.each("smb2.cmd").any(|command| command == "5") && is_within(d),
        reason: "the FileId of a durable handle, in a context of CREATE: contexts have their names here",
    },
    Accepted {
        captures: SMB,
        fields: "smb2.file_attribute smb2.*.time smb2.filename smb2.allocation_size smb2.eof",
        when: |d| {
            let informs = |command| ["14", "16", "17"].contains(&command);
            d.our_frame.each("smb2.cmd").any(informs) && is_within(d)
        },
        reason: "what QUERY_INFO, SET_INFO and QUERY_DIRECTORY have in their buffers is bytes here",
    },
    Accepted {
        captures: SMB,
        fields: "smb2.flags smb2.ioctl.flags smb2.ioctl.is_fsctl",
        when: |d| {
            let flags = d.our_frame.of("smb2.ioctl.flags");
            d.our_frame.of("smb2.cmd") == "11"
                && match d.field {
                    "smb2.flags" => d.theirs == format!("{}{BETWEEN}{flags}", d.ours),
                    _ => d.theirs.is_empty(),
                }
        },
        reason: "the Flags of an IOCTL Response (MS-SMB2 section 2.2.32) have the name of the header's in tshark",
    },
    Accepted {
        captures: SMB,
        fields: "smb2.error.* smb2.session_flags smb2.ses_flags.*",
        when: |d| {
            d.our_frame.of("smb2.cmd") == "1" && d.our_frame.of("smb2.nt_status") == "0xc000006d"
        },
        reason: "a SESSION_SETUP that fails is answered by an ERROR Response (MS-SMB2 section 2.2.2); tshark reads the layout of a good one",
    },
    Accepted {
        captures: SMB,
        fields: "smb2.tree smb2.share_type smb2.tcon_frame",
        when: |d| d.our_frame.of("smb2.cmd") == "3" && is_within(d),
        reason: "sessions and trees have numbers of their connection; tshark knows those of another connection by them",
    },
];

/// True when tshark shows nothing of iWARP in the frame: no setup frame, and no FPDU.
fn silent(d: &Difference<'_>) -> bool {
    let shown = ["iwarp_mpa.req", "iwarp_mpa.rep", "iwarp_mpa.fpdu", "iwarp_ddp.control_field"];
    let shown = shown.iter().any(|field| !d.their_frame.of(field).is_empty());
    !shown && (d.theirs.is_empty() || fewer_layers(d))
}

/// True for the list of protocols when tshark's has no layer that ours has not.
fn fewer_layers(d: &Difference<'_>) -> bool {
    d.field == PROTOCOLS
        && d.theirs.split(':').all(|layer| d.ours.split(':').any(|our| our == layer))
}

/// True when tshark reads the frame as FPDUs of no bytes.
fn no_length(d: &Difference<'_>) -> bool {
    let mut lengths = d.their_frame.each("iwarp_mpa.ulpdulength").peekable();
    lengths.peek().is_some() && lengths.all(|length| length == "0")
}

/// True when tshark shows some of the frame's FPDUs: some of the values, as `part` has it.
fn in_part(d: &Difference<'_>, part: fn(&str, &str) -> bool) -> bool {
    let count = |values: &Values| values.each("iwarp_mpa.fpdu").count();
    d.theirs.is_empty() && count(d.their_frame) > 0
        || count(d.their_frame) < count(d.our_frame) && part(d.ours, d.theirs)
}

/// True when tshark has all of our values, in order, and others between them.
fn is_within(d: &Difference<'_>) -> bool {
    let mut theirs = d.theirs.split(BETWEEN);
    d.our_frame.each(d.field).all(|ours| theirs.any(|value| value == ours))
}

/// True when tshark shows our value twice.
fn is_twice(d: &Difference<'_>) -> bool {
    !d.ours.is_empty() && d.theirs == format!("{}{BETWEEN}{}", d.ours, d.ours)
}

/// True when tshark shows a reply, or one twice.
fn is_reply(d: &Difference<'_>) -> bool {
    let mut kinds = d.their_frame.each("rpc.msgtyp").peekable();
    kinds.peek().is_some() && kinds.all(|kind| kind == "1")
}

/// Two lists of values as one.
fn joined(first: &str, second: &str) -> String {
    match (first, second) {
        ("", only) | (only, "") => only.to_owned(),
        _ => format!("{first}{BETWEEN}{second}"),
    }
}

/// True when every value that tshark shows is the one of the call with the same XID.
fn is_of_call(d: &Difference<'_>) -> bool {
    d.their_frame.each("rpc.xid").all(|xid| {
        let Some(call) = d.calls.get(xid) else { return false };
        let mut values = d.theirs.split(BETWEEN);
        values.all(|value| call.of(d.field) == value)
    })
}

/// True when tshark shows the values of the call with the same XID.
fn is_call(d: &Difference<'_>) -> bool {
    let Some(call) = d.calls.get(d.their_frame.of("rpc.xid")) else { return false };
    call.of(d.field) == d.theirs || (d.field == "rpc.programversion" && is_of_call(d))
}
