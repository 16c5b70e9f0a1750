//! The figures of the test ULP.

use super::shown::{Shown, fields, writes};
use warpscope_wire::Malformed;
use warpscope_wire::test_ulp::*;

/// Decoders of figures: name, view, repr, fields.
macro_rules! figures {
    ($($name:ident: $view:ident => $repr:ident, $($field:ident)*;)*) => {
        $(pub(crate) fn $name(bytes: &[u8]) -> Result<Shown<'_>, Malformed> {
            let (view, payload) = $view::parse(bytes)?;
            let fields = fields!(view; $($field)*);
            let repr = $repr::try_from(view).map(|repr| writes(move |writer| repr.emit(writer)));
            Ok(Shown { fields, payload, covered: bytes.len() - payload.len(), repr })
        })*
    };
}

figures! {
    header: HeaderView => Header, magic version kind status sequence length;
    greeting: GreetingView => Greeting, magic version purpose receives session stream longest;
    refusal: RefusalView => Refusal, offset value;
    capabilities: CapabilitiesView => Capabilities,
        documents abilities orders operations hashes rights most_regions longest_region
        most_streams most_receives longest_receive most_work ird ord most_reports front
        default_documents;
    region_description: RegionDescriptionView => RegionDescription,
        region steering_tag base length rights flags scope hash stream alignment
        region_of_window name_length;
    register: RegisterOrderView => RegisterOrder,
        length base rights stream addressing scope backing hash;
    bind: BindOrderView => BindOrder, region stream offset length base rights addressing scope;
    revalidate: RevalidateOrderView => RevalidateOrder, region rights;
    range: RegionRangeView => RegionRange, region length offset;
    copy: CopyOrderView => CopyOrder, region length offset steering_tag stream tagged_offset;
    fill: FillOrderView => FillOrder, region length offset pattern seed;
    checksum: ChecksumOrderView => ChecksumOrder, region length offset hash;
    receives: ReceivesOrderView => ReceivesOrder, stream count size region offset identifier;
    work: WorkOrderView => WorkOrder,
        stream operation flags source atomic identifier remote_steering_tag length
        remote_tagged_offset region invalidate_steering_tag offset data mask compare_data
        compare_mask pattern seed;
    stream_options: StreamOptionsView => StreamOptions,
        given switches revision ird ord required_ord protection_domain stream delay purpose
        private_data_length longest_ulpdu packing receives receive_size documents;
    stream_description: StreamDescriptionView => StreamDescription,
        stream session purpose state role ending receives work;
    reports_order: ReportsOrderView => ReportsOrder, stream most wait front;
    reports_head: ReportsHeadView => ReportsHead, lost left;
    report_header: ReportHeaderView => ReportHeader, length kind stream number time;
    arrival: ArrivalView => Arrival,
        identifier length flags immediate invalidated_steering_tag checksum;
    completed: CompletedView => Completed, identifier operation status vendor original;
    setup: SetupReportView => SetupReport,
        known switches revision role ird ord peer_ird peer_ord;
    terminate: TerminateReportView => TerminateReport, layer error_type error_code known;
}
