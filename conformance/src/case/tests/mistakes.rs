//! Mistakes: each has its place, its line and a suggestion.

use super::*;

/// What is reported of a case, without the marks under the lines.
fn reported(rest: &str) -> Vec<String> {
    let wrong = World::new().read(&case(rest)).err().unwrap_or_default();
    for diagnostic in &wrong {
        let lines: Vec<&str> = diagnostic.line.lines().collect();
        assert!(lines.len() <= 1 && diagnostic.place.line > 0 && diagnostic.place.column > 0);
    }
    wrong.iter().map(|it| it.to_string().lines().next().unwrap().to_owned()).collect()
}

#[track_caller]
fn first(rest: &str, expected: &str) {
    let told = reported(rest);
    assert!(!told.is_empty(), "nothing is reported of {rest}");
    assert_eq!(told[0], format!("a.yaml:{expected}"));
}

const BUFFERS: &str = "buffers: {target: {sink: {length: 8}}}\n";

#[test]
fn names_that_mean_nothing() {
    first("step: []\nsteps: [wait: 1s]\n", "4:1: `step` means nothing here; did you mean `steps`?");
    first("steps: [{sned: {}}]\n", "4:10: `sned` is no verb of a step; did you mean `send`?");
    first(
        "steps: [{send: {rdma_wirte: {}}}]\n",
        "4:17: there is no message `rdma_wirte`; did you mean `rdma_write`?",
    );
    first(
        "steps: [{send: {send: {msm: 1}}}]\n",
        "4:24: send has no field `msm`; did you mean `msn`?",
    );
    first(
        "steps: [{send: {rdma_read_request: {source: {stga: 1}}}}]\n",
        "4:46: rdma_read_request has no field `source_stga`; did you mean `source_stag`?",
    );
    first(
        "steps: [{expect: {terminate: {layer: ddp, type: taged_buffer}}}]\n",
        "4:49: there is no error type `taged_buffer` here; did you mean `tagged_buffer`?",
    );
    first(
        "steps: [{expect: {terminate: {layer: ddp, type: tagged_buffer, code: invalid_qn}}}]\n",
        "4:70: there is no error code `invalid_qn` here; there are invalid_stag, base_or_bounds, stag_not_associated, to_wrap, invalid_version",
    );
    first(
        "steps: [{target: {post_recieves: {}}}]\n",
        "4:19: `post_recieves` is no order; did you mean `post_receives`?",
    );
    first(
        "kills: [crc-uncheked]\nsteps: [wait: 1s]\n",
        "4:9: there is no seeded bug `crc-uncheked`; did you mean `crc-unchecked`?",
    );
    first(
        "steps: [{send: {send: {segments: 2}}}]\n",
        "4:34: what is sent is cut by `segment`, beside `send`",
    );
    first(
        "buffers: {target: {x: {length: 8, backing: fiel}}}\nsteps: [expect: {memory_unchanged: $target.x}]\n",
        "4:44: `fiel` does not fit here; did you mean `file`?",
    );
    first(
        "needs: [atomic]\nsteps: [wait: 1s]\n",
        "4:9: `atomic` does not fit here; did you mean `atomics`?",
    );
    first(
        "steps: [{expect: {in_order: [{report: {peer_closed: {}}}, closed]}}]\n",
        "4:29: reports have an order among themselves alone: they come apart from what comes on the wire",
    );
    first(
        "steps: [{role: both, wait: 1s}]\n",
        "4:16: `both` does not fit here; there are initiator, responder",
    );
    first(
        "steps: [{send: {send: {offset: 1}}}]\n",
        "4:24: send has no field `offset`; did you mean `message_offset`?",
    );
    first(
        "steps: [{send: {send: {last: maybe}}}]\n",
        "4:30: `last` has one bit: `on`, `off`, 1 or 0, not `maybe`",
    );
    assert!(reported("steps: [{send: {send: {last: no}}}]\n").is_empty());
    first("steps: [{hear: maybe}]\n", "4:16: this is `on` or `off`, not `maybe`");
    assert!(reported("steps: [{hear: no}]\n").is_empty());
    first("steps: [use: refussed]\n", "4:14: there is no fragment `refussed`; there are none");
    let wrong = World::new().read("id: x\ntitle: t\ncovers: [RFC5044-8-99]\nsteps: [wait: 1s]\n");
    assert!(wrong.unwrap_err()[0].to_string().starts_with("a.yaml:3:10: "));
}

