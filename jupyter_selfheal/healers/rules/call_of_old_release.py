"""API213: a call as an older release took it: an argument had a default, or there was one more."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch

DEFAULTS = {
    "sympy.core.relational.Equality": (1, "0", "https://docs.sympy.org/latest/explanation/active-deprecations.html"),
}
"""Callables of which an argument had a default: how many arguments were given, the default, who says so."""
DROPPED = {
    "random.shuffle": (2, ("random.random", "random"), "https://docs.python.org/3/whatsnew/3.11.html"),
}
"""Callables that took one more argument: how many then, what it was without it, who says so."""
MESSAGE = re.compile(r"missing 1 required positional argument|takes \d+ positional arguments? but \d+ were given")


class CallOfOldRelease(Rule):
    """Call a function as the installed release takes it.

    **Failure** `TypeError: Equality.__new__() missing 1 required positional argument: 'rhs'` at `Eq(x**2 - 1)`;
    `Random.shuffle() takes 2 positional arguments but 3 were given` at `random.shuffle(cards, random.random)`.

    **Fix** The default of the older release is written (`Eq(x**2 - 1, 0)`); the argument that is no longer taken goes.

    **Fix safety** Safe for a default. Unsafe for another source of random numbers than `random.random`, whose order is lost.
    """

    code = "API213"
    name = "call as an older release took it"
    stage = Stage.CHANGELOG
    enames = frozenset({"TypeError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "The release notes say what the older release did."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            if call.keywords or any(isinstance(a, ast.Starred) for a in call.args) or not call.args:
                continue
            path = context.describe_all([call.func], calls=True)[0].path
            if path in DEFAULTS and len(call.args) == DEFAULTS[path][0]:
                _, default, source = DEFAULTS[path]
                end = context.span(call.args[-1])[1]
                yield self.patch(
                    context.replace_here((end, end, f", {default}")),
                    f"Pass `{default}`, which was the default",
                    f"`{context.text(call.func)}` no longer has a default for this argument.",
                    why=self.cite(source),
                    prior=0.93,
                )
                return
            path = path.replace("random.Random.shuffle", "random.shuffle")
            if path in DROPPED and len(call.args) == DROPPED[path][0]:
                _, same, source = DROPPED[path]
                last, own = context.text(call.args[-1]), context.text(call.func)
                # a function of the notebook may have the name, and a generator of its own a seed
                is_same = last in same and context.is_true(
                    f"{last}.__self__ is __import__('random').random.__self__ is {own}.__self__"
                )
                yield self.patch(
                    context.replace_here((context.span(call.args[-2])[1], context.span(call.args[-1])[1], "")),
                    f"Remove `{last}`",
                    f"`{context.text(call.func)}` no longer takes it (Python 3.11).",
                    applicability=Applicability.SAFE if is_same else Applicability.UNSAFE,
                    why=self.cite(source) if is_same else f"The order no longer comes from `{last}`.",
                    removes=f"`{last}`",
                    prior=0.9 if is_same else 0.6,
                )
                return
