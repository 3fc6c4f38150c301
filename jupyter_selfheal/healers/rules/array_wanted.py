"""NPA101: something that must be an array of another kind, or a copy of it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules._rule import Rule, Scene
from jupyter_selfheal.healers.rules._site import Site, add_imports, dotted, reference
from jupyter_selfheal.model import Applicability, Failure, Patch

MATRIX = re.compile(r"np\.matrix is not supported")
RAGGED = re.compile(r"inhomogeneous shape")
NO_COPY = re.compile(r"Unable to avoid copy while creating an array")
MAKERS = ("array", "asarray", "asanyarray")


class ArrayWanted(Rule):
    """Give a function the kind of array that it takes now.

    **Failure** `TypeError: np.matrix is not supported` (scikit-learn), `ValueError: … inhomogeneous shape`, `ValueError: Unable to
    avoid copy while creating an array as requested`.

    **Fix** `np.asarray(m)` around the matrix; `dtype=object` for an array of lists of different lengths; `np.asarray(x)` in
    place of `np.array(x, copy=False)`.

    **Fix safety** Safe: each is what the library did before by itself, and what its message or its migration guide names.
    """

    code = "NPA101"
    name = "another kind of array wanted"
    enames = frozenset({"TypeError", "ValueError"})
    applicability = Applicability.SAFE
    why = "It is what the library did by itself before, and what its migration guide names."

    def matches(self, failure: Failure) -> bool:
        text = failure.evalue
        return super().matches(failure) and any(p.search(text) for p in (MATRIX, RAGGED, NO_COPY))

    def propose(self, scene: Scene) -> Iterator[Patch]:
        site = Site.of(scene)
        if site is None:
            return
        message = scene.failure.evalue
        for call in site.calls()[:4]:
            if MATRIX.search(message):
                found = self._matrix(site, call)
            elif RAGGED.search(message):
                found = self._ragged(site, call)
            else:
                found = self._copied(site, call)
            if found is not None:
                yield found
                return

    def _matrix(self, site: Site, call: ast.Call) -> Patch | None:
        lives = site.live(call.args, calls=True)
        known = reference(site, "numpy.asarray")
        matrices = [a for a, live in zip(call.args, lives, strict=True) if live.is_a("numpy.matrix")]
        if not matrices or known is None:
            return None
        splices = [(*src.span(site.source, a), f"{known[0]}({site.text(a)})") for a in matrices]
        return self.patch(
            self.replace(site.scene, site.cell_id, [*splices, *add_imports(site.source, [known[1]])]),
            f"Write `{splices[0][2]}` in place of `{site.text(matrices[0])}`",
            "A matrix is no longer taken as data.",
            prior=0.9,
        )

    def _ragged(self, site: Site, call: ast.Call) -> Patch | None:
        if (
            dotted(call.func).rsplit(".", 1)[-1] not in MAKERS
            or any(k.arg == "dtype" for k in call.keywords)
            or len(call.args) != 1
        ):
            return None
        end = src.span(site.source, call)[1] - 1
        return self.patch(
            self.replace(site.scene, site.cell_id, [(end, end, ", dtype=object")]),
            "Pass dtype=object",
            "The rows have different lengths, so that they make an array of objects.",
            prior=0.85,
        )

    def _copied(self, site: Site, call: ast.Call) -> Patch | None:
        name = dotted(call.func)
        keyword = next((k for k in call.keywords if k.arg == "copy"), None)
        known = reference(site, "numpy.asarray")
        if name.rsplit(".", 1)[-1] != "array" or keyword is None or known is None or not call.args:
            return None
        rest = [site.text(a) for a in call.args]
        rest += [
            f"{k.arg}={site.text(k.value)}" for k in call.keywords if k is not keyword and k.arg in ("dtype", "order")
        ]
        text = f"{known[0]}({', '.join(rest)})"
        return self.patch(
            self.replace(site.scene, site.cell_id, [(*src.span(site.source, call), text)]),
            f"Write `{text}` in place of `{site.text(call)}`",
            "`copy=False` means since NumPy 2.0 that a copy is an error.",
            prior=0.9,
        )
