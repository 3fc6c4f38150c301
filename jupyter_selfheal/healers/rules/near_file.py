"""FIL101: a file whose name or folder is written wrongly."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, questions
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.project import find_missing_path
from jupyter_selfheal.healers.rules.context.spelling import (
    find_nearest,
    is_plain_slip,
    is_proper_name,
    keep_digits,
    normalize,
)
from jupyter_selfheal.healers.rules.local_copy import READERS
from jupyter_selfheal.model import Applicability, Patch

_DIGITS = re.compile(r"\d+")

_OLD = re.compile(
    r"(?i)(?<![a-z])(?:old|archived?|backups?|bak|trash|deprecated|previous|outdated|tests|testdata|fixtures?|mocks?)(?![a-z])"
)
"""Words for folders of what is not in use."""
_ANY = re.compile(
    r"(?i)(?:inputs?|data|datasets?|files?|csvs?|resources?|assets|kaggle|working|content|drive|my ?drive|downloads?|desktop|documents?|home|users?|src|notebooks?)"
)
"""Names of folders that say nothing of what lies in them."""
_PART = re.compile(
    r"(?i)(?<![a-z])(?:train(?:ing)?|test(?:ing|s)?|val(?:id(?:ation)?)?|dev|holdout|raw|processed|clean(?:ed)?|interim|final|outputs?|results?|before|after)(?![a-z])"
)
"""Words of folders that tell one part of the data, or one stage of them, from another."""
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")

_THERE = "__import__('os').path.exists({!r})"

_PROGRAMS = frozenset({".ipynb", ".py", ".pyc", ".html"})
"""Endings of what is beside data and is none: the notebook itself, say, which often bears its data's name."""


class NearFile(Rule):
    """Open the file that is there.

    **Failure** `FileNotFoundError` (or SQLite's `unable to open database file`), where a file of a near name (case, extension, separator, a slip) is in the folder, or the
    very file is elsewhere in the notebook's tree.

    **Fix** The text that names the file or its folder, in whichever cell it stands, is corrected to the existing relative path. `os.chdir("C:/Users/ann/work")`
    becomes `os.chdir(".")` where every file that the cells read by a relative path is here already.

    **Fix safety** Safe where one file only is so near by a slip in case, punctuation or spelling, or where one file of exactly this
    name is in the tree. Unsafe for another extension, where several are near, one of a file for each name (`GOOG.csv`), and where the path names a folder and the file lies in another one in its place (`train/labels.csv`, `test/labels.csv`), in a folder beside the notebook's own, in one of old files or tests, or not in the folder that says which part or stage of the data is meant (`processed/sales.csv`, `2019/sales.csv`). Silent where none is: then data are missing;
    a notebook or a program that bears the name is no data.
    """

    code = "FIL101"
    name = "misspelt or moved file"
    enames = frozenset({"FileNotFoundError", "OSError", "NotADirectoryError", "OperationalError"})
    applicability = Applicability.UNSAFE
    why = "The file is near, but another may have been meant."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        path = _find_database(context) if context.failure.ename == "OperationalError" else find_missing_path(context)
        if path is None:
            return
        known = list_near_files(context, path)[:3]
        yield from () if known else self._stay_here(context, path)
        for nearby, sure in known:
            for cell_id, change in _list_corrections(context, path, nearby):
                yield self.patch(
                    context.replace(cell_id, [change]),
                    f"Open `{nearby}`",
                    f"`{path}` not found. Did you mean `{nearby}`?",
                    applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                    why="One file only fits." if sure else self.why,
                    prior=0.85 if sure else 0.5,
                )
                break

    def _stay_here(self, context: RuleContext, path: str) -> Iterator[Patch]:
        """Work in this folder, where the cell goes into one of another machine."""
        moves = [n for n in context.walk_notebook() if isinstance(n, ast.Call) and read_last_name(n.func) == "chdir"]
        call = next((c for c in context.list_calls_at_failure() if read_last_name(c.func) == "chdir"), None)
        given = call.args[0] if call is not None and len(call.args) == len(moves) == 1 else None
        is_text = isinstance(given, ast.Constant) and given.value == path
        read = _list_read_files(context) if given is not None and is_text and _is_foreign(path) else []
        if given is None or not read or not all(context.is_true(_THERE.format(r)) for r in read):
            return
        wanted = path.replace("\\", "/").rstrip("/")
        is_part = any(_is_in_another_folder(posixpath.join(wanted, r), r) for r in read)
        yield self.patch(
            context.replace_here((*context.span(given), '"."')),
            'Stay in this folder: `os.chdir(".")`',
            f"The folder `{path}` is of another machine. What the cells read there is here: `{read[0]}`.",
            applicability=Applicability.UNSAFE if is_part else Applicability.SAFE,
            why=self.why if is_part else "Every file that the notebook reads by a relative path is in this folder.",
            prior=0.5 if is_part else 0.85,
        )


def _is_foreign(path: str) -> bool:
    return path.startswith(("/", "~")) or ":" in path


def _list_read_files(context: RuleContext) -> list[str]:
    """The files that the notebook's cells read by relative paths that are written out, in their order."""
    calls = [n for n in context.walk_notebook() if isinstance(n, ast.Call) and n.args]
    readers = (c for c in calls if ((name := read_last_name(c.func)) == "open" and len(c.args) == 1) or name in READERS)
    texts = (c.args[0].value for c in readers if isinstance(c.args[0], ast.Constant))
    return list(dict.fromkeys(t for t in texts if isinstance(t, str) and t and not _is_foreign(t)))


