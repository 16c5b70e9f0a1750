//! Mistakes: each has its place, its line and a suggestion.

use super::*;

/// What is reported of a case, without the marks under the lines.
fn reported(rest: &str) -> Vec<String> {
    let wrong = WORLD.read(&case(rest)).err().unwrap_or_default();
    for diagnostic in &wrong {
        let lines: Vec<&str> = diagnostic.line.lines().collect();
        assert!(lines.len() <= 1 && diagnostic.place.line > 0 && diagnostic.place.column > 0);
    }
    wrong.iter().map(|it| it.to_string().lines().next().unwrap().to_owned()).collect()
}

/// The first that is reported of each case is what follows it after `=> `.
#[track_caller]
fn each_is_reported(cases: &str) {
    let mut rest = String::new();
    for line in cases.lines() {
        let Some(expected) = line.strip_prefix("=> ") else {
            rest += &format!("{line}\n");
            continue;
        };
        let messages = reported(&rest);
        assert_eq!(messages.first(), Some(&format!("a.yaml:{expected}")), "{rest}");
        rest.clear();
    }
    assert_eq!(rest, "");
}

#[test]
fn names_that_mean_nothing() {
    each_is_reported(
        r"step: []
steps: [wait: 1s]
=> 4:1: `step` is not valid here; did you mean `steps`?
steps: [{sned: {}}]
=> 4:10: `sned` is not a verb of a step; did you mean `send`?
steps: [{send: {rdma_wirte: {}}}]
=> 4:17: there is no message `rdma_wirte`; did you mean `rdma_write`?
steps: [{send: {send: {msm: 1}}}]
=> 4:24: send has no field `msm`; did you mean `msn`?
steps: [{send: {rdma_read_request: {source: {stga: 1}}}}]
=> 4:46: rdma_read_request has no field `source_stga`; did you mean `source_stag`?
steps: [{expect: {terminate: {layer: ddp, type: taged_buffer}}}]
=> 4:49: there is no error type `taged_buffer` here; did you mean `tagged_buffer`?
steps: [{expect: {terminate: {layer: ddp, type: tagged_buffer, code: invalid_qn}}}]
=> 4:70: there is no error code `invalid_qn` here; expected one of invalid_stag, base_or_bounds, stag_not_associated, to_wrap, invalid_version
steps: [{target: {post_recieves: {}}}]
=> 4:19: `post_recieves` is not a valid order; did you mean `post_receives`?
kills: [crc-uncheked]
steps: [wait: 1s]
=> 4:9: there is no seeded bug `crc-uncheked`; did you mean `crc-unchecked`?
steps: [{send: {send: {segments: 2}}}]
=> 4:34: use `segment`, beside `send`, to cut what is sent
buffers: {target: {x: {length: 8, backing: fiel}}}
steps: [expect: {memory_unchanged: $target.x}]
=> 4:44: `fiel` is not valid here; did you mean `file`?
needs: [atomic]
steps: [wait: 1s]
=> 4:9: `atomic` is not valid here; did you mean `atomics`?
steps: [{expect: {in_order: [{report: {peer_closed: {}}}, closed]}}]
=> 4:29: reports are ordered only among themselves: they arrive separately from what is on the wire
steps: [{role: both, wait: 1s}]
=> 4:16: `both` is not valid here; expected one of initiator, responder
steps: [{send: {send: {offset: 1}}}]
=> 4:24: send has no field `offset`; did you mean `message_offset`?
steps: [{send: {send: {last: maybe}}}]
=> 4:30: `last` has one bit: `on`, `off`, 1 or 0, not `maybe`
steps: [{hear: maybe}]
=> 4:16: expected `on` or `off`, not `maybe`
steps: [use: refussed]
=> 4:14: there is no fragment `refussed`; there are none",
    );
    assert!(reported("steps: [{send: {send: {last: no}}}]\n").is_empty());
    assert!(reported("steps: [{hear: no}]\n").is_empty());
    let wrong = WORLD.read("id: x\ntitle: t\ncovers: [RFC5044-8-99]\nsteps: [wait: 1s]\n");
    assert!(wrong.unwrap_err()[0].to_string().starts_with("a.yaml:3:10: "));
}

