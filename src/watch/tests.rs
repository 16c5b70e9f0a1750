//! What is exported, and that the documents describe it.

use super::count::Count;
use super::exporter::Exporter;
use super::metrics::{DESCRIBED, Metrics};
use super::run::Watch;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{read_to_string, write};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use warpscope_dissector::capture::CaptureReader;
use warpscope_dissector::pipeline::Options;

fn at(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The metrics of a shipped capture, with so many servers counted each by itself: values by name and labels.
fn exported(capture: &str, most_servers: usize) -> BTreeMap<String, f64> {
    let (metrics, registry) = Metrics::new();
    let count = Count::new(metrics.clone(), most_servers);
    let mut watch = Watch::new(Options::default(), count, metrics.clone());
    let path = at("traces").join(capture);
    watch.read(&mut CaptureReader::open(&path).unwrap()).unwrap();
    let text = Exporter { metrics, registry }.text(true);
    assert!(text.ends_with("\n# EOF\n"), "{text}");
    let samples = text.lines().filter(|line| !line.starts_with('#'));
    let samples = samples.map(|line| line.rsplit_once(' ').unwrap());
    samples.map(|(name, value)| (name.to_owned(), value.parse().unwrap())).collect()
}

/// The samples of one metric.
fn of<'a>(all: &'a BTreeMap<String, f64>, name: &str) -> Vec<(&'a str, f64)> {
    let begins = format!("{name}{{");
    let of = all.iter().filter(|(sample, _)| sample.starts_with(&begins));
    of.map(|(sample, value)| (sample.as_str(), *value)).collect()
}

#[test]
fn servers_beyond_the_bound_are_one() {
    let name = "warpscope_connections_total";
    let capture = "captures/a5-mpav1.pcap.zst";
    let all = exported(capture, 256);
    let (all, some) = (of(&all, name), exported(capture, 1));
    let some = of(&some, name);
    assert!(all.len() > 2, "{all:?}");
    let sum = |of: &[(&str, f64)]| of.iter().map(|it| it.1).sum::<f64>();
    assert_eq!((some.len(), sum(&some)), (2, sum(&all)), "{some:?}");
    assert!(some.iter().any(|it| it.0 == format!("{name}{{server=\"other\"}}")), "{some:?}");
    assert_eq!(of(&exported(capture, 0), name).len(), 1);
}

/// What the rules of a capture that has errors find, and what became of its operations.
#[test]
fn errors_are_counted_by_their_words() {
    let all = exported("captures/e1-terminate-stock.pcap", 256);
    let value = |sample: &str| all.get(sample).copied();
    let bounds = "{sender=\"responder\",layer=\"DDP\",type=\"tagged buffer error\",code=\"base or bounds violation\"}";
    assert_eq!(value(&format!("warpscope_terminates_total{bounds}")), Some(3.0));
    let refused = "{server=\"10.66.0.1:7200\",operation=\"Read\",outcome=\"refused\"}";
    assert_eq!(value(&format!("warpscope_operations_total{refused}")), Some(5.0));
    let finding = "{rule=\"ddp-to-wrap\",level=\"MUST\"}";
    assert_eq!(value(&format!("warpscope_findings_total{finding}")), Some(1.0));
    let findings = of(&all, "warpscope_findings_total");
    assert_eq!(findings.len(), warpscope_dissector::rules::all().count(), "every rule is there");
}

/// I/Os of every protocol are counted alike. The numbers of NVMe and SCSI are those of the kernels' trace events.
#[test]
fn ios_are_counted_whatever_protocol_they_are_of() {
    for (capture, protocol, operation, ios) in [
        ("captures/nvme-queues-fio.pcap.zst", "nvme-rdma", "Read", 84.0),
        ("captures/iser-basic.pcap.zst", "iser", "INQUIRY", 58.0),
        ("captures/smbd-basic.pcap.zst", "smb_direct", "SMB2 WRITE", 8.0),
        ("captures/g-nfs-v3-cut.pcap.zst", "rpcordma", "NFS WRITE", 14.0),
    ] {
        let all = exported(capture, 256);
        let done = of(&all, "warpscope_ios_total");
        let labels = format!("protocol=\"{protocol}\",operation=\"{operation}\",outcome=\"done\"");
        let done = done.iter().find(|(name, _)| name.contains(&labels));
        assert_eq!(done.map(|(_, count)| *count), Some(ios), "{capture}");
        let times = format!(
            "warpscope_io_latency_seconds_count{{protocol=\"{protocol}\",operation=\"{operation}\"}}"
        );
        assert_eq!(all.get(&times), Some(&ios), "{capture}");
        let moved: f64 = of(&all, "warpscope_io_bytes_total").iter().map(|(_, bytes)| bytes).sum();
        assert!(moved > 0.0, "{capture}");
    }
}

/// Labels in the samples of many captures are those of the table, and no metric of it is idle in all.
#[test]
fn the_table_has_the_labels_of_the_samples() {
    let mut seen: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for capture in [
        "captures/e1-terminate-stock.pcap",
        "captures/j3-mid-nfs.pcap.zst",
        "captures/d1-reject-refuse-disconnect.pcap.zst",
        "captures/d2-private-data-sizes.pcap",
        "violations/violations-fpdu.pcap",
    ] {
        for sample in exported(capture, 256).keys() {
            let (name, labels) = sample.split_once('{').unwrap_or((sample, ""));
            let name = ["_bucket", "_sum", "_count"]
                .iter()
                .find_map(|end| name.strip_suffix(end))
                .unwrap_or(name);
            // Of `KEY="VALUE",` the key is after a comma, or at the beginning.
            let keys =
                labels.split("=\"").map(|part| part.rsplit([',', '{']).next().unwrap_or(part));
            let mut keys: BTreeSet<String> = keys.map(str::to_owned).collect();
            keys.retain(|key| !key.ends_with('}') && !key.is_empty() && key != "le");
            seen.entry(name.to_owned()).or_default().extend(keys);
        }
    }
    for [name, _, labels, _] in DESCRIBED {
        let expected: BTreeSet<String> =
            labels.split(", ").filter(|it| !it.is_empty()).map(str::to_owned).collect();
        match seen.remove(*name) {
            Some(keys) => assert_eq!(keys, expected, "{name}"),
            None => {
                assert_eq!(*name, "warpscope_dropped_frames_total", "it is of live captures alone")
            }
        }
    }
    assert!(seen.is_empty(), "not in the table: {seen:?}");
}

