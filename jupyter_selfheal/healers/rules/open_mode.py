"""FIL104: a file that is written to, and was opened for reading."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch

WRITES = frozenset({"write", "writelines", "writerow", "writerows", "writeheader", "dump"})
READS = frozenset({"read", "readline", "readlines", "load", "reader", "DictReader"})


class OpenMode(Rule):
    """Open a file for writing that is written to, for reading that is read, and for text or bytes as is written.

    **Failure** `FileNotFoundError` at `open("out.txt")`, or `UnsupportedOperation: not writable`, where the cell writes into the file
    and reads nothing of it; `not readable` where it only reads; `a bytes-like object is required, not 'str'` at `json.dump(data, f)`, `write() argument must be str, not bytes` at `f.write(data)`.

    **Fix** `open("out.txt", "w")`. For `open("out.csv", "wb")`, which text is written to by `csv.writer` as in Python 2, `open("out.csv", "w", newline="")`, and
    `"r"` for `"rb"` where `csv.reader` reads it. `"wb"` and `"rb"` for a file that `pickle` is given. `"r"` for what is only read, `"w"` for text that is written to a file of bytes, `"wb"` for bytes.

    **Fix safety** Safe where the file does not exist: there is nothing to read, and nothing is lost. Unsafe where it exists, or is
    opened in a loop or a function, and so perhaps again: `"w"` would empty it, and `"a"` may be meant. Safe for a file of bytes that `csv` is given: it
    takes text only. So it is for a file of text that `pickle` is given, which takes bytes only, and for what else is only read, or written; unsafe where the cell, which opened the file with `"w"`, has emptied it already. Silent for bytes where `open` is given an encoding.
    """

    code = "FIL104"
    name = "mode of an open file"
    enames = frozenset({"FileNotFoundError", "UnsupportedOperation", "TypeError", "Error", "UnicodeDecodeError"})
    applicability = Applicability.SAFE
    why = "The cell only writes into the file, which is not there yet."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if context.failure.ename in ("TypeError", "Error", "UnicodeDecodeError"):
            yield from self._open_for_pickle(context)
            yield from self._open_as_text(context)
            yield from self._open_as_written(context)
            return
        if "not readable" in context.failure.evalue:
            yield from self._open_for_reading(context)
            return
        if context.failure.ename == "UnsupportedOperation" and "not writable" not in context.failure.evalue:
            return
        absent = context.failure.ename == "FileNotFoundError"
        for call, name in _list_opened(context.tree):
            on_line = call.lineno <= context.line <= (call.end_lineno or call.lineno)
            if (absent and not on_line) or not _only_written(context.tree, name):
                continue
            again = _is_repeated(context, call)
            end = context.span(call.args[0])[1]
            mode = _find_mode(call)
            change = (end, end, ', "w"') if mode is None else (*context.span(mode), '"w"')
            yield self.patch(
                context.replace(context.cell_id, [change]),
                'Open the file with mode "w"',
                f"`{name}` is open for reading, not for writing.",
                applicability=Applicability.SAFE if absent and not again else Applicability.UNSAFE,
                why=self.why if absent and not again else AGAIN if absent else EXISTS,
                prior=0.9 if absent and not again else 0.6,
            )
            return

    def _open_for_reading(self, context: RuleContext) -> Iterator[Patch]:
        """``open(path, "w")`` of a file that is only read."""
        for call, name in _list_opened(context.tree, WRITING):
            mode = _find_mode(call)
            if not isinstance(mode, ast.Constant) or not _is_only_read(context.tree, name):
                continue
            new = '"rb"' if "b" in str(mode.value) else '"r"'
            is_lost = "w" in str(mode.value) and _is_empty(context, call.args[0])
            yield self.patch(
                context.replace_here((*context.span(mode), new)),
                f"Open the file with mode {new}",
                f"`{name}` is open for writing, not for reading{', and that has emptied the file' if is_lost else ''}.",
                applicability=Applicability.UNSAFE if is_lost else Applicability.SAFE,
                why=EMPTIED if is_lost else "The cell only reads the file.",
                prior=0.93,
            )
            return

    def _open_as_written(self, context: RuleContext) -> Iterator[Patch]:
        """``json.dump(data, f)`` into a file of bytes, ``f.write(data)`` of bytes into one of text."""
        is_text = BYTES.search(context.failure.evalue) is not None
        if not is_text and "write() argument must be str, not bytes" not in context.failure.evalue:
            return
        for call in context.list_calls_at_failure():
            owner = call.func.value if isinstance(call.func, ast.Attribute) else None
            files = [owner, *call.args[1:2], *(k.value for k in call.keywords if k.arg in ("fp", "file"))]
            named = {n.id for n in files if isinstance(n, ast.Name)}
            opened = [p for p in _list_opened(context.tree, WRITING) if p[1] in named and p[0].lineno <= call.lineno]
            mode = (
                _find_mode(opened[-1][0])
                if opened and read_last_name(call.func) in (WRITES, ("dump",))[is_text]
                else None
            )
            if (
                not isinstance(mode, ast.Constant)
                or ("b" in str(mode.value)) is not is_text
                or _is_of_pickle(context, call)
            ):
                continue
            if not is_text and any(k.arg != "mode" for k in opened[-1][0].keywords):
                return  # an encoding says that text is meant
            new = f'"{str(mode.value)[0]}{"" if is_text else "b"}"'
            yield self.patch(
                context.replace_here((*context.span(mode), new)),
                f"Open the file with mode {new}",
                f"`{opened[-1][1]}` is open for {'bytes' if is_text else 'text'}, and what is written is {'text' if is_text else 'bytes'}.",
                why="The file is written in this cell, and takes what is written only so.",
                prior=0.9,
            )
            return

    def _open_for_pickle(self, context: RuleContext) -> Iterator[Patch]:
        """``pickle.dump(model, open(path, "w"))``: Python 2 told texts and bytes apart on Windows alone."""
        if not PICKLED.search(context.failure.evalue) and context.failure.ename != "UnicodeDecodeError":
            return
        called = [c for c in context.list_calls_at_failure() if _is_of_pickle(context, c)]
        for call in called[:1]:
            at = 1 if read_last_name(call.func) == "dump" else 0
            file = next((k.value for k in call.keywords if k.arg == "file"), None) or next(
                iter(call.args[at : at + 1]), None
            )
            pairs = [(c, ast.unparse(c)) for c in [file] if isinstance(c, ast.Call) and _is_opened(c, TEXTUAL)]
            named = file.id if isinstance(file, ast.Name) else ""
            pairs += [p for p in _list_opened(context.tree, TEXTUAL) if p[1] == named and p[0].lineno <= call.lineno][
                -1:
            ]
            for opened, name in pairs:
                mode = _find_mode(opened)
                letter = str(mode.value)[0] if isinstance(mode, ast.Constant) else "r"
                end = context.span(opened.args[0])[1]
                change = (end, end, ', "rb"') if mode is None else (*context.span(mode), f'"{letter}b"')
                yield self.patch(
                    context.replace_here(change),
                    f'Open the file with mode "{letter}b"',
                    f"`{name}` is open for text, and a pickle is made of bytes.",
                    why="`pickle` takes files of bytes only.",
                    prior=0.95,
                )
                return

    def _open_as_text(self, context: RuleContext) -> Iterator[Patch]:
        """``open(path, "wb")`` for ``csv``, as Python 2 wanted it."""
        if not BYTES.search(context.failure.evalue):
            return
        for call, name in _list_given_to_csv(context.tree):
            mode = _find_mode(call)
            if not isinstance(mode, ast.Constant):
                continue
            letter = str(mode.value)[0]
            newline = "" if any(k.arg == "newline" for k in call.keywords) else ', newline=""'
            yield self.patch(
                context.replace(context.cell_id, [(*context.span(mode), f'"{letter}"{newline}')]),
                f'Open the file as text, with mode "{letter}"',
                f"`{name}` is open for bytes, and `csv` works with text since Python 3.",
                why='`csv` takes text only, and its files are opened with `newline=""`.',
                prior=0.93,
            )
            return


PICKLED = re.compile(r"write\(\) argument must be str, not bytes|a bytes-like object is required, not 'str'")
TEXTUAL = ("r", "rt", "rU", "w", "wt", "a")


def _is_of_pickle(context: RuleContext, call: ast.Call) -> bool:
    """Whether `dump` or `load` of `pickle` is called with an open file and without what says how its bytes are read."""
    if read_last_name(call.func) not in ("dump", "load") or any(k.arg in ("encoding", "errors") for k in call.keywords):
        return False
    path = context.describe_all([call.func])[0].path
    return path.split(".")[0] in ("pickle", "_pickle", "cPickle", "dill", "cloudpickle")


BYTES = re.compile(r"a bytes-like object is required, not 'str'|iterator should return strings, not bytes")
WRITING = ("w", "wt", "a", "at", "x", "wb", "ab", "xb")
BINARY = ("wb", "ab", "rb", "wb+", "rbU")
EMPTIED = "What stood in the file is gone since the cell ran: put it back first, or an empty file is read."
EXISTS = 'The file exists: "w" empties it, and "a" may be meant.'
AGAIN = 'The file is perhaps opened more than once: "w" empties it each time, and "a" may be meant.'


def _is_empty(context: RuleContext, path: ast.expr) -> bool:
    """Whether the file is there and empty, seen from outside of the trials, whose own writes are thrown away: the cell emptied it as it ran."""
    value = None if isinstance(path, ast.Constant) else context.values([context.text(path)])[0]
    name = (
        str(path.value)
        if isinstance(path, ast.Constant)
        else value.text.rpartition("(")[2].strip("')")
        if value
        else ""
    )
    try:
        return bool(name) and Path(context.notebook.folder or ".", name).stat().st_size == 0
    except OSError:
        return False


def _list_given_to_csv(tree: ast.AST) -> Iterator[tuple[ast.Call, str]]:
    """Calls of ``open`` for bytes whose file a reader or writer of `csv` is given, by a name or as it is opened, with what to call it."""
    names = ("writer", "DictWriter", "reader", "DictReader")
    calls = (n for n in ast.walk(tree) if isinstance(n, ast.Call) and read_last_name(n.func) in names)
    given = [call.args[0] for call in calls if call.args]
    named = {node.id for node in given if isinstance(node, ast.Name)}
    yield from (pair for pair in _list_opened(tree, BINARY) if pair[1] in named)
    yield from ((n, ast.unparse(n)) for n in given if isinstance(n, ast.Call) and _is_opened(n, BINARY))


def _is_repeated(context: RuleContext, call: ast.Call) -> bool:
    """True within a loop or a function."""
    start, end = context.span(call)
    around = context.walk(ast.For, ast.While, ast.FunctionDef)
    return any(first <= start and end <= last for first, last in map(context.span, around))


def _list_opened(tree: ast.AST, modes: tuple[str, ...] = ("r", "rt")) -> Iterator[tuple[ast.Call, str]]:
    """Calls of ``open`` in one of the modes (for reading), with the name that the file is bound to."""
    for node in ast.walk(tree):
        pairs: list[tuple[ast.expr, ast.expr | None]] = []
        if isinstance(node, ast.With):
            pairs = [(item.context_expr, item.optional_vars) for item in node.items]
        elif isinstance(node, ast.Assign):
            pairs = [(node.value, node.targets[0])]
        for value, target in pairs:
            if isinstance(value, ast.Call) and isinstance(target, ast.Name) and _is_opened(value, modes):
                yield value, target.id


def _is_opened(call: ast.Call, allowed: tuple[str, ...]) -> bool:
    """Whether ``open`` is called in one of the modes; where none is given, for reading."""
    if not isinstance(call.func, ast.Name) or call.func.id != "open" or not call.args:
        return False
    modes = [*call.args[1:2], *(k.value for k in call.keywords if k.arg == "mode")]
    return bool(modes or "r" in allowed) and all(isinstance(m, ast.Constant) and m.value in allowed for m in modes)


def _find_mode(call: ast.Call) -> ast.expr | None:
    """What ``open`` is given as the mode."""
    return next((k.value for k in call.keywords if k.arg == "mode"), None) or next(iter(call.args[1:2]), None)


def _is_only_read(tree: ast.AST, name: str) -> bool:
    """True where something is read from the file of that name, and it is given to nothing that could write into it."""
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call)]
    about = [
        c
        for c in calls
        if any(
            isinstance(n, ast.Name) and n.id == name
            for n in (getattr(c.func, "value", None), *c.args, *(k.value for k in c.keywords))
        )
    ]
    loops = [
        n for n in ast.walk(tree) if isinstance(n, ast.For | ast.comprehension) and getattr(n.iter, "id", "") == name
    ]
    return bool(about or loops) and all(read_last_name(c.func) in (*READS, "list", "enumerate", "close") for c in about)


def _only_written(tree: ast.AST, name: str) -> bool:
    """True where something is written into the file of that name, and nothing read from it."""
    writes = False
    for node in ast.walk(tree):
        if isinstance(node, ast.For) and isinstance(node.iter, ast.Name) and node.iter.id == name:
            return False
        if not isinstance(node, ast.Call):
            continue
        called = read_last_name(node.func)
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        about = [n.id for n in (owner, *node.args, *(k.value for k in node.keywords)) if isinstance(n, ast.Name)]
        if name in about and called in READS:
            return False
        writes = writes or (name in about and (called in WRITES or (called == "print" and owner is None)))
        writes = writes or (name in about and called in ("writer", "DictWriter"))
    return writes
