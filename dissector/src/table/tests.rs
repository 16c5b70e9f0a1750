//! Tables against the captures that are shipped, and against the documents that describe them.

use super::*;
use crate::capture::CaptureReader;
use crate::filter::Filter;
use crate::pipeline::{Options, Pipeline, Sink};
use crate::statistics::{Flows, Statistics};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Runs the pipeline over a shipped capture.
pub(crate) fn read(capture: &str, sink: &mut impl Sink) {
    let mut reader = CaptureReader::open(&root().join("traces").join(capture)).unwrap();
    Pipeline::default().read(&mut reader, sink, |_| {}).unwrap();
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

/// Every table, with the rows that the captures give it.
fn tables() -> &'static [(&'static str, Table)] {
    static TABLES: LazyLock<Vec<(&'static str, Table)>> = LazyLock::new(filled_tables);
    &TABLES
}

/// An empty table, with its name.
fn of_captures(table: CaptureTable) -> (&'static str, Table) {
    let name = table.to_string().leak();
    (name, Table { columns: table.columns(), rows: Vec::new() })
}

/// Adds the rows of a capture to the tables of captures, which come first.
fn collect(capture: &str, tables: &mut [(&'static str, Table)]) {
    let file = InFile { name: capture, first_time: None };
    let mut collector = RowCollector::new(&CaptureTable::ALL);
    read(capture, &mut collector);
    let mut rows = Vec::new();
    collector.finish(&mut rows);
    for row in rows {
        let index = CaptureTable::ALL.iter().position(|table| *table == row.table()).unwrap();
        tables[index].1.rows.push(row.values(&file));
    }
}

fn filled_tables() -> Vec<(&'static str, Table)> {
    let mut tables: Vec<_> = CaptureTable::ALL.into_iter().map(of_captures).collect();
    let mut counted: Vec<(&'static str, Table)> = Vec::new();
    for name in CAPTURES {
        collect(name, &mut tables);
        let mut flows = Flows::new(None);
        read(name, &mut flows);
        flows.finish();
        for flow in flows.flows() {
            let nested = super::flows::nested(flow).into_iter();
            counted.extend(nested.filter(|(name, _)| !["opcodes", "operations"].contains(name)));
        }
        let mut statistics = Statistics::new(None, None);
        read(name, &mut statistics);
        let counts = statistics.counts();
        counted.extend([
            ("opcodes", Table::of(OPCODES, &OpcodeRow::of_counts(counts))),
            ("sizes", Table::of(SIZES, &SizeRow::of_counts(counts))),
            ("latency", Table::of(LATENCIES, &LatencyRow::of_counts(counts))),
            ("slowest", Table::of(SLOWEST, &SlowRow::of_counts(counts))),
            ("procedures", Table::of(PROCEDURES, &ProcedureRow::of_counts(counts))),
            ("io", Table::of(IO_COUNTS, &IoRow::of_counts(counts))),
            ("throughput", Table::of(INTERVALS, &IntervalRow::of_counts(counts, 40))),
            ("depth", Table::of(DEPTHS, &DepthRow::of_counts(counts))),
            ("credits", Table::of(CREDITS, &IntervalRow::with_calls(counts, 40))),
            ("roles", Table::of(ROLE_COUNTS, &RoleRow::of_counts(counts))),
        ]);
    }
    for (name, table) in counted {
        match tables.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => known.rows.extend(table.rows),
            None => tables.push((name, table)),
        }
    }
    tables
}

#[test]
fn values_are_what_their_columns_say() {
    for (table, Table { columns, rows }) in tables() {
        assert!(!rows.is_empty(), "{table}");
        for row in rows {
            assert_eq!(row.len(), columns.len(), "{table}");
            for (column, value) in columns.iter().zip(row) {
                let fits = match (column.kind, value) {
                    (_, Value::Null) => !column.null.is_empty(),
                    (Kind::U32, Value::Unsigned(value)) => u32::try_from(*value).is_ok(),
                    (Kind::U64, Value::Unsigned(_))
                    | (Kind::I64 | Kind::Time, Value::Signed(_))
                    | (Kind::Flag, Value::Flag(_))
                    | (Kind::Text, Value::Text(_)) => true,
                    _ => false,
                };
                assert!(fits, "{table}.{}: {value:?}", column.name);
            }
        }
        let names: std::collections::HashSet<_> = columns.iter().map(|it| it.name).collect();
        assert_eq!(names.len(), columns.len(), "a name comes twice in {table}");
    }
}

/// With `UPDATE_DOCS` set, the documents are written anew.
#[test]
fn the_documents_have_every_column() {
    for (name, table) in tables() {
        let records = CaptureTable::ALL.iter().any(|table| table.to_string() == *name);
        let records = records && *name != "flows";
        let path = root().join(if records { "docs/export.md" } else { "docs/statistics.md" });
        let text = std::fs::read_to_string(&path).unwrap();
        let expected = document(&table.columns);
        if std::env::var_os("UPDATE_DOCS").is_some() {
            let section = text.find(&format!("## {name}\n").replace("_", " ")).expect(name);
            let start = section + text[section..].find("| column |").expect(name);
            let end = text[start..].find("\n\n").map_or(text.len(), |end| start + end + 1);
            std::fs::write(path, format!("{}{expected}{}", &text[..start], &text[end..])).unwrap();
            continue;
        }
        assert!(text.contains(&expected), "{}: {name}: put this:\n\n{expected}", path.display());
    }
}

#[test]
fn lines_hold_what_the_values_say() {
    for (name, Table { columns, rows }) in tables() {
        let mut csv = CsvLines::new(columns, Vec::new()).unwrap();
        let mut ndjson = JsonLines::new(columns, Vec::new());
        for row in rows {
            csv.row(row).unwrap();
            ndjson.row(row).unwrap();
        }
        let (csv, ndjson) = (csv.into_inner().unwrap(), ndjson.into_inner());
        let mut csv = csv::Reader::from_reader(&csv[..]);
        let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
        assert_eq!(csv.headers().unwrap().iter().collect::<Vec<_>>(), names, "{name}");
        let ndjson = String::from_utf8(ndjson).unwrap();
        let (mut lines, mut records) = (ndjson.lines(), csv.records());
        for row in rows {
            let fields = records.next().unwrap().unwrap();
            let object: serde_json::Value = serde_json::from_str(lines.next().unwrap()).unwrap();
            for ((name, value), field) in names.iter().zip(row).zip(fields.iter()) {
                let expected = match value {
                    Value::Null => serde_json::Value::Null,
                    Value::Unsigned(value) => (*value).into(),
                    Value::Signed(value) => (*value).into(),
                    Value::Flag(value) => (*value).into(),
                    Value::Text(value) => value.as_ref().into(),
                };
                assert_eq!(
                    (field, &object[*name]),
                    (value.to_string().as_str(), &expected),
                    "{name}"
                );
            }
        }
        assert!(records.next().is_none() && lines.next().is_none());
    }
}

#[cfg(feature = "parquet")]
mod batches {
    use super::*;
    use ::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use arrow_array::cast::AsArray as _;
    use arrow_array::types::{Int64Type, TimestampNanosecondType, UInt32Type, UInt64Type};
    use arrow_array::{Array as _, RecordBatch};
    use arrow_ipc::reader::StreamReader;
    use arrow_schema::DataType;
    use std::fs::File;

    fn value(batch: &RecordBatch, column: usize, row: usize) -> Value {
        let cells = batch.column(column);
        if cells.is_null(row) {
            return Value::Null;
        }
        match cells.data_type() {
            DataType::UInt32 => cells.as_primitive::<UInt32Type>().value(row).into(),
            DataType::UInt64 => cells.as_primitive::<UInt64Type>().value(row).into(),
            DataType::Int64 => cells.as_primitive::<Int64Type>().value(row).into(),
            DataType::Timestamp(..) => {
                cells.as_primitive::<TimestampNanosecondType>().value(row).into()
            }
            DataType::Boolean => cells.as_boolean().value(row).into(),
            DataType::Utf8 => cells.as_string::<i32>().value(row).to_owned().into(),
            other => panic!("{other}"),
        }
    }

    /// Says that batches have these rows, and fields with the names and kinds of their columns.
    fn same(name: &str, table: &Table, batches: impl Iterator<Item = RecordBatch>) -> usize {
        let (mut rows, mut count) = (table.rows.iter(), 0);
        for batch in batches {
            count += 1;
            for (column, field) in table.columns.iter().zip(batch.schema().fields()) {
                let kind = format!("{:?}", field.data_type());
                let expected = match column.kind {
                    Kind::U32 => "UInt32",
                    Kind::U64 => "UInt64",
                    Kind::I64 => "Int64",
                    Kind::Time => "Timestamp(ns, \"UTC\")",
                    Kind::Flag => "Boolean",
                    Kind::Text => "Utf8",
                };
                let found =
                    (field.name().as_str(), field.data_type().to_string(), field.is_nullable());
                assert_eq!(
                    found,
                    (column.name, expected.to_owned(), !column.null.is_empty()),
                    "{kind}"
                );
            }
            for row in 0..batch.num_rows() {
                let found: Vec<_> =
                    (0..batch.num_columns()).map(|column| value(&batch, column, row)).collect();
                assert_eq!(&found, rows.next().unwrap(), "{name}");
            }
        }
        assert!(rows.next().is_none(), "{name}");
        count
    }

    /// Every table with the rows of every capture that is shipped.
    fn all_captures() -> Vec<(&'static str, Table)> {
        let mut tables: Vec<_> = CaptureTable::ALL.into_iter().map(of_captures).collect();
        let mut read = 0;
        for folder in ["captures", "synthetic", "violations"] {
            for entry in std::fs::read_dir(root().join("traces").join(folder)).unwrap() {
                let name = format!("{folder}/{}", entry.unwrap().file_name().display());
                if name.contains(".pcap") {
                    collect(&name, &mut tables);
                    read += 1;
                }
            }
        }
        assert!(read > 60, "{read}");
        tables
    }

    #[test]
    fn a_stream_and_a_file_have_the_rows() {
        let folder = tempfile::tempdir().unwrap();
        for (name, mut table) in all_captures() {
            assert!(!table.rows.is_empty(), "{name}");
            // More rows than a batch takes.
            table.rows = table.rows.iter().cycle().take(2 * BATCH + 1).cloned().collect();
            let path = folder.path().join("table");
            let file = || File::create(&path).unwrap();
            let mut rows: Box<dyn Rows> = Box::new(arrow_stream(&table.columns, file()).unwrap());
            table.rows.iter().for_each(|row| rows.row(row).unwrap());
            rows.finish().unwrap();
            let reader = StreamReader::try_new(File::open(&path).unwrap(), None).unwrap();
            assert_eq!(same(name, &table, reader.map(Result::unwrap)), 3);

            let mut rows: Box<dyn Rows> =
                Box::new(parquet_file(name, &table.columns, file()).unwrap());
            table.rows.iter().for_each(|row| rows.row(row).unwrap());
            rows.finish().unwrap();
            let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(&path).unwrap());
            let reader = reader.unwrap();
            let metadata = reader.metadata();
            assert_eq!(metadata.file_metadata().schema_descr().root_schema().name(), name);
            assert_eq!(metadata.num_row_groups(), 3);
            for column in metadata.row_groups().iter().flat_map(|group| group.columns()) {
                assert!(column.statistics().is_some(), "{name}");
            }
            same(name, &table, reader.build().unwrap().map(Result::unwrap));
        }
    }

    #[test]
    fn a_value_that_must_be_there_is_missed() {
        let mut rows = Box::new(arrow_stream(&[FILE], Vec::new()).unwrap());
        rows.row(&[Value::Null]).unwrap();
        assert!(rows.finish().unwrap_err().to_string().contains("file"));
    }

    /// Batches of rows that were at these times.
    fn at(times: &[Option<i64>]) -> RecordBatch {
        let shape = Shape { name: "at", kind: Kind::Time, unit: "ns", null: "often", doc: "" };
        let mut batches = Batches::new(&[shape]);
        times.iter().for_each(|time| assert!(batches.row(&[(*time).into()]).unwrap().is_none()));
        batches.take().unwrap().unwrap()
    }

    #[test]
    fn rows_are_put_into_the_order_of_time_and_into_days() {
        const DAY: i64 = 86_400_000_000_000;
        let mut order = TimeOrder::new(&["other", "at"]);
        let window = WINDOW as i64;
        // Each is as late as may be: the first of 2 * window comes after all the others.
        let times: Vec<_> = (1..=window).chain([0]).map(Some).collect();
        let first = order.batch(at(&times)).unwrap().unwrap();
        assert_eq!(value(&first, 0, 0), Value::Signed(0));
        assert_eq!(first.num_rows(), 1);
        let next = order.batch(at(&[Some(-1), None, Some(DAY)])).unwrap().unwrap();
        let found: Vec<_> = (0..3).map(|row| value(&next, 0, row)).collect();
        assert_eq!(found, [Value::Null, Value::Signed(-1), Value::Signed(1)]);
        let rest = order.finish().unwrap();
        assert_eq!((rest.num_rows(), value(&rest, 0, WINDOW - 1)), (WINDOW, Value::Signed(DAY)));
        assert!(order.finish().is_none());

        let days = |batch| -> Vec<_> {
            let days = by_day(&batch, &["at"]).into_iter();
            days.map(|(day, rows)| (day.unwrap_or_default(), rows.num_rows())).collect()
        };
        let named = |days: &[(&str, usize)]| -> Vec<_> {
            days.iter().map(|(day, rows)| ((*day).to_owned(), *rows)).collect()
        };
        assert_eq!(days(next), named(&[("", 1), ("1969-12-31", 1), ("1970-01-01", 1)]));
        assert_eq!(days(rest), named(&[("1970-01-01", WINDOW - 1), ("1970-01-02", 1)]));
    }
}

/// The rows of a table of a capture that a filter leaves.
fn scanned(capture: &str, table: CaptureTable, filter: &str) -> Vec<Vec<Value>> {
    let reader = CaptureReader::open(&root().join("traces").join(capture)).unwrap();
    let filter = Some(Filter::parse(filter).unwrap());
    let mut scan = RowScan::new(reader, table, filter, Options::default());
    let mut rows = Vec::new();
    while scan.frame(&mut rows).unwrap() {}
    rows.iter().map(|row| row.values(&InFile::default())).collect()
}

#[test]
fn a_filter_leaves_the_rows_whose_frames_pass() {
    for capture in CAPTURES {
        for table in CaptureTable::ALL {
            let mut collector = RowCollector::new(&[table]);
            let mut rows = Vec::new();
            let mut reader = CaptureReader::open(&root().join("traces").join(capture)).unwrap();
            let taken = |sink: &mut RowCollector| sink.take(&mut rows);
            Pipeline::default().read(&mut reader, &mut collector, taken).unwrap();
            collector.finish(&mut rows);
            let all: Vec<_> = rows.iter().map(|row| row.values(&InFile::default())).collect();
            assert_eq!(scanned(capture, table, "frame"), all, "{table} of {capture}");
            assert!(scanned(capture, table, "!frame").is_empty(), "{table} of {capture}");
        }
    }
    let of = |filter| scanned("captures/e1-terminate-stock.pcap", CaptureTable::Operations, filter);
    // A request that has no response comes to its end with its own frame.
    let value = |row: &Vec<Value>, name| {
        let at = CaptureTable::Operations.columns().iter().position(|it| it.name == name);
        row[at.unwrap()].clone()
    };
    let alone = of("iwarp_rdma.opcode == 1 && !iwarp_rdma.terminate");
    let all = of("frame");
    let expected: Vec<_> = all
        .iter()
        .filter(|row| value(row, "outcome") != Value::from("completed"))
        .filter(|row| value(row, "kind") == Value::from("Read"))
        .cloned()
        .collect();
    assert_eq!(expected.len(), 6);
    assert_eq!(alone, expected);
}
