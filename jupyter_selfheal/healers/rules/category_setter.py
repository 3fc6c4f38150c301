"""PDA107: categories assigned to."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules._rule import Rule, Scene
from jupyter_selfheal.healers.rules._site import Site
from jupyter_selfheal.model import Applicability, Patch


class CategorySetter(Rule):
    """Rename categories with ``rename_categories``.

    **Failure** `AttributeError: property 'categories' of 'Categorical' object has no setter` from
    `df["grade"].cat.categories = ["good", "bad"]`.

    **Fix** `df["grade"] = df["grade"].cat.rename_categories(["good", "bad"])`.

    **Fix safety** Safe: pandas' release notes name this method as what the assignment did.
    """

    code = "PDA107"
    name = "categories assigned to"
    enames = frozenset({"AttributeError"})
    applicability = Applicability.SAFE
    why = "`rename_categories` does what the setter did (https://pandas.pydata.org/docs/whatsnew/v2.0.0.html)."

    def propose(self, scene: Scene) -> Iterator[Patch]:
        if "categories" not in scene.failure.evalue and "ordered" not in scene.failure.evalue:
            return
        site = Site.of(scene)
        if site is None:
            return
        for node in ast.walk(site.tree):
            if (
                not isinstance(node, ast.Assign)
                or len(node.targets) != 1
                or not node.lineno <= site.line <= (node.end_lineno or 0)
            ):
                continue
            target = node.targets[0]
            if not isinstance(target, ast.Attribute) or target.attr != "categories":
                continue
            owner = target.value
            accessor = isinstance(owner, ast.Attribute) and owner.attr == "cat"
            column = owner.value if isinstance(owner, ast.Attribute) and accessor else owner
            text = f"{site.text(column)} = {site.text(owner)}.rename_categories({site.text(node.value)})"
            yield self.patch(
                self.replace(scene, site.cell_id, [(*src.span(site.source, node), text)]),
                "Rename the categories with `rename_categories`",
                "Categories can no longer be assigned to.",
                prior=0.92,
            )
            return
