//! The client of version 4 with servers that put it off, lack something, or do what they must not (RFC 8881
//! sections 2.10.6, 15.1.1.3, 15.1.9.2, 18.46).

use crate::prelude::*;
use std::time::Duration;
use warpscope_nfs::client::{Callbacks, FilesError, Nfs4, Session, SessionConfig};
use warpscope_nfs::rpc::OutgoingCall;

const OPEN: u32 = 18;
const READ: u32 = 25;
const READ_PLUS: u32 = 68;
const DELAY: u32 = 10008;
const GRACE: u32 = 10013;
const NOTSUPP: u32 = 10004;
const BADSESSION: u32 = 10052;

/// What becomes of a request with a certain operation after SEQUENCE and PUTFH.
#[derive(Clone, Copy)]
enum Fate {
    /// Its SEQUENCE fails: the server has not seen the request.
    SequenceFails(u32),
    /// That operation fails; what is before it is done.
    Fails(u32),
    /// The bytes of the results change at a word.
    Changes(usize),
    /// The results end before their last bytes.
    Ends(usize),
}

/// A server on whose answers somebody else has a hand.
struct Meddled {
    server: Judged,
    operation: u32,
    fates: Vec<Fate>,
    /// The sequence IDs of the requests with that operation, and how long the client waited.
    sequences: Vec<u32>,
    waits: Vec<Duration>,
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(*bytes[at..].first_chunk().unwrap())
}

fn put(bytes: &mut [u8], at: usize, value: u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_be_bytes());
}

/// Where in the arguments the count, the sequence ID, and what follows SEQUENCE stand: after an empty tag and the minor
/// version; SEQUENCE is number, session, sequence ID, slot, highest, cache.
const COUNT: usize = 8;
const SEQUENCE_ID: usize = 12 + 4 + 16;
const BEHIND_SEQUENCE: usize = SEQUENCE_ID + 16;
/// Where in a reply with AUTH_NONE's verifier the status and the count of the results stand.
const STATUS: usize = 24;
const RESULTS: usize = STATUS + 8;

impl Session for Meddled {
    type Error = std::convert::Infallible;

    fn call(&mut self, call: OutgoingCall) -> Result<Vec<u8>, Self::Error> {
        let (procedure, arguments) = procedure(&call.message.bytes);
        let bytes = call.message.bytes.clone();
        let behind = arguments + BEHIND_SEQUENCE;
        // PUTFH with a handle, and the operation after it.
        let at = (bytes.len() > behind + 8 && word(&bytes, behind) == 22)
            .then(|| behind + 8 + (word(&bytes, behind + 4) as usize).next_multiple_of(4));
        let is_it = procedure.version == 4
            && at.is_some_and(|at| at < bytes.len() && word(&bytes, at) == self.operation);
        if !is_it {
            return self.server.call(call);
        }
        self.sequences.push(word(&bytes, arguments + SEQUENCE_ID));
        if self.fates.is_empty() {
            return self.server.call(call);
        }
        match self.fates.remove(0) {
            Fate::SequenceFails(status) => {
                let words = [word(&bytes, 0), 1, 0, 0, 0, 0, status, 0, 1, 53, status];
                Ok(words.iter().flat_map(|word| word.to_be_bytes()).collect())
            }
            Fate::Fails(status) => {
                let mut before = bytes[..at.unwrap()].to_vec();
                put(&mut before, arguments + COUNT, 2);
                let mut reply = self.server.server.answer(&before).bytes;
                put(&mut reply, STATUS, status);
                put(&mut reply, RESULTS, 3);
                reply.extend(self.operation.to_be_bytes());
                reply.extend(status.to_be_bytes());
                Ok(reply)
            }
            Fate::Changes(at) => {
                let mut reply = self.server.call(call)?;
                let changed = word(&reply, STATUS + at) ^ 0x5a;
                put(&mut reply, STATUS + at, changed);
                Ok(reply)
            }
            Fate::Ends(bytes) => {
                let mut reply = self.server.call(call)?;
                reply.truncate(reply.len() - bytes);
                Ok(reply)
            }
        }
    }

    fn wait(&mut self, time: Duration) -> Result<(), Self::Error> {
        self.waits.push(time);
        Ok(())
    }
}

type Got = Result<Vec<u8>, FilesError<std::convert::Infallible>>;

/// Reads a file while requests with an operation have these fates: what was read, and what happened.
fn read(minor: u32, operation: u32, fates: Vec<Fate>) -> (Got, Meddled) {
    let (got, meddled) = read_and_leave(minor, operation, fates);
    (got, meddled.unwrap())
}

