//! The rules of NVMe over RDMA as data.

use crate::rules::rule::rules;

rules! {
    COMMAND_ID: "nvme-command-id", Must, Sender, ["NVME-3.3.3.1-01"], None,
        "The identifier (CID) of a command is not in use by another uncompleted command on the same queue.",
        "The completion of one is taken for that of the other: the host uses data that has not been moved, or waits forever.";
    DATA_POINTER: "nvme-sgl", Must, Sender, ["NVME-3.3.3.1-02"], None,
        "A command over a fabric has an SGL as its data pointer (PSDT 01b or 10b).",
        "The pages that a PRP names are the host's own: the controller cannot reach them and fails the command.";
    CONNECT_FIRST: "nvme-connect-first", Must, Sender, ["NVME-6.3-01"], None,
        "The first command on a queue is Connect.",
        "The controller knows neither host nor queue, and fails the command.";
    CONNECT_QUEUE: "nvme-connect-queue", Must, Sender, ["NVME-6.3-02"], None,
        "The queue of a Connect is the one that the private data of its connection names.",
        "Host and controller disagree on the queue: the Connect fails, or commands are taken for those of another kind of queue.";
    CAPSULE: "nvme-in-capsule-range", Must, Sender, ["NVME-4.1.2-01"], None,
        "In-capsule data and descriptors lie within the capsule.",
        "The controller fails the command, or takes leftovers of an earlier capsule for data.";
    UNASKED: "nvme-completion-unasked", Must, Sender, ["NVME-3.3.3.2-01"], None,
        "A completion has the identifier of a command that has not been completed.",
        "The host completes nothing, or a command that it has already completed, and often resets the controller.";
    QUEUE_HEAD: "nvme-sq-head", Must, Sender, ["NVME-3.3.3.2-02"], None,
        "The SQ Head Pointer of a completion is less than the size of the queue.",
        "A host that counts free entries by it sends more than the controller can take, or stops sending.";
    INVALIDATE: "nvme-invalidate-key", Must, Sender, ["NVME-4.1.2-02"], None,
        "A completion that invalidates an STag names the key of its command, and that command asked for it.",
        "The controller loses the memory of another command: that command fails, or the connection ends.";
    NO_DATA: "nvme-data-missing", Must, Sender, ["NVME-3.3.3.2-03"], None,
        "A Read or Write that succeeds has moved its blocks.",
        "The host takes the old contents of its memory for data, or believes that data is written when it is not.";
}
