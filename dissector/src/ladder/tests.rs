use super::row::{Answer, in_order};
use super::{Builder, FlowList, Kind, Ladder, Row, Selection};
use crate::table::tests::read;

fn ladder_of(file: &str, selection: Selection) -> Ladder {
    let mut builder = Builder::new(selection);
    read(file, &mut builder);
    builder.finish().unwrap()
}

fn ladder(file: &str, connection: u32) -> Ladder {
    ladder_of(file, Selection { connection, frames: 0..=u64::MAX, most: usize::MAX })
}

fn row(ladder: &Ladder, wanted: impl Fn(&Row) -> bool) -> &Row {
    ladder.rows.iter().find(|row| wanted(row)).unwrap()
}

#[test]
fn a_write_that_is_refused_from_open_to_close() {
    let ladder = ladder("captures/e1-terminate-stock.pcap", 2);
    let kinds: Vec<String> = ladder.rows.iter().map(|row| format!("{:?}", row.kind)).collect();
    assert_eq!(kinds.join(" "), "Tcp Tcp Setup Setup Write Terminate Tcp Tcp");
    let terminate = row(&ladder, |row| row.kind == Kind::Terminate);
    assert!(terminate.alarm && terminate.notes[0].contains("refuses the Write"), "{terminate:?}");
    assert_eq!(row(&ladder, |row| row.kind == Kind::Write).label, "Write #1: 256 bytes");
    let initiator = ladder.negotiation.initiator().unwrap();
    assert_eq!(ladder.rows[0].from, initiator);
    assert_eq!(terminate.from, initiator.peer());
}

#[test]
fn segments_are_one_arrow_and_responses_know_their_requests() {
    let ladder = ladder("captures/f1-operations-stock.pcap.zst", 0);
    let write = row(&ladder, |row| row.label.contains(" 65537 bytes"));
    // 65537 bytes in segments of 1444 or so (MTU 1500, TCP timestamps, tagged header, CRC).
    assert!(write.label.contains("in 46 segments, frames 40\u{2013}104"), "{}", write.label);
    assert_eq!(write.frames, (40, 104));
    let mut answered = 0;
    for (index, row) in ladder.rows.iter().enumerate() {
        if row.kind == Kind::Response {
            let answer = row.answers.unwrap();
            let request = &ladder.rows[answer.row.unwrap()];
            assert_eq!(request.answered_by, Some(index));
            assert_eq!(request.kind, Kind::Request);
            assert_eq!(request.frames.1, answer.frame);
            assert_eq!(request.operation, row.operation);
            assert_eq!(request.from, row.from.peer());
            assert_eq!(answer.latency.unwrap(), row.time.unwrap() - request.time.unwrap());
            answered += 1;
        }
    }
    assert!(answered > 0);
}

#[test]
fn every_reply_leads_to_its_call() {
    let ladder = ladder("captures/g-nfs-v3-cut.pcap.zst", 2);
    let mut replies = 0;
    for row in ladder.rows.iter().filter(|row| row.kind == Kind::Reply) {
        let call = &ladder.rows[row.answers.unwrap().row.unwrap()];
        assert_eq!(call.kind, Kind::Call);
        assert_eq!(call.from, row.from.peer());
        let xid = |row: &Row| {
            let note = row.notes.iter().find(|note| note.contains("XID=")).unwrap();
            note.split("XID=").nth(1).unwrap().split(' ').next().unwrap().to_owned()
        };
        assert_eq!(xid(call), xid(row));
        replies += 1;
    }
    assert_eq!(replies, 32);
    // Every Send of this connection carries RPC.
    assert!(!ladder.rows.iter().any(|row| row.kind == Kind::Send));
}

