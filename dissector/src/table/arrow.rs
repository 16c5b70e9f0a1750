//! Tables as Arrow record batches: in a stream (Arrow IPC), or in a Parquet file, which is written from them.

use super::column::{Kind, Shape, Value};
use super::lines::Rows;
use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, Int64Builder, StringBuilder, TimestampNanosecondBuilder,
    UInt32Builder, UInt64Builder,
};
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef, TimeUnit};
use parquet::arrow::arrow_writer::{
    ArrowRowGroupWriterFactory, ArrowWriter, ArrowWriterOptions, compute_leaves,
};
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::Arc;

/// Rows per batch, and per row group of a Parquet file.
pub const BATCH: usize = 1 << 13;

/// The time zone of times.
const UTC: &str = "UTC";

/// Returns the schema of a table: one field per column, with its unit as metadata.
fn schema(columns: &[Shape]) -> SchemaRef {
    let field = |column: &Shape| {
        let kind = match column.kind {
            Kind::U32 => DataType::UInt32,
            Kind::U64 => DataType::UInt64,
            Kind::I64 => DataType::Int64,
            Kind::Time => DataType::Timestamp(TimeUnit::Nanosecond, Some(UTC.into())),
            Kind::Flag => DataType::Boolean,
            Kind::Text => DataType::Utf8,
        };
        let unit = Some(column.unit).filter(|unit| !unit.is_empty() && column.kind != Kind::Time);
        Field::new(column.name, kind, !column.null.is_empty())
            .with_metadata(HashMap::from_iter(unit.map(|it| ("unit".to_owned(), it.to_owned()))))
    };
    Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()))
}

/// The values of a column that are not in a batch yet.
enum Cells {
    U32(UInt32Builder),
    U64(UInt64Builder),
    I64(Int64Builder),
    Time(TimestampNanosecondBuilder),
    Flag(BooleanBuilder),
    Text(StringBuilder),
}

impl Cells {
    fn new(kind: Kind) -> Self {
        match kind {
            Kind::U32 => Self::U32(UInt32Builder::new()),
            Kind::U64 => Self::U64(UInt64Builder::new()),
            Kind::I64 => Self::I64(Int64Builder::new()),
            Kind::Time => Self::Time(TimestampNanosecondBuilder::new().with_timezone(UTC)),
            Kind::Flag => Self::Flag(BooleanBuilder::new()),
            Kind::Text => Self::Text(StringBuilder::new()),
        }
    }

    /// Adds a value; one of another type is stored as missing.
    fn push(&mut self, value: &Value) {
        match (self, value) {
            (Self::U32(cells), Value::Unsigned(value)) => {
                cells.append_option(u32::try_from(*value).ok());
            }
            (Self::U64(cells), Value::Unsigned(value)) => cells.append_value(*value),
            (Self::I64(cells), Value::Signed(value)) => cells.append_value(*value),
            (Self::Time(cells), Value::Signed(value)) => cells.append_value(*value),
            (Self::Flag(cells), Value::Flag(value)) => cells.append_value(*value),
            (Self::Text(cells), Value::Text(value)) => cells.append_value(value),
            (Self::U32(cells), _) => cells.append_null(),
            (Self::U64(cells), _) => cells.append_null(),
            (Self::I64(cells), _) => cells.append_null(),
            (Self::Time(cells), _) => cells.append_null(),
            (Self::Flag(cells), _) => cells.append_null(),
            (Self::Text(cells), _) => cells.append_null(),
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::U32(cells) => ArrayBuilder::finish(cells),
            Self::U64(cells) => ArrayBuilder::finish(cells),
            Self::I64(cells) => ArrayBuilder::finish(cells),
            Self::Time(cells) => ArrayBuilder::finish(cells),
            Self::Flag(cells) => ArrayBuilder::finish(cells),
            Self::Text(cells) => ArrayBuilder::finish(cells),
        }
    }
}

/// Builds batches of rows.
pub struct Batches {
    schema: SchemaRef,
    columns: Vec<Cells>,
    rows: usize,
}

impl Batches {
    /// Creates the builder for a table.
    pub fn new(columns: &[Shape]) -> Self {
        let cells = columns.iter().map(|column| Cells::new(column.kind)).collect();
        Self { schema: schema(columns), columns: cells, rows: 0 }
    }

    /// Returns the schema of each batch.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Adds a row; returns a batch once there are [`BATCH`] rows.
    ///
    /// # Errors
    /// If a column that always has a value has none.
    pub fn row(&mut self, values: &[Value]) -> io::Result<Option<RecordBatch>> {
        let values = values.iter().chain(std::iter::repeat(&Value::Null));
        self.columns.iter_mut().zip(values).for_each(|(cells, value)| cells.push(value));
        self.rows += 1;
        if self.rows < BATCH { Ok(None) } else { self.take() }
    }

    /// Returns a batch of the rows since the last one.
    ///
    /// # Errors
    /// As [`row`](Self::row).
    pub fn take(&mut self) -> io::Result<Option<RecordBatch>> {
        if std::mem::take(&mut self.rows) == 0 {
            return Ok(None);
        }
        let columns = self.columns.iter_mut().map(Cells::finish).collect();
        RecordBatch::try_new(Arc::clone(&self.schema), columns).map(Some).map_err(plain)
    }
}

