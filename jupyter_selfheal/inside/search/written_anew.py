"""A small function written anew, where no change of it was found: what textbooks do with a collection, the holes filled from the function's own
names, questions and values. Never a result that is expected: a body says how, for any input.

It comes last, after all smaller changes, and is applied only where many checks speak for it (:func:`describe_doubt_of_new_body`).
"""

from __future__ import annotations

import ast
import contextlib
import itertools
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jupyter_selfheal.inside.search.mutations.empty_bodies import is_empty, propose_body
from jupyter_selfheal.inside.search.mutations.inverted_results import negate
from jupyter_selfheal.inside.search.program import CHECK, Program
from jupyter_selfheal.inside.search.scope import DICT, ITEMS, NUMBER, SET, TEXT, Change, Scope
from jupyter_selfheal.inside.tree_names import is_call_of

MOST = 1_500
"""Bodies of one function that are tried."""
SOURCES, TESTS, VALUES = 4, 5, 4
"""What a loop goes through, asks and makes of an item, at most, of each kind."""
LONGEST = 60
"""Characters of a part that is taken over from the function."""
FEWEST, LEAST, VARIOUS = 4, 8, 4
"""Failing checks, checks in all, and values that these expect, that a new body must meet to be applied."""
LEAST_OF_TRUTH = 15
"""The checks where only True and False are expected: eight of them are eight bits, and of 1,500 bodies six meet those by luck."""
_COLLECTIONS = frozenset({ITEMS, TEXT, SET, DICT})
_LOOPS = (
    ("out = []\nfor {item} in {whole}:\n    if {test}:\n        out.append({value})\nreturn out", 0.5, "a list of them"),
    ("out = []\nfor {item} in {whole}:\n    if {value} not in out:\n        out.append({value})\nreturn out", 0.6, "each of them once"),
    ("out = []\nfor {item} in {whole}:\n    if {test} and {value} not in out:\n        out.append({value})\nreturn out", 0.4, "each of them once"),
    ("for {item} in {whole}:\n    if {test}:\n        return False\nreturn True", 0.5, "whether all of them pass"),
    ("for {item} in {whole}:\n    if {test}:\n        return True\nreturn False", 0.5, "whether one of them passes"),
    ("count = 0\nfor {item} in {whole}:\n    if {test}:\n        count += 1\nreturn count", 0.5, "how many they are"),
    ("total = 0\nfor {item} in {whole}:\n    if {test}:\n        total += {value}\nreturn total", 0.4, "their sum"),
    ("total = 0\nfor {item} in {whole}:\n    total += {value}\nreturn total", 0.4, "their sum"),
    ("out = []\ntotal = 0\nfor {item} in {whole}:\n    total += {value}\n    out.append(total)\nreturn out", 0.3, "their sums so far"),
    ("counts = {{}}\nfor {item} in {whole}:\n    counts[{value}] = counts.get({value}, 0) + 1\nreturn counts", 0.4, "how often each comes"),
    ("groups = {{}}\nfor {item} in {whole}:\n    groups.setdefault({value}, []).append({item})\nreturn groups", 0.4, "them by what they have in common"),
    ("out = ''\nfor {item} in {whole}:\n    out += {value}\nreturn out", 0.3, "a text of them"),
    ("out = ''\nfor {item} in {whole}:\n    if {test}:\n        out += {item}\nreturn out", 0.3, "a text of them"),
    ("return ' '.join({value} for {item} in {whole})", 0.3, "a text of them"),
    ("return [{value} for {item} in {whole}]", 0.4, "a list of them"),
    ("best = None\nfor {item} in {whole}:\n    if best is None or {value} > best:\n        best = {value}\nreturn best", 0.3, "the greatest of them"),
    ("best = None\nfor {item} in {whole}:\n    if best is None or {value} < best:\n        best = {value}\nreturn best", 0.3, "the least of them"),
)  # fmt: skip
"""What is made of the items of a collection: the body, how likely it is, and what it gives."""
_ORDERS = (
    ("sorted({whole})", 0.4, "in order"), ("sorted({whole}, reverse=True)", 0.4, "the greatest first"),
    ("sorted(set({whole}))", 0.3, "each once, in order"), ("sorted(set({whole}), reverse=True)", 0.25, "each once, the greatest first"),
    ("list(dict.fromkeys({whole}))", 0.5, "each once"), ("{whole}[::-1]", 0.2, "backwards"), ("{whole}", 0.1, "as they are"),
)  # fmt: skip
_CUTS = (("", 1.0), ("[:{count}]", 0.9), ("[-{count}:]", 0.4), ("[{count}:]", 0.4), ("[::{count}]", 0.2))
_ROTATED = (
    "k = {count} % len({whole}) if {whole} else 0\nreturn {whole}[-k:] + {whole}[:-k]",
    "k = {count} % len({whole}) if {whole} else 0\nreturn {whole}[k:] + {whole}[:k]",
    "return [{whole}[i:i + {count}] for i in range(0, len({whole}), {count})]",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Parts:
    """What a loop of the function is made of: its variable, what it may go through, ask, and make of an item."""

    item: str
    sources: Sequence[str]
    tests: Sequence[str]
    values: Sequence[str]


def describe_doubt_of_new_body(mended: int, checks: int, expected: Sequence[str]) -> str:
    """The doubt about a function that is written anew; empty where many checks speak for it, and not all for the same few values.

    ``expected`` has the value of each check of the function whose value is written there (:func:`list_expected_values`).
    """
    various = set(expected)
    is_truth = various <= {"True", "False"}
    asked = min(checks, len(expected))
    is_strong = asked >= LEAST_OF_TRUTH and len(various) > 1 if is_truth else asked >= LEAST and len(various) >= VARIOUS
    is_strong = is_strong and mended >= FEWEST
    return "" if is_strong else "the function is written anew, and few checks say what it is for"


def list_expected_values(program: Program, function: str) -> list[str]:
    """What each check expects that asks for a result of a function by its name, where that is written as a literal."""
    found: dict[str, str] = {}
    for text in (*program.checks, *(u.text for u in program.units if u.role == CHECK or u.tests)):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Assert) and (value := _read_expected(node.test, function)):
                found[ast.unparse(node.test)] = value
    for example in program.doctests:
        with contextlib.suppress(SyntaxError):
            value = _read_literal(ast.parse(example.want.strip(), mode="eval").body)
            if value and re.search(rf"\b{re.escape(function)}\(", example.source):
                found[f"{example.source.strip()} == {value}"] = value
    return list(found.values())


