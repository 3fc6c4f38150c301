"""IMP109: a command of an IPython extension that no cell loads."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.tables import find_distribution
from jupyter_selfheal.healers.rules.missing_extension import LOADS
from jupyter_selfheal.model import Applicability, Edit, Insert, Install, Patch

NOT_FOUND = re.compile(r"(?:Cell|Line) magic(?: function)? `(%%?)(\w+)` not found")

EXTENSIONS = {
    "autoreload": "autoreload", "aimport": "autoreload", "cython": "Cython", "memit": "memory_profiler", "mprun": "memory_profiler",
    "lprun": "line_profiler", "watermark": "watermark", "snakeviz": "snakeviz", "pyinstrument": "pyinstrument", "tensorboard": "tensorboard",
    "R": "rpy2.ipython", "Rpush": "rpy2.ipython", "Rpull": "rpy2.ipython", "octave": "oct2py.ipython", "bigquery": "google.cloud.bigquery",
}  # fmt: skip
"""Commands that one extension brings, as its documentation has them. Several bring `sql`: which one is meant stands nowhere."""


class MagicNotLoaded(Rule):
    """Load the extension that brings a command.

    **Failure** `UsageError: Line magic function %autoreload not found.` or `UsageError: Cell magic %%cython not found.`, where no cell loads the extension:
    it was loaded in a profile, or its line was lost.

    **Fix** `%load_ext autoreload` above the command, in a cell of its own above a cell magic. Where the extension is not installed, its distribution is
    installed too, if that is allowed.

    **Fix safety** Safe: one extension only brings a command of this name, and the trial shows that it does. Silent for a command that several
    bring (`sql`), for one that is not known, and where a cell above loads the extension: then its loading is what failed.
    """

    code = "IMP109"
    name = "extension of a command is not loaded"
    stage = Stage.IMPORTS
    enames = frozenset({"UsageError"})
    message = NOT_FOUND
    applicability = Applicability.SAFE
    why = "One extension brings a command of this name."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = NOT_FOUND.search(context.failure.evalue)
        extension = EXTENSIONS.get(match[2]) if match else None
        if match is None or extension is None:
            return
        command, above = match[1] + match[2], context.notebook.list_code_before(context.failure.cell_id)
        if any(extension in LOADS.findall(source) for source in (*(c.source for c in above), context.failure.source)):
            return
        edits = _load_above(context, command, extension)
        package = extension.partition(".")[0]
        if not context.exists(extension) and not context.exists(f"IPython.extensions.{extension}"):
            requirement, known = find_distribution(extension)
            if not known or context.exists(package):
                return
            edits = (*edits, Install(requirement, extension))
        if edits:
            yield self.patch(
                edits,
                f"Add `%load_ext {extension}`",
                f"No cell loads the extension `{extension}`, which brings `{command}`.",
                prior=0.85,
            )


def _load_above(context: RuleContext, command: str, extension: str) -> tuple[Edit, ...]:
    """The line that loads an extension, above the first line with its command; none where no line begins with that."""
    source, cell_id = context.failure.source, context.failure.cell_id
    line = re.search(rf"(?m)^([ \t]*){re.escape(command)}\b", source)
    if line is None:
        return ()
    if command.startswith("%%"):
        return (Insert(f"load-{extension.replace('.', '-')}", f"%load_ext {extension}", cell_id),)
    return context.replace(cell_id, [(line.start(), line.start(), f"{line[1]}%load_ext {extension}\n")])
