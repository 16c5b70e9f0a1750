//! Bodies for senders: messages that open, read, write and close a file (MS-SMB2 §2.2.13 to §2.2.22).

use super::{FileId, Header};
use crate::smb_direct::BufferDescriptor;
use crate::{BufferTooSmall, Illegal, Layer, Writer};

/// Length of a descriptor in bytes.
const DESCRIPTOR: usize = crate::smb_direct::BufferDescriptorView::LENGTH;
/// The greatest length of a READ or a WRITE in bytes: lengths have 32 bits, and so has the end of a part.
const LARGEST: u32 = 1 << 30;

/// Writes little-endian integers, each with the width of its type.
macro_rules! put {
    ($writer:ident $(, $value:expr)* $(,)?) => {
        $($writer.bytes(&$value.to_le_bytes());)*
    };
}

/// Writes the two parts of a FileId.
fn put_file(writer: &mut Writer<'_>, file: FileId) {
    put!(writer, file.persistent, file.volatile);
}

/// Returns the offset of a buffer after a fixed part of `fixed` bytes.
const fn after(fixed: usize) -> u16 {
    (Header::LENGTH + fixed) as u16
}

/// A CREATE Request without contexts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CreateRequest {
    name: Vec<u8>,
    /// DesiredAccess.
    pub desired_access: u32,
    /// CreateDisposition.
    disposition: u32,
}

impl CreateRequest {
    /// Creates a request for the file of this name.
    ///
    /// # Errors
    /// [`Illegal`] when the name has over 65535 bytes in UTF-16, or the disposition is undefined.
    pub fn new(name: &str, desired_access: u32, disposition: u32) -> Result<Self, Illegal> {
        let illegal =
            |field, value: u64| Illegal::new(Layer::Smb2, field, value, "MS-SMB2 section 2.2.13");
        let name: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        if name.len() > usize::from(u16::MAX) {
            return Err(illegal("NameLength", name.len() as u64));
        }
        if disposition > 5 {
            return Err(illegal("CreateDisposition", disposition.into()));
        }
        Ok(Self { name, desired_access, disposition })
    }

    /// Writes the message after its header.
    ///
    /// # Errors
    /// [`BufferTooSmall`] when it does not fit.
    pub fn emit(&self, header: &Header, buffer: &mut [u8]) -> Result<usize, BufferTooSmall> {
        header.emit_with(
            |writer| {
                // SecurityFlags and the oplock level: none; impersonation.
                put!(writer, 57u16, 0u8, 0u8, 2u32, 0u64, 0u64);
                // FileAttributes: normal; shared with everyone.
                put!(writer, self.desired_access, 0x80u32, 7u32, self.disposition, 0u32);
                put!(writer, after(56), self.name.len() as u16, 0u32, 0u32);
                writer.bytes(&self.name);
                // The buffer has at least one byte.
                writer.zeros(usize::from(self.name.is_empty()));
            },
            buffer,
        )
    }
}

/// A CREATE Response without contexts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CreateResponse {
    /// The file.
    pub file: FileId,
    /// Its length in bytes.
    pub end_of_file: u64,
}

impl CreateResponse {
    /// Writes the message after its header.
    ///
    /// # Errors
    /// [`BufferTooSmall`] when it does not fit.
    pub fn emit(&self, header: &Header, buffer: &mut [u8]) -> Result<usize, BufferTooSmall> {
        header.emit_with(
            |writer| {
                // No oplock; the file was opened.
                put!(writer, 89u16, 0u8, 0u8, 1u32, 0u64, 0u64, 0u64, 0u64);
                put!(writer, self.end_of_file, self.end_of_file, 0x80u32, 0u32);
                put_file(writer, self.file);
                put!(writer, 0u32, 0u32);
            },
            buffer,
        )
    }
}

/// A CLOSE Request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CloseRequest {
    /// The file.
    pub file: FileId,
}

impl CloseRequest {
    /// Writes the message after its header.
    ///
    /// # Errors
    /// [`BufferTooSmall`] when it does not fit.
    pub fn emit(&self, header: &Header, buffer: &mut [u8]) -> Result<usize, BufferTooSmall> {
        header.emit_with(
            |writer| {
                put!(writer, 24u16, 0u16, 0u32);
                put_file(writer, self.file);
            },
            buffer,
        )
    }
}