#[test]
fn requirements_are_suggested_out_of_the_same_document() {
    let message = |id: &str| {
        let text = format!("id: x\ntitle: t\ncovers: [{id}]\nsteps: [wait: 1s]\n");
        World::new().read(&text).unwrap_err()[0].message.clone()
    };
    let near = message("RFC5041-5.4-99");
    assert!(near.contains("; did you mean RFC5041-5.4-"), "{near}");
    assert_eq!(
        message("RFC5041-nothing-alike"),
        "no requirement has the id RFC5041-nothing-alike; \
         `warpscope conform coverage --all --document rfc5041` lists all"
    );
    let far = message("no-document");
    assert!(far.ends_with("; `warpscope conform coverage --all` lists all"), "{far}");
}

#[test]
fn what_shows_nothing() {
    first(
        "across: {size: [1, 2]}\nsteps: [wait: 1s]\n",
        "4:10: nothing uses `$size`: its instances would all be the same",
    );
    // What else is wrong is reported all the same, and `$more` is no use of `$mo`.
    assert_eq!(
        reported("across: {mo: [1, 2]}\nsteps: [{send: {send: {mo: $more}}}, {sned: {}}]\n"),
        [
            "a.yaml:4:10: nothing uses `$mo`: its instances would all be the same",
            "a.yaml:5:28: nothing has bound `$more` before this; there are role, mo, target, local, stream",
            "a.yaml:5:39: `sned` is no verb of a step; did you mean `send`?",
        ]
    );
    assert!(reported("across: {mo: [1, 2]}\nsteps: [{send: {send: {mo: $mo + 1}}}]\n").is_empty());
    let text = "id: x\ntitle: t\ncovers: [RFC5044-9.3-01]\nsteps: [wait: 1s]\n";
    let wrong = World::new().read(text).unwrap_err();
    assert!(
        wrong[0].to_string().starts_with(
            "a.yaml:3:10: RFC5044-9.3-01 shows neither on the wire nor to a peer: no case can judge it"
        ),
        "{}",
        wrong[0]
    );
}

#[test]
fn variables_that_have_no_value() {
    first(
        "steps: [{send: {send: {mo: 4 + $ofset}}}]\n",
        "4:32: nothing has bound `$ofset` before this; there are role, target, local, stream",
    );
    first(
        &format!("{BUFFERS}steps: [{{send: {{send: {{mo: $target.snk.base}}}}}}]\n"),
        "5:28: `buffers: target:` has no `snk`; did you mean `sink`?",
    );
    first(
        &format!("{BUFFERS}steps: [{{send: {{send: {{mo: $target.sink.bas}}}}}}]\n"),
        "5:28: a buffer has no `bas`; did you mean `base`?",
    );
    first("steps: [{send: {send: {mo: 1 +}}}]\n", "4:31: a number or `$name` belongs here");
    first("steps: [{send: {send: {mo: (1}}}]\n", "4:30: a `)` is missing");
    first("steps: [{send: {send: {mo: 1 2}}}]\n", "4:30: `2` does not go on here");
    first("across: {a: [$a]}\nsteps: [{send: {send: {mo: $a}}}]\n", "5:28: `$a` stands for itself");
    first(
        "steps: [{expect: {terminate: {ddp_header: {echoes: it}}}}]\n",
        "4:52: no send before this is called `it` (`as: it`); there are none",
    );
}

#[test]
fn values_that_do_not_fit() {
    first(
        "steps: [{send: {send: {opcode: 16}}}]\n",
        "4:32: `opcode` has 4 bits: 0x10 does not fit",
    );
    first(
        "steps: [{send: {send: {mo: 0 - 1}}}]\n",
        "4:28: `message_offset` has 32 bits: 0xffffffffffffffff does not fit",
    );
    first(
        "steps: [{send: {mpa_request: {key: {text: short}}}}]\n",
        "4:36: `key` has 16 bytes, and these are 5",
    );
    first(
        "steps: [{expect: {terminate: {layer: 16}}}]\n",
        "4:38: the layer has 4 bits: 0x10 does not fit",
    );
    first("steps: [wait: 2]\n", "4:15: a time belongs here, such as `2s` or `100ms`");
    first("steps: [{send: {raw: {hex: 123}}}]\n", "4:28: `hex` is pairs of hexadecimal digits");
    first(
        "steps: [{send: {send: {}}, length: 0x10000}]\n",
        "4:36: `ulpdu_length` has 16 bits: that does not fit",
    );
}

