"""PDA117: ``.dt`` of texts, and ``.str`` of numbers."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules._rule import Rule, Scene
from jupyter_selfheal.healers.rules._site import Site, add_imports, ask, reference
from jupyter_selfheal.model import Applicability, Failure, Patch

ISO = r"^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2})?)?$"


class AccessorType(Rule):
    """Turn texts into dates before `.dt`, and numbers into texts before `.str`.

    **Failure** `AttributeError: Can only use .dt accessor with datetimelike values`, `Can only use .str accessor with string values`.

    **Fix** `pd.to_datetime(df["when"]).dt.month`; `df["zip"].astype(str).str[:2]`.

    **Fix safety** Safe for texts that are all ISO dates (`2021-03-04`), and for whole numbers as texts. Unsafe otherwise: day and month
    may be in another order, and a missing value becomes the text `nan`. Silent for a table, which has neither accessor.
    """

    code = "PDA117"
    name = "accessor of another type"
    enames = frozenset({"AttributeError"})
    applicability = Applicability.SAFE
    why = "The values have one reading as this type."

    def matches(self, failure: Failure) -> bool:
        return super().matches(failure) and "Can only use ." in failure.evalue

    def propose(self, scene: Scene) -> Iterator[Patch]:
        site = Site.of(scene)
        which = (
            "dt" if ".dt accessor" in scene.failure.evalue else "str" if ".str accessor" in scene.failure.evalue else ""
        )
        if site is None or not which:
            return
        node = next((n for n in site.nodes(ast.Attribute) if isinstance(n, ast.Attribute) and n.attr == which), None)
        live = site.live([node.value], calls=True)[0] if isinstance(node, ast.Attribute) else None
        if not isinstance(node, ast.Attribute) or live is None or not live.is_a("pandas.Series"):
            return
        text, imports = site.text(node.value), []
        if which == "dt":
            known = reference(site, "pandas.to_datetime")
            if known is None or live.dtype not in ("object", "str", "string"):
                return
            imports = [known[1]]
            sure = _is(site, f"({text}).dropna().astype(str).str.match(r'{ISO}').all()")
            new = f"{known[0]}({text})"
        else:
            sure = live.dtype.lower().startswith(("int", "uint"))
            new = f"{site.operand(node.value)}.astype(str)"
        yield self.patch(
            self.replace(
                scene, site.cell_id, [(*src.span(site.source, node.value), new), *add_imports(site.source, imports)]
            ),
            f"Write `{new}.{which}`",
            f"`.{which}` is of {'dates' if which == 'dt' else 'texts'}, and the values are {live.dtype}.",
            applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
            why=self.why if sure else "The values may have another reading.",
            prior=0.85 if sure else 0.6,
        )


def _is(site: Site, expression: str) -> bool:
    return bool(ask(site.scene, "number", expression=f"int({expression})") == 1)
