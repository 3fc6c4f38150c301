"""What a patch could do that the cells it changes could not: read off the syntax, before anything runs.

A patch that adds a capability is not tried before the user consents. This guards against accidents (a model that "cleans
up" a folder), not against code that hides what it does. Capabilities are compared as sets, patch against old sources: a fix
that moves, renames or repeats what the cell did already adds nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping

from jupyter_selfheal import source as cells
from jupyter_selfheal.loop.capabilities import (
    BY_METHOD,
    BY_MODULE,
    BY_NAME,
    CREDENTIALS,
    DELETION,
    EVALUATION,
    HARMLESS_VARIABLES,
    INSTALLATION,
    NETWORK,
    SECRET_FILES,
    SUBPROCESS,
    WRITES,
    list_argument_capabilities,
)
from jupyter_selfheal.model import Case, Insert, Install, Patch, Replace

_SHELL_CELL = re.compile(r"\s*%%(bash|sh|script|cmd|system|sx|perl|ruby|!)")
_SHELL_LINE = re.compile(r"^\s*(?:[\w.,\s\[\]'\"()]+?=\s*)?(?:!|%(?:sx|system|sc)\b)")
_INSTALLER = re.compile(r"\b(pip3?|conda|mamba|micromamba|uv|apt(-get)?|npm|easy_install)\b.*\b(install|add)\b")
_REMOVER = re.compile(r"(^|[\s;&|!])(rm|rmdir|shred|unlink|del)\s")
_DOWNLOADER = re.compile(r"(^|[\s;&|!])(curl|wget|ssh|scp|rsync|ftp|git\s+(clone|pull|fetch|push))\s")
_PRINT = re.compile(r"^print\s+(>>\s*[\w.]+\s*,)?")
"""Python 2's statement, whose argument is what counts."""
_ASK_TYPES = ("isinstance", "issubclass", "hasattr", "type")
"""Builtins that only look at what they are given."""
_DOTTED = re.compile(r"[A-Za-z_][\w.]*")


def find_added_capabilities(case: Case, patch: Patch) -> tuple[str, ...]:
    """The capabilities of the patch's sources that neither the failing cell nor the cells it replaces have, sorted.

    Moving and running cells adds nothing. An installation is reported: the loop knows whether the user has allowed it.
    """
    names = _collect_imports(cell.source for cell in case.notebook.cells)
    had = _collect_capabilities(case.failure.source, names)
    has: frozenset[str] = frozenset()
    for edit in patch.edits:
        if isinstance(edit, Replace):
            had |= _collect_capabilities(edit.old, names)
        if isinstance(edit, Replace | Insert):
            has |= _collect_capabilities(edit.source, names)
        elif isinstance(edit, Install):
            has |= {INSTALLATION}
    return tuple(sorted(has - had))


def find_capabilities(source: str) -> frozenset[str]:
    """What a cell can do to the world outside of its variables, as names from :mod:`~jupyter_selfheal.loop.capabilities`.

    A cell that does not parse is read line by line, so that a fix of its syntax seems to add nothing.
    """
    return _collect_capabilities(source, {})


def _collect_capabilities(source: str, imported: Mapping[str, str]) -> frozenset[str]:
    capabilities = set(_list_magic_capabilities(source))
    if not cells.is_foreign(source):
        for tree in _parse_trees(source):
            names = {**imported, **_list_aliases(tree)}
            for node in ast.walk(tree):
                capabilities.update(_list_node_capabilities(node, names))
    return frozenset(capabilities)


def _parse_trees(source: str) -> Iterator[ast.Module]:
    """The cell's tree, or those of its lines: a line that is no statement by itself gives the names in it as calls."""
    whole = cells.parse(source)
    if whole is not None:
        yield whole
        return
    for line in cells.mask(source).splitlines():
        text = _PRINT.sub("", line.strip())
        tries = (cells.parse(text + end) for end in ("", " pass", ": pass", ")", "]", "'", "')"))
        tree = next((tree for tree in tries if tree is not None), None)
        yield tree or cells.parse("\n".join(f"{name}()" for name in _DOTTED.findall(text))) or ast.Module([], [])


def _collect_imports(sources: Iterator[str]) -> dict[str, str]:
    """What the imports of all cells bind: ``{"sp": "subprocess", "rmtree": "shutil.rmtree"}``."""
    imports: dict[str, str] = {}
    for source in sources:
        imports |= _list_aliases(cells.parse(source) or ast.Module([], []))
    return imports


