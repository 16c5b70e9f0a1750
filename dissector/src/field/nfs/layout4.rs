//! Fields of layouts (pNFS), directory notifications, copies, holes and extended attributes
//! (RFC 8881 sections 12 and 18.39 to 18.44, RFC 7862, RFC 8276).

use super::names4::{
    CONTENT_TYPES, DIRECTORY_DELEGATIONS, IO_MODES, LAYOUT_TYPES, NETWORK_LOCATIONS, OPERATIONS,
    RECALL_TYPES, RETURN_TYPES, XATTR_OPTIONS,
};
use crate::field::fields;

fields! {
    LAYOUT_TYPE: Unsigned(32), Named(LAYOUT_TYPES), Wireshark, "nfs.layouttype", "Layout type", "The kind of layout (RFC 8881 section 3.3.13)";
    LAYOUT_TYPES_COUNT: Unsigned(32), Plain, Own, "nfs.layout_types", "Layout types", "Number of kinds of layouts (RFC 8881 section 5.12.1)";
    IO_MODE: Unsigned(32), Named(IO_MODES), Wireshark, "nfs.iomode", "IO mode", "Whether the layout is for reading or writing too (RFC 8881 section 3.3.20)";
    MINIMUM_LENGTH: Unsigned(64), Plain, Wireshark, "nfs.minlength4", "Min length", "The least bytes that a layout must cover (RFC 8881 section 18.43)";
    LAYOUT_AVAILABLE: Boolean, Plain, Wireshark, "nfs.layoutavail", "Signal layout available", "Whether the server tells, or shall tell, when a layout is there (RFC 8881 section 18.43)";
    RETURN_ON_CLOSE: Boolean, Plain, Wireshark, "nfs.retclose4", "Return on close", "Whether the layout goes back with the last close (RFC 8881 section 18.43)";
    LAYOUTS: Unsigned(32), Plain, Own, "nfs.layouts", "Layouts", "Number of layouts (RFC 8881 section 18.43)";
    LAYOUT: Bytes, Plain, Wireshark, "nfs.layout", "Layout", "A layout: what it holds depends on its kind (RFC 8881 section 18.43)";
    LAYOUT_HINT: Bytes, Plain, Own, "nfs.layout_hint", "Layout hint", "A hint for layouts: what it holds depends on their kind (RFC 8881 section 5.12.4)";
    DEVICE_ID: Bytes, Plain, Wireshark, "nfs.deviceid", "Device ID", "A storage device, or several (RFC 8881 section 3.3.14)";
    DEVICES: Unsigned(32), Plain, Wireshark, "nfs.devicenum4", "Devices", "Number of device IDs (RFC 8881 section 18.41)";
    DEVICE_ADDRESS: Bytes, Plain, Own, "nfs.device_address", "Device address", "Where the device is: depends on the kind of layout (RFC 8881 section 18.40)";
    NOTIFY_MASK: Unsigned(32), Hexadecimal, Wireshark, "nfs.notify_mask", "Notify_mask", "32 bits of a set of notifications (RFC 8881 sections 18.39 and 18.40)";
    NOTIFY_VALUES: Bytes, Plain, Own, "nfs.notify_values", "Notifications", "Notifications: what they hold depends on the mask (RFC 8881 section 20.4)";
    NOTIFY_COUNT: Unsigned(32), Plain, Own, "nfs.notify_count", "Notifications", "Number of notifications (RFC 8881 section 20.4)";
    RECLAIM: Boolean, Plain, Wireshark, "nfs.reclaim4", "Reclaim", "Whether state from before the server's restart is claimed again (RFC 8881 sections 18.42 and 18.44)";
    NEW_OFFSET: Boolean, Plain, Wireshark, "nfs.newoffset", "New offset", "Whether the last byte written is told (RFC 8881 section 18.42)";
    NEW_TIME: Boolean, Plain, Wireshark, "nfs.newtime", "New time", "Whether a modify time is told (RFC 8881 section 18.42)";
    NEW_SIZE: Boolean, Plain, Wireshark, "nfs.newsize", "New size", "Whether the size changed (RFC 8881 section 18.42)";
    LAYOUT_UPDATE: Bytes, Plain, Wireshark, "nfs.layoutupdate", "Layout update", "What the client tells about the layout: depends on its kind (RFC 8881 section 18.42)";
    RETURN_TYPE: Unsigned(32), Named(RETURN_TYPES), Wireshark, "nfs.returntype", "Return type", "What is returned: a file's layout, those of a file system, all (RFC 8881 section 18.44)";
    RETURN_BODY: Bytes, Plain, Wireshark, "nfs.lrf_body_content", "Layout return", "What goes with the return: depends on the kind of layout (RFC 8881 section 18.44)";
    STATE_ID_PRESENT: Boolean, Plain, Wireshark, "nfs.lrs_present", "State ID present", "Whether a state ID follows (RFC 8881 section 18.44)";
    RECALL_TYPE: Unsigned(32), Named(RECALL_TYPES), Wireshark, "nfs.recalltype", "Recall type", "What is recalled: a file's layout, those of a file system, all (RFC 8881 section 20.3)";
    RECALL_CHANGED: Boolean, Plain, Wireshark, "nfs.clorachanged", "Changed", "Whether the layout has changed (RFC 8881 section 20.3)";
    OBJECTS_TO_KEEP: Unsigned(32), Plain, Own, "nfs.objects_to_keep", "Objects to keep", "Objects that the client may keep (RFC 8881 section 20.6)";
    TYPE_MASK: Unsigned(32), Hexadecimal, Own, "nfs.type_mask", "Type mask", "32 bits of a set of kinds of objects (RFC 8881 section 20.6)";
    WANTS_CANCELLED: Boolean, Plain, Own, "nfs.wants_cancelled", "Wants cancelled", "Whether wants of a kind are cancelled (RFC 8881 section 20.10)";
    SIGNAL_DELEGATION: Boolean, Plain, Own, "nfs.signal_delegation", "Signal delegation", "Whether the server tells, or shall tell, when a delegation is there (RFC 8881 section 18.39)";
    DIRECTORY_DELEGATION: Unsigned(32), Named(DIRECTORY_DELEGATIONS), Own, "nfs.dir_delegation", "Directory delegation", "Whether there is a directory delegation (RFC 8881 section 18.39)";
    CONSECUTIVE: Boolean, Plain, Wireshark, "nfs.consecutive", "Consecutive", "Whether the copy goes from front to back (RFC 7862 section 15.2)";
    SYNCHRONOUS: Boolean, Plain, Wireshark, "nfs.synchronous", "Synchronous", "Whether the copy is done when the reply comes (RFC 7862 section 15.2)";
    SOURCE_SERVERS: Unsigned(32), Plain, Wireshark, "nfs.source_servers", "Source servers", "Number of source servers (RFC 7862 section 15.2)";
    LOCATION_TYPE: Unsigned(32), Named(NETWORK_LOCATIONS), Wireshark, "nfs.netloctype", "Netloc type", "How a server is named (RFC 7862 section 15.2)";
    LOCATION_NAME: Text, Plain, Wireshark, "nfs.nl_name", "Location name", "A server's name (RFC 7862 section 15.2)";
    LOCATION_URL: Text, Plain, Wireshark, "nfs.nl_url", "Location URL", "A server's URL (RFC 7862 section 15.2)";
    CALLBACK_IDS: Unsigned(32), Plain, Wireshark, "nfs.callback_ids", "Callback state IDs", "Number of state IDs of a copy under way: 0 or 1 (RFC 7862 section 15.2)";
    OFFLOAD_STATUSES: Unsigned(32), Plain, Wireshark, "nfs.num_offload_status", "Offload statuses", "Number of statuses of a copy: 0 or 1 (RFC 7862 section 15.9)";
    BYTES_COPIED: Unsigned(64), Plain, Wireshark, "nfs.bytes_copied", "Bytes copied", "Bytes copied (RFC 7862 section 16.1)";
    HINT_MASK: Unsigned(32), Hexadecimal, Wireshark, "nfs.hint.mask", "Hint mask", "32 bits of a set of hints (RFC 7862 section 15.5)";
    DEVICE_ERRORS: Unsigned(32), Plain, Wireshark, "nfs.device_error_count", "Device errors", "Number of errors (RFC 7862 section 15.6)";
    ERROR_OPERATION: Unsigned(32), Named(OPERATIONS), Own, "nfs.device_error.operation", "Error operation", "The operation that failed (RFC 7862 section 15.6)";
    LAYOUT_STATISTICS: Bytes, Plain, Wireshark, "nfs.layoutstats", "Layout statistics", "What the client tells about the use of a layout: depends on its kind (RFC 7862 section 15.7)";
    IO_COUNT: Unsigned(64), Plain, Wireshark, "nfs.io_count", "Count", "Number of reads or writes (RFC 7862 section 15.7)";
    IO_BYTES: Unsigned(64), Plain, Wireshark, "nfs.io_bytes", "Bytes", "Bytes read or written (RFC 7862 section 15.7)";
    CONTENTS: Unsigned(32), Plain, Own, "nfs.contents", "Contents", "Number of pieces of data and holes (RFC 7862 section 15.10)";
    CONTENT_TYPE: Unsigned(32), Named(CONTENT_TYPES), Wireshark, "nfs.content.type", "Content Type", "Data or a hole (RFC 7862 section 15.10)";
    SEEK_FOR: Unsigned(32), Named(CONTENT_TYPES), Wireshark, "nfs.data_content", "Data content", "What is looked for: data or a hole (RFC 7862 section 15.11)";
    BLOCK_SIZE: Unsigned(64), Plain, Own, "nfs.adb.block_size", "Block size", "Bytes of a block (RFC 7862 section 8)";
    BLOCK_COUNT: Unsigned(64), Plain, Own, "nfs.adb.blocks", "Blocks", "Number of blocks (RFC 7862 section 8)";
    BLOCK_NUMBER_OFFSET: Unsigned(64), Plain, Own, "nfs.adb.number_offset", "Block number offset", "Where in a block its number goes (RFC 7862 section 8)";
    BLOCK_NUMBER: Unsigned(32), Plain, Own, "nfs.adb.number", "Block number", "The first block's number (RFC 7862 section 8)";
    PATTERN_OFFSET: Unsigned(64), Plain, Own, "nfs.adb.pattern_offset", "Pattern offset", "Where in a block the pattern goes (RFC 7862 section 8)";
    PATTERN: Bytes, Plain, Own, "nfs.adb.pattern", "Pattern", "The pattern (RFC 7862 section 8)";
    XATTR_NAME: Text, Plain, Wireshark, "nfs.xattr.key", "Extended attribute", "The name of an extended attribute (RFC 8276 section 8.4)";
    XATTR_OPTION: Unsigned(32), Named(XATTR_OPTIONS), Wireshark, "nfs.setxattr.options", "Option", "Whether it may, must or must not be there (RFC 8276 section 8.4.2)";
    XATTR_COOKIE: Unsigned(64), Plain, Wireshark, "nfs.lisxtattr.cookie", "Cookie", "Where in the list to go on (RFC 8276 section 8.4.3)";
    XATTR_MAXIMUM: Unsigned(32), Plain, Wireshark, "nfs.lisxtattr.maxcount", "Maxcount", "The most bytes of the result (RFC 8276 section 8.4.3)";
    XATTR_COUNT: Unsigned(32), Plain, Wireshark, "nfs.listxattr.names.count", "Xattr names count", "Number of names (RFC 8276 section 8.4.3)";
    XATTR_END: Unsigned(32), Plain, Wireshark, "nfs.lisxtattr.eof", "EOF", "Whether there are no more (RFC 8276 section 8.4.3)";
    THRESHOLDS: Unsigned(32), Plain, Own, "nfs.thresholds", "Thresholds", "Number of thresholds (RFC 8881 section 5.12.6)";
    THRESHOLD_MASK: Unsigned(32), Hexadecimal, Wireshark, "nfs.fattr4.threshold_item.hint_mask", "Threshold mask", "32 bits of a set of thresholds (RFC 8881 section 3.3.22)";
    THRESHOLD_VALUES: Bytes, Plain, Own, "nfs.threshold_values", "Threshold values", "The thresholds (RFC 8881 section 3.3.22)";
}
