use std::path::Path;
use std::sync::LazyLock;

use warpscope_requirements::Catalogue;

use super::step::{Action, Content, CrcFault, Cut, Expected, FieldValue, Matcher};
use super::*;
use crate::layout::Layouts;
use crate::listing::CASE_FILES;
use crate::yaml::{Diagnostic, Source};

mod mistakes;

struct World {
    layouts: Layouts,
    catalogue: Catalogue,
}

static WORLD: LazyLock<World> = LazyLock::new(|| World {
    layouts: Layouts::builtin().unwrap(),
    catalogue: Catalogue::builtin().unwrap(),
});

impl World {
    fn context(&self) -> Context<'_> {
        let bugs = Some(&["crc-unchecked", "bounds-unchecked"][..]);
        Context { layouts: &self.layouts, catalogue: &self.catalogue, bugs }
    }

    fn read(&self, text: &str) -> Result<Cases, Vec<Diagnostic>> {
        Cases::read(&[Source::new("a.yaml", text)], self.context())
    }
}

static SHIPPED: LazyLock<Cases> = LazyLock::new(|| {
    let context = Context { bugs: None, ..WORLD.context() };
    let joined = |wrong: Vec<Diagnostic>| {
        let messages: Vec<String> = wrong.iter().map(ToString::to_string).collect();
        messages.join("\n")
    };
    Cases::read(&sources(), context).unwrap_or_else(|wrong| panic!("\n{}", joined(wrong)))
});

fn sources() -> Vec<Source> {
    CASE_FILES.iter().map(|(path, text)| Source::new(path, text)).collect()
}

/// A case with a head and these keys.
fn case(rest: &str) -> String {
    format!("id: x\ntitle: t\ncovers: [RFC5044-8-02]\n{rest}")
}

fn only(rest: &str) -> Vec<Instance> {
    match WORLD.read(&case(rest)) {
        Ok(cases) => cases.all()[0].instances.clone(),
        Err(wrong) => panic!("{}", wrong[0]),
    }
}

#[test]
fn the_shipped_cases_are_right() {
    assert!(SHIPPED.all().len() >= 10);
    let mut ids: Vec<&str> =
        SHIPPED.all().iter().flat_map(|it| &it.instances).map(|it| it.id.as_str()).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count, "every instance has an id of its own");
}

#[test]
fn every_combination_is_an_instance_with_a_stable_id() {
    let text = "role: both\nacross: {crc: [on, off], cut: [whole, one_byte]}\n\
                except: [{crc: off, cut: one_byte}]\nsteps: [{send: {send: {}}}]\n";
    let instances = only(text);
    let ids: Vec<&str> = instances.iter().map(|it| it.id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "x[role=initiator,crc=on,cut=whole]",
            "x[role=initiator,crc=on,cut=one_byte]",
            "x[role=initiator,crc=off,cut=whole]",
            "x[role=responder,crc=on,cut=whole]",
            "x[role=responder,crc=on,cut=one_byte]",
            "x[role=responder,crc=off,cut=whole]",
        ]
    );
    // The axes set what has their name.
    let [connect, send] = instances[4].steps.as_slice() else { panic!("two steps") };
    let Action::Connect(connect) = &connect.action else { panic!("the step nobody wrote") };
    assert_eq!(connect.ours.flag("crc"), Some(true));
    let Action::Send(send) = &send.action else { panic!() };
    assert_eq!(send.framing.cut, Some(Cut::OneByte));
    assert_eq!(only("steps: [{send: {send: {}}}]\n")[0].id, "x");
}

