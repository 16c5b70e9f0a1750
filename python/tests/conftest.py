"""Captures that are shipped, and some that are made of them."""

import struct
from pathlib import Path

import pytest

TRACES = Path(__file__).parents[2] / "traces"


@pytest.fixture
def trace():
    """The path of a shipped capture."""
    return lambda name: str(TRACES / name)


@pytest.fixture
def long_capture(tmp_path):
    """A capture of many copies of the connections of another, each with a server's port of its own."""

    def make(copies):
        body = (TRACES / "captures/e1-terminate-stock.pcap").read_bytes()
        head, frames, at = body[:24], [], 24
        while at < len(body):
            length = 16 + struct.unpack_from("<I", body, at + 8)[0]
            frames.append(bytearray(body[at : at + length]))
            at += length
        path = tmp_path / "long.pcap"
        with path.open("wb") as file:
            file.write(head)
            for copy in range(copies):
                for frame in frames:
                    # Source and destination port, after record header, Ethernet and IPv4.
                    for place in (50, 52):
                        if struct.unpack_from(">H", frame, place)[0] in (7174, 7174 + copy - 1):
                            struct.pack_into(">H", frame, place, 7174 + copy)
                file.writelines(frames)
        return path

    return make
