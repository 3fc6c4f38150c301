"""What a command over notebooks was asked to do."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import ConfigError
from jupyter_selfheal.surfaces.notebook.answers import GivenAnswer

APPROVALS = ("all", "safe", "ask", "none")
"""Which proven fixes are applied."""

CELL_SECONDS = 120.0
"""How long a cell may run unless the settings say otherwise."""


@dataclass(frozen=True, slots=True)
class Environment:
    """An environment that notebooks are run in: as a person calls it, and its kernelspec."""

    name: str
    kernelspec: str


@dataclass(frozen=True, slots=True)
class Settings:
    """What a command was asked to do.

    ``approve`` is ``all``, ``safe``, ``ask`` or ``none``; ``cell_seconds`` how long a cell may run; ``writes`` what becomes
    of files that cells write (``discard`` or ``allow``); ``fresh`` uses fresh kernels instead of forks; ``kernelspec`` overrides
    the notebook's own; ``review`` lists doubts about cells that run; ``answers`` are what a person said to an earlier run's questions; ``cache`` runs no notebook that ran without a
    failure and depends on nothing that has changed since; ``run_ends`` is when the whole run must end, on the clock of
    ``time.monotonic``, which all processes of a machine share; ``provenance`` writes into healed cells what was changed.
    ``inputs`` are what the notebook's calls of ``input()`` get, in their order. ``project`` is the folder whose Python files may be
    replaced by healed ones (None: none is); ``test`` the command whose tests a changed file must pass.
    ``warnings`` heals what a cell's own line is warned of.
    ``max_slowdown``: fixes with which the notebook takes more than so many times as long are refused.
    ``environments``: those that fixes are proven in, where several are named; the notebook is healed in the last one.
    ``shows_errors``: what cells raise is shown to somebody as IPython draws it, with sources and colours; else as Python writes it, which takes a second less for
    each error that comes up deep in a library.
    ``share_fixes``: what healed one notebook of the run is tried first in the next.
    """

    config: HealConfig = HealConfig()
    approve: str = "all"
    cell_seconds: float = CELL_SECONDS
    writes: str = "discard"
    fresh: bool = False
    kernelspec: str = ""
    review: bool = False
    answers: tuple[GivenAnswer, ...] = ()
    cache: bool = False
    run_ends: float = math.inf
    provenance: bool = True
    inputs: tuple[str, ...] = ()
    project: Path | None = None
    test: str = ""
    max_slowdown: float = math.inf
    warnings: bool = False
    share_fixes: bool = False
    shows_errors: bool = False
    environments: tuple[Environment, ...] = ()

    def __post_init__(self) -> None:
        for name, choices in (("approve", APPROVALS), ("writes", ("discard", "allow"))):
            if getattr(self, name) not in choices:
                raise ConfigError(f"{name} cannot be {getattr(self, name)!r:.80}: it takes one of {', '.join(choices)}")
