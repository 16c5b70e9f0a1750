//! The iSCSI PDUs and SCSI commands in iSER, field by field.
//!
//! tshark does not look for iSER on iWARP. It knows iSCSI over TCP, whose PDUs are the same: each PDU of a
//! capture becomes a TCP segment of its own, and what tshark says of it is held against ours.

use super::sides::{Tshark, Values};
use crate::prelude::*;
use warpscope_dissector::ulp::Detail;

/// Fewer values than the captures of the repository hold.
const FEWEST_VALUES: usize = 15_000;

/// The PDUs of a capture: who sent each, as the ends' ports, and its bytes.
#[derive(Default)]
struct Pdus(Vec<([u16; 2], Vec<u8>)>);

impl Sink for Pdus {
    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        if let Item::Ulp(item) = item
            && matches!(item.detail, Detail::Iser(_))
        {
            let mut ports = context.connection.ends.map(|end| end.port);
            if context.side.index() == 1 {
                ports.reverse();
            }
            self.0.push((ports, item.bytes[28..].to_vec()));
        }
    }
}

/// A capture of the same PDUs over plain TCP, a segment each.
fn over_tcp(pdus: &Pdus) -> Vec<u8> {
    let mut sequences: HashMap<[u16; 2], u32> = HashMap::new();
    let frame = |(ports, pdu): &([u16; 2], Vec<u8>)| {
        let [from, to] = *ports;
        let acknowledged = *sequences.get(&[to, from]).unwrap_or(&1);
        let sequence = sequences.entry(*ports).or_insert(1);
        let mut segment = frames::tcp(0x018, &[], pdu);
        segment[..2].copy_from_slice(&from.to_be_bytes());
        segment[2..4].copy_from_slice(&to.to_be_bytes());
        segment[4..8].copy_from_slice(&sequence.to_be_bytes());
        segment[8..12].copy_from_slice(&acknowledged.to_be_bytes());
        *sequence += pdu.len() as u32;
        let mut packet = frames::ipv4(6, &segment);
        if from == 3260 {
            packet[12..20].rotate_left(4);
        }
        frames::whole(frames::ethernet(0x0800, &packet))
    };
    let frames: Vec<(Vec<u8>, u32)> = pdus.0.iter().map(frame).collect();
    frames::pcap(ETHERNET, &frames)
}

/// The values of each PDU, by field: those between one layer of iSER and the next.
fn ours(capture: &Path) -> Vec<BTreeMap<&'static str, Vec<String>>> {
    let mut pdus = Vec::new();
    let mut take = |tree: &Tree| {
        let mut within = false;
        for node in &tree.nodes {
            if node.field.name == "iser" {
                pdus.push(BTreeMap::new());
            }
            within =
                (within && node.depth > 0) || ["iser", "iscsi", "scsi"].contains(&node.field.name);
            let Some(values) = pdus.last_mut().filter(|_| within) else { continue };
            let mut text = String::new();
            tree.value_text(node, &mut text);
            let values: &mut Vec<String> = values.entry(node.field.name).or_default();
            values.push(text);
        }
    };
    let mut view = FrameView::new(true, false);
    each_frame(capture, &mut view, |view| take(&view.tree));
    pdus
}

/// The fields that both know, but for numbers of frames and times, which the other capture has otherwise.
fn fields() -> Option<Tshark> {
    let mut tshark = Tshark::find()?;
    let output = Command::new("tshark").args(["-G", "fields"]).output().unwrap();
    let listing = String::from_utf8_lossy(&output.stdout).into_owned();
    let theirs: BTreeSet<&str> =
        listing.lines().filter_map(|line| line.strip_prefix("F\t")?.split('\t').nth(1)).collect();
    tshark.fields = field::all()
        .filter(|field| ["iscsi", "scsi", "scsi_sbc"].contains(&field.protocol()))
        .filter(|field| field.origin == Origin::Wireshark && theirs.contains(field.name))
        .filter(|field| !matches!(field.kind, Kind::FrameNumber | Kind::RelativeTime))
        .filter(|field| !matches!(field.kind, Kind::Protocol | Kind::Heading))
        .collect();
    Some(tshark)
}

/// Where the two may differ, and why.
fn accepted(field: &str, ours: &BTreeMap<&str, Vec<String>>, theirs: &Values) -> bool {
    let is = |name: &str, value: &str| ours.get(name).is_some_and(|values| values[0] == value);
    // tshark shows sense data instead of the layer that has the command and its status, and not the
    // padding behind them.
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

#[test]
fn the_pdus_of_iser_are_as_tshark_says_of_iscsi() {
    let Some(tshark) = fields() else { return missing("tshark", "iSCSI is compared") };
    let (mut same, mut open) = (0, Vec::new());
    for capture in captures(&["captures"]) {
        let name = captures::name(&capture).to_owned();
        if !name.starts_with("iser-") {
            continue;
        }
        let mut pdus = Pdus::default();
        run(&capture, &mut pdus);
        let path = folder("witness-iscsi").join(format!("{name}.pcap"));
        put(&path, &over_tcp(&pdus));
        let (theirs, ours) = (tshark.read(&path, &[]), ours(&capture));
        assert_eq!((theirs.len(), ours.len()), (pdus.0.len(), pdus.0.len()), "{name}");
        for (number, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
            for field in &tshark.fields {
                let mine = ours.get(field.name).map_or(&[][..], Vec::as_slice);
                let other: Vec<&str> = theirs.each(field.name).collect();
                if mine == other {
                    same += mine.len();
                } else if !accepted(field.name, ours, theirs) {
                    let opcode = ours.get("iscsi.opcode");
                    open.push(format!(
                        "{name} PDU {number} {opcode:?}: {}: ours {mine:?}, tshark's {other:?}",
                        field.name
                    ));
                }
            }
        }
    }
    let shown = open.iter().take(60).cloned().collect::<Vec<_>>();
    assert!(open.is_empty(), "{} differences\n{}", open.len(), shown.join("\n"));
    assert!(same >= FEWEST_VALUES, "only {same} values were compared");
}
