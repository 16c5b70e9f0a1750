//! Tables as Parquet files, a group of rows at a time.

use super::column::{Kind, Shape, Value};

use super::lines::Rows;
use parquet::basic::{
    Compression, LogicalType, Repetition, TimeUnit, Type as PhysicalType, ZstdLevel,
};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use std::fs::File;
use std::io;
use std::sync::Arc;

/// Rows that are collected before they are written.
const GROUP: usize = 1 << 14;

/// A Parquet file that is being written.
pub struct ParquetFile {
    writer: SerializedFileWriter<File>,
    columns: Vec<Shape>,
    rows: Vec<Vec<Value>>,
}

impl ParquetFile {
    /// A file of a table.
    pub fn new(name: &str, columns: Vec<Shape>, file: File) -> io::Result<Self> {
        let fields = columns.iter().map(|column| Ok(Arc::new(field(column)?)));
        let schema = Type::group_type_builder(name)
            .with_fields(fields.collect::<parquet::errors::Result<_>>()?)
            .build()?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by(concat!("warpscope ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))?;
        Ok(Self { writer, columns, rows: Vec::new() })
    }

    /// Writes the rows that were collected.
    fn group(&mut self) -> Written {
        if self.rows.is_empty() {
            return Ok(());
        }
        let mut group = self.writer.next_row_group()?;
        for (index, column) in self.columns.iter().enumerate() {
            let Some(mut writer) = group.next_column()? else { break };
            let cells = self.rows.iter().map(|row| row.get(index).unwrap_or(&Value::Null));
            write(column, cells, &mut writer)?;
            writer.close()?;
        }
        group.close()?;
        self.rows.clear();
        Ok(())
    }
}

impl Rows for ParquetFile {
    fn row(&mut self, cells: &[Value]) -> io::Result<()> {
        self.rows.push(cells.to_vec());
        if self.rows.len() >= GROUP { self.group().map_err(plain) } else { Ok(()) }
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        let written = self.group().and_then(|()| self.writer.close());
        written.map(|_| ()).map_err(plain)
    }
}

/// The system's own error, so that its kind can be told.
fn plain(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(error) => {
            error.downcast::<io::Error>().map_or_else(io::Error::other, |error| *error)
        }
        error => error.into(),
    }
}

fn field(column: &Shape) -> parquet::errors::Result<Type> {
    let (physical, logical) = match column.kind {
        Kind::U32 => (PhysicalType::INT32, Some(LogicalType::integer(32, false))),
        Kind::U64 => (PhysicalType::INT64, Some(LogicalType::integer(64, false))),
        Kind::I64 => (PhysicalType::INT64, Some(LogicalType::integer(64, true))),
        Kind::Time => (PhysicalType::INT64, Some(LogicalType::timestamp(true, TimeUnit::NANOS))),
        Kind::Flag => (PhysicalType::BOOLEAN, None),
        Kind::Text => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
    };
    let always = column.null.is_empty();
    Type::primitive_type_builder(column.name, physical)
        .with_logical_type(logical)
        .with_repetition(if always { Repetition::REQUIRED } else { Repetition::OPTIONAL })
        .build()
}

type Written = parquet::errors::Result<()>;

fn write<'a>(
    column: &Shape,
    cells: impl Iterator<Item = &'a Value>,
    writer: &mut SerializedColumnWriter<'_>,
) -> Written {
    match column.kind {
        // Parquet keeps unsigned numbers in the bytes of signed ones.
        Kind::U32 => values::<Int32Type>(column, cells, writer, |cell| match cell {
            Value::Unsigned(value) => Some(*value as u32 as i32),
            _ => None,
        }),
        Kind::U64 => values::<Int64Type>(column, cells, writer, |cell| match cell {
            Value::Unsigned(value) => Some(*value as i64),
            _ => None,
        }),
        Kind::I64 | Kind::Time => values::<Int64Type>(column, cells, writer, |cell| match cell {
            Value::Signed(value) => Some(*value),
            _ => None,
        }),
        Kind::Flag => values::<BoolType>(column, cells, writer, |cell| match cell {
            Value::Flag(value) => Some(*value),
            _ => None,
        }),
        Kind::Text => values::<ByteArrayType>(column, cells, writer, |cell| match cell {
            Value::Text(value) => Some(ByteArray::from(value.as_ref())),
            _ => None,
        }),
    }
}

/// Writes the values of a column, and where there are none.
fn values<'a, T: DataType>(
    column: &Shape,
    cells: impl Iterator<Item = &'a Value>,
    writer: &mut SerializedColumnWriter<'_>,
    value: impl Fn(&Value) -> Option<T::T>,
) -> Written {
    let mut present = Vec::new();
    let mut levels: Vec<i16> = Vec::new();
    for cell in cells {
        let value = value(cell);
        levels.push(value.is_some().into());
        present.extend(value);
    }
    let levels = (!column.null.is_empty()).then_some(levels.as_slice());
    writer.typed::<T>().write_batch(&present, levels, None)?;
    Ok(())
}