#[test]
fn a_read_of_an_unknown_tag_is_as_the_case_says() {
    let case = SHIPPED.find("rdmap-read-unknown-stag").unwrap();
    assert_eq!(case.instances.len(), 12);
    let steps = &case.instances[0].steps;
    let Action::Send(send) = &steps[1].action else { panic!() };
    let Content::Message { name, fields, payload } = &send.content else { panic!() };
    assert_eq!(name, "rdma_read_request");
    assert_eq!(payload.length(), Some(0));
    let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
    let expected = [
        "data_source_steering_tag",
        "data_source_tagged_offset",
        "data_sink_steering_tag",
        "data_sink_tagged_offset",
        "rdma_read_message_size",
    ];
    assert_eq!(names, expected);
    assert_eq!(fields[0].1, FieldValue::Number(Value::Known(0xDEAD_BEEF)));
    let FieldValue::Number(sink) = &fields[2].1 else { panic!() };
    assert_eq!(sink.evaluate(&|it| (it.to_string() == "$local.sink.stag").then_some(5)), Ok(5));
    let Action::Expect(expect) = &steps[2].action else { panic!() };
    let Expected::Terminate(terminate) = &expect.want else { panic!() };
    assert_eq!((terminate.layer, terminate.error_type), (Some(0), Some(1)));
    assert_eq!(terminate.codes, [0]);
    assert!(steps[2].file.ends_with("refused.yaml"));
}

#[test]
fn variables_are_bound_and_counted_with() {
    let text = "needs: [agent, given-offsets]\nbuffers: {target: {r: {length: 0x100, base: 16}}}\nsteps:\n\
        - send: {rdma_read_request: {source: $target.r, size: $target.r.length / 2}}\n\
        - expect: {rdma_read_response: {to: any, stag: {one_of: [1, 2]}}, bind: {place: to, data: payload}}\n\
        - set: {next: $place + 8 * (2 - 1)}\n\
        - send: {rdma_write: {to: $next % 4096, payload: $data}}\n  crc: bad\n";
    let instance = only(text).remove(0);
    let Action::Send(send) = &instance.steps[1].action else { panic!() };
    let Content::Message { fields, .. } = &send.content else { panic!() };
    assert_eq!(fields[2].1, FieldValue::Number(Value::Known(0x80)));
    let Action::Expect(expect) = &instance.steps[2].action else { panic!() };
    let Expected::Message(wanted) = &expect.want else { panic!() };
    assert_eq!(wanted.fields[0], ("tagged_offset".to_owned(), Matcher::Any));
    assert_eq!(wanted.bind[0], ("place".to_owned(), "tagged_offset".to_owned()));
    let Action::Set { value, .. } = &instance.steps[3].action else { panic!() };
    assert_eq!(value.evaluate(&|_| Some(100)), Ok(108));
    assert!(value.evaluate(&|_| None).is_err());
    let Action::Send(send) = &instance.steps[4].action else { panic!() };
    assert_eq!(send.framing.crc, Some(CrcFault::Bad));
    let Content::Message { payload, .. } = &send.content else { panic!() };
    assert_eq!(payload, &Bytes::Bound("data".to_owned()));
}

#[test]
fn lists_are_wanted_element_by_element() {
    let text = "steps:\n\
        - serve: {until: [read, mount_mnt], credits: 3, again: on}\n\
        - expect: {rpc_over_rdma: {read_list: [], write_list: {at_least: 1}, reply_chunk: [{segments: [{length: 8}, {}]}]}, bind: {tag: \"write_list[0].segments[0].handle\"}}\n  \
          skip: [{rdma_write: {}}]\n\
        - expect: {task: failed}\n\
        - send: {rdma_write: {stag: $tag, to: 0}}\n";
    let instance = only(text).remove(0);
    let Action::Serve(serve) = &instance.steps[1].action else { panic!() };
    assert_eq!(
        (serve.keywords("until"), serve.flag("again")),
        (&["read", "mount_mnt"][..], Some(true))
    );
    let Action::Expect(expect) = &instance.steps[2].action else { panic!() };
    assert_eq!(expect.skip.len(), 1);
    let Expected::Message(wanted) = &expect.want else { panic!() };
    let length = ("length".to_owned(), Matcher::Is(FieldValue::Number(Value::Known(8))));
    let segments = Matcher::List(vec![vec![length], Vec::new()]);
    assert_eq!(wanted.fields[0].1, Matcher::List(Vec::new()));
    assert_eq!(wanted.fields[1].1, Matcher::AtLeast(FieldValue::Number(Value::Known(1))));
    assert_eq!(wanted.fields[2].1, Matcher::List(vec![vec![("segments".to_owned(), segments)]]));
    for (text, expected) in [
        ("steps: [{send: {rpc_over_rdma: {\"read_list[0].position\": 4}}}]\n", "the whole list"),
        ("steps: [{expect: {rpc_over_rdma: {read_list: [{positoin: 4}]}}}]\n", "`position`"),
        ("steps: [{serve: {until: [raed]}}]\n", "`read`"),
        ("steps: [{expect: {task: fails}}]\n", "`failed`"),
    ] {
        let wrong = WORLD.read(&case(text)).unwrap_err();
        assert!(wrong[0].to_string().contains(expected), "{}", wrong[0]);
    }
}

