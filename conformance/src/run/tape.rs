//! What went over the connections of an instance, and the frames that a loss-free network would have
//! carried it in.

use crate::made::{Flow, LONGEST, Made};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::SystemTime;

/// What happened on a connection.
#[derive(Debug, Clone)]
pub(super) enum Happened {
    /// This side, the target; whether this side opened it.
    Opened([SocketAddr; 2], bool),
    Bytes(Vec<u8>),
    Finished,
    Reset,
}

/// What went over connections.
#[derive(Debug, Default)]
pub(super) struct Tape {
    entries: Vec<(SystemTime, u64, bool, Happened)>,
}

impl Tape {
    /// Something happened; `sent` when it was this side's doing.
    pub(super) fn add(&mut self, at: SystemTime, connection: u64, sent: bool, what: Happened) {
        self.entries.push((at, connection, sent, what));
    }

    /// The frames, in the order of their times.
    pub(super) fn frames(&self) -> Vec<Made> {
        let mut entries: Vec<_> = self.entries.iter().collect();
        entries.sort_by_key(|entry| entry.0);
        let mut flows: HashMap<u64, (Flow, bool)> = HashMap::new();
        let mut out = Vec::new();
        for (at, connection, sent, what) in entries {
            let since = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            let time = since.as_nanos() as i64;
            if let Happened::Opened(ends, opened) = what {
                let mut flow = Flow::new(*ends);
                out.extend(flow.opened(time, usize::from(!*opened)));
                flows.insert(*connection, (flow, false));
                continue;
            }
            let Some((flow, over)) = flows.get_mut(connection).filter(|(_, over)| !over) else {
                continue;
            };
            let side = usize::from(!sent);
            flow.all_arrived();
            match what {
                Happened::Bytes(bytes) => {
                    for piece in bytes.chunks(LONGEST) {
                        out.extend(flow.bytes(time, side, piece));
                    }
                }
                Happened::Finished => out.extend(flow.finished(time, side)),
                Happened::Reset => {
                    out.extend(flow.reset(time, side));
                    *over = true;
                }
                Happened::Opened(..) => {}
            }
        }
        out
    }
}
