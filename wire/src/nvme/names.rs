//! The names of numbers in NVMe.

use crate::name_of;

/// Numbers and their names.
type Names = &'static [(u64, &'static str)];

/// Reasons for the rejection of a connection (NVMe RDMA Transport 1.0, STS of the private data).
pub const REJECT_STATUSES: Names = &[
    (1, "Invalid Length"),
    (2, "Invalid Record Format"),
    (3, "Invalid Queue ID"),
    (4, "Invalid Host Send Queue Size"),
    (5, "Invalid Host Receive Queue Size"),
    (6, "No Resources"),
    (7, "Invalid IRD"),
    (8, "Invalid ORD"),
    (9, "Invalid Controller ID"),
];

/// Opcodes of the admin queue (NVMe Base 2.0, admin command set).
pub const ADMIN_OPCODES: Names = &[
    (0x00, "Delete I/O Submission Queue"),
    (0x01, "Create I/O Submission Queue"),
    (0x02, "Get Log Page"),
    (0x04, "Delete I/O Completion Queue"),
    (0x05, "Create I/O Completion Queue"),
    (0x06, "Identify"),
    (0x08, "Abort"),
    (0x09, "Set Features"),
    (0x0a, "Get Features"),
    (0x0c, "Asynchronous Event Request"),
    (0x0d, "Namespace Management"),
    (0x10, "Firmware Commit"),
    (0x11, "Firmware Image Download"),
    (0x14, "Device Self-test"),
    (0x15, "Namespace Attachment"),
    (0x18, "Keep Alive"),
    (0x19, "Directive Send"),
    (0x1a, "Directive Receive"),
    (0x1c, "Virtualization Management"),
    (0x1d, "NVMe-MI Send"),
    (0x1e, "NVMe-MI Receive"),
    (0x20, "Capacity Management"),
    (0x24, "Lockdown"),
    (0x7c, "Doorbell Buffer Config"),
    (0x7f, "Fabrics"),
    (0x80, "Format NVM"),
    (0x81, "Security Send"),
    (0x82, "Security Receive"),
    (0x84, "Sanitize"),
    (0x86, "Get LBA Status"),
];

/// Opcodes of I/O queues (NVM Command Set 1.0 and Zoned Namespace Command Set 1.1).
pub const IO_OPCODES: Names = &[
    (0x00, "Flush"),
    (0x01, "Write"),
    (0x02, "Read"),
    (0x04, "Write Uncorrectable"),
    (0x05, "Compare"),
    (0x08, "Write Zeroes"),
    (0x09, "Dataset Management"),
    (0x0c, "Verify"),
    (0x0d, "Reservation Register"),
    (0x0e, "Reservation Report"),
    (0x11, "Reservation Acquire"),
    (0x15, "Reservation Release"),
    (0x19, "Copy"),
    (0x79, "Zone Management Send"),
    (0x7a, "Zone Management Receive"),
    (0x7d, "Zone Append"),
    (0x7f, "Fabrics"),
];

/// Fabrics Command Types (FCTYPE; NVMe Base 2.0, fabrics commands).
pub const FABRICS_TYPES: Names = &[
    (0x00, "Property Set"),
    (0x01, "Connect"),
    (0x04, "Property Get"),
    (0x05, "Authentication Send"),
    (0x06, "Authentication Receive"),
    (0x08, "Disconnect"),
];

/// Offsets of controller properties (NVMe Base 2.0, controller properties).
pub const PROPERTIES: Names = &[
    (0x00, "Controller Capabilities"),
    (0x08, "Version"),
    (0x14, "Controller Configuration"),
    (0x1c, "Controller Status"),
    (0x20, "NVM Subsystem Reset"),
    (0x64, "NVM Subsystem Shutdown"),
    (0x68, "Controller Ready Timeouts"),
];

/// Controller or Namespace Structure (CNS) values of Identify.
pub const CNS_VALUES: Names = &[
    (0x00, "Namespace"),
    (0x01, "Controller"),
    (0x02, "Active Namespace List"),
    (0x03, "Namespace Identification Descriptor list"),
    (0x04, "NVM Set List"),
    (0x05, "I/O Command Set specific Namespace"),
    (0x06, "I/O Command Set specific Controller"),
    (0x07, "I/O Command Set specific Active Namespace List"),
    (0x08, "I/O Command Set Independent Namespace"),
    (0x10, "Allocated Namespace List"),
    (0x11, "Allocated Namespace"),
    (0x12, "Controllers attached to a Namespace"),
    (0x13, "Controllers in the NVM Subsystem"),
    (0x14, "Primary Controller Capabilities"),
    (0x15, "Secondary Controller List"),
    (0x16, "Namespace Granularity List"),
    (0x17, "UUID List"),
    (0x18, "Domain List"),
    (0x19, "Endurance Group List"),
    (0x1c, "I/O Command Set"),
];

