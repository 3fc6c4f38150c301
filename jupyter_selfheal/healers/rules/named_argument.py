"""API204: an argument that the message itself says to pass."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Signature, Stage
from jupyter_selfheal.model import Applicability, Patch

NAMED = re.compile(
    r"\b(?:[Pp]ass(?:ing)?|[Ss]et(?:ting)?|[Ss]pecify(?:ing)?|[Uu]s(?:e|ing)|[Aa]dd|[Tt]ry|[Gg]ive|[Pp]rovide)\b[^.;=]{0,60}?"
    r"[`'\"]{0,2}\b(?P<name>[a-z_]\w*) ?= ?(?P<value>True|False|None|\d+|'\w+'|\"\w+\")"
)
"""What messages say: "Pass utc=True in to_datetime", "specify ``engine='python'``"."""

NO_DAY = re.compile(
    r"day is out of range for month|day \d+ must be in range|(?P<month>month must be in 1\.\.12)|hour must be in 0\.\.23|minute must be in 0\.\.59"
)
"""What is said of a date or a time that does not exist; one without such a month may have its day there (``2021-13-05``). The second is of Python 3.14."""
HIDING = re.compile(r"error|ignore|skip|allow|raise|warn|coerce|verify|strict|valid|check|safe|force|drop")
"""Words of arguments and values that only make a failure go away."""


class NamedArgument(Rule):
    """Pass the argument that the message asks for.

    **Failure** `ValueError: Mixed timezones detected. Pass utc=True in to_datetime or …`, and any other message that names an argument
    with its value.

    **Fix** The failing call gets the argument, if the installed function takes it and the call does not give it.

    **Fix safety** Unsafe: the message knows what would run, not what was meant; the outputs decide. Never an argument that would only
    hide a failure (`errors="ignore"`, `allow_pickle=True`).
    """

    code = "API204"
    name = "argument that the message names"
    stage = Stage.LAST
    enames = frozenset({"ValueError", "TypeError", "NotImplementedError", "RuntimeError", "AttributeError"})
    message = NAMED
    applicability = Applicability.UNSAFE
    why = "The library's own message asks for it."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        no_day = NO_DAY.search(context.failure.evalue)
        if no_day and not no_day["month"]:  # whatever the format, no month has that day
            return
        named = {m["name"]: m["value"] for m in NAMED.finditer(context.failure.evalue)}
        wanted = {n: v for n, v in named.items() if not HIDING.search(n) and not HIDING.search(v.lower())}
        for call in context.calls_at_failure()[:3]:
            given = {k.arg for k in call.keywords}
            accepted = (context.signature(call.func, calls=True) or Signature()).names(
                "POSITIONAL_OR_KEYWORD", "KEYWORD_ONLY"
            )
            fitting = [n for n in wanted if n in accepted[len(call.args) :] and n not in given]
            for name in fitting if None not in given else ():
                end = context.span(call)[1] - 1
                comma = ", " if call.args or call.keywords else ""
                yield self.patch(
                    context.replace(context.cell_id, [(end, end, f"{comma}{name}={wanted[name]}")]),
                    f"Pass `{name}={wanted[name]}`",
                    f"`{context.text(call.func)}` asks for it: {context.failure.headline}",
                    prior=0.6,
                )
            if fitting:
                return
