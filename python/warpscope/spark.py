"""A data source for Spark 4: ``spark.dataSource.register(WarpscopeDataSource)``, then ``spark.read.format("warpscope")``.

Options: ``table`` (operations), ``filter`` (a display filter), ``partial`` (false), ``pushdown`` (false). Each capture is a partition, read by
an executor in Arrow batches. Columns have the types that Spark gives those of the Parquet dataset: unsigned numbers of
64 bits are decimals, times are nanoseconds as numbers (``spark.sql.legacy.parquet.nanosAsLong``).
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow
import pyarrow.compute
from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    InputPartition,
    IsNotNull,
    IsNull,
    LessThan,
    LessThanOrEqual,
    Not,
)
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

import warpscope

NAME = "warpscope"
COMPARED = {
    EqualTo: pyarrow.compute.equal,
    GreaterThan: pyarrow.compute.greater,
    GreaterThanOrEqual: pyarrow.compute.greater_equal,
    LessThan: pyarrow.compute.less,
    LessThanOrEqual: pyarrow.compute.less_equal,
}


def spark_type(kind: pyarrow.DataType) -> pyarrow.DataType:
    """The type that Spark has for a column."""
    if kind == pyarrow.uint64():
        return pyarrow.decimal128(20, 0)
    if kind == pyarrow.uint32() or pyarrow.types.is_timestamp(kind):
        return pyarrow.int64()
    return kind


def spark_schema(schema: pyarrow.Schema) -> pyarrow.Schema:
    return pyarrow.schema([pyarrow.field(it.name, spark_type(it.type), it.nullable) for it in schema])


def expression(filter: Filter) -> pyarrow.compute.Expression | None:
    """A filter of Spark's as one of Arrow's; None for one that is left to Spark."""
    if isinstance(filter, Not):
        # Arrow takes a null for one that is not in the list; SQL takes it for neither.
        inner = None if isinstance(filter.child, In) else expression(filter.child)
        return None if inner is None else ~inner
    if len(filter.attribute) != 1:
        return None
    column = pyarrow.compute.field(filter.attribute[0])
    if isinstance(filter, IsNull):
        return column.is_null()
    if isinstance(filter, IsNotNull):
        return column.is_valid()
    if isinstance(filter, In):
        return None if None in filter.value else column.isin(list(filter.value))
    compared = COMPARED.get(type(filter))
    return None if compared is None else compared(column, pyarrow.scalar(filter.value))


class Capture(InputPartition):
    """A partition: the name of a capture."""


class WarpscopeReader(DataSourceReader):
    """Reads a table of captures."""

    def __init__(self, options: dict[str, str]) -> None:
        if "path" not in options:
            raise ValueError("name the captures: .load(\"captures/*.pcap.zst\")")
        self.paths = options["path"]
        self.table = options.get("table", "operations")
        self.filter = options.get("filter")
        self.partial = options.get("partial", "false").lower() == "true"
        # Spark 4.3 keeps what was pushed for later queries of the same DataFrame, also those without a filter: it
        # is for DataFrames of one query.
        self.pushes = options.get("pushdown", "false").lower() == "true"
        self.pushed: list[pyarrow.compute.Expression] = []

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:
        """What Arrow can test stays on this side; the rest is left to Spark."""
        for filter in filters:
            pushed = expression(filter) if self.pushes else None
            if pushed is None:
                yield filter
            else:
                self.pushed.append(pushed)

    def partitions(self) -> Sequence[InputPartition]:
        found = {}
        for path in self.paths.split(","):
            names = glob.glob(path.removeprefix("file:"))
            if not names:
                raise FileNotFoundError(f"{path}: there is no such capture")
            found.update((os.path.realpath(name), name) for name in names)
        return [Capture(name) for name in sorted(found.values())]

    def read(self, partition: InputPartition) -> Iterator[pyarrow.RecordBatch]:
        capture = warpscope.open(partition.value, partial=self.partial)
        table = warpscope.Table(capture, self.table, self.filter)
        reader = pyarrow.RecordBatchReader.from_stream(table)
        schema = spark_schema(reader.schema)
        for batch in reader:
            columns = [column.cast(field.type) for column, field in zip(batch.columns, schema)]
            rows = pyarrow.RecordBatch.from_arrays(columns, schema=schema)
            for pushed in self.pushed:
                rows = rows.filter(pushed)
            yield rows


class WarpscopeDataSource(DataSource):
    """Tables of captures."""

    @classmethod
    def name(cls) -> str:
        return NAME

    def schema(self) -> StructType:
        reader = self.reader(StructType())
        capture = warpscope.open(reader.partitions()[0].value)
        table = warpscope.Table(capture, reader.table, None)
        return from_arrow_schema(spark_schema(pyarrow.schema(table)))

    def reader(self, schema: StructType) -> WarpscopeReader:
        return WarpscopeReader(dict(self.options))