def _read_expected(test: ast.expr, function: str) -> str:
    """The value that an assert expects of a function; empty where it asks for something else."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return "False" if is_call_of(test.operand, function) else ""
    if is_call_of(test, function):
        return "True"
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.Eq | ast.Is):
        return ""
    sides = test.left, test.comparators[0]
    asked = [any(is_call_of(n, function) for n in ast.walk(side)) for side in sides]
    return _read_literal(sides[asked.index(False)]) if sum(asked) == 1 else ""


def _read_literal(node: ast.expr) -> str:
    try:
        return repr(ast.literal_eval(node))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return ""


def list_new_bodies(s: Scope) -> list[Change]:
    """Whole bodies for a function at the top, the likeliest first; nothing for anything else."""
    function = s.tree.body[0]
    if not isinstance(function, ast.FunctionDef) or len(s.tree.body) != 1 or function.decorator_list:
        return []
    body = [b for b in function.body if not s.is_doc(getattr(b, "value", None) or b)]
    if not body or s.read_indent(body[0]) is None or any(isinstance(n, ast.Yield) for n in ast.walk(function)):
        return []
    indent = str(s.read_indent(body[0]))
    start, end = s.find_line_span(body[0])[0], s.find_line_span(body[-1])[1]
    made: dict[str, tuple[float, str]] = {}
    for text, prior, words in (*_list_orders(s, function), *_list_loops(s, function)):
        if text not in made or made[text][0] < prior:
            made[text] = (prior, words)
    best = sorted(made.items(), key=lambda pair: -pair[1][0])[:MOST]
    return [
        Change(
            ((start, end, textwrap.indent(text, indent) + "\n"),),
            prior,
            body[0].lineno,
            f"`{function.name}` is written anew: {words}",
        )
        for text, (prior, words) in best
    ]


def list_bodies_as_of_stub(s: Scope) -> list[Change]:
    """What the body of a function at the top may be where nothing is made of what it is: what a sibling does, or a question about each item."""
    function = s.tree.body[0]
    if not isinstance(function, ast.FunctionDef) or len(s.tree.body) != 1 or function.decorator_list:
        return []
    start, end = s.find_line_span(function.body[0])[0], s.find_line_span(function.body[-1])[1]
    indent = s.read_indent(function.body[0])
    if indent is None or is_empty(function):
        return []
    stub = Scope(f"{s.text[:start]}{indent}pass\n", s.hints)
    words = f"`{function.name}` is written anew:"
    return [
        Change(((start, end, c.edits[0][2]),), c.prior, function.body[0].lineno, words + c.words.partition(":")[2])
        for c in propose_body(stub, stub.tree.body[0])
    ]


def _list_arguments(s: Scope, function: ast.FunctionDef, kinds: frozenset[str]) -> list[str]:
    return [a.arg for a in function.args.args if s.hints.kinds.get(a.arg, frozenset()) & kinds]


def _list_orders(s: Scope, function: ast.FunctionDef) -> Iterator[tuple[str, float, str]]:
    """The items in some order, or so many of them."""
    counts = _list_arguments(s, function, frozenset({NUMBER}))
    records = _measure_records(s.hints.calls.get(function.name, ()))
    for whole in _list_arguments(s, function, frozenset({ITEMS})):
        keys = [(f", key=lambda item: item[{n}]", 0.5, f" by `[{n}]`") for n in range(records)] + [("", 1.0, "")]
        for (order, prior, words), (key, likely, by) in itertools.product(_ORDERS, keys):
            if key and not order.startswith("sorted({whole}"):
                continue
            text = order.format(whole=whole)
            text = f"{text[:-1]}{key})" if key else text
            for (cut, weight), count in itertools.product(_CUTS, counts or [""]):
                if bool(cut) == bool(counts):
                    result = f"return {text}{cut.format(count=count)}"
                    yield result, prior * likely * weight, f"the items of `{whole}` {words}{by}"
        for count, form in itertools.product(counts, _ROTATED):
            yield form.format(whole=whole, count=count), 0.2, f"`{whole}` in other places"


def _measure_records(calls: Sequence[tuple[Any, ...]]) -> int:
    """How many parts the records have that the checks give a function, up to three; 0 where its items are none."""
    wholes = [a for call in calls for a in call if isinstance(a, list | tuple) and a]
    items = [item for whole in wholes for item in whole]
    if not items or not all(isinstance(item, list | tuple) and len(item) > 1 for item in items):
        return 0
    return min(3, *(len(item) for item in items))


def _list_loops(s: Scope, function: ast.FunctionDef) -> Iterator[tuple[str, float, str]]:
    """What is made of each item, with the function's own questions and values."""
    for parts in _list_parts(s, function):
        for shape, likely, what in _LOOPS:
            tests = parts.tests if "{test}" in shape else [""]
            values = parts.values if "{value}" in shape else [""]
            for (n, whole), (k, test), (m, value) in itertools.product(
                enumerate(parts.sources), enumerate(tests), enumerate(values)
            ):
                text = shape.format(item=parts.item, whole=whole, test=test, value=value)
                yield text, likely * 0.85 ** (n + k + m), f"{what}, of `{whole}`"


