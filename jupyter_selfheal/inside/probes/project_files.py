"""Questions of rules about files: what the notebook's own project holds, and where.

Sent as the source of a probe (:class:`~jupyter_selfheal.model.Probe`): standard library only. Nothing is imported and
nothing of the user's is run: files are listed and read.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import sys
from typing import Any

from jupyter_selfheal.inside.probes.failure_state import FailureState, answer, question

probe = answer

SKIPPED = {"node_modules", "__pycache__", "site-packages", "venv", "env", "build", "dist"}
MARKS = re.compile(
    r"\.(git|hg)$|\.gitignore$|(setup|noxfile)\.py$|pyproject\.toml$|setup\.cfg$|environment\.ya?ml$|(LICEN[CS]E|COPYING)\b"
)
"""Files that stand at the top of a project."""

MOST = 20000
"""Files that are looked at in one walk."""


def _list_tops() -> list[str]:
    """The working directory and the folders above it, up to the project's own: where nothing marks it, one folder up."""
    tops = [os.getcwd()]
    while len(tops) < 5:
        here = tops[-1]
        try:
            if any(MARKS.match(name) for name in os.listdir(here)):
                return tops
        except OSError:
            return tops
        above = os.path.dirname(here)
        if above in (here, os.path.expanduser("~"), "/", "/tmp", "/home", "/root"):
            break
        tops.append(above)
    return tops[:2]


def _walk_folders(top: str) -> Any:
    """Folders below one, with what is in them, four deep, without those that hold no work of the user's."""
    seen = 0
    for folder, folders, names in os.walk(top):
        folders[:] = sorted(d for d in folders if not d.startswith(".") and d not in SKIPPED)
        inside = list(folders)
        if os.path.relpath(folder, top).count(os.sep) >= 4:
            folders[:] = []
        seen += len(names) + len(inside)
        yield folder, inside, names
        if seen > MOST:
            return


@question
def find_folders(state: FailureState, module: str) -> Any:
    """Folders of the project with a module or package, relative to the working directory, nearest first."""
    home = os.getcwd()
    holding, loose = [], []
    for folder, folders, names in _walk_folders(_list_tops()[-1]):
        relative = os.path.relpath(folder, home)
        if relative == ".":
            continue
        package = os.path.join(folder, module)
        if module + ".py" in names or os.path.isfile(os.path.join(package, "__init__.py")):
            holding.append(relative)
        elif module in folders and any(n.endswith(".py") for n in os.listdir(package)):
            loose.append(relative)  # a namespace package, if nothing better is there
    return sorted(holding or loose, key=lambda f: (f.count(os.sep), f.count(".."), f))


@question
def weigh_folders(state: FailureState, folders: list[str], modules: dict[str, list[str]], files: list[str]) -> Any:
    """For each folder: [modules of the notebook's that it has and nobody else, names asked of them that are not there, files].

    ``modules`` maps each module that the notebook imports to the names it asks of it. What a module found there imports in turn
    counts too; ``files`` are those that the notebook names.
    """
    return [_weigh_folder(folder, modules, files) for folder in folders]


def _weigh_folder(folder: str, modules: Any, files: Any) -> list[int]:
    wanted, here, lacking = list(modules), set(), 0
    for name in wanted:
        text = _read_module(folder, name)
        if text is None or name in here:
            continue
        here.add(name)
        lacking += sum(1 for n in modules.get(name, ()) if not re.search(r"\b" + re.escape(n) + r"\b", text))
        if len(here) < 30:
            wanted += sorted(_list_imports(text) - set(wanted))
    mine = [f for f in files if not os.path.exists(f) and os.path.exists(os.path.join(folder, f))]
    return [sum(1 for n in here if not _is_installed(n)), lacking, len(mine)]


def _read_module(folder: str, module: str) -> Any:
    for path in (os.path.join(folder, module + ".py"), os.path.join(folder, module, "__init__.py")):
        try:
            with open(path, encoding="utf-8", errors="replace") as stream:
                return stream.read()
        except OSError:
            continue
    return None


def _list_imports(text: str) -> set[str]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return set()
    nodes = list(ast.walk(tree))
    plain = {a.name.split(".")[0] for n in nodes if isinstance(n, ast.Import) for a in n.names}
    return plain | {(n.module or "").split(".")[0] for n in nodes if isinstance(n, ast.ImportFrom) and not n.level}


def _is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


@question
def list_bound_here(state: FailureState, folder: str, paths: list[str], modules: list[str]) -> Any:
    """Which of the relative paths and modules the working directory has, and the folder has not."""
    paths = [p for p in paths if p and not os.path.isabs(p) and "\0" not in p and len(p) < 200]
    there = os.path.realpath(folder)
    here = [
        p
        for p in paths
        if os.path.exists(p) and os.path.realpath(p) != there and not os.path.exists(os.path.join(folder, p))
    ]
    return here + [m for m in modules if _read_module(".", m) is not None and _read_module(folder, m) is None]


@question
def is_here_on_path(state: FailureState) -> Any:
    """True where modules are looked for in whatever the working directory is, as in a kernel."""
    return bool({"", "."} & set(sys.path))


@question
def name_missing_path(state: FailureState) -> Any:
    """The path that the exception names, as text; empty where it names none."""
    error = state.error
    name = getattr(error, "filename", None)
    if name is None and error is not None:
        text = str(error)
        quoted = text.split("'")
        stated = re.match(
            r"(?:File )?['\"`]?([^'\"`\s]+)['\"`]? (?:does not exist|not found|is not found)\.?$", text.strip()
        )
        name = quoted[1] if len(quoted) > 2 and "No such file" in text else stated[1] if stated else ""
    return os.fsdecode(name) if isinstance(name, (str, bytes, os.PathLike)) else ""


@question
def look_around(state: FailureState, path: str) -> Any:
    """What is in the path's folder, whether it exists (as written with ``/``), and files of exactly its name near here."""
    folder, name = os.path.split(path)
    beside: list[str] = sorted(os.listdir(folder or ".")) if os.path.isdir(folder or ".") else []
    named: list[str] = []
    for base in _list_tops()[:3]:
        for home, folders, names in _walk_folders(base):
            for other in (*names, *folders):
                if other.casefold() == name.casefold():
                    named.append(os.path.relpath(os.path.join(home, other)))
        if named:
            break
    exact = [p for p in named if os.path.basename(p) == name]
    return {"exists": os.path.exists(path), "beside": beside[:4000], "named": (exact or named)[:20]}


@question
def find_folder_of_code(state: FailureState, path: str) -> Any:
    """The folder, relative to the working directory, of the code of the project that asked for the path, where the path is
    there from that folder; empty where no such code did."""
    top = os.path.realpath(_list_tops()[-1])
    folders = []
    tb = getattr(state.error, "__traceback__", None)
    while tb is not None:
        folders.append(os.path.dirname(os.path.realpath(tb.tb_frame.f_code.co_filename)))
        tb = tb.tb_next
    for folder in reversed(folders):
        inner = os.path.relpath(folder, top)
        own = not inner.startswith("..") and not SKIPPED & set(inner.split(os.sep))
        if own and folder != os.path.realpath(".") and os.path.exists(os.path.join(folder, path)):
            return os.path.relpath(folder)
    return ""
