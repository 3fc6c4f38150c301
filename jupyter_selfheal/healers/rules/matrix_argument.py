"""SKL105: a NumPy matrix given to an estimator."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules._edit import Splice
from jupyter_selfheal.healers.rules._rule import Rule, Scene
from jupyter_selfheal.healers.rules._site import Site, add_imports, reference
from jupyter_selfheal.model import Applicability, Failure, Patch


class MatrixArgument(Rule):
    """Give an estimator an array in place of a matrix.

    **Failure** `TypeError: np.matrix is not supported. Please convert to a numpy array with np.asarray.` (scikit-learn 1.2)

    **Fix** `model.fit(X)` becomes `model.fit(np.asarray(X))` for each argument that is a matrix; `counts.todense()` becomes
    `counts.toarray()`.

    **Fix safety** Safe: the array has the matrix's values and shape, and estimators never used anything else of it.
    """

    code = "SKL105"
    name = "matrix given to an estimator"
    enames = frozenset({"TypeError"})
    applicability = Applicability.SAFE
    why = "The array has the same values, and the message itself asks for it (https://scikit-learn.org/stable/whats_new/v1.2.html)."

    def matches(self, failure: Failure) -> bool:
        return super().matches(failure) and "np.matrix is not supported" in failure.evalue

    def propose(self, scene: Scene) -> Iterator[Patch]:
        site = Site.of(scene)
        known = reference(site, "numpy.asarray") if site is not None else None
        if site is None or known is None:
            return
        for call in site.calls()[:3]:
            given = [*call.args, *(k.value for k in call.keywords)]
            lives = site.live(given, calls=True)
            changes: list[Splice] = [
                _as_array(site, node, known[0])
                for node, live in zip(given, lives, strict=True)
                if live.is_a("numpy.matrix")
            ]
            if changes:
                wanted = [known[1]] if any(text.startswith(known[0] + "(") for _, _, text in changes) else []
                yield self.patch(
                    self.replace(scene, site.cell_id, [*changes, *add_imports(site.source, wanted)]),
                    f"Pass `{changes[0][2]}`" if len(changes) == 1 else "Pass arrays in place of matrices",
                    "The estimator takes arrays, and was given a matrix.",
                    prior=0.88,
                )
                return


def _as_array(site: Site, node: ast.expr, asarray: str) -> Splice:
    start, end = src.span(site.source, node)
    sparse = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "todense"
    if sparse and isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
        return start, end, f"{site.text(node.func.value)}.toarray()"
    return start, end, f"{asarray}({site.text(node)})"
