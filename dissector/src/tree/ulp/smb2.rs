//! The nodes of an SMB2 message: its header, and the fixed part of its body.

use super::smb_direct::{flag, numbers};
use crate::field::FieldRef;
use crate::field::smb_direct::smb2 as fields;
use crate::tree::{Part, Run, Tree, Value};
use crate::ulp::UlpItem;
use crate::ulp::smb_direct::message::{DIRECTORY, Exchange};
use warpscope_wire::smb_direct::BufferDescriptorView;
use warpscope_wire::smb2::{
    BodyView, CreateContexts, FileId, HeaderView, MessageView, command_name, text,
};

/// Offset of the body.
const BODY: usize = HeaderView::LENGTH;
/// The maximum number of create contexts shown.
const CONTEXTS: usize = 64;
/// The time from 1601 to 1970, in units of 100 nanoseconds.
const EPOCH: i64 = 116_444_736_000_000_000;

/// Adds a message.
pub(super) fn push_message(
    tree: &mut Tree,
    run: Run,
    view: &MessageView<'_>,
    exchange: &Exchange<'_>,
    item: &UlpItem<'_>,
) {
    let (source, start) = (run.source, run.start);
    let mut part = Part { tree, source, start, bytes: view.bytes };
    let part = &mut part;
    let name = command_name(view.header.command());
    part.layer(0, &fields::SMB2, name.map(str::to_owned));
    header(part, view, exchange, item);
    let length = view.rest().len();
    part.value(1, &fields::BODY, Value::None, BODY, length);
    info_of_response(part, view, exchange);
    if let Some(size) = part.number_le(2, &fields::STRUCTURE_SIZE, BODY, 2) {
        part.value(3, &fields::STRUCTURE_LENGTH, Value::Unsigned(size >> 1), BODY, 2);
        flag(part, 3, &fields::STRUCTURE_DYNAMIC, BODY, 0);
    }
    match view.body() {
        Ok(read) => body(part, view, &read, exchange),
        Err(malformed) => {
            let words = Value::Text(malformed.to_string().into());
            part.tree.push_generated(2, &fields::MALFORMED, words);
        }
    }
}

const FLAGS: [(FieldRef, u8); 4] = [
    (&fields::FLAG_RESPONSE, 0),
    (&fields::FLAG_ASYNC, 1),
    (&fields::FLAG_RELATED, 2),
    (&fields::FLAG_SIGNED, 3),
];

fn header(
    part: &mut Part<'_, '_>,
    view: &MessageView<'_>,
    exchange: &Exchange<'_>,
    item: &UlpItem<'_>,
) {
    part.value(1, &fields::HEADER, Value::None, 0, HeaderView::LENGTH);
    part.number(2, &fields::PROTOCOL_ID, 0, 4);
    numbers(part, 2, &[(4, 2, &fields::HEADER_LENGTH), (6, 2, &fields::CREDIT_CHARGE)]);
    let flags = view.header.flag_set();
    let (status, credits): (_, FieldRef) = match flags.response() {
        true => ((8, 4, &fields::STATUS as FieldRef), &fields::CREDITS_GRANTED),
        false => ((8, 2, &fields::CHANNEL_SEQUENCE as FieldRef), &fields::CREDITS_REQUESTED),
    };
    let rows = [status, (12, 2, &fields::COMMAND), (14, 2, credits), (16, 4, &fields::FLAGS)];
    numbers(part, 2, &rows);
    for (field, bit) in FLAGS {
        flag(part, 3, field, 16, bit);
    }
    part.bits(3, &fields::FLAG_PRIORITY, 16, 1, 3);
    flag(part, 3, &fields::FLAG_DFS, 16, 28);
    flag(part, 3, &fields::FLAG_REPLAY, 16, 29);
    numbers(part, 2, &[(20, 4, &fields::NEXT_COMMAND), (24, 8, &fields::MESSAGE_ID)]);
    if flags.asynchronous() {
        part.number_le(2, &fields::ASYNC_ID, 32, 8);
    } else {
        numbers(part, 2, &[(32, 4, &fields::PROCESS_ID), (36, 4, &fields::TREE_ID)]);
    }
    if let Some((path, kind, frame)) = exchange.share {
        let mut push = |field, value| part.tree.push_generated(3, field, value);
        push(&fields::TREE, Value::Text(path.to_owned().into()));
        push(&fields::SHARE_TYPE, Value::Unsigned(kind.into()));
        push(&fields::TREE_FRAME, Value::Unsigned(frame));
    }
    part.number_le(2, &fields::SESSION_ID, 40, 8);
    part.bytes(2, &fields::SIGNATURE, 48, 16);
    let Some(request) = exchange.request.filter(|_| flags.response()) else { return };
    part.derived(2, &fields::RESPONSE_TO, request.frame);
    let answered = item.io.and_then(|io| io.completed).and_then(|mark| mark.time);
    if let (Some(from), Some(to)) = (request.time, answered) {
        let span = Value::Time(to.saturating_sub(from));
        part.tree.push_generated(2, &fields::TIME, span);
    }
}

