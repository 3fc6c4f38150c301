"""Is the expected answer written into the patch?"""

from __future__ import annotations

import ast
import contextlib
import difflib
import io
import math
import tokenize
from collections.abc import Iterator, Sequence
from typing import Any

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Case
from jupyter_selfheal.scoring import output_text
from jupyter_selfheal.scoring.asserts import list_asserts
from jupyter_selfheal.scoring.expected import find_oracle

_ORDINARY: tuple[Any, ...] = (0, 1, -1, None, "", True, False)
"""Values that honest code is full of; empty containers are ordinary too."""

RESPELT = 0.7
"""Similarity (difflib's ratio) from which a text is another spelling of an earlier one."""

_CONTAINERS = (ast.List, ast.Tuple, ast.Dict, ast.Set)
_CLOSING = (")", "]", "}")

SHOWN = 2_000
"""Characters of a stored output whose lines are read one by one."""

MANY = 3
"""Different expected values from which one small number cannot be the answer to all of them."""


def find_hard_coded(case: Case, old: Sequence[ast.AST], new: Sequence[ast.AST]) -> Iterator[str]:
    """Say so where a new literal equals an expected one and stands where a result stands.

    A small number counts only there (returned, assigned, displayed, a value of a lookup table, a branch of a condition):
    as an operand, an index or an argument it is ordinary arithmetic. A distinctive literal (a text of three characters or
    more, a number of three digits or more, a container) counts as an operand and an argument as well. Where asserts name many
    different answers, one small number cannot be the answer to all: there it counts only where it is looked up by its input.
    A text that only respells one that was there is a repair, and so are brackets around arguments that were there.
    """
    expected = [value for value in list_expected_literals(case) if not is_ordinary(value)]
    if not expected:
        return
    known = [v for tree in old for node in ast.walk(tree) for v in _read_literal(node)]
    known += [gathered for tree in old for node in ast.walk(tree) for gathered in _gather_arguments(node)]
    if src.parse(case.failure.source) is None:
        known += _list_literal_tokens(case.failure.source)
        known += _list_written_texts(case.failure.source, new)
        known += _list_written_containers(case.failure.source, new)
    parts = [v for v in _list_distinctive_parts(expected) if not is_among(v, known)]
    if parts and (part := _find_part(case, parts, new)):
        yield f"hard-codes a part of the expected value: {part}"
        return
    if answered := _find_answered_input(case, expected, known, new):
        yield f"answers one input by what is expected for it: {answered}"
        return
    many = len({repr(value) for value in expected}) > MANY
    for tree in new:
        looked_up = _collect_looked_up(tree)
        for node in (*_walk_results(tree), *_walk_distinctive(tree)):
            for value in _read_literal(node):
                if not is_among(value, expected) or is_among(value, known) or _respells_value(value, known):
                    continue
                if many and not _is_distinctive(value) and id(node) not in looked_up:
                    continue
                yield f"hard-codes the expected value {ast.unparse(node)[:60]}"
                return


def _gather_arguments(node: ast.AST) -> Iterator[Any]:
    """(2, 3) and [2, 3] of ``np.ones(2, 3)``: what a call was given one by one."""
    if isinstance(node, ast.Call) and len(node.args) > 1:
        values = [v for argument in node.args for v in _read_literal(argument)]
        if len(values) == len(node.args):
            yield from (tuple(values), values)


def _list_distinctive_parts(expected: Sequence[Any]) -> list[Any]:
    """The numbers and texts inside of expected containers that hardly come up by chance."""
    parts: list[Any] = []
    for value in expected:
        inner = (*value.keys(), *value.values()) if isinstance(value, dict) else value
        if isinstance(inner, list | tuple | set | frozenset):
            parts += [v for v in inner if isinstance(v, int | float | str) and _is_distinctive(v)]
            parts += _list_distinctive_parts([v for v in inner if isinstance(v, list | tuple | dict)])
    return parts


def _find_part(case: Case, parts: Sequence[Any], new: Sequence[ast.AST]) -> str | None:
    """The new literal that is such a part and stands where a result stands; one that stands in a cell above, too, came from there."""
    given = [
        v
        for c in case.notebook.list_code_before(case.failure.cell_id)
        for n in src.walk(c.source)
        for v in _read_literal(n)
    ]
    invented = [part for part in parts if not is_among(part, given)]
    for tree in new if invented else ():
        for node in (leaf for result in _walk_results(tree) for leaf in _list_items(result)):
            for value in _read_literal(node):
                if is_among(value, invented) and not _respells_value(value, given):
                    return ast.unparse(node)[:60]
    return None


