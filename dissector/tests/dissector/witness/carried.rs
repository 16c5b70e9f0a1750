//! Messages that iWARP carries, once more over plain TCP, where tshark knows them.

use super::sides::{Tshark, Values};
use crate::prelude::*;

/// A message: the ports of its sender and its receiver, and its bytes.
#[derive(Debug, Clone)]
pub(super) struct Carried {
    pub(super) ports: [u16; 2],
    pub(super) bytes: Vec<u8>,
}

impl Carried {
    pub(super) fn new(context: &ItemContext<'_>, bytes: Vec<u8>) -> Self {
        let mut ports = context.connection.ends.map(|end| end.port);
        if context.side.index() == 1 {
            ports.reverse();
        }
        Self { ports, bytes }
    }
}

/// A capture of the same messages over plain TCP, a segment each.
fn over_tcp(messages: &[Carried], server: u16) -> Vec<u8> {
    let mut sequences: HashMap<[u16; 2], u32> = HashMap::new();
    let frame = |message: &Carried| {
        let [from, to] = message.ports;
        let acknowledged = *sequences.get(&[to, from]).unwrap_or(&1);
        let sequence = sequences.entry([from, to]).or_insert(1);
        let mut segment = frames::tcp(0x018, &[], &message.bytes);
        segment[..2].copy_from_slice(&from.to_be_bytes());
        segment[2..4].copy_from_slice(&to.to_be_bytes());
        segment[4..8].copy_from_slice(&sequence.to_be_bytes());
        segment[8..12].copy_from_slice(&acknowledged.to_be_bytes());
        *sequence += message.bytes.len() as u32;
        let mut packet = frames::ipv4(6, &segment);
        if from == server {
            packet[12..20].rotate_left(4);
        }
        frames::whole(frames::ethernet(0x0800, &packet))
    };
    let frames: Vec<(Vec<u8>, u32)> = messages.iter().map(frame).collect();
    frames::pcap(ETHERNET, &frames)
}

/// What we say of a message: of each field its values.
pub(super) type Ours = BTreeMap<&'static str, Vec<String>>;

/// The values of each message, which begins with a layer; `within` are its further layers.
pub(super) fn values_of_each(capture: &Path, begins: &str, within: &[&str]) -> Vec<Ours> {
    let mut messages = Vec::new();
    let mut take = |tree: &Tree| {
        let mut inside = false;
        for node in &tree.nodes {
            if node.field.name == begins {
                messages.push(Ours::new());
            }
            let layer = node.field.name == begins || within.contains(&node.field.name);
            inside = (inside && node.depth > 0) || layer;
            let Some(values) = messages.last_mut().filter(|_| inside) else { continue };
            let mut text = String::new();
            tree.value_text(node, &mut text);
            values.entry(node.field.name).or_default().push(text);
        }
    };
    let mut view = FrameView::new(true, false);
    each_frame(capture, &mut view, |view| take(&view.tree));
    messages
}

/// What tshark says of messages over plain TCP, held against what we say of them.
pub(super) struct Comparison {
    tshark: Tshark,
    /// Where the two may differ.
    accepted: fn(&str, &Ours, &Values) -> bool,
    same: usize,
    open: Vec<String>,
}

impl Comparison {
    /// By the fields of these protocols that both know, but for numbers of frames and times, which the other
    /// capture has otherwise; `None` without tshark.
    pub(super) fn of(
        protocols: &[&str],
        accepted: fn(&str, &Ours, &Values) -> bool,
    ) -> Option<Self> {
        let mut tshark = Tshark::find()?;
        let output = Command::new("tshark").args(["-G", "fields"]).output().unwrap();
        let listing = String::from_utf8_lossy(&output.stdout).into_owned();
        let theirs: BTreeSet<&str> = listing
            .lines()
            .filter_map(|line| line.strip_prefix("F\t")?.split('\t').nth(1))
            .collect();
        tshark.fields = field::all()
            .filter(|field| protocols.contains(&field.protocol()))
            .filter(|field| field.origin == Origin::Wireshark && theirs.contains(field.name))
            .filter(|field| !matches!(field.kind, Kind::FrameNumber | Kind::RelativeTime))
            .filter(|field| !matches!(field.kind, Kind::Protocol | Kind::Heading))
            .collect();
        Some(Self { tshark, accepted, same: 0, open: Vec::new() })
    }

    /// What tshark says of each of these messages.
    pub(super) fn read(&self, name: &str, messages: &[Carried], server: u16) -> Vec<Values> {
        let path = folder("witness-carried").join(format!("{name}.pcap"));
        put(&path, &over_tcp(messages, server));
        self.tshark.read(&path, &[])
    }

    /// Compares a message.
    pub(super) fn message(&mut self, what: &str, ours: &Ours, theirs: &Values) {
        for field in &self.tshark.fields {
            let mine = ours.get(field.name).map_or(&[][..], Vec::as_slice);
            let other: Vec<&str> = theirs.each(field.name).collect();
            if mine == other {
                self.same += mine.len();
            } else if !(self.accepted)(field.name, ours, theirs) {
                let difference = format!("{}: ours {mine:?}, tshark's {other:?}", field.name);
                self.open.push(format!("{what}: {difference}"));
            }
        }
    }

    /// Fails where they differ, or where fewer values than that were compared.
    pub(super) fn assert(self, fewest_values: usize) {
        let shown = self.open.iter().take(60).cloned().collect::<Vec<_>>();
        assert!(self.open.is_empty(), "{} differences\n{}", self.open.len(), shown.join("\n"));
        assert!(self.same >= fewest_values, "only {} values were compared", self.same);
    }
}

/// The shipped captures whose names begin so, with their names.
pub(super) fn captures_named(prefix: &str) -> impl Iterator<Item = (PathBuf, String)> {
    let named = |capture: PathBuf| (captures::name(&capture).to_owned(), capture);
    let all = captures(&["captures"]).into_iter().map(named);
    all.filter(move |(name, _)| name.starts_with(prefix)).map(|(name, capture)| (capture, name))
}
