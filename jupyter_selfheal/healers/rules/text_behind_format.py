"""TYP242: text that stands behind a format's code, before the brace that ends the field."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"Invalid format specifier '(?P<spec>[^'{}]+)' for object of type '(?:float|int)'")
SPEC = re.compile(r"(?:.?[<>=^])?[+\- ]?#?0?\d*[,_]?(?:\.\d+)?[bcdeEfFgGnoxX%](?=[ /€$£°(])")
"""A whole specification (https://docs.python.org/3/library/string.html#format-specification-mini-language), and what none goes on with."""

DOUBT = "What stands behind the format may be reckoned with: a share in percent, or a variable."


class TextBehindFormat(Rule):
    """End the field behind its format.

    **Failure** `ValueError: Invalid format specifier '.2f m' for object of type 'float'` at `f"{height:.2f m}"`.

    **Fix** `f"{height:.2f} m"`.

    **Fix safety** Safe: up to there it is a whole format of numbers, and none goes on behind its letter. Unsafe for `{share:.1f %}`, where
    `{share:.1%}` may be meant, which is offered too, and where a variable stands in the text (`{total:.2f / n}`). Silent where the same stands in the
    cell twice.
    """

    code = "TYP242"
    name = "text behind a format"
    enames = frozenset({"ValueError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "A format ends with its letter: what stands behind it is text."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        told = MESSAGE.search(context.failure.evalue)
        whole = SPEC.match(told["spec"]) if told is not None else None
        if told is None or whole is None:
            return
        for node in context.list_nodes_on_line(ast.JoinedStr, ast.Call):
            start, end = context.span(node)
            field = f":{told['spec']}}}"
            if context.source[start:end].count(field) != 1:
                continue
            at = start + context.source[start:end].index(field)
            split = at + 1 + whole.end()
            rest = told["spec"][whole.end() :]
            percent = rest.strip() == "%" and whole[0][-1] in "fF"
            doubtful = percent or any(context.is_bound_anywhere(word) for word in re.findall(r"[^\W\d]\w*", rest))
            yield self.patch(
                context.replace_here((split, at + len(field), f"}}{rest}")),
                f"End the field behind `{whole[0]}`",
                f"`{rest.strip()}` is text, not a part of the format.",
                applicability=Applicability.UNSAFE if doubtful else Applicability.SAFE,
                why=DOUBT if doubtful else self.why,
                prior=0.8 if doubtful else 0.95,
            )
            if percent:
                yield self.patch(
                    context.replace_here((split - 1, at + len(field), "%}")),
                    f"Format it by `{whole[0][:-1]}%`",
                    "`%` as a format shows a share as so many of a hundred.",
                    applicability=Applicability.UNSAFE,
                    why=DOUBT,
                    prior=0.75,
                )
            return
