//! What a decoder shows of some bytes, and the checks that hold for every kind of message.

use super::file::{Fields, Value, Vector, to_hex};
use warpscope_wire::{BufferTooSmall, Illegal, Malformed, Problem, Writer};

/// Writes a repr into a buffer.
pub(crate) type Emit<'a> = Box<dyn Fn(&mut [u8]) -> Result<usize, BufferTooSmall> + 'a>;

/// Decodes bytes of one kind of message.
pub(crate) type Decode = for<'a> fn(&'a [u8]) -> Result<Shown<'a>, Malformed>;

/// Reads bytes of a kind that the codec does not write: the fields, and what follows them.
pub(crate) type Read = for<'a> fn(&'a [u8]) -> Result<(Fields, &'a [u8]), Malformed>;

pub(crate) struct Shown<'a> {
    pub(crate) fields: Fields,
    /// What follows the header.
    pub(crate) payload: &'a [u8],
    /// How many of the bytes the repr stands for.
    pub(crate) covered: usize,
    /// The repr, ready to be written.
    pub(crate) repr: Result<Emit<'a>, Illegal>,
}

/// A map of fields that have the names of a view's accessors.
macro_rules! fields {
    ($view:expr; $($name:ident)*) => {
        super::file::Fields::from([$((stringify!($name).to_owned(), $view.$name().into()),)*])
    };
}
pub(crate) use fields;

pub(crate) fn add(fields: &mut Fields, name: &str, value: impl Into<Value>) {
    fields.insert(name.to_owned(), value.into());
}

/// An [`Emit`] of a repr that writes to a [`Writer`].
pub(crate) fn writes<'a>(emit: impl Fn(&mut Writer<'_>) + 'a) -> Emit<'a> {
    Box::new(move |buffer| {
        let mut writer = Writer::new(buffer);
        emit(&mut writer);
        writer.finish()
    })
}

/// What `emit` writes into a buffer.
pub(crate) fn emitted(emit: impl Fn(&mut [u8]) -> Result<usize, BufferTooSmall>) -> Vec<u8> {
    let needed = emit(&mut []).err().map_or(0, |error| error.needed);
    let mut buffer = vec![0xa5; needed];
    assert_eq!(emit(&mut buffer), Ok(needed));
    buffer
}

