"""Mutation operators for a function with nothing in it: what a sibling does, with its own names, or a loop that asks something of each item.

``def in_month(…): return`` beside a whole ``def on_day(…)`` is most often the same for another part of the items; what else it may be is put
together from its parameters, the parts of their items as the checks give them, and the program's other functions.
"""

from __future__ import annotations

import ast
import itertools
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from jupyter_selfheal.inside.search.scope import Change, Scope, find_kind

PARTS = 3
"""Parts of a record that an item is asked for, and places that an index of a sibling may stand for instead."""
MOST = 60
"""Questions that are asked of an item, the likeliest first: two of them are joined, too."""
LONGEST = 2_000
"""Characters of a sibling that is taken over."""
FEWEST = 4
"""Failing checks that a whole body must meet: hundreds of bodies are tried, and fewer are met by one of them soon enough."""
_ITEM = "item"
_SHAPES = (
    ("for {item} in {whole}:\n    if {test}:\n        return True\nreturn False", 0.9, "some item"),
    ("for {item} in {whole}:\n    if not ({test}):\n        return False\nreturn True", 0.5, "every item"),
    ("return sum(1 for {item} in {whole} if {test})", 0.4, "the number of items"),
    ("return sum(1 for {item} in {whole} if {test}) == 1", 0.35, "just one item"),
    ("return [{item} for {item} in {whole} if {test}]", 0.4, "the items"),
    ("return tuple({item} for {item} in {whole} if {test})", 0.2, "the items"),
    ("for {item} in {whole}:\n    if {test}:\n        return {item}\nreturn None", 0.2, "the first item"),
    ("for i, {item} in enumerate({whole}):\n    if {test}:\n        return i\nreturn len({whole})", 0.2, "the place of the first item"),
)  # fmt: skip
"""What is made of a question about each item: the body, how likely it is, and of what it speaks."""


def is_empty(function: ast.FunctionDef) -> bool:
    """Whether a function has nothing in it but its docstring and a ``pass``, or a constant that it returns."""
    body = [n for n in function.body if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))]
    if not body or (len(body) == 1 and isinstance(body[0], ast.Pass)):
        return True
    return len(body) == 1 and isinstance(body[0], ast.Return) and isinstance(body[0].value, ast.Constant | None)


def is_stub(text: str) -> bool:
    """Whether a statement is a function with nothing in it."""
    if not text.startswith("def "):
        return False
    node = ast.parse(text).body[0]
    return isinstance(node, ast.FunctionDef) and is_empty(node)


def describe_doubt_of_body(texts: Iterable[str], mended: int) -> str:
    """The doubt about a body for one of these statements, which had none, where ``mended`` failing checks say what it is for; empty where there is none."""
    return (
        "few checks say what a function is for that had nothing in it"
        if mended < FEWEST and any(map(is_stub, texts))
        else ""
    )


def propose_body(s: Scope, node: ast.AST) -> Iterator[Change]:
    """A body for a function at the top that has none."""
    if not isinstance(node, ast.FunctionDef) or not isinstance(s.parents.get(node), ast.Module) or not is_empty(node):
        return
    last = node.body[-1]
    indent = s.read_indent(last)
    if indent is None or not s.hints.texts:
        return
    start, end, _ = s.find_line_span(last)
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Constant) and last.value.value is not ...:
        start = end  # a docstring stays
    pad = "" if s.text[:start].endswith("\n") or not start else "\n"
    for body, prior, words in (*_list_siblings(s, node), *_list_loops(s, node)):
        text = pad + textwrap.indent(body, indent) + "\n"
        yield Change(((start, end, text),), prior, last.lineno, f"`{node.name}` has no body: {words}")


# --- what a sibling does ---