#[test]
fn steps_that_are_done_many_times() {
    let text = "needs: [agent, send]\nacross: {n: [7]}\nsteps:\n\
        - send: {send: {payload: 1}}\n  times: $n\n\
        - target: {post: {operation: send, payload: 1}}\n  times: 800\n\
        - expect: {send: {}}\n";
    let times: Vec<u64> = only(text)[0].steps.iter().map(|step| step.times).collect();
    assert_eq!(times, [1, 7, 800, 1]);
    for (steps, expected) in [
        ("- wait: 1s\n  times: 2\n", "`times` cannot be used with `wait`"),
        ("- target: {fill: {region: $a, with: none}}\n  times: 2\n", "`post` is the only order"),
        ("- send: {send: {}}\n  times: 0\n", "1 to 100000 times"),
        ("- send: {send: {}}\n  times: 100001\n", "1 to 100000 times"),
    ] {
        let wrong = WORLD.read(&case(&format!("steps:\n{steps}"))).unwrap_err();
        assert!(wrong[0].to_string().contains(expected), "{}", wrong[0]);
    }
}

#[test]
fn steps_of_one_role() {
    let text = "role: both\nsteps:\n- {role: responder, wait: 1s}\n- {role: initiator, wait: 2s}\n\
                - wait: 3s\n";
    let waits: Vec<(Role, Vec<u64>)> = only(text)
        .iter()
        .map(|instance| {
            let seconds = instance.steps.iter().filter_map(|step| match &step.action {
                Action::Wait(time) => Some(time.as_secs()),
                _ => None,
            });
            (instance.role, seconds.collect())
        })
        .collect();
    assert_eq!(waits, [(Role::Initiator, vec![2, 3]), (Role::Responder, vec![1, 3])]);
}

#[test]
fn loops_are_unrolled() {
    let text = "steps:\n- repeat:\n    for: i\n    in: {from: 0, to: 6, by: 2}\n    steps:\n    \
                - repeat: {for: j, in: [a, b], steps: [{send: {send: {mo: $i, payload: {text: $j}}}}]}\n";
    let steps = &only(text)[0].steps;
    assert_eq!(steps.len(), 1 + 8);
    let Action::Send(send) = &steps[8].action else { panic!() };
    let Content::Message { fields, payload, .. } = &send.content else { panic!() };
    assert_eq!(fields[0].1, FieldValue::Number(Value::Known(6)));
    assert_eq!(payload, &Bytes::These(b"b".to_vec()));
}

#[test]
fn patterns_are_those_of_the_guide() {
    let bytes = |described: &str| {
        let text = format!("steps: [{{send: {{raw: {{{described}}}}}}}]\n");
        let steps = only(&text).remove(0).steps;
        let Action::Send(send) = &steps[1].action else { panic!() };
        let Content::Raw(bytes) = &send.content else { panic!() };
        bytes.evaluate(&|_| None, &|_| None).unwrap()
    };
    let pattern = |name: &str| bytes(&format!("pattern: {name}, seed: 0x1FE, length: 4"));
    assert_eq!(pattern("constant"), [0xFE; 4]);
    assert_eq!(pattern("counting"), [0xFE, 0xFF, 0, 1]);
    let mixed: Vec<u8> = (0x1FE_u64..0x202).map(|it| ((it * 0x9E37_79B1) >> 24) as u8).collect();
    assert_eq!(pattern("mixed"), mixed);
    assert_eq!(bytes("u32: 0x1020304"), [1, 2, 3, 4]);
    assert_eq!(bytes("u64: 0x100000000 + 7"), [0, 0, 0, 1, 0, 0, 0, 7]);
}

