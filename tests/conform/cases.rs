//! The cases that are built in, against a strict peer.

use super::peer::Peer;
use std::sync::atomic::AtomicBool;
use warpscope_conformance::case::Context;
use warpscope_conformance::judge::Verdict;
use warpscope_conformance::layout::Layouts;
use warpscope_conformance::listing::Library;
use warpscope_conformance::run::{Options, Target, probe, run_all};
use warpscope_requirements::Catalogue;

#[test]
fn a_strict_peer_passes_the_cases() {
    let layouts = Layouts::builtin().unwrap();
    let catalogue = Catalogue::builtin().unwrap();
    let context = Context { layouts: &layouts, catalogue: &catalogue, bugs: None };
    let cases = Library::builtin(&catalogue).cases(context).unwrap();
    let peers: Vec<Peer> = (0..4).map(|_| Peer::listen("")).collect();
    let addresses = peers.iter().flat_map(|peer| peer.target().addresses).collect();
    let target = Target { addresses, ..peers[0].target() };
    let options = Options { jobs: 8, ..Options::default() };
    let known = probe(&target, &options).unwrap();
    let instances: Vec<_> = cases.all().iter().flat_map(|case| case.instances.clone()).collect();
    let (stop, mut wrong, mut passed) = (AtomicBool::new(false), Vec::new(), 0);
    run_all(&target, &known, &layouts, &instances, &options, &stop, |it| match it.verdict {
        Verdict::Pass => passed += 1,
        Verdict::NotApplicable => {}
        _ => {
            let lines = it.evidence.transcript();
            let lines: Vec<String> = lines
                .iter()
                .map(|line| format!("{} {}", if line.sent { "->" } else { "<-" }, line.words))
                .collect();
            wrong.push({
                let why = it.reason.unwrap_or_default();
                format!("{}: {}: {why}\n  {}", it.id, it.verdict, lines.join("\n  "))
            });
        }
    })
    .unwrap();
    assert!(wrong.is_empty(), "{passed} passed; {} did not:\n{}", wrong.len(), wrong.join("\n"));
    assert!(passed > 0);
}