/// Writes the descriptors of a READ or a WRITE.
fn put_descriptors(writer: &mut Writer<'_>, descriptors: &[BufferDescriptor]) {
    for descriptor in descriptors {
        descriptor.emit(writer);
    }
}

/// Returns Channel: 2 with descriptors, whose tokens are to be invalidated; else 0.
fn channel(descriptors: &[BufferDescriptor]) -> u32 {
    if descriptors.is_empty() { 0 } else { 2 }
}

fn check_length(field: &'static str, length: usize) -> Result<(), Illegal> {
    if length > LARGEST as usize {
        return Err(Illegal::new(Layer::Smb2, field, length as u64, "MS-SMB2 section 2.2.4"));
    }
    Ok(())
}

/// A READ Request.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ReadRequest {
    /// The file.
    pub file: FileId,
    /// Offset in the file in bytes.
    pub offset: u64,
    length: u32,
    descriptors: Vec<BufferDescriptor>,
}

impl ReadRequest {
    /// Creates a request for `length` bytes: into the memory described, or into the response.
    ///
    /// # Errors
    /// [`Illegal`] when it requests over 1 GiB, or has over 4095 descriptors.
    pub fn new(
        file: FileId,
        offset: u64,
        length: u32,
        descriptors: &[BufferDescriptor],
    ) -> Result<Self, Illegal> {
        check_length("Length", length as usize)?;
        check_descriptors(descriptors)?;
        Ok(Self { file, offset, length, descriptors: descriptors.to_vec() })
    }

    /// Writes the message after its header.
    ///
    /// # Errors
    /// [`BufferTooSmall`] when it does not fit.
    pub fn emit(&self, header: &Header, buffer: &mut [u8]) -> Result<usize, BufferTooSmall> {
        let (count, offset) = info(&self.descriptors);
        header.emit_with(
            |writer| {
                put!(writer, 49u16, 0u8, 0u8, self.length, self.offset);
                put_file(writer, self.file);
                put!(writer, 0u32, channel(&self.descriptors), 0u32, offset, count);
                put_descriptors(writer, &self.descriptors);
                writer.zeros(usize::from(self.descriptors.is_empty()));
            },
            buffer,
        )
    }
}

fn check_descriptors(descriptors: &[BufferDescriptor]) -> Result<(), Illegal> {
    match u16::try_from(descriptors.len() * DESCRIPTOR) {
        Ok(_) => Ok(()),
        Err(_) => Err(Illegal::new(
            Layer::Smb2,
            "channel info length",
            descriptors.len() as u64,
            "MS-SMB2 section 2.2.19",
        )),
    }
}

/// Returns the length of the descriptors in bytes, and their offset.
fn info(descriptors: &[BufferDescriptor]) -> (u16, u16) {
    let length = descriptors.len() * DESCRIPTOR;
    (length as u16, if length == 0 { 0 } else { after(48) })
}

/// A READ Response with data, or with the number of bytes sent through the channel.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ReadResponse {
    data: Vec<u8>,
    /// Number of bytes sent through the channel.
    pub data_remaining: u32,
}

impl ReadResponse {
    /// Creates a response.
    ///
    /// # Errors
    /// [`Illegal`] when the data has over 1 GiB.
    pub fn new(data: &[u8], data_remaining: u32) -> Result<Self, Illegal> {
        check_length("DataLength", data.len())?;
        Ok(Self { data: data.to_vec(), data_remaining })
    }

    /// Writes the message after its header.
    ///
    /// # Errors
    /// [`BufferTooSmall`] when it does not fit.
    pub fn emit(&self, header: &Header, buffer: &mut [u8]) -> Result<usize, BufferTooSmall> {
        header.emit_with(
            |writer| {
                let length = self.data.len() as u32;
                put!(writer, 17u16, after(16) as u8, 0u8, length, self.data_remaining, 0u32);
                writer.bytes(&self.data);
                // The buffer has at least one byte.
                writer.zeros(usize::from(self.data.is_empty()));
            },
            buffer,
        )
    }
}

