"""FIL114: a file of JSON, one value a line, read as one value."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import append_argument
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"^Trailing data|^Extra data")
LARGEST = 50_000_000
"""Bytes of a file that is looked at."""


class JsonLines(Rule):
    """Read each line of the file by itself.

    **Failure** `ValueError: Trailing data` at `pd.read_json("events.jsonl")`, `JSONDecodeError: Extra data` at `json.load(file)`.

    **Fix** `pd.read_json("events.jsonl", lines=True)`; `[json.loads(line) for line in file]`.

    **Fix safety** Safe: there are two lines at least, and each of the file that is not empty is an object or a list by itself. Silent where one is not.
    """

    code = "FIL114"
    name = "lines of JSON"
    enames = frozenset({"ValueError", "JSONDecodeError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "Each line of the file is a value by itself, and the file as a whole is none."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            name = read_last_name(call.func)
            if name not in ("read_json", "load") or not call.args or any(k.arg == "lines" for k in call.keywords):
                continue
            text = context.text(call.args[0])
            if not _holds_lines(context, _find_path(context, call.args[0], text)):
                return
            change, blank = append_argument(context.source, call, "lines=True"), "if line.strip()"
            if name == "load":
                if not isinstance(call.func, ast.Attribute) or call.keywords:
                    return
                one = context.text(call.func.value)
                change = (*context.span(call), f"[{one}.loads(line) for line in {text} {blank}]")
            yield self.patch(
                context.replace_here(change),
                "Read each line by itself",
                "The file has one JSON value a line.",
                prior=0.94,
            )
            return


def _find_path(context: RuleContext, given: ast.expr, text: str) -> str:
    """The path of the file that an expression names, or has open; empty where that cannot be told."""
    if isinstance(given, ast.Constant):
        return str(given.value)
    if isinstance(given, ast.Call) and read_last_name(given.func) == "open" and given.args:
        return _find_path(context, given.args[0], context.text(given.args[0]))
    live = context.values([text])[0] if isinstance(given, ast.Name) else None
    told = (
        re.search(r"TextIOWrapper name='([^']+)'|^'([^']+)'$|Path\('([^']+)'\)", live.text)
        if live is not None
        else None
    )
    return next((g for g in told.groups() if g), "") if told is not None else ""


def _holds_lines(context: RuleContext, path: str) -> bool:
    try:
        file = Path(context.notebook.folder or ".", path)
        if not path or file.stat().st_size > LARGEST:
            return False
        values = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, ValueError):
        return False
    return len(values) > 1 and all(isinstance(v, dict | list) for v in values)
