"""CAL102: a number where something to go through is needed, or the other way round."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules._live import Spot, chain, describe, spots, survey
from jupyter_selfheal.healers.rules._near import nearest, plural_of
from jupyter_selfheal.healers.rules._rule import Rule, Scene
from jupyter_selfheal.model import Applicability, Patch

SEQUENCES = frozenset({"list", "tuple", "dict", "set", "ndarray", "Series", "DataFrame", "Index", "range"})


INDICES = frozenset(
    {
        "i",
        "j",
        "k",
        "_",
        "n",
        "idx",
        "index",
        "step",
        "epoch",
        "trial",
        "iteration",
        "it",
        "row",
        "col",
        "t",
        "year",
        "day",
    }
)
COUNT = re.compile(r"^[nmkNMK]$|^(n|num|number_of|no_of)(_\w+)?$|(count|size|length|epochs|iterations|iters|steps|trials|rounds|times|rows|"
                   r"cols|columns|samples|days|years|points|items|limit|end|stop|max)$", re.IGNORECASE)  # fmt: skip
"""Names of a number of things, and of the variable that counts up to it."""


class IteratedNumber(Rule):
    """Count with `range`, and give `range` a length.

    **Failure** `TypeError: 'int' object is not iterable` at `for i in n`, `for i in len(x)`, `sum(a, b)`; and `'list' object cannot be
    interpreted as an integer` at `range(x)`.

    **Fix** `for i in range(n)`; `range(len(x))`; `sum([a, b])`.

    **Fix safety** Safe: a loop over a number counts up to it, and a range over a list counts its items. Unsafe where the variable
    may stand for another one: its name is a plural or near to that of a sequence, or it was bound more than once.
    """

    code = "CAL102"
    name = "number for a sequence"
    enames = frozenset({"TypeError"})
    applicability = Applicability.SAFE
    why = "A loop over a number counts up to it; a range over a list counts its items."

    def propose(self, scene: Scene) -> Iterator[Patch]:
        message = scene.failure.evalue
        if re.search(r"'(numpy\.)?(int|float|int64)\d*' object is not iterable", message):
            yield from self._loops(scene)
            yield from self._sums(scene)
        elif re.search(
            r"'(list|str|tuple|dict|set|Series|DataFrame|Index)' object cannot be interpreted as an integer", message
        ):
            for spot in spots(scene, ast.Call):
                call = spot.node
                if isinstance(call, ast.Call) and spot.text(call.func) == "range" and call.args:
                    last = call.args[-1] if len(call.args) < 3 else call.args[1]
                    text = spot.text(last)
                    yield self._patch(scene, spot, last, f"len({text})", f"Count to `len({text})`")
                    return

    def _patch(self, scene: Scene, spot: Spot, node: ast.AST, text: str, title: str) -> Patch:
        return self.patch(
            self.replace(scene, spot.cell_id, [(*spot.span(node), text)]),
            title,
            "A number stands for something to go through, or the other way round.",
            prior=0.9,
        )

    def _loops(self, scene: Scene) -> Iterator[Patch]:
        cell_id, source, line = scene.place()
        for node in src.walk(source):
            if not isinstance(node, ast.For | ast.comprehension) or not node.iter.lineno <= line <= (
                node.iter.end_lineno or 0
            ):
                continue
            if isinstance(node.target, ast.Tuple):
                continue
            spot = Spot(cell_id, source, node.iter)
            if _is_number(scene, spot, node.iter):
                text = spot.text()
                found = self._patch(scene, spot, node.iter, f"range({text})", f"Count with `range({text})`")
                doubt = "" if not isinstance(node.target, ast.Name) else _doubt(scene, node.iter, node.target.id)
                yield replace(found, applicability=Applicability.UNSAFE, why=doubt) if doubt else found
                return

    def _sums(self, scene: Scene) -> Iterator[Patch]:
        for spot in spots(scene, ast.Call):
            call = spot.node
            if (
                isinstance(call, ast.Call)
                and spot.text(call.func) == "sum"
                and len(call.args) > 1
                and not call.keywords
            ):
                start, end = spot.span(call.args[0])[0], spot.span(call.args[-1])[1]
                yield self.patch(
                    self.replace(scene, spot.cell_id, [(start, end, f"[{spot.source[start:end]}]")]),
                    "Add the numbers as a list",
                    "`sum` goes through one sequence.",
                    prior=0.85,
                )
                return


def _doubt(scene: Scene, iterated: ast.expr, target: str) -> str:
    """Why the number may not be what the loop is meant to go through; empty where nothing speaks for that."""
    if not isinstance(iterated, ast.Name):
        return ""
    name = iterated.id
    if target not in INDICES and not COUNT.search(name):
        return f"`{target}` may be meant as a digit or an item of `{name}`."
    near = [n for n, (kind, _) in survey(scene).names.items() if kind in SEQUENCES and n in nearest(name, (n,))]
    if near or plural_of(name, target):
        return f"`{near[0] if near else name}` may be meant as the sequence to go through."
    cells = (c.source for c in scene.notebook.code_before(scene.failure.cell_id))
    bound = [s for c in (*cells, scene.source) for s in src.statements(c) if name in src.names_of([s.node]).binds]
    return f"`{name}` was bound more than once, and may have been a sequence." if len(bound) > 1 else ""


def _is_number(scene: Scene, spot: Spot, node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int)
    if isinstance(node, ast.Call):
        return spot.text(node.func) in ("len", "int", "round", "max", "min", "abs") or spot.text(node.func).endswith(
            ".count"
        )
    if isinstance(node, ast.BinOp):
        return True
    name = chain(node, spot.source)
    thing = describe(scene, name) if name else None
    return thing is not None and thing.type in ("int", "int64", "int32")
