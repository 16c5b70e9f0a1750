//! The capsules of NVMe over RDMA, field by field.
//!
//! tshark does not look for NVMe on iWARP. It knows NVMe over TCP, whose capsules are the same: each Send of a
//! capture becomes a PDU of its own, and so does the data of a command that is decoded.

use super::carried::{Carried, Comparison, Ours, captures_named, values_of_each};
use super::sides::Values;
use crate::prelude::*;
use warpscope_dissector::ulp::{Detail, nvme::Content};

/// Fewer values than the captures of the repository hold.
const FEWEST_VALUES: usize = 10_000;
/// Types of NVMe/TCP PDUs, and how long their headers are.
const COMMAND: (u8, u8) = (4, 72);
const RESPONSE: (u8, u8) = (5, 24);
const DATA_TO_HOST: (u8, u8) = (7, 24);
const SERVER: u16 = 4420;

/// The messages of a capture as PDUs.
#[derive(Default)]
struct Pdus {
    pdus: Vec<Carried>,
    /// Which PDU each message is.
    of_message: Vec<usize>,
}

/// A PDU: its header up to 8 bytes, the rest of its header, and data.
fn pdu((kind, header): (u8, u8), rest: &[u8], data: &[u8]) -> Vec<u8> {
    let last = if (kind, header) == DATA_TO_HOST { 4 } else { 0 };
    let data_at = if data.is_empty() { 0 } else { header };
    let length = u32::from(header) + data.len() as u32;
    let mut bytes = vec![kind, last, header, data_at];
    bytes.extend(length.to_le_bytes());
    bytes.extend(rest);
    assert_eq!(bytes.len(), usize::from(header));
    bytes.extend(data);
    bytes
}

impl Sink for Pdus {
    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        let Item::Ulp(item) = item else { return };
        let Detail::Nvme(message) = &item.detail else { return };
        // The host began the connection; the controller's port is one that tshark knows.
        let host = context.connection.ends[0].port;
        let from_host = |bytes| Carried { ports: [host, SERVER], bytes };
        let to_host = |bytes| Carried { ports: [SERVER, host], bytes };
        let next = self.pdus.len();
        match message.content {
            Content::Command { .. } => {
                let (entry, data) = item.bytes.split_at(64);
                self.pdus.push(from_host(pdu(COMMAND, entry, data)));
                self.of_message.push(next);
            }
            Content::Completion { .. } => {
                self.pdus.push(to_host(pdu(RESPONSE, &item.bytes[..16], &[])));
                self.of_message.push(next);
            }
            // What was written to the host before its completion.
            Content::Page { asked } if !asked.is_fabrics() => {
                let mut rest = asked.entry()[2..4].to_vec();
                rest.extend([0; 6]);
                rest.extend((item.bytes.len() as u32).to_le_bytes());
                rest.extend([0; 4]);
                self.pdus.insert(next - 1, to_host(pdu(DATA_TO_HOST, &rest, item.bytes)));
                *self.of_message.last_mut().unwrap() = next;
                self.of_message.push(next - 1);
            }
            // What was read from the host: the data of its Connect, in whose PDU they go.
            Content::Page { asked } => {
                let entry = asked.entry();
                let of = self.pdus.iter().rposition(|pdu| pdu.bytes[8..72] == entry[..]).unwrap();
                self.pdus[of].bytes = pdu(COMMAND, entry, item.bytes);
                self.of_message.push(of);
            }
            Content::Unreadable(malformed) => panic!("{malformed}"),
        }
    }
}

/// Where the two may differ, and why.
fn accepted(field: &str, ours: &Ours, theirs: &Values) -> bool {
    let mine = ours.get(field).map_or(&[][..], Vec::as_slice);
    let other: Vec<&str> = theirs.each(field).collect();
    match field {
        // tshark does not show them.
        "nvme.cqe.status.rsvd" | "nvme.fabrics.cqe.sts" => other.is_empty(),
        // Of a property that is decoded tshark shows the decoded value alone.
        "nvme.fabrics.prop_get_set.data.4B" | "nvme.fabrics.prop_get_set.data.8B" => {
            other.is_empty()
        }
        // What a property is, or a feature, tshark shows decoded alone.
        "nvme.cqe.dword0" => other.is_empty(),
        // tshark shows the dwords that a command does not use too, and data that it decodes; we show what is
        // in the capsule.
        "nvme.cmd.dword10" | "nvme.cmd.dword11" | "nvme.cmd.dword12" | "nvme.cmd.dword13"
        | "nvme.cmd.dword14" | "nvme.cmd.dword15" => mine.is_empty(),
        "nvme.data" => mine.is_empty() || other.is_empty(),
        // tshark knows the blocks of Read, Write and Compare alone.
        "nvme.cmd.slba" | "nvme.cmd.nlb" | "nvme.cmd.prinfo" => other.is_empty(),
        // The spaces that fill a field are no part of the name.
        "nvme.cmd.identify.ctrl.mn" | "nvme.cmd.identify.ctrl.sn" => {
            mine.iter().map(|it| it.trim_end()).eq(other.iter().map(|it| it.trim_end()))
        }
        _ => false,
    }
}

#[test]
fn the_capsules_of_nvme_over_rdma_are_as_tshark_says_of_nvme_over_tcp() {
    let Some(mut comparison) = Comparison::of(&["nvme"], accepted) else {
        return missing("tshark", "NVMe is compared");
    };
    for (capture, name) in captures_named("nvme-") {
        let mut pdus = Pdus::default();
        run(&capture, &mut pdus);
        let theirs = comparison.read(&name, &pdus.pdus, SERVER);
        let mut ours = values_of_each(&capture, "nvme-rdma", &["nvme"]);
        // Private data are no PDUs.
        ours.retain(|ours| !ours.keys().any(|field| field.starts_with("nvme-rdma.cm.")));
        assert_eq!((theirs.len(), ours.len()), (pdus.pdus.len(), pdus.of_message.len()), "{name}");
        let mut of_pdu = vec![Ours::new(); theirs.len()];
        for (ours, pdu) in ours.into_iter().zip(&pdus.of_message) {
            for (field, values) in ours {
                of_pdu[*pdu].entry(field).or_default().extend(values);
            }
        }
        for (number, (ours, theirs)) in of_pdu.iter().zip(&theirs).enumerate() {
            let of = ["nvme.cmd.opc", "nvme.fabrics.cmd.fctype"].map(|name| ours.get(name));
            comparison.message(&format!("{name} PDU {number} {of:?}"), ours, theirs);
        }
    }
    comparison.assert(FEWEST_VALUES);
}
