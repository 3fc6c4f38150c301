"""KEY103: a member of an enumeration that is asked for by its name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch

NO_VALUE = re.compile(r"'([^']+)' is not a valid ")


class EnumByName(Rule):
    """Look a member of an enumeration up by its name.

    **Failure** `ValueError: 'RED' is not a valid Color` at `Color("RED")`.

    **Fix** `Color["RED"]`: the brackets take the name of a member, the call takes its value.

    **Fix safety** Safe where the enumeration has a member of exactly that name: the message says that no member has it as its value. Silent where it has
    none.
    """

    code = "KEY103"
    name = "enumeration's member by name"
    enames = frozenset({"ValueError"})
    message = NO_VALUE
    applicability = Applicability.SAFE
    why = "No member has that value, and one has that name."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = NO_VALUE.match(context.failure.evalue)
        for call in context.list_calls_at_failure() if match else []:
            if len(call.args) != 1 or call.keywords or not context.read_plain_chain(call.func):
                continue
            kind = context.describe(call.func)
            is_enum = kind is not None and kind.is_class and kind.type in ("EnumType", "EnumMeta")
            if match is None or kind is None or not is_enum or match[1] not in kind.attributes:
                continue
            given = context.text(call.args[0])
            start, end = context.span(call)
            yield self.patch(
                context.replace_here((start, end, f"{context.text(call.func)}[{given}]")),
                f"Look `{match[1]}` up by its name",
                f"`{match[1]}` is the name of a member of `{context.text(call.func)}`; the call takes its value.",
                prior=0.9,
            )
            return
