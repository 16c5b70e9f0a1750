//! Which documents two peers follow, and so what an opcode means.

/// The documents in force on a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Profile {
    /// RFC 7306: atomics and Immediate Data.
    pub extensions: bool,
    /// rdmap-ext-v2: RV 2, RDMA Read V2 and Sends with Immediate Data.
    pub ext_v2: bool,
    /// rdma-commit: Flush, Verify and Atomic Write.
    pub commit: bool,
}

impl Profile {
    /// RFC 5040 alone.
    pub const RFC5040: Self = Self { extensions: false, ext_v2: false, commit: false };
    /// RFC 5040 and RFC 7306.
    pub const RFC7306: Self = Self { extensions: true, ..Self::RFC5040 };
    /// RFC 5040, RFC 7306 and rdmap-ext-v2, which builds on it.
    pub const EXT_V2: Self = Self { ext_v2: true, ..Self::RFC7306 };
    /// RFC 5040, RFC 7306 and rdma-commit.
    pub const COMMIT: Self = Self { commit: true, ..Self::RFC7306 };
    /// Every document.
    pub const ALL: Self = Self { extensions: true, ext_v2: true, commit: true };

    /// The names that [`Profile::by_name`] takes.
    pub const NAMES: &[(&str, Self)] = &[
        ("rfc5040", Self::RFC5040),
        ("rfc7306", Self::RFC7306),
        ("ext-v2", Self::EXT_V2),
        ("commit", Self::COMMIT),
        ("all", Self::ALL),
    ];

    /// The profile of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, profile)| *profile)
    }
}
