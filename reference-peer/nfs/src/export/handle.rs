//! File handles: which object, and a proof that this server gave it.

use crate::Status;
use sha2::{Digest, Sha256};

/// An object of the file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Identity {
    /// The device of its file system.
    pub(super) device: u64,
    /// Its inode number.
    pub(super) inode: u64,
    /// When it was made, in nanoseconds since 1970: tells it from what has its inode number later. 0
    /// where the file system does not know.
    pub(super) born: u64,
}

/// Bytes of a handle: key number, identity, proof.
const LENGTH: usize = 4 + 24 + 16;

/// Makes and reads handles.
#[derive(Debug)]
pub(super) struct Seal {
    key: [u8; 32],
    key_number: [u8; 4],
}

impl Seal {
    pub(super) fn new(key: [u8; 32]) -> Self {
        let digest: [u8; 32] =
            Sha256::new().chain_update(b"number").chain_update(key).finalize().into();
        let [a, b, c, d, ..] = digest;
        Self { key, key_number: [a, b, c, d] }
    }

    pub(super) fn handle(&self, identity: &Identity) -> Vec<u8> {
        let Identity { device, inode, born } = identity;
        let mut handle = self.key_number.to_vec();
        for part in [device, inode, born] {
            handle.extend_from_slice(&part.to_be_bytes());
        }
        let proof: [u8; 32] =
            Sha256::new().chain_update(self.key).chain_update(&handle).finalize().into();
        handle.extend(proof.iter().take(16));
        handle
    }

    /// The object of a handle.
    ///
    /// # Errors
    /// [`Status::STALE`] for a handle that was made with another key, as a server gave it in an earlier
    /// life; [`Status::BADHANDLE`] for what is no handle.
    pub(super) fn identity(&self, handle: &[u8]) -> Result<Identity, Status> {
        let part = |at: usize| {
            let bytes = handle.get(at..)?.first_chunk()?;
            Some(u64::from_be_bytes(*bytes))
        };
        let (LENGTH, Some(device), Some(inode), Some(born)) =
            (handle.len(), part(4), part(12), part(20))
        else {
            return Err(Status::BADHANDLE);
        };
        if !handle.starts_with(&self.key_number) {
            return Err(Status::STALE);
        }
        let identity = Identity { device, inode, born };
        if self.handle(&identity) != handle {
            return Err(Status::BADHANDLE);
        }
        Ok(identity)
    }
}
