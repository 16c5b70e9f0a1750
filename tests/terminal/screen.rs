//! What is on the screen, and what keys, the mouse and the environment do.

use super::terminal::{Terminal, tui};
use super::{shared, terminates};
use portable_pty::CommandBuilder;
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

#[test]
fn a_capture_is_looked_at_and_left() {
    let mut terminal = Terminal::open(terminates(), "10.66.0.2:59004");
    terminal.press("2").wait_for("MPA Request Rev=2");
    terminal.press("?").wait_for("Keys in messages");
    terminal.press("q").wait_for("Tab panes");
    terminal.quit();
    assert!(!terminal.own_screen() && terminal.is_as_before());
}

#[test]
fn a_file_alone_is_looked_at() {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_warpscope"));
    command.arg(terminates());
    let mut terminal = Terminal::start(command);
    terminal.wait_for("Terminate by responder");
    terminal.quit();
}

#[test]
fn who_says_nothing_is_told_what_there_is() {
    let command = CommandBuilder::new(env!("CARGO_BIN_EXE_warpscope"));
    let mut terminal = Terminal::start(command);
    assert!(terminal.end().success());
    let screen = terminal.screen();
    assert!(screen.trim_end().lines().count() <= 10, "{screen}");
    assert!(screen.contains("warpscope FILE  ") && screen.contains("warpscope help"), "{screen}");
}

#[test]
fn the_screen_follows_the_size_of_the_terminal() {
    let mut terminal = Terminal::open(terminates(), "308 frames");
    for (columns, rows, expected) in [
        (30, 8, "too small: 40x10"),
        (60, 15, "initiator"),
        (40, 10, "flow"),
        (200, 60, "in flight"),
    ] {
        terminal.resize(columns, rows);
        terminal.wait_for(expected);
    }
    terminal.resize(1, 1);
    terminal.press("2jG\t");
    terminal.resize(80, 24);
    terminal.wait_for("frame 304: iwarp_mpa");
    terminal.press("\u{c}").wait_for("iWARP Marker Protocol");
    terminal.quit();
}

#[test]
fn a_change_of_size_while_it_starts_counts() {
    for step in 0..25 {
        let mut terminal = Terminal::start(tui(terminates()));
        sleep(Duration::from_millis(2 * step));
        terminal.resize(30, 8);
        terminal.wait_for("too small: 40x10");
        terminal.quit();
    }
}

#[test]
fn keys_that_come_with_a_change_of_size_count() {
    let mut terminal = Terminal::open(terminates(), "308 frames");
    terminal.press("2").wait_for("1/85");
    for round in 1..60 {
        terminal.resize(80 + round % 2, 24);
        terminal.press("j").wait_for(&format!(" {}/85", round + 1));
    }
}

#[test]
fn keys_of_one_burst_are_not_lost() {
    let mut terminal = Terminal::open(terminates(), "308 frames");
    // The tree of the row is not there yet when the keys that go down in it come.
    terminal.press("2jjj\tjjj=").wait_for("frames: iwarp_mpa.crc == ");
    terminal.quit();
}

#[test]
fn a_locale_without_unicode_gets_ascii() {
    let mut command = tui(terminates());
    command.env("LC_ALL", "C");
    let mut terminal = Terminal::start(command);
    terminal.wait_for("308 frames");
    terminal.press("5").wait_for("TCP SYN");
    terminal.press("2\t").wait_for("MPA Request");
    let written = terminal.written();
    assert!(written.is_ascii(), "{written}");
}

#[test]
fn no_color_is_heeded() {
    let folder = Arc::new(tempfile::tempdir().unwrap());
    let coloured = |no_color: Option<&str>| {
        let mut command = tui(terminates());
        command.env("NO_COLOR", no_color.unwrap_or_default());
        let mut terminal = Terminal::remembering(command, folder.clone());
        terminal.wait_for("308 frames");
        terminal.quit();
        let written = terminal.written();
        ["\u{1b}[38;", "\u{1b}[48;", ";38;", ";48;"].iter().any(|code| written.contains(code))
    };
    // For one session: what was not chosen inside is not remembered.
    assert!(coloured(None) && !coloured(Some("1")) && coloured(None));
}

#[test]
fn the_theme_suits_the_background_of_the_terminal() {
    // Ordinary text in the dark theme, and in the light one.
    let [dark, light] = ["38;5;252", "38;5;235"];
    for (background, environment, expected) in [
        ("0000/2b2b/3636", "0;15", dark),
        ("fdfd/f6f6/e3e3", "15;0", light),
        ("unknown", "0;15", light),
        ("unknown", "15;0", dark),
        // It answers nothing at all: that is waited for a short time.
        ("silent", "0;15", light),
    ] {
        let mut command = tui(terminates());
        command.env("TEST_BACKGROUND", background);
        command.env("COLORFGBG", environment);
        let mut terminal = Terminal::start(command);
        terminal.wait_for("308 frames");
        terminal.quit();
        let written = terminal.written();
        assert!(written.contains("]11;?") && written.contains(expected), "{background}");
        let other = if expected == dark { light } else { dark };
        assert!(!written.contains(other), "{background}");
    }
}

