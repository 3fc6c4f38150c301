"""API220: an argument that was not given, and for which a release takes another value without a word."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RAISED_OR_MISSED, Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice, append_argument
from jupyter_selfheal.healers.rules.context.nodes import read_dotted_name, read_last_name
from jupyter_selfheal.healers.rules.context.replay import mend_above
from jupyter_selfheal.model import Applicability, Patch

DEFAULTS = {
    "variance_inflation_factor": ("standardize", "False", "statsmodels 0.15", "puts every column to mean 0 first")
}
"""A function → the argument, the value that was its own way until a release, that release, and what it does since."""
_TAKES = "{0!r} in __import__('inspect').signature({1}).parameters and {1}.__module__.startswith({2!r})"


class ChangedDefault(Rule):
    """Give an argument the value that it had where it was not given.

    **Failure** Another value than the stored or asserted one: `variance_inflation_factor(X.values, i)` gives 1.92 where 29.40 is stored. Since statsmodels 0.15 it
    puts the columns to mean 0 and deviation 1 first.

    **Fix** `variance_inflation_factor(X.values, i, standardize=False)`, in every such call that the cell's values come from.

    **Fix safety** Safe: it is what the function did until that release, and what is stored or asserted comes back with it. Silent where the argument is given, for a function of the notebook's own, and before that release.
    """

    code = "API220"
    name = "default that a release changed"
    stage = Stage.CHANGELOG
    enames = frozenset({"AssertionError"})
    kinds = RAISED_OR_MISSED
    applicability = Applicability.SAFE
    restores = "statsmodels 0.15"
    why = (
        "It is what the function did until that release (https://www.statsmodels.org/stable/release/version0.15.html)."
    )

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        found: list[str] = []

        def find(source: str, statement: ast.stmt) -> Iterator[tuple[Splice, str]]:
            for call in _list_calls(statement):
                argument, value, release, _ = DEFAULTS[read_last_name(call.func)]
                if context.is_true(_TAKES.format(argument, read_dotted_name(call.func), release.split()[0])):
                    found.append(read_last_name(call.func))
                    yield append_argument(source, call, f"{argument}={value}"), f"{argument}={value}"

        edits, shown = mend_above(context, find)
        if edits:
            *_, release, does = DEFAULTS[found[0]]
            yield self.patch(
                edits, f"Add `{shown}` to `{found[0]}`", f"Since {release}, `{found[0]}` {does}.", prior=0.92
            )


def has_changed_defaults(source: str) -> bool:
    """True where a text calls such a function without the argument."""
    return any(n in source for n in DEFAULTS) and any(
        True for s in src.list_statements(source) for _ in _list_calls(s.node)
    )


def _list_calls(statement: ast.stmt) -> Iterator[ast.Call]:
    for call in (n for n in ast.walk(statement) if isinstance(n, ast.Call) and len(n.args) == 2):
        named = [k.arg for k in call.keywords]
        if (known := DEFAULTS.get(read_last_name(call.func))) and known[0] not in named and None not in named:
            yield call
