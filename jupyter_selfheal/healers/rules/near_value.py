"""API209: a text that is near to one of those that are taken."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.spelling import find_nearest, is_plain_slip
from jupyter_selfheal.model import Applicability, Patch

PALETTES = ("deep", "muted", "pastel", "bright", "dark", "colorblind", "husl", "hls", "tab10", "Set1", "Set2", "Set3", "viridis", "rocket", "mako", "flare", "crest")  # fmt: skip
KNOWN = (
    (re.compile(r"No axis named \w+ for object type"), ("columns", "index")),
    (re.compile(r"is not a valid palette name"), PALETTES),
)
LISTED = re.compile(r"(?i)valid|must be|one of|supported|expected|choose|allowed|options")
WORD = re.compile(r"['\"`]([A-Za-z_][\w-]*)['\"`]")


class NearValue(Rule):
    """Give the text that is meant, of those that the message lists.

    **Failure** `ValueError: scatterplot is not a valid plot kind. Valid plot kinds: ('line', 'scatter', …)`, `No axis named column for object
    type DataFrame`, `'mutd' is not a valid palette name`.

    **Fix** `kind="scatter"`, `axis="columns"`, `palette="muted"`.

    **Fix safety** Safe where one of them alone is near by a slip, or is the beginning of what was given, or begins with it (four letters at
    least). Silent otherwise.
    """

    code = "API209"
    name = "text that is nearly taken"
    enames = frozenset({"ValueError", "KeyError", "TypeError", "InvalidParameterError"})
    applicability = Applicability.SAFE
    why = "One of the texts that are taken is near to it, and no other is."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        evalue = context.failure.evalue
        known = next((words for about, words in KNOWN if about.search(evalue)), ())
        if not known and not LISTED.search(evalue):
            return
        for call in context.calls_at_failure():
            for given in (*call.args, *(k.value for k in call.keywords)):
                if not (isinstance(given, ast.Constant) and isinstance(given.value, str)) or given.value not in evalue:
                    continue
                words = [w for w in dict.fromkeys((*known, *WORD.findall(evalue))) if w != given.value]
                meant = _find_meant(given.value, words) if known or len(words) > 1 else ""
                if meant:
                    mark = context.text(given)[-1]
                    yield self.patch(
                        context.replace_here((*context.span(given), f"{mark}{meant}{mark}")),
                        f"Change {given.value!r} to {meant!r}",
                        f"{given.value!r} is not taken; {meant!r} is.",
                        prior=0.9,
                    )
                    return


def _find_meant(wrong: str, words: list[str]) -> str:
    """The one word that is near by a slip, or that is longer or shorter at its end; empty where there is none, or several."""
    near = [w for w in find_nearest(wrong, words) if is_plain_slip(wrong, w) or w in (wrong + "s", wrong[:-1])]
    if len(near) == 1:
        return near[0]
    cut = [w for w in words if len(min(w, wrong, key=len)) >= 4 and (w.startswith(wrong) or wrong.startswith(w))]
    return cut[0] if len(cut) == 1 and not near else ""