#[test]
fn the_schema_has_every_key_message_and_field() {
    let schema = schema(&WORLD.layouts);
    let case = &schema["oneOf"][0];
    assert_eq!(case["required"], serde_json::json!(["id", "title", "covers", "steps"]));
    let send = &schema["$defs"]["send"]["properties"];
    let maximum = &send["send"]["properties"]["opcode"]["oneOf"][0]["maximum"];
    assert_eq!(maximum, &serde_json::json!(15));
    assert!(send["rdma_read_request"]["properties"]["source"].is_object());
    assert!(schema["$defs"]["target"]["properties"]["post_receives"].is_object());
    // Every reference leads somewhere.
    let text = schema.to_string();
    for reference in text.split("#/$defs/").skip(1) {
        let name = reference.split('"').next().unwrap();
        assert!(schema["$defs"][name].is_object(), "{name}");
    }
}

#[test]
fn the_case_of_the_guide_is_right() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("WRITING-CASES.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let context = Context { bugs: None, ..WORLD.context() };
    let blocks: Vec<&str> = guide.split("```yaml\n").skip(1).collect();
    let block = |index: usize| blocks[index].split("```").next().unwrap();
    let used = ["shared/still-alive.yaml", "shared/refused.yaml", "shared/ended.yaml"];
    let read = |text: &str, others: &str| {
        let mut files: Vec<Source> = sources()
            .into_iter()
            .filter(|it| used.iter().any(|end| it.name().ends_with(end)))
            .collect();
        files.push(Source::new("guide.yaml", text));
        files.push(Source::new("others.yaml", others));
        match Cases::read(&files, context) {
            Ok(cases) => cases,
            Err(wrong) => panic!("{}", wrong[0]),
        }
    };
    // The shared fragments must be used by somebody.
    let others = "id: y\ntitle: t\ncovers: [RFC5044-8-02]\nneeds: [agent]\nsteps:\n- use: still-alive\n- use: refused\n";
    let cases = read(block(0), others);
    assert_eq!(cases.all()[0].instances.len(), 4);
    // The other blocks are steps, each of a case of its own.
    let all = super::grammar::CAPABILITIES.join(", ");
    let buffers =
        format!("needs: [{all}]\nbuffers: {{target: {{sink: {{length: 4096}}}}}}\nsteps:\n");
    for index in 1..blocks.len() {
        let mut steps = block(index).replace("[...]}    # or in: [a, b]", "[wait: 1ms]}");
        steps = steps.replace("$place + 8", "8").replace("close: half ", "wait: 1s # ");
        for stream in 0..steps.matches("- connect:").count() {
            let named = format!("- stream: s{stream}\n  connect:");
            steps = steps.replacen("- connect:", &named, 1);
        }
        read(&case(&format!("{buffers}{steps}")), others);
    }
}

/// The Terminate codes that no case wants of a target.
const NO_CASE: [&str; 3] = [
    // Nothing in RFC 5040 leads to it: it is for what no code fits.
    "rdmap.remote_protection.unspecified",
    // An error of several streams, which no peer causes.
    "rdmap.remote_operation.catastrophic_global",
    // An error inside the target, which no peer causes.
    "ddp.local_catastrophic.local_catastrophic",
];

/// Puts down what a target may be asked to say: layer, error type and code.
fn terminates_of(want: &Expected, out: &mut Vec<(u64, u64, u64)>) {
    match want {
        Expected::Terminate(it) => {
            if let (Some(layer), Some(error_type)) = (it.layer, it.error_type) {
                out.extend(it.codes.iter().map(|code| (layer, error_type, *code)));
            }
        }
        Expected::AnyOf(wants) => wants.iter().for_each(|it| terminates_of(it, out)),
        _ => {}
    }
}

