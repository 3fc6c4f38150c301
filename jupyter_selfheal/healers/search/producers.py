"""The cells above that computed what a failing check reads, where running them once more gives the same again.

A backward slice, nearest cell first. A cell that changes what it was given, reads what it binds itself, reaches outside of
the process, or is marked as not to be run, stays out, and with it every cell above that made what it reads: those values
are taken as they are. What a slice holds by its text is tried before it is relied on (:mod:`.runtime.replay`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.search.reading import DEFINITIONS, awaits, has_assert
from jupyter_selfheal.model import Case, Cell, FailureKind

MOST = 3
"""Cells that are run again, at most."""
_MUTATORS = frozenset(
    {"append", "extend", "insert", "remove", "pop", "popitem", "clear", "update", "add", "discard", "sort", "reverse", "setdefault",
     "fill", "put", "appendleft", "popleft", "shuffle", "seed", "fit", "fit_transform", "train"}
)  # fmt: skip
_REACHES_OUT = frozenset(
    {"input", "open", "exec", "eval", "exit", "quit", "getpass", "get_ipython", "system", "popen", "urlopen", "urlretrieve",
     "write", "writelines", "write_text", "write_bytes", "mkdir", "makedirs", "unlink", "rename", "save", "savez", "savetxt", "savefig",
     "dump", "to_csv", "to_excel", "to_sql", "to_parquet", "to_pickle", "to_feather", "to_hdf", "connect", "execute", "commit", "sleep"}
)  # fmt: skip
"""Functions and methods whose effect outlives the run, or that wait."""
_WORLD = frozenset(
    {"subprocess", "shutil", "requests", "urllib", "urllib3", "httpx", "aiohttp", "socket", "sqlite3", "sqlalchemy", "http", "smtplib",
     "ftplib", "multiprocessing", "threading", "getpass", "tempfile", "boto3", "os"}
)  # fmt: skip


def find_producers(case: Case, wanted: Iterable[str]) -> tuple[Cell, ...]:
    """The cells above the failing one to be run again for what ``wanted`` names, in order; none unless a check failed."""
    if case.failure.kind is not FailureKind.MISSED and case.failure.ename != "AssertionError":
        return ()
    above = case.notebook.code_before(case.failure.cell_id)
    modules = map_modules(above)
    functions = {s.node.name for c in above for s in src.list_statements(c.source) if isinstance(s.node, DEFINITIONS)}
    pending, blocked = set(wanted), set[str]()
    cells: list[Cell] = []
    for cell in reversed(above):
        made = list_computed_names(cell)
        names = src.find_names(cell.source)
        if cell.source.strip() and not (is_repeatable(cell, modules) and not made & blocked):
            blocked |= names.uses | names.changes | (made & pending)
            pending -= made
        elif made & pending and len(cells) == MOST:
            break
        elif made & pending:
            cells.append(cell)
            pending = (pending - made) | names.uses
    return tuple(_select_with_code(reversed(cells), functions, set(modules)))


def _select_with_code(cells: Iterable[Cell], functions: set[str], modules: set[str]) -> Iterator[Cell]:
    """Without the cells that hold nothing but data: there is nothing to change in them, and nothing they follow from."""
    moves: set[str] = set(functions)
    for cell in cells:
        texts = [s.node for s in src.list_statements(cell.source)]
        if any(is_code(node, modules) for node in texts) or moves & src.find_names(cell.source).uses:
            moves |= list_computed_names(cell)
            yield cell


def list_computed_names(cell: Cell) -> frozenset[str]:
    """What the statements of a cell bind or change, definitions and imports apart."""
    body = [s.node for s in src.list_statements(cell.source) if not isinstance(s.node, DEFINITIONS)]
    names = src.collect_names(body)
    return names.binds - names.imports


def map_modules(cells: Iterable[Cell]) -> dict[str, str]:
    """What the cells import: the package that each name comes from."""
    modules: dict[str, str] = {}
    for cell in cells:
        tree = src.parse(cell.source)
        for node in ast.walk(tree) if tree else ():
            if isinstance(node, ast.Import):
                modules |= {(a.asname or a.name).split(".")[0]: a.name.split(".")[0] for a in node.names}
            elif isinstance(node, ast.ImportFrom):
                modules |= {a.asname or a.name: (node.module or "").split(".")[0] for a in node.names}
    return modules


def is_repeatable(cell: Cell, modules: dict[str, str]) -> bool:
    """True where, by its text, running the cell again from the state below it gives what it gave the first time."""
    if cell.skip or cell.expensive or src.is_foreign(cell.source) or "raises-exception" in cell.tags:
        return False
    nodes = [s.node for s in src.list_statements(cell.source)]
    if not nodes or src.mask(cell.source) != cell.source or awaits(nodes):
        return not cell.source.strip()
    names = src.find_names(cell.source)
    if names.uses & names.binds or names.deletes:
        return False
    return not any(_reaches_out(node, modules) for node in nodes) and not _changes_given(nodes)


def _reaches_out(node: ast.stmt, modules: dict[str, str]) -> bool:
    for child in ast.walk(node):
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load) and modules.get(child.id) in _WORLD:
            return True
        if isinstance(child, ast.Call):
            name = child.func.attr if isinstance(child.func, ast.Attribute) else getattr(child.func, "id", "")
            if name in _REACHES_OUT:
                return True
    return False


def _changes_given(nodes: Iterable[ast.stmt]) -> bool:
    """True where something that the cell did not make itself is changed in place."""
    bound: set[str] = set()
    for node in nodes:
        if not isinstance(node, DEFINITIONS):
            bound |= src.collect_names([node]).binds
            if any(root not in bound for root in _walk_changed_names(node)):
                return True
    return False


def _walk_changed_names(node: ast.AST) -> Iterator[str]:
    for child in ast.walk(node):
        if isinstance(child, ast.Attribute | ast.Subscript) and isinstance(child.ctx, ast.Store | ast.Del):
            yield src.find_root_name(child)
        elif isinstance(child, ast.Call) and isinstance(child.func, ast.Attribute):
            in_place = any(
                k.arg == "inplace" and not (isinstance(k.value, ast.Constant) and k.value.value is False)
                for k in child.keywords
            )
            if child.func.attr in _MUTATORS or in_place:
                yield src.find_root_name(child.func.value)


def is_code(node: ast.stmt, modules: Iterable[str]) -> bool:
    """True for a statement that may be mended: neither a check, an import or a definition, nor data that is written down or
    read (``prices = [3, 1, 2]``, ``limit = 7``, ``pd.read_csv("prices.csv")``), which no assert entitles anybody to change."""
    if isinstance(node, ast.Import | ast.ImportFrom | DEFINITIONS | ast.Pass) or has_assert(node):
        return False
    if isinstance(node, ast.For | ast.While | ast.If | ast.With | ast.Try):
        return True
    value = getattr(node, "value", None)
    if not isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign) or value is None:
        return False
    return bool(src.collect_names([node]).uses - set(modules)) and not _reads_a_file(value)


def _reads_a_file(value: ast.expr) -> bool:
    for child in ast.walk(value):
        if isinstance(child, ast.Call):
            name = child.func.attr if isinstance(child.func, ast.Attribute) else getattr(child.func, "id", "")
            if name.startswith(("read", "load", "genfromtxt", "fetch", "get_data")):
                return True
    return False
