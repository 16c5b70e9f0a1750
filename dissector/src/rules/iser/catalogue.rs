//! The rules of iSER (RFC 7145) and of the iSCSI that it carries (RFC 7143) as data.

use crate::rules::rule::rules;

rules! {
    HEADER_RESERVED: "iser-header-reserved", Must, Sender,
        ["RFC7145-9.2-02", "RFC7145-9.2-01", "RFC7145-9.3-02", "RFC7145-9.4-02"], None,
        "The reserved fields of an iSER header are zero, and so are an STag and a Base Offset without their flag.",
        "The sender sets bits that a later document may define, or fills in a buffer that it does not offer; a receiver that uses the STag without checking its flag accesses memory that is not the command's.";
    HELLO_VERSION: "iser-hello-version", Must, Sender, ["RFC7145-9.3-01", "RFC7145-9.4-01"], None,
        "The versions in an iSER Hello and in a HelloReply are 10.",
        "The sender uses a version of iSER other than that of RFC 7145: the receiver may reject the connection.";
    READ_STAG: "iser-read-stag-missing", Must, Sender, ["RFC7145-7.3.1-02"], None,
        "A SCSI Command that reads data advertises a Read STag.",
        "The target has no memory to write the data to: the command fails, or the connection ends.";
    WRITE_STAG: "iser-write-stag-missing", Must, Sender, ["RFC7145-7.3.1-01"], None,
        "A SCSI Command that writes more data than is sent unsolicited advertises a Write STag.",
        "The target cannot fetch the rest of the data: the command fails, or waits forever.";
    INVALIDATE: "iser-invalidate-stag", Must, Sender, ["RFC7145-7.3.2-02", "RFC7145-7.3.2-01"], None,
        "A SCSI Response that invalidates an STag names the Read STag of its command, or its Write STag if it has no Read STag.",
        "The target loses the memory of another command, or the STag belongs to no command: the other command fails, or the connection ends. The memory of this command stays open to the target.";
    DATA_TYPE: "iser-data-type-pdu", Must, Sender, ["RFC7145-7.3.5-01", "RFC7145-7.3.6-01"], None,
        "No Data-In and no R2T is sent as a PDU: RDMA Writes and RDMA Reads take their place.",
        "The target speaks traditional iSCSI over RDMA; the initiator does not expect the PDU and drops the connection.";
    SNACK: "iser-snack", Must, Sender, ["RFC7145-7.3.11-01"], None,
        "No SNACK Request is sent.",
        "The target answers with a Reject. The initiator looks for data or statuses that RDMA cannot lose.";
    COMMAND_WINDOW: "iscsi-maxcmdsn", Must, Sender, ["RFC7143-4.2.2.1-01"], None,
        "MaxCmdSN is no less than ExpCmdSN - 1.",
        "The initiator ignores both numbers: it may stop sending commands, or send more than the target has room for.";
    BEYOND_WINDOW: "iscsi-cmdsn-window", Must, Sender, ["RFC7143-4.2.2.1-02"], None,
        "A command that is not immediate has a CmdSN of at most MaxCmdSN.",
        "The target has no room for the command and ignores it silently: it is never answered.";
    COMMAND_NUMBER: "iscsi-cmdsn", Must, Sender, ["RFC7143-4.2.2.1-03", "RFC7143-4.2.2.1-04"], None,
        "CmdSN counts the commands that are not immediate; immediate ones carry the number of the next.",
        "The target waits for the number that was left out and executes nothing after it, or ignores the command as one that it has already received.";
    OPCODE_ROLE: "iscsi-opcode-role", Must, Sender, ["RFC7143-11.2.1.2-01"], None,
        "An initiator sends requests; a target sends responses and the other PDUs of a target.",
        "The receiver cannot process the PDU: it rejects it, or ends the session.";
    COMMAND_FINAL: "iscsi-command-final", Must, Sender, ["RFC7143-11.3.1-01"], None,
        "At least one of the bits W and F of a SCSI Command is set.",
        "A command that writes nothing seems to announce unsolicited data: the target waits for a Data-Out that never comes, or rejects the command.";
    COMMAND_DIRECTION: "iscsi-command-direction", Must, Sender, ["RFC7143-11.3.1-02"], None,
        "A SCSI Command that moves data has R or W set.",
        "The target does not know in which direction to move the data, and may move none.";
    SENSE_MISSING: "iscsi-sense-missing", Must, Sender, ["RFC7143-11.4.7-01"], None,
        "A SCSI Response with CHECK CONDITION has sense data.",
        "The initiator learns that the command failed, but not why: it cannot tell a medium error from a unit that needs to be started.";
    NO_DATA: "iscsi-data-not-allowed", Must, Sender,
        ["RFC7143-11.5.2-01", "RFC7143-11.6.2-01", "RFC7143-11.14.2-01", "RFC7143-11.15.2-01"], None,
        "Task management and logout PDUs have no Additional Header Segments and no data.",
        "The receiver may take the rest of the Send for something else, or reject the PDU.";
    TEXT_TAG: "iscsi-text-tag", Must, Sender, ["RFC7143-11.11.1-01", "RFC7143-11.11.1-02"], None,
        "The Target Transfer Tag of a Text Response is all ones when it is the last, and something else when it is not.",
        "The initiator asks for more when there is none, or cannot ask when there is: target names are missing.";
    LOGIN_CONTINUES: "iscsi-login-continue", Must, Sender, ["RFC7143-11.12.2-01", "RFC7143-11.13.7-01"], None,
        "A login PDU whose text continues (C) is not ready for the next stage (T).",
        "The receiver leaves the stage with half of a key, and the login fails.";
    VERSION: "iscsi-version", Must, Sender, ["RFC7143-11.12.4-01"], None,
        "Version-max and Version-min of a Login Request are 0.",
        "The initiator asks for an iSCSI that no document describes; the target refuses the login.";
}
