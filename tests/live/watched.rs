//! `warpscope watch`: what is scraped while traffic comes.

use super::program::{json, printed};
use super::running::Running;
use super::{Folder, Link, SHIPPED_FRAMES, frames, has, replay, run, shipped, until};
use std::collections::BTreeMap;

/// A watch, and the port where its metrics are.
fn watch(link: &Link, line: &str) -> (Running, String) {
    let mut running = link.start(format!("watch --metrics 127.0.0.1:0 {line}"));
    until("the beginning of the capture", || {
        assert!(!running.has_ended(), "it ended: {}", running.stderr());
        running.stderr().contains("\nCapturing on ")
    });
    let stderr = running.stderr();
    let (_, rest) = stderr.split_once("Metrics at http://127.0.0.1:").unwrap();
    let port = rest.split_once("/metrics\n").unwrap().0.to_owned();
    (running, port)
}

/// What is scraped: values by name and labels.
fn scraped(link: &Link, port: &str) -> BTreeMap<String, u64> {
    let script = format!(
        "exec 3<>/dev/tcp/127.0.0.1/{port} && printf 'GET /metrics HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3"
    );
    let answer = link.bash(&script);
    let (_, text) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{answer}"));
    let samples = text.lines().filter(|line| !line.starts_with('#'));
    let samples = samples.filter_map(|line| line.rsplit_once(' '));
    samples.filter_map(|(name, value)| Some((name.to_owned(), value.parse().ok()?))).collect()
}

/// The sum over the samples of a metric that have this in their labels.
fn sum(samples: &BTreeMap<String, u64>, name: &str, label: &str) -> u64 {
    let of = |it: &&String| it.starts_with(&format!("{name}{{")) && it.contains(label);
    samples.iter().filter(|(it, _)| of(it)).map(|it| it.1).sum()
}

/// What became of operations, and the findings, are those that `stats` and `check` print of a file.
fn same_as_of_file(samples: &BTreeMap<String, u64>, file: &str) {
    let stats = json(printed(format!("stats --format json {file}")));
    let mut kinds = BTreeMap::<(&str, &str), u64>::new();
    for row in stats["files"][0]["latency"].as_array().unwrap() {
        let kind = row["operation"].as_str().unwrap();
        for count in ["completed", "unanswered", "refused", "lost", "unsolicited", "bytes"] {
            *kinds.entry((kind, count)).or_default() += row[count].as_u64().unwrap();
        }
    }
    assert!(!kinds.is_empty(), "{stats}");
    for ((kind, count), expected) in kinds {
        let labels = format!("operation=\"{kind}\"");
        let seen = match count {
            "bytes" => sum(samples, "warpscope_operation_bytes_total", &labels),
            _ => {
                let labels = format!("{labels},outcome=\"{count}\"");
                sum(samples, "warpscope_operations_total", &labels)
            }
        };
        assert_eq!(seen, expected, "{kind}: {count}");
    }
    let check = json(run(format!("check --repeated --format json {file}")).out);
    let mut rules = BTreeMap::<&str, u64>::new();
    for finding in check["findings"].as_array().unwrap() {
        *rules.entry(finding["rule"].as_str().unwrap()).or_default() += 1;
    }
    for (rule, count) in &rules {
        let label = format!("rule=\"{rule}\"");
        assert_eq!(sum(samples, "warpscope_findings_total", &label), *count, "{rule}");
    }
    assert_eq!(sum(samples, "warpscope_findings_total", ""), rules.values().sum::<u64>());
}

#[test]
fn a_run_of_the_peer_is_counted_as_from_the_file() {
    let Some(link) = Link::new() else { return };
    let folder = Folder::new();
    let file = folder.at("watched.pcapng");
    link.bash("ip link set lo up");
    let (watching, port) = watch(&link, &format!("-i lo -f 'tcp port 7174' -w {file}"));
    let listener = link.start("peer listen 127.0.0.1:7174 -s exercise --profile all");
    until("a listener", || listener.stderr().contains("listening at "));
    link.start("peer connect 127.0.0.1:7174 -s exercise --profile all").success();
    let fins = || run(format!("dissect -Y tcp.flags.fin==1 -r {file}")).out.lines().count();
    let mut samples = BTreeMap::new();
    until("the end of the connection", || {
        samples = scraped(&link, &port);
        // What was dropped is asked for once a second.
        let dropped = ["kernel", "interface"].map(|by| {
            let labels = format!("{{interface=\"lo\",by=\"{by}\"}}");
            samples.get(&format!("warpscope_dropped_frames_total{labels}")).copied()
        });
        let all = samples["warpscope_frames_total"] == frames(&file) as u64;
        dropped == [Some(0); 2] && all && fins() == 2
    });
    assert_eq!(sum(&samples, "warpscope_connections_total", "\"127.0.0.1:7174\""), 1);
    listener.stop();
    let ended = watching.stop().with(0);
    assert_eq!(ended.out, "");
    has(&ended.err, &["\n1 connection, ", "\n0 packets dropped by the kernel\n"]);
    same_as_of_file(&samples, &file);
    let reads = sum(&samples, "warpscope_operation_latency_seconds_count", "operation=\"Read\"");
    assert!(reads > 10, "{samples:?}");
}

#[test]
fn errors_that_come_are_counted_and_an_interface_that_goes_is_reported() {
    let Some(link) = Link::new() else { return };
    link.bash("ip link set lo up");
    let (watching, port) = watch(&link, "-i right");
    assert_eq!(scraped(&link, &port)["warpscope_frames_total"], 0);
    replay(&link);
    let mut samples = BTreeMap::new();
    until("every frame", || {
        samples = scraped(&link, &port);
        samples["warpscope_frames_total"] == SHIPPED_FRAMES as u64
    });
    same_as_of_file(&samples, &shipped());
    assert_eq!(sum(&samples, "warpscope_terminates_total", "sender=\"responder\""), 17);
    assert_eq!(sum(&samples, "warpscope_terminates_total", ""), 17);
    link.take_away();
    let words = watching.end().with(1).err;
    has(&words, &["\nwarpscope: -i right: ", "\n22 connections, 39 operations, 17 Terminates, "]);
}

/// An address that cannot be had ends it before anything is captured.
#[test]
fn a_taken_address_is_refused() {
    let Some(link) = Link::new() else { return };
    link.bash("ip link set lo up");
    let (_watching, port) = watch(&link, "-i right");
    let refused = link.start(format!("watch -i right --metrics 127.0.0.1:{port}")).end().with(2);
    let start = format!("warpscope: --metrics 127.0.0.1:{port}: cannot listen: Address already in");
    assert!(refused.err.starts_with(&start), "{}", refused.err);
}
