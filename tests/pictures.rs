//! The pictures in docs/ are what the program draws of shipped captures and of a kept run. `make pictures` (UPDATE_DOCS=1)
//! draws them anew.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use warpscope_text::markup;

/// A terminal's picture: its file, the columns, and the commands with what they print.
const SESSIONS: &[(&str, u16, &[&str])] = &[
    (
        "tui.svg",
        132,
        &[
            "warpscope tui e1-terminate-stock.pcap --snapshot messages --theme dark --size 132x36 --keys ']'",
        ],
    ),
    (
        "dissect.svg",
        132,
        &[
            "warpscope dissect -r j3-mid-nfs.pcap.zst -Y 'nfs.opcode == 25' -c 460",
            "warpscope check e1-terminate-stock.pcap --limit 1 --rule rdmap-terminate-echo",
            "warpscope dissect -r e1-terminate-stock.pcap -Y iwarp_rdma.terminate -T fields -e warpscope.op.explanation -c 22",
        ],
    ),
    ("report.svg", 120, &["warpscope conform report ../runs/crc-zero.json"]),
];

/// Pictures that a command writes.
const DRAWN: &[(&str, &str)] =
    &[("ladder.svg", "warpscope follow a8-rping-p2p-crc.pcap.zst 0 --limit 14 --svg")];

/// Width and height of a character, in pixels.
const WIDTH: f64 = 8.4;
const HEIGHT: f64 = 18.0;
/// Rows that a picture has at most.
const MOST: u16 = 72;
/// The colours of a terminal that programs name by number.
const PALETTE: [&str; 16] = [
    "#3b4048", "#f2777a", "#8fd18f", "#e8c266", "#7aa6f0", "#d19ae6", "#66c7cf", "#d0d4da",
    "#7d8590", "#ff9a90", "#a5e3a5", "#ffdc85", "#9dc0ff", "#e3b5f5", "#8ae0e6", "#ffffff",
];
const FRONT: &str = "#d0d4da";
const BACK: &str = "#16191d";

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The words of a command for this program, and their folder.
fn words(command: &str) -> (Vec<String>, PathBuf) {
    let words = shell_words::split(command).unwrap();
    (words.into_iter().skip(1).collect(), root().join("traces/captures"))
}

/// What a command prints in a terminal of so many columns.
fn printed(command: &str, columns: u16) -> Vec<u8> {
    let (words, folder) = words(command);
    let mut builder = CommandBuilder::new(env!("CARGO_BIN_EXE_warpscope"));
    builder.args(words);
    builder.cwd(folder);
    builder.env_remove("NO_COLOR");
    for (name, value) in
        [("TERM", "xterm-256color"), ("LC_ALL", "C.UTF-8"), ("COLORTERM", "truecolor")]
    {
        builder.env(name, value);
    }
    let size = PtySize { rows: MOST, cols: columns, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).unwrap();
    let mut child = pair.slave.spawn_command(builder).unwrap();
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().unwrap();
    let mut bytes = Vec::new();
    // The other end is gone once the program has ended: that is an error here, and no loss.
    let _ = reader.read_to_end(&mut bytes);
    child.wait().unwrap();
    bytes
}

/// A terminal in which these commands were run.
fn session(commands: &[&str], columns: u16) -> vt100::Parser {
    let mut parser = vt100::Parser::new(MOST, columns, 0);
    for command in commands {
        // A screen of the terminal UI stands alone.
        if !command.contains("--snapshot") {
            parser.process(format!("\x1b[1m$ {command}\x1b[0m\r\n").as_bytes());
        }
        let bytes = printed(command, columns);
        let rows = usize::from(MOST - parser.screen().cursor_position().0) - 1;
        for line in bytes.split_inclusive(|byte| *byte == b'\n').take(rows) {
            if parser.screen().cursor_position().0 + 2 < MOST {
                parser.process(line);
            }
        }
    }
    parser
}

