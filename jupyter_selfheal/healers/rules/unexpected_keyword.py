"""CAL101: a keyword argument that is misspelt."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules._live import chain, signature, spots
from jupyter_selfheal.healers.rules._names import is_plain_slip
from jupyter_selfheal.healers.rules._near import digits, nearest
from jupyter_selfheal.healers.rules._rule import Rule, Scene
from jupyter_selfheal.healers.rules._value import properties_of
from jupyter_selfheal.model import Applicability, Patch

TAKEN_BY = re.compile(r"(?<![\w.])(\w+)\.set\(\) got an unexpected")
"""Matplotlib's functions hand what they do not know to an artist, which names its class."""

MESSAGE = re.compile(
    r"got an unexpected keyword argument '(\w+)'(?:\. Did you mean '(\w+)'\?)?|'(\w+)' is an invalid keyword argument"
)


class UnexpectedKeyword(Rule):
    """Use the parameter that the function has.

    **Failure** `TypeError: f() got an unexpected keyword argument 'colour'`, where the live function's signature has a near name, or
    `AttributeError: Line2D.set() got an unexpected keyword argument 'lable'`, where Matplotlib's class has such a property.

    **Fix** The keyword is spelt as the parameter. It is never dropped, since that would change what the call means.

    **Fix safety** Safe where the two differ by a slip and the parameter is not given already. Unsafe otherwise.
    """

    code = "CAL101"
    name = "misspelt keyword argument"
    enames = frozenset({"TypeError", "AttributeError"})
    applicability = Applicability.UNSAFE
    why = "The parameter's name is near, but another may have been meant."

    def propose(self, scene: Scene) -> Iterator[Patch]:
        found = MESSAGE.search(scene.failure.evalue)
        if not found:
            return
        wrong, hinted = found[1] or found[3], found[2]
        for spot in spots(scene, ast.Call):
            call = spot.node
            keyword = next((k for k in call.keywords if k.arg == wrong), None) if isinstance(call, ast.Call) else None
            if keyword is None or not isinstance(call, ast.Call):
                continue
            given = {k.arg for k in call.keywords}
            name = chain(call.func, spot.source)
            parameters = signature(scene, name) if name else None
            known = [p.name for p in parameters or () if p.kind in ("POSITIONAL_OR_KEYWORD", "KEYWORD_ONLY")]
            artist = TAKEN_BY.search(scene.failure.evalue)
            known += properties_of(scene, artist[1]) if artist is not None else []
            known = [k for k in ([hinted] if hinted else known) if k not in given]
            hint = (hinted,) if hinted and digits(hinted) == digits(wrong) else ()
            near = nearest(wrong, known) or hint
            for word in near if len(near) <= 2 else ():
                sure = len(near) == 1 and (is_plain_slip(wrong, word) or bool(hinted))
                start = spot.span(keyword)[0]
                yield self.patch(
                    self.replace(scene, spot.cell_id, [(start, start + len(wrong), word)]),
                    f"Write `{word}=` for `{wrong}=`",
                    f"The function has no parameter `{wrong}`, but has `{word}`.",
                    applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                    why="One parameter only is near, by a slip, and it is not given yet." if sure else self.why,
                    prior=0.8 if sure else 0.5,
                )
            return
