"""Frames as dictionaries, against tshark and against the program's own filter."""

import subprocess

import pytest
import warpscope

TERMINATES = "captures/e1-terminate-stock.pcap"


def tshark(capture, *fields):
    command = ["tshark", "-r", capture, "-T", "fields", "-E", "separator=;"]
    lines = subprocess.run(command + [it for field in fields for it in ("-e", field)], capture_output=True, text=True)
    return [line.split(";") for line in lines.stdout.splitlines()]


def printed(value):
    """A value as tshark 4.0 prints it."""
    values = value if isinstance(value, list) else [value]
    return ",".join("" if it is None else str(int(it)) if isinstance(it, (bool, int)) else it for it in values)


def test_values_are_those_of_tshark(trace):
    capture = trace(TERMINATES)
    fields = ["frame.number", "tcp.stream", "tcp.port", "ip.src", "tcp.seq_raw", "iwarp_ddp.msn", "frame.len"]
    ours = [[printed(it) for it in frame.values()] for frame in warpscope.open(capture).frames(fields=fields)]
    assert ours == tshark(capture, *fields)


def test_a_frame_has_its_layers_and_fields(trace):
    frames = list(warpscope.open(trace(TERMINATES)).frames("iwarp_rdma.terminate"))
    assert frames and all("iwarp_rdma" in frame and frame["tcp"] is True for frame in frames)
    first = frames[0]
    assert isinstance(first["tcp.flags.syn"], bool) and isinstance(first["iwarp_mpa.crc"], int)
    assert first["tcp.port"] == [first["tcp.srcport"], first["tcp.dstport"]]
    assert isinstance(first["frame.time_epoch"], int) and first["frame.time_epoch"] > 1_600_000_000_000_000_000
    assert list(warpscope.open(trace(TERMINATES)).frames("iwarp_rdma.terminate", fields=["frame.number"])) == [
        {"frame.number": frame["frame.number"]} for frame in frames
    ]


def test_a_field_that_a_frame_lacks_is_none(trace):
    frame = next(warpscope.open(trace(TERMINATES)).frames(fields=["iwarp_ddp.stag", "frame.number"]))
    assert frame == {"iwarp_ddp.stag": None, "frame.number": 1}


def test_a_wrong_field_has_a_suggestion(trace):
    with pytest.raises(KeyError, match="did you mean tcp.stream"):
        warpscope.open(trace(TERMINATES)).frames(fields=["tcp.strem"])


def test_what_waits_when_the_capture_ends_comes_last(trace):
    numbers = [it["frame.number"] for it in warpscope.open(trace("synthetic/lost-segment-plain.pcap")).frames()]
    assert sorted(set(numbers)) == list(range(1, max(numbers) + 1))
