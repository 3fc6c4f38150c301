"""TYP262: objects of a class that says which of them are equal, and not their hash."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.inside.parsing import parse_module
from jupyter_selfheal.inside.tree_names import holds_name
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"unhashable type: '(\w+)'")

OF_FIXED = frozenset({"lower", "upper", "casefold", "strip", "title", "type", "str", "int", "float", "abs", "round"})
"""What gives the same of the same attribute, as neither texts nor numbers change."""


class HashLeftOut(Rule):
    """Give a class with `__eq__` its `__hash__`.

    **Failure** `TypeError: unhashable type: 'Point'` at `set(points)` or `seen[point]`, where the class is the notebook's own, and says by `__eq__` which objects are equal.

    **Fix** `def __hash__(self): return hash((self.x, self.y))` of what `__eq__` compares; a dataclass of which nothing is changed becomes `@dataclass(frozen=True)`.

    **Fix safety** Safe where `__eq__` is nothing but equalities of the same of both objects, and nobody sets these attributes but `__init__`. Unsafe where they are set elsewhere, or where what is
    compared is reckoned (`self.key()`, `len(self.items)`): an object that changes is lost in a set. Silent for any other `__eq__`, and for a dataclass that sets
    an attribute of its own, or that another class is made from.
    """

    code = "TYP262"
    name = "hash left out"
    enames = frozenset({"TypeError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "Equal objects must have the same hash, and what makes them equal is told."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = MESSAGE.search(context.failure.evalue)
        for view in context.look_upwards() if match is not None else ():
            owner = next((c for c in view.walk(ast.ClassDef) if match is not None and c.name == match[1]), None)
            if owner is None:
                continue
            methods = {m.name: m for m in owner.body if isinstance(m, ast.FunctionDef)}
            if "__hash__" in methods:
                return
            if "__eq__" in methods:
                yield from self._add_method(context, view, owner, methods["__eq__"])
            else:
                yield from self._freeze(context, view, owner)
            return

    def _add_method(
        self, context: RuleContext, view: RuleContext, owner: ast.ClassDef, equal: ast.FunctionDef
    ) -> Iterator[Patch]:
        compared = _list_compared(equal)
        if not compared:
            return
        this = equal.args.args[0].arg
        value = compared[0] if len(compared) == 1 else f"({', '.join(compared)})"
        end = view.span(equal)[1]
        end += len(view.source[end:].partition("\n")[0])  # behind a comment
        indent, deeper = (_read_indent(view.source, s.lineno) for s in (equal, equal.body[0]))
        if equal.body[0].lineno == equal.lineno:
            deeper = indent + "    "
        nodes = [n for text in compared for n in ast.walk(parse_module(text))]
        names = {n.attr for n in nodes if isinstance(n, ast.Attribute)}
        own = {m.name for m in owner.body if isinstance(m, ast.FunctionDef)}
        called = {read_last_name(n.func) for n in nodes if isinstance(n, ast.Call)}
        is_fixed = called <= OF_FIXED and not names & own and not _is_set(context, owner, names)
        yield self.patch(
            context.replace(view.cell_id, [(end, end, f"\n\n{indent}def __hash__({this}):\n{deeper}return hash({value})")]),
            f"Add `__hash__` to `{owner.name}`",
            f"A class with `__eq__` has no hash unless it says so; `{owner.name}` compares {', '.join(f'`{c}`' for c in compared)}.",
            applicability=Applicability.SAFE if is_fixed else Applicability.UNSAFE,
            why=self.why if is_fixed else "What is compared may change, and an object that changes is lost in a set.",
            prior=0.92 if is_fixed else 0.6,
        )  # fmt: skip

    def _freeze(self, context: RuleContext, view: RuleContext, owner: ast.ClassDef) -> Iterator[Patch]:
        """``@dataclass``, which compares the fields of its objects."""
        fields = {n.target.id for n in owner.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)}
        for decorator in owner.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if read_last_name(called) != "dataclass" or _is_set(context, owner, fields, ()) or _sets_own(owner):
                continue
            if _is_base(context, owner.name):
                continue
            given = decorator.keywords if isinstance(decorator, ast.Call) else []
            if any(k.arg in ("frozen", "eq", "unsafe_hash") for k in given):
                return
            start, end = view.span(called)[1], view.span(decorator)[1]
            text = f"({view.source[start + 1 : end - 1]}, frozen=True)" if given else "(frozen=True)"
            yield self.patch(
                context.replace(view.cell_id, [(start, end, text)]),
                f"Make `{owner.name}` frozen",
                "A dataclass that can change has no hash.",
                why="Its fields are compared, and nothing changes them.",
                prior=0.9,
            )
            return


def _read_indent(source: str, line: int) -> str:
    text = source.splitlines()[line - 1]
    return text[: len(text) - len(text.lstrip())]


def _sets_own(owner: ast.ClassDef) -> bool:
    """Whether a method sets an attribute of its object, a field or not: nothing can in a frozen class."""
    for method in (m for m in owner.body if isinstance(m, ast.FunctionDef) and m.args.args):
        this = method.args.args[0].arg
        written = (
            n.value for n in ast.walk(method) if isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load)
        )
        if any(isinstance(n, ast.Name) and n.id == this for n in written):
            return True
    return False


def _is_base(context: RuleContext, name: str) -> bool:
    """Whether another class is made from the one: a dataclass that can change is not made from a frozen one."""
    classes = (n for n in context.walk_notebook() if isinstance(n, ast.ClassDef))
    return any(read_last_name(base) == name for n in classes for base in n.bases)


def _list_compared(equal: ast.FunctionDef) -> list[str]:
    """What ``__eq__`` asks of the object, each the same of the other one; nothing where it does anything else."""
    if len(equal.args.args) != 2:
        return []
    this, other = (a.arg for a in equal.args.args)
    *guards, last = equal.body
    if not isinstance(last, ast.Return) or last.value is None or not all(_is_guard(g, this) for g in guards):
        return []
    parts = last.value.values if isinstance(last.value, ast.BoolOp) else [last.value]
    if isinstance(last.value, ast.BoolOp) and not isinstance(last.value.op, ast.And):
        return []
    compared: list[str] = []
    for part in parts:
        if isinstance(part, ast.Call) and read_last_name(part.func) == "isinstance":
            continue
        if not isinstance(part, ast.Compare) or len(part.ops) != 1 or not isinstance(part.ops[0], ast.Eq):
            return []
        left, right = part.left, part.comparators[0]
        pairs = list(zip(left.elts, right.elts, strict=False)) if _are_tuples(left, right) else [(left, right)]  # type: ignore[attr-defined]
        for one, two in pairs:
            own, its = (a for a in ((one, two) if holds_name(one, this) else (two, one)))
            text = ast.unparse(own)
            renamed = re.sub(rf"\b{this}\b", other, text)
            if (
                not holds_name(own, this)
                or renamed != ast.unparse(its)
                or not isinstance(own, ast.Attribute | ast.Call)
            ):
                return []
            compared.append(text)
    return compared


def _are_tuples(left: ast.expr, right: ast.expr) -> bool:
    return isinstance(left, ast.Tuple) and isinstance(right, ast.Tuple) and len(left.elts) == len(right.elts)


def _is_guard(node: ast.stmt, this: str) -> bool:
    """A docstring, or ``if not isinstance(other, Point): return NotImplemented``."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    if not isinstance(node, ast.If) or node.orelse or len(node.body) != 1 or not isinstance(node.body[0], ast.Return):
        return False
    given = node.body[0].value
    told = given is not None and ast.unparse(given) in ("NotImplemented", "False")
    return told and "isinstance" in ast.unparse(node.test) and not holds_name(node.test, this)


def _is_set(
    context: RuleContext, owner: ast.ClassDef, names: set[str], makers: tuple[str, ...] = ("__init__",)
) -> bool:
    """Whether something of the notebook but the ``makers`` of the class sets one of these attributes, or may set any."""
    made = {id(n) for m in owner.body if isinstance(m, ast.FunctionDef) and m.name in makers for n in ast.walk(m)}
    for node in context.walk_notebook():
        if id(node) in made:
            continue
        if isinstance(node, ast.Attribute) and node.attr in names and not isinstance(node.ctx, ast.Load):
            return True
        if isinstance(node, ast.Call) and read_last_name(node.func) in ("setattr", "__setattr__"):
            return True
    return False
