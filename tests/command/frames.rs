//! `-T fields` and `-T csv`, and which frames are shown.

use super::dissected;

const NUMBER: [&str; 4] = ["-T", "fields", "-e", "frame.number"];

fn fields(more: &[&str]) -> String {
    dissected(&[&NUMBER, more].concat())
}

#[test]
fn a_line_a_frame_even_without_values() {
    let lines = fields(&["-e", "tcp.seq", "-e", "ip.addr"]);
    let expected = "1\t0\t10.0.0.2,10.0.0.1\n2\t0\t10.0.0.1,10.0.0.2\n3\t1\t10.0.0.2,10.0.0.1\n";
    assert!(lines.starts_with(expected), "{lines}");
    assert_eq!(lines.lines().nth(8), Some("9\t\t"));
    assert_eq!(lines.lines().count(), 10);
}

#[test]
fn layout_options() {
    let addresses = ["-e", "ip.addr", "-e", "tcp.payload", "-c", "1"];
    let with = |options: &[&str]| fields(&[&addresses, options].concat());
    assert_eq!(
        with(&["-E", "header=y", "-E", "separator=,", "-E", "quote=d", "-E", "aggregator=/s"]),
        "frame.number,ip.addr,tcp.payload\n\"1\",\"10.0.0.2 10.0.0.1\",\n"
    );
    assert_eq!(with(&["-E", "occurrence=f", "-E", "separator=/s"]), "1 10.0.0.2 \n");
    assert_eq!(with(&["-E", "occurrence=l", "-E", "quote=s"]), "'1'\t'10.0.0.1'\t\n");
    let plain = ["-E", "quote=n", "-E", "occurrence=a", "-E", "header=n", "-E", "separator=/t"];
    assert_eq!(with(&plain), "1\t10.0.0.2,10.0.0.1\t\n");
    assert_eq!(with(&["-E", "aggregator=|"]), "1\t10.0.0.2|10.0.0.1\t\n");
}

#[test]
fn csv_quotes_what_holds_a_comma() {
    let csv = dissected(&["-T", "csv", "-e", "frame.number", "-e", "ip.addr", "-c", "2"]);
    let expected = "frame.number,ip.addr\n1,\"10.0.0.2,10.0.0.1\"\n2,\"10.0.0.1,10.0.0.2\"\n";
    assert_eq!(csv, expected);
    let csv = dissected(&[
        "-T",
        "csv",
        "-e",
        "ip.addr",
        "-c",
        "1",
        "-E",
        "header=n",
        "-E",
        "aggregator=/s",
    ]);
    assert_eq!(csv, "10.0.0.2 10.0.0.1\n");
    assert_eq!(
        dissected(&["-T", "csv", "-e", "tcp.options", "-c", "1", "-E", "header=n"]),
        "\"\"\n"
    );
}

#[test]
fn columns_of_the_list() {
    let columns = [
        "-T",
        "csv",
        "-c",
        "1",
        "-E",
        "header=n",
        "-e",
        "_ws.col.No.",
        "-e",
        "_ws.col.Time",
        "-e",
        "_ws.col.Source",
        "-e",
        "_ws.col.Destination",
        "-e",
        "_ws.col.Protocol",
        "-e",
        "_ws.col.Length",
        "-e",
        "_ws.col.Info",
    ];
    let expected = "1,0.000000,10.0.0.2,10.0.0.1,TCP,54,40000 → 7174 [SYN] Seq=0 Win=4096 Len=0\n";
    assert_eq!(dissected(&columns), expected);
}

#[test]
fn display_filter_and_count() {
    assert_eq!(fields(&["-Y", "tcp.flags.syn == 1"]), "1\n2\n");
    assert_eq!(fields(&["-c", "3"]), "1\n2\n3\n");
    assert_eq!(fields(&["-c", "3", "-Y", "frame.number >= 3"]), "3\n");
    assert_eq!(fields(&["-Y", "frame.number > 10"]), "");
}

#[test]
fn quiet_prints_no_frames() {
    assert_eq!(dissected(&["-q"]), "");
    assert_eq!(fields(&["-q"]), "");
    assert_eq!(dissected(&["-q", "-T", "json"]), "");
}

#[test]
fn sequence_numbers_as_they_stand() {
    let sequence = ["-e", "tcp.seq", "-e", "tcp.ack", "-c", "3", "-o"];
    let with = |preference| fields(&[&sequence[..], &[preference]].concat());
    let raw = "1\t999\t0\n2\t4999\t1000\n3\t1000\t5000\n";
    assert_eq!(with("tcp.relative_sequence_numbers:FALSE"), raw);
    assert_eq!(with("tcp.relative_sequence_numbers:true"), "1\t0\t0\n2\t0\t1\n3\t1\t1\n");
}

#[test]
fn frames_come_from_standard_input() {
    let bytes = super::Capture::conversation().bytes;
    let mut command = super::warpscope(&["dissect", "-r", "-", "-l", "-n", "-c", "1"]);
    command.args(NUMBER).write_stdin(bytes).assert().success().stdout("1\n");
}
