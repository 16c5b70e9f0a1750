//! How the RPC-over-RDMA sides of a target are reached.

use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::ops::Range;
use std::sync::Arc;

/// The RPC-over-RDMA sides of a target: a responder that listens, a requester that is started by a
/// command, or both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RpcTarget {
    /// Where the responder listens.
    pub address: Option<SocketAddr>,
    /// Whether MOUNT and NFS version 3 are answered there, both over RPC-over-RDMA, and the root of the
    /// export `/` may be written to.
    pub nfs: bool,
    /// Whether its sides send the private data of RFC 8797.
    pub private_data: bool,
    /// Where the runner listens for the requester.
    pub listen: IpAddr,
    /// Commands for a shell that start the requester, by what it is started for; `{host}` and `{port}`
    /// stand for where the runner listens.
    pub tasks: BTreeMap<String, String>,
    /// Who answers the requester's calls.
    pub answers: Option<RpcAnswers>,
}

impl Default for RpcTarget {
    fn default() -> Self {
        let listen = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let (tasks, private_data) = (BTreeMap::new(), false);
        Self { address: None, nfs: false, private_data, listen, tasks, answers: None }
    }
}

impl RpcTarget {
    /// What it can do, by the names that cases use.
    pub(super) fn capabilities(&self) -> [(&'static str, bool); 4] {
        [
            ("rpc-over-rdma", self.address.is_some()),
            ("rpc-requester", !self.tasks.is_empty() && self.answers.is_some()),
            ("rpc-private-data", self.private_data),
            ("nfs", self.address.is_some() && self.nfs),
        ]
    }
}

/// An RPC reply from the XID on, whole.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RpcAnswer {
    /// The bytes; none where nothing is to be sent.
    pub bytes: Vec<u8>,
    /// The items in it that may go by write chunks, in order: without length word and round-up.
    pub eligible: Vec<Range<usize>>,
}

type Answer = dyn Fn(&[u8]) -> RpcAnswer + Send + Sync;

/// Answers whole RPC calls.
#[derive(Clone)]
pub struct RpcAnswers(Arc<Answer>);

impl RpcAnswers {
    /// Answers by a function.
    pub fn new(answer: impl Fn(&[u8]) -> RpcAnswer + Send + Sync + 'static) -> Self {
        Self(Arc::new(answer))
    }

    pub(super) fn answer(&self, call: &[u8]) -> RpcAnswer {
        (self.0)(call)
    }
}

impl fmt::Debug for RpcAnswers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RpcAnswers")
    }
}

impl PartialEq for RpcAnswers {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
impl Eq for RpcAnswers {}