#[test]
fn sixteen_colours_are_enough() {
    let mut command = tui(terminates());
    command.env("TERM", "linux");
    let mut terminal = Terminal::start(command);
    terminal.wait_for("308 frames");
    terminal.quit();
    let written = terminal.written();
    // The emulated library writes a named colour as one of 256 below 16.
    let large = |rest: &str| {
        rest.split(['m', ';']).next().is_some_and(|it| it.len() > 2 || it > "15" && it.len() == 2)
    };
    assert!(!written.split("8;5;").skip(1).any(large), "{written}");
}

#[test]
fn the_mouse_chooses_views_and_rows() {
    let mut terminal = Terminal::open(terminates(), "308 frames");
    // The fourth row of the table, twice: chosen and opened. Places count from 1.
    for _ in 0..2 {
        terminal.press("\u{1b}[<0;10;7M\u{1b}[<0;10;7m");
    }
    terminal.wait_for("flow 3 only");
    let column = terminal.screen().lines().next().unwrap().find("5 ladder").unwrap() + 2;
    terminal.press(&format!("\u{1b}[<0;{column};1M")).wait_for("TCP SYN: asks");
    terminal.press("\u{1b}[<65;10;9M").wait_for("sends nothing more");
}

#[test]
fn what_is_copied_goes_to_the_terminal_or_to_a_command() {
    let mut terminal = Terminal::open(terminates(), "308 frames");
    terminal.press("y").wait_for("copied tcp.stream == 0");
    // `tcp.stream == 0`, as RFC 4648 writes it.
    assert!(terminal.written().contains("\u{1b}]52;c;dGNwLnN0cmVhbSA9PSAw\u{7}"));

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("copied");
    let line = format!("{} --copy-command \"cat > '{}'\"", terminates(), file.display());
    let mut terminal = Terminal::open(line, "308 frames");
    terminal.press("jy").wait_for("copied tcp.stream == 1");
    assert_eq!(std::fs::read_to_string(file).unwrap(), "tcp.stream == 1");
    assert!(!terminal.written().contains("]52;"));

    let line = format!("{} --copy-command 'exit 7'", terminates());
    let mut terminal = Terminal::open(line, "308 frames");
    terminal.press("y").wait_for("`exit 7` failed");
}

#[test]
fn filters_columns_and_theme_are_remembered() {
    let mut terminal = Terminal::open(terminates(), "308 frames");
    terminal.press("fmpa.rev == 2");
    terminal.wait_for("is neither a field");
    terminal.press("\u{15}iwarp_mpa.rev == 2\r").wait_for("of 308 frames: iwarp_mpa.rev");
    terminal.press("2Cl \rTq");
    assert_eq!(terminal.end().exit_code(), 0);
    let remembered = terminal.remembered();
    assert!(remembered.contains("iwarp_mpa.rev == 2") && remembered.contains("\"light\""));
    assert!(remembered.contains("\"-seconds\""), "{remembered}");
    let mut again = Terminal::remembering(tui(terminates()), terminal.folder());
    again.wait_for("308 frames");
    again.press("f\u{1b}[A").wait_for("filter: iwarp_mpa.rev == 2");
}

#[test]
fn several_captures_are_turned_through() {
    let other = shared("captures/c4-mpav2-client-mpav1-server.pcap");
    let mut terminal = Terminal::open(format!("{} {other}", terminates()), "308 frames");
    terminal.press("\u{e}").wait_for("2/2 c4-mpav2-client");
    terminal.press("2").wait_for("MPA Re");
    terminal.press(";mine\r").wait_for("comment: mine");
    terminal.resize(100, 24);
    terminal.press("\u{10}").wait_for("1/2 e1-terminate");
    // Each has its own view; comments of either are not lost by one key.
    terminal.press("q").wait_for("your comments are not saved");
    terminal.wait_for("2/2 c4-mpav2-client");
    terminal.quit();
}

#[test]
fn the_settings_file_says_how_it_begins() {
    let folder = Arc::new(tempfile::tempdir().unwrap());
    let file = folder.path().join("settings/warpscope/config.toml");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let printed = assert_cmd::cargo::cargo_bin_cmd!("warpscope")
        .arg("config")
        .env("XDG_CONFIG_HOME", folder.path().join("settings"))
        .assert()
        .success();
    let printed = String::from_utf8_lossy(&printed.get_output().stdout).into_owned();
    assert!(printed.contains(&format!("read from {}", file.display())), "{printed}");
    let set = "theme = 'light'\nview = 'messages'\ncolumns = ['frame', 'iwarp_ddp.stag', 'info']\n[keys]\ndown = 'z'\n";
    std::fs::write(&file, format!("{printed}\n{set}")).unwrap();
    let mut terminal = Terminal::remembering(tui(terminates()), folder.clone());
    terminal.wait_for("308 frames");
    terminal.wait_for("frame stag       info");
    // Ordinary text in the light theme.
    terminal.wait_until("ordinary text in dark grey", |it| it.written().contains("38;5;235"));
    terminal.press("z").wait_for(" 2/85");
    terminal.quit();
    std::fs::write(&file, "theme = 'dark'\nkolumns = []\n").unwrap();
    let mut refused = Terminal::remembering(tui(terminates()), folder);
    assert_eq!(refused.end().exit_code(), 2);
    let screen = refused.screen().replace('\n', "");
    assert!(
        screen.contains("config.toml, line 2: unknown name kolumns; did you mean columns?"),
        "{screen}"
    );
}

