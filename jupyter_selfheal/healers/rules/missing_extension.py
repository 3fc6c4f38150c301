"""IMP108: an IPython extension that is not there hides the rest of its cell."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch

LOADS = re.compile(r"(?m)^[ \t]*%(?:re)?load_ext[ \t]+([\w.]+)[ \t]*(?:#.*)?$")
MAGICS = re.compile(r"(?m)^[ \t]*%{1,2}([A-Za-z_]\w*)")

MOVED = {
    "cythonmagic": "Cython", "Cython.Build.IpythonMagic": "Cython", "rmagic": "rpy2.ipython", "rpy2.ipython.rmagic": "rpy2.ipython",
    "sql.magic": "sql", "tensorboard.notebook": "tensorboard", "memory_profiler.magic": "memory_profiler",
}  # fmt: skip
"""Extensions that go by another name since, as their own release notes say."""

QUIET = {
    "nb_black": (), "lab_black": (), "jupyter_black": (), "nb_mypy": (), "jupyternotify": ("notify",), "wurlitzer": (),
    "autotime": (), "ipython_autotime": (), "nbtutor": ("nbtutor",), "pycodestyle_magic": ("pycodestyle", "flake8", "pycodestyle_on", "flake8_on"),
    "watermark": ("watermark",), "version_information": ("version_information",), "itermplot": (), "blackcellmagic": ("black",),
    "line_profiler": ("lprun",), "memory_profiler": ("memit", "mprun"), "snakeviz": ("snakeviz",), "heat": ("heat",), "scalene": ("scalene",),
    "tensorboard": ("tensorboard",), "pyinstrument": ("pyinstrument",), "jupyter_ai": ("ai",), "google.colab.data_table": (),
    "ipython_memory_usage": ("start_watching_memory",), "ipython_memory_watcher": (), "lab_mypy": (), "aquarel": (),
}  # fmt: skip
"""Extensions that only format, time, notify or tell versions, with the commands that they bring: no value hangs on them."""


class MissingExtension(Rule):
    """Go on without an extension that nothing in the notebook uses, or load it by its present name.

    **Failure** `ModuleNotFoundError: No module named 'nb_black'` at `%load_ext nb_black`: the rest of the cell does not run.

    **Fix** An extension that goes by another name since is loaded by that name, where it is installed. One that is known to format, time or tell
    versions only, and none of whose commands stands anywhere in the notebook, is put behind a `#`.

    **Fix safety** Safe: no value of the notebook hangs on such an extension. Silent for every other one, and where one of its commands
    is used: it must be installed then.
    """

    code = "IMP108"
    name = "IPython extension is not there"
    stage = Stage.IMPORTS
    enames = frozenset({"ModuleNotFoundError"})
    applicability = Applicability.SAFE
    why = "The extension only formats, times or tells versions, and nothing in the notebook uses its commands."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        source = context.failure.source
        line = (
            source.splitlines()[context.failure.line - 1] if 0 < context.failure.line <= source.count("\n") + 1 else ""
        )
        match = LOADS.fullmatch(line)
        if match is None or match[1].split(".")[0] not in context.failure.evalue:
            return
        name, start = match[1], sum(len(t) + 1 for t in source.split("\n")[: context.failure.line - 1])
        moved = MOVED.get(name)
        if moved is not None and context.exists(moved):
            place = start + match.start(1)
            yield self.patch(
                context.replace(context.failure.cell_id, [(place, place + len(name), moved)]),
                f"Load `{moved}`",
                f"The extension `{name}` is `{moved}` now.",
                why="The extension's own release notes say so.",
                prior=0.9,
            )
        elif name in QUIET and not set(QUIET[name]) & _list_magics(context):
            place = start + len(line) - len(line.lstrip())
            yield self.patch(
                context.replace(context.failure.cell_id, [(place, place, "# ")]),
                f"Go on without the extension `{name}`",
                f"The extension `{name}` isn't installed, and it hides the rest of the cell.",
                removes=f"the extension `{name}`, which nothing here uses",
                prior=0.85,
            )


def _list_magics(context: RuleContext) -> set[str]:
    """The commands that the notebook's cells begin a line with."""
    return {name for cell in context.notebook.cells if cell.kind == "code" for name in MAGICS.findall(cell.source)}
