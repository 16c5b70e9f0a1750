//! What either analyzer says about every frame of a capture, as lists of values by field.

use crate::prelude::*;

/// Between two values of one field in one frame.
pub const BETWEEN: char = '|';

/// One frame's values: of each field that has any, all of them in order, joined by [`BETWEEN`].
#[derive(Debug, Default, Clone)]
pub struct Values(HashMap<&'static str, String>);

impl Values {
    /// The values of a field, joined; empty when there is none.
    pub fn of(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    /// Each value of a field.
    pub fn each(&self, name: &str) -> impl Iterator<Item = &str> {
        self.of(name).split(BETWEEN).filter(|value| !value.is_empty())
    }

    /// True when the frame holds an FPDU or a setup frame.
    pub fn has_iwarp(&self) -> bool {
        self.of(PROTOCOLS).contains("iwarp_mpa")
    }

    /// Counts frames from after the first `added` ones.
    pub fn count_from(&mut self, added: usize, fields: &[&'static Field]) {
        // Not those of TCP, which knows the frames in front.
        let counts = |field: &&&Field| field.kind == Kind::FrameNumber && field.protocol() != "tcp";
        for field in fields.iter().filter(counts) {
            let Some(all) = self.0.get_mut(field.name) else { continue };
            let numbers = all.split(BETWEEN).map(|number| number.parse::<usize>().unwrap() - added);
            *all = numbers.map(|number| number.to_string()).collect::<Vec<_>>().join("|");
        }
    }

    fn append(&mut self, field: &'static Field, value: &str) {
        let all = self.0.entry(field.name).or_default();
        if !all.is_empty() {
            all.push(BETWEEN);
        }
        all.push_str(value);
    }
}

/// The name of the field that lists a frame's protocols.
pub const PROTOCOLS: &str = "frame.protocols";
const COMPARED_PROTOCOLS: [&str; 6] =
    ["iwarp_mpa", "iwarp_ddp_rdmap", "rpcordma", "rpc", "smb_direct", "smb2"];

/// The other analyzer's version and the fields that it knows.
#[derive(Debug)]
pub struct Tshark {
    /// Major and minor.
    pub version: (u32, u32),
    /// The fields that are compared: those that both know.
    pub fields: Vec<&'static Field>,
    /// Of the list of protocols, those that are compared, in no order; else all, in theirs.
    pub protocols: Option<&'static [&'static str]>,
}

impl Tshark {
    /// Asks tshark; `None` when there is none.
    pub fn find() -> Option<Self> {
        let version = tshark::version()?;
        let output = Command::new("tshark").args(["-G", "fields"]).output().unwrap();
        let listing = String::from_utf8_lossy(&output.stdout).into_owned();
        let theirs: Vec<&str> = listing
            .lines()
            .filter(|line| line.starts_with("F\t"))
            .filter_map(|line| line.split('\t').nth(2))
            .collect();
        let fields = field::all()
            .filter(|field| field.origin == Origin::Wireshark && field.kind != Kind::Protocol)
            .filter(|field| {
                ["iwarp_mpa", "iwarp_ddp", "iwarp_rdma", "rpcordma", "rpc", "smb_direct", "smb2"]
                    .contains(&field.protocol())
                    || field.name == PROTOCOLS
                    || field.name.starts_with("tcp.analysis.")
            })
            // The protocols' own headings (iwarp_ddp, iwarp_rdma) have no dot and no value.
            .filter(|field| field.name.contains('.') && theirs.contains(&field.name))
            .collect();
        Some(Self { version, fields, protocols: Some(&COMPARED_PROTOCOLS) })
    }

    /// What it says about a capture.
    pub fn read(&self, capture: &Path, options: &[&str]) -> Vec<Values> {
        let names: Vec<&str> = self.fields.iter().map(|field| field.name).collect();
        let frame = |line: &String| {
            let mut values = Values::default();
            for (field, all) in self.fields.iter().zip(line.split('\t')) {
                for value in all.split(BETWEEN).filter(|value| !value.is_empty()) {
                    values.append(field, &self.normal(field, value));
                }
            }
            values
        };
        tshark::lines(capture, options, &names).iter().map(frame).collect()
    }

    /// A value in the form that does not depend on tshark's version: Booleans are 1 and 0 up to 4.0,
    /// `True` and `False` since; of the protocols, those that are compared.
    fn normal(&self, field: &Field, value: &str) -> String {
        match (field.kind, value) {
            (Kind::Boolean | Kind::Heading, "True") => "1".to_owned(),
            (Kind::Boolean | Kind::Heading, "False") => "0".to_owned(),
            _ if field.name == PROTOCOLS && self.protocols.is_some() => {
                let compared = self.protocols.unwrap_or_default();
                let mut kept: Vec<&str> =
                    value.split(':').filter(|name| compared.contains(name)).collect();
                // The layers above a TCP segment's first FPDU repeat for the others.
                kept.sort_unstable();
                kept.dedup();
                kept.join(":")
            }
            _ => value.to_owned(),
        }
    }
}

/// What we say about a capture.
pub fn ours(capture: &Path, tshark: &Tshark) -> Vec<Values> {
    let wanted: HashMap<&str, &'static Field> =
        tshark.fields.iter().map(|field| (field.name, *field)).collect();
    let mut text = String::new();
    let mut take = |tree: &Tree, values: &mut Values, late: bool| {
        for node in &tree.nodes {
            let Some(field) = wanted.get(node.field.name) else { continue };
            if late && field.name == PROTOCOLS && values.has_iwarp() {
                continue;
            }
            text.clear();
            tree.value_text(node, &mut text);
            values.append(field, &tshark.normal(field, &text));
        }
    };
    let mut frames = Vec::new();
    let mut view = FrameView::new(true, false);
    each_frame(capture, &mut view, |view| {
        let mut values = Values::default();
        take(&view.tree, &mut values, false);
        frames.push(values);
    });
    while view.next_late() {
        take(&view.tree, &mut frames[view.number as usize - 1], true);
    }
    frames
}

/// Every capture of the repository, by name without endings.
pub fn captures() -> Vec<(String, PathBuf)> {
    ["captures", "synthetic"]
        .into_iter()
        .flat_map(|directory| {
            let named =
                move |path: PathBuf| (format!("{directory}/{}", captures::name(&path)), path);
            captures::captures(&[directory]).into_iter().map(named)
        })
        .collect()
}
