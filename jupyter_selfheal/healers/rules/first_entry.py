"""KEY102: the first entry under a key of a dictionary that is filled as it goes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.value_types import NUMBERS, find_type
from jupyter_selfheal.model import Applicability, Patch

EMPTY_OF_METHOD = {"append": "[]", "extend": "[]", "insert": "[]", "add": "set()"}
"""What a dictionary's new entry is, by the method that is called on it."""
TEXT_METHODS = frozenset({"lower", "upper", "strip", "lstrip", "rstrip", "replace", "casefold", "title", "capitalize"})
"""Methods that may be called twice with the same result."""
PURE = frozenset({"len", "str", "int", "float", "abs", "round", "ord", "chr", "bool", "tuple", "type"})
"""Functions of Python that may."""


class FirstEntry(Rule):
    """Begin an entry of a dictionary that is counted or collected into.

    **Failure** `KeyError` at `counts[word] += 1`, `counts[word] = counts[word] + 1`, `groups[key].append(item)` or `table[row][column] = value`, the first time a key comes up.

    **Fix** `counts[word] = counts.get(word, 0) + 1`, `groups.setdefault(key, []).append(item)`,
    `table.setdefault(row, {})[column] = value`.

    A `defaultdict()` that was made without what makes a value gets it: `defaultdict(int)`, `defaultdict(list)`.

    **Fix safety** Safe where the dictionary is empty at the failure, begins so, and every entry is written with the same key: whatever is counted, each key comes up a
    first time. Unsafe where it has entries, for the key may then be misspelt or bad data, where `update` fills it somewhere, and where something is taken off
    an entry (`stock[item] -= 1`): there must have been some. Silent for a fixed key, below a
    test of the key (`if word not in counts`), and where the entry's kind is not evident.
    """

    code = "KEY102"
    name = "first entry of a key"
    enames = frozenset({"KeyError"})
    applicability = Applicability.SAFE
    why = "The dictionary begins empty, so each key comes up a first time."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for entry in context.list_failing_nodes(ast.Subscript):
            owner = context.read_plain_chain(entry.value)
            if not owner or not _can_be_read_twice(entry.slice) or _is_tested(context, owner):
                continue
            change = _begin_entry(context, entry, owner)
            thing = context.describe(owner)
            if change is not None and thing is not None and thing.type == "defaultdict":
                yield from self._give_factory(context, owner, change[2])
                return
            if change is None or thing is None or thing.type != "dict":
                continue
            is_empty = context.is_true(
                f"len({owner}) == 0"
            )  # else something filled it, and the key may be misspelt, or of another type
            takes = any(n.target is entry and isinstance(n.op, ast.Sub) for n in context.walk(ast.AugAssign))
            takes = takes or any(isinstance(b.op, ast.Sub) for b, *_ in _list_written_out(context, context.text(entry)))
            sure = is_empty and not takes and _begins_empty(context, owner, context.text(entry.slice))
            yield self.patch(
                context.replace_here(change),
                f"Begin an entry of `{owner}` where a key is new",
                f"`{owner}` has no entry for a key that comes up the first time."
                if is_empty
                else f"`{owner}` has entries, and none for this key.",
                applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                why=self.why if sure else "The key may be misspelt, or the data bad.",
                prior=0.88 if sure else 0.5,
            )
            return

    def _give_factory(self, context: RuleContext, owner: str, change: str) -> Iterator[Patch]:
        """``defaultdict()`` is a plain dictionary as long as nothing says what a new value is."""
        made = context.find_last_assignment(owner) if owner.isidentifier() else None
        factory = next((FACTORIES[v] for v in FACTORIES if f", {v})" in change), "")
        if made is None or not isinstance(made.node.value, ast.Call) or not factory:
            return
        call = made.node.value
        if read_last_name(call.func) != "defaultdict" or call.args or call.keywords:
            return
        end = src.find_span(made.source, call)[1]
        yield self.patch(
            context.replace(made.cell_id, [(end - 1, end - 1, factory)]),
            f"Use `defaultdict({factory})`",
            "`defaultdict()` does not say what the value of a new key is.",
            prior=0.93,
        )


FACTORIES = {"[]": "list", "set()": "set", "{}": "dict", "0": "int", "''": "str"}
"""What makes the value that an entry begins with."""


