//! An order of every kind, and answers of every form.

use warpscope_wire::test_ulp::*;

pub(crate) fn orders() -> Vec<Order> {
    let (region, length, offset) = (0x0a0b_0c0d, 3, 0x0102_0304_0506_0708);
    let rights = AccessRights::READ | AccessRights::VERIFY;
    let work = WorkOrder {
        stream: 1,
        operation: OperationCode::Send,
        flags: WorkFlags::FENCE | WorkFlags::IMMEDIATE,
        source: SourceCode::Inline,
        atomic: AtomicCode::CmpSwap,
        identifier: 2,
        remote_steering_tag: 3,
        length: 5,
        remote_tagged_offset: 4,
        region,
        invalidate_steering_tag: 5,
        offset,
        data: 6,
        mask: 7,
        compare_data: 8,
        compare_mask: 9,
        pattern: Pattern::Mixed,
        seed: 10,
    };
    let verify = WorkOrder {
        operation: OperationCode::Verify,
        flags: WorkFlags::COMPARE,
        source: SourceCode::None,
        ..work
    };
    let options = StreamOptions {
        given: Given::ALL,
        switches: Switches::MARKERS | Switches::REJECT,
        revision: 2,
        ird: 1,
        ord: 2,
        required_ord: 3,
        protection_domain: 4,
        stream: 5,
        delay: 6,
        purpose: Purpose::Shared,
        private_data_length: 7,
        longest_ulpdu: 8,
        packing: PackingCode::Several,
        receives: 9,
        receive_size: 10,
        documents: Documents::EXT_V2,
    };
    let greeting = Greeting {
        magic: Magic,
        version: Version,
        purpose: Purpose::Bare,
        receives: 1,
        session: 2,
        stream: 3,
        longest: 4,
    };
    vec![
        Order::Hello(greeting),
        Order::Capabilities,
        Order::Reset,
        Order::Goodbye,
        Order::ListRegions(1),
        Order::Register(
            RegisterOrder {
                length: 1,
                base: 2,
                rights,
                stream: 3,
                addressing: Addressing::Given,
                scope: Scope::OtherProtectionDomain,
                backing: Backing::File,
                hash: Hash::Blake3,
            },
            "a name".to_owned(),
        ),
        Order::Bind(BindOrder {
            region,
            stream: 1,
            offset,
            length: 2,
            base: 3,
            rights,
            addressing: Addressing::Chosen,
            scope: Scope::Stream,
        }),
        Order::Invalidate(1),
        Order::Revalidate(RevalidateOrder { region, rights }),
        Order::Deregister(1),
        Order::Read(RegionRange { region, length, offset }),
        Order::Copy(CopyOrder {
            region,
            length,
            offset,
            steering_tag: 1,
            stream: 2,
            tagged_offset: 3,
        }),
        Order::Write(RegionRange { region, length, offset }, vec![1, 2, 3]),
        Order::Fill(FillOrder { region, length, offset, pattern: Pattern::Counting, seed: 1 }),
        Order::Checksum(ChecksumOrder { region, length, offset, hash: Hash::Sha256 }),
        Order::Recall(1),
        Order::Receives(ReceivesOrder {
            stream: 1,
            count: 2,
            size: 3,
            region,
            offset,
            identifier: 4,
        }),
        Order::Work(work, b"hello".to_vec()),
        Order::Work(verify, b"a hash".to_vec()),
        Order::Open(options, b"private".to_vec(), "192.0.2.1:4420".parse().unwrap()),
        Order::Open(options, b"private".to_vec(), "[2001:db8::1]:4420".parse().unwrap()),
        Order::Prepare(options, b"private".to_vec()),
        Order::Finish(1),
        Order::Abort(1),
        Order::ListStreams(1),
        Order::Reports(ReportsOrder { stream: 1, most: 2, wait: 3, front: 4 }),
    ]
}

