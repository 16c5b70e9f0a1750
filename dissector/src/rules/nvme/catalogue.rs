//! The rules of NVMe over RDMA as data.

use crate::rules::rule::rules;

rules! {
    COMMAND_ID: "nvme-command-id", Must, Sender, "NVMe Base 2.0 section 3.3.3.1",
        ["NVME-3.3.3.1-01"], None,
        "A command has an identifier (CID) that no command without a completion has on the same queue.",
        "The completion of one is taken for that of the other: data of a command are used that have not moved, or the host waits for ever.";
    DATA_POINTER: "nvme-sgl", Must, Sender, "NVMe Base 2.0 section 3.3.3.1",
        ["NVME-3.3.3.1-02"], None,
        "A command over a fabric has an SGL as its data pointer (PSDT 01b or 10b).",
        "The pages that a PRP names are the host's own: the controller cannot reach them and fails the command.";
    CONNECT_FIRST: "nvme-connect-first", Must, Sender, "NVMe Base 2.0 section 6.3",
        ["NVME-6.3-01"], None,
        "The first command on a queue is Connect.",
        "The controller knows neither host nor queue, and fails the command.";
    CONNECT_QUEUE: "nvme-connect-queue", Must, Sender, "NVMe Base 2.0 section 6.3",
        ["NVME-6.3-02"], None,
        "The queue of a Connect is the one that the private data of its connection names.",
        "Host and controller disagree on the queue: the Connect fails, or commands are taken for those of another kind of queue.";
    CAPSULE: "nvme-in-capsule-range", Must, Sender, "NVMe Base 2.0 section 4.1.2",
        ["NVME-4.1.2-01"], None,
        "Data and descriptors that are in a capsule lie within it.",
        "The controller fails the command, or takes what it has of an earlier capsule for data.";
    UNASKED: "nvme-completion-unasked", Must, Sender, "NVMe Base 2.0 section 3.3.3.2",
        ["NVME-3.3.3.2-01"], None,
        "A completion has the identifier of a command without one.",
        "The host completes nothing, or what it completed before, and often resets the controller.";
    QUEUE_HEAD: "nvme-sq-head", Must, Sender, "NVMe Base 2.0 section 3.3.3.2",
        ["NVME-3.3.3.2-02"], None,
        "The SQ Head Pointer of a completion is less than the size of the queue.",
        "A host that counts free entries by it sends more than the controller takes, or stops.";
    INVALIDATE: "nvme-invalidate-key", Must, Sender, "NVMe Base 2.0 section 4.1.2",
        ["NVME-4.1.2-02"], None,
        "A completion that invalidates an STag names the key of its command, which asked for that.",
        "Memory of another command is taken from the controller: that command fails, or the connection ends.";
    NO_DATA: "nvme-data-missing", Must, Sender, "NVMe Base 2.0 section 3.3.3.2",
        ["NVME-3.3.3.2-03"], None,
        "A Read or Write that succeeds has moved its blocks.",
        "The host takes for data what its memory had before, or believes to be written what is not.";
}