#[test]
fn fields_are_columns_for_a_session_or_for_good() {
    let line = format!("{} -e iwarp_ddp.stag", terminates());
    let mut terminal = Terminal::open(line, "308 frames");
    terminal.press("2").wait_for("0xdeadbe00 Write STag=0xdeadbe00");
    terminal.press("+ddp.msn\t\r").wait_for("iwarp_ddp.msn is a column now");
    terminal.wait_for("stag       msn info");
    terminal.quit();
    let mut again = Terminal::remembering(tui(terminates()), terminal.folder());
    again.wait_for("308 frames");
    again.press("2").wait_for("length msn info");
    let mut refused = Terminal::start(tui(format!("{} -e iwarp_ddp.stagg", terminates())));
    assert_eq!(refused.end().exit_code(), 2);
    assert!(refused.screen().contains("did you mean iwarp_ddp.stag?"), "{}", refused.screen());
}

#[test]
fn exports_take_no_place_of_other_files() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = tui(terminates());
    command.cwd(folder.path());
    let mut terminal = Terminal::start(command);
    terminal.wait_for("308 frames");
    for (keys, name, expected) in [
        ("e", "flows.md", "written to flows.md"),
        ("e", "flows.md", "it already exists"),
        // What was refused is still there to be changed.
        ("", "", "write to: flows.md"),
        ("", "flows.txt", "the name must end with .md, .json, .pcapng"),
        ("", "", "write to:"),
        ("", "flows.json", "written to flows.json"),
        ("2e", "all.pcapng", "85 frames written"),
        ("e", "all.pcapng", "it already exists"),
        ("\u{3}5", "", "TCP SYN: asks"),
        ("e", "ladder.svg", "written to ladder.svg"),
        ("e", "ladder.html", "written to ladder.html"),
    ] {
        if !name.is_empty() {
            terminal.press(keys).wait_for("write to:");
        }
        let keys = if name.is_empty() { keys.to_owned() } else { format!("\u{15}{name}\r") };
        terminal.press(&keys).wait_for(expected);
    }
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert!(read("flows.md").starts_with("| flow |") && read("ladder.svg").contains("<svg"));
    assert!(read("ladder.html").contains("<html"));
    let flows: serde_json::Value = serde_json::from_str(&read("flows.json")).unwrap();
    assert_eq!(flows.as_array().unwrap().len(), 22);
    let capture = folder.path().join("all.pcapng").display().to_string();
    let mut again = Terminal::open(capture, "85 frames");
    again.press("2").wait_for("MPA Request Rev=2");
}

#[test]
fn a_terminal_that_cannot_be_drawn_on_is_refused_with_a_way_on() {
    let mut command = tui(terminates());
    command.env("TERM", "dumb");
    let mut terminal = Terminal::start(command);
    assert_eq!(terminal.end().exit_code(), 2);
    let screen = terminal.screen().replace('\n', " ");
    assert!(screen.contains("warpscope dissect") && screen.contains("--snapshot"), "{screen}");

    let mut piped = assert_cmd::cargo::cargo_bin_cmd!("warpscope");
    let refused = piped.args(["tui", &terminates()]).env("TERM", "xterm").assert().code(2);
    let stderr = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(stderr.contains("--snapshot"), "{stderr}");
}

#[test]
fn a_failure_of_a_run_is_looked_at_with_its_ladder() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report.json").display().to_string();
    let mut run = assert_cmd::cargo::cargo_bin_cmd!("warpscope");
    run.args(["conform", "run", "--self", "--bug", "setup-reserved-bits"]);
    run.args(["mpa-runs-of-lengths[cut=whole,theirs=plain,together=off]", "--report"]);
    run.arg(format!("json={report}")).current_dir(folder.path()).assert().code(1);
    let mut terminal = Terminal::open(format!("--run {report}"), "1 fail of 1 case");
    terminal.press("]").wait_for("the reserved bits");
    // The picture of 100 columns is drawn in 80.
    terminal.press("\tG").wait_for("Send #22: 43 bytes");
    let screen = terminal.screen();
    let arrow = screen.lines().find(|line| line.contains("Send #22")).unwrap();
    assert!(arrow.trim_end().ends_with("▶│") && arrow.chars().count() <= 80, "{screen}");
    terminal.press("\u{1b}").wait_for("▌the reference peer");
    terminal.quit();
}

#[test]
fn a_report_is_looked_at_without_a_capture() {
    let mut terminal = Terminal::start(tui(format!("--run {}", shared("README.md"))));
    assert_eq!(terminal.end().exit_code(), 2);
    assert!(terminal.screen().contains("not a report of a run"), "{}", terminal.screen());
}