/// A colour of the cube of six steps, or of the greys, that follow the 16.
fn beyond(number: u8) -> String {
    let [red, green, blue] = match number {
        232.. => [8 + 10 * (number - 232); 3],
        cube => [36, 6, 1].map(|by| [0, 95, 135, 175, 215, 255][usize::from((cube - 16) / by % 6)]),
    };
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn colour(colour: vt100::Color, default: &str) -> String {
    match colour {
        vt100::Color::Default => default.to_owned(),
        vt100::Color::Idx(number) => {
            PALETTE.get(usize::from(number)).map_or_else(|| beyond(number), |&it| it.to_owned())
        }
        vt100::Color::Rgb(red, green, blue) => format!("#{red:02x}{green:02x}{blue:02x}"),
    }
}

/// The terminal as a picture: for each row its backgrounds, then its text, in runs of one style.
fn picture(parser: &vt100::Parser, title: &str) -> String {
    let screen = parser.screen();
    let (_, columns) = screen.size();
    let filled = screen.rows(0, columns).enumerate().filter(|(_, text)| !text.trim().is_empty());
    let rows = filled.map(|(row, _)| row + 1).last().unwrap_or(0);
    let (width, height) = (f64::from(columns) * WIDTH + 24.0, rows as f64 * HEIGHT + 24.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\">\n<title>{}</title>\n\
         <style>text {{ font: 14px 'DejaVu Sans Mono', Menlo, Consolas, monospace; white-space: pre; }} .b {{ font-weight: \
         bold; }}</style>\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{BACK}\"/>\n",
        markup(title)
    );
    for row in 0..rows as u16 {
        let mut runs: Vec<(u16, String, (String, String, bool))> = Vec::new();
        for column in 0..columns {
            let Some(cell) = screen.cell(row, column) else { continue };
            if cell.is_wide_continuation() {
                continue;
            }
            let (mut front, mut back) =
                (colour(cell.fgcolor(), FRONT), colour(cell.bgcolor(), BACK));
            if cell.inverse() {
                std::mem::swap(&mut front, &mut back);
            }
            let front = if cell.dim() { "#8b939e".to_owned() } else { front };
            let style = (front, back, cell.bold());
            let symbol = if cell.has_contents() { cell.contents() } else { " " };
            match runs.last_mut() {
                Some((_, text, of)) if *of == style => text.push_str(symbol),
                _ => runs.push((column, symbol.to_owned(), style)),
            }
        }
        let y = 12.0 + f64::from(row) * HEIGHT;
        for (column, text, (_, back, _)) in runs.iter().filter(|(.., style)| style.1 != BACK) {
            let (x, width) =
                (12.0 + f64::from(*column) * WIDTH, text.chars().count() as f64 * WIDTH);
            writeln!(svg, "<rect x=\"{x:.1}\" y=\"{y:.0}\" width=\"{width:.1}\" height=\"{HEIGHT}\" fill=\"{back}\"/>").unwrap();
        }
        for (column, text, (front, _, bold)) in &runs {
            let shown = text.trim_end();
            let blanks = shown.len() - shown.trim_start().len();
            let shown = shown.trim_start();
            if shown.is_empty() {
                continue;
            }
            let x = 12.0 + (f64::from(*column) + blanks as f64) * WIDTH;
            let (length, class) =
                (shown.chars().count() as f64 * WIDTH, if *bold { " class=\"b\"" } else { "" });
            let (baseline, shown) = (y + 13.5, markup(shown));
            writeln!(svg, "<text x=\"{x:.1}\" y=\"{baseline:.1}\" textLength=\"{length:.1}\" fill=\"{front}\"{class}>{shown}</text>").unwrap();
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// Latency over time, from the table of operations: a dot an operation, in the colour of its kind; latencies by powers
/// of ten.
fn latency(command: &str) -> String {
    const KINDS: [(&str, &str); 3] =
        [("Read", "#7aa6f0"), ("Write", "#e8c266"), ("Send", "#8fd18f")];
    const PLOT: (f64, f64, f64, f64) = (90.0, 40.0, 860.0, 300.0);
    let (words, folder) = words(command);
    let output =
        Command::new(env!("CARGO_BIN_EXE_warpscope")).args(words).current_dir(folder).output();
    let text = String::from_utf8(output.unwrap().stdout).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let heads = lines.next().unwrap();
    let column = |name: &str| heads.iter().position(|head| *head == name).unwrap();
    let columns = ["kind", "request_first_time", "latency"].map(column);
    let rows = lines.filter_map(|row| {
        let [kind, time, latency] = columns.map(|at| row[at]);
        Some((
            kind.to_owned(),
            time.parse::<i64>().ok()?,
            latency.parse::<f64>().ok().filter(|it| *it > 0.0)?,
        ))
    });
    let rows: Vec<_> = rows.collect();
    let times = rows.iter().map(|(_, time, _)| *time);
    let (first, last) = (times.clone().min().unwrap(), times.max().unwrap());
    let (left, top, width, height) = PLOT;
    // From a microsecond to a second.
    let down = |nanoseconds: f64| top + height * (9.0 - nanoseconds.log10()).clamp(0.0, 6.0) / 6.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 980 390\" role=\"img\">\n<title>{}</title>\n<style>text {{ \
         font: 13px sans-serif; fill: {FRONT}; }}</style>\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{BACK}\"/>\n",
        markup(command)
    );
    for (exponent, name) in
        ["1 \u{b5}s", "10 \u{b5}s", "100 \u{b5}s", "1 ms", "10 ms", "100 ms", "1 s"]
            .iter()
            .enumerate()
    {
        let y = down(10f64.powi(exponent as i32 + 3));
        let (right, text) = (left + width, y + 4.0);
        writeln!(svg, "<path d=\"M{left} {y:.1}H{right}\" stroke=\"#363d47\"/><text x=\"80\" y=\"{text:.1}\" text-anchor=\"end\">{name}</text>").unwrap();
    }
    let span = (last - first).max(1) as f64;
    for second in 0..=(span / 1e9) as u32 {
        let (x, y) = (left + width * f64::from(second) * 1e9 / span, top + height + 22.0);
        writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{second} s</text>")
            .unwrap();
    }
    for (at, (kind, colour)) in KINDS.iter().enumerate() {
        let x = left + at as f64 * 110.0;
        let of = rows.iter().filter(|(of, ..)| of == kind);
        let count = of.clone().count();
        writeln!(svg, "<g fill=\"{colour}\"><circle cx=\"{x:.1}\" cy=\"20\" r=\"4\"/><text x=\"{:.1}\" y=\"25\">{kind} {count}</text>", x + 10.0).unwrap();
        for (_, time, latency) in of {
            let (x, y) = (left + width * (time - first) as f64 / span, down(*latency));
            writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.5\"/>").unwrap();
        }
        svg.push_str("</g>\n");
    }
    svg.push_str("</svg>\n");
    svg
}

fn compare(name: &str, drawn: &str) {
    let path = root().join("docs").join(name);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(path, drawn).unwrap();
        return;
    }
    let there = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        there == drawn,
        "docs/{name} is not what the program draws: make pictures draws it anew"
    );
}

#[test]
fn pictures_are_what_the_program_draws() {
    for (name, columns, commands) in SESSIONS {
        compare(name, &picture(&session(commands, *columns), &commands.join("; ")));
    }
    for (name, command) in DRAWN {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(name);
        let (words, captures) = words(command);
        let mut program = Command::new(env!("CARGO_BIN_EXE_warpscope"));
        let status = program.args(words).arg(&file).current_dir(captures).output().unwrap().status;
        assert!(status.success(), "{command}: {status}");
        compare(name, &fs::read_to_string(file).unwrap());
    }
    compare(
        "latency.svg",
        &latency("warpscope export --to operations --csv - i1-netem-loss-reorder.pcap.zst"),
    );
}

#[test]
fn the_readme_shows_every_picture() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let names = fs::read_dir(root().join("docs")).unwrap().map(|it| it.unwrap().path());
    for path in names.filter(|it| it.extension().is_some_and(|it| it == "svg")) {
        let name = Path::new("docs").join(path.file_name().unwrap()).display().to_string();
        assert!(readme.contains(&format!("]({name})")), "README.md does not show {name}");
    }
}