#[test]
fn steps_that_are_never_reached() {
    first(
        "steps:\n- expect: closed\n- send: {send: {}}\n",
        "6:9: stream `a` has ended before this: the step is never reached",
    );
    first(
        "steps:\n- close: reset\n- expect: nothing\n",
        "6:11: stream `a` has ended before this: the step is never reached",
    );
    first(
        "steps:\n- send: {send: {}}\n  stream: b\n",
        "5:3: stream `b` is not up: `connect` it first; there are none",
    );
    first(
        "steps:\n- connect: {}\n- connect: {}\n",
        "6:3: stream `a` is up already: `close` it first, or name another",
    );
    assert!(reported("steps:\n- expect: closed\n- connect: {}\n- send: {send: {}}\n").is_empty());
}

#[test]
fn every_mistake_of_a_file_is_reported_once() {
    let text =
        "across: {crc: [on, off]}\nsteps:\n- send: {send: {mmo: 1, qn: $x}}\n- send: {}\n- 7\n";
    assert_eq!(
        reported(text),
        [
            "a.yaml:6:17: send has no field `mmo`; did you mean `mo`?",
            "a.yaml:7:9: a step sends one message: {name: {field: value}}",
            "a.yaml:8:3: a step is a verb with what it does, such as `- send: {...}`, not a word",
        ]
    );
}

#[test]
fn a_mistake_in_a_fragment_stands_in_its_file() {
    let world = World::new();
    let fragment = "fragment: f\ntitle: t\ntakes: {m: 1}\nsteps:\n- send: {send: {mo: $m}}\n";
    let read = |case_text: &str, fragment: &str| {
        let files = [Source::new("a.yaml", case_text), Source::new("f.yaml", fragment)];
        let wrong = Cases::read(&files, world.context()).err().unwrap_or_default();
        wrong.iter().map(|it| it.to_string().lines().next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let good = case("steps: [use: f]\n");
    assert!(read(&good, fragment).is_empty());
    assert_eq!(
        read(&good, &fragment.replace("mo:", "mx:"))[0],
        "f.yaml:5:17: send has no field `mx`; did you mean `mo`?"
    );
    let given = case("steps: [use: {fragment: f, with: {m: 0x1_0000_0000}}]\n");
    assert_eq!(
        read(&given, fragment),
        ["f.yaml:5:21: `message_offset` has 32 bits: 0x100000000 does not fit"]
    );
    let unknown = case("steps: [use: {fragment: f, with: {n: 1}}]\n");
    assert_eq!(read(&unknown, fragment)[0], "a.yaml:4:35: fragment `f` takes no `n`; there are m");
    assert_eq!(
        read(&case("steps: [wait: 1s]\n"), fragment),
        ["f.yaml:1:1: no case uses the fragment `f`"]
    );
    let endless = "fragment: f\ntitle: t\nsteps:\n- use: f\n";
    assert!(read(&good, endless)[0].ends_with("loops and fragments lie too deep in one another"));
}

#[test]
fn a_shipped_file_without_one_byte_is_read_or_told_with_a_place() {
    without_one_byte(251);
}

#[test]
#[ignore = "takes minutes: every byte of every file"]
fn a_shipped_file_without_any_byte_is_read_or_told_with_a_place() {
    without_one_byte(1);
}

/// Takes away every `step`th byte of every file, each file beginning with another one.
fn without_one_byte(step: usize) {
    let world = World::new();
    let context = Context { bugs: None, ..world.context() };
    let sources = sources();
    for (index, source) in sources.iter().enumerate() {
        let shared = |it: &&Source| it.name().contains("shared") && it.name() != source.name();
        let shared: Vec<Source> = sources.iter().filter(shared).cloned().collect();
        for cut in (index % step..source.text().len()).step_by(step) {
            let mut bytes = source.text().as_bytes().to_vec();
            bytes.remove(cut);
            let text = String::from_utf8_lossy(&bytes);
            let mut files = shared.clone();
            files.push(Source::new("cut.yaml", &text));
            for diagnostic in Cases::read(&files, context).err().unwrap_or_default() {
                let place = diagnostic.place;
                let lines = text.lines().count().max(1) + 1;
                let own = diagnostic.file == "cut.yaml";
                assert!(place.line >= 1 && place.column >= 1, "{diagnostic}");
                assert!(!own || place.line <= lines, "{diagnostic}");
                assert!(!diagnostic.message.is_empty() && !diagnostic.message.contains('\n'));
            }
        }
    }
}
