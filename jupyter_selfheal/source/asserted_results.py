"""What asserts say that calls give, against which the examples of docstrings are held: documentation grows old."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from jupyter_selfheal import source as src


def collect_asserted_results(sources: Iterable[str]) -> dict[str, object]:
    """What asserts of the form ``f(1, 2) == literal`` say that calls give, by the call as :func:`src.dump_tree` writes it."""
    results: dict[str, object] = {}
    for source in sources:
        tree = src.parse(source)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.Assert) and isinstance(node.test, ast.Compare):
                test = node.test
                if len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq) and isinstance(test.left, ast.Call):
                    value = _read_literal(test.comparators[0])
                    if value:
                        results[src.dump_tree(test.left)] = value[0]
    return results


def collect_asserted_calls(sources: Iterable[str]) -> set[str]:
    """Every call that an assert makes, as :func:`src.dump_tree` writes it."""
    trees = [tree for source in sources if (tree := src.parse(source)) is not None]
    asserts = [n for tree in trees for n in ast.walk(tree) if isinstance(n, ast.Assert)]
    return {src.dump_tree(n) for a in asserts for n in ast.walk(a.test) if isinstance(n, ast.Call)}


def is_contradicted(call: str, want: str, asserted: Mapping[str, object]) -> bool:
    """Whether an assert says that a call gives something else than an example of it does: nothing could meet both."""
    try:
        asked = src.dump_tree(src.parse_expression(call))
        value = _read_literal(src.parse_expression(want))
    except (SyntaxError, ValueError):
        return False
    return bool(value) and asked in asserted and asserted[asked] != value[0]


def _read_literal(node: ast.expr) -> tuple[object, ...]:
    """The value of a literal, alone in a tuple; nothing for anything else."""
    try:
        return (ast.literal_eval(node),)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return ()