#[test]
fn every_terminate_code_has_a_case_or_a_reason() {
    let mut found = Vec::new();
    for step in SHIPPED.all().iter().flat_map(|it| &it.instances).flat_map(|it| &it.steps) {
        if let Action::Expect(expect) = &step.action {
            terminates_of(&expect.want, &mut found);
        }
    }
    let missing: Vec<String> = WORLD
        .layouts
        .codes()
        .iter()
        .filter(|it| {
            let key = |code| (it.layer_number, it.error_type_number, code);
            !it.code.is_none_or(|code| found.contains(&key(code)))
        })
        .map(|it| format!("{}.{}.{}", it.layer, it.error_type, it.name))
        .collect();
    assert_eq!(missing, NO_CASE);
}

/// What a case's steps and buffers use must be in its needs; what an axis brings in is its instances'.
#[test]
fn abilities_are_found_from_steps_and_buffers() {
    let steps = |steps: &str| format!("steps: [{steps}]\n");
    let buffer = |keys: &str| {
        let steps = "steps: [{expect: {memory_unchanged: $target.x}}]";
        format!("buffers: {{target: {{x: {{length: 8, {keys}}}}}}}\n{steps}\n")
    };
    let unnamed = buffer("base: 0").replace("expect: {memory_unchanged: $target.x}", "wait: 1s");
    for (text, used) in [
        (steps("wait: 1s"), ""),
        (steps("{send: {send: {payload: 1}}}"), ""),
        (steps("{target: {post_receives: {count: 1, size: 1}}}"), "agent"),
        (steps("{target: {post: {operation: send, flags: [invalidate]}}}"), "agent, send"),
        (
            steps("{target: {post: {operation: rdma_read, flags: [fence]}}}"),
            "agent, fence, rdma-read",
        ),
        (steps("{connect: {target: {crc: on, packing: shared}}}"), "agent, crc, packing"),
        (steps("{connect: {target: {revision: 1}}}"), "agent, revision"),
        (steps("{connect: {target: {ird: 1}}}"), "agent"),
        (steps("{connect: {receives: 1}}, {connect: {}, stream: b}"), "agent, several-streams"),
        (steps("{expect: {report: {arrival: {length: 1}}}}"), "agent"),
        (steps("{expect: {report: {arrival: {solicited: on}}}}"), "agent"),
        (steps("{expect: {no_report: {terminate_came: {}}}}"), "agent, terminate-arrivals"),
        (steps("{expect: {report: {ended: {how: lost}}}}"), "agent"),
        (steps("{expect: {in_order: [{report: {terminates: {}}}]}}"), "agent, terminate-reports"),
        (steps("{connect: {target: {revision: 2}}}"), "agent, enhanced-setup"),
        (unnamed, ""),
        (buffer("base: 0"), "agent, zero-based"),
        (buffer("base: 8"), "agent, given-offsets"),
        (buffer("scope: stream, backing: file"), "agent, file-backing, stream-scope"),
        (
            buffer("rights: [atomic, verify], scope: foreign"),
            "agent, atomics, protection-domains, verify",
        ),
    ] {
        let missing = match used {
            "" => Vec::new(),
            used => vec![format!(
                "a.yaml:1:1: the case uses abilities that its `needs` do not name: {used}"
            )],
        };
        let wrong = WORLD.read(&case(&text)).err().unwrap_or_default();
        let reported: Vec<String> =
            wrong.iter().map(|it| it.to_string().lines().next().unwrap().to_owned()).collect();
        assert_eq!(reported, missing, "{text}");
        assert!(WORLD.read(&case(&format!("needs: [{used}]\n{text}"))).is_ok(), "{text}");
    }
    let text = "needs: [agent]\nrole: both\nacross: {scope: [stream, foreign]}\n\
                buffers: {target: {x: {length: 8, scope: $scope}}}\n\
                steps: [{connect: {target: {revision: 2}}}, {expect: {memory_unchanged: $target.x}}]\n";
    let needs: Vec<String> = only(text).iter().map(|it| it.needs.join(" ")).collect();
    let expected = [
        "enhanced-setup stream-scope",
        "enhanced-setup protection-domains",
        "stream-scope",
        "protection-domains",
    ];
    assert_eq!(needs, expected.map(|it| format!("agent {it}")));
}