/// Pushes what a response of QUERY_INFO, SET_INFO or QUERY_DIRECTORY is about, which only its request says.
fn info_of_response(part: &mut Part<'_, '_>, view: &MessageView<'_>, exchange: &Exchange<'_>) {
    let Some((kind, class)) = exchange.info.filter(|_| view.header.flag_set().response()) else {
        return;
    };
    if kind != DIRECTORY {
        part.derived(2, &fields::INFO_TYPE, kind.into());
    }
    if let Some(field) = class_field(kind) {
        part.derived(2, field, class.into());
    }
}

fn class_field(kind: u8) -> Option<FieldRef> {
    Some(match kind {
        1 => &fields::FILE_CLASS,
        2 => &fields::FS_CLASS,
        3 => &fields::SECURITY_CLASS,
        DIRECTORY => &fields::FIND_CLASS,
        _ => return None,
    })
}

fn body(
    part: &mut Part<'_, '_>,
    view: &MessageView<'_>,
    read: &BodyView<'_>,
    exchange: &Exchange<'_>,
) {
    // Offsets in the figures are relative to the body.
    match read {
        BodyView::NegotiateRequest(_) => negotiate_request(part),
        BodyView::NegotiateResponse(body) => {
            security_mode(part, 2);
            fields_at(part, &[(4, 2, &fields::DIALECT), (6, 2, &fields::CONTEXT_COUNT)]);
            guid(part, &fields::SERVER_GUID, 8);
            capabilities(part, 24);
            fields_at(
                part,
                &[
                    (28, 4, &fields::MAX_TRANSACT_SIZE),
                    (32, 4, &fields::MAX_READ_SIZE),
                    (36, 4, &fields::MAX_WRITE_SIZE),
                ],
            );
            time(part, &fields::CURRENT_TIME, 40);
            time(part, &fields::BOOT_TIME, 48);
            buffer(part, 56, 2, 2);
            if body.context_count() > 0 {
                fields_at(part, &[(60, 4, &fields::CONTEXT_OFFSET)]);
            }
        }
        BodyView::SessionSetupRequest(_) => {
            fields_at(part, &[(2, 1, &fields::SETUP_FLAGS)]);
            flag(part, 3, &fields::SETUP_BINDING, BODY + 2, 0);
            security_mode(part, 3);
            capabilities(part, 4);
            fields_at(part, &[(8, 4, &fields::CHANNEL)]);
            buffer(part, 12, 2, 2);
            fields_at(part, &[(16, 8, &fields::PREVIOUS_SESSION)]);
        }
        BodyView::SessionSetupResponse(_) => {
            fields_at(part, &[(2, 2, &fields::SESSION_FLAGS)]);
            flag(part, 3, &fields::SESSION_GUEST, BODY + 2, 0);
            flag(part, 3, &fields::SESSION_NULL, BODY + 2, 1);
            flag(part, 3, &fields::SESSION_ENCRYPT, BODY + 2, 2);
            buffer(part, 4, 2, 2);
        }
        BodyView::TreeConnectRequest(body) => {
            fields_at(part, &[(2, 2, &fields::TREE_FLAGS)]);
            let place = (body.path_offset().into(), body.path_length().into());
            name(part, view, &fields::TREE, place);
            buffer(part, 4, 2, 2);
        }
        BodyView::TreeConnectResponse(_) => fields_at(
            part,
            &[
                (2, 1, &fields::SHARE_TYPE),
                (4, 4, &fields::SHARE_FLAGS),
                (8, 4, &fields::SHARE_CAPABILITIES),
                (12, 4, &fields::MAXIMAL_ACCESS),
            ],
        ),
        BodyView::Error(_) => {
            fields_at(part, &[(2, 1, &fields::ERROR_CONTEXTS), (4, 4, &fields::ERROR_LENGTH)]);
        }
        BodyView::Other(_) | BodyView::Plain(_) | BodyView::SetInfoResponse(_) => {}
        _ => of_file(part, view, read, exchange),
    }
}

