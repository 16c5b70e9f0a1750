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
    """A table of a capture, for any library that takes an Arrow stream: pyarrow, pandas, Polars, DuckDB.

    Each stream reads the capture from its start, on a thread of its own, in batches of 8192 rows. ``error`` is the
    exception that ended the latest stream early; with ``partial`` it says how the capture is damaged.
    """

    def to_arrow(self) -> pyarrow.Table:
        """The whole table as a pyarrow table. Errors of the reading are raised unchanged."""
        import pyarrow

        return self._taken_by(pyarrow.table)

    def to_pandas(self) -> pandas.DataFrame:
        """The whole table as a pandas data frame, made from pyarrow's."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> polars.DataFrame:
        """The whole table as a Polars data frame."""
        import polars

        return self._taken_by(polars.DataFrame)

    def _taken_by(self, library: Callable[[Table], Any]) -> Any:
        try:
            return library(self)
        except Exception:
            self._raise_error()
            raise


class Capture(_native.Capture):
    """A capture file. Nothing of it is kept in memory: each table and each iteration reads it from the start.

    ``filter`` is a display filter, as in ``warpscope dissect -Y``. A row is included if its last frame passes. A
    row of flows or latencies is included if any frame of its connection passes.
    """

    def operations(self, filter: str | None = None) -> Table:
        """One row per operation: a request with its response, or a message that needs none."""
        return Table(self, "operations", filter)

    def messages(self, filter: str | None = None) -> Table:
        """One row per RDMAP message."""
        return Table(self, "messages", filter)

    def rpcs(self, filter: str | None = None) -> Table:
        """One row per RPC-over-RDMA call with its reply."""
        return Table(self, "rpcs", filter)

    def ios(self, filter: str | None = None) -> Table:
        """One row per request of an upper layer protocol with its answer, or per operation that belongs to none."""
        return Table(self, "ios", filter)

    def findings(self, filter: str | None = None) -> Table:
        """One row per finding of the rules."""
        return Table(self, "findings", filter)

    def flows(self, filter: str | None = None) -> Table:
        """One row per connection."""
        return Table(self, "flows", filter)

    def latencies(self, filter: str | None = None) -> Table:
        """One row per range of latencies of one kind of operation in a connection."""
        return Table(self, "latencies", filter)

    def check(self, *, strict: bool = False, filter: str | None = None, most: int = 1000) -> Check:
        """Judges the capture by the rules, and keeps the first ``most`` findings.

        The capture passes if no MUST is broken; with ``strict``, if no SHOULD is either.
        """
        return self._check(strict, filter, most)

    def frames(self, filter: str | None = None, fields: Sequence[str] | None = None) -> Frames:
        """The frames that pass, each as a dictionary of values by tshark's field names.

        A field that occurs several times in a frame is a list. With ``fields``, a dictionary has only these names, and
        None for those that the frame lacks.
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

    ``decode_as`` says whether connections of a TCP port are iWARP, whatever they look like.
    ``profile`` chooses the documents that define the opcodes (``-o iwarp.profile:NAME``).
    With ``partial``, a damaged capture ends where it cannot be read further, without an exception.
    ``progress`` is called at most ten times a second, or every few thousand frames, with the bytes read and the size of
    the file in bytes, which is None for a compressed file.
    """
    return Capture(path, decode_as, profile, partial, progress)
