"""Code of a function that does nothing, whatever the function is given: who wrote it meant something else, and no check may see it.

A loop that ends in its first round whichever way a question comes out, or that only returns there, a result that is thrown away, two
branches that do the same, a question that was asked above in the same chain, a literal that is compared with nothing, a parameter that nothing reads. Of 2,007 functions in wrong programs of students
(Refactory, questions 1 and 2) 121 have a loop of one round; of 1,682 in right ones two have, of 16,407 in Python's own library one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from jupyter_selfheal import source as src
from jupyter_selfheal.inside.tree_names import list_names
from jupyter_selfheal.source import dump_tree

_NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_ENDS = (ast.Return, ast.Raise, ast.Break)
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
"""Operators that nobody uses for what they do beside: ``|`` and ``>>`` join the steps of pipelines."""
_SEES_ALL = frozenset({"locals", "eval", "exec", "vars"})


def walk_in_order(node: ast.AST) -> Iterator[ast.AST]:
    """What is below a node, but for functions and classes inside of it, in the order of the source."""
    left = [node]
    while left:
        current = left.pop()
        if current is not node:
            yield current
        left += [child for child in ast.iter_child_nodes(current) if not isinstance(child, _NESTED)][::-1]


def find_loop_ended_either_way(function: ast.FunctionDef) -> str:
    """A loop that asks something of an item and ends there, whichever way that comes out."""
    for loop in walk_in_order(function):
        if not isinstance(loop, ast.For | ast.While) or _is_endless(loop):
            continue
        asks = any(isinstance(s, ast.If) and not _refuses_item(s) for s in loop.body)
        if asks and _always_ends(loop.body) and not any(isinstance(n, ast.Continue) for n in walk_in_order(loop)):
            return f"the loop `{_write_head(loop)} …` ends in its first round, whichever way `if` comes out"
    return ""


def find_loop_of_one_round(function: ast.FunctionDef) -> str:
    """A loop that always returns a value in its first round, with nothing behind it for the case that it has no round."""
    loop = function.body[-1]
    if not isinstance(loop, ast.For | ast.While) or loop.orelse or len(loop.body) < 2:
        return ""
    last = loop.body[-1]
    if not isinstance(last, ast.Return) or last.value is None or _is_endless(loop):
        return ""
    if any(isinstance(n, ast.Continue) for n in walk_in_order(loop)):
        return ""
    return f"the loop of `{function.name}` returns in its first round, and without one the function gives nothing"


def _is_endless(loop: ast.For | ast.While) -> bool:
    """``while True``."""
    return isinstance(loop, ast.While) and isinstance(loop.test, ast.Constant) and bool(loop.test.value)


def _refuses_item(question: ast.If) -> bool:
    """Whether a question only raises an error for an item that is not taken: the first one that is may be all that is asked for."""
    return any(block and isinstance(block[-1], ast.Raise) for block in (question.body, question.orelse))


def _write_head(loop: ast.For | ast.While) -> str:
    """``for i, y in``, as one writes it, and ``while n > 1``."""
    if isinstance(loop, ast.While):
        return f"while {ast.unparse(loop.test)}"
    target = ast.unparse(loop.target)
    return f"for {target[1:-1] if isinstance(loop.target, ast.Tuple) else target} in"


def _always_ends(block: Sequence[ast.stmt]) -> bool:
    left = [block]  # no recursion: a chain of `elif` is as deep as it is long
    while left:
        block = left.pop()
        last = block[-1] if block else None
        if isinstance(last, ast.If):
            left += [last.body, last.orelse]
        elif not isinstance(last, _ENDS):
            return False
    return True


def find_thrown_value(function: ast.FunctionDef) -> str:
    """``price + 15`` or ``count == 0`` on a line of its own; one in a ``try`` or ``with`` may be there for its error."""
    asked = [n for n in walk_in_order(function) if isinstance(n, ast.Try | ast.With)]
    tried = {id(n) for block in asked for n in ast.walk(block)}
    for node in walk_in_order(function):
        value = node.value if isinstance(node, ast.Expr) and id(node) not in tried else None
        is_thrown = isinstance(value, ast.Compare) or (
            isinstance(value, ast.BinOp) and isinstance(value.op, _ARITHMETIC)
        )
        if value is not None and is_thrown and not any(isinstance(n, ast.Call | ast.Await) for n in ast.walk(value)):
            return f"`{ast.unparse(value)}` stands alone and does nothing"
    return ""


def find_equal_branches(function: ast.FunctionDef) -> str:
    """A question after which the same is done either way; one that calls something may be asked for that."""
    for node in (function, *walk_in_order(function)):
        for block in (b for name in ("body", "orelse") if isinstance(b := getattr(node, name, None), list)):
            for at, statement in enumerate(block):
                if (
                    isinstance(statement, ast.If)
                    and _does_the_same(statement, block, at)
                    and not _calls_something(statement.test)
                ):
                    return f"`if {ast.unparse(statement.test)}` does the same either way"
    return ""


def _does_the_same(question: ast.If, block: Sequence[ast.stmt], at: int) -> bool:
    """Whether both branches are equal; without an ``else``, the branch and what comes below it in its ``block``, where both return."""
    if question.orelse:
        return not isinstance(question.body[0], ast.Pass) and _are_equal(question.body, question.orelse)
    returns = isinstance(question.body[-1], ast.Return) and len(question.body) == len(block) - at - 1
    return returns and _are_equal(question.body, block[at + 1 :])


def _are_equal(left: Sequence[ast.stmt], right: Sequence[ast.stmt]) -> bool:
    """Whether two blocks have the same text. It ends where they first differ: each of a long chain of questions is asked about all below it."""
    waiting: list[tuple[object, object]] = [(left, right)]
    while waiting:
        one, other = waiting.pop()
        if type(one) is not type(other):
            return False
        if isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                return False
            waiting += zip(reversed(one), reversed(other), strict=True)
        elif isinstance(one, ast.AST):
            waiting += [(getattr(one, f, None), getattr(other, f, None)) for f in reversed(one._fields)]
        elif one != other:
            return False
    return True


def find_repeated_question(function: ast.FunctionDef) -> str:
    """``elif a < b`` below ``if a < b``: it is never come to."""
    questions = [n for n in walk_in_order(function) if isinstance(n, ast.If)]
    later = {id(n.orelse[0]) for n in questions if len(n.orelse) == 1}
    for node in (n for n in questions if id(n) not in later):
        link: ast.stmt | None = node
        seen = set[str]()
        while isinstance(link, ast.If):
            asked = dump_tree(link.test)
            if asked in seen:
                return f"`elif {ast.unparse(link.test)}` is never come to: the same is asked above it"
            if _calls_something(link.test):
                seen.clear()  # what is asked below may come out otherwise
            else:
                seen.add(asked)
            link = link.orelse[0] if len(link.orelse) == 1 else None
    return ""


def find_lost_value(before: str, changed: Iterable[ast.FunctionDef]) -> str:
    """A value that a patch sets anew right behind it, where nothing did so before."""
    lost = {_find_value_lost_at_once(f) for f in changed} - {""}
    if lost:
        lost -= {_find_value_lost_at_once(n) for n in src.walk(before) if isinstance(n, ast.FunctionDef)}
    return min(lost, default="")


def _find_value_lost_at_once(function: ast.FunctionDef) -> str:
    """``r = 0`` right above ``r = n``: the first value is read by nothing. Some write so themselves: it tells of a patch that makes it so."""
    blocks = [
        getattr(n, part)
        for n in (function, *walk_in_order(function))
        for part in ("body", "orelse")
        if isinstance(getattr(n, part, None), list)
    ]
    for one, other in (pair for block in blocks for pair in pairwise(block)):
        match one, other:
            case ast.Assign([ast.Name(name)], ast.Constant()), ast.Assign([ast.Name(again)], value) if name == again:
                if name not in list_names(value):
                    return f"`{ast.unparse(one)}` does nothing, as `{ast.unparse(other)}` comes right behind it"
    return ""


def find_literal_question(function: ast.FunctionDef) -> str:
    """``if xs == () or []``: a literal beside ``or`` or ``and`` asks nothing of what is compared before it, and comes out the same each time."""
    for node in walk_in_order(function):
        left = [node.test] if isinstance(node, ast.If | ast.While | ast.IfExp) else []
        while left:
            asked = left.pop()
            if isinstance(asked, ast.UnaryOp) and isinstance(asked.op, ast.Not):
                left.append(asked.operand)
            elif isinstance(asked, ast.BoolOp):
                if literal := next(filter(_is_literal, asked.values[1:]), None):
                    return f"`{ast.unparse(literal)}` in `{ast.unparse(asked)}` is compared with nothing"
                left += asked.values
    return ""


def _is_literal(node: ast.expr) -> bool:
    """A number, a text or a display with nothing but such in it; a truth value, or what is called, may be there to switch something."""
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return all(map(_is_literal, node.elts))
    if isinstance(node, ast.Dict):
        return not node.keys
    return isinstance(node, ast.Constant) and not isinstance(node.value, bool)


def find_unread_parameter(function: ast.FunctionDef) -> str:
    """A parameter that has to be given, and that nothing in a function of several statements reads."""
    named = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
    required = named[: len(named) - len(function.args.defaults)]
    body = [s for s in function.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    names = list_names(function)
    if len(body) < 2 or function.decorator_list or named[:1] in (["self"], ["cls"]) or names & _SEES_ALL:
        return ""
    unread = next((name for name in required if name not in names and not name.startswith("_")), "")
    return f"`{unread}`, which `{function.name}` is given, is never read" if unread else ""


def _calls_something(node: ast.AST) -> bool:
    return any(isinstance(n, ast.Call | ast.NamedExpr | ast.Await) for n in ast.walk(node))


IDLE_CODE = (
    find_loop_ended_either_way,
    find_loop_of_one_round,
    find_thrown_value,
    find_equal_branches,
    find_repeated_question,
    find_literal_question,
)
"""What is looked for in any function, the surest first. An unread parameter tells nothing of one that is handed to others."""
