"""IMP104: a module that is not installed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, questions
from jupyter_selfheal.healers.rules.context.project import find_folders
from jupyter_selfheal.healers.rules.context.requirements import SAYS_SO, list_requirements
from jupyter_selfheal.healers.rules.context.spelling import find_nearest
from jupyter_selfheal.healers.rules.context.tables import (
    find_distribution,
    is_never_installed,
    map_distributions,
    read_table,
)
from jupyter_selfheal.model import Applicability, Install, Patch

MISSING = re.compile(r"No module named '?([\w.]+)'?")


class MissingModule(Rule):
    """Install the distribution that has the missing module.

    **Failure** `ModuleNotFoundError`, or an error in which a library says what to install: an `ImportError` (`Missing optional
    dependency 'tables'`, `lxml not found, please install it`), or any of `ValueError`, `RuntimeError` and Beautiful Soup's
    `FeatureNotFound` that says that something is not installed.

    **Fix** `%pip install` of the distribution: `scikit-learn` for `sklearn`, `Pillow` for `PIL`; of a module that is in no list the one that a `pip install` of the notebook's own names like it (`python-elbe` for `elbe`). Proven in a scratch directory, where
    installing was allowed.

    **Fix safety** Safe where the distribution is known to have this module. Only shown where the two are merely taken to have one
    name. Never for placeholders (`your_module`), common names of people's own files (`utils`), files of the notebook's own tree,
    modules that Python removed, and what may be a slip of an installed module's name: anybody may publish under those.
    """

    code = "IMP104"
    name = "module is not installed"
    enames = frozenset({"ModuleNotFoundError", "ImportError", "ValueError", "RuntimeError", "FeatureNotFound"})
    applicability = Applicability.SAFE
    why = "The distribution is known to have this module."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        requirement, module, known = find_wanted_distribution(context)
        if requirement:
            yield self.patch(
                (Install(requirement, module),),
                f"Install {requirement}",
                f"The module `{module}` isn't installed.",
                applicability=Applicability.SAFE if known else Applicability.DISPLAY_ONLY,
                why=self.why
                if known
                else "The distribution is taken to have the module's name: look before you install.",
                prior=0.7 if known else 0.3,
            )


def find_wanted_distribution(context: RuleContext) -> tuple[str, str, bool]:
    """(requirement, module, known?) to install for the failure; empty strings where nothing should be."""
    failure = context.failure
    match = MISSING.search(failure.evalue) if failure.ename in ("ModuleNotFoundError", "ImportError") else None
    if match is not None:
        return _find_imported(context, match[1])
    if failure.ename in ("ModuleNotFoundError", "ImportError", "FeatureNotFound") or SAYS_SO.search(failure.evalue):
        return _find_asked_for(context)
    return "", "", False


def _find_imported(context: RuleContext, module: str) -> tuple[str, str, bool]:
    """For a module that was imported."""
    top = module.split(".")[0]
    if is_never_installed(module) or len(top) < 2 or top.startswith("_"):
        return "", "", False
    installed = context.ask(questions.LIST_MODULES)
    requirement, known = find_distribution(module)
    there = top in installed or ("." in module and context.exists(top))  # a namespace package is in no list
    if there and not ("." in module and module in read_table("distributions")["distributions"]):
        return "", "", False  # the package is there, a part of it is not: another release, not another distribution
    if not known and not find_folders(context, top) and (own := _find_own_command(context, top)):
        return own, module, True
    if (not known and find_nearest(top, installed)) or find_folders(context, top):
        return "", "", False
    return requirement, module, known


INSTALLS = re.compile(r"\bpip3? install ([^\n`;&|]+)")
"""A command of the notebook's own, also in its text or behind a `#`; not of conda, which has names of its own."""


def _find_own_command(context: RuleContext, top: str) -> str:
    """The distribution that the notebook itself says to install, whose name has the module's: `python-binance` for `binance`."""
    module = top.lower()
    for cell in context.notebook.cells:
        for match in INSTALLS.finditer(cell.source):
            for word in match[1].split():
                name = re.match(r"['\"]?([A-Za-z][\w.-]*)(?![/:\w])", word)
                parts = re.sub(r"[-.]", "_", name[1].lower()) if name else ""
                if parts == module or parts.startswith(f"{module}_") or parts in (f"python_{module}", f"py{module}"):
                    return name[1] if name else ""
    return ""


def _find_asked_for(context: RuleContext) -> tuple[str, str, bool]:
    """For what a library's message asks for: the first that is known to be a distribution's and is not there."""
    names = list(list_requirements(context.failure.evalue))
    installed = context.ask(questions.LIST_MODULES) if names else []
    for name in names:
        base, bracket, extras = name.partition("[")
        module = map_distributions().get(base.lower(), base.replace("-", "_"))
        requirement, known = find_distribution(module)
        if known and (bracket or module not in installed):
            return requirement + bracket + extras, module, True
    return "", "", False
