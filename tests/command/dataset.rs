//! `export --dataset`.

use super::capture::{Capture, HEADERS};
use super::program::{Ended, Folder, has, json, printed, refused, run, shipped};
use super::running::{Running, until};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The captures that are added: small ones.
fn captures() -> String {
    let names = ["c8-mpav0-client.pcap", "e1-terminate-stock.pcap", "j1-mid-connection.pcap"];
    names.map(|name| shipped(&format!("captures/{name}"))).join(" ")
}

/// The files of a folder by their names in it, those of `_warpscope` left out.
fn files(folder: &str) -> BTreeMap<String, Vec<u8>> {
    fn walk(root: &Path, folder: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(root, &path, found);
            } else {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(Path::new(folder), Path::new(folder), &mut found);
    found.retain(|name, _| !name.starts_with('_'));
    found
}

/// What the manifest says of the captures.
fn manifest(folder: &str) -> Vec<serde_json::Value> {
    let entries = fs::read_dir(format!("{folder}/_warpscope/captures")).unwrap();
    entries.map(|entry| json(fs::read(entry.unwrap().path()).unwrap())).collect()
}

/// The names in the folder `_warpscope`, those of temporary folders alone.
fn left(folder: &str) -> Vec<String> {
    let names = fs::read_dir(format!("{folder}/_warpscope")).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with("staging")).collect()
}

fn add(folder: &str, arguments: &str) -> Ended {
    run(format!("export --dataset {folder} {arguments}"))
}