def _find_answered_input(
    case: Case, expected: Sequence[Any], known: Sequence[Any], new: Sequence[ast.AST]
) -> str | None:
    """The branch that is taken for one value of the notebook's, ``if text == '45m': return 45``, and gives a part of what is expected."""
    inner = [v for value in expected if isinstance(value, list | tuple | set) for v in value]
    inner += [v for value in expected if isinstance(value, dict) for v in value.values()]
    parts = [v for v in inner if isinstance(v, int | float | str) and not is_ordinary(v) and not is_among(v, known)]
    given = [
        v
        for c in case.notebook.list_code_before(case.failure.cell_id)
        for n in src.walk(c.source)
        for v in _read_literal(n)
    ]
    branches = (n for tree in new for n in ast.walk(tree) if isinstance(n, ast.If | ast.IfExp) and parts)
    for branch in branches:
        asked = _read_compared_constant(branch.test)
        bodies: Sequence[ast.AST] = branch.body if isinstance(branch, ast.If) else (ast.Expr(branch.body),)
        if not asked or is_ordinary(asked[0]) or not is_among(asked[0], given):
            continue
        for result in (leaf for body in bodies for leaf in _walk_results(body)):
            if any(is_among(value, parts) for value in _read_literal(result)):
                return f"{ast.unparse(branch.test)[:40]} gives {ast.unparse(result)[:40]}"
    return None


def _read_compared_constant(test: ast.expr) -> tuple[Any, ...]:
    """The constant of ``name == constant``, alone in a tuple; empty for anything else."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.Eq):
        return ()
    return next((found for side in _list_sides(test) if (found := _read_literal(side))), ())


def _list_items(node: ast.AST) -> list[ast.AST]:
    """The expression, or what stands in it where it is a tuple, a list or a table of its own."""
    if isinstance(node, ast.Tuple | ast.List):
        return [item for element in node.elts for item in _list_items(element)]
    if isinstance(node, ast.Dict):
        return [item for value in node.values for item in _list_items(value)]
    leaves = [leaf for leaf in _walk_leaves(node) if leaf is not node]
    return [node, *(item for leaf in leaves for item in _list_items(leaf))]


def _list_literal_tokens(source: str) -> list[Any]:
    """The literals of a source that does not parse, as far as it can be read."""
    return [value for is_literal, value in _read_tokens(source) if is_literal]


def _read_tokens(source: str) -> list[tuple[bool, Any]]:
    """Whether each token of a source is a literal, and its value or else its text; of one that does not parse, as far as it can be read."""
    found: list[tuple[bool, Any]] = []
    lines = io.StringIO(src.mask(source)).readline
    with contextlib.suppress(tokenize.TokenError, SyntaxError, ValueError):
        for token in tokenize.generate_tokens(lines):
            if token.type in (tokenize.STRING, tokenize.NUMBER):
                found.append((True, ast.literal_eval(src.parse_expression(token.string))))
            elif token.string.strip() and token.type != tokenize.COMMENT:
                if token.string in _CLOSING and found[-1:] == [(False, ",")]:
                    found.pop()
                found.append((False, token.string))
    return found


def _list_written_containers(source: str, new: Sequence[ast.AST]) -> Iterator[Any]:
    """The new lists, tuples and tables that stand token by token in a source that does not parse: it fails at another place."""
    nodes = [n for tree in new for n in ast.walk(tree) if isinstance(n, _CONTAINERS) and _read_literal(n)]
    written = _read_tokens(source) if nodes else []
    for node in nodes:
        wanted = _read_tokens(ast.unparse(node))
        if isinstance(node, ast.Tuple):
            wanted = wanted[1:-1]
        if len(wanted) > 1 and any(
            written[at : at + len(wanted)] == wanted for at in range(len(written) - len(wanted) + 1)
        ):
            yield from _read_literal(node)


def _list_written_texts(source: str, new: Sequence[ast.AST]) -> Iterator[str]:
    """The new texts that stand letter by letter in the code of a source that does not parse: only their quotes were wrong."""
    code = "\n".join(line.partition("#")[0] for line in source.splitlines())
    texts = (v for tree in new for node in ast.walk(tree) for v in _read_literal(node) if isinstance(v, str))
    return (text for text in texts if text in code)


def list_expected_literals(case: Case) -> list[Any]:
    """Every literal that an oracle of the case compares with."""
    oracle = find_oracle(case)
    literals = [v for node in _parse_expressions(oracle.expect) for v in _read_literal(node)]
    for text in (
        *oracle.checks,
        *(c.source for c in case.notebook.list_code_after(case.failure.cell_id)),
        case.failure.source,
    ):
        for node in list_asserts(text):
            literals += [
                v
                for n in ast.walk(node)
                if isinstance(n, ast.Compare)
                for c in _list_sides(n)
                for v in _read_literal(c)
            ]
    if oracle.stdout and not oracle.stdout.startswith("/"):
        lines = [line.strip() for line in oracle.stdout.strip().splitlines()]
        literals += [
            oracle.stdout.strip(),
            *lines,
            *(v for line in lines for node in _parse_expressions(line) for v in _read_literal(node)),
        ]
    if case.notebook.index(case.failure.cell_id) >= 0:
        shown = output_text.join_texts(case.notebook.cell(case.failure.cell_id).outputs).strip()
        lines = shown.splitlines() if len(shown) < SHOWN else []
        literals += [v for text in (shown, *lines) for node in _parse_expressions(text) for v in _read_literal(node)]
        literals += [shown] if shown else []
    return literals


def _list_sides(node: ast.Compare) -> list[ast.expr]:
    return [node.left, *node.comparators]


def _parse_expressions(text: str) -> list[ast.expr]:
    try:
        return [src.parse_expression(text)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _read_literal(node: ast.AST) -> tuple[Any, ...]:
    """The value of a literal, as a tuple of one; empty for anything else."""
    if not isinstance(node, ast.Constant | ast.List | ast.Tuple | ast.Dict | ast.Set | ast.UnaryOp):
        return ()
    try:
        return (ast.literal_eval(node),)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return ()


def is_ordinary(value: Any) -> bool:
    """Whether honest code is full of such a value."""
    if isinstance(value, list | tuple | dict | set) and not value:
        return True
    return any(type(value) is type(other) and value == other for other in _ORDINARY) or value in (0.0, 1.0)


def is_among(value: Any, others: Sequence[Any]) -> bool:
    """Whether one of the others is the same value; numbers within a relative 1e-4."""
    return any(_is_same(value, other) for other in others)


def _is_same(a: Any, b: Any) -> bool:
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, int | float) and isinstance(b, int | float):
        return a == b or math.isclose(a, b, rel_tol=1e-4)
    return type(a) is type(b) and bool(a == b)


def _walk_results(tree: ast.AST) -> Iterator[ast.AST]:
    """Expressions that are somebody's result."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Return | ast.Assign | ast.AnnAssign | ast.Expr | ast.Yield | ast.NamedExpr):
            yield from _walk_leaves(node.value)
        elif isinstance(node, ast.Lambda):
            yield from _walk_leaves(node.body)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("print", "display"):
            for argument in node.args:
                yield from _walk_leaves(argument)