def _list_parts(s: Scope, function: ast.FunctionDef) -> Iterator[_Parts]:
    arguments = [a.arg for a in function.args.args]
    known = set(arguments)
    wholes = _list_arguments(s, function, _COLLECTIONS)
    own = [s.text_of(n) for n in ast.walk(function) if _is_source(s, n, known)]
    looped = [n for n in ast.walk(function) if isinstance(n, ast.For | ast.comprehension)]
    loops: list[ast.For | ast.comprehension | None] = [*looped] if looped else [None]
    seen: set[str] = set()
    for loop in loops:
        item, place = _name_item(loop, wholes)
        if not item or item in seen or item in known:
            continue
        seen.add(item)
        free = known | {item, *item.replace(",", " ").split()}
        read = {place: item} if place else {}
        tests = [
            t
            for n in ast.walk(function)
            if isinstance(n, ast.If | ast.IfExp)
            for t in _split_question(s, n.test, read, free)
        ]
        values = _list_values(s, function, read, free, item)
        sources = list(dict.fromkeys([*own, *wholes, *(f"{w}.items()" for w in wholes if _is_table(s, w))]))
        if "," not in item:
            values = [item, *values]
        yield _Parts(
            item, sources[:SOURCES], list(dict.fromkeys(tests))[: 2 * TESTS], list(dict.fromkeys(values))[:VALUES]
        )


