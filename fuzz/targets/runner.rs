//! The runner against a hostile target: it sends any bytes, in any parts, and closes. Each run of a case
//! ends with a verdict.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::AtomicBool;
use std::sync::{LazyLock, Mutex};
use std::time::Duration;
use warpscope_conformance::case::{Cases, Context, Instance};
use warpscope_conformance::layout::Layouts;
use warpscope_conformance::run::{Options, Probe, Target, probe, run_all};
use warpscope_conformance::yaml::Source;
use warpscope_requirements::Catalogue;

const CASE: &str = "id: x
title: t
covers: [RFC5044-8-02]
tags: [bare]
steps:
  - connect: {}
  - send: {send: {payload: {text: hello}}}
  - expect: {any_of: [{send: {}}, {terminate: {}}, {rdma_write: {}}, closed]}
  - expect: {closed: any}
";

/// What the target says next.
static SAYS: Mutex<Vec<u8>> = Mutex::new(Vec::new());

struct Lab {
    layouts: Layouts,
    instances: Vec<Instance>,
    target: Target,
    probe: Probe,
}

static LAB: LazyLock<Lab> = LazyLock::new(|| {
    let (layouts, catalogue) = (Layouts::builtin().unwrap(), Catalogue::builtin().unwrap());
    let context = Context { layouts: &layouts, catalogue: &catalogue, bugs: None };
    let read = Cases::read(&[Source::new("x.yaml", CASE)], context);
    let cases = read.unwrap_or_else(|wrong| panic!("{}", wrong[0]));
    let target = Target::bare(listen());
    let probe = probe(&target, &Options::default()).unwrap();
    let instances = cases.all()[0].instances.clone();
    Lab { layouts, instances, target, probe }
});

/// A target on a thread of its own.
fn listen() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            let says = SAYS.lock().unwrap().clone();
            std::thread::spawn(move || {
                let _ = stream.set_read_timeout(Some(Duration::from_millis(50)));
                let mut heard = [0; 4096];
                let _ = stream.read(&mut heard);
                let [how, says @ ..] = &says[..] else { return };
                if how & 1 == 0 {
                    let _ = stream.write_all(b"MPA ID Rep Frame\x40\x01\x00\x00");
                    let _ = stream.read(&mut heard);
                }
                for part in says.chunks(usize::from(how >> 1) * 16 + 1) {
                    if stream.write_all(part).is_err() {
                        return;
                    }
                }
            });
        }
    });
    address
}

fuzz_target!(|bytes: &[u8]| {
    let lab = &*LAB;
    *SAYS.lock().unwrap() = bytes.to_vec();
    let (stop, mut verdicts) = (AtomicBool::new(false), 0);
    let options = Options::default();
    let ended = run_all(&lab.target, &lab.probe, &lab.layouts, &lab.instances, &options, &stop, |_| {
        verdicts += 1;
    });
    assert_eq!((ended.unwrap(), verdicts), (None, lab.instances.len()));
});
