"""NAM101: a name that is misspelt."""

from __future__ import annotations

from collections.abc import Iterator

from jupyter_selfheal.healers.rules._edit import renamed
from jupyter_selfheal.healers.rules._live import survey
from jupyter_selfheal.healers.rules._names import is_called, is_plain_slip, is_skeleton, known_names
from jupyter_selfheal.healers.rules._near import nearest
from jupyter_selfheal.healers.rules._rule import Rule, Scene
from jupyter_selfheal.healers.rules._state import is_bound_anywhere, missing_name
from jupyter_selfheal.model import Applicability, Patch


class MisspeltName(Rule):
    """Use the live name that was meant.

    **Failure** `NameError`, where no cell binds the name, and a live variable, parameter or builtin differs from it in
    case, an underscore or a slip of the keys.

    **Fix** Every use of the misspelt name in the cell becomes the known one. Silent in exercises that await completion,
    and where two known names are equally near.

    **Fix safety** Safe where the two differ in case or punctuation only, or by one slip in a name of four letters or more
    (two in eight) that is no plural and no other number, and is called if and only if it can be. Unsafe otherwise.
    """

    code = "NAM101"
    name = "misspelt name"
    enames = frozenset({"NameError"})
    applicability = Applicability.UNSAFE
    why = "The name is near, but may have been meant as another."

    def propose(self, scene: Scene) -> Iterator[Patch]:
        name = missing_name(scene)
        if not name or is_bound_anywhere(scene, name) or is_skeleton(scene.source):
            return
        live = survey(scene)
        if not live.known:
            return
        cell_id, source, _ = scene.place()
        known = known_names(scene, live)
        called = is_called(source, name)
        near = [k for k in nearest(name, known) if known[k] or not called]
        if len(near) > 2:
            return
        for word in near:
            sure = len(near) == 1 and is_plain_slip(name, word)
            yield self.patch(
                self.replace(scene, cell_id, renamed(source, name, word)),
                f"Write `{word}` for `{name}`",
                f"`{name}` is defined nowhere; `{word}` is.",
                applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                why="No cell defines the name, and one known name differs from it by a slip." if sure else self.why,
                prior=0.8 if sure else 0.5,
            )
