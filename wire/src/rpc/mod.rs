//! ONC RPC version 2: the headers of calls and replies (RFC 5531 §9).

mod auth;
mod call;
mod reply;

pub use auth::{Auth, AuthView, MAX_AUTH_BODY, flavor_name};
pub use call::{Call, CallView, RPC_VERSION};
pub use reply::{
    Reply, ReplyBody, ReplyView, accept_status_name, auth_status_name, reject_status_name,
};

mod message;

pub use message::RpcView;
