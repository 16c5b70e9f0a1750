use super::cell::{Cell, Column, Kind};
use super::tables::Table;
use super::writer::Format;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use warpscope_dissector::capture::CaptureReader;
use warpscope_dissector::pipeline::{Options, Pipeline};
use warpscope_dissector::record::{Record, Recorder};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn records(capture: &str) -> Vec<Record> {
    let mut reader = CaptureReader::open(&root().join("traces").join(capture)).unwrap();
    let mut pipeline = Pipeline::new(Options::default());
    let mut recorder = Recorder::default();
    while let Some(frame) = reader.next_frame().unwrap() {
        pipeline.frame(&frame, &mut recorder);
    }
    pipeline.finish(&mut recorder);
    recorder.finish();
    recorder.take().collect()
}

/// Captures that together have a value and no value in nearly every column.
const CAPTURES: &[&str] = &[
    "captures/g-nfs-v3-cut.pcap.zst",
    "captures/e1-terminate-stock.pcap",
    "captures/f1-operations-stock.pcap.zst",
    "captures/j1-mid-connection.pcap",
    "synthetic/rfc7306.pcap",
    "synthetic/lost-segment-plain.pcap",
    "synthetic/rpcordma.pcap",
    "synthetic/bad-crc.pcap",
];

fn rows(table: Table) -> Vec<Vec<Cell>> {
    let of = |capture: &&str| {
        let records = records(capture);
        let rows = records.iter().filter_map(|record| table.row(capture, record));
        rows.collect::<Vec<_>>()
    };
    CAPTURES.iter().flat_map(of).collect()
}

#[test]
fn cells_are_what_their_columns_say() {
    for table in Table::ALL {
        let columns = table.columns();
        let rows = rows(table);
        assert!(rows.len() > 30, "{} rows of {}", rows.len(), table.name());
        for row in &rows {
            assert_eq!(row.len(), columns.len(), "{}", table.name());
            for (column, cell) in columns.iter().zip(row) {
                let fits = match (column.kind, cell) {
                    (_, Cell::Null) => !column.null.is_empty(),
                    (Kind::U32, Cell::Unsigned(value)) => u32::try_from(*value).is_ok(),
                    (Kind::U64, Cell::Unsigned(_))
                    | (Kind::I64 | Kind::Time, Cell::Signed(_))
                    | (Kind::Flag, Cell::Flag(_))
                    | (Kind::Text, Cell::Text(_)) => true,
                    _ => false,
                };
                assert!(fits, "{}.{}: {cell:?}", table.name(), column.name);
            }
        }
        let names: std::collections::HashSet<_> = columns.iter().map(|it| it.name).collect();
        assert_eq!(names.len(), columns.len(), "a name comes twice in {}", table.name());
    }
}

fn document(columns: &[Column]) -> String {
    let mut out =
        String::from("| column | type | unit | meaning | null |\n|---|---|---|---|---|\n");
    for column in columns {
        let null = if column.null.is_empty() { "never" } else { column.null };
        let Column { name, kind, unit, meaning, .. } = column;
        let _ = writeln!(out, "| `{name}` | {} | {unit} | {meaning} | {null} |", kind.name());
    }
    out
}

#[test]
fn the_documentation_has_every_column() {
    let text = std::fs::read_to_string(root().join("docs/export.md")).unwrap();
    for table in Table::ALL {
        let expected = document(table.columns());
        assert!(
            text.contains(&expected),
            "docs/export.md: put this below the heading of {}:\n\n{expected}",
            table.name()
        );
    }
}

/// Writes the rows in a format, and returns the file.
fn written(table: Table, format: Format, folder: &Path, rows: &[Vec<Cell>]) -> PathBuf {
    let path = folder.join(format!("{}.{}", table.name(), format.extension()));
    let mut writer = format.writer(table, &path).unwrap();
    for row in rows {
        writer.row(row).unwrap();
    }
    writer.finish().unwrap();
    path
}

#[test]
fn lines_hold_what_the_cells_say() {
    let folder = tempfile::tempdir().unwrap();
    for table in Table::ALL {
        let rows = rows(table);
        let csv = written(table, Format::Csv, folder.path(), &rows);
        let ndjson = written(table, Format::Ndjson, folder.path(), &rows);
        let mut csv = csv::Reader::from_path(csv).unwrap();
        let names: Vec<&str> = table.columns().iter().map(|column| column.name).collect();
        assert_eq!(csv.headers().unwrap().iter().collect::<Vec<_>>(), names);
        let ndjson = std::fs::read_to_string(ndjson).unwrap();
        let mut lines = ndjson.lines();
        let mut records = csv.records();
        for row in &rows {
            let fields = records.next().unwrap().unwrap();
            let object: serde_json::Value = serde_json::from_str(lines.next().unwrap()).unwrap();
            for ((name, cell), field) in names.iter().zip(row).zip(fields.iter()) {
                let (text, value) = match cell {
                    Cell::Null => (String::new(), serde_json::Value::Null),
                    Cell::Unsigned(value) => (value.to_string(), (*value).into()),
                    Cell::Signed(value) => (value.to_string(), (*value).into()),
                    Cell::Flag(value) => (value.to_string(), (*value).into()),
                    Cell::Text(value) => (value.to_string(), value.as_ref().into()),
                };
                assert_eq!((field, &object[*name]), (text.as_str(), &value), "{name}");
            }
        }
        assert!(records.next().is_none() && lines.next().is_none());
    }
}

#[cfg(feature = "parquet")]
mod parquet_files {
    use super::{Cell, Column, Format, Kind, Table, rows, written};
    use parquet::file::reader::{FileReader as _, SerializedFileReader};
    use parquet::record::Field;
    use std::fs::File;

    fn same(column: &Column, cell: &Cell, field: &Field) -> bool {
        match (cell, field) {
            (Cell::Null, Field::Null) => true,
            (Cell::Unsigned(value), Field::UInt(found)) => *value == u64::from(*found),
            (Cell::Unsigned(value), Field::ULong(found)) => value == found,
            // The reader hands times up as plain numbers.
            (Cell::Signed(value), Field::Long(found)) => {
                value == found && matches!(column.kind, Kind::I64 | Kind::Time)
            }
            (Cell::Flag(value), Field::Bool(found)) => value == found,
            (Cell::Text(value), Field::Str(found)) => value == found,
            _ => false,
        }
    }

    #[test]
    fn what_was_written_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        for table in Table::ALL {
            let once = rows(table);
            // More rows than one group takes.
            let rows: Vec<_> = once.iter().cycle().take(40_000).cloned().collect();
            let path = written(table, Format::Parquet, folder.path(), &rows);
            let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
            assert_eq!(reader.metadata().num_row_groups(), 3);
            let schema = reader.metadata().file_metadata().schema_descr();
            let names: Vec<&str> = schema.columns().iter().map(|column| column.name()).collect();
            let columns = table.columns();
            assert_eq!(names, columns.iter().map(|column| column.name).collect::<Vec<_>>());
            let mut expected = rows.iter();
            for found in reader.get_row_iter(None).unwrap() {
                let (found, row) = (found.unwrap(), expected.next().unwrap());
                let cells = found.get_column_iter().zip(columns).zip(row);
                for (((name, field), column), cell) in cells {
                    assert!(same(column, cell, field), "{name}: {cell:?}, and {field:?} read");
                }
            }
            assert!(expected.next().is_none());
        }
    }
}
