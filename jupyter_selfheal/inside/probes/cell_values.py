"""Questions of rules about values: texts, files, iterators, databases.

Sent as the source of a probe (:class:`~jupyter_selfheal.model.Probe`): standard library only. It runs in a throw-away fork,
so that evaluating an argument of the failing call leaves no trace.
"""

from __future__ import annotations

import ast
import re
import sys
from datetime import datetime
from typing import Any

from jupyter_selfheal.inside.probes.failure_state import FailureState, answer, question

probe = answer

SIGNS = "“”‘’„«»–—…€£¥§°±²³µ·¿¡™©®•†½¼¾×÷ªº"


def _list_texts(value: Any) -> list[str]:
    """The texts that a value is or holds (a list, a column), at most 5,000."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, (list, tuple)) or hasattr(value, "tolist"):
        return [v for v in list(value)[:5000] if isinstance(v, str)]
    return []


@question
def name_literal(state: FailureState, expression: str) -> Any:
    """The type's name of the Python literal that each text of an expression writes; empty where one of them is none."""
    texts = _list_texts(state.evaluate(expression, True))
    types = {type(ast.literal_eval(text.strip())).__name__ for text in texts}
    return types.pop() if len(types) == 1 else ""


@question
def select_date_formats(state: FailureState, expression: str, formats: list[str]) -> Any:
    """Which of the formats of dates fit every text of an expression."""
    texts = _list_texts(state.evaluate(expression, True))
    return [f for f in formats if texts and all(_fits_format(text, f) for text in texts)]


def _fits_format(text: str, date_format: str) -> bool:
    if date_format.startswith("%Y%m%d") and not re.match(r"\s*\d{8}", text):
        return False  # `210413` would be in the year 2104
    try:
        datetime.strptime(text.strip(), date_format)
    except ValueError:
        return False
    return True


@question
def list_sqlite_tables(state: FailureState) -> Any:
    """The tables of every open SQLite connection → their columns."""
    import sqlite3

    tables: dict[str, list[str]] = {}
    for value in list(state.namespace.values()):
        con = value.connection if isinstance(value, sqlite3.Cursor) else value
        if not isinstance(con, sqlite3.Connection):
            continue
        for (name,) in con.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')").fetchall():
            quoted = '"' + name.replace('"', '""') + '"'
            tables[name] = [row[1] for row in con.execute(f"PRAGMA table_info({quoted})").fetchall()]
    return tables


@question
def list_matplotlib_properties(state: FailureState, name: str) -> Any:
    """What a class of Matplotlib takes by ``set``: its properties, and the parameters of its constructor."""
    import inspect

    for path, module in list(sys.modules.items()):
        kind = getattr(module, name, None) if path.startswith("matplotlib.") else None
        if isinstance(kind, type) and hasattr(kind, "set"):  # `dviread` has a `Text` too, which is no artist
            own = set(inspect.signature(kind).parameters) - {"self", "args", "kwargs"}
            return sorted({m[4:] for m in dir(kind) if m.startswith("set_") and callable(getattr(kind, m))} | own)
    return []


@question
def list_decoding(state: FailureState, expression: str, encodings: list[str]) -> Any:
    """Which encodings decode a whole file (first 32 MB): [name, odd characters, letters that stick out].

    Odd are control characters and signs that text rarely has; letters beyond ASCII stick out where they are not within
    words of ASCII letters (Cyrillic read as Windows-1252 makes whole words of them).
    """
    path = state.evaluate(expression, True)
    if isinstance(path, (bytes, bytearray)):
        raw = bytes(path[: 32 << 20])
    else:
        with open(path, "rb") as stream:
            raw = stream.read(32 << 20)
    rows = []
    for name in encodings:
        try:
            text = raw.decode(name)
        except (UnicodeError, LookupError):
            continue
        odd = sum(1 for c in text if (ord(c) < 32 and c not in "\r\n\t\f") or 127 <= ord(c) < 160)
        odd += sum(1 for c in text if ord(c) > 160 and not c.isalpha() and c not in SIGNS)
        runs = [w for w in "".join(c if c.isalpha() else " " for c in text).split() if not w.isascii()]
        out = sum(1 for w in runs if len(w) > 2 and sum(ord(c) > 127 for c in w) * 2 > len(w))
        rows.append([name, odd, out])
    return {"encodings": rows, "start": list(raw[:4]), "size": len(raw)}


@question
def list_exhausted(state: FailureState, names: list[str]) -> Any:
    """Which of the names are bound to iterators that have nothing left (each is asked for one item)."""
    exhausted, namespace = [], state.namespace
    for name in names:
        value = namespace.get(name)
        if value is None or not (hasattr(value, "__next__") and iter(value) is value):
            continue
        try:
            next(value)
        except StopIteration:
            exhausted.append(name)
        except Exception:
            continue
    return exhausted
