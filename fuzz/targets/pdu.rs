//! Every PDU: what is read and legal is written as it was.
#![no_main]

use libfuzzer_sys::fuzz_target;
use warpscope_wire::ddp::{Tagged, TaggedView, Untagged, UntaggedView};
use warpscope_wire::mpa::*;
use warpscope_wire::rdmap::*;
use warpscope_wire::rpc::{Call, Reply, RpcView};
use warpscope_wire::rpcrdma::{Header, HeaderView};
use warpscope_wire::{BufferTooSmall, Writer};

fn emitted(emit: impl Fn(&mut [u8]) -> Result<usize, BufferTooSmall>) -> Vec<u8> {
    let needed = emit(&mut []).err().map_or(0, |error| error.needed);
    let mut buffer = vec![0xa5; needed];
    assert_eq!(emit(&mut buffer), Ok(needed));
    buffer
}

fn written(emit: impl Fn(&mut Writer<'_>)) -> Vec<u8> {
    emitted(|buffer| {
        let mut writer = Writer::new(buffer);
        emit(&mut writer);
        writer.finish()
    })
}

/// Reads bytes as this view; where it is legal, its repr is written as the bytes before the rest.
macro_rules! reads {
    ($bytes:ident: $($view:ident => $repr:ident, $value:ident => $written:expr;)*) => {$(
        if let Ok((view, rest)) = $view::parse($bytes)
            && let Ok($value) = $repr::try_from(view)
        {
            let written: Vec<u8> = $written;
            assert_eq!(written, $bytes[..$bytes.len() - rest.len()], stringify!($repr));
        }
    )*};
}

fuzz_target!(|bytes: &[u8]| {
    reads! { bytes:
        TaggedView => Tagged, value => written(|w| value.emit(w));
        UntaggedView => Untagged, value => written(|w| value.emit(w));
        EnhancedView => Enhanced, value => value.bytes().to_vec();
        MarkerView => Marker, value => value.bytes().to_vec();
        RdmaPrivateDataView => RdmaPrivateData, value => value.bytes().to_vec();
        SetupView => Setup, value => emitted(|buffer| value.emit(buffer));
        FpduView => Fpdu, value => emitted(|buffer| value.emit(buffer));
        ReadRequestView => ReadRequest, value => written(|w| value.emit(w));
        ReadV2RequestView => ReadV2Request, value => written(|w| value.emit(w));
        AtomicRequestView => AtomicRequest, value => written(|w| value.emit(w));
        AtomicResponseView => AtomicResponse, value => written(|w| value.emit(w));
        AtomicWriteRequestView => AtomicWriteRequest, value => written(|w| value.emit(w));
        FlushRequestView => FlushRequest, value => written(|w| value.emit(w));
        HeaderView => Header, value => emitted(|buffer| value.emit(buffer));
    }
    if let Ok(view) = VerifyRequestView::parse(bytes) {
        assert_eq!(written(|w| VerifyRequest::from(view).emit(w)), bytes);
    }
    if let Ok(view) = TerminateView::parse(bytes)
        && let Ok(value) = Terminate::try_from(view)
    {
        let length = value.length();
        assert_eq!(emitted(|buffer| value.emit(buffer)), bytes[..length]);
    }
    if let Ok(view) = SegmentView::parse(bytes)
        && let Ok(value) = Segment::try_from(view)
    {
        assert_eq!(emitted(|buffer| value.emit(buffer)), bytes);
    }
    match RpcView::parse(bytes) {
        Ok((RpcView::Call(view), rest)) => {
            if let Ok(value) = Call::try_from(view) {
                assert_eq!(written(|w| value.emit(w)), bytes[..bytes.len() - rest.len()]);
            }
        }
        Ok((RpcView::Reply(view), rest)) => {
            if let Ok(value) = Reply::try_from(view) {
                assert_eq!(written(|w| value.emit(w)), bytes[..bytes.len() - rest.len()]);
            }
        }
        _ => {}
    }
});