/// Pushes bodies about files.
fn of_file(
    part: &mut Part<'_, '_>,
    view: &MessageView<'_>,
    read: &BodyView<'_>,
    exchange: &Exchange<'_>,
) {
    match read {
        BodyView::CreateRequest(body) => {
            fields_at(
                part,
                &[
                    (3, 1, &fields::OPLOCK),
                    (4, 4, &fields::IMPERSONATION),
                    (8, 8, &fields::CREATE_FLAGS),
                    (24, 4, &fields::DESIRED_ACCESS),
                    (28, 4, &fields::ATTRIBUTES),
                    (32, 4, &fields::SHARE_ACCESS),
                    (36, 4, &fields::DISPOSITION),
                    (40, 4, &fields::OPTIONS),
                ],
            );
            name(
                part,
                view,
                &fields::FILE_NAME,
                (body.name_offset().into(), body.name_length().into()),
            );
            buffer(part, 44, 2, 2);
            contexts(part, view, body.contexts_offset(), body.contexts_length());
        }
        BodyView::CreateResponse(body) => {
            fields_at(part, &[(2, 1, &fields::OPLOCK), (3, 1, &fields::RESPONSE_FLAGS)]);
            flag(part, 3, &fields::REPARSE_POINT, BODY + 3, 0);
            fields_at(part, &[(4, 4, &fields::CREATE_ACTION)]);
            attributes(part, 8);
            file(part, 64, exchange);
            contexts(part, view, body.contexts_offset(), body.contexts_length());
        }
        BodyView::CloseRequest(_) => {
            fields_at(part, &[(2, 2, &fields::CLOSE_FLAGS)]);
            flag(part, 3, &fields::CLOSE_ATTRIBUTES, BODY + 2, 0);
            file(part, 8, exchange);
        }
        BodyView::CloseResponse(_) => {
            fields_at(part, &[(2, 2, &fields::CLOSE_FLAGS)]);
            flag(part, 3, &fields::CLOSE_ATTRIBUTES, BODY + 2, 0);
            attributes(part, 8);
        }
        BodyView::FlushRequest(_) => file(part, 8, exchange),
        BodyView::LockRequest(_) => {
            fields_at(part, &[(2, 2, &fields::LOCK_COUNT)]);
            file(part, 8, exchange);
        }
        BodyView::OplockBreak(_) => {
            fields_at(part, &[(2, 1, &fields::OPLOCK)]);
            file(part, 8, exchange);
        }
        BodyView::ReadRequest(_) | BodyView::ReadResponse(_) => {
            reading(part, view, read, exchange);
        }
        BodyView::WriteRequest(_) | BodyView::WriteResponse(_) => {
            writing(part, view, read, exchange);
        }
        _ => asking(part, view, read, exchange),
    }
}

fn reading(
    part: &mut Part<'_, '_>,
    view: &MessageView<'_>,
    read: &BodyView<'_>,
    exchange: &Exchange<'_>,
) {
    match read {
        BodyView::ReadRequest(body) => {
            fields_at(part, &[(2, 1, &fields::READ_PADDING), (3, 1, &fields::READ_FLAGS)]);
            flag(part, 3, &fields::READ_UNBUFFERED, BODY + 3, 0);
            flag(part, 3, &fields::READ_COMPRESSED, BODY + 3, 1);
            fields_at(part, &[(4, 4, &fields::READ_LENGTH), (8, 8, &fields::FILE_OFFSET)]);
            file(part, 16, exchange);
            fields_at(
                part,
                &[
                    (32, 4, &fields::MIN_COUNT),
                    (36, 4, &fields::CHANNEL),
                    (40, 4, &fields::REMAINING_BYTES),
                ],
            );
            buffer(part, 44, 2, 2);
            let place = (body.channel_info_offset(), body.channel_info_length());
            descriptors(part, view, body.channel(), place);
        }
        BodyView::ReadResponse(body) => {
            buffer(part, 2, 1, 0);
            fields_at(part, &[(4, 4, &fields::BUFFER_LENGTH), (8, 4, &fields::READ_REMAINING)]);
            let place = (body.data_offset().into(), body.data_length());
            data(part, view, &fields::READ_DATA, place);
        }
        _ => {}
    }
}

