"""SKL134: texts that a feature hasher took letter by letter."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.written_before import find_older_use
from jupyter_selfheal.model import Applicability, Patch

LETTERS = "Until scikit-learn refused such texts, their letters were hashed."


class CharactersHashed(Rule):
    """Give a feature hasher the letters of each text, as it took them, or each text as a whole.

    **Failure** `ValueError: Samples can not be a single string. The input must be an iterable over iterables of strings.` at `hasher.fit_transform(df["genre"])`.

    **Fix** `hasher.fit_transform(map(list, df["genre"]))`; also shown: `([text] for text in df["genre"])`.

    **Fix safety** The first gives what scikit-learn gave until it refused such texts, the second what was mostly meant. Safe for the first where the notebook uses what was removed before that release; else unsafe: a
    stored output tells which.
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
            is_old = bool(find_older_use(context, "sklearn", "1.2"))
            for new, level, why, prior in (
                (f"map(list, {given})", Applicability.SAFE if is_old else None, LETTERS if is_old else self.why, 0.9 if is_old else 0.75),
                (f"([text] for text in {given})", None, self.why, 0.65),
            ):  # fmt: skip
                yield self.patch(
                    context.replace_here((*context.span(call.args[0]), new)),
                    f"Use `{new}`",
                    f"Each item of `{given}` is a text, where a list of texts belongs. {LETTERS}",
                    applicability=level,
                    why=why,
                    prior=prior,
                )
            return
