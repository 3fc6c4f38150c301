"""NAM110: a method that an heir has under a slip of its name, so that the base's runs, which only says that it is wanted."""

from __future__ import annotations

from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.misspelt_definitions import ABSTRACT, find_misspelt_override
from jupyter_selfheal.model import Applicability, Patch


class MisspeltOverride(Rule):
    """Name the method as its base class does.

    **Failure** `NotImplementedError` raised by `Shape.area`, where the heir `Square` defines `aera`; `Module [Net] is missing the required
    "forward" function`, where `Net` defines `foward`; `Can't instantiate abstract class Square with abstract method area`.

    **Fix** The heir's method is named `area`.

    **Fix safety** Safe where one method of one heir is so near, by a slip, the heir has no other of that name, and nothing in the notebook
    calls the method by the name that it has.
    """

    code = "NAM110"
    name = "misspelt override"
    enames = frozenset({"NotImplementedError", "TypeError"})
    applicability = Applicability.SAFE
    why = "The base class asks for the method, its heir has it under a slip of the name, and nothing calls that."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        is_other = context.failure.ename == "TypeError" and ABSTRACT.search(context.failure.evalue) is None
        found = None if is_other else find_misspelt_override(context)
        if found is None:
            return
        cell_id, method, base, wanted = found
        source = context.source_of(cell_id)
        text = src.extract_text(source, method)
        at = src.find_span(source, method)[0] + text.index(method.name, text.index("def "))
        yield self.patch(
            context.replace(cell_id, [(at, at + len(method.name), wanted)]),
            f"Rename `{method.name}` to `{wanted}`",
            f"`{base}.{wanted}` is to be replaced, and `{method.name}` is a slip of its name.",
            prior=0.93,
        )
