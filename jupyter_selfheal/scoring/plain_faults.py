"""Faults that the text of a function tells, and that stay unseen only where no check comes to them: each fails or misleads whenever it is run.

The end of a function that promises a value gives none, the greatest is sought from infinity or from 0, a loop by index goes one past the end,
of two bounds beside each other one is open and one is closed, a question asks for what cannot be, a comparison's answer is compared, a range is empty, a new value is dropped,
what was just emptied is asked for, a sum has no beginning. Of 643 right programs of DebugBench's tuning half, 164 of HumanEvalFix and 1,059 of Refactory's questions 1 and 2 none has
one; of the wrong ones there that parse 46 of 268, none of 164 and 20 of 1,010.
"""

from __future__ import annotations

import ast
import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence

from jupyter_selfheal.inside.search.idle_results import MAKERS, TEXT_MAKERS
from jupyter_selfheal.inside.tree_names import list_bound_names
from jupyter_selfheal.scoring.idle_code import walk_in_order

_MAY_BE_NOTHING = ("None", "Optional", "Any", "Iter", "Gener", "Node", "NoReturn", "Never")
"""Parts of annotations with which the end of a function may give nothing; nodes are written without ``Optional`` by many."""
_INFINITE = frozenset({"float('inf')", "math.inf", "inf", "np.inf", "sys.maxsize", "float('infinity')"})
_EMPTY = frozenset({"[]", "{}", "()", "''", "set()", "list()", "dict()"})
_FLIPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.Gt: ast.Lt,
    ast.LtE: ast.GtE,
    ast.GtE: ast.LtE,
}
_BELOW, _ABOVE = (ast.Lt, ast.LtE), (ast.Gt, ast.GtE)
Bound = tuple[ast.expr, type[ast.cmpop], ast.expr]


def find_open_end(function: ast.FunctionDef) -> str:
    """A function that says which type it gives, and whose end gives nothing; behind a loop what is sought may be sure to be found."""
    said = ast.unparse(function.returns) if function.returns else "None"
    nodes = list(walk_in_order(function))
    if any(word in said for word in _MAY_BE_NOTHING) or any(isinstance(n, ast.Yield | ast.YieldFrom) for n in nodes):
        return ""
    is_begun = any(isinstance(n, ast.Return) and n.value is not None for n in nodes)
    if not is_begun or isinstance(function.body[-1], ast.For | ast.While) or not _comes_to_end(function.body):
        return ""
    return f"`{function.name}` is to give `{said}`, and gives nothing at its end"


def _comes_to_end(block: Sequence[ast.stmt]) -> bool:
    """Whether a block may be run to its end; what is not sure is said not to be."""
    last = block[-1]
    if isinstance(last, ast.If):
        return not last.orelse or _comes_to_end(last.body) or _comes_to_end(last.orelse)
    return isinstance(last, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.For | ast.Expr | ast.Pass) and not any(
        isinstance(n, ast.Call) and ast.unparse(n.func) in ("exit", "sys.exit") for n in ast.walk(last)
    )


def find_wrong_start(function: ast.FunctionDef) -> str:
    """``best = float('inf')`` of which only ``max(best, x)`` is taken, and ``best = 0`` below which every item may be."""
    given: dict[str, list[ast.expr]] = defaultdict(list)
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    given[target.id].append(node.value)
    for name, values in given.items():
        ways = {_read_infinity(v) for v in values} - {""}
        rest = [v for v in values if not _read_infinity(v)]
        if len(ways) == 1 and rest and all(_takes_further(v, name, *ways) for v in rest):
            start = "-infinity" if "-" in ways else "infinity"
            return f"`{name}` begins at {start}, so that `{ast.unparse(rest[0])}` is that each time"
    return _find_greatest_from_nothing(function)


def _read_infinity(value: ast.expr) -> str:
    """``+`` or ``-``; empty for anything else."""
    text = ast.unparse(value).lower()
    if text in _INFINITE:
        return "+"
    return "-" if text == "float('-inf')" or text.removeprefix("-") in _INFINITE else ""


