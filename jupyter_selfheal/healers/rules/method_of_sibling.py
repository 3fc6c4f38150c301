"""ATT106: a method that other classes of the notebook have, and this one lacks."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import Function
from jupyter_selfheal.healers.rules.context.replay import change_and_replay
from jupyter_selfheal.healers.rules.context.spelling import find_nearest
from jupyter_selfheal.healers.rules.missing_self import list_members
from jupyter_selfheal.inside.tree_names import is_method_call
from jupyter_selfheal.model import Applicability, Patch


class MethodOfSibling(Rule):
    """Give a class the base or the method that its siblings have.

    **Failure** `AttributeError: 'Cat' object has no attribute 'describe'` for a method that is called, of a class that a cell defines.

    **Fix** A class without a base gets the one that defines the method and that another class is derived from (`class Cat(Animal):`). A class
    whose sibling alone, of the same base, has the method gets a copy of it. The cells that made the object run again.

    **Fix safety** Unsafe: the method may have been meant to be another one. Silent where several classes have it, where the class has one of
    nearly that name, and where the method reads something of the object that the class doesn't set.
    """

    code = "ATT106"
    name = "method of a sibling class"
    enames = frozenset({"AttributeError"})
    message = re.compile(r"'(\w+)' object has no attribute '([A-Za-z]\w*)'")
    applicability = Applicability.UNSAFE
    why = "Another class of the notebook has this method, and nothing else has; whether it fits here too, only its author knows."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = re.search(r"'(\w+)' object has no attribute '(\w+)'", context.failure.evalue)
        if match is None or not any(is_method_call(n, match[2]) for n in context.list_nodes_on_line(ast.Call)):
            return
        classes = _list_classes(context)
        own, name = classes.get(match[1]), match[2]
        givers = [(c, m) for _, c in classes.values() for m in c.body if isinstance(m, Function) and m.name == name]
        if own is None or len(givers) != 1 or find_nearest(name, list_members(own[1])):
            return
        (cell_id, node), (giver, method) = own, givers[0]
        if method.decorator_list or not _fits_class(method, node, classes):
            return
        splices = _derive_class(context, cell_id, node, giver, classes) or _copy_method(
            context, cell_id, node, giver, method, classes
        )
        edits = change_and_replay(context, {cell_id: splices}) if splices else ()
        if edits:
            is_base = len(splices[0][2]) <= len(giver.name) + 3
            yield self.patch(
                edits,
                f"Derive `{node.name}` from `{giver.name}`"
                if is_base
                else f"Copy `{name}` from `{giver.name}` to `{node.name}`",
                f"`{giver.name}` has the method `{name}`, and `{node.name}` doesn't.",
            )


def _list_classes(context: RuleContext) -> dict[str, tuple[str, ast.ClassDef]]:
    """The classes that the failing cell and those above define at their top level, the nearest definition of each."""
    found: dict[str, tuple[str, ast.ClassDef]] = {}
    for cell_id in context.list_cells_upwards():
        for node in reversed(context.tree_of(cell_id).body):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, (cell_id, node))
    return found


def _list_bases(node: ast.ClassDef) -> list[str]:
    return [ast.unparse(b) for b in node.bases]


def _fits_class(method: Function, node: ast.ClassDef, classes: dict[str, tuple[str, ast.ClassDef]]) -> bool:
    """True where all that the method reads of its object is there, and it calls nothing of a class above."""
    there = list_members(node).union(*(list_members(classes[b][1]) for b in _list_bases(node) if b in classes))
    if not method.args.args or any(isinstance(n, ast.Name) and n.id == "super" for n in ast.walk(method)):
        return False
    own = method.args.args[0].arg
    read = [n for n in ast.walk(method) if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name)]
    return {n.attr for n in read if isinstance(n.value, ast.Name) and n.value.id == own} <= there | {method.name}


def _derive_class(
    context: RuleContext,
    cell_id: str,
    node: ast.ClassDef,
    giver: ast.ClassDef,
    classes: dict[str, tuple[str, ast.ClassDef]],
) -> list[Splice]:
    """``class Cat:`` as ``class Cat(Animal):``, where ``Animal`` is another class's base and defined before."""
    if node.bases or node.keywords or not any(giver.name in _list_bases(c) for _, c in classes.values()):
        return []
    order = [*reversed(context.list_cells_upwards())]
    if (order.index(classes[giver.name][0]), giver.lineno) > (order.index(cell_id), node.lineno):
        return []
    if not _has_init(node) and _has_init(giver):
        return []  # it would be made in another way
    source = context.source_of(cell_id)
    head = re.compile(rf"class\s+{node.name}\s*(\(\s*\))?").search(source, src.find_span(source, node)[0])
    return [(head.start(1) if head[1] else head.end(), head.end(), f"({giver.name})")] if head else []


def _has_init(node: ast.ClassDef) -> bool:
    return any(isinstance(m, Function) and m.name == "__init__" for m in node.body)


def _copy_method(
    context: RuleContext, cell_id: str, node: ast.ClassDef, giver: ast.ClassDef, method: Function,
    classes: dict[str, tuple[str, ast.ClassDef]],
) -> list[Splice]:  # fmt: skip
    """The method below the last statement of the class, where both classes have the same base in the notebook."""
    shared = set(_list_bases(node)) & set(_list_bases(giver)) & set(classes)
    if not shared or method.col_offset != node.body[-1].col_offset:
        return []
    given = context.source_of(classes[giver.name][0])
    first = src.find_offset(given, method.lineno, 0)
    end = src.find_span(context.source_of(cell_id), node)[1]
    return [(end, end, "\n\n" + given[first : src.find_span(given, method)[1]])]
