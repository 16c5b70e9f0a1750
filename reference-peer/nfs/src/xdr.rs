//! Values as XDR lays them out (RFC 4506), read and written by one description.

use crate::rpc::{Builder, Reader};
use warpscope_wire::Malformed;

pub(crate) trait Xdr: Sized {
    /// Reads it; `field` is its name where the bytes are wrong.
    fn read(reader: &mut Reader<'_>, field: &'static str) -> Result<Self, Malformed>;

    fn write(&self, builder: &mut Builder);
}

/// Structs whose fields lie one after the other, each with its name.
macro_rules! xdr {
    ($($(#[$of:meta])* pub struct $name:ident {
        $($(#[$meta:meta])* pub $field:ident: $type:ty = $text:literal,)*
    })*) => {$(
        $(#[$of])*
        pub struct $name { $($(#[$meta])* pub $field: $type,)* }

        impl $crate::xdr::Xdr for $name {
            fn read(
                reader: &mut $crate::rpc::Reader<'_>,
                _field: &'static str,
            ) -> Result<Self, warpscope_wire::Malformed> {
                Ok(Self { $($field: reader.value($text)?,)* })
            }

            fn write(&self, builder: &mut $crate::rpc::Builder) {
                $(builder.value(&self.$field);)*
            }
        }
    )*};
}
pub(crate) use xdr;

macro_rules! numbers {
    ($($type:ty: $method:ident;)*) => {$(
        impl Xdr for $type {
            fn read(reader: &mut Reader<'_>, field: &'static str) -> Result<Self, Malformed> {
                reader.$method(field)
            }

            fn write(&self, builder: &mut Builder) {
                builder.$method(*self);
            }
        }
    )*};
}

numbers! { u32: word; u64: long; bool: boolean; }

macro_rules! tuples {
    ($(($($part:ident)*))*) => {$(
        impl<$($part: Xdr),*> Xdr for ($($part,)*) {
            fn read(reader: &mut Reader<'_>, field: &'static str) -> Result<Self, Malformed> {
                Ok(($($part::read(reader, field)?,)*))
            }

            #[allow(non_snake_case, reason = "a part has the name of its type")]
            fn write(&self, builder: &mut Builder) {
                let ($($part,)*) = self;
                $($part.write(builder);)*
            }
        }
    )*};
}

tuples! { (A B) (A B C) }

impl Xdr for [u8; 8] {
    fn read(reader: &mut Reader<'_>, field: &'static str) -> Result<Self, Malformed> {
        reader.fixed(field)
    }

    fn write(&self, builder: &mut Builder) {
        builder.fixed(self);
    }
}

/// Data that a transport may move by chunks.
impl Xdr for Vec<u8> {
    fn read(reader: &mut Reader<'_>, field: &'static str) -> Result<Self, Malformed> {
        reader.opaque(field, u32::MAX).map(<[u8]>::to_vec)
    }

    fn write(&self, builder: &mut Builder) {
        builder.eligible(self);
    }
}

impl<T: Xdr> Xdr for Option<T> {
    fn read(reader: &mut Reader<'_>, field: &'static str) -> Result<Self, Malformed> {
        Ok(if reader.boolean(field)? { Some(T::read(reader, field)?) } else { None })
    }

    fn write(&self, builder: &mut Builder) {
        builder.boolean(self.is_some());
        self.iter().for_each(|value| value.write(builder));
    }
}
