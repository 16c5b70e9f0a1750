//! Every way to refuse a call, and the XDR of credentials.

use super::*;
use warpscope_wire::Malformed;

/// A program 7 in versions 2 and 4, whose procedure 1 gives back a word.
struct Echo;

impl Service for Echo {
    const PROGRAMS: &'static [(u32, u32)] = &[(7, 2), (7, 4)];

    fn call(
        &mut self,
        call: &ProcedureCall,
        arguments: &mut Reader<'_>,
        results: &mut Builder,
    ) -> Result<(), Refusal> {
        let 1 = call.procedure else { return Err(Refusal::ProcedureUnavailable) };
        results.word(0xbad);
        let word = arguments.word("word")?;
        results.truncate(results.written() - 4);
        results.word(word);
        Ok(())
    }
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

fn answered(call: &[u32]) -> Vec<u32> {
    let reply = answer_call(&mut Echo, &words(call)).bytes;
    reply.chunks(4).map(|word| u32::from_be_bytes(word.try_into().unwrap())).collect()
}

#[test]
fn replies_are_those_of_the_rfc() {
    let none = [0, 0, 0, 0];
    let long = [&[9, 0, 2, 7, 2, 1, 0, 404][..], &[0; 101], &[0, 0]].concat();
    let cases: &[(&str, Vec<u32>, Vec<u32>)] = &[
        ("success", [&[9, 0, 2, 7, 2, 1], &none[..], &[5]].concat(), vec![9, 1, 0, 0, 0, 0, 5]),
        ("version 4", [&[9, 0, 2, 7, 4, 1], &none[..], &[5]].concat(), vec![9, 1, 0, 0, 0, 0, 5]),
        ("RPC_MISMATCH", vec![9, 0, 3], vec![9, 1, 1, 0, 2, 2]),
        ("RPC_MISMATCH, whole", [&[9, 0, 1, 7, 2, 1], &none[..]].concat(), vec![9, 1, 1, 0, 2, 2]),
        ("PROG_UNAVAIL", [&[9, 0, 2, 8, 2, 1], &none[..]].concat(), vec![9, 1, 0, 0, 0, 1]),
        ("PROG_MISMATCH", [&[9, 0, 2, 7, 3, 1], &none[..]].concat(), vec![9, 1, 0, 0, 0, 2, 2, 4]),
        ("PROC_UNAVAIL", [&[9, 0, 2, 7, 2, 2], &none[..]].concat(), vec![9, 1, 0, 0, 0, 3]),
        ("GARBAGE_ARGS", [&[9, 0, 2, 7, 2, 1], &none[..]].concat(), vec![9, 1, 0, 0, 0, 4]),
        ("half a header", vec![9, 0, 2, 7, 2], vec![9, 1, 0, 0, 0, 4]),
        ("AUTH_BADCRED, flavor", vec![9, 0, 2, 7, 2, 1, 6, 0, 0, 0, 5], vec![9, 1, 1, 1, 1]),
        ("AUTH_BADCRED, body", vec![9, 0, 2, 7, 2, 1, 1, 4, 0, 0, 0, 5], vec![9, 1, 1, 1, 1]),
        ("AUTH_BADCRED, too long", long, vec![9, 1, 1, 1, 1]),
        ("AUTH_BADVERF", vec![9, 0, 2, 7, 2, 1, 0, 0, 1, 0, 5], vec![9, 1, 1, 1, 3]),
        ("a reply", vec![9, 1, 0, 0, 0, 0], vec![]),
        ("an XID alone", vec![9], vec![]),
        ("nothing", vec![], vec![]),
    ];
    for (name, call, reply) in cases {
        assert_eq!(&answered(call), reply, "{name}");
    }
}

#[test]
fn a_call_has_the_layout_of_the_rfc() {
    let user = AuthSys {
        stamp: 3,
        machine_name: b"abcde".to_vec(),
        user: 1000,
        group: 100,
        groups: vec![4, 5],
    };
    let credential = Credential::Sys(user);
    let header =
        CallHeader { xid: 9, program: 7, version: 2, procedure: 1, credential: &credential };
    let mut call = begin_call(&header).unwrap();
    call.word(0x5678);
    let name = [0x6162_6364, 0x6500_0000];
    let expected =
        [&[9, 0, 2, 7, 2, 1, 1, 36, 3, 5][..], &name, &[1000, 100, 2, 4, 5, 0, 0, 0x5678]];
    let call = call.finish().bytes;
    assert_eq!(call, words(&expected.concat()));
    let reply = answer_call(&mut Echo, &call).bytes;
    assert_eq!(results_of(&reply, 9).unwrap().word("word"), Ok(0x5678));
}

#[test]
fn a_credential_that_is_too_large_is_not_sent() {
    let name = AuthSys { machine_name: vec![b'a'; 256], ..AuthSys::default() };
    let groups = AuthSys { groups: vec![0; 17], ..AuthSys::default() };
    assert!(Credential::Sys(name).to_auth().is_err());
    assert!(Credential::Sys(groups).to_auth().is_err());
    let most = AuthSys { machine_name: vec![b'a'; 255], groups: vec![0; 16], ..AuthSys::default() };
    assert!(Credential::Sys(most).to_auth().is_ok());
}

#[test]
fn replies_without_results_say_why() {
    let results = |reply: &[u32]| {
        let reply = words(reply);
        results_of(&reply, 9).map(|reader| reader.rest().len())
    };
    assert_eq!(results(&[9, 1, 0, 0, 0, 0, 1]), Ok(4));
    assert_eq!(results(&[8, 1, 0, 0, 0, 0]), Err(CallError::OtherXid { wanted: 9, found: 8 }));
    assert_eq!(results(&[9, 0, 2, 7, 2, 1, 0, 0, 0, 0]), Err(CallError::NotAReply));
    assert_eq!(results(&[9, 1, 1, 0, 2, 2]), Err(CallError::RpcMismatch { low: 2, high: 2 }));
    assert_eq!(results(&[9, 1, 1, 1, 5]), Err(CallError::AuthError(5)));
    let mismatch = CallError::Refused { status: 2, versions: Some((2, 4)) };
    assert_eq!(mismatch.to_string(), "the server refuses the call: PROG_MISMATCH, versions 2 to 4");
    assert_eq!(results(&[9, 1, 0, 0, 0, 2, 2, 4]), Err(mismatch));
    assert!(matches!(results(&[9, 1, 0]), Err(CallError::Malformed(_))));
}

#[test]
fn lengths_are_believed_as_far_as_there_are_bytes() {
    let hostile = words(&[u32::MAX, 0, 0]);
    assert!(Reader::new(&hostile).opaque("data", u32::MAX).is_err());
    let bounded = words(&[5, 0, 0]);
    assert!(Reader::new(&bounded).opaque("data", 4).is_err());
    assert_eq!(Reader::new(&bounded).opaque("data", 5), Ok(&[0; 5][..]));
    let unpadded = [0, 0, 0, 1, 9];
    assert!(Reader::new(&unpadded).opaque("data", 5).is_err());
    let odd: Result<bool, Malformed> = Reader::new(&words(&[2])).boolean("flag");
    assert!(odd.is_err());
}

#[test]
fn eligible_items_are_told_without_length_and_round_up() {
    let mut builder = Builder::default();
    builder.word(1).eligible(b"abcde").eligible(b"").word(2);
    let message = builder.finish();
    assert_eq!(message.eligible, [8..13, 20..20]);
    assert_eq!(message.bytes.get(8..16), Some(&b"abcde\0\0\0"[..]));
    assert_eq!(message.bytes.len(), 24);
    let call = OutgoingCall { message, result_room: vec![5, 8], longest_reply: 50 };
    assert_eq!(call.longest_reduced_reply(), 34);
}