/// Returns a batch with additional columns before its own, each with a constant value.
///
/// # Errors
/// If a name occurs twice.
pub fn with_constants(constants: &[(Shape, &str)], batch: &RecordBatch) -> io::Result<RecordBatch> {
    let shapes: Vec<Shape> = constants.iter().map(|(shape, _)| *shape).collect();
    let (own, rows) = (batch.schema(), batch.num_rows());
    let fields: Vec<_> = schema(&shapes).fields().iter().chain(own.fields()).cloned().collect();
    let constant = |(_, value): &(Shape, &str)| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(std::iter::repeat_n(*value, rows)))
    };
    let columns = constants.iter().map(constant).chain(batch.columns().iter().cloned()).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).map_err(plain)
}

/// Takes the batches of a table.
pub trait TakesBatches {
    /// Writes a batch.
    fn batch(&mut self, batch: &RecordBatch) -> io::Result<()>;

    /// Completes the table.
    fn finish(self) -> io::Result<()>;
}

impl<W: Write> TakesBatches for StreamWriter<W> {
    fn batch(&mut self, batch: &RecordBatch) -> io::Result<()> {
        self.write(batch).map_err(plain)
    }

    fn finish(mut self) -> io::Result<()> {
        Self::finish(&mut self).and_then(|()| self.flush()).map_err(plain)
    }
}

/// A Parquet file being written, with one row group per batch.
pub struct ParquetFile<W: Write + Send> {
    file: SerializedFileWriter<W>,
    columns: ArrowRowGroupWriterFactory,
}

impl<W: Write + Send> ParquetFile<W> {
    /// Creates the file of the table with this name.
    ///
    /// # Errors
    /// If its header cannot be written.
    pub fn new(name: &str, schema: SchemaRef, out: W) -> io::Result<Self> {
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by(concat!("warpscope ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let options = ArrowWriterOptions::new().with_properties(properties);
        let options = options.with_schema_root(name.to_owned());
        let writer = ArrowWriter::try_new_with_options(out, schema, options);
        let writer = writer.and_then(ArrowWriter::into_serialized_writer);
        let (file, columns) = writer.map_err(plain_parquet)?;
        Ok(Self { file, columns })
    }

    /// Writes one column after the other: each needs only the memory for its own compression.
    fn group(&mut self, batch: &RecordBatch) -> parquet::errors::Result<()> {
        let schema = batch.schema();
        let writers = self.columns.create_column_writers(self.file.flushed_row_groups().len())?;
        let mut group = self.file.next_row_group()?;
        for ((field, cells), mut writer) in schema.fields().iter().zip(batch.columns()).zip(writers)
        {
            compute_leaves(field, cells)?.iter().try_for_each(|leaf| writer.write(leaf))?;
            writer.close()?.append_to_row_group(&mut group)?;
        }
        group.close().map(|_| ())
    }
}

impl<W: Write + Send> TakesBatches for ParquetFile<W> {
    fn batch(&mut self, batch: &RecordBatch) -> io::Result<()> {
        self.group(batch).map_err(plain_parquet)
    }

    fn finish(self) -> io::Result<()> {
        self.file.close().map(|_| ()).map_err(plain_parquet)
    }
}

/// Rows written in batches.
pub struct BatchedRows<B> {
    batches: Batches,
    out: B,
}

impl<B: TakesBatches> BatchedRows<B> {
    /// Passes on the rows of a table in batches.
    pub fn new(columns: &[Shape], out: B) -> Self {
        Self { batches: Batches::new(columns), out }
    }
}

impl<B: TakesBatches> Rows for BatchedRows<B> {
    fn row(&mut self, values: &[Value]) -> io::Result<()> {
        let full = self.batches.row(values)?;
        full.map_or(Ok(()), |batch| self.out.batch(&batch))
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        let rest = self.batches.take()?;
        rest.map_or(Ok(()), |batch| self.out.batch(&batch))?;
        self.out.finish()
    }
}

/// Writes a table as a stream of Arrow IPC.
///
/// # Errors
/// If its header cannot be written.
pub fn arrow_stream<W: Write>(
    columns: &[Shape],
    out: W,
) -> io::Result<BatchedRows<StreamWriter<W>>> {
    let out = StreamWriter::try_new(out, &schema(columns)).map_err(plain)?;
    Ok(BatchedRows::new(columns, out))
}

/// Writes a table as a Parquet file.
///
/// # Errors
/// As [`ParquetFile::new`].
pub fn parquet_file<W: Write + Send>(
    name: &str,
    columns: &[Shape],
    out: W,
) -> io::Result<BatchedRows<ParquetFile<W>>> {
    Ok(BatchedRows::new(columns, ParquetFile::new(name, schema(columns), out)?))
}

/// Returns the system's own error, so that its kind is known.
pub(super) fn plain(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        error => io::Error::other(error),
    }
}

fn plain_parquet(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(error) => {
            error.downcast::<io::Error>().map_or_else(io::Error::other, |error| *error)
        }
        error => error.into(),
    }
}
