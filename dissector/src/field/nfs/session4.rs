//! Fields of sessions and client IDs of NFS version 4.1 (RFC 8881 sections 18.33 to 18.51).

use super::names::FLAVORS;
use super::names4::{CLIENT_DIRECTIONS, PROTECTIONS, SERVER_DIRECTIONS};
use crate::field::{Display, Field, Kind, Origin, fields};

/// `nfs.opcode` once more, for an operation that is named and not made; the list of fields has it as the
/// operation of a compound.
pub static NAMED_OPERATION: Field = Field {
    name: "nfs.opcode",
    label: "Operation",
    kind: Kind::Unsigned(32),
    display: Display::Named(super::names4::OPERATIONS),
    origin: Origin::Wireshark,
    doc: "An operation of the set (RFC 8881 section 18.35)",
};

fields! {
    SESSION_ID: Bytes, Plain, Wireshark, "nfs.session_id4", "Session ID", "The session (RFC 8881 section 2.10)";
    SLOT: Unsigned(32), Plain, Wireshark, "nfs.slotid", "Slot id", "The slot of a request (RFC 8881 section 2.10.6.1)";
    HIGHEST_SLOT: Unsigned(32), Plain, Wireshark, "nfs.high_slotid", "High slot id", "The highest slot in use, or allowed (RFC 8881 section 18.46)";
    TARGET_HIGHEST_SLOT: Unsigned(32), Plain, Wireshark, "nfs.target_high_slotid", "Target high slot id", "The highest slot that the server would like in use (RFC 8881 section 18.46)";
    CACHE_THIS: Boolean, Plain, Wireshark, "nfs.cachethis4", "Cache this", "Whether the reply shall be kept (RFC 8881 section 18.46)";
    SEQUENCE_FLAGS: Unsigned(32), Hexadecimal, Wireshark, "nfs.sequence.flags", "Status flags", "What the client must know about its state (RFC 8881 section 18.46)";
    CB_PATH_DOWN: Boolean, Plain, Wireshark, "nfs.sequence.flags.cb_path_down", "SEQ4_STATUS_CB_PATH_DOWN", "No connection for callbacks works (RFC 8881 section 18.46)";
    CB_GSS_EXPIRING: Boolean, Plain, Wireshark, "nfs.sequence.flags.cb_gss_contexts_expiring", "SEQ4_STATUS_CB_GSS_CONTEXTS_EXPIRING", "The callbacks' security contexts expire soon (RFC 8881 section 18.46)";
    CB_GSS_EXPIRED: Boolean, Plain, Wireshark, "nfs.sequence.flags.cb_gss_contexts_expired", "SEQ4_STATUS_CB_GSS_CONTEXTS_EXPIRED", "The callbacks' security contexts have expired (RFC 8881 section 18.46)";
    EXPIRED_ALL: Boolean, Plain, Wireshark, "nfs.sequence.flags.expired_all_state_revoked", "SEQ4_STATUS_EXPIRED_ALL_STATE_REVOKED", "The lease expired, and all state is revoked (RFC 8881 section 18.46)";
    EXPIRED_SOME: Boolean, Plain, Wireshark, "nfs.sequence.flags.expired_some_state_revoked", "SEQ4_STATUS_EXPIRED_SOME_STATE_REVOKED", "The lease expired, and some state is revoked (RFC 8881 section 18.46)";
    ADMIN_REVOKED: Boolean, Plain, Wireshark, "nfs.sequence.flags.admin_state_revoked", "SEQ4_STATUS_ADMIN_STATE_REVOKED", "An administrator revoked state (RFC 8881 section 18.46)";
    RECALLABLE_REVOKED: Boolean, Plain, Wireshark, "nfs.sequence.flags.recallable_state_revoked", "SEQ4_STATUS_RECALLABLE_STATE_REVOKED", "Delegations or layouts are revoked (RFC 8881 section 18.46)";
    LEASE_MOVED: Boolean, Plain, Wireshark, "nfs.sequence.flags.lease_moved", "SEQ4_STATUS_LEASE_MOVED", "A file system moved to another server (RFC 8881 section 18.46)";
    RESTART_RECLAIM: Boolean, Plain, Wireshark, "nfs.sequence.flags.restart_reclaim_needed", "SEQ4_STATUS_RESTART_RECLAIM_NEEDED", "The server restarted: state must be reclaimed (RFC 8881 section 18.46)";
    CB_PATH_DOWN_SESSION: Boolean, Plain, Wireshark, "nfs.sequence.flags.cb_path_down_session", "SEQ4_STATUS_CB_PATH_DOWN_SESSION", "This session has no connection for callbacks (RFC 8881 section 18.46)";
    BACKCHANNEL_FAULT: Boolean, Plain, Wireshark, "nfs.sequence.flags.backchannel_fault", "SEQ4_STATUS_BACKCHANNEL_FAULT", "The callback channel is broken (RFC 8881 section 18.46)";
    DEVICE_CHANGED: Boolean, Plain, Wireshark, "nfs.sequence.flags.devid_changed", "SEQ4_STATUS_DEVID_CHANGED", "A device ID changed (RFC 8881 section 18.46)";
    DEVICE_DELETED: Boolean, Plain, Wireshark, "nfs.sequence.flags.devid_deleted", "SEQ4_STATUS_DEVID_DELETED", "A device ID was deleted (RFC 8881 section 18.46)";
    CALL_FLAGS: Unsigned(32), Hexadecimal, Wireshark, "nfs.exchange_id.call_flags", "Flags", "What the client can and wants (RFC 8881 section 18.35)";
    REPLY_FLAGS: Unsigned(32), Hexadecimal, Wireshark, "nfs.exchange_id.reply_flags", "Flags", "What the server can (RFC 8881 section 18.35)";
    CONFIRMED: Boolean, Plain, Wireshark, "nfs.exchange_id.flags.confirmed_r", "EXCHGID4_FLAG_CONFIRMED_R", "The client ID is confirmed (RFC 8881 section 18.35)";
    UPDATE_CONFIRMED: Boolean, Plain, Wireshark, "nfs.exchange_id.flags.confirmed_rec_a", "EXCHGID4_FLAG_UPD_CONFIRMED_REC_A", "A confirmed record is updated (RFC 8881 section 18.35)";
    DATA_SERVER: Boolean, Plain, Wireshark, "nfs.exchange_id.flags.pnfs_ds", "EXCHGID4_FLAG_USE_PNFS_DS", "A data server of pNFS (RFC 8881 section 18.35)";
    METADATA_SERVER: Boolean, Plain, Wireshark, "nfs.exchange_id.flags.pnfs_mds", "EXCHGID4_FLAG_USE_PNFS_MDS", "A metadata server of pNFS (RFC 8881 section 18.35)";
    NON_PNFS: Boolean, Plain, Wireshark, "nfs.exchange_id.flags.non_pnfs", "EXCHGID4_FLAG_USE_NON_PNFS", "A server without pNFS (RFC 8881 section 18.35)";
    BIND_PRINCIPAL: Boolean, Plain, Wireshark, "nfs.exchange_id.flags.bind_princ", "EXCHGID4_FLAG_BIND_PRINC_STATEID", "State belongs to the principal that made it (RFC 8881 section 18.35)";
    MOVED_MIGRATION: Boolean, Plain, Wireshark, "nfs.exchange_id.flags.moved_migr", "EXCHGID4_FLAG_SUPP_MOVED_MIGR", "Migration is supported (RFC 8881 section 18.35)";
    MOVED_REFERRAL: Boolean, Plain, Wireshark, "nfs.exchange_id.flags.moved_refer", "EXCHGID4_FLAG_SUPP_MOVED_REFER", "Referrals are supported (RFC 8881 section 18.35)";
    STATE_PROTECTION: Unsigned(32), Named(PROTECTIONS), Wireshark, "nfs.exchange_id.state_protect", "State protection", "How state is protected (RFC 8881 section 18.35)";
    OPERATION_MASK: Unsigned(32), Hexadecimal, Wireshark, "nfs.op_mask", "Op_mask", "32 bits of a set of operations (RFC 8881 section 18.35)";
    OID_COUNT: Unsigned(32), Plain, Own, "nfs.algorithms", "Oid count", "Number of algorithms (RFC 8881 section 18.35)";
    HASH_ALGORITHM: Unsigned(32), Hexadecimal, Wireshark, "nfs.prot_info4_hash_alg", "Hash algorithm", "The chosen hash algorithm (RFC 8881 section 18.35)";
    ENCRYPTION_ALGORITHM: Unsigned(32), Hexadecimal, Wireshark, "nfs.prot_info4_encr_alg", "Encryption algorithm", "The chosen encryption algorithm (RFC 8881 section 18.35)";
    SECRET_LENGTH: Unsigned(32), Hexadecimal, Wireshark, "nfs.prot_info4_svv_length", "Secret length", "Bytes of the secret (RFC 8881 section 18.35)";
    WINDOW: Unsigned(32), Hexadecimal, Wireshark, "nfs.prot_info4_spi_window", "Window", "Versions of the secret that are kept (RFC 8881 section 18.35)";
    ASKED_WINDOW: Unsigned(32), Hexadecimal, Wireshark, "nfs.state_protect_window", "Window", "Versions of the secret to keep (RFC 8881 section 18.35)";
    GSS_HANDLES: Unsigned(32), Hexadecimal, Wireshark, "nfs.state_protect_num_gss_handles", "GSS handles", "Number of RPCSEC_GSS handles to make (RFC 8881 section 18.35)";
    GSS_HANDLE: Bytes, Plain, Wireshark, "nfs.gsshandle4", "Gsshandle4", "An RPCSEC_GSS handle (RFC 8881 section 18.33)";
    GSS_HANDLES_COUNT: Unsigned(32), Plain, Own, "nfs.gss_handles", "Gss handles count", "Number of RPCSEC_GSS handles (RFC 8881 section 18.35)";
    SERVER_MINOR: Unsigned(64), Plain, Wireshark, "nfs.minorid4", "Minor ID", "The server owner: minor ID (RFC 8881 section 2.5)";
    SERVER_MAJOR: Bytes, Plain, Wireshark, "nfs.majorid4", "Major ID", "The server owner: major ID (RFC 8881 section 2.5)";
    SERVER_SCOPE: Bytes, Plain, Wireshark, "nfs.scope", "Server scope", "Servers of the same scope share client IDs (RFC 8881 section 2.10.4)";
    IMPLEMENTATION: Unsigned(32), Plain, Own, "nfs.implementation", "Implementation", "Whether the implementation tells its name (RFC 8881 section 3.3.21)";
    IMPLEMENTATION_DOMAIN: Text, Plain, Wireshark, "nfs.nii_domain4", "Implementation domain", "The implementor's DNS name (RFC 8881 section 3.3.21)";
    IMPLEMENTATION_NAME: Text, Plain, Wireshark, "nfs.nii_name4", "Implementation name", "The implementation's name (RFC 8881 section 3.3.21)";
    SESSION_FLAGS: Unsigned(32), Hexadecimal, Wireshark, "nfs.create_session_flags", "Session flags", "What the session can (RFC 8881 section 18.36)";
    PERSISTENT: Boolean, Plain, Wireshark, "nfs.create_session.flags.persist", "CREATE_SESSION4_FLAG_PERSIST", "Replies are kept over a restart (RFC 8881 section 18.36)";
    BACK_CHANNEL: Boolean, Plain, Wireshark, "nfs.create_session.flags.conn_back_chan", "CREATE_SESSION4_FLAG_CONN_BACK_CHAN", "The connection carries callbacks (RFC 8881 section 18.36)";
    RDMA_MODE: Boolean, Plain, Wireshark, "nfs.create_session.flags.conn_rdma", "CREATE_SESSION4_FLAG_CONN_RDMA", "The connection goes over to RDMA (RFC 8881 section 18.36)";
    FORE_CHANNEL: Heading, Plain, Own, "nfs.fore_channel", "Fore channel", "Attributes of the channel from client to server (RFC 8881 section 18.36)";
    BACKWARD_CHANNEL: Heading, Plain, Own, "nfs.back_channel", "Backward channel", "Attributes of the channel from server to client (RFC 8881 section 18.36)";
    HEADER_PADDING: Unsigned(32), Plain, Wireshark, "nfs.padsize4", "Hdr pad size", "Bytes of padding behind headers (RFC 8881 section 18.36)";
    MAXIMUM_REQUEST: Unsigned(32), Plain, Wireshark, "nfs.maxreqsize4", "Max req size", "The most bytes of a request (RFC 8881 section 18.36)";
    MAXIMUM_RESPONSE: Unsigned(32), Plain, Wireshark, "nfs.maxrespsize4", "Max resp size", "The most bytes of a response (RFC 8881 section 18.36)";
    MAXIMUM_CACHED: Unsigned(32), Plain, Wireshark, "nfs.maxrespsizecached4", "Max resp size cached", "The most bytes of a response that is kept (RFC 8881 section 18.36)";
    MAXIMUM_OPERATIONS: Unsigned(32), Plain, Wireshark, "nfs.maxops4", "Max ops", "The most operations of a compound (RFC 8881 section 18.36)";
    MAXIMUM_REQUESTS: Unsigned(32), Plain, Wireshark, "nfs.maxreqs4", "Max reqs", "The most requests at once: slots (RFC 8881 section 18.36)";
    RDMA_IRD: Unsigned(32), Plain, Wireshark, "nfs.rdmachanattrs4", "RDMA inbound read depth", "The RDMA Reads that may be outstanding (RFC 8881 section 18.36)";
    RDMA_IRD_COUNT: Unsigned(32), Plain, Own, "nfs.rdma_ird_count", "RDMA channel attributes", "Whether there are attributes of an RDMA channel (RFC 8881 section 18.36)";
    SECURITY_COUNT: Unsigned(32), Plain, Own, "nfs.cb_security_count", "Callback security parameters", "Number of security parameters for callbacks (RFC 8881 section 18.36)";
    SECURITY_FLAVOR: Unsigned(32), Named(FLAVORS), Wireshark, "nfs.flavor4", "Flavor", "A security flavor for callbacks (RFC 8881 section 18.33)";
    STAMP: Unsigned(32), Plain, Wireshark, "nfs.stamp4", "Stamp", "Of AUTH_SYS (RFC 5531 appendix A)";
    MACHINE_NAME: Text, Plain, Wireshark, "nfs.machinename4", "Machine name", "Of AUTH_SYS (RFC 5531 appendix A)";
    UID: Unsigned(32), Plain, Wireshark, "nfs.uid4", "Uid", "Of AUTH_SYS (RFC 5531 appendix A)";
    GID: Unsigned(32), Plain, Wireshark, "nfs.gid4", "Gid", "Of AUTH_SYS (RFC 5531 appendix A)";
    GIDS_COUNT: Unsigned(32), Plain, Own, "nfs.gids", "Auxiliary groups", "Number of further groups of AUTH_SYS (RFC 5531 appendix A)";
    SERVICE: Unsigned(32), Plain, Wireshark, "nfs.service4", "Service", "The service of RPCSEC_GSS (RFC 8881 section 18.33)";
    CLIENT_DIRECTION: Unsigned(32), NamedHexadecimal(CLIENT_DIRECTIONS), Wireshark, "nfs.bctsa_dir", "Direction", "Which channels the connection shall carry (RFC 8881 section 18.34)";
    CLIENT_RDMA: Boolean, Plain, Wireshark, "nfs.bctsa_use_conn_in_rdma_mode", "Use RDMA", "Whether the connection shall go over to RDMA (RFC 8881 section 18.34)";
    SERVER_DIRECTION: Unsigned(32), NamedHexadecimal(SERVER_DIRECTIONS), Wireshark, "nfs.bctsr_dir", "Direction", "Which channels the connection carries (RFC 8881 section 18.34)";
    SERVER_RDMA: Boolean, Plain, Wireshark, "nfs.bctsr_use_conn_in_rdma_mode", "Use RDMA", "Whether the connection goes over to RDMA (RFC 8881 section 18.34)";
    ONE_FILE_SYSTEM: Boolean, Plain, Wireshark, "nfs.reclaim_one_fs4", "One file system", "Whether reclaiming is complete for one file system alone (RFC 8881 section 18.51)";
    SECRET: Bytes, Plain, Own, "nfs.ssv", "Secret", "The new secret state verifier, or its change (RFC 8881 section 18.47)";
    DIGEST: Bytes, Plain, Own, "nfs.ssv_digest", "Digest", "A digest that proves that the secret is known (RFC 8881 section 18.47)";
    STATE_IDS: Unsigned(32), Plain, Own, "nfs.state_ids", "State IDs", "Number of state IDs, or of their statuses (RFC 8881 section 18.48)";
    REFERRING_LISTS: Unsigned(32), Plain, Own, "nfs.referring_lists", "Referring lists", "Number of lists of requests that the callback refers to (RFC 8881 section 20.9)";
    REFERRING_CALLS: Unsigned(32), Plain, Own, "nfs.referring_calls", "Referring calls", "Number of requests that the callback refers to (RFC 8881 section 20.9)";
}