def _list_aliases(tree: ast.Module) -> dict[str, str]:
    aliases: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            aliases |= {a.asname: a.name for a in node.names if a.asname}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            aliases |= {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
    return aliases


def _list_magic_capabilities(source: str) -> Iterator[str]:
    shell_cell = bool(_SHELL_CELL.match(source.lstrip("\n")))
    if shell_cell:
        yield SUBPROCESS
    for line in source.splitlines():
        shell = bool(_SHELL_LINE.match(line)) and not _is_python(line)
        magic = line.lstrip().startswith("%")
        if shell or shell_cell:
            yield SUBPROCESS
            if _REMOVER.search(line):
                yield DELETION
            if _DOWNLOADER.search(line):
                yield NETWORK
        if (shell or shell_cell or magic) and _INSTALLER.search(line):
            yield INSTALLATION
        if re.match(r"\s*%%?(writefile|file)\b|\s*%(save|logstart|notebook)\b", line):
            yield WRITES
        if re.match(r"\s*%(run|load|loadpy|rerun)\b|\s*%%(python\d?|pypy|cython|cython_inline)\b", line):
            yield EVALUATION
        if re.match(r"\s*%(rm|rmdir)\b", line):
            yield DELETION


def _is_python(line: str) -> bool:
    """True for ``a != b``, which the pattern for ``a = !ls`` might take for a command."""
    return "!" in line and not line.lstrip().startswith("!") and re.search(r"=\s*!(?!=)", line) is None


def _list_node_capabilities(node: ast.AST, names: Mapping[str, str]) -> Iterator[str]:
    if isinstance(node, ast.Call):
        yield from _list_call_capabilities(node, names)
        if not (isinstance(node.func, ast.Name) and node.func.id in _ASK_TYPES):
            yield from _list_handed_on([*node.args, *(k.value for k in node.keywords)], names)
    elif isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr | ast.Return):
        yield from _list_handed_on([node.value] if node.value is not None else [], names)
    elif isinstance(node, ast.List | ast.Dict):
        yield from _list_handed_on(node.elts if isinstance(node, ast.List) else node.values, names)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        if names.get(node.id, node.id) in ("eval", "exec", "__import__", "execfile"):
            yield EVALUATION
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        if _resolve_name(node.value, names) == "os.environ" and not _is_harmless([node.slice]):
            yield CREDENTIALS
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and SECRET_FILES.search(node.value):
        yield CREDENTIALS


def _list_handed_on(values: Iterable[ast.expr], names: Mapping[str, str]) -> Iterator[str]:
    """What functions give that are handed on, to be called elsewhere: ``map(os.remove, paths)``, ``remove = os.remove``."""
    for value in values:
        name = _resolve_name(value, names)
        module, _, last = name.rpartition(".")
        if module and name in BY_NAME:
            yield BY_NAME[name]
        elif module in BY_MODULE and last[:1].islower():
            yield BY_MODULE[module]


def _list_call_capabilities(node: ast.Call, names: Mapping[str, str]) -> Iterator[str]:
    name = _resolve_name(node.func, names)
    module, _, last = name.rpartition(".")
    if name in ("os.environ.get", "os.getenv", "os.environ.items", "os.environ.copy") and not _is_harmless(node.args):
        yield CREDENTIALS
    if name in BY_NAME:
        yield BY_NAME[name]
    elif module in BY_MODULE and last[:1].islower():
        yield BY_MODULE[module]
    elif isinstance(node.func, ast.Attribute) and node.func.attr in BY_METHOD:
        yield BY_METHOD[node.func.attr]
    yield from list_argument_capabilities(node, name)


def _resolve_name(node: ast.AST, names: Mapping[str, str]) -> str:
    """``subprocess.run`` of ``sp.run`` after ``import subprocess as sp``, also by ``getattr``; empty where it is no name."""
    if isinstance(node, ast.Name):
        return names.get(node.id, node.id)
    if isinstance(node, ast.Attribute):
        before = _resolve_name(node.value, names)
        return f"{before}.{node.attr}" if before else ""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "getattr":
        match node.args:
            case [thing, ast.Constant(value=str(attribute)), *_]:
                return f"{_resolve_name(thing, names)}.{attribute}"
    return ""


def _is_harmless(arguments: list[ast.expr]) -> bool:
    match arguments:
        case [ast.Constant(value=str(name)), *_]:
            return name.upper() in HARMLESS_VARIABLES
    return False
