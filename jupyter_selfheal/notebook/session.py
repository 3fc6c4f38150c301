"""One command's worth of heals: its settings, its budget, and the tools that each notebook is healed with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import KernelError
from jupyter_selfheal.model import Case, Cost, Keep, Outcome, Run, Sandbox, Trial, TrialRequest
from jupyter_selfheal.notebook.approve import PolicyApprover, TerminalApprover
from jupyter_selfheal.notebook.read import Document
from jupyter_selfheal.notebook.tools import Limits, Tools
from jupyter_selfheal.ports import Approver, Starts, TrialKernel

CELL_SECONDS = 120.0
"""How long a cell may run unless the settings say otherwise."""

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class Settings:
    """What a command was asked to do.

    ``approve`` is ``all``, ``safe``, ``ask`` or ``none``; ``cell_seconds`` how long a cell may run; ``writes`` what becomes
    of files that cells write (``discard`` or ``allow``); ``fresh`` uses fresh kernels instead of forks; ``kernelspec`` overrides
    the notebook's own.
    """

    config: HealConfig = HealConfig()
    approve: str = "all"
    cell_seconds: float = CELL_SECONDS
    writes: str = "discard"
    fresh: bool = False
    kernelspec: str = ""


class Session:
    """Heals notebooks with the same settings out of the same budget. Close it: it holds kernels."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.spent = Cost()
        self.runs: list[str] = []
        """Journal ids of the heals, oldest first."""
        self._opened: dict[tuple[str, str], TrialKernel] = {}

    @property
    def limits(self) -> Limits:
        """The notebook's own cells may use the network unless offline, and write as far as the kernel may."""
        network = not self.settings.config.offline
        return Limits(self.settings.cell_seconds, Sandbox(network=network, writes="allow"))

    def tools(self, document: Document, progress: Progress | None = None) -> Tools:
        """What one notebook is healed with."""
        from jupyter_selfheal import assemble

        found = Tools(
            open_state=lambda: self._clean(document),
            replay=lambda runs: self._replayed(document, runs),
            heal=lambda case, starts, seen: self._heal(document, case, starts, seen),
            scorer=assemble.scorer_for(self.settings.config),
            install=assemble.installer(),
        )
        return replace(found, progress=progress) if progress is not None else found

    def close(self) -> None:
        """Let go of every kernel. Idempotent."""
        for kernel in self._opened.values():
            kernel.close()
        self._opened.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()
