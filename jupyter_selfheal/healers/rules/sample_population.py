"""TYP201: a population that is no sequence."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_dotted_name, read_last_name, read_literal
from jupyter_selfheal.model import Applicability, Failure, Patch

FUNCTIONS = frozenset({"sample", "choice", "choices"})
MESSAGE = re.compile(r"Population must be a sequence|'(?:set|frozenset|dict_\w+)' object is not subscriptable")
KEYED = frozenset({"set", "frozenset", "dict", "Counter", "defaultdict", "dict_keys", "dict_values", "dict_items"})
ORDERED_SET = "isinstance({0}, (set, frozenset)) and all(isinstance(i, str) for i in {0})"
"""True for a set whose order is another one in every run, and whose items can be sorted; that of numbers is the one that `sample` took."""


class SamplePopulation(Rule):
    """Sample from a sorted set, and from a list of what else is no sequence.

    **Failure** `TypeError: Population must be a sequence. For dicts or sets, use sorted(d).` from `random.sample(nodes, 3)`;
    `TypeError: 'set' object is not subscriptable` and `KeyError: 2` from `random.choice(nodes)`.

    **Fix** `random.sample(sorted(names), 3)`, as the message says, for a set of texts; `list(…)` for what has an order or cannot be sorted.

    **Fix safety** Safe: before Python 3.11 `sample` made a list itself, and of a set or a dictionary nothing but a key can be chosen. A list of a set
    of texts has another order in every run, so that a seed would not repeat the draw.
    """

    code = "TYP201"
    name = "population that is no sequence"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError", "KeyError"})
    applicability = Applicability.SAFE
    why = "The function draws from a sequence, and this one holds the same items."

    def matches(self, failure: Failure) -> bool:
        return super().matches(failure) and (MESSAGE.search(failure.evalue) is not None or failure.ename == "KeyError")

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure()[:3]:
            if read_last_name(call.func) not in FUNCTIONS or not call.args or not _draws_from_keyed(context, call):
                continue
            given = context.text(call.args[0])
            is_text = isinstance(call.args[0], ast.Set) and all(
                isinstance(read_literal(e)[1], str) for e in call.args[0].elts
            )
            is_plain = context.read_plain_chain(call.args[0]) is not None
            is_ordered = is_text or (is_plain and context.is_true(ORDERED_SET.format(given)))
            text = f"{'sorted' if is_ordered else 'list'}({given})"
            yield self.patch(
                context.replace(context.cell_id, [(*context.span(call.args[0]), text)]),
                f"Sample from `{text}`",
                f"`{given}` isn't a sequence.",
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