/// What `emit` writes with a [`Writer`].
pub(crate) fn written(emit: impl Fn(&mut Writer<'_>)) -> Vec<u8> {
    emitted(writes(emit))
}

/// Collects what is wrong with the vectors.
#[derive(Default)]
pub(crate) struct Report {
    failures: Vec<String>,
}

impl Report {
    /// Notes a failure unless `expected` and `got` are the same.
    pub(crate) fn same<T: PartialEq + std::fmt::Debug>(
        &mut self,
        vector: &Vector,
        field: &str,
        expected: T,
        got: T,
    ) {
        if expected != got {
            self.fail(vector, &format!("{field}: expected {expected:?}, got {got:?}"));
        }
    }

    pub(crate) fn fail(&mut self, vector: &Vector, what: &str) {
        let Vector { file, name, bytes, .. } = vector;
        self.failures.push(format!("{file}: {name}: {what}\n    {}", to_hex(bytes)));
    }

    /// Panics if there was a failure.
    pub(crate) fn finish(self) {
        let count = self.failures.len();
        assert!(count == 0, "{count} failures\n{}", self.failures.join("\n"));
    }

    /// The fields that the vector names, each of them, and its payload. A legal vector names all
    /// that the view shows.
    pub(crate) fn check_fields(&mut self, vector: &Vector, fields: &Fields, payload: &[u8]) {
        for (name, expected) in &vector.fields {
            match fields.get(name) {
                Some(got) => self.same(vector, name, expected, got),
                None => self.fail(vector, &format!("{name}: the codec has no such field here")),
            }
        }
        let unnamed = fields.keys().filter(|name| !vector.fields.contains_key(*name));
        for name in unnamed.filter(|_| vector.legal) {
            self.fail(vector, &format!("{name}: shown by the codec, not named in the vector"));
        }
        self.same(vector, "payload", vector.payload.as_slice(), payload);
    }

    /// A kind that is only read: its fields, and that no shorter byte string shows what is not there.
    pub(crate) fn check_read(&mut self, vector: &Vector, read: Read) {
        match read(&vector.bytes) {
            Ok((fields, payload)) => self.check_fields(vector, &fields, payload),
            Err(malformed) => self.fail(vector, &malformed.to_string()),
        }
        for length in 0..vector.bytes.len() {
            match read(&vector.bytes[..length]) {
                Ok((_, payload)) if !vector.bytes[..length].ends_with(payload) => {
                    self.fail(
                        vector,
                        &format!("the first {length} bytes: shows what is not there"),
                    );
                }
                Ok(_) => {}
                Err(malformed) => self.check_malformed(vector, &malformed),
            }
        }
    }

    /// A kind that cannot be read: too short, or without a layout for the opcode that the vector names.
    pub(crate) fn check_refused(&mut self, vector: &Vector, refused: Option<Malformed>) {
        let expected = vector.fields.get("opcode");
        match refused.map(|malformed| malformed.problem) {
            Some(Problem::Short { needed, available }) if expected.is_none() => {
                if needed <= available {
                    self.fail(vector, "short, with all the bytes that it needs");
                }
            }
            Some(Problem::Value(value)) => {
                self.same(vector, "opcode", expected, Some(&Value::Number(value)));
            }
            other => self.fail(vector, &format!("expected no reading, got {other:?}")),
        }
        self.same(vector, "legal", false, vector.legal);
    }

    /// The repr: a legal vector comes back as it was, an illegal one has none.
    pub(crate) fn check_repr(&mut self, vector: &Vector, shown: &Shown<'_>) {
        match (&shown.repr, vector.legal) {
            (Ok(emit), true) => self.check_emit(vector, emit, shown.covered),
            (Ok(_), false) => self.fail(vector, "legal: expected Illegal, got a repr"),
            (Err(illegal), true) => self.fail(vector, &format!("legal: got {illegal}")),
            (Err(_), false) => {}
        }
    }

    /// Writing: exactly the bytes, whatever the buffer held, and nothing after them.
    pub(crate) fn check_emit(&mut self, vector: &Vector, emit: &Emit<'_>, covered: usize) {
        for poison in [0x00, 0xff] {
            let mut buffer = vec![poison; covered + 1];
            self.same(vector, "emitted length", Ok(covered), emit(&mut buffer));
            let (got, extra) = buffer.split_at(covered);
            let expected = &vector.bytes[..covered];
            self.same(vector, "emitted bytes", Value::from(expected), Value::from(got));
            self.same(vector, "byte after the emitted ones", &[poison][..], extra);
            for available in 0..covered {
                let expected = Err(BufferTooSmall { needed: covered, available });
                self.same(vector, "short buffer", expected, emit(&mut buffer[..available]));
            }
        }
    }

    /// Every shorter byte string: not readable, or shown as what it is.
    pub(crate) fn check_truncated(&mut self, vector: &Vector, decode: Decode) {
        for length in 0..vector.bytes.len() {
            let bytes = &vector.bytes[..length];
            match decode(bytes) {
                Err(malformed) => self.check_malformed(vector, &malformed),
                Ok(shown) => {
                    let what = format!("the first {length} bytes");
                    if !bytes.ends_with(shown.payload) || shown.covered > length {
                        self.fail(vector, &format!("{what}: the view shows what is not there"));
                    } else if let Ok(emit) = &shown.repr {
                        self.same(vector, &what, &bytes[..shown.covered], &emitted(emit));
                    }
                }
            }
        }
    }

    /// A shortage must be one.
    pub(crate) fn check_malformed(&mut self, vector: &Vector, malformed: &Malformed) {
        if let Problem::Short { needed, available } = malformed.problem
            && needed <= available
        {
            self.fail(vector, &format!("truncated: {malformed}"));
        }
    }
}
