//! `record!`: a figure of the test ULP, its view and its repr in one declaration.

use crate::{Illegal, Layer, Writer};

/// A type that stands for a number on the wire.
pub(super) trait Coded<Raw>: Sized {
    /// The value with this number, when there is one.
    fn read(raw: Raw) -> Option<Self>;
    /// Writes it.
    fn write(self, writer: &mut Writer<'_>);
}

macro_rules! plain {
    ($($raw:ident)*) => {
        $(impl Coded<$raw> for $raw {
            fn read(raw: $raw) -> Option<Self> {
                Some(raw)
            }

            fn write(self, writer: &mut Writer<'_>) {
                writer.$raw(self);
            }
        })*
    };
}
plain!(u8 u16 u32 u64);

/// Reads a field of a repr.
pub(super) fn field<Raw: Copy + Into<u64>, T: Coded<Raw>>(
    raw: Raw,
    field: &'static str,
    section: &'static str,
) -> Result<T, Illegal> {
    let illegal = || Illegal { layer: Layer::TestUlp, field, value: raw.into(), section };
    T::read(raw).ok_or_else(illegal)
}

/// Declares the view of a figure as `figure!` does, and its repr: `offset name raw as type`.
macro_rules! record {
    (
        $(#[$doc:meta])*
        $view:ident, $repr:ident: $length:literal bytes, $title:literal, $section:literal {
            $($(#[$field_doc:meta])* $offset:literal $field:ident $raw:ident as $type:ty;)*
        }
    ) => {
        $crate::figure::figure! {
            $(#[$doc])*
            $view: $length bytes, TestUlp $title {
                $($(#[$field_doc])* $offset $field $raw;)*
            }
        }

        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $repr {
            $($(#[$field_doc])* pub $field: $type,)*
        }

        impl $repr {
            /// Bytes of the figure.
            pub const LENGTH: usize = $length;
            /// The fields, each with the bytes before it.
            pub const FIELDS: &'static [(&'static str, usize)] =
                &[$((stringify!($field), $offset),)*];

            /// Writes the figure.
            pub fn emit(&self, writer: &mut $crate::Writer<'_>) {
                $($crate::test_ulp::record::Coded::<$raw>::write(self.$field, writer);)*
            }
        }

        impl $crate::test_ulp::cursor::Figure for $repr {
            fn read(
                bytes: &[u8],
                offset: usize,
            ) -> Result<(Self, &[u8]), $crate::test_ulp::Fault> {
                use $crate::test_ulp::Fault;
                let (view, rest) = $view::parse(bytes)
                    .map_err(|malformed| Fault::cut(offset + bytes.len(), malformed))?;
                let repr = Self::try_from(view)
                    .map_err(|illegal| Fault::in_figure(offset, Self::FIELDS, illegal))?;
                Ok((repr, rest))
            }
        }

        impl TryFrom<$view<'_>> for $repr {
            type Error = $crate::Illegal;

            /// Refuses values that the specification does not name; the first in the order of the
            /// fields.
            fn try_from(view: $view<'_>) -> Result<Self, $crate::Illegal> {
                Ok(Self {
                    $($field: $crate::test_ulp::record::field(
                        view.$field(), stringify!($field), $section,
                    )?,)*
                })
            }
        }
    };
}
pub(super) use record;

/// Declares a type whose values are named numbers, in fields of any width.
macro_rules! codes {
    (
        $(#[$doc:meta])*
        $name:ident { $($(#[$code_doc:meta])* $code:ident = $number:literal,)* }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum $name {
            $($(#[$code_doc])* $code = $number,)*
        }

        impl $name {
            /// Every value.
            pub const ALL: &'static [Self] = &[$(Self::$code,)*];

            /// Its number.
            pub fn code(self) -> u8 {
                self as u8
            }

            /// The value with this number, when there is one.
            pub fn from_code(code: u8) -> Option<Self> {
                Self::ALL.iter().find(|it| it.code() == code).copied()
            }
        }

        $crate::test_ulp::record::coded!($name, u8, u16, u32);
    };
}
pub(super) use codes;

/// Implements [`Coded`] for a type with `code` and `from_code`.
macro_rules! coded {
    ($name:ident, $($raw:ident),*) => {
        $(impl $crate::test_ulp::record::Coded<$raw> for $name {
            fn read(raw: $raw) -> Option<Self> {
                raw.try_into().ok().and_then(Self::from_code)
            }

            fn write(self, writer: &mut $crate::Writer<'_>) {
                writer.$raw(self.code() as $raw);
            }
        })*
    };
}
pub(super) use coded;

/// Declares a set of named bits.
macro_rules! bits {
    (
        $(#[$doc:meta])*
        $name:ident { $($(#[$bit_doc:meta])* $bit:ident = $number:literal,)* }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
        pub struct $name(u32);

        impl $name {
            $($(#[$bit_doc])* pub const $bit: Self = Self($number);)*
            /// No bit.
            pub const NONE: Self = Self(0);
            /// Every bit.
            pub const ALL: Self = Self(0 $(| $number)*);

            /// The bits as a number.
            pub fn code(self) -> u32 {
                self.0
            }

            /// The set with these bits; none when one of them has no name.
            pub fn from_code(code: u32) -> Option<Self> {
                (code & !Self::ALL.0 == 0).then_some(Self(code))
            }

            /// Whether every bit of `other` is in this set.
            pub fn contains(self, other: Self) -> bool {
                self.0 & other.0 == other.0
            }

            /// This set with `other` if `wanted`.
            #[must_use]
            pub fn with(self, other: Self, wanted: bool) -> Self {
                if wanted { Self(self.0 | other.0) } else { self }
            }
        }

        impl std::ops::BitOr for $name {
            type Output = Self;

            fn bitor(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }
        }

        $crate::test_ulp::record::coded!($name, u8, u32);
    };
}
pub(super) use bits;
