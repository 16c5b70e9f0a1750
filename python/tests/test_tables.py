"""Tables: four libraries take the same stream, filters choose rows, and memory does not grow."""

import os
import re
import time
from pathlib import Path

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.compute
import pytest
import warpscope

LOSS = "captures/i1-netem-loss-reorder.pcap.zst"
NFS = "captures/g-nfs-v3-cut.pcap.zst"
TERMINATES = "captures/e1-terminate-stock.pcap"
BROKEN = "synthetic/bad-crc.pcap"
DOCUMENTS = Path(__file__).parents[2] / "docs"
TABLES = ["messages", "operations", "rpcs", "ios", "findings", "flows", "latencies"]


def documented(table):
    """Column, type and whether it may be null, as the documents have them."""
    document = DOCUMENTS / ("statistics.md" if table == "flows" else "export.md")
    section = document.read_text().split(f"\n## {table}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| (\S+) \|.*\| ([^|]+) \|$", section, re.M)
    return [(name, kind, null != "never") for name, kind, null in rows]


@pytest.mark.parametrize("table", TABLES)
def test_the_columns_are_those_of_the_document(trace, table):
    names = {"timestamp[ns]": "timestamp[ns, tz=UTC]"}
    taken = getattr(warpscope.open(trace(LOSS)), table)()
    schema = pyarrow.schema(taken)
    columns = [(name, names.get(kind, kind), null) for name, kind, null in documented(table)]
    assert [(it.name, str(it.type), it.nullable) for it in schema] == columns
    assert taken.column_names == schema.names == taken.to_arrow().schema.names


def test_four_libraries_see_the_same(trace):
    operations = warpscope.open(trace(LOSS)).operations()
    arrow = operations.to_arrow()
    # What traces/captures/i1-netem-loss-reorder.expect.yaml expects: 195 Sends, 47 Reads, 30 Writes.
    kinds = {"Send": 195, "Read": 47, "Write": 30}
    assert {it["values"]: it["counts"] for it in arrow["kind"].value_counts().to_pylist()} == kinds
    assert operations.to_pandas().kind.value_counts().to_dict() == kinds
    assert dict(operations.to_polars().group_by("kind").len().iter_rows()) == kinds
    assert dict(duckdb.sql("select kind, count(*) from operations group by 1").fetchall()) == kinds
    assert arrow.to_pandas().equals(operations.to_pandas())
    assert polars.DataFrame(operations).equals(polars.from_arrow(arrow))


def test_numbers_are_not_copied(trace):
    """The library's arrays are views of the memory that the module made."""
    reader = pyarrow.RecordBatchReader.from_stream(warpscope.open(trace(LOSS)).operations())
    number = reader.read_next_batch().column("number")
    address = number.buffers()[1].address
    assert number.to_numpy(zero_copy_only=True).__array_interface__["data"][0] == address
    series = polars.from_arrow(number)
    assert series.to_numpy(allow_copy=False).__array_interface__["data"][0] == address
    assert pandas.Series(number.to_numpy(), copy=False).to_numpy().__array_interface__["data"][0] == address


def test_each_stream_reads_anew(trace):
    flows = warpscope.open(trace(LOSS)).flows()
    assert flows.to_arrow().equals(flows.to_arrow())
    assert flows.to_arrow().num_rows == 7


def test_a_filter_chooses_rows(trace):
    capture = warpscope.open(trace(LOSS))
    every = capture.operations().to_arrow()
    slow = capture.operations("warpscope.op.latency > 500ms").to_arrow()
    latency = pyarrow.compute.field("latency")
    assert slow.equals(every.filter(latency > 500_000_000)) and slow.num_rows == 6
    third = capture.operations("tcp.stream == 3").to_arrow()
    assert third.equals(every.filter(pyarrow.compute.field("connection") == 3)) and third.num_rows
    assert capture.flows("tcp.stream == 3").to_pandas().flow.tolist() == [3]
    assert set(capture.latencies("tcp.stream == 3").to_pandas().connection) == {3}
    assert capture.messages("frame.number <= 12").to_pandas().last_frame.max() <= 12


@pytest.mark.parametrize("name", [LOSS, NFS, TERMINATES, BROKEN, "captures/j1-mid-connection.pcap"])
@pytest.mark.parametrize("table", TABLES)
def test_a_filter_that_all_frames_pass_leaves_out_nothing(trace, name, table):
    taken = getattr(warpscope.open(trace(name)), table)
    assert taken("frame").to_arrow().equals(taken().to_arrow())
    assert taken("!frame").to_arrow().num_rows == 0


def test_findings_and_the_verdict(trace):
    capture = warpscope.open(trace(BROKEN))
    check = capture.check()
    findings = capture.findings().to_arrow()
    assert not check and check.must == 2 and check.rules == {"mpa-crc": 2}
    assert check.findings[0]["frame"] == findings["frame"][0].as_py()
    assert check.findings[0]["explanation"] == findings["explanation"][0].as_py()
    good = warpscope.open(trace("synthetic/ipv6.pcap")).check(strict=True)
    assert good and (good.must, good.should, good.rules, good.findings) == (0, 0, {}, [])
    assert capture.check(most=0).findings == [] and capture.check(filter="tcp.port == 1").passed


def test_calls(trace):
    capture = warpscope.open(trace(NFS))
    calls = capture.rpcs().to_pandas()
    assert set(calls.program_name) == {"NFS", "NFSACL"} and len(calls) == 32
    xid = calls.xid[20]
    assert capture.rpcs(f"rpc.xid == {xid}").to_pandas().equals(calls[calls.xid == xid].reset_index(drop=True))


def test_batches_are_read_as_they_are_taken(long_capture):
    """Who is slow holds up the thread, and who goes away ends it: memory does not grow with the capture."""
    capture, seen = long_capture(600), []
    table = warpscope.open(capture, progress=lambda done, total: seen.append((done, total))).messages()
    size, threads = capture.stat().st_size, len(os.listdir("/proc/self/task"))
    reader = pyarrow.RecordBatchReader.from_stream(table)
    assert reader.read_next_batch().num_rows == 8192
    assert len(os.listdir("/proc/self/task")) == threads + 1
    del reader
    deadline = time.monotonic() + 60
    while len(os.listdir("/proc/self/task")) > threads:
        assert time.monotonic() < deadline, "the thread still reads"
        time.sleep(0.01)
    batches = list(pyarrow.RecordBatchReader.from_stream(table))
    assert {it.num_rows for it in batches[:-1]} == {8192} and len(batches) > 2
    assert seen[-1] == (size, size)
