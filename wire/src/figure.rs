//! `figure!`: a fixed-size header as drawn in the specification, one line per field.

/// Declares the view of a fixed-size header from its figure.
///
/// Each line is `offset in bytes`, `name`, `type` (`u8`, `u16`, `u32`, `u64`). The view gets `LENGTH`,
/// `PLACES`, `parse`, `bytes` and one accessor per field. With `and Name` after the view's name, a
/// header for which every value is legal also gets its repr, with `emit`. Integers are big-endian; with
/// `bytes little endian` they are little-endian.
macro_rules! figure {
    (
        $(#[$doc:meta])*
        $view:ident and $repr:ident: $length:literal bytes little endian, $($figure:tt)*
    ) => {
        $crate::figure::figure! { @view from_le_bytes; $(#[$doc])* $view: $length, $($figure)* }
        $crate::figure::figure! { @repr to_le_bytes; $(#[$doc])* $view $repr, $($figure)* }
    };
    (
        $(#[$doc:meta])*
        $view:ident and $repr:ident: $length:literal bytes, $($figure:tt)*
    ) => {
        $crate::figure::figure! { @view from_be_bytes; $(#[$doc])* $view: $length, $($figure)* }
        $crate::figure::figure! { @repr to_be_bytes; $(#[$doc])* $view $repr, $($figure)* }
    };
    ($(#[$doc:meta])* $view:ident: $length:literal bytes little endian, $($figure:tt)*) => {
        $crate::figure::figure! { @view from_le_bytes; $(#[$doc])* $view: $length, $($figure)* }
    };
    ($(#[$doc:meta])* $view:ident: $length:literal bytes, $($figure:tt)*) => {
        $crate::figure::figure! { @view from_be_bytes; $(#[$doc])* $view: $length, $($figure)* }
    };
    (
        @repr $to_bytes:ident;
        $(#[$doc:meta])*
        $view:ident $repr:ident, $layer:ident $title:literal {
            $($(#[$field_doc:meta])* $offset:literal $field:ident $type:ident;)*
        }
    ) => {
        $(#[$doc])*
        ///
        /// Every value is legal.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub struct $repr {
            $($(#[$field_doc])* pub $field: $type,)*
        }

        impl $repr {
            /// Writes the header.
            pub fn emit(&self, writer: &mut $crate::Writer<'_>) {
                writer$(.bytes(&self.$field.$to_bytes()))*;
            }
        }

        impl From<$view<'_>> for $repr {
            fn from(view: $view<'_>) -> Self {
                Self { $($field: view.$field(),)* }
            }
        }
    };
    (
        @view $from_bytes:ident;
        $(#[$doc:meta])*
        $view:ident: $length:literal, $layer:ident $title:literal {
            $($(#[$field_doc:meta])* $offset:literal $field:ident $type:ident;)*
        }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $view<'a>(&'a [u8; $length]);

        impl<'a> $view<'a> {
            /// Length of this header in bytes.
            pub const LENGTH: usize = $length;
            /// Offset and length in bytes of each field, in the order of the figure.
            pub const PLACES: &'static [(usize, usize)] =
                &[$(($offset, <$type>::BITS as usize / 8),)*];

            /// Reads the header from the front of `input`; returns it and the bytes after it.
            ///
            /// # Errors
            /// [`Malformed`](crate::Malformed) when `input` is shorter than the header.
            pub fn parse(input: &'a [u8]) -> Result<(Self, &'a [u8]), $crate::Malformed> {
                let (rest, bytes) = $crate::figure::fixed($crate::Layer::$layer, $title, input)?;
                Ok((Self(bytes), rest))
            }

            /// Returns the bytes of the header.
            pub fn bytes(&self) -> &'a [u8; $length] {
                self.0
            }

            $(
                $(#[$field_doc])*
                pub fn $field(&self) -> $type {
                    const WIDTH: usize = (<$type>::BITS / 8) as usize;
                    let mut field = [0u8; WIDTH];
                    field.copy_from_slice(&self.0[$offset..$offset + WIDTH]);
                    <$type>::$from_bytes(field)
                }
            )*
        }
    };
}
pub(crate) use figure;

use crate::{Layer, Malformed, Problem};
use nom::bytes::complete::take as nom_take;
use nom::error::{Error, ErrorKind, ParseError};
use nom::number::complete::be_u32;

/// The result of a parser: the remaining input, and the parsed value.
pub(crate) type Parsed<'a, T> = nom::IResult<&'a [u8], T, Malformed>;

/// nom's combinators require this; the parsers of this crate name the field that is too short.
impl ParseError<&[u8]> for Malformed {
    fn from_error_kind(input: &[u8], _: ErrorKind) -> Self {
        Self::short(Layer::Rpc, "header", input.len() + 1, input.len())
    }

    fn append(_: &[u8], _: ErrorKind, other: Self) -> Self {
        other
    }
}

/// Returns a parser that takes `length` bytes; an error names `field`.
pub(crate) fn take<'a>(
    layer: Layer,
    field: &'static str,
    length: usize,
) -> impl Fn(&'a [u8]) -> Parsed<'a, &'a [u8]> {
    move |input| {
        nom_take::<_, _, Error<&[u8]>>(length)(input)
            .map_err(|_| nom::Err::Error(Malformed::short(layer, field, length, input.len())))
    }
}

/// Returns a parser for a 32-bit word; an error names `field`.
pub(crate) fn word<'a>(layer: Layer, field: &'static str) -> impl Fn(&'a [u8]) -> Parsed<'a, u32> {
    move |input| {
        be_u32::<_, Error<&[u8]>>(input)
            .map_err(|_| nom::Err::Error(Malformed::short(layer, field, 4, input.len())))
    }
}

/// Returns a parser's error for a value that selects no layout.
pub(crate) fn no_layout<T>(layer: Layer, field: &'static str, value: u32) -> Parsed<'static, T> {
    Err(nom::Err::Error(Malformed { layer, field, problem: Problem::Value(value.into()) }))
}

/// Converts a parser's result to that of a view: the parsed value, and the remaining input.
pub(crate) fn finish<T>(parsed: Parsed<'_, T>) -> Result<(T, &[u8]), Malformed> {
    match parsed {
        Ok((rest, value)) => Ok((value, rest)),
        Err(nom::Err::Error(malformed) | nom::Err::Failure(malformed)) => Err(malformed),
        Err(nom::Err::Incomplete(_)) => {
            Err(Malformed::from_error_kind(&[] as &[u8], ErrorKind::Eof))
        }
    }
}

/// Splits a header of `N` bytes off the front of `input`.
pub(crate) fn fixed<'a, const N: usize>(
    layer: Layer,
    title: &'static str,
    input: &'a [u8],
) -> Result<(&'a [u8], &'a [u8; N]), Malformed> {
    let malformed = || Malformed::short(layer, title, N, input.len());
    let (rest, bytes) = nom_take::<_, _, Error<&[u8]>>(N)(input).map_err(|_| malformed())?;
    Ok((rest, bytes.try_into().map_err(|_| malformed())?))
}
