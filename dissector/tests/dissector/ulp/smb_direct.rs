//! SMB Direct: what the client's kernel said it asked for, and the counts of an independent decoder.

use crate::prelude::*;
use warpscope_dissector::mpa::Side;
use warpscope_dissector::ulp::smb_direct::{Message, Upper};
use warpscope_dissector::ulp::{Access, Detail, Io, Ulp};

/// What a capture shows.
#[derive(Default)]
struct Seen {
    ios: Vec<Io>,
    /// Data of an I/O, where all of it was kept.
    data: Vec<Option<Vec<u8>>>,
    /// SMB2 messages: command, whether it is a response.
    messages: BTreeMap<(u16, bool), u64>,
    /// Messages of the transport by kind.
    transport: BTreeMap<&'static str, u64>,
    sends: u64,
    sent_by: BTreeMap<(Option<Side>, Side), u64>,
    credits: Vec<Option<i64>>,
    malformed: u64,
}

impl Sink for Seen {
    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        match item {
            Item::Io(item) => {
                self.ios.push(item.io().clone());
                self.data.push(item.data());
            }
            Item::Ulp(item) => {
                assert_eq!(context.ulp, Some(Ulp::SmbDirect));
                assert!(item.whole);
                let Detail::SmbDirect(message) = item.detail else { panic!() };
                self.message(&message);
            }
            Item::Segment(segment) => {
                let done = segment.completed.is_some();
                let send = segment.message.is_some_and(|message| message.is_send());
                self.sends += u64::from(done && send);
            }
            _ => {}
        }
    }
}

impl Seen {
    fn of(name: &str) -> Self {
        let mut seen = Self::default();
        run(&capture(name), &mut seen);
        seen
    }

    fn message(&mut self, message: &Message<'_>) {
        let kind = match message {
            Message::NegotiateRequest(_) => "negotiate req",
            Message::NegotiateResponse(_) => "negotiate resp",
            Message::Data { view, credits, .. } => {
                self.credits.push(*credits);
                let header = view.header;
                match (header.data_length(), header.remaining_data_length()) {
                    (0, _) => "empty",
                    (_, 0) => "last",
                    _ => "fragment not last",
                }
            }
            Message::Malformed(_) => "malformed",
            Message::Upper { upper: Upper::Plain(view), .. } => {
                let header = view.header;
                let key = (header.command(), header.flag_set().response());
                *self.messages.entry(key).or_default() += 1;
                assert!(view.body().is_ok());
                return;
            }
            Message::Upper { .. } => "other",
        };
        *self.transport.entry(kind).or_default() += 1;
    }

    /// Requests and responses of each command that occurs: number, name, and how many of both.
    fn commands(&self) -> Vec<(&'static str, u64)> {
        let requests = self.messages.iter().filter(|((_, response), _)| !response);
        let named = requests.map(|((command, _), count)| {
            assert_eq!(self.messages.get(&(*command, true)), Some(count));
            (warpscope_wire::smb2::command_name(*command).unwrap(), *count)
        });
        named.collect()
    }

    /// I/Os by operation and status other than success.
    fn statuses(&self) -> BTreeMap<(&str, u32), u64> {
        let mut statuses = BTreeMap::new();
        for io in &self.ios {
            let code = io.status.as_ref().map_or(u32::MAX, |status| status.code);
            let operation = io.operation.strip_prefix("SMB2 ").unwrap();
            if code != 0 {
                *statuses.entry((operation, code)).or_default() += 1;
            }
        }
        statuses
    }

    /// Reads or writes: offset in the file, bytes that moved.
    fn moved(&self, access: Access) -> Vec<(u64, u64)> {
        let of_kind = self.ios.iter().filter(|io| io.access == Some(access));
        let place = |io: &Io| {
            let offset = io.object.rsplit_once(", offset ").unwrap().1.parse().unwrap();
            (offset, io.bytes.total())
        };
        of_kind.map(place).collect()
    }

    /// Bytes by path: in the client's Sends, in the server's, by RDMA Read, by RDMA Write.
    fn paths(&self) -> [u64; 4] {
        let mut paths = [0; 4];
        for io in &self.ios {
            let bytes = &io.bytes;
            let of_io = [bytes.inline_out, bytes.inline_in, bytes.read, bytes.written];
            paths.iter_mut().zip(of_io).for_each(|(sum, bytes)| *sum += bytes);
        }
        paths
    }

