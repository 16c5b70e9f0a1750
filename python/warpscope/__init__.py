"""iWARP captures as Arrow tables: operations, messages, RPCs, flows, findings. See docs/python.md."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _native
from ._native import CaptureError, Check, FilterError, Frames

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

__all__ = ["Capture", "CaptureError", "Check", "FilterError", "Frames", "Table", "open"]


class Table(_native.Table):
    """A table of a capture, for whatever takes an Arrow stream: pyarrow, pandas, Polars, DuckDB.

    Each stream reads the capture anew, in batches of 8192 rows, by a thread of its own. ``error`` is the
    exception that ended the latest stream before its time; with ``partial`` that is how the capture is damaged.
    """

    def to_arrow(self) -> pyarrow.Table:
        """The whole table. An exception of the reading is raised as it is."""
        import pyarrow

        return self._taken_by(pyarrow.table)

    def to_pandas(self) -> pandas.DataFrame:
        """The whole table, over pyarrow."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> polars.DataFrame:
        """The whole table."""
        import polars

        return self._taken_by(polars.DataFrame)

    def _taken_by(self, library: Callable[[Table], Any]) -> Any:
        try:
            return library(self)
        except Exception:
            self._raise_error()
            raise


class Capture(_native.Capture):
    """A capture file. Nothing of it is kept: each table and each iteration reads it anew.

    ``filter`` is a display filter, as of ``warpscope dissect -Y``. A row counts whose frame passes: the one with
    which it came to its end. Of flows and latencies those count of whose connection any frame passes.
    """

    def operations(self, filter: str | None = None) -> Table:
        """A row an operation: a request with its response, or a message that needs none."""
        return Table(self, "operations", filter)

    def messages(self, filter: str | None = None) -> Table:
        """A row an RDMAP message."""
        return Table(self, "messages", filter)

    def rpcs(self, filter: str | None = None) -> Table:
        """A row an RPC-over-RDMA call with its reply."""
        return Table(self, "rpcs", filter)

    def ios(self, filter: str | None = None) -> Table:
        """A row a request of an upper layer protocol with its answer, or an operation that belongs to none."""
        return Table(self, "ios", filter)

    def findings(self, filter: str | None = None) -> Table:
        """A row a finding of the rules."""
        return Table(self, "findings", filter)

    def flows(self, filter: str | None = None) -> Table:
        """A row a connection."""
        return Table(self, "flows", filter)

    def latencies(self, filter: str | None = None) -> Table:
        """A row a range of latencies of one kind of operation in a connection."""
        return Table(self, "latencies", filter)

    def check(self, *, strict: bool = False, filter: str | None = None, most: int = 1000) -> Check:
        """Judges the capture by the rules, and keeps the first ``most`` findings.

        It passes where no MUST is broken; with ``strict`` no SHOULD either.
        """
        return self._check(strict, filter, most)

    def frames(self, filter: str | None = None, fields: Sequence[str] | None = None) -> Frames:
        """The frames that pass, as dictionaries from tshark's names of fields to values.

        A field that is in a frame several times has a list. With ``fields`` a dictionary has these names,
        and None for what the frame has not.
        """
        return self._frames(filter, fields)


def open(
    path: str | os.PathLike[str],
    *,
    decode_as: Mapping[int, bool] | None = None,
    profile: str | None = None,
    partial: bool = False,
    progress: Callable[[int, int | None], object] | None = None,
) -> Capture:
    """Opens a capture: pcap or pcapng, plain or compressed with gzip, zstd or lz4.

    ``decode_as`` says of TCP ports that their connections are iWARP, or are not, whatever they look like.
    ``profile`` names the documents that opcodes are read by (``-o iwarp.profile:NAME``).
    With ``partial`` a damaged capture ends where it can be read no more, without an exception.
    ``progress`` is called at most ten times a second, or every few thousand frames, with the bytes read and those of the file; these are None
    for a compressed file.
    """
    return Capture(path, decode_as, profile, partial, progress)
