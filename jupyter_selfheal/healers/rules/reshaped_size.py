"""NPA116: an array reshaped to a shape of another size."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch

SIZES = re.compile(r"cannot reshape array of size (\d+) into shape \(?([\d, ]+)\)?")


class ReshapedSize(Rule):
    """Let NumPy reckon one length of the shape.

    **Failure** `ValueError: cannot reshape array of size 60 into shape (20,2)`.

    **Fix** `a.reshape(-1, 2)`: one length is left to NumPy, the first one where that fits, where the others divide the number of items.

    **Fix safety** Unsafe: which length is wrong, or whether there should be other data, only its author knows; it is offered. Silent where no length
    fits, and where one is left to NumPy already.
    """

    code = "NPA116"
    name = "shape of another size"
    stage = Stage.LAST
    enames = frozenset({"ValueError"})
    message = SIZES
    applicability = Applicability.UNSAFE
    why = "The other lengths fit the number of items; whether the data are the right ones, the outputs say."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = SIZES.search(context.failure.evalue)
        lengths = [int(part) for part in match[2].split(",") if part.strip()] if match else []
        for call in context.list_calls_at_failure():
            if not (isinstance(call.func, ast.Attribute) and call.func.attr == "reshape") or match is None:
                continue
            given = (
                call.args[-1:] if len(call.args) == 1 or context.text(call.func.value) in ("np", "numpy") else call.args
            )
            parts = given[0].elts if len(given) == 1 and isinstance(given[0], ast.Tuple | ast.List) else given
            if len(parts) != len(lengths) or len(parts) < 2:
                return
            for at, part in enumerate(parts):
                others = 1
                for n, length in enumerate(lengths):
                    others *= length if n != at else 1
                if others and int(match[1]) % others == 0:
                    yield self.patch(
                        context.replace_here((*context.span(part), "-1")),
                        f"Let NumPy reckon the length in place of `{context.text(part)}`",
                        f"{match[1]} items fill no shape of {' × '.join(map(str, lengths))}.",
                        prior=0.55 - 0.1 * at,
                    )
            return
