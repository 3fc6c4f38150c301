"""IMP103: a submodule that was not imported."""

from __future__ import annotations

from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import add_import
from jupyter_selfheal.model import Applicability, Patch


class MissingSubmodule(Rule):
    """Import the submodule that is read as an attribute.

    **Failure** `AttributeError: module 'xml' has no attribute 'etree'`, where the package has that submodule: importing a package
    does not import what is in it.

    **Fix** `import xml.etree` is added to the cell.

    **Fix safety** Safe: the submodule exists, and importing it sets the very attribute that is missing.
    """

    code = "IMP103"
    name = "submodule was not imported"
    enames = frozenset({"AttributeError"})
    applicability = Applicability.SAFE
    why = "The submodule exists, and importing it sets the attribute that is missing."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        live = context.state
        if live.owner is None or not live.owner.is_module or not live.attribute:
            return
        module = f"{live.owner.name}.{live.attribute}"
        if not context.select_fitting([(module, "")]):
            return
        cell_id, source, _ = context.location
        yield self.patch(
            context.replace(cell_id, [add_import(source, f"import {module}")]),
            f"Add `import {module}`",
            f"`{module}` is a submodule that isn't imported.",
            prior=0.93,
        )