def _find_database(context: RuleContext) -> str | None:
    """The path that ``sqlite3.connect`` could not open, as the failing line writes it."""
    if "unable to open database file" not in context.failure.evalue:
        return None
    calls = [n for n in context.list_nodes_on_line(ast.Call) if n.args]
    named = [c.args[0] for c in calls if isinstance(c.func, ast.Attribute) and c.func.attr == "connect"]
    return next((n.value for n in named if isinstance(n, ast.Constant) and isinstance(n.value, str)), None)


def list_near_files(context: RuleContext, path: str) -> list[tuple[str, bool]]:
    """Existing files (or folders) that may be meant, nearest first, each with whether it is the only one so near."""
    wanted = path.replace("\\", "/").rstrip("/")
    if "://" in wanted or not wanted:
        return []
    raw = context.ask(questions.LOOK_AROUND, path=wanted)
    if not isinstance(raw, dict):
        return []
    if raw["exists"]:
        return [(wanted, True)]
    folder, name = posixpath.split(wanted)
    is_program = posixpath.splitext(name)[1] in _PROGRAMS
    beside = [n for n in raw["beside"] if is_program or posixpath.splitext(n)[1] not in _PROGRAMS]
    same = [n for n in beside if normalize(n) == normalize(name)]
    near = same or list(find_nearest(name, beside))
    stem = posixpath.splitext(name)[0]
    other = [n for n in beside if posixpath.splitext(n)[0] == stem or n == stem]
    names: list[tuple[str, bool]] = []
    if near:
        sure = len(near) == 1 and not (_are_of_each(name, beside) and near != same)
        names = [(posixpath.join(folder, n), sure and is_plain_slip(name, n, strict=True)) for n in near[:2]]
    elsewhere = [p for p in raw["named"] if keep_digits(posixpath.basename(p)) == keep_digits(name)]
    names += [(p, len(elsewhere) == 1 and not _is_in_another_folder(wanted, p)) for p in elsewhere[:3]]
    names += [(posixpath.join(folder, n), False) for n in other[:2]]
    return list(dict(reversed(names)).items())[::-1] if names else []


def _are_of_each(name: str, beside: list[str]) -> bool:
    """Whether each of several names has a file (``GOOG.csv``)."""
    ending = posixpath.splitext(name)[1]
    stems = [posixpath.splitext(n)[0] for n in beside if posixpath.splitext(n)[1] == ending]
    return len(stems) > 1 and all(map(is_proper_name, [posixpath.splitext(name)[0], *stems]))


def _is_in_another_folder(wanted: str, found: str) -> bool:
    """Whether a folder takes the place of the one that a path names, other than by a slip: what lies there may be other data of the same name."""
    asked, there = (
        [f for f in posixpath.dirname(p).split("/") if f not in ("", ".", "..") and not _ANY.fullmatch(f)]
        for p in (wanted, found)
    )
    missing, instead = [f for f in asked if f not in there], [f for f in there if f not in asked]
    if any(_OLD.search(f) for f in instead):
        return True
    if instead and found.startswith("../"):
        return True  # beside the notebook's own folder lies what other notebooks read
    is_foreign = _is_foreign(wanted)  # of another machine: most of its folders say nothing
    if not missing or _are_slips(missing, instead):
        return False
    tells_year = bool(instead) or not is_foreign
    tells = any(_PART.search(f) or (tells_year and _YEAR.search(f)) for f in (*instead, missing[-1]))
    return tells or (bool(instead) and not is_foreign)


def _are_slips(missing: list[str], instead: list[str]) -> bool:
    """Whether each folder is another one by a slip alone."""
    return len(missing) == len(instead) and all(
        is_plain_slip(a, b, strict=True) for a, b in zip(missing, instead, strict=True)
    )


def list_files_with_other_numbers(context: RuleContext, path: str) -> list[str]:
    """Files beside a missing one whose names differ from its by numbers alone: other data, which nobody may take for it."""
    raw = context.ask(questions.LOOK_AROUND, path=path.replace("\\", "/"))
    name = posixpath.basename(path.replace("\\", "/"))
    beside = [str(n) for n in raw["beside"]] if isinstance(raw, dict) and "://" not in path else []
    return [n for n in beside if n != name and _DIGITS.sub("0", n) == _DIGITS.sub("0", name)]


def _list_corrections(context: RuleContext, path: str, names: str) -> Iterator[tuple[str, tuple[int, int, str]]]:
    """Where a text of the notebook holds the part of the path that differs: (cell id, splice)."""
    for cell_id in context.list_cells_upwards():
        source = context.source_of(cell_id)
        constants = [
            n for n in src.walk(source) if isinstance(n, ast.Constant) and isinstance(n.value, str) and n.value
        ]
        for node in sorted(constants, key=lambda n: -len(str(n.value))):
            start, end = src.find_span(source, node)
            text = source[start:end]
            if text[-1:] not in "'\"" or text.endswith(('"""', "'''")):
                continue
            for right in _list_replacements(path, names, str(node.value)):
                quote = text[-1]
                if quote not in right and "\\" not in right:
                    yield cell_id, (start, end, f"{quote}{right}{quote}")


def _list_replacements(path: str, names: str, part: str) -> Iterator[str]:
    """What must stand for ``part`` of ``path`` so that the whole becomes ``found``."""
    at = path.rfind(part)
    while at >= 0:
        before, after = path[:at], path[at + len(part) :]
        if names.startswith(before) and names.endswith(after) and len(names) > len(before) + len(after):
            right = names[len(before) : len(names) - len(after)]
            if right != part:
                yield right
        at = path.rfind(part, 0, at)
