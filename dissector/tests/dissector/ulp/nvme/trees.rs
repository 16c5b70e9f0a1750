//! What frames show of NVMe over RDMA: the fields that a user filters on.

use crate::prelude::*;

/// Every value of some fields in a capture, frame by frame: the field, and its value as `-e` prints it.
fn values(name: &str, wanted: &[&str]) -> Vec<(u64, &'static str, String)> {
    let mut values = Vec::new();
    let mut view = FrameView::new(true, false);
    each_frame(&capture(name), &mut view, |view| {
        for node in view.tree.nodes.iter().filter(|node| wanted.contains(&node.field.name)) {
            let mut text = String::new();
            view.tree.value_text(node, &mut text);
            values.push((view.number, node.field.name, text));
        }
    });
    values
}

/// The values of one field.
fn column(name: &str, field: &str) -> Vec<String> {
    values(name, &[field]).into_iter().map(|(_, _, value)| value).collect()
}

fn different(values: Vec<String>) -> Vec<String> {
    values.into_iter().collect::<BTreeSet<_>>().into_iter().collect()
}

/// The entries that `nvme discover` printed: two ports, each with its Discovery subsystem and another.
#[test]
fn discovery_log_entries() {
    let page = "nvme.cmd.get_logpage.identify";
    let entry = |field: &str| different(column("nvme-discover", &format!("{page}.rcrd.{field}")));
    assert_eq!(entry("trsvcid"), ["4420", "4421"]);
    assert_eq!(entry("traddr"), ["10.66.0.1"]);
    assert_eq!(
        entry("subnqn"),
        ["nqn.2014-08.org.nvmexpress.discovery", "nqn.2026-11.org.example:ram"]
    );
    assert_eq!(entry("subtype"), ["0x02", "0x03"]);
    assert_eq!(entry("adrfam"), ["0x01"]);
    assert_eq!(entry("tsas.rdma_prtype"), ["0x01"]);
    assert_eq!(different(column("nvme-discover", &format!("{page}.genctr"))), ["10"]);
    assert_eq!(different(column("nvme-discover", &format!("{page}.numrec"))), ["2"]);
}

/// Every host, and what it asked for: one subsystem is not there, one does not want this host.
#[test]
fn connects() {
    let data = "nvme.fabrics.cmd.connect.data";
    let column = |field: &str| column("nvme-discover", &format!("{data}.{field}"));
    let subsystems = column("subnqn");
    let of = |name: &str| subsystems.iter().filter(|it| *it == name).count();
    assert_eq!(of("nqn.2014-08.org.nvmexpress.discovery"), 3);
    assert_eq!(of("nqn.2026-11.org.example:nothere"), 1);
    assert_eq!(of("nqn.2026-11.org.example:closed"), 1);
    assert_eq!(of("nqn.2026-11.org.example:ram"), 2);
    assert_eq!(subsystems.len(), 7);
    assert_eq!(different(column("hostnqn")), ["nqn.2026-11.org.example:host-b"]);
    assert_eq!(different(column("hostid")), ["aaaaaaaabbbb4ccc8dddeeeeeeeeeeee"]);
}

#[test]
fn private_data_of_requests_replies_and_rejects() {
    let column = |field: &str| column("nvme-cm-reject", &format!("nvme-rdma.cm.{field}"));
    assert_eq!(
        column("rej.status"),
        ["0x0001", "0x0004", "0x0002", "0x0004", "0x0004", "0x0002"],
        "invalid length, host send queue size and record format"
    );
    // Of twelve requests one has no private data, one two bytes and one 31.
    let sizes = ["32", "32", "0", "32", "65535", "32", "31", "65535", "32"];
    assert_eq!(column("req.hrqsize"), sizes);
    assert_eq!(column("rsp.crqsize"), ["1", "32", "1", "1", "32", "32"]);
    let queues = different(self::column("nvme-queues-fio", "nvme-rdma.cm.req.qid"));
    assert_eq!(queues, ["0", "1", "2"]);
}

/// A keep-alive timeout of 2 seconds, and two events that a namespace caused.
#[test]
fn keep_alives_and_events() {
    let name = "nvme-admin-crc";
    let column = |field: &str| column(name, field);
    assert_eq!(column("nvme.fabrics.cmd.connect.kato")[0], "2000");
    assert_eq!(column("nvme.cqe.dword0.aev.aet"), ["0x00000002", "0x00000002"], "notices");
    assert_eq!(different(column("nvme.cqe.dword0.aev.aei")), ["0x00000000"]);
    assert_eq!(different(column("nvme.cqe.dword0.aev.lpi")), ["4"]);
    let keep_alives =
        column("nvme.cmd.opc.admin").iter().filter(|opcode| *opcode == "0x18").count();
    assert_eq!(keep_alives, 9);
}

#[test]
fn what_a_controller_says_of_itself_and_its_namespaces() {
    for (name, capsule) in [("nvme-sizes", 4096), ("nvme-sizes-incapsule16k-crc", 16384)] {
        let units = different(column(name, "nvme.cmd.identify.ctrl.nvmeof.ioccsz"));
        assert_eq!(units, [((64 + capsule) / 16).to_string()], "{name}");
    }
    let blocks = different(column("nvme-sizes", "nvme.namespace.block_length"));
    assert_eq!(blocks, ["4096", "512"]);
    let listed = different(column("nvme-sizes", "nvme.cmd.identify.nslist.nsid"));
    assert_eq!(listed, ["0x00000001", "0x00000002"]);
}

/// The statuses of failed commands, in the words of their types and codes.
#[test]
fn statuses_in_words() {
    let mut words = different(column("nvme-errors", "nvme.cqe.status.words"));
    words.sort();
    assert_eq!(
        words,
        [
            "Internal Error",
            "Invalid Command Opcode",
            "Invalid Field in Command",
            "Successful Completion"
        ]
    );
    let refused = column("nvme-discover", "nvme.cqe.status.words");
    for refusal in ["Connect Invalid Parameters", "Connect Invalid Host"] {
        assert_eq!(refused.iter().filter(|it| *it == refusal).count(), 1);
    }
}

/// A completion names the frame of its command, and an I/O says how long it took.
#[test]
fn completions_name_their_commands() {
    let fields = ["nvme.cmd_pkt", "nvme.cqe.cid", "nvme.cmd.cid"];
    let mut commands = BTreeMap::new();
    let mut matched = 0;
    for (frame, field, value) in values("nvme-errors", &fields) {
        match field {
            "nvme.cmd.cid" => drop(commands.insert(frame, value)),
            "nvme.cqe.cid" => drop(commands.insert(0, value)),
            _ => {
                let command = commands.get(&value.parse().unwrap());
                assert_eq!(command, commands.get(&0), "frame {frame}");
                matched += 1;
            }
        }
    }
    assert_eq!(matched, 53 - 12, "but for the Fabrics commands");
}

/// Every frame's line is read once by eye; here that none is an alarm which a status does not explain.
#[test]
fn alarms_are_failures() {
    for (name, failures) in [("nvme-sizes", 1), ("nvme-errors", 9), ("nvme-discover", 2)] {
        let mut alarms = Vec::new();
        let mut view = FrameView::new(false, true);
        each_frame(&capture(name), &mut view, |view| {
            if view.line.alarm {
                alarms.push(view.line.info.clone());
            }
        });
        assert_eq!(alarms.len(), failures, "{alarms:#?}");
        assert!(alarms.iter().all(|line| line.contains("do not retry")), "{alarms:#?}");
    }
}
