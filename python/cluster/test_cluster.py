"""Spark standalone with two workers on loopback: eight questions have the answers of one process, from captures and from a
dataset; an executor that is killed amid a job changes nothing. `make test-cluster` runs it.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import duckdb
import pyarrow
import pyspark
import pytest
import warpscope
from pyspark.sql import SparkSession, functions
from pyspark.sql.datasource import EqualTo, GreaterThan
from questions import DOCUMENT, QUESTIONS, TABLES, VIEWS, shown, with_answers
from warpscope.spark import WarpscopeDataSource, WarpscopeReader

ROOT = Path(__file__).parents[2]
TRACES = ROOT / "traces"
PROGRAM = os.environ.get("WARPSCOPE", str(ROOT / "target/debug/warpscope"))
CAPTURES = {
    "firmware-1": ["captures/e1-terminate-stock.pcap", "captures/i1-netem-loss-reorder.pcap.zst", "synthetic/bad-crc.pcap"],
    "firmware-2": ["captures/g-nfs-v3-cut.pcap.zst", "captures/j3-mid-nfs.pcap.zst", "synthetic/rpcordma.pcap",
                   "violations/violations-rdmap.pcap", "synthetic/commit.pcap"],
}
TIMES = {"operations": "request_first_time", "messages": "first_time", "rpcs": "coalesce(call_time, reply_time)",
         "findings": "time"}
PATIENCE = 240


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("archive")
    for host, names in CAPTURES.items():
        (folder / host).mkdir()
        for name in names:
            shutil.copy(TRACES / name, folder / host)
    return folder


@pytest.fixture(scope="module")
def dataset(folder, tmp_path_factory):
    dataset = tmp_path_factory.mktemp("dataset") / "dataset"
    captures = sorted(str(it) for it in folder.glob("*/*.pcap*"))
    done = subprocess.run([PROGRAM, "export", *captures, "--dataset", str(dataset)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return dataset


def waited_for(what):
    """What a function returns, once that is something."""
    deadline = time.monotonic() + PATIENCE
    while not (found := what()):
        assert time.monotonic() < deadline, "it does not come"
        time.sleep(0.1)
    return found


class Cluster:
    """A master and two workers."""

    def __init__(self, place):
        self.place, self.started = place, []
        self.url = self.start("master", "org.apache.spark.deploy.master.Master", r"(spark://127\.0\.0\.1:\d+)")
        for number in (1, 2):
            at = ["--cores", "1", "--memory", "1g", "--work-dir", str(place / f"work-{number}"), self.url]
            self.start(f"worker-{number}", "org.apache.spark.deploy.worker.Worker", "(Successfully registered)", *at)

    def start(self, name, main, says, *arguments):
        log = self.place / f"{name}.log"
        command = [str(Path(pyspark.__file__).parent / "bin/spark-class"), main, "--host", "127.0.0.1", "--port", "0",
                   "--webui-port", "0", *arguments]
        environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_NO_DAEMONIZE": "1"}
        with log.open("w") as out:
            self.started.append(subprocess.Popen(command, stdout=out, stderr=out, env=environment))
        return waited_for(lambda: re.search(says, log.read_text())).group(1)

    def executors(self):
        """The processes that workers have started to execute tasks."""
        workers, found = {process.pid for process in self.started[1:]}, []
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and b"CoarseGrainedExecutorBackend" in (entry / "cmdline").read_bytes():
                    parent = re.search(r"PPid:\t(\d+)", (entry / "status").read_text()).group(1)
                    found += [int(entry.name)] if int(parent) in workers else []
            except OSError:
                continue
        return found

    def end(self):
        for process in reversed(self.started):
            process.terminate()
            process.wait(PATIENCE)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    yield cluster
    cluster.end()


@pytest.fixture(scope="module")
def spark(cluster):
    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.ui.enabled": "false",
        "spark.executor.memory": "640m", "spark.executor.cores": "1", "spark.cores.max": "2",
        "spark.sql.session.timeZone": "UTC", "spark.sql.shuffle.partitions": "2",
        "spark.sql.legacy.parquet.nanosAsLong": "true", "spark.sql.python.filterPushdown.enabled": "true",
    }
    builder = SparkSession.builder.master(cluster.url).appName("warpscope")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.dataSource.register(WarpscopeDataSource)
    yield session
    session.stop()


def of_captures(spark, folder, table, **options):
    rows = spark.read.format("warpscope").options(table=table, **options).load(f"{folder}/*/*.pcap*")
    time = functions.expr(f"to_date(timestamp_seconds(({TIMES[table]}) / 1000000000))")
    return rows.withColumn("host", functions.expr("element_at(split(file, '/'), -2)")).withColumn("date", time)


def one_process(folder):
    """A DuckDB that has what this process reads."""
    database = duckdb.connect()
    for table in TABLES:
        captures = [warpscope.open(path) for path in sorted(folder.glob("*/*.pcap*"))]
        rows = pyarrow.concat_tables([getattr(capture, table)().to_arrow() for capture in captures])
        database.register("rows", rows)
        time = " replace (epoch_ns(time) as time)" if table == "findings" else ""
        database.execute(f"create table {table} as select *{time}, string_split(file, '/')[-2] as host,"
                         f" cast(cast({TIMES[table]} as timestamp) as date) as date from rows")
    return database


def plain(rows):
    """Rows as lists of values that compare, in one order: the two put what is equal and what is null differently."""
    number = lambda it: float(it) if it is not None and not isinstance(it, str) and hasattr(it, "__float__") else it
    return sorted(([str(round(it, 6) if isinstance(it, float) else it) for it in map(number, row)] for row in rows))


@pytest.fixture(scope="module")
def answers(folder):
    database = one_process(folder)
    answers = {question: plain(database.sql(text).fetchall()) for question, text in QUESTIONS.items()}
    assert all(answers.values()), answers
    return answers


def test_answers_from_captures_are_those_of_one_process(spark, folder, answers):
    for table in TABLES:
        of_captures(spark, folder, table).createOrReplaceTempView(table)
    assert {question: plain(spark.sql(text).collect()) for question, text in QUESTIONS.items()} == answers


def test_answers_from_the_dataset_are_those_of_one_process(spark, dataset, answers):
    for table in TABLES:
        spark.read.parquet(f"{dataset}/{table}").createOrReplaceTempView(table)
    assert {question: plain(spark.sql(text).collect()) for question, text in QUESTIONS.items()} == answers


def test_duckdb_over_the_dataset_answers_as_the_document_shows(dataset, answers, monkeypatch):
    monkeypatch.chdir(dataset.parent)
    database = duckdb.connect()
    database.execute(VIEWS)
    assert {question: plain(database.sql(text).fetchall()) for question, text in QUESTIONS.items()} == answers
    document = with_answers(shown(database.sql(text)) for text in QUESTIONS.values())
    if "UPDATE_DOCS" in os.environ:
        DOCUMENT.write_text(document)
    assert DOCUMENT.read_text() == document


def test_filters_are_pushed(spark, folder):
    rows = of_captures(spark, folder, "operations", pushdown="true").where("kind = 'Read' and latency > 100000000 and depth in (5, 6, 7)")
    # The notebook: connection 4 of i1-netem-loss-reorder has twenty Reads at once, of 60 to 670 ms.
    assert sorted(row.depth for row in rows.collect()) == [5, 6, 7]
    reader = WarpscopeReader({"path": f"{folder}/*/*.pcap*", "pushdown": "true"})
    assert not list(reader.pushFilters([EqualTo(("kind",), "Read"), GreaterThan(("depth",), 4)]))
    read = [row for part in reader.partitions() for batch in reader.read(part) for row in batch.to_pylist()]
    assert len(read) == 16 and all(row["kind"] == "Read" and row["depth"] > 4 for row in read)
    shown = of_captures(spark, folder, "operations", filter="tcp.stream == 4 && iwarp_rdma.opcode == 2")
    assert shown.where("file like '%i1-netem%'").count() == 20


def test_a_killed_executor_changes_nothing(spark, cluster, folder, answers):
    """One of the two is killed while both are at work; its tasks are done again."""
    began = folder / "began"
    began.mkdir()

    def slowly(batches, began=str(began)):
        import os
        import time

        with open(os.path.join(began, str(os.getpid())), "w"):
            time.sleep(3)
        yield from batches

    rows = of_captures(spark, folder, "operations")
    rows.mapInArrow(slowly, rows.schema).createOrReplaceTempView("operations")
    question, result = QUESTIONS["Error rates by firmware"], []
    job = threading.Thread(target=lambda: result.append(plain(spark.sql(question).collect())))
    before = set(waited_for(lambda: cluster.executors()))
    job.start()
    waited_for(lambda: len(list(began.iterdir())) >= 2)
    os.kill(min(before), signal.SIGKILL)
    job.join(PATIENCE)
    assert result == [answers["Error rates by firmware"]]
    assert min(before) not in cluster.executors() and set(waited_for(lambda: cluster.executors())) != before