/// The same where the session may not end well: the server may have opened what the client knows nothing of.
fn read_and_leave(minor: u32, operation: u32, fates: Vec<Fate>) -> (Got, Option<Meddled>) {
    let (folder, judged) = server();
    fs::write(folder.path().join("file"), b"content").unwrap();
    let session =
        Meddled { server: judged, operation, fates, sequences: Vec::new(), waits: Vec::new() };
    let (owner, verifier, longest_callback) = (b"owner".to_vec(), [1; 8], None);
    let config = SessionConfig { minor, owner, verifier, longest_callback };
    let files: Result<Files<Nfs4<Meddled>>, _> =
        Files::begin(session, client(), &config, Callbacks::default(), b"/");
    let mut files = files.unwrap();
    let mut got = Vec::new();
    let read = files.read(b"file", &mut got).map(|_| got);
    (read, files.unmount().ok())
}

#[test]
fn what_is_put_off_is_asked_again() {
    for status in [DELAY, GRACE] {
        let (got, meddled) = read(1, OPEN, vec![Fate::Fails(status); 10]);
        assert_eq!(got.unwrap(), b"content");
        assert_eq!(meddled.sequences.len(), 11);
        // Each is a new request of the slot (section 2.10.6.1).
        assert!(meddled.sequences.windows(2).all(|pair| pair[1] == pair[0] + 1));
        // Longer and longer, and never longer than 5 seconds.
        assert!(meddled.waits.windows(2).all(|pair| pair[1] >= pair[0]));
        assert_eq!(meddled.waits.len(), 10);
        assert_eq!(*meddled.waits.last().unwrap(), Duration::from_secs(5));
    }
}

/// Section 18.46.3: where SEQUENCE fails the slot stays as it was, and the same request comes again.
#[test]
fn a_sequence_that_is_put_off_keeps_its_number() {
    let (got, meddled) = read(1, READ, vec![Fate::SequenceFails(DELAY); 3]);
    assert_eq!(got.unwrap(), b"content");
    assert_eq!(meddled.sequences, [meddled.sequences[0]; 4]);
}

#[test]
fn patience_ends() {
    let (got, meddled) = read(1, OPEN, vec![Fate::Fails(GRACE); 1000]);
    let error = got.unwrap_err().to_string();
    assert_eq!(error, "NFS4ERR_GRACE (not yet: clients reclaim what they held)");
    let waited: Duration = meddled.waits.iter().sum();
    // Longer than a grace period of the usual 90 seconds.
    assert!((90..300).contains(&waited.as_secs()), "{waited:?}");
    let (got, _) = read(2, OPEN, vec![Fate::Fails(DELAY); 1000]);
    assert_eq!(got.unwrap_err().to_string(), "NFS4ERR_DELAY (not yet: try again later)");
}

/// RFC 7862 section 15.10: a server need not have READ_PLUS.
#[test]
fn without_read_plus_there_is_read() {
    let (got, meddled) = read(2, READ_PLUS, vec![Fate::Fails(NOTSUPP)]);
    assert_eq!(got.unwrap(), b"content");
    assert_eq!(meddled.sequences.len(), 1, "it is tried once");
    let (got, meddled) = read(2, READ, Vec::new());
    assert_eq!(got.unwrap(), b"content");
    assert!(meddled.sequences.is_empty(), "a server that has it is asked for it");
    let (got, meddled) = read(1, READ_PLUS, Vec::new());
    assert_eq!(got.unwrap(), b"content");
    assert!(meddled.sequences.is_empty(), "version 4.1 does not have it");
}

/// The result of SEQUENCE repeats session, sequence ID and slot of its request (section 18.46.2).
#[test]
fn an_answer_to_another_request_is_not_taken() {
    // Status, tag, count; number and status; session, sequence ID, slot.
    for at in [20, 24, 28, 32, 36, 40] {
        let (got, _) = read(1, READ, vec![Fate::Changes(at)]);
        let error = got.unwrap_err().to_string();
        assert_eq!(error, "the server answers another request of the session", "{at}");
    }
}

#[test]
fn damaged_results_are_refused() {
    for operation in [OPEN, READ] {
        // The number of the result after that of SEQUENCE.
        read_and_leave(1, operation, vec![Fate::Changes(56)]).0.unwrap_err();
        let (got, _) = read_and_leave(1, operation, vec![Fate::SequenceFails(BADSESSION)]);
        assert_eq!(got.unwrap_err().to_string(), "NFS4ERR_BADSESSION (no such session)");
        for bytes in (4..100).step_by(4) {
            read_and_leave(1, operation, vec![Fate::Ends(bytes)]).0.unwrap_err();
        }
    }
}