def _takes_further(value: ast.expr, name: str, way: str) -> bool:
    further = "max" if way == "+" else "min"
    return (
        isinstance(value, ast.Call)
        and ast.unparse(value.func) == further
        and name in [ast.unparse(a) for a in value.args]
    )


def _find_greatest_from_nothing(function: ast.FunctionDef) -> str:
    """``best = 0`` before a loop through a parameter that keeps the greatest of its items: where all are negative it is none of them."""
    nodes = list(walk_in_order(function))
    stored = [n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    begun = {
        n.targets[0].id
        for n in nodes
        if isinstance(n, ast.Assign)
        and isinstance(n.targets[0], ast.Name)
        and isinstance(n.value, ast.Constant)
        and type(n.value.value) is int
        and n.value.value == 0
    }
    for loop in (n for n in nodes if isinstance(n, ast.For)):
        items = set(_list_items(loop, {a.arg for a in function.args.args}))
        for node in ast.walk(loop):
            match node:
                case ast.If(test, [ast.Assign([ast.Name(best)], value)]) if ast.unparse(value) in items:
                    item = ast.unparse(value)
                    asked = _asks_for_greater(test, item, best)
                case ast.Assign([ast.Name(best)], ast.Call(ast.Name("max"), [one, other])):
                    sides = {ast.unparse(one), ast.unparse(other)}
                    asked = best in sides and bool(sides & items)
                case _:
                    continue
            if asked and best in begun and stored.count(best) == 2:
                return f"`{best}` begins at 0, which is no item of `{ast.unparse(loop.iter)}` where all are less"
    return ""


def _asks_for_greater(test: ast.expr, item: str, best: str) -> bool:
    """``x > best``, ``best <= x`` or ``not x < best``."""
    match test:
        case ast.UnaryOp(ast.Not(), inner):
            return _asks_for_greater(inner, best, item)
        case ast.Compare(left, [ast.Gt() | ast.GtE()], [right]):
            return [ast.unparse(left), ast.unparse(right)] == [item, best]
        case ast.Compare(left, [ast.Lt() | ast.LtE()], [right]):
            return [ast.unparse(right), ast.unparse(left)] == [item, best]
    return False


def _list_items(loop: ast.For, parameters: set[str]) -> Iterator[str]:
    """How an item of a parameter is written in a loop through it."""
    target, through = ast.unparse(loop.target), ast.unparse(loop.iter)
    if through in parameters:
        yield target
    yield from (f"{p}[{target}]" for p in parameters if through in (f"range(len({p}))", f"range(1, len({p}))"))


def find_place_behind_end(function: ast.FunctionDef) -> str:
    """``while i <= len(xs)`` and ``for i in range(len(xs) + 1)`` where ``xs[i]`` is read first thing."""
    for node in walk_in_order(function):
        match node:
            case ast.While(
                ast.Compare(ast.Name(at), [ast.LtE()], [ast.Call(ast.Name("len"), [ast.Name(whole)])]), body
            ):
                head = ast.unparse(node.test)
            case ast.For(ast.Name(at), ast.Call(ast.Name("range"), given), body):
                match given[-1 if len(given) < 3 else 1] if given else None:
                    case ast.BinOp(ast.Call(ast.Name("len"), [ast.Name(whole)]), ast.Add(), ast.Constant()):
                        head = ast.unparse(node.iter)
                    case _:
                        continue
            case _:
                continue
        if _reads_at_once(body[0], f"{whole}[{at}]"):
            return f"`{head}` goes behind the end of `{whole}`, of which `{whole}[{at}]` is read"
    return ""


def _reads_at_once(statement: ast.stmt, item: str) -> bool:
    """Whether a statement reads an item whatever comes out of anything before it."""
    read: ast.AST = statement
    if isinstance(statement, ast.If):
        read = statement.test.values[0] if isinstance(statement.test, ast.BoolOp) else statement.test
    elif not isinstance(statement, ast.Assign | ast.AugAssign | ast.Expr | ast.Return):
        return False
    if any(isinstance(n, ast.IfExp | ast.BoolOp) for n in ast.walk(read)):
        return False
    return any(isinstance(n, ast.Subscript) and ast.unparse(n) == item for n in ast.walk(read))


def find_odd_bounds(function: ast.FunctionDef) -> str:
    """Of the bounds of two places in one condition one is open and one closed (``0 <= r < m and 0 < c < n``), or they leave nothing."""
    for node in walk_in_order(function):
        if isinstance(node, ast.BoolOp):
            lower: dict[str, type[ast.cmpop]] = {}
            upper: dict[str, tuple[type[ast.cmpop], str]] = {}
            for left, operator, right in _list_bounds(node):
                if isinstance(right, ast.Constant) and right.value == 0:
                    lower[ast.unparse(left)] = operator
                elif isinstance(right, ast.Name | ast.Call):
                    upper[ast.unparse(left)] = operator, ast.unparse(right)
            both = lower.keys() & upper.keys()
            is_one = isinstance(node.op, ast.And)
            for name in sorted(both):
                operator, bound = upper[name]
                if bound.startswith("len(") and (
                    (is_one and issubclass(lower[name], _BELOW) and issubclass(operator, _ABOVE))
                    or (not is_one and issubclass(lower[name], _ABOVE) and issubclass(operator, _BELOW))
                ):
                    return f"`{ast.unparse(node)}` comes out the same whatever `{name}` is"
            if len({lower[n] for n in both}) > 1 or len({upper[n][0] for n in both}) > 1:
                return f"in `{ast.unparse(node)}` one bound is open and the one beside it is not"
    return ""


def _list_bounds(condition: ast.BoolOp) -> Iterator[Bound]:
    """The comparisons of order in a condition, each with what is asked on the left: ``0 <= x < n`` as ``x >= 0`` and ``x < n``."""
    for part in condition.values:
        sides = [part.left, *part.comparators] if isinstance(part, ast.Compare) else []
        for left, operator, right in zip(
            sides, part.ops if isinstance(part, ast.Compare) else (), sides[1:], strict=False
        ):
            if type(operator) not in _FLIPPED:
                continue
            if isinstance(left, ast.Constant) or (isinstance(left, ast.Call) and isinstance(right, ast.Name)):
                yield right, _FLIPPED[type(operator)], left
            else:
                yield left, type(operator), right


def find_compared_answer(function: ast.FunctionDef) -> str:
    """``0 < (c < n)``, which asks whether a truth value is greater than a number."""
    for node in walk_in_order(function):
        if isinstance(node, ast.Compare) and any(isinstance(o, (*_BELOW, *_ABOVE)) for o in node.ops):
            sides = [node.left, *node.comparators]
            if any(isinstance(s, ast.Compare) for s in sides) and not all(isinstance(s, ast.Compare) for s in sides):
                return f"`{ast.unparse(node)}` compares what comes of a comparison"
    return ""


def find_empty_range(function: ast.FunctionDef) -> str:
    """``range(len(xs) - 1, -1)``, which lacks its step, and ``range(0, n, -1)``."""
    for node in walk_in_order(function):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "range" and len(node.args) in (2, 3):
            first, end = (ast.unparse(a) for a in node.args[:2])
            step = ast.unparse(node.args[2]) if len(node.args) == 3 else "1"
            falls = step == "-1" and first == "0" and end.isidentifier()
            if falls or (step == "1" and end in ("-1", "0") and first.startswith("len(")):
                return f"`{ast.unparse(node)}` has no number in it"
    return ""


def find_dropped_value(function: ast.FunctionDef) -> str:
    """``sorted(xs)`` and ``text.strip()`` on a line of their own; one in a ``try`` may be there for its error."""
    tried = {id(n) for t in walk_in_order(function) if isinstance(t, ast.Try | ast.With) for n in ast.walk(t)}
    own = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)} | list_bound_names(function)
    for node in walk_in_order(function):
        if not isinstance(node, ast.Expr) or id(node) in tried:
            continue
        match node.value:
            case ast.Call(ast.Name(called), [_, *_]) if called in MAKERS - own:
                return f"`{ast.unparse(node)}` makes a new value, which is dropped"
            case ast.Call(ast.Attribute(ast.Name(name), called)) if called in TEXT_MAKERS and name in own:
                return f"`{ast.unparse(node)}` makes a new value, which is dropped"
    return ""


