//! Every parser of the codec, tried on the same bytes.

use warpscope_wire::ddp::{Tagged, TaggedView, Untagged, UntaggedView};
use warpscope_wire::mpa::{
    Enhanced, EnhancedView, Fpdu, FpduView, Marker, MarkerView, RdmaPrivateData,
    RdmaPrivateDataView, Setup, SetupView,
};
use warpscope_wire::rdmap::{
    AtomicRequest, AtomicRequestView, AtomicResponse, AtomicResponseView, AtomicWriteRequest,
    AtomicWriteRequestView, FlushRequest, FlushRequestView, ImmediateView, RdmapControl,
    RdmapControlView, ReadRequest, ReadRequestView, ReadV2Request, ReadV2RequestView, Segment,
    SegmentView, Terminate, TerminateView, VerifyRequest, VerifyRequestView,
};
use warpscope_wire::rpc::{Call, Reply, RpcView};
use warpscope_wire::rpcrdma::{Header, HeaderView};
use warpscope_wire::{BufferTooSmall, Writer};

/// A legal reading: what reads it, the bytes that it covers, and what its repr writes.
pub(crate) struct Reading<'a> {
    pub(crate) parser: &'static str,
    pub(crate) covered: &'a [u8],
    pub(crate) written: Vec<u8>,
}

/// What `emit` writes into a buffer.
pub(crate) fn emitted(emit: impl Fn(&mut [u8]) -> Result<usize, BufferTooSmall>) -> Vec<u8> {
    let needed = emit(&mut []).err().map_or(0, |error| error.needed);
    let mut buffer = vec![0xa5; needed];
    assert_eq!(emit(&mut buffer), Ok(needed));
    buffer
}

/// What `emit` writes with a [`Writer`].
pub(crate) fn written(emit: impl Fn(&mut Writer<'_>)) -> Vec<u8> {
    emitted(|buffer| {
        let mut writer = Writer::new(buffer);
        emit(&mut writer);
        writer.finish()
    })
}

/// The legal readings of some bytes.
pub(crate) fn readings(bytes: &[u8]) -> Vec<Reading<'_>> {
    let mut readings = Vec::new();
    let mut add = |parser, rest: &[u8], written: Option<Vec<u8>>| {
        let covered = &bytes[..bytes.len() - rest.len()];
        readings.extend(written.map(|written| Reading { parser, covered, written }));
    };
    /// Parsers that give a view and what follows it.
    macro_rules! headers {
        ($($view:ident => $again:expr;)*) => {
            $(if let Ok((view, rest)) = $view::parse(bytes) {
                let again: Option<Vec<u8>> = $again(view);
                add(stringify!($view), rest, again);
            })*
        };
    }
    headers! {
        TaggedView => |view| Tagged::try_from(view).ok().map(|repr| written(|w| repr.emit(w)));
        UntaggedView => |view| Untagged::try_from(view).ok().map(|repr| written(|w| repr.emit(w)));
        MarkerView => |view| Marker::try_from(view).ok().map(|repr| repr.bytes().to_vec());
        EnhancedView => |view| Enhanced::try_from(view).ok().map(|repr| repr.bytes().to_vec());
        RdmaPrivateDataView =>
            |view| RdmaPrivateData::try_from(view).ok().map(|repr| repr.bytes().to_vec());
        SetupView => |view| Setup::try_from(view).ok().map(|repr| emitted(|b| repr.emit(b)));
        FpduView => |view| Fpdu::try_from(view).ok().map(|repr| emitted(|b| repr.emit(b)));
        ReadRequestView => |view| Some(written(|w| ReadRequest::from(view).emit(w)));
        ReadV2RequestView => |view| Some(written(|w| ReadV2Request::from(view).emit(w)));
        AtomicRequestView =>
            |view| AtomicRequest::try_from(view).ok().map(|repr| written(|w| repr.emit(w)));
        AtomicResponseView => |view| Some(written(|w| AtomicResponse::from(view).emit(w)));
        AtomicWriteRequestView =>
            |view| AtomicWriteRequest::try_from(view).ok().map(|repr| written(|w| repr.emit(w)));
        FlushRequestView => |view| Some(written(|w| FlushRequest::from(view).emit(w)));
        ImmediateView => |view: ImmediateView<'_>| Some(view.immediate_data().to_be_bytes().into());
        HeaderView => |view| Header::try_from(view).ok().map(|repr| emitted(|b| repr.emit(b)));
        RpcView => |view| match view {
            RpcView::Call(view) => Call::try_from(view).ok().map(|repr| written(|w| repr.emit(w))),
            RpcView::Reply(view) => {
                Reply::try_from(view).ok().map(|repr| written(|w| repr.emit(w)))
            }
        };
    }
    if let Ok(view) = VerifyRequestView::parse(bytes) {
        let request = VerifyRequest::from(view);
        add("VerifyRequestView", &[], Some(written(|w| request.emit(w))));
    }
    if let Ok(view) = TerminateView::parse(bytes) {
        let repr = Terminate::try_from(view).ok();
        add("TerminateView", view.rest, repr.map(|repr| emitted(|b| repr.emit(b))));
    }
    if let Ok(view) = SegmentView::parse(bytes) {
        let repr = Segment::try_from(view).ok();
        add("SegmentView", &[], repr.map(|repr| emitted(|b| repr.emit(b))));
    }
    if let Some((byte, rest)) = bytes.split_first() {
        let repr = RdmapControl::try_from(RdmapControlView(*byte)).ok();
        add("RdmapControlView", rest, repr.map(|repr| vec![repr.byte()]));
    }
    readings
}