    /// What holds in every capture here: each was captured whole.
    fn check(&self) {
        for io in &self.ios {
            assert!(io.whole && io.unexplained.is_none() && io.status.is_some(), "{io:?}");
            assert!(io.requested.is_some() && io.completed.is_some(), "{io:?}");
            assert!(io.latency().unwrap() > 0, "{io:?}");
            let failed = io.status.as_ref().unwrap().failed;
            match (io.access, io.length) {
                (Some(Access::Write), Some(length)) => assert_eq!(io.bytes.total(), length),
                // A file may end before.
                (Some(Access::Read), Some(length)) => assert!(io.bytes.total() <= length),
                _ => assert_eq!(io.bytes.total(), 0),
            }
            assert!(io.access.is_none() || failed || io.bytes.total() > 0, "{io:?}");
        }
        let numbers: Vec<u64> = self.ios.iter().map(|io| io.number).collect();
        let mut sorted = numbers.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert!(sorted.len() <= numbers.len());
        assert!(!["malformed", "other"].iter().any(|name| self.transport.contains_key(name)));
        assert_eq!(self.transport.values().sum::<u64>(), self.sends);
        // From the first Send on, no side has sent more than it was allowed to.
        assert!(self.credits.iter().all(|credits| credits.is_some_and(|left| left >= 0)));
    }
}

#[test]
fn basic() {
    let seen = Seen::of("smbd-basic");
    seen.check();
    #[rustfmt::skip]
    assert_eq!(seen.commands(), [
        ("NEGOTIATE", 1), ("SESSION_SETUP", 2), ("LOGOFF", 1), ("TREE_CONNECT", 2), ("TREE_DISCONNECT", 1),
        ("CREATE", 75), ("CLOSE", 75), ("FLUSH", 7), ("READ", 3), ("WRITE", 8), ("IOCTL", 2),
        ("QUERY_DIRECTORY", 9), ("QUERY_INFO", 49), ("SET_INFO", 17),
    ]);
    #[rustfmt::skip]
    assert_eq!(seen.statuses(), BTreeMap::from([
        (("CLOSE", 0xc000_000d), 7), (("CREATE", 0xc000_0034), 7), (("IOCTL", 0xc000_019c), 1),
        (("QUERY_DIRECTORY", 0x8000_0006), 4), (("QUERY_INFO", 0xc000_0128), 7),
        (("SESSION_SETUP", 0xc000_0016), 1), (("SET_INFO", 0xc000_0101), 1),
    ]));
    let writes = [(0, 1000), (0, 300_000), (0, 2), (0, 2), (0, 2), (0, 2), (0, 2), (0, 2)];
    assert_eq!(seen.moved(Access::Write), writes);
    assert_eq!(seen.moved(Access::Read), [(0, 1000), (0, 300_000), (0, 2)]);
    assert_eq!(seen.paths(), [1012, 0, 300_000, 301_002]);
    let transport = [
        ("empty", 6),
        ("fragment not last", 92),
        ("last", 259 + 167 - 92),
        ("negotiate req", 1),
        ("negotiate resp", 1),
    ];
    assert_eq!(seen.transport, BTreeMap::from(transport));
}

#[test]
fn large() {
    let seen = Seen::of("smbd-large-crc");
    seen.check();
    #[rustfmt::skip]
    assert_eq!(seen.commands(), [
        ("NEGOTIATE", 1), ("SESSION_SETUP", 2), ("LOGOFF", 1), ("TREE_CONNECT", 2), ("TREE_DISCONNECT", 1),
        ("CREATE", 26), ("CLOSE", 26), ("FLUSH", 6), ("READ", 38), ("WRITE", 32), ("IOCTL", 2),
        ("QUERY_INFO", 15), ("SET_INFO", 12),
    ]);
    #[rustfmt::skip]
    assert_eq!(seen.statuses(), BTreeMap::from([
        (("IOCTL", 0xc000_019c), 1), (("READ", 0xc000_0011), 6), (("SESSION_SETUP", 0xc000_0016), 1),
    ]));
    // As the client's kernel reports: of each file, then a read at its end that finds nothing.
    let files = [(4095, 1), (4096, 1), (4096, 2), (10_000, 10), (65_536, 16), (1_000_000, 2)];
    let each = |(size, count): (u64, u64)| (0..count).map(move |index| (index * size, size));
    let writes: Vec<_> = files.into_iter().flat_map(each).collect();
    let reads: Vec<_> =
        files.into_iter().flat_map(|it| each(it).chain([(it.0 * it.1, 0)])).collect();
    assert_eq!(seen.moved(Access::Write), writes);
    assert_eq!(seen.moved(Access::Read), reads);
    // Below the client's threshold of 4096 the data goes in the Sends; above it, by the channel.
    assert_eq!(seen.paths(), [4095, 4095, 3_160_864, 3_160_864]);
    let transport = [
        ("empty", 7),
        ("fragment not last", 28),
        ("last", 168 + 148 - 28),
        ("negotiate req", 1),
        ("negotiate resp", 1),
    ];
    assert_eq!(seen.transport, BTreeMap::from(transport));
    // What was written is what was read: lines of 16 bytes, each with its number.
    let data = |access| {
        let of_kind = seen.ios.iter().zip(&seen.data).filter(move |it| it.0.access == Some(access));
        of_kind.filter(|it| it.0.bytes.total() > 0).map(|it| it.1.as_deref().unwrap())
    };
    let (written, read): (Vec<_>, Vec<_>) =
        (data(Access::Write).collect(), data(Access::Read).collect());
    assert!(written == read);
    assert_eq!(&written[0][9..17], b":000000\n");
    let last = seen.ios.iter().rfind(|io| io.access == Some(Access::Write)).unwrap();
    assert_eq!(last.object, r"\\10.66.0.1\data\x2000000-1000000, offset 1000000");
    assert_eq!(last.operations.len(), 1);
}

