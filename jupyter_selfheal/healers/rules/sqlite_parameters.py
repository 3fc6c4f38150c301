"""SQL102: one text where the parameters of a statement belong."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules._rule import Rule, Scene
from jupyter_selfheal.healers.rules._site import Site
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"Incorrect number of bindings supplied|uses 1, and there (?:are|is) \d+ supplied|[Pp]arameters are of unsupported"
)


class SqliteParameters(Rule):
    """Give the parameters of a statement as a tuple.

    **Failure** `ProgrammingError: Incorrect number of bindings supplied. The current statement uses 1, and there are 3 supplied`, at
    `execute("… = ?", ("Ann"))`: brackets around one value make no tuple.

    **Fix** `("Ann",)`.

    **Fix safety** Safe: the statement has one place, and what is given is one value.
    """

    code = "SQL102"
    name = "parameters of SQL"
    enames = frozenset({"ProgrammingError", "ValueError", "InterfaceError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "The statement has one place, and one value is given for it."

    def propose(self, scene: Scene) -> Iterator[Patch]:
        site = Site.of(scene)
        for call in site.calls() if site is not None else ():
            if site is None or getattr(call.func, "attr", "") != "execute" or len(call.args) != 2:
                continue
            statement, given = call.args
            text = statement.value if isinstance(statement, ast.Constant) else ""
            if not isinstance(text, str) or text.count("?") != 1 or isinstance(given, ast.Tuple | ast.List | ast.Dict):
                return
            value = site.live([given])[0]
            if not value.is_a("builtins.str", "builtins.int", "builtins.float", "builtins.bytes"):
                return
            start, end = _with_brackets(site.source, *src.span(site.source, given))
            yield self.patch(
                self.replace(scene, site.cell_id, [(start, end, f"({site.text(given)},)")]),
                f"Write `({site.text(given)},)`",
                "The parameters are a tuple; brackets around one value make none.",
                prior=0.92,
            )
            return


def _with_brackets(source: str, start: int, end: int) -> tuple[int, int]:
    """The span with the one pair of round brackets directly around it, if there is one beside the call's own."""
    before, after = source[:start].rstrip(), source[end:]
    stripped = after.lstrip()
    if before.endswith("(") and stripped.startswith(")") and stripped[1:].lstrip().startswith((")", ",")):
        return len(before) - 1, end + len(after) - len(stripped) + 1
    return start, end