/// docs/watch.md lists the metrics; with `UPDATE_DOCS`, the list is written anew.
#[test]
fn the_document_lists_the_metrics() {
    let mut table =
        String::from("| metric | type | labels | what it counts |\n|---|---|---|---|\n");
    for [name, kind, labels, meaning] in DESCRIBED {
        let kinds = [("Histograms", "histogram"), ("Gauge", "gauge"), ("Counter", "counter")];
        let (_, kind) = kinds.iter().find(|(part, _)| kind.contains(part)).unwrap();
        let labels: Vec<String> = labels.split(", ").map(|label| format!("`{label}`")).collect();
        let labels = labels.join(", ").replace("``", "");
        table.push_str(&format!("| `{name}` | {kind} | {labels} | {meaning} |\n"));
    }
    let text = read_to_string(at("docs/watch.md")).unwrap();
    let (before, rest) = text.split_once("<!-- metrics -->\n").unwrap();
    let (_, after) = rest.split_once("<!-- end -->").unwrap();
    let expected = format!("{before}<!-- metrics -->\n{table}<!-- end -->{after}");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        write(at("docs/watch.md"), &expected).unwrap();
    }
    assert!(
        text == expected || std::env::var_os("UPDATE_DOCS").is_some(),
        "UPDATE_DOCS=1 writes docs/watch.md"
    );
}

/// Queries name metrics that there are.
#[test]
fn dashboard_and_alerts_ask_for_what_there_is() {
    for file in ["docs/watch.md", "docs/watch/grafana.json"] {
        let text = read_to_string(at(file)).unwrap();
        if file.ends_with(".json") {
            let dashboard: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert!(dashboard["panels"].as_array().is_some_and(|panels| panels.len() > 5));
        }
        let word = |letter: char| !letter.is_ascii_alphanumeric() && letter != '_';
        let mut asked = text.split(word).filter(|word| word.starts_with("warpscope_")).peekable();
        assert!(asked.peek().is_some(), "{file}");
        for name in asked {
            let stem = ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end));
            let known = DESCRIBED.iter().any(|metric| metric[0] == stem.unwrap_or(name));
            assert!(known, "{file}: no metric {name}");
        }
    }
}

// The HTTP server.

fn served() -> (SocketAddr, Arc<Exporter>) {
    let (metrics, registry) = Metrics::new();
    let exporter = Arc::new(Exporter { metrics, registry });
    (exporter.serve("127.0.0.1:0").unwrap(), exporter)
}

/// What is answered to a request.
fn answer(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn the_format_is_what_the_client_accepts() {
    let (address, exporter) = served();
    let prometheus =
        "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1";
    for (accept, kind, has) in [
        ("*/*", "application/openmetrics-text; version=1.0.0; charset=utf-8", "\n# EOF\n"),
        (prometheus, "application/openmetrics-text; version=1.0.0; charset=utf-8", "\n# EOF\n"),
        (
            "text/plain",
            "text/plain; version=0.0.4; charset=utf-8",
            "# TYPE warpscope_frames_total counter\n",
        ),
    ] {
        let request = format!("GET /metrics HTTP/1.1\r\nHost: it\r\naCCept: {accept}\r\n\r\n");
        let answer = answer(address, &request);
        assert!(
            answer.starts_with(&format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n")),
            "{answer}"
        );
        let (header, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(header.contains(&format!("\r\nContent-Length: {}\r\n", body.len())), "{header}");
        assert!(body.contains(has), "{body}");
    }
    assert_eq!(exporter.metrics.scrapes.get(), 3);
    for (request, status) in [
        ("GET / HTTP/1.1\r\n\r\n", "404 "),
        ("POST /metrics HTTP/1.1\r\nContent-Length: 0\r\n\r\n", "405 "),
        ("what is this\r\n\r\n", "400 "),
        (&format!("GET /metrics HTTP/1.1\r\nX: {}", "x".repeat(8192 - 26)), "400 "),
    ] {
        let answer = answer(address, request);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{request}: {answer}");
    }
}

/// Clients that send nothing take every thread, and are left: the others come to their turn.
#[test]
fn silent_clients_are_left() {
    let (address, _exporter) = served();
    let silent: Vec<TcpStream> = (0..4).map(|_| TcpStream::connect(address).unwrap()).collect();
    let answer = answer(address, "GET /metrics HTTP/1.0\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    for mut stream in silent {
        assert_eq!(stream.read(&mut [0; 1]).unwrap(), 0, "closed without an answer");
    }
}

#[test]
fn an_address_that_cannot_be_had_is_named() {
    let (taken, exporter) = served();
    for (address, why) in [
        (taken.to_string(), "in use"),
        ("127.0.0.1".to_owned(), "invalid socket address"),
        ("127.0.0.1:x".to_owned(), "invalid port"),
    ] {
        let refused = format!("{:#}", exporter.serve(&address).unwrap_err());
        let start = format!("--metrics {address}: cannot listen");
        assert!(refused.starts_with(&start) && refused.contains(why), "{refused}");
    }
}
