"""ATT104: a module for the class of its name, or the class for the module."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules._edit import Splice, add_import
from jupyter_selfheal.healers.rules._live import ask, chain, describe, spots, survey
from jupyter_selfheal.healers.rules._rule import Rule, Scene
from jupyter_selfheal.model import Applicability, Patch


class ModuleOrClass(Rule):
    """Tell a module from the class or function of the same name in it.

    **Failure** `datetime.datetime.now()` after `from datetime import datetime`; `datetime.now()` after `import datetime`;
    `time.time()` after `from time import time`; `tqdm(x)`, `glob("*")` and `pprint(x)` after importing the module.

    **Fix** The doubled name is written once, the missing one is added (`datetime.datetime.now()`), and what only the
    module has is imported by name (`from datetime import timedelta`).

    **Fix safety** Safe: the live object is the module (or the class), and the other one of the same name has what is read.
    """

    code = "ATT104"
    name = "module or class of the same name"
    enames = frozenset({"AttributeError", "TypeError"})
    applicability = Applicability.SAFE
    why = "The live object is one of two with the same name, and only the other has what is read."

    def propose(self, scene: Scene) -> Iterator[Patch]:
        if scene.failure.ename == "TypeError":
            yield from self._called_module(scene)
            return
        live = survey(scene)
        owner, wrong = live.owner, live.attribute
        spot = next((s for s in spots(scene, ast.Attribute) if getattr(s.node, "attr", "") == wrong), None)
        if owner is None or spot is None or not isinstance(spot.node, ast.Attribute):
            return
        text = chain(spot.node.value, spot.source)
        if not text:
            return
        source, cause = spot.source, f"`{text}` is {'the module' if owner.is_module else 'not the module'} here."
        if owner.is_module:
            inner = f"{text}.{owner.name.split('.')[-1]}"
            thing = describe(scene, inner)
            if thing is not None and wrong in thing.attributes and not thing.is_module:
                changes = [(*span, inner) for span in _uses(source, text, thing.attributes, owner.attributes)]
                yield self.patch(
                    self.replace(scene, spot.cell_id, changes), f"Write `{inner}.{wrong}`", cause, prior=0.92
                )
            return
        name = text.split(".")[-1]
        module = _module_of(scene, text)
        if not module or not ask(scene, "fits", pairs=[[module, ""]], attributes=[wrong]):
            return
        if wrong == name:
            changes = [(*src.span(source, n), text) for n in _doubled(source, text, wrong)]
            yield self.patch(
                self.replace(scene, spot.cell_id, changes), f"Write `{text}` for `{text}.{wrong}`", cause, prior=0.92
            )
            return
        line = f"from {module} import {wrong}"
        changes = [add_import(source, line), *((*src.span(source, n), wrong) for n in _doubled(source, text, wrong))]
        if wrong not in live.names:
            yield self.patch(
                self.replace(scene, spot.cell_id, changes), f"Import `{wrong}` from `{module}`", cause, prior=0.92
            )

    def _called_module(self, scene: Scene) -> Iterator[Patch]:
        if scene.failure.evalue.split(".")[0] != "'module' object is not callable":
            return
        for spot in spots(scene, ast.Call):
            func = spot.node.func if isinstance(spot.node, ast.Call) else None
            text = chain(func, spot.source) if func is not None else ""
            thing = describe(scene, text) if text else None
            if thing is None or not thing.is_module:
                continue
            name = thing.name.split(".")[-1]
            for candidate in dict.fromkeys((name, text.split(".")[-1])):
                inner = describe(scene, f"{text}.{candidate}") if candidate in thing.attributes else None
                if inner is not None and inner.callable:
                    changes: list[Splice] = [
                        (*src.span(spot.source, n.func), f"{text}.{candidate}")
                        for n in src.walk(spot.source)
                        if isinstance(n, ast.Call) and src.text_of(spot.source, n.func) == text
                    ]
                    yield self.patch(
                        self.replace(scene, spot.cell_id, changes),
                        f"Call `{text}.{candidate}`",
                        f"`{text}` is a module; what is called is in it.",
                        prior=0.92,
                    )
                    return


def _module_of(scene: Scene, text: str) -> str:
    """The module that defines a class or function, if its last part has the object's own name."""
    found = ask(scene, "home", expression=text)
    return found if isinstance(found, str) else ""


def _doubled(source: str, text: str, attribute: str) -> list[ast.Attribute]:
    return [
        n
        for n in src.walk(source)
        if isinstance(n, ast.Attribute) and n.attr == attribute and src.text_of(source, n.value) == text
    ]


def _uses(source: str, text: str, inner: tuple[str, ...], outer: tuple[str, ...]) -> list[tuple[int, int]]:
    """Where the cell reads of the module what only the class in it has."""
    return [
        src.span(source, n.value)
        for n in src.walk(source)
        if isinstance(n, ast.Attribute)
        and src.text_of(source, n.value) == text
        and n.attr in inner
        and n.attr not in outer
    ]
