"""The types are those of the module; the notebook and the examples of docs/python.md run."""

import re
import subprocess
import sys
from pathlib import Path

import nbclient
import nbformat

HERE = Path(__file__).parents[1]
SETTINGS = str(HERE / "pyproject.toml")


def test_the_types_are_those_of_the_module():
    for command in (["mypy.stubtest", "--mypy-config-file", SETTINGS, "warpscope._native"],
                    ["mypy", "--config-file", SETTINGS, "-m", "warpscope"]):
        done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def texts(notebook):
    """What the cells print."""
    outputs = [it for cell in notebook.cells if cell.cell_type == "code" for it in cell.outputs]
    return [it.get("text") or it["data"].get("text/plain") for it in outputs if "image/png" not in it.get("data", {})]


def test_the_notebook_shows_what_it_says():
    path = HERE / "examples/slow-reads.ipynb"
    shipped, fresh = nbformat.read(path, 4), nbformat.read(path, 4)
    nbclient.NotebookClient(fresh, timeout=600, resources={"metadata": {"path": path.parent}}).execute()
    assert texts(fresh) == texts(shipped)
    pictures = [it for cell in fresh.cells for it in cell.get("outputs", []) if "image/png" in it.get("data", {})]
    assert len(pictures) == 2


def test_the_examples_run(tmp_path, trace, monkeypatch):
    document = (HERE.parent / "docs/python.md").read_text()
    (tmp_path / "trace.pcapng").write_bytes(Path(trace("captures/i1-netem-loss-reorder.pcap.zst")).read_bytes())
    monkeypatch.chdir(tmp_path)
    examples = re.findall(r"^```python\n(.*?)^```$", document, re.M | re.S)
    names = {}
    for example in examples:
        exec(compile(example, "docs/python.md", "exec"), names)
    assert len(examples) >= 5
