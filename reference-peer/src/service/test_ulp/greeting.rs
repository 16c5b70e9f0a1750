//! How the greeting of a control stream begins (section 3.1).

/// The first octets of the greeting of a control stream: magic, version and purpose.
pub const CONTROL_GREETING: &[u8] = b"TULP\x01\x01";

#[cfg(test)]
mod tests {
    use super::CONTROL_GREETING;
    use warpscope_wire::Writer;
    use warpscope_wire::test_ulp::{Greeting, Magic, Purpose, Version};

    #[test]
    fn it_is_that_of_control_streams_alone() {
        for purpose in [Purpose::Control, Purpose::Shared, Purpose::Bare] {
            let (receives, session, stream, longest) = (1, 2, 3, 4);
            let greeting = Greeting {
                magic: Magic,
                version: Version,
                purpose,
                receives,
                session,
                stream,
                longest,
            };
            let mut octets = vec![0; Greeting::LENGTH];
            greeting.emit(&mut Writer::new(&mut octets));
            assert_eq!(octets.starts_with(CONTROL_GREETING), purpose == Purpose::Control);
        }
    }
}
