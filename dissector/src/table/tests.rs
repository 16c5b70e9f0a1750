//! Tables against the captures that are shipped, and against the documents that describe them.

use super::*;
use crate::capture::CaptureReader;
use crate::pipeline::{Pipeline, Sink};
use crate::record::{Record, Recorder};
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

fn filled_tables() -> Vec<(&'static str, Table)> {
    let mut tables = vec![
        ("messages", Table::of::<crate::record::MessageRecord>(MESSAGES, &[])),
        ("operations", Table::of(OPERATIONS, &[])),
        ("rpcs", Table::of(RPCS, &[])),
        ("flows", Table::of(FLOWS, &[])),
    ];
    let mut counted: Vec<(&'static str, Table)> = Vec::new();
    for name in CAPTURES {
        let file = InFile { name, first_time: None };
        let mut recorder = Recorder::default();
        read(name, &mut recorder);
        recorder.finish();
        for record in recorder.take() {
            let (index, row) = match &record {
                Record::Message(record) => (0, values(MESSAGES, record, &file)),
                Record::Operation(record) => (1, values(OPERATIONS, record, &file)),
                Record::Rpc(record) => (2, values(RPCS, record, &file)),
            };
            tables[index].1.rows.push(row);
        }
        let mut flows = Flows::new(None);
        read(name, &mut flows);
        flows.finish();
        for flow in flows.flows() {
            tables[3].1.rows.push(values(FLOWS, flow, &file));
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
        let records = ["messages", "operations", "rpcs"].contains(name);
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
mod parquet_files {
    use super::*;
    use ::parquet::file::reader::{FileReader as _, SerializedFileReader};
    use ::parquet::record::Field;
    use std::fs::File;

    fn same(column: &Shape, value: &Value, field: &Field) -> bool {
        match (value, field) {
            (Value::Null, Field::Null) => true,
            (Value::Unsigned(value), Field::UInt(found)) => *value == u64::from(*found),
            (Value::Unsigned(value), Field::ULong(found)) => value == found,
            // The reader hands times up as plain numbers.
            (Value::Signed(value), Field::Long(found)) => {
                value == found && matches!(column.kind, Kind::I64 | Kind::Time)
            }
            (Value::Flag(value), Field::Bool(found)) => value == found,
            (Value::Text(value), Field::Str(found)) => value == found,
            _ => false,
        }
    }

    #[test]
    fn what_was_written_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        for (name, Table { columns, rows }) in tables() {
            // More rows than one group takes.
            let rows: Vec<_> = rows.iter().cycle().take(40_000).cloned().collect();
            let path = folder.path().join("table.parquet");
            let mut file =
                ParquetFile::new(name, columns.clone(), File::create(&path).unwrap()).unwrap();
            for row in &rows {
                file.row(row).unwrap();
            }
            Box::new(file).finish().unwrap();
            let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
            assert_eq!(reader.metadata().num_row_groups(), 3);
            let schema = reader.metadata().file_metadata().schema_descr();
            let names: Vec<&str> = schema.columns().iter().map(|column| column.name()).collect();
            assert_eq!(names, columns.iter().map(|column| column.name).collect::<Vec<_>>());
            let mut expected = rows.iter();
            for found in reader.get_row_iter(None).unwrap() {
                let (found, row) = (found.unwrap(), expected.next().unwrap());
                for (((name, field), column), value) in
                    found.get_column_iter().zip(columns).zip(row)
                {
                    assert!(same(column, value, field), "{name}: {value:?}, and {field:?} read");
                }
            }
            assert!(expected.next().is_none());
        }
    }
}
