//! Fields of the MOUNT protocol, versions 1 to 3 (RFC 1813 appendix I).

use super::fields;
use super::nfs::names::{FLAVORS, MOUNT_PROCEDURES, MOUNT_STATUS};

fields! {
    MOUNT: Protocol, Plain, Wireshark, "mount", "Mount Service", "The MOUNT protocol (RFC 1813 appendix I)";
    PROCEDURE_1: Unsigned(32), Named(MOUNT_PROCEDURES), Wireshark, "mount.procedure_v1", "V1 Procedure", "The procedure of version 1 (RFC 1094 appendix A)";
    PROCEDURE_2: Unsigned(32), Named(MOUNT_PROCEDURES), Wireshark, "mount.procedure_v2", "V2 Procedure", "The procedure of version 2";
    PROCEDURE_3: Unsigned(32), Named(MOUNT_PROCEDURES), Wireshark, "mount.procedure_v3", "V3 Procedure", "The procedure of version 3 (RFC 1813 section 5.2)";
    PATH: Text, Plain, Wireshark, "mount.path", "Path", "The directory to mount or unmount (RFC 1813 section 5.2)";
    STATUS: Unsigned(32), Named(MOUNT_STATUS), Wireshark, "mount.status", "Status", "The status of a MNT (RFC 1813 section 5.1.5)";
    MOUNT_ENTRY: Heading, Plain, Wireshark, "mount.dump.entry", "Mount List Entry", "A client and what it mounted (RFC 1813 section 5.2.2)";
    HOST_NAME: Text, Plain, Wireshark, "mount.dump.hostname", "Hostname", "The client (RFC 1813 section 5.2.2)";
    DIRECTORY: Text, Plain, Wireshark, "mount.dump.directory", "Directory", "What it mounted (RFC 1813 section 5.2.2)";
    EXPORT_ENTRY: Heading, Plain, Wireshark, "mount.export.entry", "Export List Entry", "A directory that is exported (RFC 1813 section 5.2.5)";
    EXPORT_DIRECTORY: Text, Plain, Wireshark, "mount.export.directory", "Directory", "The directory (RFC 1813 section 5.2.5)";
    EXPORT_GROUPS: Heading, Plain, Wireshark, "mount.export.groups", "Groups", "Who may mount it (RFC 1813 section 5.2.5)";
    EXPORT_GROUP: Text, Plain, Wireshark, "mount.export.group", "Group", "A name of who may mount it (RFC 1813 section 5.2.5)";
    FLAVORS_COUNT: Unsigned(32), Plain, Wireshark, "mount.flavors", "Flavors", "Number of authentication flavors (RFC 1813 section 5.2.1)";
    FLAVOR: Unsigned(32), Named(FLAVORS), Wireshark, "mount.flavor", "Flavor", "An authentication flavor that the server takes (RFC 1813 section 5.2.1)";
}
