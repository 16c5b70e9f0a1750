//! Calls of the server to the client on the client's connection (RFC 8167).

use crate::prelude::*;
use warpscope_peer::service::Service;
use warpscope_peer::setup::SetupConfig;

fn configs(backward: u32) -> [RpcRdmaConfig; 2] {
    [RpcRdmaConfig::client(backward), RpcRdmaConfig::server(8)]
}

/// A pair whose client has made a first call: before that the server may not speak (RFC 5044
/// section 7.1.2).
fn opened(configs: [RpcRdmaConfig; 2]) -> RpcPair {
    let mut pair = RpcPair::new(configs);
    pair.call(INITIATOR, Plan::default().call());
    pair.run();
    assert_eq!(pair.replies(INITIATOR).len(), 1);
    pair.programs[RESPONDER].heard.clear();
    pair
}

#[test]
fn both_sides_call_at_once_with_the_same_xids() {
    for (backward, asked) in [(1, 4), (2, 4), (4, 2), (16, 16)] {
        let [client, server] = configs(backward);
        let server = RpcRdmaConfig { credits_asked: asked, ..server };
        let mut pair = opened([client, server]);
        let plan = |xid: u32, side: usize| {
            // Forward calls may have chunks, backward ones have none.
            let length = if side == INITIATOR { 6000 } else { 60 };
            let (arguments, results) = (vec![length + xid as usize % 4], vec![length]);
            Plan { xid, arguments, results, ..Plan::default() }
        };
        for xid in 0..60 {
            for side in [INITIATOR, RESPONDER] {
                pair.call(side, plan(xid, side).call());
            }
        }
        pair.run();
        for side in [INITIATOR, RESPONDER] {
            let replies = pair.replies(side);
            assert_eq!(replies.len(), 60);
            for (xid, reply) in (0..).zip(&replies) {
                plan(xid, side).check(reply, if side == INITIATOR { &[true] } else { &[] });
            }
            let mut heard = std::mem::take(&mut pair.programs[1 - side].heard);
            heard.sort();
            let sent: Vec<_> = (0..60).map(|xid| plan(xid, side).message().bytes).collect();
            assert_eq!(heard, sent);
        }
        assert_eq!(pair.most_outstanding[RESPONDER], backward.min(asked) as usize);
        assert_eq!(pair.ends[RESPONDER].granted(), Some(backward));
        assert_eq!(pair.ends[INITIATOR].granted(), Some(8));
        pair.close_clean("both directions");
    }
}

#[test]
fn a_backward_call_that_needs_chunks_fails_at_once() {
    let mut pair = opened(configs(4));
    let long_call = Plan { xid: 1, arguments: vec![9000], ..Plan::default() };
    let long_reply = Plan { xid: 2, plain_result: 9000, ..Plan::default() };
    let fits = Plan { xid: 3, plain_argument: 1000, plain_result: 1000, ..Plan::default() };
    for plan in [&long_call, &long_reply, &fits] {
        pair.call(RESPONDER, plan.call());
    }
    pair.run();
    let ended: Vec<_> = pair.ended[RESPONDER].iter().map(|(_, it)| it.clone().err()).collect();
    assert_eq!(ended, [Some(CallFailure::TooLong), Some(CallFailure::TooLong), None]);
    pair.close_clean("backward calls that are long");
}

/// RFC 8167 section 5.3.
#[test]
fn backward_chunks_are_refused() {
    for form in [CallForm::Chunked, CallForm::Long] {
        let [client, server] = configs(4);
        let server = RpcRdmaConfig { calls_with_chunks: true, form, ..server };
        let mut pair = opened([client, server]);
        let (arguments, results) = (vec![10], vec![20]);
        let plan = Plan { xid: 1, arguments, results, ..Plan::default() };
        let handle = pair.call(RESPONDER, plan.call());
        pair.run();
        assert_eq!(pair.ended[RESPONDER], [(handle, Err(CallFailure::Chunk))]);
        assert!(pair.programs[INITIATOR].heard.is_empty());
        // The connection goes on in both directions.
        pair.ended[RESPONDER].clear();
        pair.call(INITIATOR, Plan { xid: 5, ..Plan::default() }.call());
        pair.run();
        assert_eq!(pair.replies(INITIATOR).len(), 1);
        pair.close_clean("backward chunks");
    }
}

/// Both sides may be able to, and then chunks work backward as they do forward.
#[test]
fn backward_chunks_work_where_they_are_taken() {
    let [client, server] = configs(4);
    let client = RpcRdmaConfig { takes_chunks: true, ..client };
    let server = RpcRdmaConfig { calls_with_chunks: true, ..server };
    let mut pair = opened([client, server]);
    let plan = Plan { xid: 1, arguments: vec![9001], results: vec![8002], ..Plan::default() };
    pair.call(RESPONDER, plan.call());
    pair.run();
    assert_eq!(pair.programs[INITIATOR].heard, [plan.message().bytes]);
    plan.check(&pair.replies(RESPONDER)[0], &[true]);
    pair.close_clean("backward chunks that are taken");
}

