//! Tables as Parquet files, a group of rows at a time.

use super::cell::{Cell, Column, Kind};
use super::tables::Table;
use super::writer::Writer;
use anyhow::{Context as _, Result};
use parquet::basic::{
    Compression, LogicalType, Repetition, TimeUnit, Type as PhysicalType, ZstdLevel,
};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use std::fs::File;
use std::sync::Arc;

/// Rows that are collected before they are written.
const GROUP: usize = 1 << 14;

/// A Parquet file that is being written.
pub(super) struct ParquetFile {
    writer: SerializedFileWriter<File>,
    columns: &'static [Column],
    rows: Vec<Vec<Cell>>,
}

impl ParquetFile {
    /// A file of a table.
    pub(super) fn new(table: Table, file: File) -> Result<Self> {
        let columns = table.columns();
        let fields = columns.iter().map(|column| Ok(Arc::new(field(column)?)));
        let schema = Type::group_type_builder(table.name())
            .with_fields(fields.collect::<Result<_>>()?)
            .build()
            .context("the table has no Parquet schema")?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by(concat!("warpscope ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))
            .context(WRITING)?;
        Ok(Self { writer, columns, rows: Vec::new() })
    }

    /// Writes the rows that were collected.
    fn group(&mut self) -> Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let mut group = self.writer.next_row_group().context(WRITING)?;
        for (index, column) in self.columns.iter().enumerate() {
            let Some(mut writer) = group.next_column().context(WRITING)? else { break };
            let cells = self.rows.iter().map(|row| row.get(index).unwrap_or(&Cell::Null));
            write(column, cells, &mut writer).context(WRITING)?;
            writer.close().context(WRITING)?;
        }
        group.close().context(WRITING)?;
        self.rows.clear();
        Ok(())
    }
}

const WRITING: &str = "cannot write the Parquet file; check the disk";

impl Writer for ParquetFile {
    fn row(&mut self, cells: &[Cell]) -> Result<()> {
        self.rows.push(cells.to_vec());
        if self.rows.len() >= GROUP { self.group() } else { Ok(()) }
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.group()?;
        self.writer.close().context(WRITING)?;
        Ok(())
    }
}

fn field(column: &Column) -> Result<Type> {
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
        .with_context(|| format!("the column {} has no Parquet type", column.name))
}

type Written = parquet::errors::Result<()>;

fn write<'a>(
    column: &Column,
    cells: impl Iterator<Item = &'a Cell>,
    writer: &mut SerializedColumnWriter<'_>,
) -> Written {
    match column.kind {
        // Parquet keeps unsigned numbers in the bytes of signed ones.
        Kind::U32 => values::<Int32Type>(column, cells, writer, |cell| match cell {
            Cell::Unsigned(value) => Some(*value as u32 as i32),
            _ => None,
        }),
        Kind::U64 => values::<Int64Type>(column, cells, writer, |cell| match cell {
            Cell::Unsigned(value) => Some(*value as i64),
            _ => None,
        }),
        Kind::I64 | Kind::Time => values::<Int64Type>(column, cells, writer, |cell| match cell {
            Cell::Signed(value) => Some(*value),
            _ => None,
        }),
        Kind::Flag => values::<BoolType>(column, cells, writer, |cell| match cell {
            Cell::Flag(value) => Some(*value),
            _ => None,
        }),
        Kind::Text => values::<ByteArrayType>(column, cells, writer, |cell| match cell {
            Cell::Text(value) => Some(ByteArray::from(value.as_ref())),
            _ => None,
        }),
    }
}

/// Writes the values of a column, and where there are none.
fn values<'a, T: DataType>(
    column: &Column,
    cells: impl Iterator<Item = &'a Cell>,
    writer: &mut SerializedColumnWriter<'_>,
    value: impl Fn(&Cell) -> Option<T::T>,
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
