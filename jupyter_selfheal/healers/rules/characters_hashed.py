"""SKL134: texts that a feature hasher took letter by letter."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Patch

LETTERS = "Until scikit-learn refused such texts, their letters were hashed."


class CharactersHashed(Rule):
    """Give a feature hasher the letters of each text, as it took them, or each text as a whole.

    **Failure** `ValueError: Samples can not be a single string. The input must be an iterable over iterables of strings.` at `hasher.fit_transform(df["genre"])`.

    **Fix** `hasher.fit_transform(map(list, df["genre"]))`; also shown: `([text] for text in df["genre"])`.

    **Fix safety** Unsafe: the first gives what scikit-learn gave until it refused such texts, the second what was mostly meant. A stored output tells which.
    """

    code = "SKL134"
    name = "texts hashed by letters"
    stage = Stage.CHANGELOG
    enames = frozenset({"ValueError"})
    message = re.compile(r"^Samples can not be a single string")
    why = "Each text may be meant as a whole: its letters were hashed, one by one."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            if not (
                isinstance(call.func, ast.Attribute) and call.func.attr in ("fit_transform", "transform") and call.args
            ):
                continue
            given = context.text(call.args[0])
            for new, why, prior in (
                (f"map(list, {given})", self.why, 0.75),
                (f"([text] for text in {given})", LETTERS, 0.65),
            ):
                yield self.patch(
                    context.replace_here((*context.span(call.args[0]), new)),
                    f"Use `{new}`",
                    f"Each item of `{given}` is a text, where a list of texts belongs.",
                    why=why,
                    prior=prior,
                )
            return
