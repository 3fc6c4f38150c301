"""API207: a text that is no longer taken, for which the message itself names the one to give."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.remedies import QUOTED, TEXT
from jupyter_selfheal.model import Applicability, Patch


class ValueNamedByMessage(Rule):
    """Give the text that the message names in place of the one that it no longer takes.

    **Failure** `ValueError: Passing in 'datetime64' dtype with no precision is not allowed. Please pass in 'datetime64[ns]' instead.`, and any other
    message that quotes a text of the failing call and the one to give instead.

    **Fix** The text in the failing call becomes the one that the message names.

    **Fix safety** Safe where the new text is the old one said more exactly (it begins or ends with it). Unsafe where it is another word: the outputs
    decide. Silent where the message quotes nothing that the call gives.
    """

    code = "API207"
    name = "value that the message names"
    stage = Stage.LAST
    enames = frozenset(
        {"ValueError", "TypeError", "NotImplementedError", "KeyError", "OSError", "InvalidParameterError"}
    )
    message = TEXT
    warning = TEXT
    applicability = Applicability.UNSAFE
    why = "The library's own message names it; whether it does the same, the outputs decide."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        message = context.failure.evalue
        match = TEXT.search(message)
        if match is None:
            return
        new, quoted = match["new"], set(QUOTED.findall(message)) - {match["new"]}
        for call in context.list_calls_at_failure():
            for given in (*call.args, *(k.value for k in call.keywords)):
                if not (isinstance(given, ast.Constant) and isinstance(given.value, str)) or given.value not in quoted:
                    continue
                exact = new.startswith(given.value) or new.endswith(given.value)
                mark = context.text(given)[-1]
                yield self.patch(
                    context.replace_here((*context.span(given), f"{mark}{new}{mark}")),
                    f"Change {given.value!r} to {new!r}",
                    f"`{context.text(call.func)}` no longer takes {given.value!r}, and the message names {new!r}.",
                    applicability=Applicability.SAFE if exact else Applicability.UNSAFE,
                    why="The message names it, and it says the same more exactly." if exact else self.why,
                    prior=0.88 if exact else 0.6,
                )
                return