#[test]
fn directory() {
    let seen = Seen::of("smbd-directory");
    seen.check();
    #[rustfmt::skip]
    assert_eq!(seen.commands(), [
        ("NEGOTIATE", 2), ("SESSION_SETUP", 4), ("LOGOFF", 2), ("TREE_CONNECT", 4), ("TREE_DISCONNECT", 2),
        ("CREATE", 482), ("CLOSE", 482), ("FLUSH", 150), ("IOCTL", 4), ("QUERY_DIRECTORY", 10),
        ("QUERY_INFO", 178), ("SET_INFO", 301),
    ]);
    #[rustfmt::skip]
    assert_eq!(seen.statuses(), BTreeMap::from([
        (("CLOSE", 0xc000_000d), 1), (("CREATE", 0xc000_0034), 1), (("IOCTL", 0xc000_019c), 2),
        (("QUERY_DIRECTORY", 0x8000_0006), 3), (("QUERY_INFO", 0xc000_0128), 1),
        (("SESSION_SETUP", 0xc000_0016), 2),
    ]));
    assert_eq!(seen.paths(), [0; 4]);
    let transport = [
        ("empty", 30),
        ("fragment not last", 553),
        ("last", 1621 + 1230 - 553),
        ("negotiate req", 2),
        ("negotiate resp", 2),
    ];
    assert_eq!(seen.transport, BTreeMap::from(transport));
    let names = seen.ios.iter().filter(|io| io.object.contains("a-file-with-a-rather-long-name"));
    let names: BTreeSet<&str> = names.map(|io| io.object.as_str()).collect();
    assert_eq!(names.len(), 150);
    let last =
        r"\\10.66.0.1\data\many\a-file-with-a-rather-long-name-to-fill-directory-replies-150";
    assert!(names.contains(last));
}

#[test]
fn failures() {
    let seen = Seen::of("smbd-fail");
    seen.check();
    #[rustfmt::skip]
    assert_eq!(seen.commands(), [
        ("NEGOTIATE", 4), ("SESSION_SETUP", 8), ("LOGOFF", 2), ("TREE_CONNECT", 4), ("TREE_DISCONNECT", 1),
        ("CREATE", 11), ("CLOSE", 9), ("READ", 1), ("IOCTL", 3), ("QUERY_INFO", 9),
    ]);
    #[rustfmt::skip]
    assert_eq!(seen.statuses(), BTreeMap::from([
        (("CLOSE", 0xc000_000d), 1), (("CREATE", 0xc000_0022), 2), (("CREATE", 0xc000_0034), 1),
        (("IOCTL", 0xc000_019c), 2), (("QUERY_INFO", 0xc000_0128), 1),
        (("SESSION_SETUP", 0xc000_0016), 4), (("SESSION_SETUP", 0xc000_006d), 2),
        (("TREE_CONNECT", 0xc000_00cc), 1),
    ]));
    assert_eq!(seen.moved(Access::Read), [(0, 5000)]);
    assert_eq!(seen.paths(), [0, 0, 0, 5000]);
    let words = |code: u32| {
        let status = seen.ios.iter().filter_map(|io| io.status.as_ref());
        status.clone().find(|status| status.code == code).map(|status| status.words.as_ref())
    };
    assert_eq!(words(0xc000_006d), Some("STATUS_LOGON_FAILURE"));
    assert_eq!(words(0xc000_00cc), Some("STATUS_BAD_NETWORK_NAME"));
    let refused = seen.ios.iter().find(|io| io.object.ends_with("denied")).unwrap();
    assert_eq!((refused.object.as_str(), refused.failed()), (r"\\10.66.0.1\ro\denied", true));
}