/// The names of what is under way are equal: CID, ITT.
#[test]
fn every_answer_of_any_protocol_leads_to_its_request() {
    // So many successful completions are in the target's trace events: two more were of its own making when
    // the connection was gone. The answers of iSCSI: 110 SCSI, 2 Login, 1 Text, 1 Logout.
    for (file, connections, name, answers) in [
        ("captures/nvme-queues-fio.pcap.zst", 6, "CID=", 183),
        ("captures/iser-basic.pcap.zst", 2, "ITT=", 114),
    ] {
        let ladders: Vec<Ladder> = (0..connections).map(|number| ladder(file, number)).collect();
        let rows = ladders.iter().flat_map(|it| it.rows.iter().map(move |row| (it, row)));
        let mut replies = 0;
        for (ladder, row) in rows.filter(|(_, row)| row.kind == Kind::Reply) {
            let call = &ladder.rows[row.answers.unwrap().row.unwrap()];
            assert_eq!(call.kind, Kind::Call);
            assert_eq!(call.from, row.from.peer());
            let named = |row: &Row| {
                let note = row.notes.iter().find(|note| note.contains(name)).unwrap();
                let named = note.split(name).nth(1).unwrap();
                named.split(' ').next().unwrap().to_owned()
            };
            assert_eq!(named(call), named(row));
            assert!(row.details.iter().any(|detail| detail.name == "I/O"));
            replies += 1;
        }
        assert_eq!(replies, answers, "{file}");
    }
}

#[test]
fn loss_is_told() {
    let ladder = ladder("synthetic/lost-segment-plain.pcap", 0);
    let lost = row(&ladder, |row| row.kind == Kind::Loss);
    assert!(lost.alarm && !lost.arrow && lost.label.contains("missing from the capture"));
    let write = row(&ladder, |row| row.kind == Kind::Write && row.alarm);
    assert!(write.notes.iter().any(|note| note.contains("not in the capture")), "{write:?}");
}

#[test]
fn messages_stand_in_the_order_of_their_last_frames() {
    for file in ["synthetic/lost-segment-plain.pcap", "captures/f1-operations-stock.pcap.zst"] {
        let ladder = ladder(file, 0);
        let messages = ladder.rows.iter().filter(|row| row.message.is_some());
        assert!(messages.is_sorted_by_key(|row| row.frames.1), "{file}");
    }
}

#[test]
fn a_message_without_its_end_stands_where_its_last_frame_does() {
    let row = |frame, label: &str| {
        let mut row = Row::new(Kind::Send, crate::mpa::Side(0), frame, None);
        (row.label, row.message) = (label.to_owned(), Some(frame));
        row
    };
    // What lacks its end is known to lack it only when the capture is over.
    let mut rows = vec![row(5, "request"), row(7, "response"), row(6, "late")];
    rows[0].answered_by = Some(1);
    rows[1].answers = Some(Answer { frame: 5, row: Some(0), latency: None });
    let rows = in_order(rows);
    let labels: Vec<&str> = rows.iter().map(|row| row.label.as_str()).collect();
    assert_eq!(labels, ["request", "late", "response"]);
    assert_eq!(rows[0].answered_by, Some(2));
    assert_eq!(rows[2].answers.unwrap().row, Some(0));
}

#[test]
fn what_is_left_out_is_counted() {
    let file = "captures/f1-operations-stock.pcap.zst";
    let all = ladder(file, 0);
    let some = ladder_of(file, Selection { connection: 0, frames: 20..=150, most: 3 });
    let before = all.rows.iter().filter(|row| row.frames.1 < 20).count() as u64;
    let after = all.rows.iter().filter(|row| row.frames.1 > 150).count() as u64;
    assert_eq!(some.rows.len(), 3);
    assert_eq!((some.left_out.before, some.left_out.after), (before, after));
    assert_eq!(some.left_out.total() + 3, all.rows.len() as u64);
}

#[test]
fn a_connection_that_is_not_there_has_no_ladder() {
    let mut builder =
        Builder::new(Selection { connection: 999, frames: 0..=u64::MAX, most: usize::MAX });
    read("captures/e1-terminate-stock.pcap", &mut builder);
    assert!(builder.finish().is_none());
}

#[test]
fn flows_are_listed_with_what_is_in_them() {
    let mut list = FlowList::default();
    read("captures/g-nfs-v3-cut.pcap.zst", &mut list);
    let flows: Vec<_> = list.flows().collect();
    assert_eq!(flows.iter().map(|flow| flow.iwarp).collect::<Vec<_>>(), [false, false, true]);
    assert_eq!(flows[2].packets, 4478);
}
