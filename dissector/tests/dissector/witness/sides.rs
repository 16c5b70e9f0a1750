//! What either analyzer says about every frame of a capture, as lists of values by field.

use crate::support::captures;
use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use warpscope_dissector::capture::CaptureReader;
use warpscope_dissector::dissect::FrameView;
use warpscope_dissector::field::{self, Field, Kind, Origin};
use warpscope_dissector::pipeline::Pipeline;
use warpscope_dissector::tree::Tree;

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
        for field in fields.iter().filter(|field| field.kind == Kind::FrameNumber) {
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
        all.push_str(&normal(field, value));
    }
}

/// The name of the field that lists a frame's protocols.
pub const PROTOCOLS: &str = "frame.protocols";
const COMPARED_PROTOCOLS: [&str; 4] = ["iwarp_mpa", "iwarp_ddp_rdmap", "rpcordma", "rpc"];

/// A value in the form that does not depend on tshark's version: Booleans are 1 and 0 up to 4.0,
/// `True` and `False` since; of the protocols, those that both decode.
fn normal(field: &Field, value: &str) -> String {
    match (field.kind, value) {
        (Kind::Boolean | Kind::Heading, "True") => "1".to_owned(),
        (Kind::Boolean | Kind::Heading, "False") => "0".to_owned(),
        _ if field.name == PROTOCOLS => {
            let mut kept: Vec<&str> =
                value.split(':').filter(|name| COMPARED_PROTOCOLS.contains(name)).collect();
            // The layers above a TCP segment's first FPDU repeat for the others.
            kept.sort_unstable();
            kept.dedup();
            kept.join(":")
        }
        _ => value.to_owned(),
    }
}

/// The other analyzer's version and the fields that it knows.
#[derive(Debug)]
pub struct Tshark {
    /// Major and minor.
    pub version: (u32, u32),
    /// The fields that are compared: those that both know.
    pub fields: Vec<&'static Field>,
}

impl Tshark {
    /// Asks tshark; `None` when there is none.
    pub fn find() -> Option<Self> {
        let output = Command::new("tshark").arg("--version").output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let version = version(&text).expect("tshark tells its version");
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
                ["iwarp_mpa", "iwarp_ddp", "iwarp_rdma", "rpcordma", "rpc"]
                    .contains(&field.protocol())
                    || field.name == PROTOCOLS
            })
            // The protocols' own headings (iwarp_ddp, iwarp_rdma) have no dot and no value.
            .filter(|field| field.name.contains('.') && theirs.contains(&field.name))
            .collect();
        Some(Self { version, fields })
    }

    /// What it says about a capture.
    pub fn read(&self, capture: &Path, options: &[&str]) -> Vec<Values> {
        let mut command = Command::new("tshark");
        command.args(["-n", "-r"]).arg(capture).args(["-T", "fields", "-E", "separator=/t"]);
        command.args(["-E", "occurrence=a", "-E"]).arg(format!("aggregator={BETWEEN}"));
        command.args(options);
        // Nobody's own preferences.
        command.env("WIRESHARK_CONFIG_DIR", env!("CARGO_TARGET_TMPDIR"));
        for field in &self.fields {
            command.args(["-e", field.name]);
        }
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let output = BufReader::with_capacity(1 << 20, child.stdout.take().unwrap());
        let frames = output.lines().map(|line| {
            let mut values = Values::default();
            for (field, all) in self.fields.iter().zip(line.unwrap().split('\t')) {
                all.split(BETWEEN).filter(|value| !value.is_empty()).for_each(|value| {
                    values.append(field, value);
                });
            }
            values
        });
        let frames = frames.collect();
        assert!(child.wait().unwrap().success(), "tshark cannot read {}", capture.display());
        frames
    }
}

/// Major and minor version from `TShark (Wireshark) 4.0.17 (...)`.
fn version(text: &str) -> Option<(u32, u32)> {
    let numbers =
        text.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
    let mut numbers = numbers.split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

/// What we say about a capture.
pub fn ours(capture: &Path, fields: &[&'static Field]) -> Vec<Values> {
    let wanted: HashMap<&str, &'static Field> =
        fields.iter().map(|field| (field.name, *field)).collect();
    let mut text = String::new();
    let mut take = |tree: &Tree, values: &mut Values, late: bool| {
        for node in &tree.nodes {
            let Some(field) = wanted.get(node.field.name) else { continue };
            if late && field.name == PROTOCOLS && values.has_iwarp() {
                continue;
            }
            text.clear();
            tree.value_text(node, &mut text);
            values.append(field, &text);
        }
    };
    let mut reader = CaptureReader::open(capture).unwrap();
    let mut pipeline = Pipeline::default();
    let mut view = FrameView::new(true, false);
    let mut frames = Vec::new();
    while let Some(frame) = reader.next_frame().unwrap() {
        pipeline.frame(&frame, &mut view);
        let mut values = Values::default();
        take(&view.tree, &mut values, false);
        frames.push(values);
    }
    pipeline.finish(&mut view);
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

/// The capture as a file that is not compressed.
pub fn plain(capture: &Path) -> PathBuf {
    if capture.extension().is_none_or(|end| end != "zst") {
        return capture.to_owned();
    }
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("witness-iwarp");
    std::fs::create_dir_all(&directory).unwrap();
    let path = directory.join(capture.file_stem().unwrap());
    let bytes = zstd::decode_all(std::fs::File::open(capture).unwrap()).unwrap();
    std::fs::write(&path, bytes).unwrap();
    path
}
