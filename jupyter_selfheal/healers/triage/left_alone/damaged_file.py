"""A file of data that is damaged, and that no cell may have written so."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Collection, Sequence
from pathlib import Path

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RuleContext
from jupyter_selfheal.healers.rules.context.nodes import Function, read_last_name
from jupyter_selfheal.healers.rules.context.replay import list_statements_above
from jupyter_selfheal.healers.triage.left_alone._checks import Remedies, leave_alone
from jupyter_selfheal.inside.tree_names import read_called_name
from jupyter_selfheal.model import Diagnosis, SkipReason

_BEGINS_WELL = re.compile(r"(?!Extra data)(?!.*\(char 0\)).*line (\d+) column (\d+)")
"""What `json` says of a text that begins as JSON and goes wrong later: neither a file of several texts nor one that was read before."""

_UNEVEN = re.compile(r"Expected (\d+) fields in line (\d+), saw (\d+)")
"""What pandas says of a line that has more fields than the others."""

_POINTER = b"version https://git-lfs.github.com/spec/"
"""How the file begins that git has in the place of one that Git LFS keeps."""

_FILE = re.compile(r"[^\n]*\.\w{2,8}")

_OF_DATA = re.compile(r"(?:Key|Value|Index|Parser|EmptyData|Unpickling|JSONDecode|UnicodeDecode|OS)Error|BadZipFile")
"""Errors that data come to which are others than were meant."""

_MODE = re.compile(r"[wax][bt+]*|r[bt]*\+[bt]*")
"""How a file is opened to be written."""

_WRITING = re.compile(r"dump$|write|save|copy|move|rename|export|download|retrieve|extract|to_json$")
"""Names of what writes a file that its arguments name, or stand for."""

_MOST_LINES = 100_000
"""How many lines of a file are looked at."""

_PATHS = frozenset({"Path", "PurePath", "join", "str", "abspath", "resolve", "expanduser"})
"""What makes a path of one."""

_FOREIGN = re.compile(r"\s*%%(?:writefile|file|bash|sh|script)\b")
"""Magics whose cell is no Python, and may write any file that it names."""

_SHELL = re.compile(r"[^#'\"]*!(?!\s*(?:cat|head|tail|ls|wc|less|file|jq)\b[^>]*$)")
"""A line for the shell that may do more than to show a file."""


def diagnose_damaged_file(context: RuleContext, remedies: Remedies) -> Diagnosis | None:
    """A JSON file that is no JSON from some line on, and that no cell writes."""
    at = _BEGINS_WELL.match(context.failure.evalue) if context.failure.ename == "JSONDecodeError" else None
    call = (
        next((c for c in context.list_calls_at_failure() if read_last_name(c.func) == "load" and c.args), None)
        if at
        else None
    )
    name = _find_file_name(context, call.args[0]) if call is not None else ""
    cells = [c.source for c in context.notebook.cells if c.kind == "code"]
    if at is None or not name or may_be_written(cells, Path(name).name) or remedies.has_remedy(context):
        return None
    problem = context.failure.evalue.partition(":")[0]
    return leave_alone(
        f"The file {name} is damaged: it is no JSON from line {at[1]}, column {at[2]} on ({problem}).", SkipReason.BAD_DATA,
        f"Restore {name} from a copy, or correct it there.", confidence=90,
    )  # fmt: skip


def diagnose_empty_file(context: RuleContext, remedies: Remedies) -> Diagnosis | None:
    """A table's file with nothing in it, or one that is said to be a database and is none, and that no cell writes."""
    told = f"{context.failure.ename}: {context.failure.evalue}"
    call = next(
        (c for c in context.list_calls_at_failure() if read_last_name(c.func).startswith("read_") and c.args), None
    )
    if told.startswith("EmptyDataError: No columns") and call is not None:
        name, what = _read_path(context, call.args[0]), "is empty"
    elif told == "DatabaseError: file is not a database":
        opened = [
            n
            for n in context.walk_notebook()
            if isinstance(n, ast.Call) and read_last_name(n.func) == "connect" and n.args
        ]
        name, what = _read_path(context, opened[0].args[0]) if len(opened) == 1 else "", "is no database"
    else:
        return None
    cells = [c.source for c in context.notebook.cells if c.kind == "code"]
    if not name or (what == "is empty" and may_be_written(cells, Path(name).name)) or remedies.has_remedy(context):
        return None
    return leave_alone(f"The file {name} {what}.", SkipReason.BAD_DATA, f"Restore {name} from a copy.", confidence=90)


def diagnose_pointer(context: RuleContext, remedies: Remedies) -> Diagnosis | None:
    """A file whose values the failing cell reads, and in whose place git has a pointer of Git LFS."""
    told = f"{context.failure.ename}: {context.failure.evalue}"
    if not _OF_DATA.match(told) and "'DataFrame' object has no attribute" not in told:
        return None
    nodes = (n for _, _, statement in list_statements_above(context) for n in ast.walk(statement))
    texts = (n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str))
    name = next((t for t in texts if _FILE.fullmatch(t) and _is_pointer(Path(context.notebook.folder or ".", t))), "")
    if not name or remedies.has_safe_remedy(context):
        return None
    return leave_alone(
        f"The file {name} is not there: git has a pointer of Git LFS in its place.",
        SkipReason.MISSING_DATA,
        "`git lfs pull` brings it.",
    )


