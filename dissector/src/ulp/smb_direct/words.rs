//! The lines of messages.

use super::message::{Exchange, Message, Upper};
use std::fmt::Write as _;
use warpscope_text::counted;
use warpscope_wire::name_of;
use warpscope_wire::smb2::{
    BodyView, CONTROL_CODES, DIALECTS, MessageView, PduView, command_name, status, status_name,
    text,
};

/// Writes the line of a message; returns true for an alarm.
pub(super) fn write(message: &Message<'_>, whole: bool, out: &mut String) -> bool {
    let _ = match message {
        Message::NegotiateRequest(view) => {
            let (send, receive) = (view.preferred_send_size(), view.max_receive_size());
            write!(
                out,
                "Negotiate Request, sends {send} bytes, receives {receive}, {} in fragments",
                view.max_fragmented_size()
            )
        }
        Message::NegotiateResponse(view) => match view.status() {
            status::SUCCESS => write!(
                out,
                "Negotiate Response, sends {} bytes, receives {}, {} in fragments, {} by RDMA",
                view.preferred_send_size(),
                view.max_receive_size(),
                view.max_fragmented_size(),
                view.max_read_write_size()
            ),
            code => write!(out, "Negotiate Response, {}", status_text(code)),
        },
        Message::Data { view, joined, .. } => {
            let header = view.header;
            let (granted, remaining) = (header.credits_granted(), header.remaining_data_length());
            if view.data.is_empty() {
                let asked = if header.response_requested() { ", asks for an answer" } else { "" };
                write!(out, "SMB Direct, {} granted{asked}", counted(granted.into(), "credit"))
            } else if remaining > 0 || joined.is_none() && PduView::parse(view.data).is_err() {
                let bytes = counted(view.data.len() as u64, "byte");
                write!(out, "SMB Direct fragment of {bytes}, {remaining} to come")
            } else {
                Ok(())
            }
        }
        Message::Malformed(malformed) => write!(out, "{malformed}"),
        Message::Upper { upper: Upper::Plain(view), exchange } => plain(view, exchange, out),
        Message::Upper { upper: Upper::Encrypted(header, _), .. } => {
            let bytes = counted(header.original_message_size().into(), "byte");
            write!(out, "encrypted SMB2 message of {bytes}")
        }
        Message::Upper { upper: Upper::Compressed(header, _), .. } => {
            let bytes = counted(header.original_size().into(), "byte");
            write!(out, "compressed SMB2 message of {bytes}")
        }
        Message::Upper { upper: Upper::Malformed(malformed), .. } => write!(out, "{malformed}"),
    };
    if !whole {
        out.push_str(" [incomplete]");
    }
    matches!(message, Message::Malformed(_) | Message::Upper { upper: Upper::Malformed(_), .. })
}

fn status_text(code: u32) -> String {
    status_name(code).map_or_else(|| format!("status 0x{code:08x}"), str::to_owned)
}

fn plain(view: &MessageView<'_>, exchange: &Exchange<'_>, out: &mut String) -> std::fmt::Result {
    let header = view.header;
    let response = header.flag_set().response();
    match command_name(header.command()) {
        Some(name) => write!(out, "{name}")?,
        None => write!(out, "SMB2 command {}", header.command())?,
    }
    out.push_str(if response { " Response" } else { " Request" });
    if response && header.status() != status::SUCCESS {
        return write!(out, ", {}", status_text(header.status()));
    }
    let body = match view.body() {
        Ok(body) => body,
        Err(malformed) => return write!(out, ", {malformed}"),
    };
    if let Some(file) = exchange.file.filter(|file| !file.is_empty()) {
        write!(out, ", {file}")?;
    }
    match body {
        BodyView::TreeConnectRequest(body) => {
            let (offset, length) = (body.path_offset().into(), body.path_length().into());
            write!(out, ", {}", text(view.part("path", offset, length).unwrap_or(&[])))
        }
        BodyView::NegotiateResponse(body) => {
            let dialect = name_of(DIALECTS, body.dialect()).unwrap_or("unknown dialect");
            write!(out, ", {dialect}")
        }
        BodyView::ReadRequest(body) => {
            let bytes = counted(body.length().into(), "byte");
            write!(out, ", {bytes} at {}{}", body.offset(), by_channel(body.channel()))
        }
        BodyView::ReadResponse(body) => {
            let inline = counted(body.data_length().into(), "byte");
            match body.data_remaining() {
                0 => write!(out, ", {inline}"),
                remaining => write!(out, ", {} by RDMA", counted(remaining.into(), "byte")),
            }
        }
        BodyView::WriteRequest(body) => {
            let channel = if body.channel() == 0 { 0 } else { body.remaining_bytes() };
            let bytes = counted(u64::from(body.length()) + u64::from(channel), "byte");
            write!(out, ", {bytes} at {}{}", body.offset(), by_channel(body.channel()))
        }
        BodyView::WriteResponse(body) => {
            write!(out, ", {}", counted(body.count().into(), "byte"))
        }
        BodyView::IoctlRequest(body) => match name_of(CONTROL_CODES, body.control_code()) {
            Some(name) => write!(out, ", {name}"),
            None => write!(out, ", 0x{:08x}", body.control_code()),
        },
        _ => Ok(()),
    }
}

fn by_channel(channel: u32) -> &'static str {
    if channel == 0 { "" } else { " by RDMA" }
}
