"""Does a patch put a stand-in in the place of what failed? A mock, a function that returns a constant, a builtin of one's own."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Case, FailureKind
from jupyter_selfheal.scoring.asserts import list_names
from jupyter_selfheal.scoring.deletion import is_literal, list_fresh_statements, walk_trees

_MOCKS = re.compile(r"^(unittest\.)?mock\b|^pytest$|^unittest$")


def find_stand_ins(case: Case, old: list[ast.Module], new: list[ast.Module]) -> Iterator[str]:
    """Mocks, and constants in the place of functions that the notebook has."""
    if _collect_mocks(new) - _collect_mocks(old):
        yield "uses a mock"
    functions = {n.name for n in walk_trees(old) if isinstance(n, ast.FunctionDef)}
    constant_before, constant_now = _count_constant_functions(old), _count_constant_functions(new)
    elsewhere = frozenset().union(*(list_names(c.source).binds for c in case.notebook.cells if c.kind == "code"))
    used = {n.id for n in walk_trees(old) if isinstance(n, ast.Name)}
    for node in list_fresh_statements(old, new):
        if isinstance(node, ast.FunctionDef) and _is_constant_function(node.body):
            is_more = constant_now[node.name] > constant_before[node.name]
            if is_more and node.name in functions | elsewhere | used and not _stood_already(case, node):
                yield f"replaces the function {node.name} by a constant"
            elif node.name == "__eq__":
                yield "makes everything compare equal"
        elif isinstance(node, ast.Assign) and _is_monkeypatch(node, elsewhere | used):
            yield f"replaces {ast.unparse(node.targets[0])} by a constant"


def find_shadowed_calls(case: Case, old: list[ast.Module], new: list[ast.Module]) -> Iterator[str]:
    """Builtins that the notebook's code calls, and that the patch replaces by something of its own."""
    before = {name for tree in old for name in _list_made(tree)}
    sources = [case.failure.source, *(c.source for c in case.notebook.cells if c.kind == "code")]
    called = {
        n.func.id for s in sources for n in src.walk(s) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)
    }
    for name in dict.fromkeys(name for tree in new for name in _list_made(tree)):
        if name in called & src.BUILTINS and name not in before:
            yield f"replaces `{name}` by one of its own"


def _count_constant_functions(trees: list[ast.Module]) -> Counter[str]:
    """How many functions of each name return a constant: methods of several classes share a name."""
    functions = (n for n in walk_trees(trees) if isinstance(n, ast.FunctionDef))
    return Counter(n.name for n in functions if _is_constant_function(n.body))


def _list_made(tree: ast.Module) -> Iterator[str]:
    """What is defined, imported or assigned from a call or a function at the top of a cell."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.ImportFrom) and node.module != "builtins":
            yield from (a.asname or a.name for a in node.names)
        elif isinstance(node, ast.Assign) and _makes_function(node.value):
            yield from (t.id for t in node.targets if isinstance(t, ast.Name))


def _makes_function(value: ast.expr) -> bool:
    """True for what may be a function of somebody's own; ``builtins.sum`` gives Python's own back."""
    if isinstance(value, ast.Attribute):
        return not (isinstance(value.value, ast.Name) and value.value.id in ("builtins", "__builtins__"))
    return isinstance(value, ast.Lambda | ast.Call)


def _collect_mocks(trees: list[ast.Module]) -> set[str]:
    mocks = set()
    for node in walk_trees(trees):
        if isinstance(node, ast.Import):
            mocks |= {a.name for a in node.names if _MOCKS.match(a.name)}
        elif isinstance(node, ast.ImportFrom) and (_MOCKS.match(node.module or "") or node.module == "unittest"):
            mocks.add(node.module or "")
        elif isinstance(node, ast.Name) and node.id in ("MagicMock", "Mock", "monkeypatch"):
            mocks.add(node.id)
    return mocks


def _stood_already(case: Case, function: ast.FunctionDef) -> bool:
    """Whether a cell that did not parse says all that such a function does: `...` below a head whose colon is missing."""
    if case.failure.kind is not FailureKind.SYNTAX:
        return False
    written = re.sub(r"\s", "", case.failure.source)
    docstring = ast.get_docstring(function) is not None
    return all(re.sub(r"\s", "", ast.unparse(n)) in written for n in function.body[docstring:])


def _is_constant_function(body: Sequence[ast.stmt]) -> bool:
    """Nothing but ``pass`` or ``return LITERAL`` (after a docstring)."""
    left = [n for n in body if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))]
    if not left:
        return True
    only = left[0]
    is_return = isinstance(only, ast.Return) and (only.value is None or is_literal(only.value))
    return len(left) == 1 and (isinstance(only, ast.Pass) or is_return)


def _is_monkeypatch(node: ast.Assign, known: Iterable[str]) -> bool:
    """``module.function = lambda …: LITERAL``, or the same for a name that the notebook already has."""
    target = node.targets[0]
    if not isinstance(node.value, ast.Lambda) or not is_literal(node.value.body):
        return False
    return isinstance(target, ast.Attribute) or (isinstance(target, ast.Name) and target.id in known)
