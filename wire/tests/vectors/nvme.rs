//! NVMe over RDMA: private data and the entries of both queues.

use super::file::Fields;
use super::shown::{Shown, add, writes};
use warpscope_wire::Malformed;
use warpscope_wire::nvme::{
    Accept, AcceptView, Command, CommandView, Completion, CompletionView, ConnectView, Descriptor,
    PropertyView, Reject, RejectView, Request, RequestView,
};

/// A map of fields that have other names than a view's accessors.
macro_rules! named {
    ($view:expr; $($name:ident: $accessor:ident)*) => {
        Fields::from([$((stringify!($name).to_owned(), $view.$accessor().into()),)*])
    };
}

pub(crate) fn request(bytes: &[u8]) -> Result<Shown<'_>, Malformed> {
    let (view, payload) = RequestView::parse(bytes)?;
    let fields = named!(view; recfmt: record_format qid: queue_id hrqsize: host_receive_queue_size
        hsqsize: host_send_queue_size cntlid: controller_id);
    let repr = Request::try_from(view).map(|request| writes(move |writer| request.emit(writer)));
    Ok(Shown { fields, payload, covered: RequestView::LENGTH, repr })
}

pub(crate) fn accept(bytes: &[u8]) -> Result<Shown<'_>, Malformed> {
    let (view, payload) = AcceptView::parse(bytes)?;
    let fields = named!(view; recfmt: record_format crqsize: controller_receive_queue_size);
    let repr = Accept::try_from(view).map(|accept| writes(move |writer| accept.emit(writer)));
    Ok(Shown { fields, payload, covered: AcceptView::LENGTH, repr })
}

pub(crate) fn reject(bytes: &[u8]) -> Result<Shown<'_>, Malformed> {
    let (view, payload) = RejectView::parse(bytes)?;
    let fields = named!(view; recfmt: record_format sts: status);
    let repr = Reject::try_from(view).map(|reject| writes(move |writer| reject.emit(writer)));
    Ok(Shown { fields, payload, covered: RejectView::LENGTH, repr })
}

/// The command with the fields that `more` adds.
fn entry(
    bytes: &[u8],
    more: impl Fn(&mut Fields, CommandView<'_>),
) -> Result<Shown<'_>, Malformed> {
    let (view, payload) = CommandView::parse(bytes)?;
    let mut fields = named!(view; opc: opcode psdt: sgl_use cid: command_id);
    add(&mut fields, "fuse", view.flags() & 0x03);
    more(&mut fields, view);
    let repr = Command::try_from(view).map(|command| writes(move |writer| command.emit(writer)));
    Ok(Shown { fields, payload, covered: CommandView::LENGTH, repr })
}

fn descriptor(fields: &mut Fields, view: CommandView<'_>) {
    let pointer = view.descriptor();
    add(fields, "sgl_type", pointer.descriptor_type());
    add(fields, "sgl_subtype", pointer.sub_type());
    add(fields, "sgl_address", pointer.address());
    match pointer.descriptor() {
        Some(Descriptor::Keyed { length, key, .. }) => {
            add(fields, "sgl_length", length);
            add(fields, "sgl_key", key);
        }
        _ => add(fields, "sgl_length", pointer.length()),
    }
}

fn of_namespace(fields: &mut Fields, view: CommandView<'_>) {
    add(fields, "nsid", view.namespace_id());
    descriptor(fields, view);
}

pub(crate) fn command(bytes: &[u8]) -> Result<Shown<'_>, Malformed> {
    entry(bytes, of_namespace)
}

pub(crate) fn read_or_write(bytes: &[u8]) -> Result<Shown<'_>, Malformed> {
    entry(bytes, |fields, view| {
        of_namespace(fields, view);
        add(fields, "slba", view.starting_lba());
        add(fields, "nlb", view.block_count() - 1);
        add(fields, "fua", view.dword12() & 1 << 30 != 0);
        add(fields, "lr", view.dword12() & 1 << 31 != 0);
    })
}

pub(crate) fn dataset_management(bytes: &[u8]) -> Result<Shown<'_>, Malformed> {
    entry(bytes, |fields, view| {
        of_namespace(fields, view);
        add(fields, "number_of_ranges", view.range_count() - 1);
        add(fields, "deallocate", view.dword11() & 0x04 != 0);
    })
}

pub(crate) fn identify(bytes: &[u8]) -> Result<Shown<'_>, Malformed> {
    entry(bytes, |fields, view| {
        of_namespace(fields, view);
        add(fields, "cns", view.identify_structure());
        add(fields, "cntid", view.dword10() >> 16);
    })
}

/// A Fabrics command has the type where both views look for it; another command has none.
fn same_type(view: CommandView<'_>, fabrics_type: u8) {
    assert_eq!(view.fabrics_type(), view.is_fabrics().then_some(fabrics_type));
}

pub(crate) fn fabrics(bytes: &[u8]) -> Result<Shown<'_>, Malformed> {
    entry(bytes, |fields, view| {
        let [fabrics_type, ..] = view.namespace_id().to_le_bytes();
        same_type(view, fabrics_type);
        add(fields, "fctype", fabrics_type);
    })
}

pub(crate) fn connect(bytes: &[u8]) -> Result<Shown<'_>, Malformed> {
    let (connect, _) = ConnectView::parse(bytes)?;
    entry(bytes, |fields, view| {
        same_type(view, connect.fabrics_type());
        assert_eq!(view.command_id(), connect.command_id());
        fields
            .append(&mut named!(connect; fctype: fabrics_type recfmt: record_format qid: queue_id
            sqsize: submission_queue_size cattr: attributes kato: keep_alive_timeout));
        descriptor(fields, view);
    })
}

pub(crate) fn property_get(bytes: &[u8]) -> Result<Shown<'_>, Malformed> {
    let (property, _) = PropertyView::parse(bytes)?;
    entry(bytes, |fields, view| {
        same_type(view, property.fabrics_type());
        assert_eq!(view.command_id(), property.command_id());
        fields.append(&mut named!(property; fctype: fabrics_type attrib: attributes ofst: offset));
    })
}

pub(crate) fn property_set(bytes: &[u8]) -> Result<Shown<'_>, Malformed> {
    let (property, _) = PropertyView::parse(bytes)?;
    let mut shown = property_get(bytes)?;
    add(&mut shown.fields, "value", property.value());
    Ok(shown)
}

pub(crate) fn completion(bytes: &[u8]) -> Result<Shown<'_>, Malformed> {
    let (view, payload) = CompletionView::parse(bytes)?;
    let mut fields =
        named!(view; dw0: dword0 dw1: dword1 sqhd: sq_head sqid: sq_id cid: command_id);
    let status = view.status();
    fields.append(&mut named!(status; sc: code sct: code_type crd: retry_delay more: more
        dnr: do_not_retry));
    add(&mut fields, "phase", view.phase_and_status() & 1 != 0);
    let completion = Completion::from(view);
    let repr = Ok(writes(move |writer| completion.emit(writer)));
    Ok(Shown { fields, payload, covered: CompletionView::LENGTH, repr })
}