fn writing(
    part: &mut Part<'_, '_>,
    view: &MessageView<'_>,
    read: &BodyView<'_>,
    exchange: &Exchange<'_>,
) {
    match read {
        BodyView::WriteRequest(body) => {
            fields_at(
                part,
                &[
                    (2, 2, &fields::DATA_OFFSET),
                    (4, 4, &fields::WRITE_LENGTH),
                    (8, 8, &fields::FILE_OFFSET),
                ],
            );
            file(part, 16, exchange);
            fields_at(part, &[(32, 4, &fields::CHANNEL), (36, 4, &fields::REMAINING_BYTES)]);
            buffer(part, 40, 2, 2);
            fields_at(part, &[(44, 4, &fields::WRITE_FLAGS)]);
            flag(part, 3, &fields::WRITE_THROUGH, BODY + 44, 0);
            flag(part, 3, &fields::WRITE_UNBUFFERED, BODY + 44, 1);
            let place = (body.channel_info_offset(), body.channel_info_length());
            descriptors(part, view, body.channel(), place);
            data(part, view, &fields::WRITE_DATA, (body.data_offset().into(), body.length()));
        }
        BodyView::WriteResponse(_) => fields_at(
            part,
            &[
                (4, 4, &fields::WRITE_COUNT),
                (8, 4, &fields::WRITE_REMAINING),
                (12, 2, &fields::CHANNEL_INFO_OFFSET),
                (14, 2, &fields::CHANNEL_INFO_LENGTH),
            ],
        ),
        _ => {}
    }
}

/// Pushes IOCTL, QUERY_DIRECTORY, CHANGE_NOTIFY, QUERY_INFO and SET_INFO.
fn asking(
    part: &mut Part<'_, '_>,
    view: &MessageView<'_>,
    read: &BodyView<'_>,
    exchange: &Exchange<'_>,
) {
    match read {
        BodyView::IoctlRequest(body) => {
            fields_at(part, &[(4, 4, &fields::CONTROL_CODE)]);
            file(part, 8, exchange);
            buffer(part, 24, 4, 4);
            fields_at(part, &[(32, 4, &fields::MAX_INPUT)]);
            fields_at(part, &[(44, 4, &fields::MAX_OUTPUT), (48, 4, &fields::IOCTL_FLAGS)]);
            flag(part, 3, &fields::IS_FSCTL, BODY + 48, 0);
            data(part, view, &fields::INPUT, (body.input_offset(), body.input_count()));
        }
        BodyView::IoctlResponse(body) => {
            fields_at(part, &[(4, 4, &fields::CONTROL_CODE)]);
            file(part, 8, exchange);
            buffer(part, 24, 4, 4);
            buffer(part, 32, 4, 4);
            fields_at(part, &[(40, 4, &fields::IOCTL_FLAGS)]);
            flag(part, 3, &fields::IS_FSCTL, BODY + 40, 0);
            data(part, view, &fields::OUTPUT, (body.output_offset(), body.output_count()));
        }
        BodyView::QueryDirectoryRequest(body) => {
            fields_at(part, &[(2, 1, &fields::FIND_CLASS), (3, 1, &fields::FIND_FLAGS)]);
            flag(part, 3, &fields::FIND_RESTART, BODY + 3, 0);
            flag(part, 3, &fields::FIND_SINGLE, BODY + 3, 1);
            flag(part, 3, &fields::FIND_INDEX, BODY + 3, 2);
            flag(part, 3, &fields::FIND_REOPEN, BODY + 3, 4);
            file(part, 8, exchange);
            fields_at(part, &[(28, 4, &fields::OUTPUT_LENGTH)]);
            name(
                part,
                view,
                &fields::PATTERN,
                (body.name_offset().into(), body.name_length().into()),
            );
        }
        BodyView::ChangeNotifyRequest(_) => {
            fields_at(part, &[(4, 4, &fields::OUTPUT_LENGTH)]);
            file(part, 8, exchange);
        }
        BodyView::QueryInfoRequest(body) => {
            information(part, body.info_type());
            fields_at(part, &[(4, 4, &fields::MAX_RESPONSE)]);
            file(part, 24, exchange);
            let place = (body.input_offset().into(), body.input_length());
            data(part, view, &fields::INPUT, place);
        }
        BodyView::SetInfoRequest(body) => {
            information(part, body.info_type());
            file(part, 16, exchange);
            let place = (body.buffer_offset().into(), body.buffer_length());
            data(part, view, &fields::INPUT, place);
        }
        BodyView::Output(body) => {
            buffer(part, 2, 2, 4);
            let place = (body.output_offset().into(), body.output_length());
            data(part, view, &fields::OUTPUT, place);
        }
        _ => {}
    }
}

