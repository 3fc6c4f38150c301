"""TYP221: a text that is split at several separators at once."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch


class SeveralSeparators(Rule):
    """Split at any of the separators.

    **Failure** `TypeError: 'str' object cannot be interpreted as an integer` at `line.split(",", ";")`.

    **Fix** `re.split(r"[,;]", line)`, with its import.

    **Fix safety** Unsafe: the second text may be meant as something else.
    """

    code = "TYP221"
    name = "several separators"
    enames = frozenset({"TypeError"})
    message = re.compile(r"'str' object cannot be interpreted as an integer|split\(\) takes at most \d arguments")
    applicability = Applicability.UNSAFE
    why = "`split` takes one separator; that all of them are meant is likely, not sure."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            if not isinstance(call.func, ast.Attribute) or call.func.attr != "split" or call.keywords:
                continue
            texts = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str) and a.value]
            if len(texts) < 2 or len(texts) != len(call.args):
                continue
            owner = context.describe_all([call.func.value])[0]
            if owner.type not in ("str", ""):
                return
            if all(len(t) == 1 for t in texts):
                pattern = "[" + "".join("\\" + t if t in "\\]^-" else t for t in texts) + "]"
            else:
                pattern = "|".join(re.escape(t) for t in texts)
            quote = "'" if '"' in pattern else '"'
            if quote in pattern or "\n" in pattern:
                return
            yield self.patch(
                context.replace_here(
                    *context.add_imports(["import re"]),
                    (*context.span(call), f"re.split(r{quote}{pattern}{quote}, {context.text(call.func.value)})"),
                ),
                f"Split at any of {', '.join(f'`{t}`' for t in texts)}",
                "`split` takes one separator, and behind it how often to split.",
                prior=0.6,
            )
            return
