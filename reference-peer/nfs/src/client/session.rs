//! What makes calls for a client.

use crate::rpc::OutgoingCall;

/// Makes calls, one at a time: a transport to a server, or the server itself.
pub trait Session {
    /// Why a call could not be made.
    type Error;

    /// Makes a call, and returns the reply whole, with what came by chunks put in its place.
    ///
    /// # Errors
    /// When there is no reply.
    fn call(&mut self, call: OutgoingCall) -> Result<Vec<u8>, Self::Error>;
}
