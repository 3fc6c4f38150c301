"""FIL110: a file that is written into a folder which is not there."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import add_import
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.near_file import list_near_files
from jupyter_selfheal.model import Applicability, Patch

_WRITES = re.compile(
    r"to_(?:csv|excel|json|parquet|pickle|feather|hdf|html|latex|markdown|stata|xml|file|netcdf|zarr|image)|save\w*|write\w*|im(?:save|write)|dump"
)
"""Methods and functions that write into the file they are given."""
_QUOTED = re.compile(r"""directory: (['"])(?P<path>.+)\1""")

_WORKING = ("../working", "/kaggle/working")
_INPUT = re.compile(r"(?:\.\.|/kaggle)/input/")
_IN_WORKING = re.compile(r"(?:\.\.|/kaggle)/working/(?=.)")
_IN_WORKING_QUOTED = re.compile(r"^(\w*['\"]+)(?:\.\.|/kaggle)/working/")


class MissingFolder(Rule):
    """Make the folder that a file is written into.

    **Failure** `FileNotFoundError: No such file or directory: 'figures/out.png'`, or pandas' `OSError: Cannot save file into a
    non-existent directory`, at a call that writes the file.

    **Fix** `os.makedirs("figures", exist_ok=True)` above. Of a notebook from Kaggle, which reads from `../input`, the folder `../working` is its own:
    `"../working/out.csv"` becomes `"out.csv"`.

    **Fix safety** Safe for Kaggle's `working`, as the file lands beside the notebook, where it did, and none is there that it would be written over. Else unsafe: a folder is made on your disk. Silent where a folder or file of a near name is there, for the name is then misspelt,
    and for folders outside of the notebook's own.
    """

    code = "FIL110"
    name = "folder that is not there"
    enames = frozenset({"FileNotFoundError", "OSError"})
    applicability = Applicability.UNSAFE
    why = "A folder is made on your disk."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        folder = find_missing_folder(context)
        if folder.rstrip("/") in _WORKING and (patch := self._write_beside(context)):
            yield patch
            return
        if not folder or folder.startswith(("/", "~", "..")) or ":" in folder or list_near_files(context, folder):
            return
        source, line = context.failure.source, f"import os\nos.makedirs({folder!r}, exist_ok=True)"
        yield self.patch(
            context.replace(context.failure.cell_id, [add_import(source, line)]),
            f"Make the folder `{folder}` first",
            f"The folder `{folder}` is not there, and the cell writes a file into it.",
            prior=0.7,
        )

    def _write_beside(self, context: RuleContext) -> Patch | None:
        """On Kaggle a notebook lies in the folder `working`, beside `input`."""
        if not any(_INPUT.search(cell.source) for cell in context.notebook.cells if cell.kind == "code"):
            return None
        texts = [n for n in context.walk(ast.Constant) if isinstance(n.value, str) and _IN_WORKING.match(n.value)]
        splices = [(*context.span(n), _IN_WORKING_QUOTED.sub(r"\1", context.text(n))) for n in texts]
        found = [s for s in splices if s[2].strip("rRbBuU")[1:-1]]
        if not found or len(found) < len(splices):
            return None
        is_there = any(
            context.is_true(f"__import__('os').path.lexists({_IN_WORKING.sub('', str(n.value))!r})") for n in texts
        )
        return self.patch(
            context.replace(context.cell_id, found),
            f"Write beside the notebook: {found[0][2]}",
            "The folder `working` is the notebook's own on Kaggle, and is not there.",
            applicability=Applicability.UNSAFE if is_there else Applicability.SAFE,
            why="A file of that name is beside the notebook, and would be written over."
            if is_there
            else "On Kaggle a notebook runs in the folder `working`, beside `input` (https://www.kaggle.com/docs/notebooks).",
            prior=0.5 if is_there else 0.9,
        )


def find_missing_folder(context: RuleContext) -> str:
    """The folder of a file that the failing call was to write, as the notebook writes it; empty where it reads, also in a line that writes
    what was read (``pd.read_csv("data/in.csv").to_csv("out.csv")``)."""
    found = _QUOTED.search(context.failure.evalue)
    calls = [n for n in context.list_failing_nodes(ast.Call) if _is_writing(n)]
    if found is None or not calls:
        return ""
    path = found["path"]
    if "non-existent directory" in context.failure.evalue:
        return path
    texts = [n.value for call in calls for n in ast.walk(call) if isinstance(n, ast.Constant) and type(n.value) is str]
    written = next((t for t in texts if "/" in t and path.endswith(t)), path)
    return posixpath.dirname(written)


def _is_writing(call: ast.Call) -> bool:
    name = read_last_name(call.func) or ""
    if name != "open":
        return _WRITES.fullmatch(name) is not None
    modes = [*call.args[isinstance(call.func, ast.Name) :][:1], *(k.value for k in call.keywords if k.arg == "mode")]
    return any(isinstance(m, ast.Constant) and isinstance(m.value, str) and m.value[:1] in "wax" for m in modes)
