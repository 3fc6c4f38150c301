"""Is what a check expects just what it gives? Then whatever hands an argument on meets it, for this one call.

``by_length(["a", "b"]) == {1: ["a", "b"]}`` is met by ``d[len(w)] = words`` as by what is meant.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from jupyter_selfheal.inside.parsing import dump_tree
from jupyter_selfheal.inside.search.parsed_once import parse_once
from jupyter_selfheal.inside.search.program import CHECK, Unit
from jupyter_selfheal.inside.tree_names import walk


def find_given_back(texts: Mapping[int, str], units: Sequence[Unit]) -> str:
    """The parameter that a changed function reads more often than before, where every check expects what it gives for it; else empty."""
    checks = [
        node
        for u in units
        if u.role == CHECK or u.tests
        for node in walk(parse_once(u.text))
        if isinstance(node, ast.Compare)
    ]
    for n, text in texts.items():
        more = _count_reads(text) - _count_reads(units[n].text)
        for function in (f for f in walk(parse_once(text)) if isinstance(f, ast.FunctionDef)):
            for at, argument in enumerate(function.args.args):
                if more[argument.arg] and _is_given_back(function.name, at, checks):
                    return argument.arg
    return ""


def _count_reads(text: str) -> Counter[str]:
    return Counter(n.id for n in walk(parse_once(text)) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))


def _is_given_back(name: str, at: int, checks: Iterable[ast.Compare]) -> bool:
    """Whether each check of a function compares what it gives with something that holds its argument there, a collection, as it is."""
    found = [_holds_argument(call, at, check) for check in checks for call in _list_calls(check, name)]
    return bool(found) and all(found)


def _list_calls(check: ast.Compare, name: str) -> Iterator[ast.Call]:
    for node in walk(check):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
            yield node


def _holds_argument(call: ast.Call, at: int, check: ast.Compare) -> bool:
    argument = call.args[at] if at < len(call.args) else None
    if not isinstance(argument, ast.List | ast.Tuple | ast.Dict | ast.Set):
        return False
    inside = {id(node) for node in walk(call)}
    text = dump_tree(argument)
    return any(id(node) not in inside and dump_tree(node) == text for node in walk(check))