#[test]
fn requirements_are_suggested_out_of_the_same_document() {
    let message = |id: &str| {
        let text = format!("id: x\ntitle: t\ncovers: [{id}]\nsteps: [wait: 1s]\n");
        WORLD.read(&text).unwrap_err()[0].message.clone()
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
    each_is_reported(
        r"across: {size: [1, 2]}
steps: [wait: 1s]
=> 4:10: nothing uses `$size`: all its instances would be the same",
    );
    // What else is wrong is reported all the same, and `$more` is no use of `$mo`.
    assert_eq!(
        reported("across: {mo: [1, 2]}\nsteps: [{send: {send: {mo: $more}}}, {sned: {}}]\n"),
        [
            "a.yaml:4:10: nothing uses `$mo`: all its instances would be the same",
            "a.yaml:5:28: `$more` is not bound at this point; expected one of role, mo, target, local, stream",
            "a.yaml:5:39: `sned` is not a verb of a step; did you mean `send`?",
        ]
    );
    assert!(reported("across: {mo: [1, 2]}\nsteps: [{send: {send: {mo: $mo + 1}}}]\n").is_empty());
    let text = "id: x\ntitle: t\ncovers: [RFC5044-9.3-01]\nsteps: [wait: 1s]\n";
    let wrong = WORLD.read(text).unwrap_err();
    let unseen = "is not visible on the wire or to a peer: no case can judge it";
    let start = format!("a.yaml:3:10: RFC5044-9.3-01 {unseen}");
    assert!(wrong[0].to_string().starts_with(&start), "{}", wrong[0]);
}

#[test]
fn values_that_are_not_there_or_do_not_fit_and_steps_that_are_never_reached() {
    each_is_reported(
        r"steps: [{send: {send: {mo: 4 + $ofset}}}]
=> 4:32: `$ofset` is not bound at this point; expected one of role, target, local, stream
buffers: {target: {sink: {length: 8}}}
steps: [{send: {send: {mo: $target.snk.base}}}]
=> 5:28: `buffers: target:` has no `snk`; did you mean `sink`?
buffers: {target: {sink: {length: 8}}}
steps: [{send: {send: {mo: $target.sink.bas}}}]
=> 5:28: a buffer has no `bas`; did you mean `base`?
steps: [{send: {send: {mo: 1 +}}}]
=> 4:31: expected a number or `$name`
steps: [{send: {send: {mo: (1}}}]
=> 4:30: missing a `)`
steps: [{send: {send: {mo: 1 2}}}]
=> 4:30: unexpected `2`
across: {a: [$a]}
steps: [{send: {send: {mo: $a}}}]
=> 5:28: `$a` refers to itself
steps: [{expect: {terminate: {ddp_header: {echoes: it}}}}]
=> 4:52: no earlier send has the name `it` (`as: it`); there are none
steps: [{send: {send: {opcode: 16}}}]
=> 4:32: `opcode` has 4 bits: 0x10 does not fit
steps: [{send: {send: {mo: 0 - 1}}}]
=> 4:28: `message_offset` has 32 bits: 0xffffffffffffffff does not fit
steps: [{send: {mpa_request: {key: {text: short}}}}]
=> 4:36: `key` has 16 bytes, but these are 5
steps: [{expect: {terminate: {layer: 16}}}]
=> 4:38: the layer has 4 bits: 0x10 does not fit
steps: [wait: 2]
=> 4:15: expected a time, such as `2s` or `100ms`
steps: [{send: {raw: {hex: 123}}}]
=> 4:28: `hex` must be pairs of hexadecimal digits
steps: [{send: {send: {}}, length: 0x10000}]
=> 4:36: `ulpdu_length` has 16 bits: that does not fit
steps:
- expect: closed
- send: {send: {}}
=> 6:9: stream `a` has already ended: the step is never reached
steps:
- close: reset
- expect: nothing
=> 6:11: stream `a` has already ended: the step is never reached
steps:
- send: {send: {}}
  stream: b
=> 5:3: stream `b` is not up: `connect` it first; there are none
steps:
- connect: {}
- connect: {}
=> 6:3: stream `a` is already up: `close` it first, or use another name",
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
    let fragment = "fragment: f\ntitle: t\ntakes: {m: 1}\nsteps:\n- send: {send: {mo: $m}}\n";
    let read = |case_text: &str, fragment: &str| {
        let files = [Source::new("a.yaml", case_text), Source::new("f.yaml", fragment)];
        let wrong = Cases::read(&files, WORLD.context()).err().unwrap_or_default();
        wrong.iter().map(|it| it.to_string().lines().next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let good = case("steps: [use: f]\n");
    assert!(read(&good, fragment).is_empty());
    let near = "f.yaml:5:17: send has no field `mx`; did you mean `mo`?";
    assert_eq!(read(&good, &fragment.replace("mo:", "mx:"))[0], near);
    let given = case("steps: [use: {fragment: f, with: {m: 0x1_0000_0000}}]\n");
    let wide = "f.yaml:5:21: `message_offset` has 32 bits: 0x100000000 does not fit";
    assert_eq!(read(&given, fragment), [wide]);
    let unknown = case("steps: [use: {fragment: f, with: {n: 1}}]\n");
    assert_eq!(
        read(&unknown, fragment)[0],
        "a.yaml:4:35: fragment `f` takes no `n`; expected one of m"
    );
    let unused = "f.yaml:1:1: no case uses the fragment `f`";
    assert_eq!(read(&case("steps: [wait: 1s]\n"), fragment), [unused]);
    let endless = "fragment: f\ntitle: t\nsteps:\n- use: f\n";
    assert!(read(&good, endless)[0].ends_with("loops and fragments are nested too deeply"));
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
    let context = Context { bugs: None, ..WORLD.context() };
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
