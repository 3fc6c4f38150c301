"""TYP201: a population that is no sequence."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_dotted_name, read_last_name
from jupyter_selfheal.model import Applicability, Failure, Patch

FUNCTIONS = frozenset({"sample", "choice", "choices"})
MESSAGE = re.compile(r"Population must be a sequence|'(?:set|frozenset|dict_\w+)' object is not subscriptable")
KEYED = frozenset({"set", "frozenset", "dict", "Counter", "defaultdict", "dict_keys", "dict_values", "dict_items"})


class SamplePopulation(Rule):
    """Sample from a list of what is no sequence.

    **Failure** `TypeError: Population must be a sequence. For dicts or sets, use sorted(d).` from `random.sample(nodes, 3)`;
    `TypeError: 'set' object is not subscriptable` and `KeyError: 2` from `random.choice(nodes)`.

    **Fix** `random.sample(list(nodes), 3)`.

    **Fix safety** Safe: before Python 3.11 `sample` made the same list itself, and of a set or a dictionary nothing but a key can be chosen.
    """

    code = "TYP201"
    name = "population that is no sequence"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError", "KeyError"})
    applicability = Applicability.SAFE
    why = "Before Python 3.11 the function made the same list itself (https://docs.python.org/3/whatsnew/3.11.html)."

    def matches(self, failure: Failure) -> bool:
        return super().matches(failure) and (MESSAGE.search(failure.evalue) is not None or failure.ename == "KeyError")

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure()[:3]:
            if read_last_name(call.func) not in FUNCTIONS or not call.args or not _draws_from_keyed(context, call):
                continue
            text = f"list({context.text(call.args[0])})"
            yield self.patch(
                context.replace(context.cell_id, [(*context.span(call.args[0]), text)]),
                f"Sample from `{text}`",
                f"`{context.text(call.args[0])}` isn't a sequence.",
                prior=0.9,
            )
            return


def _draws_from_keyed(context: RuleContext, call: ast.Call) -> bool:
    """True for a function of Python's ``random`` whose population is a set or a dictionary."""
    population = call.args[0]
    if "Population must be a sequence" in context.failure.evalue:
        return True
    if read_dotted_name(call.func) not in {name for f in FUNCTIONS for name in (f, f"random.{f}")}:
        return False
    if isinstance(population, ast.Set | ast.SetComp | ast.Dict | ast.DictComp):
        return True
    if isinstance(population, ast.Call):
        return read_last_name(population.func) in ("set", "frozenset", "keys", "values", "items")
    thing = context.describe(population) if context.read_plain_chain(population) else None
    return thing is not None and thing.type in KEYED
