"""IMP104: a module that is not installed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules._imports import (
    PLACEHOLDERS,
    PYTHON_2_MODULES,
    PYTHON_ONLY_ELSEWHERE,
    distribution_of,
)
from jupyter_selfheal.healers.rules._live import ask
from jupyter_selfheal.healers.rules._near import nearest
from jupyter_selfheal.healers.rules._project import folders_of
from jupyter_selfheal.healers.rules._rule import Rule, Scene
from jupyter_selfheal.model import Applicability, Install, Patch

MISSING = re.compile(r"No module named '?([\w.]+)'?")
OPTIONAL = re.compile(r"[Mm]issing optional dependency '([\w.-]+)'|(?:pip|conda) install (?:-U |--upgrade )?([\w.-]+)")


class MissingModule(Rule):
    """Install the distribution that has the missing module.

    **Failure** `ModuleNotFoundError`, or an `ImportError` in which a library says what to install.

    **Fix** `%pip install` of the distribution: `scikit-learn` for `sklearn`, `Pillow` for `PIL`. Proven in a scratch directory, where
    installing was allowed.

    **Fix safety** Safe where the distribution is known to have this module. Only shown where the two are merely taken to have one
    name. Never for placeholders (`your_module`), common names of people's own files (`utils`), files of the notebook's own tree,
    modules that Python removed, and what may be a slip of an installed module's name: anybody may publish under those.
    """

    code = "IMP104"
    name = "module is not installed"
    enames = frozenset({"ModuleNotFoundError", "ImportError"})
    applicability = Applicability.SAFE
    why = "The distribution is known to have this module."

    def propose(self, scene: Scene) -> Iterator[Patch]:
        requirement, module, known = wanted_distribution(scene)
        if requirement:
            yield self.patch(
                (Install(requirement, module),),
                f"Install {requirement}",
                f"The module `{module}` is not installed here.",
                applicability=Applicability.SAFE if known else Applicability.DISPLAY_ONLY,
                why=self.why
                if known
                else "The distribution is taken to have the module's name: look before you install.",
                prior=0.7 if known else 0.3,
            )


def wanted_distribution(scene: Scene) -> tuple[str, str, bool]:
    """(requirement, module, known?) to install for the failure; empty strings where nothing should be."""
    message = scene.failure.evalue
    if scene.failure.ename == "ImportError" or "Missing optional" in message:
        found = OPTIONAL.search(message)
        name = (found[1] or found[2]).rstrip(".") if found else ""
        module = name.replace("-", "_")
        return distribution_of(module)[0] if distribution_of(module)[1] else "", module, True
    found = MISSING.search(message)
    if not found:
        return "", "", False
    module = found[1]
    top = module.split(".")[0]
    if {module, top} & (PLACEHOLDERS | PYTHON_2_MODULES | PYTHON_ONLY_ELSEWHERE) or len(top) < 2 or top.startswith("_"):
        return "", "", False
    installed = ask(scene, "modules") or ()
    requirement, known = distribution_of(module)
    if top in installed and module not in ("google.cloud.storage", "google.cloud.bigquery"):
        return "", "", False  # the package is there, a part of it is not: another release, not another distribution
    if (not known and nearest(top, installed)) or folders_of(scene, top):
        return "", "", False
    return requirement, module, known
