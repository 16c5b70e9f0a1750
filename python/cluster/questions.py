"""The questions of docs/archives.md, and the document with its answers."""

import re
from pathlib import Path

DOCUMENT = Path(__file__).parents[2] / "docs/archives.md"
TABLES = ["operations", "messages", "rpcs", "findings"]
# What makes the views comes first.
VIEWS, *ASKED = re.findall(r"^```sql\n(.*?)^```$", DOCUMENT.read_text(), re.M | re.S)
QUESTIONS = dict(zip(re.findall(r"^### (.*)$", DOCUMENT.read_text(), re.M), ASKED, strict=True))


def shown(relation):
    """An answer as the document has it: columns that are aligned."""
    rows = [relation.columns, *([str(it) for it in row] for row in relation.fetchall())]
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "".join("  ".join(map(str.ljust, row, widths)).rstrip() + "\n" for row in rows)


def with_answers(answers):
    """The document with these answers, a text a question."""
    answers = iter(answers)
    return re.sub(r"^```text\n(.*?)^```$", lambda _: f"```text\n{next(answers)}```", DOCUMENT.read_text(), flags=re.M | re.S)
