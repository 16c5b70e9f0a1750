//! The frames that pass, as either analyzer has them.

use super::table::Row;
use crate::prelude::*;
use warpscope_dissector::filter::Filter;

/// Numbers of frames.
pub(crate) type Frames = BTreeSet<u64>;

pub(crate) fn frame_count(capture: &Path) -> usize {
    all_frames(capture).len()
}

/// The frames of a capture that pass each row's expression.
pub(crate) fn ours(capture: &Path, rows: &[&Row]) -> Vec<Frames> {
    let parse = |row: &&Row| Filter::parse(&row.expression);
    let parse = |row| parse(row).unwrap_or_else(|error| panic!("{}", error.render()));
    let filters: Vec<Filter> = rows.iter().map(parse).collect();
    let mut found = vec![Frames::new(); filters.len()];
    let mut take = |view: &FrameView| {
        for (filter, frames) in filters.iter().zip(&mut found) {
            if filter.matches(&view.tree) {
                frames.insert(view.number);
            }
        }
    };
    let mut view = FrameView::new(true, false);
    each_frame(capture, &mut view, |view| take(view));
    while view.next_late() {
        take(&view);
    }
    found
}

/// The other analyzer, with the script that runs many filters at once.
pub(crate) struct Tshark;

impl Tshark {
    /// `None` when there is none, one without Lua, or one whose language is another than 4.0's.
    pub(crate) fn find() -> Option<Self> {
        let output = Command::new("tshark").arg("--version").output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).replace('\n', " ");
        let language = text.split_whitespace().any(|word| word.starts_with("4.0."));
        (language && text.contains("with Lua")).then_some(Self)
    }

    /// The frames that pass each row's expression, or why tshark refuses it.
    pub(crate) fn frames(
        &self,
        name: &str,
        capture: &Path,
        rows: &[&Row],
    ) -> Vec<Result<Frames, String>> {
        let (capture, folder) = (plain(capture, "filters"), folder("filters"));
        let list = folder.join(format!("{name}-{}.txt", rows.len()));
        let expressions = rows.iter().map(|row| format!("{}\n", row.expression));
        put(&list, expressions.collect::<String>().as_bytes());
        let mut command = Command::new("tshark");
        command.args(["-n", "-q", "-r"]).arg(&capture);
        // As the comparison of fields does: nothing is lost after a late segment, and short Sends
        // are RPC-over-RDMA only where it is spoken.
        command.args(["-o", "tcp.reassemble_out_of_order:TRUE"]);
        if !["nfs", "h-mixed-crc-middle", "rpcordma"].iter().any(|part| name.contains(part)) {
            command.args(["--disable-protocol", "rpcordma"]);
        }
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dissector/filters/taps.lua");
        command.arg("-X").arg(format!("lua_script:{}", script.display()));
        command.env("WARPSCOPE_FILTERS", &list);
        // Nobody's own preferences.
        command.env("WIRESHARK_CONFIG_DIR", folder);
        let output = command.stderr(Stdio::null()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut found = vec![Err("nothing".to_owned()); rows.len()];
        for line in text.lines() {
            let Some((number, rest)) = line.split_once('\t') else { continue };
            let number: usize = number.parse().unwrap();
            let frames: Result<Frames, _> = rest.split_whitespace().map(str::parse).collect();
            found[number - 1] = frames.map_err(|_| rest.to_owned());
        }
        found
    }
}
