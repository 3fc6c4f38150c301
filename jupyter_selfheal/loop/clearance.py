"""What a patch could do that the cells it touches could not: found in the syntax tree, before anything runs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Case, Insert, Patch, Replace

_CALLS = {
    "delete": r"(os\.(remove|unlink|rmdir|removedirs|rename|replace)|shutil\.(rmtree|move)|.*\.(unlink|rmdir|rmtree))",
    "subprocess": r"(os\.(system|popen|exec\w+|spawn\w+|fork|kill)|subprocess\.\w+|pexpect\.\w+)",
    "network": r"(requests\.\w+|httpx2?\.\w+|urllib\.request\.\w+|urlopen|urlretrieve|socket\.(socket|create_connection))",
    "eval": r"(eval|exec|compile|__import__|importlib\.import_module|pickle\.loads?)",
}
_MODULES = {
    "subprocess": "subprocess",
    "requests": "network",
    "httpx": "network",
    "socket": "network",
    "ctypes": "native code",
}


def added_capabilities(case: Case, patch: Patch) -> tuple[str, ...]:
    """Names of capabilities that the patched cells have and the cells of the notebook did not: delete, subprocess,
    network, eval, install, native code."""
    had: set[str] = set(_capabilities(case.failure.source))
    for cell in case.notebook.cells:
        had.update(_capabilities(cell.source))
    has: set[str] = set()
    for edit in patch.edits:
        if isinstance(edit, Replace | Insert):
            has.update(_capabilities(edit.source))
    return tuple(sorted(has - had))


def _capabilities(source: str) -> Iterator[str]:
    for line in source.splitlines():
        if re.match(r"\s*[%!]\s*(pip|conda|uv|mamba)\b", line):
            yield "install"
        elif re.match(r"\s*(!|%%?(sx|system|bash|sh)\b)", line):
            yield "subprocess"
    for node in ast.walk(src.parse(source) or ast.Module([], [])):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            yield from (what for what, pattern in _CALLS.items() if re.fullmatch(pattern, name))
        elif isinstance(node, ast.Import):
            yield from (_MODULES[a.name.split(".")[0]] for a in node.names if a.name.split(".")[0] in _MODULES)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in _MODULES:
            yield _MODULES[(node.module or "").split(".")[0]]
