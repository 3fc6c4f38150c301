"""SKL118: data that are given to the constructor of an estimator."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch

_DATA = ("pandas.DataFrame", "pandas.Series", "numpy.ndarray")


class DataForConstructor(Rule):
    """Give the data to `fit`.

    **Failure** `TypeError: LinearRegression.__init__() takes 1 positional argument but 3 were given` at `LinearRegression(X, y)`.

    **Fix** `LinearRegression().fit(X, y)`.

    **Fix safety** Unsafe: the model may be fitted below. Silent for what has no `fit`, and where a keyword or anything but data is given.
    """

    code = "SKL118"
    name = "data for the constructor"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError"})
    message = re.compile(
        r"__init__\(\) takes (?:1 positional argument|from 1 to \d+ positional arguments) but [23] were given"
    )
    applicability = Applicability.UNSAFE
    why = "The model may be meant to be fitted below."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            made = context.describe(call.func) if context.read_plain_chain(call.func) else None
            if made is None or not made.is_class or not made.path.startswith("sklearn.") or call.keywords:
                continue
            if not context.is_true(f"hasattr({context.text(call.func)}, 'fit')") or not call.args:
                continue
            if not all(live.is_a(*_DATA) for live in context.describe_all(call.args, calls=True)):
                continue
            at = context.span(call.func)[1]
            yield self.patch(
                context.replace_here((at, at, "().fit")),
                f"Write `{context.text(call.func)}().fit(…)`",
                "The constructor of an estimator takes its parameters, `fit` the data.",
                prior=0.85,
            )
            return