/// Pushes numbers at offsets of the body.
fn fields_at(part: &mut Part<'_, '_>, rows: &[(usize, usize, FieldRef)]) {
    for (at, width, field) in rows {
        part.number_le(2, field, BODY + at, *width);
    }
}

/// Pushes offset and length of a buffer; the widths are those of the two numbers, 0 for none.
fn buffer(part: &mut Part<'_, '_>, at: usize, offset_width: usize, length_width: usize) {
    fields_at(part, &[(at, offset_width, &fields::BUFFER_OFFSET)]);
    if length_width > 0 {
        fields_at(part, &[(at + offset_width, length_width, &fields::BUFFER_LENGTH)]);
    }
}

fn negotiate_request(part: &mut Part<'_, '_>) {
    fields_at(part, &[(2, 2, &fields::DIALECT_COUNT)]);
    security_mode(part, 4);
    capabilities(part, 8);
    guid(part, &fields::CLIENT_GUID, 12);
    let count = part.number_at(BODY + 2, 1).unwrap_or(0);
    let dialect = |index: u64| part_dialect(part, index);
    if (0..count).filter_map(dialect).any(|dialect| dialect >= 0x311) {
        let rows: [(usize, usize, FieldRef); 2] =
            [(28, 4, &fields::CONTEXT_OFFSET), (32, 2, &fields::CONTEXT_COUNT)];
        fields_at(part, &rows);
    }
    for index in 0..count {
        fields_at(part, &[(36 + index as usize * 2, 2, &fields::DIALECT)]);
    }
}

fn part_dialect(part: &Part<'_, '_>, index: u64) -> Option<u16> {
    let at = BODY + 36 + index as usize * 2;
    part.bytes.get(at..)?.first_chunk().map(|bytes| u16::from_le_bytes(*bytes))
}

fn security_mode(part: &mut Part<'_, '_>, at: usize) {
    fields_at(part, &[(at, 1, &fields::SECURITY_MODE)]);
    flag(part, 3, &fields::SIGNING_ENABLED, BODY + at, 0);
    flag(part, 3, &fields::SIGNING_REQUIRED, BODY + at, 1);
}

fn capabilities(part: &mut Part<'_, '_>, at: usize) {
    fields_at(part, &[(at, 4, &fields::CAPABILITIES)]);
    let bits: [FieldRef; 7] = [
        &fields::CAP_DFS,
        &fields::CAP_LEASING,
        &fields::CAP_LARGE_MTU,
        &fields::CAP_MULTI_CHANNEL,
        &fields::CAP_PERSISTENT,
        &fields::CAP_DIRECTORY_LEASING,
        &fields::CAP_ENCRYPTION,
    ];
    for (bit, field) in bits.into_iter().enumerate() {
        flag(part, 3, field, BODY + at, bit as u8);
    }
}

/// Pushes times, sizes and attributes of a file.
fn attributes(part: &mut Part<'_, '_>, at: usize) {
    let times: [FieldRef; 4] =
        [&fields::CREATION_TIME, &fields::ACCESS_TIME, &fields::WRITE_TIME, &fields::CHANGE_TIME];
    for (index, field) in times.into_iter().enumerate() {
        time(part, field, at + index * 8);
    }
    fields_at(
        part,
        &[
            (at + 32, 8, &fields::ALLOCATION_SIZE),
            (at + 40, 8, &fields::END_OF_FILE),
            (at + 48, 4, &fields::ATTRIBUTES),
        ],
    );
}