def _is_table(s: Scope, name: str) -> bool:
    return DICT in s.hints.kinds.get(name, frozenset())


def _is_source(s: Scope, node: ast.AST, known: set[str]) -> bool:
    """Whether a call can be gone through that reads parameters only: ``text.lower().split()``."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not _reads_only(node, known):
        return False
    return (
        node.func.attr in ("split", "items", "lower", "keys", "values", "splitlines")
        and len(s.text_of(node)) <= LONGEST
    )


def _name_item(loop: ast.For | ast.comprehension | None, wholes: Sequence[str]) -> tuple[str, str]:
    """The variable of a loop, and, where it counts, the item that it takes: ``xs[i]``, which is called ``item`` then."""
    if loop is None:
        return "item", ""
    if isinstance(loop.target, ast.Tuple):
        names = [n.id for n in loop.target.elts if isinstance(n, ast.Name)]
        return (", ".join(names) if len(names) == len(loop.target.elts) else ""), ""
    if not isinstance(loop.target, ast.Name):
        return "", ""
    if isinstance(loop.iter, ast.Call) and isinstance(loop.iter.func, ast.Name) and loop.iter.func.id == "range":
        return "item", rf"\b(?:{'|'.join(map(re.escape, wholes))})\[{loop.target.id}\]" if wholes else ""
    return loop.target.id, ""


def _reads_only(node: ast.AST, known: set[str]) -> bool:
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    called = {n.func.id for n in ast.walk(node) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    return names - called <= known


def _take_over(text: str, read: Mapping[str, str]) -> str:
    for pattern, name in read.items():
        text = re.sub(pattern, name, text)
    return text


def _split_question(s: Scope, test: ast.expr, read: Mapping[str, str], free: set[str]) -> Iterator[str]:
    """A question of the function and its opposite, where an item is asked for and nothing else that only the old body knows."""
    for text in (s.text_of(test), negate(s, test)):
        new = _take_over(text, read)
        if len(new) <= LONGEST and "\n" not in new and _is_free(new, free):
            yield new


def _is_free(text: str, free: set[str]) -> bool:
    try:
        return _reads_only(ast.parse(text, mode="eval"), free)
    except SyntaxError:
        return False


def _list_values(s: Scope, function: ast.FunctionDef, read: Mapping[str, str], free: set[str], item: str) -> list[str]:
    """What the function makes of an item."""
    names = set(item.replace(",", " ").split())
    values: list[str] = []
    for n in ast.walk(function):
        if not isinstance(n, ast.Call | ast.Subscript | ast.BinOp | ast.Name | ast.Attribute) or not s.is_read(n):
            continue
        text = _take_over(s.text_of(n), read)
        if len(text) > LONGEST or "\n" in text or text in free | set(s.called) or not _is_free(text, free):
            continue
        if names & {m.id for m in ast.walk(ast.parse(text, mode="eval")) if isinstance(m, ast.Name)}:
            values.append(text)
    return values
