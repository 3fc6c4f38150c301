"""TYP201: a population that is no sequence."""

from __future__ import annotations

from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import last_name
from jupyter_selfheal.model import Applicability, Failure, Patch


class SamplePopulation(Rule):
    """Sample from a list of what is no sequence.

    **Failure** `TypeError: Population must be a sequence. For dicts or sets, use sorted(d).` from `random.sample(nodes, 3)`.

    **Fix** `random.sample(list(nodes), 3)`.

    **Fix safety** Safe: before Python 3.11 `sample` made the same list itself.
    """

    code = "TYP201"
    name = "population that is no sequence"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError"})
    applicability = Applicability.SAFE
    why = "Before Python 3.11 the function made the same list itself (https://docs.python.org/3/whatsnew/3.11.html)."

    def matches(self, failure: Failure) -> bool:
        return super().matches(failure) and "Population must be a sequence" in failure.evalue

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.calls_at_failure()[:3]:
            if last_name(call.func) != "sample" or not call.args:
                continue
            text = f"list({context.text(call.args[0])})"
            yield self.patch(
                context.replace(context.cell_id, [(*context.span(call.args[0]), text)]),
                f"Sample from `{text}`",
                f"`{context.text(call.args[0])}` isn't a sequence.",
                prior=0.9,
            )
            return