/// Pushes a FILETIME: units of 100 nanoseconds since 1601; 0 is shown as 1970, because it means no time.
fn time(part: &mut Part<'_, '_>, field: FieldRef, at: usize) {
    let at = BODY + at;
    let Some(bytes) = part.bytes.get(at..).and_then(|bytes| bytes.first_chunk()) else { return };
    let units = i64::from_le_bytes(*bytes);
    let since = if units == 0 { 0 } else { units.saturating_sub(EPOCH).saturating_mul(100) };
    part.value(2, field, Value::Time(since), at, 8);
}

/// Pushes a GUID or a FileId, as Wireshark writes it.
fn guid(part: &mut Part<'_, '_>, field: FieldRef, at: usize) {
    let at = BODY + at;
    if let Some(text) = file_id(part.bytes, at).map(|id| id.to_string()) {
        part.value(2, field, Value::Text(text.into()), at, 16);
    }
}

fn file_id(bytes: &[u8], at: usize) -> Option<FileId> {
    let half = |at: usize| Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    Some(FileId { persistent: half(at)?, volatile: half(at + 8)? })
}

/// Pushes a FileId and the name of its file.
fn file(part: &mut Part<'_, '_>, at: usize, exchange: &Exchange<'_>) {
    guid(part, &fields::FILE_ID, at);
    if let Some(path) = exchange.file {
        part.tree.push_generated(3, &fields::FILE_OF_ID, Value::Text(path.to_owned().into()));
    }
}

/// Pushes UTF-16 text that the body points to.
fn name(part: &mut Part<'_, '_>, view: &MessageView<'_>, field: FieldRef, place: (u32, u32)) {
    let (offset, length) = place;
    if let Ok(bytes) = view.part("name", offset, length) {
        part.value(2, field, Value::Text(text(bytes).into()), offset as usize, bytes.len());
    }
}

/// Pushes bytes that the body points to.
fn data(part: &mut Part<'_, '_>, view: &MessageView<'_>, field: FieldRef, place: (u32, u32)) {
    let (offset, length) = place;
    match view.part("buffer", offset, length) {
        Ok([]) => {}
        Ok(bytes) => {
            part.bytes(2, field, offset as usize, bytes.len());
        }
        Err(malformed) => {
            let words = Value::Text(malformed.to_string().into());
            part.tree.push_generated(2, &fields::MALFORMED, words);
        }
    }
}

fn information(part: &mut Part<'_, '_>, kind: u8) {
    fields_at(part, &[(2, 1, &fields::INFO_TYPE)]);
    if let Some(field) = class_field(kind) {
        fields_at(part, &[(3, 1, field)]);
    }
}

fn contexts(part: &mut Part<'_, '_>, view: &MessageView<'_>, offset: u32, length: u32) {
    let Ok(contexts) = CreateContexts::new(view, offset, length) else { return };
    for (at, context, name) in contexts.take(CONTEXTS) {
        let text = String::from_utf8_lossy(name).into_owned();
        let name_at = at + usize::from(context.name_offset());
        part.value(2, &fields::CREATE_CONTEXT, Value::Text(text.into()), name_at, name.len());
    }
}

fn descriptors(
    part: &mut Part<'_, '_>,
    view: &MessageView<'_>,
    channel: u32,
    (offset, length): (u16, u16),
) {
    if !matches!(channel, 1 | 2) {
        return;
    }
    let Ok(bytes) = view.part("channel info", offset.into(), length.into()) else { return };
    let length = BufferDescriptorView::LENGTH;
    for index in 0..bytes.len() / length {
        let at = usize::from(offset) + index * length;
        part.value(2, &fields::DESCRIPTOR, Value::None, at, length);
        numbers(
            part,
            3,
            &[
                (at, 8, &fields::DESCRIPTOR_OFFSET),
                (at + 8, 4, &fields::DESCRIPTOR_TOKEN),
                (at + 12, 4, &fields::DESCRIPTOR_LENGTH),
            ],
        );
    }
}