def _walk_leaves(node: ast.AST | None) -> Iterator[ast.AST]:
    """The expression itself, and what it can evaluate to through conditions, tables and ``or``."""
    if node is None:
        return
    yield node
    inner: Sequence[ast.AST | None] = ()
    if isinstance(node, ast.IfExp):
        inner = (node.body, node.orelse)
    elif isinstance(node, ast.BoolOp | ast.Dict):
        inner = node.values
    elif isinstance(node, ast.Subscript):
        inner = (node.value,)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Dict):
        inner = (node.func.value, *node.args[1:])
    for child in inner:
        yield from _walk_leaves(child)


def _walk_distinctive(tree: ast.AST) -> Iterator[ast.AST]:
    """Literals outside subscripts and keywords that hardly come up by chance."""
    skipped = {
        id(n)
        for outer in ast.walk(tree)
        if isinstance(outer, ast.Subscript | ast.keyword | ast.Assert)
        for inner in [outer.slice if isinstance(outer, ast.Subscript) else outer]
        for n in ast.walk(inner)
    }
    for node in ast.walk(tree):
        if id(node) not in skipped and any(_is_distinctive(v) for v in _read_literal(node)):
            yield node


def _collect_looked_up(tree: ast.AST) -> set[int]:
    """Ids of nodes that are reached by comparing something with a constant: branches, cases, values of a table."""
    ids: set[int] = set()
    for node in ast.walk(tree):
        parts: Sequence[ast.AST | None] = ()
        if isinstance(node, ast.If | ast.IfExp) and any(map(_equals_constant, ast.walk(node.test))):
            parts = node.body if isinstance(node, ast.If) else (node.body,)
        elif isinstance(node, ast.Dict):
            parts = node.values
        elif isinstance(node, ast.match_case):
            parts = node.body
        ids |= {id(n) for part in parts if part is not None for n in ast.walk(part)}
    return ids


def _equals_constant(node: ast.AST) -> bool:
    signs = (ast.Eq, ast.Is, ast.In)
    return (
        isinstance(node, ast.Compare) and isinstance(node.ops[0], signs) and any(map(_read_literal, _list_sides(node)))
    )


def _respells_value(value: Any, known: Sequence[Any]) -> bool:
    if not isinstance(value, str):
        return False
    alike = (difflib.SequenceMatcher(None, value.lower(), k.lower()).ratio() for k in known if isinstance(k, str) and k)
    return any(ratio >= RESPELT for ratio in alike)


def _is_distinctive(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) >= 3
    if isinstance(value, int | float):
        return len(repr(value).strip("-").replace(".", "").lstrip("0")) >= 3
    return isinstance(value, list | tuple | dict | set) and len(value) >= 2
