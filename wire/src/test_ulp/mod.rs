//! The test ULP: how a conformance runner has a target act (`conformance/TEST-ULP.md`).
//!
//! One file a figure; [`Order`] and [`Answer`] are whole messages. Sections are those of the
//! specification.

mod answer;
mod arrival;
mod capabilities;
mod code;
mod completed;
mod cursor;
mod fault;
mod greeting;
mod header;
mod magic;
mod message;
mod order;
mod pattern;
mod range;
mod receive;
mod record;
mod refusal;
mod region;
mod report;
mod reports;
mod setup;
mod stream;
mod terminate;
mod work;

pub use answer::Answer;
pub use arrival::{Arrival, ArrivalView};
pub use capabilities::{Capabilities, CapabilitiesView};
pub use code::{
    Abilities, AccessRights, Addressing, ArrivalFlags, AtomicCode, Backing, CompletionStatus,
    Documents, EndingCode, FailureCode, Given, Hash, Hashes, OperationCode, PackingCode, Pattern,
    Purpose, RegionFlags, ReportKind, RoleCode, Scope, SetupKnown, SourceCode, Status, StreamState,
    Switches, TerminateKnown, WorkFlags,
};
pub use completed::{Completed, CompletedView};
pub use fault::{Cause, Fault};
pub use greeting::{Greeting, GreetingView};
pub use header::{Header, HeaderView};
pub use magic::{MAGIC, Magic, VERSION, Version};
pub use message::{ANSWER, Message};
pub use order::{NoOrder, Order, kind};
pub use range::{
    ChecksumOrder, ChecksumOrderView, CopyOrder, CopyOrderView, FillOrder, FillOrderView,
    RegionRange, RegionRangeView,
};
pub use receive::{ReceivesOrder, ReceivesOrderView};
pub use refusal::{Refusal, RefusalView};
pub use region::{
    BindOrder, BindOrderView, RegionDescription, RegionDescriptionView, RegisterOrder,
    RegisterOrderView, RevalidateOrder, RevalidateOrderView,
};
pub use report::{Happened, Report};
pub use reports::{
    ReportHeader, ReportHeaderView, ReportsHead, ReportsHeadView, ReportsOrder, ReportsOrderView,
};
pub use setup::{SetupReport, SetupReportView};
pub use stream::{StreamDescription, StreamDescriptionView, StreamOptions, StreamOptionsView};
pub use terminate::{TerminateReport, TerminateReportView};
pub use work::{WorkOrder, WorkOrderView};