/// Log Page Identifiers (LID).
pub const LOG_PAGES: Names = &[
    (0x00, "Supported Log Pages"),
    (0x01, "Error Information"),
    (0x02, "SMART / Health Information"),
    (0x03, "Firmware Slot Information"),
    (0x04, "Changed Namespace List"),
    (0x05, "Commands Supported and Effects"),
    (0x06, "Device Self-test"),
    (0x07, "Telemetry Host-Initiated"),
    (0x08, "Telemetry Controller-Initiated"),
    (0x09, "Endurance Group Information"),
    (0x0a, "Predictable Latency Per NVM Set"),
    (0x0b, "Predictable Latency Event Aggregate"),
    (0x0c, "Asymmetric Namespace Access"),
    (0x0d, "Persistent Event"),
    (0x0f, "Endurance Group Event Aggregate"),
    (0x12, "Feature Identifiers Supported and Effects"),
    (0x70, "Discovery"),
    (0x80, "Reservation Notification"),
    (0x81, "Sanitize Status"),
];

/// Feature Identifiers (FID).
pub const FEATURES: Names = &[
    (0x01, "Arbitration"),
    (0x02, "Power Management"),
    (0x03, "LBA Range Type"),
    (0x04, "Temperature Threshold"),
    (0x05, "Error Recovery"),
    (0x06, "Volatile Write Cache"),
    (0x07, "Number of Queues"),
    (0x08, "Interrupt Coalescing"),
    (0x09, "Interrupt Vector Configuration"),
    (0x0a, "Write Atomicity Normal"),
    (0x0b, "Asynchronous Event Configuration"),
    (0x0c, "Autonomous Power State Transition"),
    (0x0d, "Host Memory Buffer"),
    (0x0e, "Timestamp"),
    (0x0f, "Keep Alive Timer"),
    (0x10, "Host Controlled Thermal Management"),
    (0x11, "Non-Operational Power State Config"),
    (0x12, "Read Recovery Level Config"),
    (0x13, "Predictable Latency Mode Config"),
    (0x14, "Predictable Latency Mode Window"),
    (0x16, "Host Behavior Support"),
    (0x17, "Sanitize Config"),
    (0x18, "Endurance Group Event Configuration"),
    (0x80, "Software Progress Marker"),
    (0x81, "Host Identifier"),
    (0x82, "Reservation Notification Mask"),
    (0x83, "Reservation Persistence"),
    (0x84, "Namespace Write Protection Config"),
];

/// Asynchronous Event Types, in a completion of an Asynchronous Event Request.
pub const ASYNCHRONOUS_EVENT_TYPES: Names = &[
    (0, "Error status"),
    (1, "SMART / Health status"),
    (2, "Notice"),
    (6, "I/O Command Set specific status"),
    (7, "Vendor specific"),
];

/// Asynchronous Event Information of the type Notice.
pub const NOTICES: Names = &[
    (0x00, "Namespace Attribute Changed"),
    (0x01, "Firmware Activation Starting"),
    (0x02, "Telemetry Log Changed"),
    (0x03, "Asymmetric Namespace Access Change"),
    (0x04, "Predictable Latency Event Aggregate Log Change"),
    (0x05, "LBA Status Information Alert"),
    (0x06, "Endurance Group Event Aggregate Log Page Change"),
    (0xf0, "Discovery Log Page Change"),
];

/// Status Code Types (SCT).
pub const STATUS_CODE_TYPES: Names = &[
    (0, "Generic Command Status"),
    (1, "Command Specific Status"),
    (2, "Media and Data Integrity Errors"),
    (3, "Path Related Status"),
    (7, "Vendor Specific"),
];