/// RFC 8167 section 6: a client that takes no calls has no receive for one.
#[test]
fn a_client_without_backward_credits_takes_no_calls() {
    let mut pair = opened(configs(0));
    let handle = pair.call(RESPONDER, Plan { xid: 1, ..Plan::default() }.call());
    pair.run();
    assert!(pair.programs[INITIATOR].heard.is_empty());
    assert_eq!(pair.ended[RESPONDER], [(handle, Err(CallFailure::Lost))]);
    pair.nothing_left("a client without backward credits");
}

fn streams(seed: u32) -> Streams {
    Streams::new(Memory::seeded(seed))
}

fn connection(role: Role, config: &RpcRdmaConfig) -> Config {
    let mut connection = Config::new(role, Accessor { stream: 0, protection_domain: 1 });
    connection.setup.private_data = config.private_data();
    connection
}

/// A server that takes no revision 2: calls that were made before go on the second connection.
#[test]
fn calls_follow_a_stream_that_falls_back() {
    let [client, server] = configs(0);
    let mut initiator = connection(Role::Initiator, &client);
    initiator.setup =
        SetupConfig { private_data: client.private_data(), ..SetupConfig::enhanced() };
    let mut responder = connection(Role::Responder, &server);
    responder.setup = SetupConfig::default();
    responder.accepts = false;
    let mut pipe = Pipe::new([streams(1), streams(2)], [initiator.clone(), responder]);
    let [mut here, mut there] = [(); 2].map(|()| Rpc::new(Program::default(), server, client));
    let number = pipe.sides[0].connect(([127, 0, 0, 1], 20049).into(), initiator, true);
    let plan = Plan { xid: 3, plain_argument: 2000, ..Plan::default() };
    here.call(&mut pipe.sides[0], number, plan.call());
    pipe.run(&mut [&mut here, &mut there]);
    let (answered, _, reply) = here.poll().unwrap();
    assert_ne!(answered, number);
    plan.check(&reply.unwrap(), &[]);
    assert_eq!(there.answer.heard, [plan.message().bytes]);
    here.stop(&mut pipe.sides[0]);
    pipe.run(&mut [&mut here, &mut there]);
    assert!(here.is_done(&pipe.sides[0]));
    assert_eq!(here.summary()[0], "1 stream of RPC-over-RDMA");
}

/// The service: several streams, calls in both directions, an orderly end.
#[test]
fn the_service_answers_on_every_stream() {
    let [client, server] = configs(2);
    for accepts in [false, true] {
        let [initiator, mut responder] =
            [connection(Role::Initiator, &client), connection(Role::Responder, &server)];
        responder.accepts = accepts;
        let mut pipe = Pipe::new([streams(1), streams(2)], [initiator.clone(), responder]);
        let [mut here, mut there] = [(); 2].map(|()| Rpc::new(Program::default(), server, client));
        let address = ([127, 0, 0, 1], 20049).into();
        let numbers: Vec<u64> =
            (0..3).map(|_| pipe.sides[0].connect(address, initiator.clone(), false)).collect();
        let plan = |xid: u32| {
            let (arguments, results) = (vec![5000 + xid as usize], vec![70]);
            Plan { xid, arguments, results, ..Plan::default() }
        };
        for xid in 0..30 {
            let number = numbers[xid as usize % 3];
            here.call(&mut pipe.sides[0], number, plan(xid).call());
        }
        pipe.run(&mut [&mut here, &mut there]);
        let mut count = 0;
        while let Some((number, handle, reply)) = here.poll() {
            let stream = numbers.iter().position(|it| *it == number).unwrap() as u32;
            plan(handle as u32 * 3 + stream).check(&reply.unwrap(), &[]);
            count += 1;
        }
        assert_eq!((count, there.answer.heard.len()), (30, 30));
        for number in pipe.sides[1].numbers() {
            there.call(&mut pipe.sides[1], number, Plan { xid: 1, ..Plan::default() }.call());
        }
        pipe.run(&mut [&mut here, &mut there]);
        assert_eq!(here.answer.heard.len(), 3);
        here.stop(&mut pipe.sides[0]);
        pipe.run(&mut [&mut here, &mut there]);
        assert_eq!((pipe.sides[0].count(), pipe.sides[1].count()), (0, 0));
        assert_eq!(pipe.sides[0].memory().count() + pipe.sides[1].memory().count(), 0);
        let summary = there.summary().join("\n");
        assert!(summary.contains("30 calls received, 30 replies and 0 errors sent"), "{summary}");
        assert!(summary.contains("3 calls sent, 3 replies and 0 errors received"), "{summary}");
    }
}
