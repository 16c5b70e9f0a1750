//! The bugs of all layers in one type and one table.

use warpscope_wire::rdmap::Profile;

/// The layer whose code a bug is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Layer {
    /// Setup frames, and what is agreed on by them.
    Setup,
    /// FPDUs, CRCs and markers.
    Mpa,
    /// Segments and queues.
    Ddp,
    /// Messages, their order, Terminates and the end of a stream.
    Rdmap,
    /// Regions, their bounds and rights.
    Memory,
    /// RPC-over-RDMA and what it carries.
    Rpc,
}

/// Which side of a connection shows a bug.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shows {
    /// The one that sends the setup request.
    Initiator,
    /// The one that answers it.
    Responder,
    /// Either one.
    Both,
}

/// What there is to say of a bug.
#[derive(Debug, Clone, Copy)]
pub struct BugRow {
    /// The bug.
    pub bug: Bug,
    /// Its name on the command line.
    pub name: &'static str,
    /// The layer.
    pub layer: Layer,
    /// The side that shows it.
    pub shows: Shows,
    /// The least profile that it shows in.
    pub profile: Profile,
    /// The id of the requirement that it breaks.
    pub requirement: &'static str,
    /// What it does, in one line.
    pub meaning: &'static str,
}

/// The enum and the table, from rows by layer.
macro_rules! declare {
    ({ $($layer:ident: [$(
        $bug:ident $name:literal $shows:ident $profile:ident $requirement:literal $meaning:literal;
    )*])* }) => {
        /// A seeded bug.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Bug {
            $($(#[doc = $meaning] $bug,)*)*
        }

        /// Every bug once, by layer, in the order of [`Bug`].
        pub static TABLE: &[BugRow] = &[$($(BugRow {
            bug: Bug::$bug,
            name: $name,
            layer: Layer::$layer,
            shows: Shows::$shows,
            profile: Profile::$profile,
            requirement: $requirement,
            meaning: $meaning,
        },)*)*];
    };
}

// Each list hands what it got, with its own rows behind, to the next.
setup_bugs! { {} mpa_bugs ddp_bugs rdmap_bugs memory_bugs rpc_bugs declare }

impl Bug {
    /// Its row of the table.
    pub fn row(self) -> &'static BugRow {
        &TABLE[self as usize]
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The bug of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        TABLE.iter().find(|row| row.name == name).map(|row| row.bug)
    }
}
