//! Regions and windows: who may use them, what they hold, and what outlasts the process.

use crate::runner::{Lab, options};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use warpscope_peer::memory::{FlushFailed, Store};
use warpscope_peer::service::agent::{AgentOptions, Files, FolderFiles};
use warpscope_peer::work::{Operation, RemoteBuffer};

fn write_to(steering_tag: u32, tagged_offset: u64) -> Operation {
    let remote = RemoteBuffer { steering_tag, tagged_offset };
    Operation::Write { source: b"bytes"[..].into(), remote }
}

fn stag(region: &Value) -> u32 {
    region["stag"].as_u64().unwrap() as u32
}

#[test]
fn a_region_is_where_the_runner_wants_it() {
    let mut lab = Lab::new();
    let region = |name: &str| json!({"region": name, "length": 64, "rights": ["write"]});
    let with_base = |name: &str, base: &str| {
        let mut asked = region(name);
        asked["base"] = json!(base);
        asked
    };
    let zero = lab.ask("register", with_base("zero", "0x0"));
    let given = lab.ask("register", with_base("given", "0xffffffffffff0000"));
    let [first, second] = ["first", "second"].map(|name| lab.ask("register", region(name)));
    assert_eq!((&zero["base"], &zero["length"]), (&json!("0x0"), &json!(64)));
    assert_eq!(given["base"], "0xffffffffffff0000");
    assert!(first["base"] != second["base"] && first["stag"] != second["stag"]);
    let stream = lab.stream("s", &json!({}));
    lab.post(stream, write_to(stag(&given), 0xffff_ffff_ffff_0004));
    assert_eq!(lab.read("given", 0, 12), "00000000627974657300000".to_owned() + "0");
}

/// RFC 5040 sections 5.3 and 8.1.1: who may write, and who is refused.
#[test]
fn scopes_rights_and_validity_decide_who_may_write() {
    for (asked, before, may) in [
        (json!({"rights": ["write"]}), None, true),
        (json!({"rights": ["read"]}), None, false),
        (json!({"rights": ["write"], "scope": "stream", "stream": "s"}), None, true),
        (json!({"rights": ["write"], "scope": "stream", "stream": "t"}), None, false),
        (json!({"rights": ["write"], "scope": "other_protection_domain"}), None, false),
        (json!({"rights": ["write"]}), Some(("invalidate", json!({}))), false),
        (json!({"rights": ["write"]}), Some(("revalidate", json!({"rights": ["read"]}))), false),
        (json!({"rights": ["read"]}), Some(("revalidate", json!({"rights": ["write"]}))), true),
        (json!({"rights": ["write"]}), Some(("deregister", json!({}))), false),
    ] {
        for window in [false, true] {
            let mut lab = Lab::new();
            let stream = lab.stream("s", &json!({}));
            lab.stream("t", &json!({}));
            let mut region = asked.clone();
            region["region"] = json!("a");
            region["length"] = json!(64);
            region["base"] = json!("0x100");
            let method = if window {
                lab.register("of", 128);
                region["of"] = json!("of");
                region["offset"] = json!(32);
                "bind_window"
            } else {
                "register"
            };
            let mut made = lab.ask(method, region);
            if let Some((method, params)) = &before {
                let mut params = params.clone();
                params["region"] = json!("a");
                let again = lab.ask(method, params);
                made = if again.is_null() { made } else { again };
            }
            lab.happened("s");
            lab.post(stream, write_to(stag(&made), 0x100));
            let wrote = !lab.names("s").contains(&"terminates".to_owned());
            assert_eq!(wrote, may, "{asked} {before:?}, window: {window}");
            if window {
                let there = if may { "6279746573" } else { "0000000000" };
                assert_eq!(lab.read("of", 32, 5), there, "{asked}");
            }
        }
    }
}

#[test]
fn memory_is_written_and_read_in_pieces() {
    let mut lab = Lab::new();
    lab.register("a", 8);
    lab.ask("write_memory", json!({"region": "a", "offset": 6, "bytes": "0102"}));
    lab.ask("write_memory", json!({"region": "a", "offset": 0, "bytes": ""}));
    assert_eq!(lab.read("a", 0, 8), "0000000000000102");
    assert_eq!(lab.read("a", 7, 1), "02");
    assert_eq!(lab.read("a", 8, 0), "");
}

#[test]
fn a_region_with_windows_stays() {
    let mut lab = Lab::new();
    lab.register("a", 64);
    let window = json!({"region": "w", "of": "a", "offset": 0, "length": 64, "rights": []});
    lab.ask("bind_window", window);
    assert_eq!(lab.refused("deregister", json!({"region": "a"})), 3);
    lab.ask("deregister", json!({"region": "w"}));
    lab.ask("deregister", json!({"region": "a"}));
}

