"""Does a patch find a way round a failure where its cause could be mended?

What is written here meets the values that are asked for as a mend does, and gives another result for others: an item that is missing is made up
at the end of its list, a comparison that did not hold asks for a part of both sides, a misspelt name gets a meaning of its own, and what was
right about the statement that failed is done in another way. Any of it may be meant, so it is offered, and its reader decides.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.inside.tree_names import read_called_name
from jupyter_selfheal.model import Case, Patch
from jupyter_selfheal.scoring.asserts import list_patched_cells
from jupyter_selfheal.scoring.deletion import find_failing_statement, walk_trees
from jupyter_selfheal.scoring.documented_handlers import read_text_above

_QUOTED = re.compile(r"'(\w+)'")
_LENGTHENS = frozenset({"append", "pad", "chain", "concatenate", "hstack", "r_"})
_WHOLES = frozenset({"len", "set", "hash", "type", "bool"})
"""Of these two values have the same more often than they are the same; `sorted` is left out: often no order is meant."""
_OPERATORS: dict[type[ast.operator], frozenset[str]] = {
    ast.Mult: frozenset({"prod", "dot", "multiply", "mul", "matmul", "repeat", "product", "power", "pow", "inner", "cumprod"}),
    ast.Div: frozenset({"mean", "fmean", "average", "median", "divide", "truediv", "Fraction", "div", "divmod", "value_counts"}),
    ast.Sub: frozenset({"diff", "subtract", "sub", "ptp", "difference", "pairwise", "dist", "timedelta", "var", "std"}),
    ast.Pow: frozenset({"pow", "power", "square", "sqrt", "hypot", "dist", "var", "std", "norm", "exp"}),
    ast.Mod: frozenset({"divmod", "fmod", "mod", "remainder", "format"}),
    ast.FloorDiv: frozenset({"divmod", "floor", "floordiv", "floor_divide"}),
}  # fmt: skip
"""Arithmetic, each with the calls that do it too. Adding is left out: too much does it."""
_LOOKUPS = frozenset({"get", "loc", "iloc", "at", "iat", "pop", "setdefault", "take", "query", "xs"})
_CLOSE = 0.75
"""How alike two names are of which one may be a slip of the other (as difflib counts; NAM101 asks for the like)."""
_CYCLIC = re.compile(r"\b(?:circular|cyclic|periodic|wrap(?:s|ped)? around)\b", re.IGNORECASE)
_LENGTHENING = re.compile(r"cycl|circular|wrap|periodic|pad|repeat|extend", re.IGNORECASE)
"""What a text says of a sequence that is to be made longer, and what a function is called that is to do it."""


def find_way_round(case: Case, patch: Patch) -> str:
    """How a patch finds one, in words; empty where it does not."""
    cells = list_patched_cells(case, patch)
    was, now = ([tree for cell in cells if (tree := src.parse(cell[n])) is not None] for n in (1, 2))
    changed = [cell[0] for cell in cells]
    if longer := _find_made_up_item(case, changed, was, now):
        return longer
    finders: tuple[Callable[[Case, list[ast.Module], list[ast.Module]], str], ...] = (
        _find_weaker_comparison, _find_named_slip, _find_lost_step, _find_lost_operator,
    )  # fmt: skip
    return next((said for finder in finders if (said := finder(case, was, now))), "")


def _find_made_up_item(case: Case, cell_ids: Iterable[str], was: list[ast.Module], now: list[ast.Module]) -> str:
    """``xs = xs + xs[-1:]`` and ``(xs + [5])[i + 1]`` where `xs[i + 1]` was out of range."""
    failing = find_failing_statement(case)
    if case.failure.ename != "IndexError" or failing is None:
        return ""
    asked = {n.value.id for n in ast.walk(failing) if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name)}
    before = Counter(name for node in walk_trees(was) for name in _list_lengthened(node))
    after = Counter(name for node in walk_trees(now) for name in _list_lengthened(node))
    longer = next((name for name in after - before if name in asked), "")
    if not longer or _is_said_to_lengthen(case, cell_ids, was):
        return ""
    return f"It makes `{longer}` longer, in which an item was missing"


def _list_lengthened(node: ast.AST) -> Iterator[str]:
    """The sequences that a node makes longer by items of its own (two sequences that are joined are none)."""
    parts: list[ast.expr] = []
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and any(map(_is_made, (node.left, node.right))):
        parts = [node.left, node.right]
    elif isinstance(node, ast.List | ast.Tuple) and len(node.elts) > 1:
        parts = [element.value for element in node.elts if isinstance(element, ast.Starred)]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _LENGTHENS:
        parts = [node.func.value, *node.args]
    for part in parts:
        inner = part.args[0] if isinstance(part, ast.Call) and len(part.args) == 1 else part
        if isinstance(inner, ast.Name):
            yield inner.id


def _is_made(node: ast.expr) -> bool:
    return isinstance(node, ast.List | ast.Tuple | ast.BinOp) or (
        isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)
    )


def _is_said_to_lengthen(case: Case, cell_ids: Iterable[str], trees: Iterable[ast.Module]) -> bool:
    """Whether the text above the failing or a changed cell, or a function of it by its name or docstring, says so."""
    functions = [node for node in walk_trees(trees) if isinstance(node, ast.FunctionDef)]
    prose = [read_text_above(case, cell_id) for cell_id in {case.failure.cell_id, *cell_ids}]
    prose += [ast.get_docstring(function) or "" for function in functions]
    return any(map(_CYCLIC.search, prose)) or any(_LENGTHENING.search(function.name) for function in functions)


def _find_weaker_comparison(case: Case, was: list[ast.Module], now: list[ast.Module]) -> str:
    """``n == name`` → ``n[1:] == name[1:]``, ``len(n) == len(name)``, where the whole is no longer asked."""
    before, after = (
        Counter(
            frozenset(map(src.dump_tree, pair))
            for node in walk_trees(trees)
            if (pair := _read_equality(node)) is not None
        )
        for trees in (was, now)
    )
    lost = before - after
    for node in walk_trees(now):
        pair = _read_equality(node)
        if pair is None or frozenset(map(src.dump_tree, pair)) in before:
            continue
        inner = [_read_part(side) for side in pair]
        if None not in inner and frozenset(src.dump_tree(side) for side in inner if side is not None) in lost:
            return f"It compares only a part (`{ast.unparse(node)}`)"
    return ""


def _read_equality(node: ast.AST) -> tuple[ast.expr, ast.expr] | None:
    equal = isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq | ast.NotEq)
    return (node.left, node.comparators[0]) if equal else None  # type: ignore[attr-defined]


def _read_part(node: ast.expr) -> ast.expr | None:
    """What a part is of: of ``x[1:]``, ``x[0]`` or ``len(x)`` it is ``x``."""
    if isinstance(node, ast.Subscript):
        return node.value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _WHOLES and node.args:
        return node.args[0]
    return None


def _find_named_slip(case: Case, was: list[ast.Module], now: list[ast.Module]) -> str:
    """``curr = 'usd'`` where `curr` was not known beside a `currency`; a ``def splitt`` for text, which has a `split`."""
    missing = _read_missing(case)
    if not missing or missing in {name for node in walk_trees(was) for name in _list_bound(node)}:
        return ""
    if case.failure.ename == "AttributeError":
        made = (n for node in walk_trees(now) if isinstance(node, ast.ClassDef) for n in node.body)
        slip = any(isinstance(n, ast.FunctionDef) and n.name == missing for n in made)
        bases = {ast.unparse(b) for node in walk_trees(now) if isinstance(node, ast.ClassDef) for b in node.bases}
        return f"It gives the missing `{missing}` a meaning of its own" if slip and bases & src.BUILTINS else ""
    values = [n.value for n in walk_trees(now) if isinstance(n, ast.Assign) and missing in set(_list_bound(n))]
    if not any(isinstance(value, ast.Constant) for value in values):
        return ""
    others = {n.id for n in walk_trees(was) if isinstance(n, ast.Name)} | {
        n.arg for n in walk_trees(was) if isinstance(n, ast.arg)
    }
    close = next((name for name in sorted(others - {missing}) if _are_close(missing, name)), "")
    return f"It gives the missing `{missing}` a value of its own beside `{close}`" if close else ""


def _read_missing(case: Case) -> str:
    """The name or attribute that the failure calls unknown."""
    if case.failure.ename not in ("NameError", "AttributeError"):
        return ""
    named = _QUOTED.findall(case.failure.evalue)
    return named[-1 if case.failure.ename == "AttributeError" else 0] if named else ""


def _list_bound(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from (n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name))
    elif isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.arg):
        yield node.arg


def _are_close(slip: str, name: str) -> bool:
    """Whether one may be meant by the other: `VOWELS` is no slip of `vowels`, a constant has a name of its own."""
    shorter, longer = sorted((slip, name), key=len)
    if len(shorter) < 3:
        return False
    return longer.startswith(shorter) or difflib.SequenceMatcher(None, shorter, longer).ratio() >= _CLOSE


def _find_lost_step(case: Case, was: list[ast.Module], now: list[ast.Module]) -> str:
    """``'-'.join(title.splitt())`` → ``title.replace(' ', '-')``: where a name or an attribute is not known, what is done with it is right."""
    missing, failing = _read_missing(case), find_failing_statement(case)
    if not missing or failing is None:
        return ""
    parents = {id(child): node for node in ast.walk(failing) for child in ast.iter_child_nodes(node)}
    kept = {step for node in walk_trees(now) if (step := _read_step(node))}
    looked = (n for n in walk_trees(now) if isinstance(n, ast.Attribute) and n.attr in _LOOKUPS)
    kept |= {f"{n.value.id}[…]" for n in looked if isinstance(n.value, ast.Name)}
    for node in ast.walk(failing):
        name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
        if name != missing:
            continue
        above: ast.AST | None = parents.get(id(node))
        if isinstance(above, ast.Call) and above.func is node:
            node, above = above, parents.get(id(above))
        step = _read_step(above) if above is not None and getattr(above, "func", None) is not node else ""
        is_missing_table = isinstance(above, ast.Subscript) and above.value is node  # `pirces['a']` → `prices['a']`
        if step and step not in kept and not is_missing_table:
            return f"It does without `{step}`, which did not fail"
    return ""


def _read_step(node: ast.AST) -> str:
    """What is called, or the table that is looked into."""
    if isinstance(node, ast.Call):
        return read_called_name(node)
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        return f"{node.value.id}[…]"
    return ""


def _find_lost_operator(case: Case, was: list[ast.Module], now: list[ast.Module]) -> str:
    """``s += price * qty`` → ``s += price + sum(rest)`` where `for name, price, qty in items` failed: it says how to reckon."""
    failing = find_failing_statement(case)
    if case.failure.ename == "AssertionError" or failing is None:
        return ""
    reckoned = {id(n) for n in _walk_failed(failing)}
    before = [n for n in walk_trees(was) if isinstance(n, ast.BinOp) and id(n) not in reckoned and _is_reckoning(n)]
    lines = {src.dump_tree(n) for n in _walk_failed(failing) if isinstance(n, ast.BinOp)}
    after = {type(n.op) for n in walk_trees(now) if isinstance(n, ast.BinOp | ast.AugAssign)}
    called = {_read_step(n) for n in walk_trees(now) if isinstance(n, ast.Call)}
    for node in before:
        others = _OPERATORS.get(type(node.op))
        if (
            others is not None
            and type(node.op) not in after
            and called.isdisjoint(others)
            and src.dump_tree(node) not in lines
        ):
            return f"It does without `{ast.unparse(node)}`, which did not fail"
    return ""


def _walk_failed(failing: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of the statement that failed, without the blocks within it."""
    left: list[ast.AST] = [failing]
    while left:
        node = left.pop()
        yield node
        left += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)]


def _is_reckoning(node: ast.BinOp) -> bool:
    """Whether two values of the program are reckoned with: no formatting, no constant factor."""
    return not any(isinstance(side, ast.Constant | ast.JoinedStr | ast.List) for side in (node.left, node.right))
