"""SYN115: a blank between the sign of a magic and its name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch

BLANK = re.compile(r"^\s*%%?(\s+)[a-z]\w*", re.IGNORECASE)


class BlankInMagic(Rule):
    """Take the blank out between the sign of a magic and its name.

    **Failure** `UsageError: Line magic function `%` not found` at `% matplotlib inline`, which IPython took until release 7.

    **Fix** `%matplotlib inline`, in all of the cell's magics.

    **Fix safety** Safe: IPython itself says that it took the sign alone for a magic, which has no name. Lines inside of strings and brackets are not magics, and stay.
    """

    code = "SYN115"
    name = "blank in a magic"
    enames = frozenset({"UsageError"})
    message = re.compile(r"(?:Line|Cell) magic(?: function)? `%+` not found")
    applicability = Applicability.SAFE
    why = "The sign alone is no magic; with its name it is the one that is written there."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        lines, masked = context.source.splitlines(keepends=True), src.mask(context.source).splitlines(keepends=True)
        splices, at = [], 0
        for line, plain in zip(lines, masked, strict=False):
            blank = BLANK.match(line)
            if blank is not None and line != plain:
                splices.append((at + blank.start(1), at + blank.end(1), ""))
            at += len(line)
        if splices:
            yield self.patch(
                context.replace_here(*splices),
                "Take the blank out behind `%`",
                "A magic's name follows its sign at once.",
                prior=0.95,
            )
