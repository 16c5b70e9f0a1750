//! The rules of SMB Direct as data.

use crate::rules::rule::rules;

rules! {
    CREDITS: "smbd-credits-exceeded", Must, Sender, ["SMBD-3.1.5.1-01"], None,
        "A side sends no more messages than it has Send Credits.",
        "The receiver may have no buffer posted for the message; on iWARP that ends the connection.";
    LAST_CREDIT: "smbd-last-credit", Must, Sender, ["SMBD-3.1.5.1-02"], None,
        "The last Send Credit is used by a message that grants credits.",
        "Both sides may end up without credits and wait for each other forever.";
    VERSION: "smbd-version", Must, Sender, ["SMBD-3.1.5.2-01", "SMBD-3.1.5.6-01"], None,
        "A Negotiate Request is for version 1.0 only.",
        "There is no other version; the server may answer that it does not support this one.";
    REQUEST_CREDITS: "smbd-request-credits", Must, Sender, ["SMBD-3.1.5.6-02"], None,
        "A Negotiate Request asks for credits.",
        "The server ends the connection: the client could never send anything.";
    RECEIVE_SIZE: "smbd-receive-size", Must, Sender, ["SMBD-3.1.5.6-03", "SMBD-3.1.5.7-02"], None,
        "A side can receive messages of at least 128 bytes.",
        "The peer ends the connection.";
    FRAGMENTED_SIZE: "smbd-fragmented-size", Must, Sender, ["SMBD-3.1.5.6-04", "SMBD-3.1.5.7-03"], None,
        "A side can reassemble at least 131072 bytes from fragments.",
        "The peer ends the connection.";
    NEGOTIATED_VERSION: "smbd-negotiated-version", Must, Sender, ["SMBD-3.1.5.7-01"], None,
        "A Negotiate Response that accepts is for version 1.0.",
        "The client ends the connection.";
    RESPONSE_CREDITS: "smbd-response-credits", Must, Sender, ["SMBD-3.1.5.7-04", "SMBD-3.1.5.7-05"], None,
        "A Negotiate Response that accepts grants credits, and asks for some.",
        "The client ends the connection: one of the sides could never send anything.";
    PREFERRED_SEND_SIZE: "smbd-preferred-send-size", Must, Sender, ["SMBD-3.1.5.7-06"], None,
        "A server sends no messages longer than the client can receive.",
        "The client ends the connection; otherwise it would get messages that do not fit into its buffers.";
    SHORT: "smbd-data-short", Must, Sender, ["SMBD-3.1.5.8-01"], None,
        "A Data Transfer message has at least 20 bytes.",
        "The receiver ends the connection: it cannot read the header.";
    DATA_CREDITS: "smbd-data-credits", Must, Sender, ["SMBD-3.1.5.8-02"], None,
        "A Data Transfer message asks for at least one credit.",
        "The receiver ends the connection: the sender would run out of credits.";
    DATA_OFFSET: "smbd-data-offset", Must, Sender, ["SMBD-3.1.5.8-03"], None,
        "DataOffset is a multiple of eight.",
        "The receiver ends the connection.";
    DATA_RANGE: "smbd-data-range", Must, Sender, ["SMBD-3.1.5.8-04"], None,
        "The data lies within its message.",
        "The receiver ends the connection; one that does not check reads past its buffer.";
    FRAGMENTED_LENGTH: "smbd-fragmented-length", Must, Sender, ["SMBD-3.1.5.8-05"], None,
        "A fragmented message is no longer than the receiver can reassemble.",
        "The receiver ends the connection; one that does not check runs out of memory.";
}
