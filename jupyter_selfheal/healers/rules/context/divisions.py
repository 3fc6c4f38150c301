"""What a ``/`` gave in Python 2: a whole number where both sides were one."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.rule_context import RuleContext
from jupyter_selfheal.model import Applicability, Edit, Patch, Replace
from jupyter_selfheal.source.python2 import is_float, may_be_whole

ROUNDED = re.compile(r"(?<!\bint\()(?<!\bnp\.)\b(?:math\.)?(?:round|floor|ceil)\(")
"""What is a whole number now, and had a point in Python 2."""
DIVIDES = "A `/` of whole numbers gave a whole number in Python 2."
WHOLE = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)
_LOOKED_UP = (ast.Name, ast.Constant, ast.Subscript, ast.Attribute, ast.Call, ast.expr_context)
"""What a value that is there is reached by."""
_RECKONED = ("sum", "max", "min", "abs")


def keep_divisions(context: RuleContext, patch: Patch, above: Sequence[str], old: bool) -> Patch:
    """The patch with ``//`` for ``/`` between what can only be whole numbers. In a notebook of Python 2 (``old``) it is offered where another
    ``/`` may give something else today. ``above`` are the sources of the cells that ran before."""
    modules = frozenset(name for text in above for name in src.find_names(text).imports)
    has_open = old and any(may_be_whole(n, modules) for text in above for n in src.walk(text))
    edits, doubted = list[Edit](), False
    for edit in patch.edits:
        if isinstance(edit, Replace):
            stored = _count_stored(edit.source)
            state = _State(context, stored, not has_open, not any(map(ROUNDED.search, above))) if old else None
            types = _find_types(edit.source, modules, state) if state else {}
            floats, splices = {name for name, kind in types.items() if kind == "float"}, list[Splice]()
            for node in src.walk(edit.source):
                if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
                    if _is_whole(node.left, types) and _is_whole(node.right, types):
                        splices += _find_slash(edit.source, node.left, node.right)
                        continue
                    sides = (node.left, node.right)
                    doubted |= may_be_whole(node, modules, floats) and not (state and any(map(state.has_point, sides)))
                else:
                    doubted |= may_be_whole(node, modules, floats)
            edit = replace(edit, source=src.splice(edit.source, splices))
        edits.append(edit)
    patch = replace(patch, edits=tuple(edits))
    if old and doubted and patch.applicability is Applicability.SAFE:
        why = "What a `/` of it divides is not known."
        return replace(patch, applicability=Applicability.UNSAFE, why=why, risk=DIVIDES)
    return patch


@dataclass(frozen=True, slots=True)
class _State:
    """What is there at the failure. ``stored`` are the names that the cell binds itself; ``points``, ``wholes``: whether what has a point now,
    and what is whole now, was so in Python 2 (a ``/`` above may have given a whole number, ``round`` gave a point)."""

    context: RuleContext
    stored: Counter[str]
    points: bool
    wholes: bool

    def find_type(self, name: str) -> str:
        """``int`` or ``float``; empty where it is neither, or the cell binds the name."""
        thing = None if name in self.stored else self.context.describe(name)
        is_kept = thing is not None and (
            (thing.type == "int" and self.wholes) or (thing.type == "float" and self.points)
        )
        return thing.type if thing is not None and is_kept else ""

    def has_point(self, side: ast.expr) -> bool:
        """Whether a sum, an item or the like of what is there has a point: ``sum(prices.values())``."""
        nodes = list(ast.walk(side))
        if not self.points or any(isinstance(n, ast.Name) and n.id in self.stored for n in nodes):
            return False
        if not all(isinstance(n, _LOOKED_UP) and (not isinstance(n, ast.Call) or _only_reckons(n)) for n in nodes):
            return False
        return self.context.is_true(f"isinstance({ast.unparse(side)}, float)")


def _only_reckons(call: ast.Call) -> bool:
    match call.func:
        case ast.Name(id=name):
            return name in _RECKONED
        case ast.Attribute(attr="values"):
            return True
    return False


def _count_stored(source: str) -> Counter[str]:
    """How often a cell binds each name, its functions' parameters included."""
    nodes = list(src.walk(source))
    stored = Counter(n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load))
    stored.update(n.arg for n in nodes if isinstance(n, ast.arg))
    return stored


def _find_types(source: str, modules: Collection[str], state: _State) -> dict[str, str]:
    """``int`` or ``float`` by name: of what is there and the cell leaves alone, and of what each of its own assignments gives a point."""
    names = {n.id for n in src.walk(source) if isinstance(n, ast.Name)}
    types = {name: kind for name in names if (kind := state.find_type(name))}
    floats = {name for name, kind in types.items() if kind == "float"}
    pointed = Counter(
        node.targets[0].id
        for node in src.walk(source)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and len(node.targets) == 1
        and is_float(node.value, modules, floats)
    )
    return types | {name: "float" for name, count in pointed.items() if count == state.stored[name]}


def _find_slash(source: str, left: ast.expr, right: ast.expr) -> list[Splice]:
    start, end = src.find_span(source, left)[1], src.find_span(source, right)[0]
    return [(at := source.index("/", start, end), at + 1, "//")] if source.count("/", start, end) == 1 else []


def _is_whole(node: ast.expr, types: Mapping[str, str]) -> bool:
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, WHOLE) and _is_whole(node.left, types) and _is_whole(node.right, types)
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.USub) and _is_whole(node.operand, types)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "len"
    if isinstance(node, ast.Name):
        return types.get(node.id) == "int"
    return isinstance(node, ast.Constant) and type(node.value) is int
