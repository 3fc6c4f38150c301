"""TYP106: a list as a dictionary's key or a set's member."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch

FROZEN = {"list": "tuple", "set": "frozenset", "ndarray": "tuple"}


class Unhashable(Rule):
    """Use a tuple as key or member.

    **Failure** `TypeError: unhashable type: 'list'` at `d[[1, 2]]`, `seen.add(row)`, `{[1]: 2}`, `set(rows)`.

    **Fix** A literal `[1, 2]` becomes `(1, 2)`; a variable `tuple(row)`; members of `set(rows)` become tuples; a set becomes a
    `frozenset`.

    **Fix safety** Safe: only what can be hashed can be a key, and the tuple of the same items is the same key. Unsafe for `seen.add(["a", "b"])` of a set that holds no tuple, or nothing yet and gets texts: its items may be meant to be added (`update`). Not where the cell asks whether the list is in the set.
    """

    code = "TYP106"
    name = "unhashable key or member"
    enames = frozenset({"TypeError"})
    applicability = Applicability.SAFE
    why = "A tuple of the same items is the key that the list was meant to be."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = re.search(r"unhashable type: '(\w+)'", context.failure.evalue)
        if not match or match[1] not in FROZEN:
            return
        for failing in context.list_failing_nodes(ast.Subscript, ast.Call, ast.Dict, ast.Set, ast.Compare):
            for node in _list_keys(failing):
                text = _make_hashable(context, failing, node, match[1])
                if text:
                    each = _may_be_added_one_by_one(context, failing) or _may_be_joined(failing, node)
                    yield self.patch(
                        context.replace(context.cell_id, [(*context.span(node), text)]),
                        f"Make tuples of the members: `{text}`" if text.startswith("map(") else f"Use `{text}` as key",
                        f"A `{match[1]}` can change and is no key.",
                        applicability=Applicability.UNSAFE if each else Applicability.SAFE,
                        why="Each of the items may be meant: nothing that it holds is a tuple." if each else self.why,
                        prior=0.6 if each else 0.88,
                    )
                    return


def _may_be_added_one_by_one(context: RuleContext, node: ast.AST) -> bool:
    """True for ``seen.add(items)`` of a set that holds something, and no tuple, and of an empty one that is never asked for the list, where the items are texts."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "add":
        return False
    owner, given = context.text(node.func.value), context.text(node.args[0]) if node.args else "()"
    if context.is_true(f"len({owner}) > 0"):
        return context.is_true(f"not any(isinstance(_, (tuple, frozenset)) for _ in {owner})")
    asked = any(
        context.text(n.left) in (given, f"tuple({given})") and any(context.text(c) == owner for c in n.comparators)
        for n in context.walk(ast.Compare)
    )
    return not asked and context.is_true(
        f"isinstance({given}, list) and len({given}) > 0 and all(isinstance(_, str) for _ in {given})"
    )


def _may_be_joined(call: ast.AST, given: ast.expr) -> bool:
    """``Counter([["a", "b"], ["a"]])``: lists of several lengths, whose items may be what is counted."""
    if (
        not isinstance(call, ast.Call)
        or not isinstance(call.func, ast.Name)
        or not isinstance(given, ast.List | ast.Tuple)
    ):
        return False
    return call.func.id == "Counter" and len({len(i.elts) for i in given.elts if isinstance(i, ast.List)}) > 1


def _list_keys(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Subscript):
        return [node.slice]
    if isinstance(node, ast.Dict):
        return [k for k in node.keys if k is not None]
    if isinstance(node, ast.Set):
        return list(node.elts)
    if isinstance(node, ast.Compare):
        return [node.left]
    return list(node.args) if isinstance(node, ast.Call) else []


def _make_hashable(context: RuleContext, failing: ast.AST, node: ast.expr, kind: str) -> str:
    text = context.text(node)
    makes = failing.func.id if isinstance(failing, ast.Call) and isinstance(failing.func, ast.Name) else ""
    if makes in ("set", "frozenset", "Counter") and isinstance(node, ast.List | ast.Tuple | ast.ListComp):
        items = [node.elt] if isinstance(node, ast.ListComp) else node.elts
        return f"map({FROZEN[kind]}, {text})" if items and all(isinstance(i, ast.List) for i in items) else ""
    if kind == "list" and isinstance(node, ast.List):
        return f"({text[1:-1].strip()},)" if len(node.elts) == 1 else f"({text[1:-1]})"
    if isinstance(node, ast.Set) and kind == "set":
        return f"frozenset({text})"
    name = context.read_plain_chain(node)
    thing = context.describe(name) if name else None
    if thing is not None and thing.type == kind:
        if isinstance(failing, ast.Call) and isinstance(failing.func, ast.Name):
            return f"map({FROZEN[kind]}, {name})" if failing.func.id in ("set", "frozenset", "Counter") else ""
        return f"{FROZEN[kind]}({name})"
    return ""
