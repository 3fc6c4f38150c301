"""The half of the rules about values that runs inside a trial kernel: texts, files, iterators, databases.

Sent as the source of a probe (:class:`~jupyter_selfheal.model.Probe`): standard library only. ``argument["question"]`` names a
function of ``QUESTIONS``. It runs in a throw-away fork, so that evaluating an argument of the failing call leaves no trace.
"""

from __future__ import annotations

import ast
import sys
from datetime import datetime
from typing import Any

SIGNS = "“”‘’„«»–—…€£¥§°±²³µ·¿¡™©®•†½¼¾×÷ªº"


def probe(shell: Any, last: Any, argument: Any) -> Any:
    """Answer one question; the entry that the kernel calls."""
    return QUESTIONS[argument["question"]](_space(shell, last, argument.get("place")), argument)


def _space(shell: Any, last: Any, place: Any) -> dict[str, Any]:
    """The namespace, and over it the locals of the failing frame of the user's code."""
    found = dict(shell.user_ns)
    tb = getattr(getattr(last, "error", None), "__traceback__", None)
    function, line = (place or ["", 0])[-2:]
    while tb is not None:
        if tb.tb_lineno == line and tb.tb_frame.f_code.co_name == function and function != "<module>":
            found.update(tb.tb_frame.f_locals)
        tb = tb.tb_next
    return found


def _texts(value: Any) -> list[str]:
    """The texts that a value is or holds (a list, a column), at most 5,000."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, (list, tuple)) or hasattr(value, "tolist"):
        return [v for v in list(value)[:5000] if isinstance(v, str)]
    return []


def literal(space: dict[str, Any], argument: Any) -> Any:
    """The type's name of the Python literal that each text of an expression writes; empty where one of them is none."""
    found = {type(ast.literal_eval(text.strip())).__name__ for text in _texts(eval(argument["expression"], space))}
    return found.pop() if len(found) == 1 else ""


def formats(space: dict[str, Any], argument: Any) -> Any:
    """Which of the formats of dates fit every text of an expression."""
    texts = _texts(eval(argument["expression"], space))
    return [f for f in argument["formats"] if texts and all(_fits(text, f) for text in texts)]


def _fits(text: str, wanted: str) -> bool:
    try:
        datetime.strptime(text.strip(), wanted)
    except ValueError:
        return False
    return True


def tables(space: dict[str, Any], argument: Any) -> Any:
    """The tables of every open SQLite connection → their columns."""
    import sqlite3

    found: dict[str, list[str]] = {}
    for value in list(space.values()):
        con = value.connection if isinstance(value, sqlite3.Cursor) else value
        if not isinstance(con, sqlite3.Connection):
            continue
        for (name,) in con.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')").fetchall():
            quoted = '"' + name.replace('"', '""') + '"'
            found[name] = [row[1] for row in con.execute(f"PRAGMA table_info({quoted})").fetchall()]
    return found


def properties(space: dict[str, Any], argument: Any) -> Any:
    """What a class of Matplotlib takes by ``set``: its properties, and the parameters of its constructor."""
    import inspect

    for name, module in list(sys.modules.items()):
        found = getattr(module, argument["name"], None) if name.startswith("matplotlib.") else None
        if isinstance(found, type):
            own = set(inspect.signature(found).parameters) - {"self", "args", "kwargs"}
            return sorted({m[4:] for m in dir(found) if m.startswith("set_") and callable(getattr(found, m))} | own)
    return []


def decodes(space: dict[str, Any], argument: Any) -> Any:
    """Which encodings decode a whole file (first 32 MB): [name, odd characters, letters that stick out].

    Odd are control characters and signs that text rarely has; letters beyond ASCII stick out where they are not within
    words of ASCII letters (Cyrillic read as Windows-1252 makes whole words of them).
    """
    path = eval(argument["expression"], space)
    if isinstance(path, (bytes, bytearray)):
        raw = bytes(path[: 32 << 20])
    else:
        with open(path, "rb") as stream:
            raw = stream.read(32 << 20)
    found = []
    for name in argument["encodings"]:
        try:
            text = raw.decode(name)
        except (UnicodeError, LookupError):
            continue
        odd = sum(1 for c in text if (ord(c) < 32 and c not in "\r\n\t\f") or 127 <= ord(c) < 160)
        odd += sum(1 for c in text if ord(c) > 160 and not c.isalpha() and c not in SIGNS)
        runs = [w for w in "".join(c if c.isalpha() else " " for c in text).split() if not w.isascii()]
        out = sum(1 for w in runs if len(w) > 2 and sum(ord(c) > 127 for c in w) * 2 > len(w))
        found.append([name, odd, out])
    return {"found": found, "start": list(raw[:4]), "size": len(raw)}


def exhausted(space: dict[str, Any], argument: Any) -> Any:
    """Which of the names are bound to iterators that have nothing left (each is asked for one item)."""
    found = []
    for name in argument["names"]:
        value = space.get(name)
        if value is None or not (hasattr(value, "__next__") and iter(value) is value):
            continue
        try:
            next(value)
        except StopIteration:
            found.append(name)
        except Exception:
            continue
    return found


QUESTIONS = {f.__name__: f for f in (literal, formats, tables, properties, decodes, exhausted)}
