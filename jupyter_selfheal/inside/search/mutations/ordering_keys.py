"""Mutation operators for an order by a part of each item: ``sorted(people, key=lambda item: item[1])`` for ``sorted(people)``; and for a list
that is changed in place where a new one is read: ``sorted(xs)`` for ``xs.sort()``, which gives nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.inside.search.scope import Change, Scope, cache_on_scope
from jupyter_selfheal.inside.tree_names import is_name

_TURNED, _UNTURNED = (
    re.compile(r"^(is_)?(rev(erse|ersed)?|desc(ending)?|backwards?)$"),
    re.compile(r"^(is_)?asc(ending)?$"),
)
"""How a parameter is called that tells which end of an order comes first."""
MOST_PARTS = 3
"""Parts of a record that an order may be by."""


def propose_key(s: Scope, node: ast.AST) -> Iterator[Change]:
    """A key for ``sorted``, ``max``, ``min`` and ``.sort``, where the checks give records or texts; the other way round, too."""
    if not isinstance(node, ast.Call) or any(k.arg == "key" for k in node.keywords):
        return
    is_sort = isinstance(node.func, ast.Attribute) and node.func.attr == "sort" and not node.args
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if not is_sort and (name not in ("sorted", "max", "min") or len(node.args) != 1):
        return
    if node.args and isinstance(node.args[0], ast.Starred):
        return
    end = s.end_of(node) - 1
    comma = ", " if node.args or node.keywords else ""
    is_turned = any(k.arg == "reverse" for k in node.keywords)
    for key, prior in _list_keys(s):
        words = f"`{s.text_of(node)}` lacks `key={key}`"
        yield Change(((end, end, f"{comma}key={key}"),), prior, node.lineno, words)
        if (is_sort or name == "sorted") and not is_turned:
            text = f"{comma}key={key}, reverse=True"
            yield Change(((end, end, text),), prior * 0.6, node.lineno, f"{words} and `reverse=True`")


@cache_on_scope
def _list_keys(s: Scope) -> list[tuple[str, float]]:
    """By what the items of the lists may be ordered that the checks give the functions of the program."""
    given = [a for calls in s.hints.calls.values() for call in calls for a in call if isinstance(a, list | tuple)]
    items = [item for whole in given for item in whole]
    item = next(name for name in ("item", "pair", "entry", "an_item") if name not in s.names or name == "an_item")
    keys: list[tuple[str, float]] = []
    records = [i for i in items if isinstance(i, list | tuple) and i]
    if records and len(records) == len(items):
        places = min(min(map(len, records)), MOST_PARTS)
        keys += [(f"lambda {item}: {item}[{n}]", 0.4) for n in range(places) if places > 1]
    if items and all(isinstance(i, str | list | tuple) for i in items):
        keys.append(("len", 0.3))
    return keys


def propose_given_order(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``sorted(xs, reverse=descending)`` for ``sorted(xs)``, where ``descending`` is given and never read."""
    match node:
        case ast.Call(ast.Name("sorted"), [_], keywords) | ast.Call(ast.Attribute(_, "sort"), [], keywords):
            function = s.find_function(node)
        case _:
            return
    if any(k.arg in ("reverse", None) for k in keywords) or not isinstance(function, ast.FunctionDef):
        return
    given = [a.arg for a in (*function.args.args, *function.args.kwonlyargs)]
    unread = [name for name in given if not any(is_name(n, name) for n in ast.walk(function))]
    end, comma = s.end_of(node) - 1, ", " if node.args or keywords else ""
    for name in unread:
        if _TURNED.match(name) or _UNTURNED.match(name):
            text = f"reverse={'' if _TURNED.match(name) else 'not '}{name}"
            words = f"`{name}` is given and never read: `{text}` is missing"
            yield Change(((end, end, comma + text),), 0.9, node.lineno, words)


def propose_tie_break(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``key=lambda name: (-marks[name], name)`` for ``key=lambda name: -marks[name]``: of equal ones the lesser comes first."""
    match node:
        case ast.keyword("key", ast.Lambda(ast.arguments(args=[ast.arg(item)]), body)) if not isinstance(
            body, ast.Tuple
        ):
            if item != s.text_of(body):
                new = f"({s.text_of(body)}, {item})"
                words = f"`{s.text_of(body)}` says nothing of equal ones: `{new}`"
                yield Change((s.replace_node(body, new),), 0.35, body.lineno, words)


def propose_mixed_order(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``key=lambda t: (-t[1], t[0])`` for ``key=lambda t: (t[1], t[0]), reverse=True``, which turns round both: the greatest first, equal ones from a to z."""
    if not isinstance(node, ast.Call):
        return
    given = {k.arg: k for k in node.keywords}
    match given.get("key"), given.get("reverse"):
        case ast.keyword(value=ast.Lambda(body=ast.Tuple(parts))), ast.keyword(value=ast.Constant(True)) as turned:
            start = s.text.rfind(",", 0, s.start_of(turned))
            for part in parts:
                new = f"-{s.parenthesize(part)}"
                words = f"`reverse=True` turns round every part of the key, `{new}` this one alone"
                yield Change((s.replace_node(part, new), (start, s.end_of(turned), "")), 0.7, node.lineno, words)


def propose_new_list(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``sorted(xs)`` for ``xs.sort()``, ``xs[::-1]`` for ``xs.reverse()``, ``xs + [x]`` for ``xs.append(x)``, where what they give is read."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return
    if isinstance(s.parents.get(node), ast.Expr | ast.Await) or not s.is_read(node):
        return
    whole, given = s.parenthesize(node.func.value), s.text[s.end_of(node.func) + 1 : s.end_of(node) - 1].strip()
    forms = {
        "sort": f"sorted({', '.join(filter(None, (s.text_of(node.func.value), given)))})",
        "reverse": f"{whole}[::-1]" if not given else "",
        "append": f"{whole} + [{given}]" if given else "",
        "extend": f"{whole} + {given}" if given else "",
    }
    if new := forms.get(node.func.attr):
        words = f"`{s.text_of(node.func)}` changes the list in place, and gives nothing"
        yield Change((s.replace_node(node, new),), 0.85, node.lineno, words, "senseless")


def propose_heap(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``heapq.heappop(tasks)`` for ``tasks.pop()``: the end of a heap is not its greatest, and its beginning its least."""
    match node:
        case ast.Call(ast.Attribute(ast.Name(heap), "pop"), [] | [ast.Constant(0)], []) if "heapq" in s.modules:
            new = f"heapq.heappop({heap})"
            words = f"`{heap}` is a heap: `{new}` takes its least item"
            yield Change((s.replace_node(node, new),), 0.75, node.lineno, words)


OPERATORS = (propose_heap, propose_key, propose_given_order, propose_tie_break, propose_mixed_order, propose_new_list)
