"""FIL101: a file whose name or folder is written wrongly."""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules._names import is_plain_slip
from jupyter_selfheal.healers.rules._near import digits, nearest, plain
from jupyter_selfheal.healers.rules._project import ask, missing_path
from jupyter_selfheal.healers.rules._rule import Rule, Scene, nodes_on_line
from jupyter_selfheal.model import Applicability, Patch


class NearFile(Rule):
    """Open the file that is there.

    **Failure** `FileNotFoundError` (or SQLite's `unable to open database file`), where a file of a near name (case, extension, separator, a slip) is in the folder, or the
    very file is elsewhere in the notebook's tree.

    **Fix** The text that names the file or its folder, in whichever cell it stands, is corrected to the existing relative path.

    **Fix safety** Safe where one file only is so near by a slip in case, punctuation or spelling, or where one file of exactly this
    name is in the tree. Unsafe for another extension, and where several are near. Silent where none is: then data are missing.
    """

    code = "FIL101"
    name = "misspelt or moved file"
    enames = frozenset({"FileNotFoundError", "OSError", "NotADirectoryError", "OperationalError"})
    applicability = Applicability.UNSAFE
    why = "The file is near, but another may have been meant."

    def propose(self, scene: Scene) -> Iterator[Patch]:
        path = _database(scene) if scene.failure.ename == "OperationalError" else missing_path(scene)
        for found, sure in near_files(scene, path)[:3] if path else ():
            for cell_id, change in _corrections(scene, path, found):
                yield self.patch(
                    self.replace(scene, cell_id, [change]),
                    f"Open `{found}`",
                    f"There is no `{path}`, but there is `{found}`.",
                    applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                    why="One file only fits." if sure else self.why,
                    prior=0.85 if sure else 0.5,
                )
                break


def _database(scene: Scene) -> str:
    """The path that ``sqlite3.connect`` could not open, as the failing line writes it; empty where it does not."""
    if "unable to open database file" not in scene.failure.evalue:
        return ""
    _, source, line = scene.place()
    calls = [n for n in nodes_on_line(source, line) if isinstance(n, ast.Call) and n.args]
    named = [c.args[0] for c in calls if isinstance(c.func, ast.Attribute) and c.func.attr == "connect"]
    return next((n.value for n in named if isinstance(n, ast.Constant) and isinstance(n.value, str)), "")


def near_files(scene: Scene, path: str) -> list[tuple[str, bool]]:
    """Existing files (or folders) that may be meant, nearest first, each with whether it is the only one so near."""
    wanted = path.replace("\\", "/").rstrip("/")
    if "://" in wanted or not wanted:
        return []
    raw = ask(scene, "around", path=wanted)
    if not isinstance(raw, dict):
        return []
    if raw["exists"]:
        return [(wanted, True)]
    folder, name = posixpath.split(wanted)
    beside = list(raw["beside"])
    same = [n for n in beside if plain(n) == plain(name)]
    near = same or list(nearest(name, beside))
    stem = posixpath.splitext(name)[0]
    other = [n for n in beside if posixpath.splitext(n)[0] == stem or n == stem]
    found: list[tuple[str, bool]] = []
    if near:
        found = [(posixpath.join(folder, n), len(near) == 1 and is_plain_slip(name, n, strict=True)) for n in near[:2]]
    elsewhere = [p for p in raw["named"] if digits(posixpath.basename(p)) == digits(name)]
    found += [(p, len(elsewhere) == 1) for p in elsewhere[:3]]
    found += [(posixpath.join(folder, n), False) for n in other[:2]]
    return list(dict(reversed(found)).items())[::-1] if found else []


def _corrections(scene: Scene, path: str, found: str) -> Iterator[tuple[str, tuple[int, int, str]]]:
    """Where a text of the notebook holds the part of the path that differs: (cell id, splice)."""
    for cell_id in scene.upwards():
        source = scene.source_of(cell_id)
        constants = [
            n for n in src.walk(source) if isinstance(n, ast.Constant) and isinstance(n.value, str) and n.value
        ]
        for node in sorted(constants, key=lambda n: -len(str(n.value))):
            start, end = src.span(source, node)
            text = source[start:end]
            if text[-1:] not in "'\"" or text.endswith(('"""', "'''")):
                continue
            for right in _replacements(path, found, str(node.value)):
                quote = text[-1]
                if quote not in right and "\\" not in right:
                    yield cell_id, (start, end, f"{quote}{right}{quote}")


def _replacements(path: str, found: str, part: str) -> Iterator[str]:
    """What must stand for ``part`` of ``path`` so that the whole becomes ``found``."""
    at = path.rfind(part)
    while at >= 0:
        before, after = path[:at], path[at + len(part) :]
        if found.startswith(before) and found.endswith(after) and len(found) > len(before) + len(after):
            right = found[len(before) : len(found) - len(after)]
            if right != part:
                yield right
        at = path.rfind(part, 0, at)