def find_emptied_question(function: ast.FunctionDef) -> str:
    """``seen = []`` right above ``if x not in seen`` or ``for y in seen``: it is answered before it is asked."""
    for node in (function, *walk_in_order(function)):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            for above, below in itertools.pairwise(block if isinstance(block, list) else []):
                match above:
                    case ast.Assign([target], value) if ast.unparse(value) in _EMPTY:
                        asked = _read_question(below, ast.unparse(target))
                    case _:
                        continue
                if asked:
                    return f"`{asked}` is asked right below `{ast.unparse(above)}`"
    return ""


def _read_question(statement: ast.stmt, target: str) -> str:
    """What a statement asks first of a target: what is in it, or whether anything is; empty where it asks something else."""
    if isinstance(statement, ast.For):
        return ast.unparse(statement.iter) if ast.unparse(statement.iter) == target else ""
    test = statement.test if isinstance(statement, ast.If) else None
    match test:
        case ast.Compare(_, [ast.In() | ast.NotIn()], [whole]) if ast.unparse(whole) == target:
            return ast.unparse(test)
        case ast.Name() | ast.UnaryOp(ast.Not()) if ast.unparse(test).removeprefix("not ") == target:
            return ast.unparse(test)
    return ""


def find_sum_without_start(function: ast.FunctionDef) -> str:
    """``count += 1`` where nothing in the function sets ``count``, and no ``nonlocal`` says that another does."""
    nodes = list(walk_in_order(function))
    added = [n.target for n in nodes if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name)]
    known = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)}
    known |= {name for n in ast.walk(function) if isinstance(n, ast.Global | ast.Nonlocal) for name in n.names}
    known |= {
        n.id
        for n in nodes
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and not any(n is a for a in added)
    }
    unset = next((a.id for a in added if a.id not in known), "")
    return f"`{unset}` is added to, and nothing sets it before" if unset else ""