/// A WRITE Request.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WriteRequest {
    /// The file.
    pub file: FileId,
    /// Offset in the file in bytes.
    pub offset: u64,
    data: Vec<u8>,
    remaining: u32,
    descriptors: Vec<BufferDescriptor>,
}

impl WriteRequest {
    /// Creates a request that contains its data.
    ///
    /// # Errors
    /// [`Illegal`] when the data has over 1 GiB.
    pub fn inline(file: FileId, offset: u64, data: &[u8]) -> Result<Self, Illegal> {
        check_length("Length", data.len())?;
        let (data, descriptors) = (data.to_vec(), Vec::new());
        Ok(Self { file, offset, data, remaining: 0, descriptors })
    }

    /// Creates a request whose data is in the memory described.
    ///
    /// # Errors
    /// [`Illegal`] when there is no descriptor, or there are over 4095.
    pub fn by_channel(
        file: FileId,
        offset: u64,
        descriptors: &[BufferDescriptor],
    ) -> Result<Self, Illegal> {
        check_descriptors(descriptors)?;
        let sum: u64 = descriptors.iter().map(|descriptor| u64::from(descriptor.length)).sum();
        let remaining = u32::try_from(sum).ok().filter(|sum| *sum > 0).ok_or(Illegal::new(
            Layer::Smb2,
            "RemainingBytes",
            sum,
            "MS-SMB2 section 2.2.21",
        ))?;
        Ok(Self { file, offset, data: Vec::new(), remaining, descriptors: descriptors.to_vec() })
    }

    /// Writes the message after its header.
    ///
    /// # Errors
    /// [`BufferTooSmall`] when it does not fit.
    pub fn emit(&self, header: &Header, buffer: &mut [u8]) -> Result<usize, BufferTooSmall> {
        let (count, offset) = info(&self.descriptors);
        header.emit_with(
            |writer| {
                let inline = self.descriptors.is_empty();
                let data_offset = if inline { after(48) } else { 0 };
                put!(writer, 49u16, data_offset, self.data.len() as u32, self.offset);
                put_file(writer, self.file);
                let channel = channel(&self.descriptors);
                put!(writer, channel, self.remaining, offset, count, 0u32);
                put_descriptors(writer, &self.descriptors);
                writer.bytes(&self.data);
                // The buffer has at least one byte.
                writer.zeros(usize::from(inline && self.data.is_empty()));
            },
            buffer,
        )
    }
}

/// A WRITE Response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct WriteResponse {
    /// Number of bytes written.
    pub count: u32,
}

impl WriteResponse {
    /// Writes the message after its header.
    ///
    /// # Errors
    /// [`BufferTooSmall`] when it does not fit.
    pub fn emit(&self, header: &Header, buffer: &mut [u8]) -> Result<usize, BufferTooSmall> {
        header.emit_with(
            |writer| {
                put!(writer, 17u16, 0u16, self.count, 0u32, 0u16, 0u16);
                // The buffer has at least one byte.
                writer.u8(0);
            },
            buffer,
        )
    }
}

/// An ECHO, LOGOFF or other message without values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Plain;

impl Plain {
    /// Writes the message after its header.
    ///
    /// # Errors
    /// [`BufferTooSmall`] when it does not fit.
    pub fn emit(header: &Header, buffer: &mut [u8]) -> Result<usize, BufferTooSmall> {
        header.emit_with(
            |writer| {
                put!(writer, 4u16, 0u16);
            },
            buffer,
        )
    }
}

/// An ERROR Response without data; the status is in the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ErrorResponse;

impl ErrorResponse {
    /// Writes the message after its header.
    ///
    /// # Errors
    /// [`BufferTooSmall`] when it does not fit.
    pub fn emit(header: &Header, buffer: &mut [u8]) -> Result<usize, BufferTooSmall> {
        header.emit_with(
            |writer| {
                // ErrorData has at least one byte.
                put!(writer, 9u16, 0u8, 0u8, 0u32, 0u8);
            },
            buffer,
        )
    }
}