#[test]
fn each_capture_is_added_once() {
    let folder = Folder::new();
    let (one, copy) = (shipped("captures/c8-mpav0-client.pcap"), folder.at("copy"));
    fs::copy(&one, &copy).unwrap();
    let dataset = folder.at("dataset");
    // The same bytes by two names are one capture.
    let ended = add(&dataset, &format!("{one} {copy}")).with(0);
    assert_eq!(
        (ended.out, ended.err),
        (format!("{dataset}: 1 capture added, 1 was already there\n"), String::new())
    );
    let ended = add(&dataset, &captures()).with(0);
    assert_eq!(ended.out, format!("{dataset}: 2 captures added, 1 was already there\n"));
    let before = files(&dataset);
    assert_eq!(
        add(&dataset, &captures()).with(0).out,
        format!("{dataset}: 0 captures added, 3 were already there\n")
    );
    assert_eq!(files(&dataset), before);
    let entries = manifest(&dataset);
    assert_eq!(entries.len(), 3);
    for entry in &entries {
        let name = entry["capture"].as_str().unwrap();
        for (table, rows) in entry["rows"].as_object().unwrap() {
            let csv = printed(format!("export --to {table} --ndjson - {name}"));
            assert_eq!(rows, csv.lines().count(), "{table} of {name}");
        }
        for file in entry["files"].as_array().unwrap() {
            let file = file.as_str().unwrap();
            assert!(before.contains_key(file), "{file}");
            has(file, &["/date=2026-11-21/host=captures/", entry["sha256"].as_str().unwrap()]);
        }
    }
    let named: usize = entries.iter().map(|entry| entry["files"].as_array().unwrap().len()).sum();
    assert_eq!(named, before.len());
    assert!(before.values().all(|bytes| bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1")));
    assert!(left(&dataset).is_empty());
}

#[test]
fn a_row_is_in_the_folder_of_its_own_day() {
    let folder = Folder::new();
    let mut capture = Capture::conversation().bytes;
    let (mut at, mut frame) = (HEADERS.0, 1_u32);
    while at < capture.len() {
        let seconds: u32 = if frame < 8 { 86_399 } else { 86_400 };
        capture[at..at + 4].copy_from_slice(&seconds.to_le_bytes());
        let length = u32::from_le_bytes(capture[at + 8..at + 12].try_into().unwrap());
        (at, frame) = (at + HEADERS.1 + length as usize, frame + 1);
    }
    let capture = folder.write("midnight", capture);
    add(&folder.at("days"), &format!("--to messages,flows --host bü/b= {capture}")).with(0);
    let names: Vec<String> = files(&folder.at("days")).into_keys().collect();
    let names: Vec<&str> = names.iter().map(|name| name.rsplit_once('/').unwrap().0).collect();
    let host = "host=bü%2Fb%3D";
    let [one, other] = ["01", "02"].map(|day| format!("messages/date=1970-01-{day}/{host}"));
    assert_eq!(names, [&format!("flows/date=1970-01-01/{host}"), &one, &other]);

    add(&folder.at("file"), &format!("--to messages --partition file {capture}")).with(0);
    let name = files(&folder.at("file")).into_keys().next().unwrap();
    has(&name, &["messages/file=%2F", "midnight/"]);
    add(&folder.at("none"), &format!("--to messages --partition none {capture}")).with(0);
    let names: Vec<String> = files(&folder.at("none")).into_keys().collect();
    assert!(names.len() == 1 && names[0].matches('/').count() == 1, "{names:?}");
}

#[test]
fn what_is_no_dataset_or_another_one_is_left_alone() {
    let folder = Folder::new();
    let (mine, dataset) = (folder.write("other/mine", "mine"), folder.at("dataset"));
    let capture = shipped("captures/c8-mpav0-client.pcap");
    add(&dataset, &format!("--to flows --partition host {capture}")).with(0);
    let before = files(&dataset);
    for (folder, arguments, words) in [
        (folder.at("other"), "", "not empty and is not a dataset: name another"),
        (mine, "", "cannot use the folder"),
        (dataset.clone(), "--partition date", "this dataset has --partition host"),
        (dataset.clone(), "--partition none", "this dataset has --partition host"),
        (dataset.clone(), "--to all", "this dataset has --to flows"),
        (dataset.clone(), "--partition none,date", "none cannot be combined with other keys"),
        (dataset.clone(), "--partition date,date", "each key once"),
        (dataset.clone(), "-", "a dataset needs files"),
    ] {
        let message = refused(format!("export --dataset {folder} {arguments} {capture}"));
        has(&message, &[words]);
        assert!(
            words.contains("key") || message.starts_with(&folder) || arguments == "-",
            "{message}"
        );
    }
    assert_eq!(files(&dataset), before);
    assert_eq!(files(&folder.at("other")).len(), 1);
    folder.write("dataset/_warpscope/dataset.json", "{");
    let message = refused(format!("export --dataset {dataset} {capture}"));
    has(&message, &["dataset.json: the manifest of the dataset is damaged"]);
}

#[test]
fn a_capture_that_cannot_be_read_is_named_and_the_others_are_added() {
    let folder = Folder::new();
    let whole = fs::read(shipped("captures/e1-terminate-stock.pcap")).unwrap();
    let cut = folder.write("cut", &whole[..whole.len() / 2]);
    let none = folder.write("none", "no capture at all");
    let dataset = folder.at("dataset");
    let ended = add(&dataset, &format!("{none} {cut} gone {}", captures())).with(1);
    assert_eq!(ended.out, format!("{dataset}: 4 captures added, 0 were already there\n"));
    has(&ended.err, &["/none: not a pcap", "/cut: the capture is cut off", "gone: cannot open"]);
    let damaged: Vec<_> =
        manifest(&dataset).into_iter().filter(|entry| !entry["damage"].is_null()).collect();
    assert_eq!(damaged.len(), 1);
    has(damaged[0]["damage"].as_str().unwrap(), &["/cut: the capture is cut off"]);
    assert_eq!(
        add(&dataset, &none).with(2).out,
        format!("{dataset}: 0 captures added, 0 were already there\n")
    );
}

#[test]
fn force_writes_captures_anew() {
    let folder = Folder::new();
    let dataset = folder.at("dataset");
    add(&dataset, &format!("--host old {}", captures())).with(0);
    let before = files(&dataset);
    let ended = add(&dataset, &format!("--host new --force {}", captures())).with(0);
    assert_eq!(ended.out, format!("{dataset}: 3 captures added, 0 were already there\n"));
    let expected: BTreeMap<_, _> = before
        .into_iter()
        .map(|(name, bytes)| (name.replace("host=old", "host=new"), bytes))
        .collect();
    assert!(files(&dataset) == expected);
}

/// Whoever stops a run reads that captures are left.
#[test]
fn a_run_that_is_stopped_says_what_is_left() {
    let folder = Folder::new();
    let (dataset, capture) = (folder.at("d"), shipped("captures/g-nfs-v3-cut.pcap.zst"));
    add(&dataset, &capture).with(0);
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpscope"));
    command.args(["export", "-j", "1", "--dataset", &dataset]);
    command.args(std::iter::repeat_n(&capture, 5000));
    let running = Running::start(&mut command);
    until("signals are taken", || running.takes_signals());
    let ended = running.stop().with(1);
    has(&ended.err, &["stopped as asked: ", " captures not looked at"]);
}

/// Killed at whatever moment: no file is there in part, and the next run completes it.
#[test]
fn a_run_that_is_killed_leaves_nothing_in_part() {
    let folder = Folder::new();
    let names = ["a4-rping-crc.pcap.zst", "f1-operations-stock.pcap.zst", "g-nfs-v3-cut.pcap.zst"];
    let captures =
        names.map(|name| shipped(&format!("captures/{name}"))).join(" ") + " " + &captures();
    let whole = folder.at("whole");
    add(&whole, &captures).with(0);
    let whole = files(&whole);
    let (mut killed, mut between) = (0, 0);
    for number in 0..24 {
        let dataset = folder.at(&format!("killed-{number}"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_warpscope"));
        command.args(["export", "--dataset", &dataset]).args(captures.split(' '));
        let mut running = Running::start(&mut command);
        // Any moment is right: those early, where all begins, are as good as those late.
        std::thread::sleep(Duration::from_millis(number * 17));
        if !running.has_ended() {
            running.signal("KILL");
            killed += 1;
        }
        running.end();
        let found = files(&dataset);
        between += usize::from(!found.is_empty() && found.len() < whole.len());
        for (name, bytes) in found {
            assert!(whole.get(&name) == Some(&bytes), "{name} is not whole");
        }
        add(&dataset, &captures).with(0);
        assert!(files(&dataset) == whole, "after {number}");
        assert_eq!(manifest(&dataset).len(), 6);
        assert!(left(&dataset).is_empty());
    }
    eprintln!("{killed} runs were killed, {between} of them with some files in place");
}