def _begin_entry(context: RuleContext, entry: ast.Subscript, owner: str) -> Splice | None:
    """A splice that begins the entry and then does what the statement does with it; None where its kind is not evident."""
    key = context.text(entry.slice)
    key = f"({key})" if isinstance(entry.slice, ast.Tuple) and not key.startswith("(") else key
    for statement in context.walk(ast.AugAssign):
        if statement.target is entry and isinstance(statement.op, ast.Add | ast.Sub):
            if statement.lineno != statement.end_lineno and "#" in context.text(statement):
                return None  # a comment of its own would be lost
            neutral = _find_neutral(context, statement.value)
            value = context.text(statement.value)
            if isinstance(statement.value, ast.BinOp | ast.IfExp | ast.BoolOp | ast.Compare | ast.Lambda):
                value = f"({value})"
            sign = "+" if isinstance(statement.op, ast.Add) else "-"
            if not neutral or (sign == "-" and neutral != "0"):
                return None
            return *context.span(statement), f"{context.text(entry)} = {owner}.get({key}, {neutral}) {sign} {value}"
    for _, read, other in _list_written_out(context, context.text(entry)):
        neutral = _find_neutral(context, other)
        return (*context.span(read), f"{owner}.get({key}, {neutral})") if neutral else None
    for method in context.walk(ast.Attribute):
        if method.value is entry and method.attr in EMPTY_OF_METHOD and context.is_called(method):
            return *context.span(entry), f"{owner}.setdefault({key}, {EMPTY_OF_METHOD[method.attr]})"
    for inner in context.walk(ast.Subscript):
        if inner.value is entry and isinstance(inner.ctx, ast.Store) and _is_plainly_assigned(context, inner):
            return *context.span(entry), f"{owner}.setdefault({key}, {{}})"
    return None


def _list_written_out(context: RuleContext, entry: str) -> Iterator[tuple[ast.BinOp, ast.expr, ast.expr]]:
    """``counts[word] = counts[word] + 1``, on the failing line: the sum, the entry that is read in it, and what is added."""
    for statement in context.list_nodes_on_line(ast.Assign):
        value = statement.value if isinstance(statement, ast.Assign) else None
        if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Add | ast.Sub):
            continue
        if not isinstance(statement, ast.Assign) or [context.text(t) for t in statement.targets] != [entry]:
            continue
        if context.text(value.left) == entry:
            yield value, value.left, value.right
        elif isinstance(value.op, ast.Add) and context.text(value.right) == entry:
            yield value, value.right, value.left


def _is_plainly_assigned(context: RuleContext, target: ast.Subscript) -> bool:
    return any(target in statement.targets for statement in context.walk(ast.Assign))


def _find_neutral(context: RuleContext, value: ast.expr) -> str:
    """What changes nothing when the value is added to it; empty where the value's type is not known."""
    if isinstance(value, ast.List | ast.ListComp):
        return "[]"
    kind = find_type(context, value)
    if kind in NUMBERS or context.number(value) is not None:
        return "0"
    return {"str": "''", "list": "[]"}.get(kind, "")


def _can_be_read_twice(key: ast.expr) -> bool:
    """True for a key that is no constant (a fixed key is written wrong, not new) and calls nothing that changes anything."""
    if isinstance(key, ast.Constant | ast.Slice):
        return False
    return all(_can_be_called_twice(n) for n in ast.walk(key) if isinstance(n, ast.Call))


def _can_be_called_twice(call: ast.Call) -> bool:
    if isinstance(call.func, ast.Attribute):
        plain = all(isinstance(a, ast.Constant) for a in call.args)
        return call.func.attr in TEXT_METHODS and plain and not call.keywords
    return isinstance(call.func, ast.Name) and call.func.id in PURE and not call.keywords


def _is_tested(context: RuleContext, owner: str) -> bool:
    """True where the failing line stands below a question for keys of the dictionary: then it is the branch that is wrong."""
    tests = [
        *(n.test for n in context.list_nodes_on_line(ast.If)),
        *(n.test for n in context.list_nodes_on_line(ast.IfExp)),
    ]
    return any(
        isinstance(test, ast.Compare)
        and any(isinstance(op, ast.In | ast.NotIn) for op in test.ops)
        and any(context.text(right).removesuffix(".keys()") == owner for right in test.comparators)
        for asked in tests
        for test in ast.walk(asked)
    )


def _begins_empty(context: RuleContext, owner: str, key: str) -> bool:
    """True where the dictionary is only ever bound empty, and all its entries are written with this key."""
    bound = 0
    for cell in context.notebook.cells:
        if cell.kind != "code":
            continue
        view = context.view_cell(cell.id)
        plain = [(t, s.value) for s in view.walk(ast.Assign) for t in s.targets]
        for target, value in (*plain, *((s.target, s.value) for s in view.walk(ast.AnnAssign))):
            if view.text(target) == owner:
                if value is None or view.text(value) not in ("{}", "dict()"):
                    return False
                bound += 1
        for entry in view.walk(ast.Subscript):
            written = isinstance(entry.ctx, ast.Store) and view.text(entry.value) == owner
            if written and view.text(entry.slice) != key:
                return False
        if any(_fills_otherwise(view.text(call.func), owner) for call in view.walk(ast.Call)):
            return False
    return bound > 0


def _fills_otherwise(called: str, owner: str) -> bool:
    """``stock.update(…)``: other entries than those that are counted."""
    return called in (f"{owner}.update", f"{owner}.fromkeys")
