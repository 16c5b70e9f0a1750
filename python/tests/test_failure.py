"""What is wrong is an exception with file and frame; Ctrl-C ends a reading."""

import os
import signal
import threading
from pathlib import Path

import pyarrow
import pytest
import warpscope

TERMINATES = "captures/e1-terminate-stock.pcap"


@pytest.fixture
def cut(tmp_path, trace):
    """A capture that ends amid its last frame, and the number of that frame."""
    path = tmp_path / "cut.pcap"
    path.write_bytes(Path(trace(TERMINATES)).read_bytes()[:-1])
    return path, sum(1 for _ in warpscope.open(trace(TERMINATES)).frames(fields=["frame.len"]))


@pytest.fixture
def endless(tmp_path):
    """A capture of 64 GiB, compressed: frames without TCP."""
    frame = b"\0" * 8 + (1024).to_bytes(4, "little") * 2 + b"\0" * 1024
    packed = pyarrow.compress(frame * 65000, codec="zstd", asbytes=True)
    head = bytes.fromhex("d4c3b2a1020004000000000000000000ffff000001000000")
    path = tmp_path / "endless.pcap.zst"
    path.write_bytes(pyarrow.compress(head, codec="zstd", asbytes=True) + packed * 1000)
    return path


def test_what_is_no_capture_says_so(tmp_path, trace):
    text = tmp_path / "notes.txt"
    text.write_text("Not a capture at all.")
    with pytest.raises(warpscope.CaptureError, match="not a pcap or pcapng file") as raised:
        warpscope.open(text)
    assert (raised.value.file, raised.value.frame) == (str(text), 1)
    with pytest.raises(FileNotFoundError) as raised:
        warpscope.open("nowhere.pcap")
    assert raised.value.filename == "nowhere.pcap"
    with pytest.raises(ValueError, match="profile is one of"):
        warpscope.open(trace(TERMINATES), profile="none")


def test_damage_has_file_and_frame(cut):
    path, frame = cut
    capture = warpscope.open(path)
    table = capture.operations()
    for read in (table.to_arrow, table.to_pandas, table.to_polars, capture.check, lambda: list(capture.frames())):
        with pytest.raises(warpscope.CaptureError, match=f"the capture is cut off: frame {frame}:") as raised:
            read()
        assert (raised.value.file, raised.value.frame) == (str(path), frame)
    # Who takes the stream itself has the words; the exception is kept.
    with pytest.raises(Exception, match=f"cut off: frame {frame}:"):
        pyarrow.table(table)
    assert table.error.frame == frame


def test_what_can_be_read_of_a_damaged_capture(cut, trace):
    path, frame = cut
    table = warpscope.open(path, partial=True).operations()
    whole = warpscope.open(trace(TERMINATES)).operations(f"frame.number < {frame}").to_arrow()
    assert table.to_arrow().drop(["file"]).equals(whole.drop(["file"]))
    assert isinstance(table.error, warpscope.CaptureError) and table.error.frame == frame
    assert sum(1 for _ in warpscope.open(path, partial=True).frames(fields=[])) >= frame - 1


def test_a_wrong_filter_shows_where(trace):
    with pytest.raises(warpscope.FilterError, match=r"(?s)tcp.strem.*\^"):
        warpscope.open(trace(TERMINATES)).flows("tcp.strem == 1")


def test_an_exception_of_progress_ends_the_reading(trace):
    def progress(done, total):
        raise LookupError("enough")

    for read in ("operations", "flows"):
        with pytest.raises(LookupError, match="enough"):
            getattr(warpscope.open(trace(TERMINATES), progress=progress), read)().to_arrow()
    with pytest.raises(LookupError, match="enough"):
        warpscope.open(trace(TERMINATES), progress=progress).check()


def interrupted(done, total):
    """Ctrl-C comes from elsewhere while the reading goes on."""
    threading.Thread(target=os.kill, args=(os.getpid(), signal.SIGINT)).start()


@pytest.mark.parametrize("way", ["to_arrow", "to_polars", "check", "frames"])
def test_ctrl_c_ends_a_reading(endless, way):
    reads = []

    def progress(done, total):
        assert total is None
        reads.append(done)
        if len(reads) == 1:
            interrupted(done, total)

    capture = warpscope.open(endless, progress=progress)
    read = {"check": capture.check, "frames": lambda: list(capture.frames("tcp"))}
    with pytest.raises(KeyboardInterrupt):
        (read.get(way) or getattr(capture.operations(), way))()
    assert reads and reads[-1] < 64 * 65000 * 1040


def test_who_takes_the_stream_is_interrupted_too(endless):
    """The library makes an exception of its own of it, and Ctrl-C comes again."""
    table = warpscope.open(endless).operations()
    with pytest.raises(KeyboardInterrupt):
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            pyarrow.table(table)
        except pyarrow.ArrowInvalid:
            sum(it for it in range(10))
