use super::*;

/// The Terminate codes that no case wants of a target, each with the reason.
const NO_CASE: [(&str, &str); 4] = [
    (
        "rdmap.remote_protection.unspecified",
        "nothing in RFC 5040 leads to it: it is for what no code fits",
    ),
    (
        "rdmap.remote_operation.catastrophic_global",
        "an error of several streams, which no peer causes",
    ),
    (
        "ddp.local_catastrophic.local_catastrophic",
        "an error inside the target, which no peer causes",
    ),
    (
        "llp.mpa.invalid_frame",
        "told to the ULP only: no Terminate passes before the setup (RFC 5044 section 8)",
    ),
];

/// Puts down what a target may be asked to say: layer, error type and code.
fn wanted(want: &Want, out: &mut Vec<(u64, u64, u64)>) {
    match want {
        Want::Terminate(it) => {
            if let (Some(layer), Some(error_type)) = (it.layer, it.error_type) {
                out.extend(it.codes.iter().map(|code| (layer, error_type, *code)));
            }
        }
        Want::AnyOf(wants) => wants.iter().for_each(|it| wanted(it, out)),
        _ => {}
    }
}

#[test]
fn every_terminate_code_has_a_case_or_a_reason() {
    let world = World::new();
    let cases = world.shipped();
    let mut found = Vec::new();
    for step in cases.all().iter().flat_map(|it| &it.instances).flat_map(|it| &it.steps) {
        if let Action::Expect(expect) = &step.action {
            wanted(&expect.want, &mut found);
        }
    }
    let missing: Vec<String> = world
        .layouts
        .codes()
        .iter()
        .filter(|it| {
            let key = |code| (it.layer_number, it.error_type_number, code);
            !it.code.is_none_or(|code| found.contains(&key(code)))
        })
        .map(|it| format!("{}.{}.{}", it.layer, it.error_type, it.name))
        .collect();
    assert_eq!(missing, NO_CASE.map(|(code, _)| code));
}
