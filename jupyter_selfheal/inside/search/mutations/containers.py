"""Mutation operators over what collections hold: elements, entries of a table, filters of a comprehension."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.inside.search.scope import Change, Scope

_BETWEEN_TEXTS = re.compile(r"(?<=['\"])\s+(?=['\"])")
TABLE = 3
"""Entries from which a dictionary is a table that may lack one."""


def propose_collections(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``[n]`` or ``[[]]`` for ``[]``, an element too many or missing, the elements of a pair exchanged."""
    if not isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict) or isinstance(
        getattr(node, "ctx", None), ast.Del
    ):
        return
    if isinstance(node, ast.Dict):
        yield from _propose_dictionaries(s, node)
        return
    if not node.elts and isinstance(node, ast.List):
        yield from _propose_for_empty_list(s, node)
    yield from _propose_elements(s, node)
    yield from _propose_commas(s, node)


def _propose_commas(s: Scope, node: ast.List | ast.Tuple | ast.Set) -> Iterator[Change]:
    """A comma between two texts that stand side by side, which Python reads as one."""
    for element in node.elts:
        if not isinstance(element, ast.Constant) or not isinstance(element.value, str):
            continue
        start, text = s.start_of(element), s.text_of(element)
        for gap in _BETWEEN_TEXTS.finditer(text):
            if not all(map(_is_text, (text[: gap.start()], text[gap.end() :]))):
                continue
            at = start + gap.start()
            yield Change(((at, at, ","),), 0.85, element.lineno, "a comma is missing between two texts")


def _is_text(text: str) -> bool:
    try:
        return isinstance(ast.literal_eval(text), str)
    except (ValueError, SyntaxError):
        return False


def _propose_dictionaries(s: Scope, node: ast.Dict) -> Iterator[Change]:
    line = node.lineno
    if not node.keys:
        yield Change((s.replace_node(node, "set()"),), 0.2, line, "`{}` should be `set()`")
        yield Change((s.replace_node(node, "[]"),), 0.1, line, "`{}` should be `[]`")
    yield from _propose_entries(s, node)
    for n, (key, value) in enumerate(zip(node.keys, node.values, strict=True)):
        for m in range(n + 1, len(node.keys)):
            edits = (s.replace_node(value, s.text_of(node.values[m])), s.replace_node(node.values[m], s.text_of(value)))
            if key is not None:
                yield Change(edits, 0.25, line, f"the values of {s.text_of(key)} and the next are exchanged")


def _propose_for_empty_list(s: Scope, node: ast.List) -> Iterator[Change]:
    for name in s.values:
        yield Change((s.replace_node(node, f"[{name}]"),), 0.4, node.lineno, f"`[]` should be `[{name}]`")
    for text, prior in (
        ("[[]]", 0.4),
        ("[0]", 0.25),
        ("[1]", 0.25),
        ("''", 0.15),
        ("{}", 0.15),
        ("set()", 0.2),
        ("None", 0.12),
        ("['']", 0.1),
    ):
        yield Change((s.replace_node(node, text),), prior, node.lineno, f"`[]` should be `{text}`")


def _propose_elements(s: Scope, node: ast.List | ast.Tuple | ast.Set) -> Iterator[Change]:
    """Two elements exchanged, one too many, one missing at the end."""
    elements, line = node.elts, node.lineno
    for i in range(len(elements)):
        for j in range(i + 1, len(elements)):
            edits = (
                s.replace_node(elements[i], s.text_of(elements[j])),
                s.replace_node(elements[j], s.text_of(elements[i])),
            )
            prior = 0.45 if s.is_read(node) else 0.6
            yield Change(edits, prior, line, f"`{s.text_of(elements[i])}` and `{s.text_of(elements[j])}` are exchanged")
    if not s.is_read(node) or not elements or isinstance(s.parents.get(node), ast.Subscript):
        return
    around = {ast.List: "[]", ast.Tuple: "()", ast.Set: "{}"}[type(node)]
    for n, element in enumerate(elements):
        if len(elements) > (2 if isinstance(node, ast.Tuple) else 1) or isinstance(node, ast.List):
            rest = ", ".join(s.text_of(e) for k, e in enumerate(elements) if k != n)
            text = f"{around[0]}{rest}{around[1]}"
            yield Change((s.replace_node(node, text),), 0.2, line, f"`{s.text_of(element)}` is an element too many")
    described = [repr(t) for t in (*s.described_strings, *s.described_numbers)]
    for name in (*s.values, "0", "1", *described):
        end = s.end_of(elements[-1])
        yield Change(((end, end, f", {name}"),), 0.1, line, f"`{name}` is missing in the list")


def propose_comprehension(s: Scope, node: ast.AST) -> Iterator[Change]:
    """A filter too many or missing, the element instead of something made of it."""
    if not isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp):
        return
    last = node.generators[-1]
    for kept in last.ifs:
        start = s.text.rfind("if", s.end_of(last.iter), s.start_of(kept))
        if start >= 0:
            yield Change(((start, s.end_of(kept), ""),), 0.3, node.lineno, f"`if {s.text_of(kept)}` is too many")
    target = s.text_of(last.target)
    end = s.end_of(last.ifs[-1] if last.ifs else last.iter)
    joint = " and " if last.ifs else " if "
    if isinstance(last.target, ast.Name):
        for test, prior in (
            (target, 0.35),
            (f"not {target}", 0.1),
            (f"{target} > 0", 0.3),
            (f"{target} % 2 == 0", 0.25),
            (f"{target} % 2 == 1", 0.2),
            (f"{target} is not None", 0.2),
            (f"{target} < 0", 0.1),
        ):
            yield Change(((end, end, joint + test),), prior * 0.8, node.lineno, f"`{joint.strip()} {test}` is missing")
        for name in s.values:
            if name != target:
                for op in ("!=", "==", "<", ">", "<=", ">=", "not in", "in"):
                    yield Change(
                        ((end, end, f"{joint}{target} {op} {name}"),),
                        0.1,
                        node.lineno,
                        f"`{joint.strip()} {target} {op} {name}` is missing",
                    )
    if not isinstance(node.elt, ast.Name):
        yield Change(
            (s.replace_node(node.elt, target),), 0.3, node.lineno, f"`{s.text_of(node.elt)}` should be `{target}`"
        )


def _propose_entries(s: Scope, node: ast.Dict) -> Iterator[Change]:
    """An entry of a table is missing that the description names; in a table of numbers, the number that is left out."""
    keys = {k.value for k in node.keys if isinstance(k, ast.Constant)}
    values = [v.value for v in node.values if isinstance(v, ast.Constant) and type(v.value) is int]
    if len(keys) != len(node.keys) or len(values) != len(keys) or len(keys) < TABLE:
        return
    free = [n for n in range(min(values), max(values)) if n not in values] or [max(values) + 1, min(values) - 1]
    for key in (*s.described_strings, *s.described_numbers):
        if key not in keys and type(key) in {type(k) for k in keys}:
            end = s.end_of(node.values[-1])
            for number in free[:2]:
                words = f"`{key!r}: {number}` is missing in the table"
                yield Change(((end, end, f", {key!r}: {number}"),), 0.3, node.lineno, words)


OPERATORS = (propose_collections, propose_comprehension)
