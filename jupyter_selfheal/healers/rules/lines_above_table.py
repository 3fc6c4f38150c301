"""FIL113: a file of a table with lines above it, or whose separator is another one, which pandas takes for rows of different lengths."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import append_argument
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch

LINES = 200
"""How many lines of the file are looked at."""
FEW = 3
"""Rows below the names of columns that are wanted before a table is seen in them."""
TOLD = frozenset({"sep", "delimiter", "skiprows", "comment", "header", "names", "engine", None})
"""Arguments that say how the lines are meant."""


class LinesAboveTable(Rule):
    """Say where the table begins in its file, and what separates its columns.

    **Failure** `ParserError: Error tokenizing data. C error: Expected 1 fields in line 3, saw 2` at `pd.read_csv("log.csv")`.

    **Fix** `skiprows=2` for lines above the table; `sep=";"`, with `decimal=","`, where every line has as many semicolons.

    **Fix safety** Safe for lines that begin with `#` and for semicolons. Unsafe where a comma may part thousands, and for other lines above, unless the notebook reads a column by its name in the line that comes to be the first. Silent where the
    lines below have different numbers of columns, and where the call says anything of its own.
    """

    code = "FIL113"
    name = "lines above a table"
    stage = Stage.LIBRARY
    enames = frozenset({"ParserError"})
    message = re.compile(r"Expected \d+ fields in line \d+, saw \d+")
    applicability = Applicability.SAFE
    why = "Every line below has as many columns."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            path = call.args[0] if call.args else None
            if read_last_name(call.func) != "read_csv" or not (
                isinstance(path, ast.Constant) and isinstance(path.value, str)
            ):
                continue
            lines = _read_lines(Path(context.notebook.folder or ".", path.value))
            if {k.arg for k in call.keywords} & TOLD or len(call.args) > 1 or not lines:
                return
            new, sure = _choose_argument(context, lines)
            if new:
                yield self.patch(
                    context.replace_here(append_argument(context.source, call, new)),
                    f"Read with `{new}`",
                    f"The lines of {path.value} do not all have as many commas.",
                    applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                    why=self.why if sure else "The lines above the table may belong to it.",
                    prior=0.92 if sure else 0.7,
                )
            return


def _read_lines(path: Path) -> list[str]:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return [line.rstrip("\r\n") for line in itertools.islice(file, LINES)]
    except OSError:
        return []


def _choose_argument(context: RuleContext, lines: Sequence[str]) -> tuple[str, bool]:
    """What is said of the file, and whether it is the only reading; empty where no table is seen in it."""
    if _is_table(lines, ";"):
        fields = [field.strip() for line in lines[1:] for field in line.split(";")]
        commas = [field for field in fields if re.fullmatch(r"-?\d+,\d+", field)]
        thousands = any(re.fullmatch(r"-?\d{1,3}(,\d{3})+", f) or re.fullmatch(r"-?\d+\.\d+", f) for f in fields)
        return 'sep=";", decimal=","' if commas else 'sep=";"', not (commas and thousands)
    noted = len(list(itertools.takewhile(lambda line: line.startswith("#"), lines)))
    if noted and _is_table(lines[noted:], ",") and not any("#" in line for line in lines[noted:]):
        return f"skiprows={noted}", True
    start = next((n for n in range(1, min(len(lines), 20)) if _is_table(lines[n:], ",")), 0)
    if not start or lines[start].count(",") <= max(line.count(",") for line in lines[:start]):
        return "", False
    names = {name.strip().strip('"') for name in lines[start].split(",")}
    read = {n.value for n in context.walk_notebook() if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    return f"skiprows={start}", bool(names & read)


def _is_table(lines: Sequence[str], separator: str) -> bool:
    """Whether a line of names stands above rows that all have as many fields."""
    rows = [line.count(separator) for line in lines if line.strip()]
    names = lines[0].split(separator) if lines else []
    are_names = all(re.search(r"[^\W\d]", name) for name in names) and len(set(names)) == len(names)
    return len(rows) > FEW - 1 and rows[0] > 0 and len(set(rows)) == 1 and are_names
