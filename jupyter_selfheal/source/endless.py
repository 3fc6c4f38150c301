"""Loops that cannot end, as their text shows: ``while n > 0: print(n)``, ``while waiting: done += 1``."""

from __future__ import annotations

import ast
from collections.abc import Collection

from jupyter_selfheal.inside.tree_names import list_names, read_called_name
from jupyter_selfheal.source.binding import collect_names

_EXITS = (ast.Break, ast.Return, ast.Raise, ast.Yield, ast.YieldFrom, ast.Await)
"""What may leave a loop whatever its condition says."""

_LEAVING = frozenset({"exit", "quit", "_exit", "exec", "next", "input", "locals", "globals"})
"""Calls that may leave it, or change a name out of sight."""


_READING = frozenset(
    {"print", "len", "sum", "min", "max", "abs", "round", "str", "int", "float", "repr", "sorted", "range"}
)
"""Calls that leave what they are given as it is."""


_MODULES = frozenset({"time", "math", "random", "np", "numpy", "pd", "plt", "os", "sys", "re", "json", "logging"})
"""Names that evidently are modules: their functions change what they are given, if anything."""

_MAKERS = frozenset({"list", "set", "dict", "str", "Counter", "defaultdict"})
_MADE = (ast.List, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp, ast.Constant, ast.JoinedStr)
"""What makes a new collection, text or number."""

_OF_TEXTS = frozenset(dir(str))
"""Methods that texts have, which change nothing."""


def may_end(loop: ast.While, own: Collection[str] = ()) -> bool:
    """True where the loop may be left, or may change a name of its condition, in a way that can be seen or cannot be excluded.

    ``own``: names whose methods change nothing else (:func:`list_own`).
    """
    test = loop.test
    if isinstance(test, ast.Compare):
        if not all(map(_is_fixed, (test.left, *test.comparators))):
            return True
    elif not isinstance(test, ast.Name) or not _is_read_as_collection(loop, test.id):
        return True
    names = list_names(test) - {"len"}
    measured = {n.args[0].id for n in ast.walk(test) if isinstance(n, ast.Call) and isinstance(n.args[0], ast.Name)}
    if isinstance(test, ast.Name):
        measured.add(test.id)
    inner = [n for statement in loop.body for n in ast.walk(statement)]
    if loop.orelse or any(isinstance(n, _EXITS) for n in inner):
        return True
    if any(isinstance(n, ast.Call) and read_called_name(n) in _LEAVING for n in inner):
        return True
    if measured and any(isinstance(n, ast.Call) and _may_change(n, measured, own) for n in inner):
        return True
    bound = collect_names(loop.body)
    return bool(names & (bound.binds | bound.changes))


def is_in_endless_loop(tree: ast.AST, line: int) -> bool:
    """Whether the line stands in a loop that cannot end."""
    loops = (n for n in ast.walk(tree) if isinstance(n, ast.While) and n.lineno <= line <= (n.end_lineno or n.lineno))
    own = list_own(tree)
    return any(not may_end(loop, own) for loop in loops)


def has_endless_loop(tree: ast.AST) -> bool:
    """Whether a loop in it cannot end, should it be come to."""
    own = list_own(tree)
    return any(isinstance(n, ast.While) and not may_end(n, own) for n in ast.walk(tree))


def has_settled_loop(tree: ast.AST) -> bool:
    """Whether each round of a loop in it, from the second on, does what the one before did (``m = + 1`` for ``m += 1``): it ends at once, or never."""
    return any(isinstance(n, ast.While) and _settles(n) for n in ast.walk(tree))


def _settles(loop: ast.While) -> bool:
    """Whether all that a loop sets hangs on nothing that it sets, and nothing in it is called that may do more than print or read a value."""
    inner = [n for part in (loop.test, *loop.body) for n in ast.walk(part)]
    sets = [n for n in inner if isinstance(n, ast.Assign | ast.For)]
    targets = [t for n in sets for t in (n.targets if isinstance(n, ast.Assign) else [n.target])]
    stored = {n.id for n in inner if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    named = {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
    values = [n.value if isinstance(n, ast.Assign) else n.iter for n in sets]
    is_plain = all(isinstance(n, ast.Name | ast.Tuple) for t in targets for n in (t, *getattr(t, "elts", ())))
    calls = (read_called_name(n) for n in inner if isinstance(n, ast.Call))
    other = (ast.AugAssign, ast.Delete, ast.Yield, ast.YieldFrom, ast.Await, ast.FunctionDef, ast.ClassDef, ast.With)
    return (
        is_plain
        and stored == named
        and not any(isinstance(n, other) for n in inner)
        and all(name in _READING for name in calls)
        and all(stored.isdisjoint(list_names(value)) for value in values)
    )


def list_own(scope: ast.AST) -> set[str]:
    """Names that are nothing but a collection, text or number which is made in this cell or function: ``seen.append(x)`` adds to no other list."""
    made, other = dict[int, str](), list[tuple[int, str]]()
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign) and _is_made(node.value):
            made.update((id(t), t.id) for t in node.targets if isinstance(t, ast.Name))
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            other.append((id(node), node.id))
        elif isinstance(node, ast.arg):
            other.append((0, node.arg))
    return set(made.values()) - {name for key, name in other if key not in made}


def _is_made(value: ast.expr) -> bool:
    return isinstance(value, _MADE) or (isinstance(value, ast.Call) and read_called_name(value) in _MAKERS)


def _is_fixed(side: ast.expr) -> bool:
    """Whether it stays what it is as long as its names do: a name, a constant, a length, or arithmetic on these."""
    if isinstance(side, ast.BinOp):
        return _is_fixed(side.left) and _is_fixed(side.right)
    if isinstance(side, ast.Call):
        is_length = isinstance(side.func, ast.Name) and side.func.id == "len" and not side.keywords
        return is_length and len(side.args) == 1 and isinstance(side.args[0], ast.Name)
    return isinstance(side, ast.Name | ast.Constant)


def _is_read_as_collection(loop: ast.While, name: str) -> bool:
    """Whether the loop takes items of it: a flag such as ``running`` may be turned by somebody else."""
    read = (
        n.iter if isinstance(n, ast.For) else getattr(n, "value", None)
        for n in ast.walk(loop)
        if isinstance(n, ast.For | ast.Subscript)
    )
    return any(isinstance(n, ast.Name) and n.id == name for n in read)


def _may_change(call: ast.Call, measured: set[str], own: Collection[str]) -> bool:
    """Whether a call may change the length of one of these.

    A method may, of whatever it is: ``self.visit(node)``, ``tree.expand(node)``. Those of a module, of what is made here (``own``) and of texts do not.
    """
    if not isinstance(call.func, ast.Attribute):
        return read_called_name(call) not in _READING
    owner = call.func.value
    used = (owner, *call.args, *(keyword.value for keyword in call.keywords))
    if not isinstance(owner, ast.Name) or any(isinstance(n, ast.Name) and n.id in measured for n in used):
        return True
    return owner.id not in _MODULES and owner.id not in own and (owner.id == "self" or call.func.attr not in _OF_TEXTS)
