import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Callable, Self, final

from typing_extensions import disjoint_base

__all__ = ["Capture", "CaptureError", "Check", "FilterError", "Frames", "Table"]

class CaptureError(Exception):
    """A file is no capture, or cannot be read to its end. One that cannot be opened is an ``OSError``."""

    file: str
    """The file, as it was named."""
    frame: int
    """The first frame that was not read, from 1."""

class FilterError(ValueError):
    """A display filter cannot be followed. The message shows where."""

@disjoint_base
class Capture:
    def __new__(
        cls,
        path: str | os.PathLike[str],
        decode_as: Mapping[int, bool] | None,
        profile: str | None,
        partial: bool,
        progress: Callable[[int, int | None], object] | None,
    ) -> Self: ...
    @property
    def file(self) -> str:
        """The path, as it was given."""
    def _check(self, strict: bool, filter: str | None, most: int) -> Check: ...
    def _frames(self, filter: str | None, fields: Sequence[str] | None) -> Frames: ...

@disjoint_base
class Table:
    def __new__(cls, capture: Capture, table: str, filter: str | None) -> Self: ...
    @property
    def column_names(self) -> list[str]:
        """The columns, as docs/export.md describes them."""
    @property
    def error(self) -> BaseException | None:
        """The exception that ended the latest stream before its time."""
    def _raise_error(self) -> None: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class Check:
    """What the rules found; true when it passed."""

    @property
    def passed(self) -> bool:
        """Whether no MUST was broken; with ``strict`` no SHOULD either."""
    @property
    def must(self) -> int:
        """Findings of rules that are a MUST."""
    @property
    def should(self) -> int:
        """Findings of rules that are a SHOULD."""
    @property
    def rules(self) -> dict[str, int]:
        """How many findings each rule has."""
    @property
    def findings(self) -> list[dict[str, Any]]:
        """The first findings, with the columns of ``Capture.findings``."""
    def __bool__(self) -> bool: ...

@final
class Frames(Iterator[dict[str, Any]]):
    """An iteration over frames."""

    def __iter__(self) -> Self: ...
    def __next__(self) -> dict[str, Any]: ...
