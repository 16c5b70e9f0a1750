//! `figure!`: a fixed-size header as the specification draws it, one line a field.

/// Declares the view of a fixed-size header from its figure.
///
/// Each line is `offset in bytes`, `name`, `type` (`u8`, `u16`, `u32`, `u64`). The view gets
/// `LENGTH`, `parse`, `bytes` and one accessor a field.
macro_rules! figure {
    (
        $(#[$doc:meta])*
        $view:ident: $length:literal bytes, $layer:ident $title:literal {
            $($(#[$field_doc:meta])* $offset:literal $field:ident $type:ident;)*
        }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $view<'a>(&'a [u8; $length]);

        impl<'a> $view<'a> {
            /// Bytes of this header.
            pub const LENGTH: usize = $length;

            /// Reads the header from the front of `input`; returns it and what follows it.
            ///
            /// # Errors
            /// [`Malformed`](crate::Malformed) when `input` is shorter than the header.
            pub fn parse(input: &'a [u8]) -> Result<(Self, &'a [u8]), $crate::Malformed> {
                let (rest, bytes) = $crate::figure::fixed($crate::Layer::$layer, $title, input)?;
                Ok((Self(bytes), rest))
            }

            /// The bytes of the header.
            pub fn bytes(&self) -> &'a [u8; $length] {
                self.0
            }

            $(
                $(#[$field_doc])*
                pub fn $field(&self) -> $type {
                    const WIDTH: usize = (<$type>::BITS / 8) as usize;
                    let mut field = [0u8; WIDTH];
                    field.copy_from_slice(&self.0[$offset..$offset + WIDTH]);
                    <$type>::from_be_bytes(field)
                }
            )*
        }
    };
}
pub(crate) use figure;

use crate::{Layer, Malformed};
use nom::bytes::complete::take;

/// Takes a header of `N` bytes off the front of `input`.
pub(crate) fn fixed<'a, const N: usize>(
    layer: Layer,
    title: &'static str,
    input: &'a [u8],
) -> Result<(&'a [u8], &'a [u8; N]), Malformed> {
    let malformed = || Malformed::short(layer, title, N, input.len());
    let (rest, bytes) =
        take::<_, _, nom::error::Error<&[u8]>>(N)(input).map_err(|_| malformed())?;
    Ok((rest, bytes.try_into().map_err(|_| malformed())?))
}
