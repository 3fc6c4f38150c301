"""PDA191: a quantile given in percent."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch

KEYWORDS = frozenset({"q", "percentiles"})
CALLED = frozenset({"quantile", "nanquantile", "describe", "qcut"})
PARTS = 10
"""Up to here a number may be that of a quartile or a decile."""


class PercentAsShare(Rule):
    """Give a quantile as a share of one.

    **Failure** `ValueError: percentiles should all be in the interval [0, 1]` at `df["age"].quantile([25, 75])`, `Quantiles must be in the range [0, 1]` at
    `np.quantile(ages, 90)`.

    **Fix** `df["age"].quantile([0.25, 0.75])`: each number of the argument is divided by a hundred.

    **Fix safety** Safe where all numbers are written in the call and are percentages beyond doubt (whole, above 1, up to 100, one of them above 10; 0 among them stays). Unsafe where none is
    above 10: the third quartile or the ninth decile may be meant. Silent where a share stands among them, and for variables.
    """

    code = "PDA191"
    name = "quantile in percent"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError"})
    message = re.compile(
        r"[Pp]ercentiles should all be in the interval \[0, 1\]|[Qq]uantiles must be in the range \[0, 1\]"
    )
    applicability = Applicability.SAFE
    why = "A quantile is a share between 0 and 1, and these are whole percentages."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure()[:3]:
            if not isinstance(call.func, ast.Attribute) or call.func.attr not in CALLED:
                continue
            named = [k.value for k in call.keywords if k.arg in KEYWORDS]
            given = named or call.args[-1:]
            numbers = _list_percentages(given[0]) if given else []
            if numbers:
                is_part = max(value for _, value in numbers) <= PARTS
                yield self.patch(
                    context.replace_here(*((*context.span(n), repr(value / 100)) for n, value in numbers if value)),
                    "Divide the percentages by 100",
                    f"`{call.func.attr}` takes shares between 0 and 1, not percentages.",
                    applicability=Applicability.UNSAFE if is_part else Applicability.SAFE,
                    why="A quartile or a decile may be meant, by its number." if is_part else self.why,
                    prior=0.6 if is_part else 0.95,
                )
                return


def _list_percentages(node: ast.expr) -> list[tuple[ast.expr, int]]:
    """The numbers of an argument with their values, where all of them are percentages; empty otherwise."""
    items = node.elts if isinstance(node, ast.List | ast.Tuple) else [node]
    found: list[tuple[ast.expr, int]] = [
        (n, n.value) for n in items if isinstance(n, ast.Constant) and type(n.value) is int
    ]
    is_whole = len(found) == len(items) and all(value == 0 or 1 < value <= 100 for _, value in found)
    return found if is_whole and any(value for _, value in found) else []
