"""SKL130: whole numbers, of which scikit-learn plots no partial dependence."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch

PANDAS, NUMPY = "pandas.DataFrame", "numpy.ndarray"


class IntegersInDependence(Rule):
    """Give partial dependence the whole numbers of a table as floats.

    **Failure** `ValueError: The column 'rooms' contains integer data. Partial dependence plots are not supported for integer data` at
    `PartialDependenceDisplay.from_estimator(model, X, ["rooms"])`, also at `partial_dependence(model, X, ["rooms"])`.

    **Fix** `X.astype(float)` in the call; of a table with columns that are no numbers, those of whole numbers alone.

    **Fix safety** Safe: the same numbers, as the message asks for. Silent where the table is no name of the notebook's.
    """

    code = "SKL130"
    name = "partial dependence of whole numbers"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError"})
    message = re.compile(r"The column .* contains integer data\. Partial dependence plots are not supported")
    applicability = Applicability.SAFE
    why = "The message asks for it, and the numbers are the same."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            if read_last_name(call.func) not in ("from_estimator", "partial_dependence", "plot_partial_dependence"):
                continue
            given = next(iter([k.value for k in call.keywords if k.arg == "X"] or call.args[1:2]), None)
            name = context.read_plain_chain(given) if given is not None else None
            live = context.describe(name) if name else None
            if given is None or live is None or not live.is_a(PANDAS, NUMPY):
                return
            plain = live.is_a(NUMPY) or context.is_true(
                f"len({name}.select_dtypes(['number', 'bool']).columns) == {name}.shape[1]"
            )
            of = "float" if plain else f"dict.fromkeys({name}.select_dtypes('integer'), float)"
            yield self.patch(
                context.replace_here((*context.span(given), f"{name}.astype({of})")),
                f"Give it `{name}.astype({of})`",
                "scikit-learn rounds nothing between whole numbers any more.",
                prior=0.93,
            )
            return