/// Status code types and codes as one number, `type << 8 | code`; from 0x180 on by command set.
const STATUSES: Names = &[
    (0x000, "Successful Completion"),
    (0x001, "Invalid Command Opcode"),
    (0x002, "Invalid Field in Command"),
    (0x003, "Command ID Conflict"),
    (0x004, "Data Transfer Error"),
    (0x005, "Commands Aborted due to Power Loss Notification"),
    (0x006, "Internal Error"),
    (0x007, "Command Abort Requested"),
    (0x008, "Command Aborted due to SQ Deletion"),
    (0x009, "Command Aborted due to Failed Fused Command"),
    (0x00a, "Command Aborted due to Missing Fused Command"),
    (0x00b, "Invalid Namespace or Format"),
    (0x00c, "Command Sequence Error"),
    (0x00d, "Invalid SGL Segment Descriptor"),
    (0x00e, "Invalid Number of SGL Descriptors"),
    (0x00f, "Data SGL Length Invalid"),
    (0x010, "Metadata SGL Length Invalid"),
    (0x011, "SGL Descriptor Type Invalid"),
    (0x012, "Invalid Use of Controller Memory Buffer"),
    (0x013, "PRP Offset Invalid"),
    (0x014, "Atomic Write Unit Exceeded"),
    (0x015, "Operation Denied"),
    (0x016, "SGL Offset Invalid"),
    (0x018, "Host Identifier Inconsistent Format"),
    (0x019, "Keep Alive Timer Expired"),
    (0x01a, "Keep Alive Timeout Invalid"),
    (0x01b, "Command Aborted due to Preempt and Abort"),
    (0x01c, "Sanitize Failed"),
    (0x01d, "Sanitize In Progress"),
    (0x01e, "SGL Data Block Granularity Invalid"),
    (0x01f, "Command Not Supported for Queue in CMB"),
    (0x020, "Namespace is Write Protected"),
    (0x021, "Command Interrupted"),
    (0x022, "Transient Transport Error"),
    (0x024, "Admin Command Media Not Ready"),
    (0x02c, "Invalid I/O Command Set"),
    (0x080, "LBA Out of Range"),
    (0x081, "Capacity Exceeded"),
    (0x082, "Namespace Not Ready"),
    (0x083, "Reservation Conflict"),
    (0x084, "Format In Progress"),
    (0x100, "Completion Queue Invalid"),
    (0x101, "Invalid Queue Identifier"),
    (0x102, "Invalid Queue Size"),
    (0x103, "Abort Command Limit Exceeded"),
    (0x105, "Asynchronous Event Request Limit Exceeded"),
    (0x106, "Invalid Firmware Slot"),
    (0x107, "Invalid Firmware Image"),
    (0x108, "Invalid Interrupt Vector"),
    (0x109, "Invalid Log Page"),
    (0x10a, "Invalid Format"),
    (0x10b, "Firmware Activation Requires Conventional Reset"),
    (0x10c, "Invalid Queue Deletion"),
    (0x10d, "Feature Identifier Not Saveable"),
    (0x10e, "Feature Not Changeable"),
    (0x10f, "Feature Not Namespace Specific"),
    (0x110, "Firmware Activation Requires NVM Subsystem Reset"),
    (0x111, "Firmware Activation Requires Controller Level Reset"),
    (0x112, "Firmware Activation Requires Maximum Time Violation"),
    (0x113, "Firmware Activation Prohibited"),
    (0x114, "Overlapping Range"),
    (0x115, "Namespace Insufficient Capacity"),
    (0x116, "Namespace Identifier Unavailable"),
    (0x118, "Namespace Already Attached"),
    (0x119, "Namespace Is Private"),
    (0x11a, "Namespace Not Attached"),
    (0x11b, "Thin Provisioning Not Supported"),
    (0x11c, "Controller List Invalid"),
    (0x11d, "Device Self-test In Progress"),
    (0x11e, "Boot Partition Write Prohibited"),
    (0x11f, "Invalid Controller Identifier"),
    (0x120, "Invalid Secondary Controller State"),
    (0x121, "Invalid Number of Controller Resources"),
    (0x122, "Invalid Resource Identifier"),
    (0x123, "Sanitize Prohibited While Persistent Memory Region is Enabled"),
    (0x124, "ANA Group Identifier Invalid"),
    (0x125, "ANA Attach Failed"),
    (0x280, "Write Fault"),
    (0x281, "Unrecovered Read Error"),
    (0x282, "End-to-end Guard Check Error"),
    (0x283, "End-to-end Application Tag Check Error"),
    (0x284, "End-to-end Reference Tag Check Error"),
    (0x285, "Compare Failure"),
    (0x286, "Access Denied"),
    (0x287, "Deallocated or Unwritten Logical Block"),
    (0x300, "Internal Path Error"),
    (0x301, "Asymmetric Access Persistent Loss"),
    (0x302, "Asymmetric Access Inaccessible"),
    (0x303, "Asymmetric Access Transition"),
    (0x360, "Controller Pathing Error"),
    (0x370, "Host Pathing Error"),
    (0x371, "Command Aborted By Host"),
];

/// Status codes of Fabrics commands.
const FABRICS_STATUSES: Names = &[
    (0x180, "Connect Incompatible Format"),
    (0x181, "Connect Controller Busy"),
    (0x182, "Connect Invalid Parameters"),
    (0x183, "Connect Restart Discovery"),
    (0x184, "Connect Invalid Host"),
    (0x185, "Invalid Queue Type"),
    (0x190, "Discover Restart"),
    (0x191, "Authentication Required"),
];

/// Status codes of other commands: the NVM and Zoned Namespace Command Sets.
const IO_STATUSES: Names = &[
    (0x180, "Conflicting Attributes"),
    (0x181, "Invalid Protection Information"),
    (0x182, "Attempted Write to Read Only Range"),
    (0x183, "Command Size Limit Exceeded"),
    (0x1b8, "Zone Boundary Error"),
    (0x1b9, "Zone Is Full"),
    (0x1ba, "Zone Is Read Only"),
    (0x1bb, "Zone Is Offline"),
    (0x1bc, "Zone Invalid Write"),
    (0x1bd, "Too Many Active Zones"),
    (0x1be, "Too Many Open Zones"),
    (0x1bf, "Invalid Zone State Transition"),
];

/// Returns the name of a status code of this type; `fabrics` for a status of a Fabrics command.
pub fn status_name(code_type: u8, code: u8, fabrics: bool) -> Option<&'static str> {
    let number = u64::from(code_type) << 8 | u64::from(code);
    let specific = if fabrics { FABRICS_STATUSES } else { IO_STATUSES };
    name_of(STATUSES, number).or_else(|| name_of(specific, number))
}
