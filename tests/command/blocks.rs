//! Blocks of pcapng captures, made by hand in big-endian numbers.

/// A block in big-endian numbers: type, length, body, length.
pub(crate) fn block(kind: u32, body: &[&[u8]]) -> Vec<u8> {
    let body = body.concat();
    assert_eq!(body.len() % 4, 0, "a body is made of whole words");
    let length = (body.len() as u32 + 12).to_be_bytes();
    [&kind.to_be_bytes()[..], &length, &body, &length].concat()
}

/// An option in big-endian numbers.
pub(crate) fn option(code: u16, value: &[u8]) -> Vec<u8> {
    let mut option = [code.to_be_bytes(), (value.len() as u16).to_be_bytes()].concat();
    option.extend(value);
    option.resize(option.len().next_multiple_of(4), 0);
    option
}

pub(crate) fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// A section header; its section's length is `length`.
pub(crate) fn section(length: u64) -> Vec<u8> {
    let body = [&words(&[0x1a2b_3c4d, 0x0001_0000])[..], &length.to_be_bytes()].concat();
    block(0x0a0d_0d0a, &[&body, &option(1, b"a section"), &option(0, b"")])
}

/// An interface with a resolution.
pub(crate) fn interface(link_type: u32, name: &str, resolution: u8) -> Vec<u8> {
    let options = [option(2, name.as_bytes()), option(9, &[resolution]), option(0, b"")].concat();
    block(1, &[&words(&[link_type << 16, 1_500]), &options])
}

/// An ARP request as an enhanced packet with these options.
pub(crate) fn packet(interface: u32, ticks: u64, original_length: u32, options: &[u8]) -> Vec<u8> {
    let mut frame = vec![0xff; 6];
    frame.extend([2, 0, 0, 0, 0, 2, 8, 6, 0, 1, 8, 0, 6, 4, 0, 1, 2, 0, 0, 0, 0, 2]);
    frame.resize(42, 7);
    let captured = frame.len() as u32;
    frame.resize(44, 0);
    let header = words(&[interface, (ticks >> 32) as u32, ticks as u32, captured, original_length]);
    block(6, &[&header, &frame, options])
}
