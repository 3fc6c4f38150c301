"""Ways in which a change of what a statement reads meets a check and is not what is meant.

Whether a function mixes up its parameters, or its caller what it gives for them, no check can tell that sees the call alone. And
a statement that no longer reads what the check compares its result with, or that combines a name with itself, meets the check by chance; so
does what is asked for its length, or its missing values, alone, and a loop that counts the items which it went through before.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from jupyter_selfheal.inside.parsing import dump_tree
from jupyter_selfheal.inside.search.called_functions import find_function, list_changed_functions
from jupyter_selfheal.inside.search.parsed_once import parse_once
from jupyter_selfheal.inside.search.program import CHECK, Unit
from jupyter_selfheal.inside.tree_names import (
    list_bound_names,
    list_defined_names,
    list_read_names,
    read_called_name,
    walk,
)

_HEADS = ("def ", "async def ", "class ", "@")
TWO = 2
_OF_EXTENT = frozenset({"empty", "isna", "isnan", "isnull", "len", "notna", "notnull", "shape", "size"})
"""What tells how much there is, and where, whatever the values are: a sum and a maximum are missing in the same places."""

_GATHERING = frozenset({"dropna", "drop_duplicates", "frozenset", "keys", "list", "set", "sorted", "tuple", "unique", "values"})  # fmt: skip
"""What is done to a collection before it is counted."""


def find_lost_name(texts: Mapping[int, str], units: Sequence[Unit]) -> str:
    """A name that a check reads, and that a changed statement read before and does not read now; empty where there is none."""
    asked = {name for u in units if u.role == CHECK or u.tests for name in _list_read(u.text)}
    for n, text in texts.items():
        if not units[n].text.startswith(_HEADS):
            lost = (_list_read(units[n].text) - _list_read(text)) & asked
            if lost:
                return min(lost)
    return ""


def find_dropped_name(texts: Mapping[int, str], units: Sequence[Unit]) -> str:
    """A name that a changed statement read before and does not read now, with no other in its place; empty where there is none."""
    for n, text in texts.items():
        if not units[n].text.startswith(_HEADS):
            before, after = _list_read(units[n].text), _list_read(text)
            if before - after and not after - before:
                return min(before - after)
    return ""


def find_unknown_argument(texts: Mapping[int, str], units: Sequence[Unit], known: Collection[str]) -> str:
    """A name that nothing binds and that is only given to calls of what is not the program's own, where a change leaves it out or makes up a value:
    ``table.get(key, default)``; empty where there is none. ``known`` are names that are bound beside the program."""
    trees = [parse_once(unit.text) for unit in units]
    own = {n.name for t in trees for n in walk(t) if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    bound = own.union(known, *(list_defined_names(t) for t in trees))
    for n, text in texts.items():
        after = parse_once(text)
        made = {t.id for a in walk(after) if isinstance(a, ast.Assign) for t in a.targets if isinstance(t, ast.Name)}
        new = list_read_names(after) - list_read_names(trees[n])
        for name in sorted(_list_given(trees[n], own) - bound):
            if not hasattr(builtins, name) and (name in made or (name not in list_read_names(after) and not new)):
                return name
    return ""


def find_made_up(
    texts: Mapping[int, str], units: Sequence[Unit], known: Collection[str], kind: type[ast.expr] = ast.Constant
) -> str:
    """A name that nothing binds, in whose place a change puts a literal (``mark > 1`` for ``mark > record``), or another ``kind`` of expression, which
    may be bound to the name as well; empty where there is none."""
    trees = [parse_once(unit.text) for unit in units]
    bound = {*known}.union(*(list_defined_names(t) for t in trees))
    for n, text in texts.items():
        after = parse_once(text)
        left = list_read_names(after) - (set() if kind is ast.Constant else list_bound_names(after))
        lost = list_read_names(trees[n]) - left - bound - list_bound_names(trees[n])
        if _count(after, kind) > _count(trees[n], kind) and (names := [m for m in lost if not hasattr(builtins, m)]):
            return min(names)
    return ""


def _count(tree: ast.AST, kind: type[ast.expr]) -> int:
    found = [n for n in walk(tree) if isinstance(n, kind)]
    return sum(not isinstance(n, ast.Call) or any(map(_is_asked_of, n.args)) for n in found)


def _is_asked_of(given: ast.expr) -> bool:
    """Whether a call is given anything of the program: not ``defaultdict(int)``."""
    return not (isinstance(given, ast.Name) and hasattr(builtins, given.id))


def _list_given(tree: ast.AST, own: Collection[str]) -> set[str]:
    """The names that are read as arguments of calls alone, none of them of the program's ``own`` functions."""
    calls = [c for c in walk(tree) if isinstance(c, ast.Call) and read_called_name(c) not in own]
    given = {id(a) for c in calls for a in (*c.args, *(k.value for k in c.keywords))}
    names = [n for n in walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    return {n.id for n in names if id(n) in given} - {n.id for n in names if id(n) not in given}


def find_lost_recursion(texts: Mapping[int, str], units: Sequence[Unit]) -> str:
    """A function that called itself before a change and does not now: a sum of one level is like one of all; empty where there is none."""
    for n, text in texts.items():
        after = parse_once(text)
        kept = {f.name for f in walk(after) if isinstance(f, ast.FunctionDef)}
        if lost := (list_recursive(parse_once(units[n].text)) - list_recursive(after)) & kept:
            return min(lost)
    return ""


def list_recursive(tree: ast.AST) -> set[str]:
    """The functions of a tree that name themselves, but to give themselves back, and the methods that call themselves on their own instance."""
    functions = [n for n in walk(tree) if isinstance(n, ast.FunctionDef)]
    given = {id(n.value) for n in walk(tree) if isinstance(n, ast.Return)}
    return {f.name for f in functions if any(_is_name_of(n, f.name) and id(n) not in given for n in walk(f))}


def _is_name_of(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.attr == name and node.value.id in ("self", "cls")
    return isinstance(node, ast.Name) and node.id == name


def find_doubled_name(texts: Mapping[int, str], units: Sequence[Unit]) -> str:
    """What a change combines with itself and was not before: a name of a statement, as in ``a.merge(a)`` for ``a.merge(b)``, or anywhere a value that is
    worked out or looked up, as in ``max(depth(t["left"]), depth(t["left"]))``; empty where there is none."""
    for n, text in texts.items():
        doubled = _list_doubled(text) - _list_doubled(units[n].text)
        if units[n].text.startswith(_HEADS):  # ``a * a`` may well be meant there
            doubled = {text for text in doubled if not text.isidentifier()}
        if doubled:
            return min(doubled)
    return ""


def find_left_unread(texts: Mapping[int, str], units: Sequence[Unit]) -> str:
    """A variable that a function works out and reads nowhere, where a change of it returns something else: what is returned is mostly made of
    what was worked out for it. Empty where there is none."""
    for n, text in texts.items():
        for owner, function in list_changed_functions(units[n].text, text):
            called = f"{owner}().{function.name}" if owner else function.name
            old = find_function(units[n].text, called)
            if old is None or _count_results(function) <= _count_results(old):
                continue
            names = [node for node in walk(function) if isinstance(node, ast.Name)]
            read = {node.id for node in names if isinstance(node.ctx, ast.Load)}
            made = (t for node in walk(function) if isinstance(node, ast.Assign) for t in node.targets)
            left = [t.id for t in made if isinstance(t, ast.Name) and t.id not in read and not t.id.startswith("_")]
            if left:
                return left[0]
    return ""


def _count_results(function: ast.AST) -> int:
    return sum(isinstance(node, ast.Return) and node.value is not None for node in walk(function))


def find_counted_name(texts: Mapping[int, str], units: Sequence[Unit]) -> str:
    """A name that a changed statement binds, and of which the checks ask nothing but how much of it there is; empty where there is none."""
    asked: dict[str, bool] = {}
    for unit in units:
        if unit.role != CHECK and not unit.tests:
            continue
        nodes = list(walk(parse_once(unit.text)))
        measured = [
            n.args[0] for n in nodes if isinstance(n, ast.Call) and n.args and read_called_name(n) in _OF_EXTENT
        ]
        measured += [n.value for n in nodes if isinstance(n, ast.Attribute) and n.attr in _OF_EXTENT]
        counted = {id(_find_gathered(n)) for n in measured}
        for node in nodes:
            if isinstance(node, ast.Name):
                asked[node.id] = asked.get(node.id, True) and id(node) in counted
    for n, text in texts.items():
        if not units[n].text.startswith(_HEADS):
            bound = {t.id for t in walk(parse_once(text)) if isinstance(t, ast.Name) and isinstance(t.ctx, ast.Store)}
            if counted_names := {name for name in bound if asked.get(name)}:
                return min(counted_names)
    return ""


def _find_gathered(node: ast.expr) -> ast.expr:
    """``xs`` of ``set(xs)``, ``list(xs)`` and ``xs.unique()``: of these, too, only how many there are is asked."""
    match node:
        case ast.Call(ast.Name(name), [only], []) if name in _GATHERING:
            return _find_gathered(only)
        case ast.Call(ast.Attribute(owner, name), [], []) if name in _GATHERING:
            return _find_gathered(owner)
    return node


def find_unread_items(texts: Mapping[int, str], units: Sequence[Unit]) -> str:
    """What a changed statement went through item by item and now reads for its length alone: ``for x in range(len(xs))`` for ``for x in
    xs``, where nothing reads ``xs[x]``; empty where there is none."""
    for n, text in texts.items():
        after = parse_once(text)
        nodes = list(walk(after))
        sized = {
            id(node.args[0])
            for node in nodes
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "len" and node.args
        }
        counted = {ast.unparse(node) for node in nodes if id(node) in sized}
        read = {
            ast.unparse(node)
            for node in nodes
            if isinstance(node, ast.expr) and id(node) not in sized and _is_read(node)
        }
        if unread := (_list_iterated(units[n].text) & counted) - read:
            return min(unread)
    return ""


def find_exchanged_call(texts: Mapping[int, str], units: Sequence[Unit], others: Iterable[Mapping[int, str]]) -> str:
    """A call that may have its arguments in the wrong order, where a change of the called function meets the checks as well; empty
    where no other change exchanges them, or where they are named as the parameters are."""
    functions = {f.name: f for n in texts for f in _list_functions(units[n].text)}
    for other in others:
        for n, text in other.items():
            if n in texts or units[n].text.startswith(_HEADS):
                continue
            for old, new in zip(_list_calls(units[n].text), _list_calls(text), strict=False):
                name = ast.unparse(old.func).rpartition(".")[2]
                if name in functions and _is_exchanged(old, new) and not _is_named_so(old, functions[name]):
                    return ast.unparse(old)
    return next((c for n, new in texts.items() if (c := _find_partial_call(units[n].text, new, units))), "")


def _find_partial_call(old: str, new: str, units: Sequence[Unit]) -> str:
    """The ``partial(power, 2)`` that gives the first parameter, where all that a change of ``power`` does is to exchange its two: ``exp=2`` may be meant."""
    calls = [c for u in units for c in _list_calls(u.text) if ast.unparse(c.func).rpartition(".")[2] == "partial"]
    for function in _list_functions(old) if calls else ():
        given = [c for c in calls if len(c.args) == TWO and ast.unparse(c.args[0]) == function.name]
        names = [a.arg for a in function.args.args]
        other = dict(zip(names, names[::-1], strict=True)) if len(names) == TWO else {}
        for later in _list_functions(new) if given and other else ():
            turned = [_exchange_names(ast.unparse(s), other) for s in function.body]
            if turned == [ast.unparse(s) for s in later.body]:
                return ast.unparse(given[0])
    return ""


def _exchange_names(text: str, other: Mapping[str, str]) -> str:
    return re.sub(r"\w+", lambda word: other.get(word[0], word[0]), text)


def _list_read(text: str) -> set[str]:
    return list_read_names(parse_once(text))


def _list_iterated(text: str) -> set[str]:
    """What loops and comprehensions of a text go through."""
    return {
        ast.unparse(n.iter) for n in walk(parse_once(text)) if isinstance(n, ast.For | ast.AsyncFor | ast.comprehension)
    }


def _is_read(node: ast.expr) -> bool:
    return not isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)


def _list_doubled(text: str) -> set[str]:
    """Operands that stand twice in one operation, or among the object and the arguments of one call; but a square of what is no name."""
    doubled: set[str] = set()
    for node in walk(parse_once(text)):
        operands: list[ast.expr] = []
        if isinstance(node, ast.BinOp):
            operands = [node.left, node.right]
        elif isinstance(node, ast.BoolOp):
            operands = node.values
        elif isinstance(node, ast.Compare):
            operands = [node.left, *node.comparators]
        elif isinstance(node, ast.Call):
            operands = [*([node.func.value] if isinstance(node.func, ast.Attribute) else []), *node.args]
        is_product = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)
        plain = ast.Name if is_product else (ast.Name, ast.Call, ast.Subscript, ast.Attribute)
        names = [ast.unparse(o) for o in operands if isinstance(o, plain)]
        doubled |= {name for name in names if names.count(name) > 1}
    return doubled


def _list_functions(text: str) -> list[ast.FunctionDef]:
    return [n for n in walk(parse_once(text)) if isinstance(n, ast.FunctionDef)]


def _list_calls(text: str) -> list[ast.Call]:
    return [n for n in walk(parse_once(text)) if isinstance(n, ast.Call)]


def _is_exchanged(old: ast.Call, new: ast.Call) -> bool:
    """Whether two calls of one function differ in the order of their arguments alone."""
    before, after = ([dump_tree(a) for a in call.args] for call in (old, new))
    return dump_tree(old.func) == dump_tree(new.func) and before != after and sorted(before) == sorted(after)


def _is_named_so(call: ast.Call, function: ast.FunctionDef) -> bool:
    """``bmi(weight, height)`` of ``def bmi(weight, height)``: nobody mixed anything up there."""
    names = [a.arg for a in function.args.args if a.arg not in ("self", "cls")]
    return [a.id if isinstance(a, ast.Name) else "" for a in call.args] == names
