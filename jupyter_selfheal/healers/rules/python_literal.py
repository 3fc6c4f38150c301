"""TYP109: a Python literal that is read as JSON."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules._edit import add_import
from jupyter_selfheal.healers.rules._rule import Rule, Scene
from jupyter_selfheal.healers.rules._site import Site
from jupyter_selfheal.healers.rules._value import literal_in
from jupyter_selfheal.model import Applicability, Patch


class PythonLiteral(Rule):
    """Read a text that Python wrote as Python wrote it.

    **Failure** `JSONDecodeError: Expecting property name enclosed in double quotes`, where the text is what `str` makes of a
    dictionary or a list: `{'a': 1, 'b': None}`.

    **Fix** `json.loads(text)` becomes `ast.literal_eval(text)`.

    **Fix safety** Safe: the live text is no JSON, and it is a literal of Python; nothing in it is run.
    """

    code = "TYP109"
    name = "Python literal read as JSON"
    enames = frozenset({"JSONDecodeError"})
    applicability = Applicability.SAFE
    why = "The live text is no JSON, and it is a literal of Python."

    def propose(self, scene: Scene) -> Iterator[Patch]:
        site = Site.of(scene)
        for call in site.calls() if site is not None else ():
            name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            if site is None or name != "loads" or len(call.args) != 1 or call.keywords:
                continue
            if literal_in(scene, site.text(call.args[0])) not in ("dict", "list", "tuple"):
                return
            changes = [(*src.span(site.source, call.func), "ast.literal_eval")]
            if not any(isinstance(n, ast.Import) and "ast" in ast.unparse(n).split() for n in ast.walk(site.tree)):
                changes.append(add_import(site.source, "import ast"))
            yield self.patch(
                self.replace(scene, site.cell_id, changes),
                "Read the text as a literal of Python",
                "The text is written as Python writes it (single quotes, None, True), not as JSON.",
                prior=0.88,
            )
            return
