//! The iSCSI PDUs and SCSI commands in iSER, field by field.
//!
//! tshark does not look for iSER on iWARP. It knows iSCSI over TCP, whose PDUs are the same: each PDU of a
//! capture becomes a TCP segment of its own, and what tshark says of it is held against ours.

use super::carried::{Carried, Comparison, Ours, captures_named, values_of_each};
use super::sides::Values;
use crate::prelude::*;
use warpscope_dissector::ulp::Detail;

/// Fewer values than the captures of the repository hold.
const FEWEST_VALUES: usize = 15_000;
const PORT: u16 = 3260;

/// Where the two may differ, and why.
fn accepted(field: &str, ours: &Ours, theirs: &Values) -> bool {
    let is = |name: &str, value: &str| ours.get(name).is_some_and(|values| values[0] == value);
    // tshark shows sense data instead of the layer that has the command and its status, and not the
    // padding after them.
    let sense = is("iscsi.opcode", "0x21") && ours.contains_key("scsi.sns.key");
    match field {
        // tshark repeats them in layers that it makes of data and of answers.
        "scsi.lun" | "scsi_sbc.opcode" | "scsi.spc.opcode" => {
            let mine: BTreeSet<&str> =
                ours.get(field).into_iter().flatten().map(String::as_str).collect();
            let other: BTreeSet<&str> = theirs.each(field).collect();
            mine == other || sense || (is("iscsi.opcode", "0x05") && mine.is_subset(&other))
        }
        "scsi.status" | "iscsi.padding" => sense,
        // tshark leaves out both of the response of a task management function.
        "iscsi.totalahslength" | "iscsi.datasegmentlength" => is("iscsi.opcode", "0x22"),
        // tshark reads how a unit is addressed where a NOP-In has none: all ones, beside no tag.
        "scsi.lun.address_mode" => {
            is("iscsi.opcode", "0x20") && is("iscsi.targettransfertag", "0xffffffff")
        }
        // tshark calls the blocks of a WRITE SAME(10) an allocation length.
        "scsi_sbc.rdwr10.xferlen" => is("scsi_sbc.opcode", "0x41"),
        _ => false,
    }
}

/// The PDUs of a capture, without their iSER headers.
#[derive(Default)]
struct Pdus(Vec<Carried>);

impl Sink for Pdus {
    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        if let Item::Ulp(item) = item
            && matches!(item.detail, Detail::Iser(_))
        {
            self.0.push(Carried::new(context, item.bytes[28..].to_vec()));
        }
    }
}

#[test]
fn the_pdus_of_iser_are_as_tshark_says_of_iscsi() {
    let Some(mut comparison) = Comparison::of(&["iscsi", "scsi", "scsi_sbc"], accepted) else {
        return missing("tshark", "iSCSI is compared");
    };
    for (capture, name) in captures_named("iser-") {
        let mut pdus = Pdus::default();
        run(&capture, &mut pdus);
        let theirs = comparison.read(&name, &pdus.0, PORT);
        let ours = values_of_each(&capture, "iser", &["iscsi", "scsi"]);
        assert_eq!((theirs.len(), ours.len()), (pdus.0.len(), pdus.0.len()), "{name}");
        for (number, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
            let opcode = ours.get("iscsi.opcode");
            comparison.message(&format!("{name} PDU {number} {opcode:?}"), ours, theirs);
        }
    }
    comparison.assert(FEWEST_VALUES);
}
