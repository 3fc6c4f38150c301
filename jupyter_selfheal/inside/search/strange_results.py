"""How strange what a patch gives is: errors where there was none, types that no check expects, arguments changed in place."""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence

from jupyter_selfheal.inside.search.compare_behaviour import CHANGES
from jupyter_selfheal.inside.search.program import CHECK, Program


@functools.lru_cache(maxsize=2048)
def name_type(shown: str) -> str:
    """The type of a shown result: of a literal its name, else nothing."""
    try:
        return type(ast.literal_eval(shown.removesuffix(CHANGES))).__name__
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return ""


@functools.lru_cache(maxsize=8)
def collect_expected_types(program: Program) -> frozenset[str]:
    """The types of the results that the checks expect: ``assert f(2) == 4`` tells ``int``."""
    texts = [u.text for u in program.units if u.role == CHECK or u.tests] + list(program.checks)
    types = {name_type(text) for text in (program.expect, *(d.want.strip() for d in program.doctests)) if text}
    for text in texts:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.Is):
                types |= {name_type(ast.unparse(side)) for side in (node.left, node.comparators[0])}
    return frozenset(types - {""})


def measure_strangeness(shown: Sequence[str], before: Sequence[str], expected: frozenset[str]) -> float:
    """0–1: the share of results that are errors where there was none before, or of a type that no check expects; 1 too where
    everything is the same and was not before; 1.5 where arguments are changed in place that were left alone before."""
    if not shown or len(shown) != len(before):
        return 0.0
    if any(now.endswith(CHANGES) and not then.endswith(CHANGES) for now, then in zip(shown, before, strict=True)):
        return 1.5 if not any(then.endswith(CHANGES) for then in before) else 0.0
    odd = 0
    for now, then in zip(shown, before, strict=True):
        if now.startswith("!"):
            odd += not then.startswith("!")
        elif expected and (now_type := name_type(now)):
            odd += now_type not in expected and not (now_type == "int" and "float" in expected)
    if len(set(shown)) == 1 and (len(set(before)) > 2 or len({then for then in before if then[:1] != "!"}) > 1):
        return 1.0
    return odd / len(shown)