/// What was made persistent, by offset.
type Persistent = Arc<Mutex<Vec<(u64, Vec<u8>)>>>;

#[derive(Debug, Default)]
struct Kept(Persistent);

impl Store for Kept {
    fn persist(&mut self, offset: u64, bytes: &[u8]) -> Result<(), FlushFailed> {
        self.0.lock().unwrap().push((offset, bytes.to_vec()));
        Ok(())
    }
}

impl Files for Kept {
    fn make(&mut self, _length: u64) -> Result<Box<dyn Store>, String> {
        Ok(Box::new(Self(Arc::clone(&self.0))))
    }
}

fn backed(name: &str, backing: &str, length: u64) -> Value {
    json!({
        "region": name, "length": length, "base": "0x0", "backing": backing,
        "rights": ["write", "flush_persistence", "flush_visibility"]
    })
}

#[test]
fn a_file_gets_what_is_flushed() {
    let kept = Persistent::default();
    let files: Option<Box<dyn Files>> = Some(Box::new(Kept(Arc::clone(&kept))));
    let mut lab = Lab::with(AgentOptions { files, ..options() });
    let steering_tag = stag(&lab.ask("register", backed("a", "file", 64)));
    let stream = lab.stream("s", &json!({}));
    lab.post(stream, write_to(steering_tag, 8));
    assert!(kept.lock().unwrap().is_empty());
    let remote = RemoteBuffer { steering_tag, tagged_offset: 8 };
    let (length, global_visibility) = (5, true);
    lab.post(stream, Operation::Flush { remote, length, persistence: true, global_visibility });
    assert_eq!(*kept.lock().unwrap(), [(8, b"bytes".to_vec())]);
}

#[test]
fn a_folder_gives_each_region_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let files = FolderFiles::new(folder.path().to_owned());
    let mut lab = Lab::with(AgentOptions { files: Some(Box::new(files)), ..options() });
    for name in ["region-1", "region-2"] {
        let file = || std::fs::read(folder.path().join(name)).unwrap();
        let lasting = json!({"region": name, "offset": 0, "bytes": "6c617374696e6721"});
        lab.ask("register", backed(name, "file", 8));
        lab.ask("write_memory", lasting.clone());
        assert_eq!(file(), [0; 8]);
        lab.ask("recall", json!({"region": name}));
        assert_eq!(lab.read(name, 0, 8), "0000000000000000", "nothing was flushed");
        lab.ask("write_memory", lasting);
        lab.ask("deregister", json!({"region": name}));
        assert_eq!(file(), b"lasting!");
    }
}

/// Nothing is left of a region whose file cannot be written, as on a full disk.
#[test]
fn what_cannot_be_saved_goes_with_a_reset() {
    #[derive(Debug)]
    struct Full;

    impl Store for Full {
        fn persist(&mut self, _offset: u64, _bytes: &[u8]) -> Result<(), FlushFailed> {
            Err(FlushFailed("no space is left".to_owned()))
        }
    }

    impl Files for Full {
        fn make(&mut self, _length: u64) -> Result<Box<dyn Store>, String> {
            Ok(Box::new(Self))
        }
    }

    let mut lab = Lab::with(AgentOptions { files: Some(Box::new(Full)), memory: 48, ..options() });
    for _ in 0..3 {
        lab.ask("register", backed("a", "file", 32));
        assert_eq!(lab.refused("deregister", json!({"region": "a"})), 3);
        lab.ask("reset", json!({}));
        assert_eq!(lab.pipe.sides[1].memory().count(), 0);
    }
}

/// A Flush to persistence fails there, and one to global visibility does not.
#[test]
fn a_backing_that_fails() {
    for (persistence, fails) in [(true, true), (false, false)] {
        let mut lab = Lab::new();
        let steering_tag = stag(&lab.ask("register", backed("a", "failing", 32)));
        assert_eq!(lab.refused("recall", json!({"region": "a"})), 3);
        let stream = lab.stream("s", &json!({}));
        lab.happened("s");
        let remote = RemoteBuffer { steering_tag, tagged_offset: 0 };
        let (length, global_visibility) = (8, true);
        lab.post(stream, Operation::Flush { remote, length, persistence, global_visibility });
        assert_eq!(lab.names("s").contains(&"terminates".to_owned()), fails);
        lab.ask("deregister", json!({"region": "a"}));
    }
}