fn reports() -> Vec<Report> {
    let setup = SetupReport {
        known: SetupKnown::ALL,
        switches: Switches::CRC,
        revision: 2,
        role: RoleCode::Responder,
        ird: 1,
        ord: 2,
        peer_ird: 3,
        peer_ord: 4,
    };
    let terminate =
        TerminateReport { layer: 1, error_type: 2, error_code: 3, known: TerminateKnown::ALL };
    let arrival = Arrival {
        identifier: 1,
        length: 2,
        flags: ArrivalFlags::ALL,
        immediate: 3,
        invalidated_steering_tag: 4,
        checksum: 5,
    };
    let completed = Completed {
        identifier: 1,
        operation: OperationCode::Verify,
        status: CompletionStatus::Other,
        vendor: 2,
        original: 3,
    };
    let happened = [
        Happened::Arrival(arrival, b"front".to_vec()),
        Happened::Completed(completed, b"hash".to_vec()),
        Happened::Requested(setup, b"data".to_vec()),
        Happened::Established(setup, Vec::new()),
        Happened::Rejected(setup, b"no".to_vec()),
        Happened::SetupFailed(FailureCode::Timeout, "late".to_owned()),
        Happened::TerminateReceived(terminate, vec![1; 9]),
        Happened::TerminateSent(terminate, "why".to_owned()),
        Happened::FinishReceived,
        Happened::Ended(EndingCode::Aborted),
        Happened::Solicited,
        Happened::FellBack(7),
    ];
    let report = |(number, happened)| Report { stream: 9, number, time: 11, happened };
    (1..).zip(happened).map(report).collect()
}

pub(crate) fn answers() -> Vec<(u8, Answer)> {
    let region = RegionDescription {
        region: 1,
        steering_tag: 2,
        base: 3,
        length: 4,
        rights: AccessRights::ALL,
        flags: RegionFlags::ALL,
        scope: Scope::Stream,
        hash: Hash::Crc32c,
        stream: 5,
        alignment: 8,
        region_of_window: 6,
        name_length: 3,
    };
    let stream = StreamDescription {
        stream: 1,
        session: 2,
        purpose: Purpose::Control,
        state: StreamState::Established,
        role: RoleCode::Initiator,
        ending: EndingCode::None,
        receives: 3,
        work: 4,
    };
    let Order::Hello(greeting) = orders().remove(0) else { panic!("the first is hello") };
    let capabilities = Capabilities {
        documents: Documents::ALL,
        abilities: Abilities::ALL,
        orders: u64::MAX,
        operations: 1,
        hashes: Hashes::ALL,
        rights: AccessRights::ALL,
        most_regions: 2,
        longest_region: 3,
        most_streams: 4,
        most_receives: 5,
        longest_receive: 6,
        most_work: 7,
        ird: 8,
        ord: 9,
        most_reports: 10,
        front: 11,
        default_documents: Documents::NONE,
    };
    let refusal = Refusal { offset: 16, value: 0 };
    vec![
        (kind::HELLO, Answer::Greeting(greeting)),
        (kind::CAPABILITIES, Answer::Capabilities(capabilities, "a target".to_owned())),
        (kind::RESET, Answer::Done),
        (kind::LIST_REGIONS, Answer::Regions(9, vec![(region, "one".to_owned()); 3])),
        (kind::REGISTER, Answer::Region(region, "two".to_owned())),
        (kind::READ, Answer::Bytes(vec![1, 2, 3])),
        (kind::OPEN, Answer::Stream(7)),
        (kind::LIST_STREAMS, Answer::Streams(9, vec![stream; 3])),
        (kind::REPORTS, Answer::Reports(ReportsHead { lost: 1, left: 2 }, reports())),
        (kind::WORK, Answer::Refused(Status::Malformed, refusal, "why".to_owned())),
        (0, Answer::Refused(Status::Malformed, refusal, "no header".to_owned())),
    ]
}