def find_unknown_attribute(cls: ast.ClassDef) -> str:
    """``self.vists`` where nothing in a class of no other sets or defines it."""
    nodes = list(ast.walk(cls))
    is_open = any(isinstance(n, ast.Name) and n.id in ("setattr", "vars", "type") for n in nodes)
    if cls.bases or cls.keywords or cls.decorator_list or is_open:
        return ""
    known = {n.attr for n in nodes if isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load)}
    known |= {n.name for n in cls.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)}
    known |= {
        n.id
        for s in cls.body
        if isinstance(s, ast.Assign | ast.AnnAssign)
        for n in ast.walk(s)
        if isinstance(n, ast.Name)
    }
    if any("__getattr" in name or name == "__slots__" for name in known):
        return ""
    read = (n.attr for n in nodes if isinstance(n, ast.Attribute) and ast.unparse(n.value) == "self")
    unknown = next((name for name in read if name not in known and not name.startswith("__")), "")
    return f"`self.{unknown}` is set nowhere in `{cls.name}`" if unknown else ""


PLAIN_FAULTS = (
    find_open_end,
    find_wrong_start,
    find_place_behind_end,
    find_odd_bounds,
    find_compared_answer,
    find_empty_range,
    find_dropped_value,
    find_emptied_question,
    find_sum_without_start,
)
"""What is looked for in a function and in what stands beside it in its class."""