def _list_siblings(s: Scope, node: ast.FunctionDef) -> Iterator[tuple[str, float, str]]:
    own = _list_parameters(node)
    for name, text in s.hints.texts.items():
        sibling = ast.parse(text).body[0] if len(text) <= LONGEST else None
        if not isinstance(sibling, ast.FunctionDef) or name == node.name or is_empty(sibling):
            continue
        theirs = _list_parameters(sibling)
        bound = {n.id for n in ast.walk(sibling) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        if len(theirs) != len(own) or bound & set(own):
            continue
        renamed = _Renamed({**dict(zip(theirs, own, strict=True)), name: node.name}).visit(sibling)
        words = f"what `{name}` does, with its own parameters"
        yield _write_body(renamed), 0.5, words
        places = (n.slice for n in ast.walk(renamed) if isinstance(n, ast.Subscript))
        indexes = [n for n in places if isinstance(n, ast.Constant) and type(n.value) is int]
        for index, place in itertools.product(indexes, range(PARTS)):
            yield from _put_index([index], place, renamed, words)
        for place in range(PARTS) if len(indexes) > 1 else ():
            yield from _put_index(indexes, place, renamed, words)


def _put_index(
    indexes: Sequence[ast.Constant], place: int, function: ast.FunctionDef, words: str
) -> Iterator[tuple[str, float, str]]:
    """The body of a function with another number in the place of these indexes."""
    before = [n.value for n in indexes]
    if all(value == place for value in before):
        return
    for n in indexes:
        n.value = place
    yield _write_body(function), 0.45, f"{words} and `[{place}]` of each item"
    for n, value in zip(indexes, before, strict=True):
        n.value = value


class _Renamed(ast.NodeTransformer):
    """A tree with other names."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self.names.get(node.id, node.id)
        return node


def _write_body(function: ast.FunctionDef) -> str:
    body = [n for n in function.body if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))]
    return "\n".join(ast.unparse(n) for n in body)


def _list_parameters(node: ast.FunctionDef) -> list[str]:
    return [a.arg for a in (*node.args.posonlyargs, *node.args.args)]


# --- a question about each item ---


def _list_loops(s: Scope, node: ast.FunctionDef) -> Iterator[tuple[str, float, str]]:
    calls = s.hints.calls.get(node.name, ())
    names = _list_parameters(node)
    calls = [c for c in calls if len(c) == len(names)]
    for at, whole in enumerate(names):
        items = [item for call in calls if isinstance(call[at], list | tuple) for item in call[at]]
        if not items or _ITEM in names or not all(isinstance(call[at], list | tuple) for call in calls):
            continue
        questions = _list_questions(s, node, names, whole, calls, items)
        pairs = [(f"{a} and {b}", p * q * 2) for (a, p), (b, q) in itertools.permutations(questions, 2)]
        for test, prior in (*questions, *sorted(pairs, key=lambda pair: -pair[1])[: 5 * MOST]):
            for shape, likely, what in _SHAPES:
                body = shape.format(item=_ITEM, whole=whole, test=test)
                yield body, prior * likely, f"{what} of `{whole}` with `{test}`"


def _list_questions(
    s: Scope,
    node: ast.FunctionDef,
    names: Sequence[str],
    whole: str,
    calls: Sequence[tuple[Any, ...]],
    items: Sequence[Any],
) -> list[tuple[str, float]]:
    """What may be asked of an item: how a part of it stands to a parameter, and what the program's functions say of it."""
    parts = _list_parts(items)
    given = {name: {find_kind(call[n]) for call in calls} for n, name in enumerate(names) if name != whole}
    questions: list[tuple[str, float]] = []
    for (part, kinds), name in itertools.product(parts.items(), given):
        if kinds & given[name]:
            questions.append((f"{part} == {name}", 0.4))
            questions.append((f"{part} != {name}", 0.15))
            if "number" in kinds:
                questions += [(f"{part} {sign} {name}", 0.2) for sign in ("<", ">", "<=", ">=")]
    for name, parameters in s.hints.signatures.items():
        if name == node.name or not 0 < len(parameters) <= 3:
            continue
        choices = [[p] if p in names and (p == whole or p not in given) else [*parts, *given] for p in parameters]
        for chosen in itertools.islice(itertools.product(*choices), 12):
            if any(c in parts for c in chosen):
                questions.append((f"{name}({', '.join(chosen)})", 0.3))
    return sorted(questions, key=lambda question: -question[1])[:MOST]


def _list_parts(items: Sequence[Any]) -> dict[str, set[str]]:
    """The parts of records of one length, else the item itself, with the kinds of values that they are."""
    lengths = {len(item) for item in items if isinstance(item, list | tuple)}
    if len(lengths) == 1 and all(isinstance(item, list | tuple) for item in items):
        places = range(min(lengths.pop(), PARTS))
        return {f"{_ITEM}[{n}]": {find_kind(item[n]) for item in items} for n in places}
    return {_ITEM: {find_kind(item) for item in items}}


OPERATORS = (propose_body,)