def _is_pointer(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_POINTER)) == _POINTER
    except (OSError, ValueError):
        return False


def _read_path(context: RuleContext, given: ast.expr) -> str:
    """The path that an expression is; empty where that cannot be told."""
    if isinstance(given, ast.Constant):
        return str(given.value)
    live = context.values([given.id])[0] if isinstance(given, ast.Name) else None
    told = re.search(r"'([^']+)'", live.text) if live is not None else None
    return told[1] if told is not None else ""


def diagnose_uneven_line(context: RuleContext, remedies: Remedies) -> Diagnosis | None:
    """A line of a table's file with more fields than nearly all the others have."""
    told = _UNEVEN.search(context.failure.evalue) if context.failure.ename == "ParserError" else None
    calls = context.list_calls_at_failure() if told is not None else []
    call = next((c for c in calls if read_last_name(c.func) in ("read_csv", "read_table") and c.args), None)
    path = call.args[0] if call is not None else None
    if told is None or not (isinstance(path, ast.Constant) and isinstance(path.value, str)):
        return None
    name, fields, line = path.value, int(told[1]), int(told[2])
    cells = [c.source for c in context.notebook.cells if c.kind == "code"]
    try:
        with Path(context.notebook.folder or ".", name).open(encoding="utf-8", errors="replace") as file:
            lines = [text.rstrip("\n") for text in itertools.islice(file, _MOST_LINES)]
    except OSError:
        return None
    if fields < 2 or line > len(lines) or may_be_written(cells, Path(name).name):
        return None
    sign = max(",;\t|", key=lines[line - 1].count)
    longer = sum(text.count(sign) >= fields for text in lines)
    if lines[line - 1].count(sign) < fields or longer * 4 > len(lines) or remedies.has_remedy(context):
        return None
    return leave_alone(
        f"Line {line} of {name} has {told[3]} fields where the lines above have {fields}: `{lines[line - 1][:80]}`.", SkipReason.BAD_DATA,
        f'Correct that line of {name}, or decide that such lines are left out: `on_bad_lines="skip"`.', confidence=88,
    )  # fmt: skip


def _find_file_name(context: RuleContext, given: ast.expr) -> str:
    """The name of the file that an expression has open, or opens; empty where that cannot be told."""
    if isinstance(given, ast.Call) and read_last_name(given.func) == "open" and given.args:
        path = given.args[0]
        return path.value if isinstance(path, ast.Constant) and isinstance(path.value, str) else ""
    live = context.values([given.id])[0] if isinstance(given, ast.Name) else None
    opened = re.search(r"TextIOWrapper name='([^']+)'", live.text) if live is not None else None
    return opened[1] if opened else ""


def may_be_written(sources: Sequence[str], name: str) -> bool:
    """Whether one of the cells names the file, or a variable that holds its name, and writes a file.

    ``name``: that of the file, without its folder.
    """
    holders = _list_holders(sources, name)
    named = re.compile(r"(?<![\w-])(?:" + "|".join(map(re.escape, [name, *sorted(holders)])) + r")(?!\w)")
    nodes = [n for source in sources for n in src.walk(source)]
    writers = {f.name for f in nodes if isinstance(f, Function) and any(_writes_file(n, ()) for n in ast.walk(f))}
    return any(named.search(source) and _writes_in(source, named, writers) for source in sources)


def _list_holders(sources: Sequence[str], name: str) -> set[str]:
    """Variables that hold the file's name, or a path that ends in it."""
    holders = set[str]()
    for node in (n for source in sources for n in src.walk(source) if isinstance(n, ast.Assign)):
        parts = list(ast.walk(node.value))
        is_path = all(read_called_name(n) in _PATHS for n in parts if isinstance(n, ast.Call))
        if is_path and any(_names_file(n, name) or getattr(n, "id", "") in holders for n in parts):
            holders.update(t.id for t in node.targets if isinstance(t, ast.Name))
    return holders


def _names_file(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and Path(node.value).name == name


def _writes_in(source: str, named: re.Pattern[str], writers: Collection[str]) -> bool:
    is_written_out = _FOREIGN.match(source) is not None
    is_by_shell = any(_SHELL.match(line) and named.search(line) for line in source.splitlines())
    return is_written_out or is_by_shell or any(_writes_file(n, writers) for n in src.walk(source))


def _writes_file(node: ast.AST, writers: Collection[str]) -> bool:
    """Whether it is a call that writes a file; ``writers``: functions of the notebook that do."""
    if not isinstance(node, ast.Call):
        return False
    name = read_called_name(node)
    if name == "open":
        given = (*node.args, *(k.value for k in node.keywords if k.arg == "mode"))
        modes = (n.value for n in given if isinstance(n, ast.Constant) and isinstance(n.value, str))
        return any(_MODE.fullmatch(mode) for mode in modes)
    return name in writers or bool(_WRITING.search(name) and node.args)
