//! Puts XDR together (RFC 4506) from a notation of its items.

use super::messages::Message;
use crate::prelude::*;

/// What is written as `@` and a name.
const NAMED: &[(&str, &str)] = &[
    ("all", "0xffffffffffffffffh"),
    ("session", "0x61207365 0x7373696f 0x6e206e75 0x6d626572"),
    ("device", "0x64657669 0x6365206e 0x756d6265 0x72203136"),
    ("fh4", "'a handle'"),
    ("fh3", "'handle of a file'"),
    // `fattr3`: 84 bytes; `post_op_attr`; `wcc_data` with both parts; `sattr3` that sets everything.
    (
        "fattr3",
        "1 0o104755 2 1000 100 4096h 8192h 8 1 0xfd00h 77h 1700000000 1 1700000001 2 1700000002 \
         999999999",
    ),
    ("post", "1 @fattr3"),
    ("wcc", "1 10h 1 2 3 4 @post"),
    ("sattr3", "1 0o644 1 1000 1 100 1 9h 2 5 6 1"),
    ("made", "0 1 @fh3 @post @wcc"),
    // `change_info4`; a size and a mode; `state_owner4`; `nfsace4`.
    ("change", "1 11h 12h"),
    ("set", "{0x10,2} (4096h 0o100644)"),
    ("owner", "0x1122334455667788h 'owner'"),
    ("ace", "0 0x43 0x1f01ff 'OWNER@'"),
    ("range", "100h @all"),
    // `OPEN4args` up to the owner, and `OPEN4resok` up to the delegation.
    ("open", "1 3 2 @owner"),
    ("opened", "0 #1 @change 0x26 {0x10}"),
    // SETCLIENTID; what EXCHANGE_ID says of the client, of its implementation, and of the server.
    ("setclientid", "1h 'client' 0x40000000 'tcp' '10.0.0.1.8.1' 3"),
    ("client", "0x102h 'client owner'"),
    ("made-by", "1 'example.org' 'name' 9.8"),
    ("id", "0 0x55h 1 0x20103"),
    ("server", "3h 'major' 'scope'"),
    // `channel_attrs4` up to the RDMA read depth; a credential of AUTH_SYS.
    ("channel", "0 1048576 1048576 4096 16 64"),
    ("system", "1 77 'host' 0 0 2 4 5"),
    // 32 bytes; an entry of READDIR without the mark that it is there.
    ("fh1", "@07 @07 @07 @07"),
    ("07", "0x0707070707070707h"),
    ("entry3", "1 5h 'name' 6h"),
];

/// Bytes of the items that a text has, separated by blanks: `7` is a word of 4 bytes, `7h` one of 8,
/// `'text'` and `:2a86` are bytes after their length, rounded up, and `(...)` whatever items; `{1,2}` is
/// a `bitmap4`, `#1` a `stateid4` with this sequence number, `5.6` an `nfstime4`, `@name` what
/// [`NAMED`] has.
pub fn x(items: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    assert_eq!(append(items, &mut bytes), "", "{items}");
    bytes
}

/// Appends items up to the end, or to a parenthesis that closes; what follows it.
fn append<'a>(items: &'a str, out: &mut Vec<u8>) -> &'a str {
    let mut rest = items.trim_start();
    while !rest.is_empty() {
        if let Some(behind) = rest.strip_prefix(')') {
            return behind;
        }
        rest = if let Some(inside) = rest.strip_prefix('(') {
            let mut bytes = Vec::new();
            let behind = append(inside, &mut bytes);
            opaque(&bytes, out);
            behind
        } else if let Some((text, behind)) =
            rest.strip_prefix('\'').and_then(|it| it.split_once('\''))
        {
            opaque(text.as_bytes(), out);
            behind
        } else {
            let (item, behind) = rest.split_at(rest.find([' ', ')']).unwrap_or(rest.len()));
            append_one(item, out);
            behind
        };
        rest = rest.trim_start();
    }
    rest
}

fn append_one(item: &str, out: &mut Vec<u8>) {
    let word =
        |number: u64, out: &mut Vec<u8>| out.extend(u32::try_from(number).unwrap().to_be_bytes());
    if let Some(name) = item.strip_prefix('@') {
        let named = NAMED.iter().find(|(known, _)| *known == name).expect(item);
        append(named.1, out);
    } else if let Some(sequence) = item.strip_prefix('#') {
        word(number(sequence), out);
        out.extend(b"state id 012");
    } else if let Some(words) = item.strip_prefix('{').and_then(|it| it.strip_suffix('}')) {
        let words: Vec<&str> = words.split(',').filter(|word| !word.is_empty()).collect();
        word(words.len() as u64, out);
        words.iter().for_each(|it| word(number(it), out));
    } else if let Some(digits) = item.strip_prefix(':') {
        let pairs = digits.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap());
        let bytes: Vec<u8> = pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect();
        opaque(&bytes, out);
    } else if let Some((seconds, nanoseconds)) = item.split_once('.') {
        out.extend(number(seconds).to_be_bytes());
        word(number(nanoseconds), out);
    } else if let Some(hyper) = item.strip_suffix('h') {
        out.extend(number(hyper).to_be_bytes());
    } else {
        word(number(item), out);
    }
}

fn opaque(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend((bytes.len() as u32).to_be_bytes());
    out.extend(bytes);
    out.resize(out.len().next_multiple_of(4), 0);
}

fn number(text: &str) -> u64 {
    let number = match text.split_at_checked(2) {
        Some(("0x", digits)) => u64::from_str_radix(digits, 16),
        Some(("0o", digits)) => u64::from_str_radix(digits, 8),
        _ => text.parse(),
    };
    number.unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The call and the reply of a procedure, in the notation.
pub struct Exchange {
    pub name: &'static str,
    pub procedure: Procedure,
    pub arguments: String,
    pub results: String,
}

impl Exchange {
    /// Call and reply as RPC messages, without credentials.
    pub fn messages(&self, xid: u32) -> [Message; 2] {
        let Procedure { program, version, procedure } = self.procedure;
        let call = x(&format!("{xid} 0 2 {program} {version} {procedure} 0 0 0 0"));
        let reply = x(&format!("{xid} 1 0 0 0 0"));
        [(Direction::Call, call, &self.arguments), (Direction::Reply, reply, &self.results)].map(
            |(direction, header, body)| Message {
                procedure: self.procedure,
                direction,
                body_at: header.len(),
                bytes: [header, x(body)].concat(),
                whole: true,
                write_chunks: Vec::new(),
                name: self.name,
            },
        )
    }
}
