"""The kernels of one command: those in which notebooks run, and those in which a state is made anew."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

from jupyter_selfheal.errors import KernelError
from jupyter_selfheal.inside.loader import probe_source
from jupyter_selfheal.kernels.replay_plan import PastCell
from jupyter_selfheal.loop.repeated_trials import build_reseeding
from jupyter_selfheal.model import Keep, Launch, Probe, Run, Sandbox, Step, TrialRequest
from jupyter_selfheal.ports import TrialKernel
from jupyter_selfheal.surfaces.notebook.beside import CLOSE_SECONDS, keep_imports
from jupyter_selfheal.surfaces.notebook.cache import LISTEN
from jupyter_selfheal.surfaces.notebook.read import Document
from jupyter_selfheal.surfaces.notebook.settings import Settings
from jupyter_selfheal.surfaces.project.modules import list_imported

FIRST_SEED = 100
"""Kernels in which a state is made anew have the hash seeds that follow; that of the first kernel is left to Python."""

CLEAN_SEED = FIRST_SEED + 1
"""The hash seed of the kernel in which healed notebooks are run in the end: not that in which their fixes were made."""

DRAWS = 5
"""How often the cells above are run again with other draws where one of them fails by chance."""

OTHER_SEED_SECONDS, ANEW_SECONDS = 20.0, 3.0
"""How long the cells above a failing one may have taken, to be run again with other hash seeds, or with other draws, which takes more
runs."""


class SessionKernels:
    """Starts kernels for notebooks, and keeps those of the folder at hand. Close it: it holds them, and scratch directories.

    ``sandbox`` is that of a notebook's own cells. ``served`` maps the files that clean kernels import as they are given to their text and
    encoding; with ``raise_warnings`` what a cell's own line is warned of is a failure.
    """

    def __init__(self, settings: Settings, sandbox: Sandbox) -> None:
        self.settings = settings
        self.served: dict[str, list[str]] = {}
        self.raise_warnings = False
        self._sandbox = sandbox
        self._opened: dict[tuple[str, str, int], TrialKernel] = {}
        self._installers: dict[str, Callable[[str], str]] = {}
        self._scratch = contextlib.ExitStack()
        self._is_closed = False
        self._opening = threading.RLock()
        """Clean states are opened for two who work at once: the heal of a cell, and the clean run beside it."""

    def open_clean_state(self, document: Document, seed: int = 0, *, listen: bool = False) -> TrialKernel:
        """A state in which nothing has run, with writes of its own; ``seed`` is that of its hashes, 0 for one that Python chooses;
        with ``listen`` it notes what its cells read.

        The kernel of a folder's notebooks is started once and frozen; what it writes where writes are discarded belongs to each state
        that begins here, so that the run in the end finds the folder as the first one did.
        """
        from jupyter_selfheal import engine

        if self.settings.fresh and self.served:
            return self.open_replay_kernel(document, (), (), seed)
        if self.settings.fresh:
            return engine.open_state(self._build_launch(document, seed), fresh=True)
        with self._opening:
            if self._is_closed:
                raise KernelError("the command has ended")
            try:
                return self._open_forked_state(document, seed, listen)
            finally:
                if self._is_closed:  # it was not waited for
                    self._close_kernels()

    def _open_forked_state(self, document: Document, seed: int, listen: bool) -> TrialKernel:
        request = TrialRequest(
            (*self._list_first_steps(), *([LISTEN] if listen else [])),
            timeout=60.0,
            keep=Keep.ON_SUCCESS,
            sandbox=replace(self._sandbox, writes=self.settings.writes),
        )
        try:
            trial, state = self._open_frozen_kernel(document, seed).run(request)
        except KernelError:  # it ended since, however that came: another one is as good
            self._close_kernels()
            trial, state = self._open_frozen_kernel(document, seed).run(request)
        if state is None:
            raise KernelError(
                f"the kernel {document.kernelspec} cannot be forked ({trial.detail or trial.ending.value}): try --fresh"
            )
        return state

    def _list_first_steps(self) -> tuple[Step, ...]:
        """What the first state of a notebook holds: the answers to its ``input()``, and changed files of the project, if there are any."""
        steps: list[Step] = []
        if self.settings.inputs:
            steps.append(Probe(probe_source("probes.answer_input"), {"answers": list(self.settings.inputs)}, "answers"))
        if self.served:
            steps.append(Probe(probe_source("probes.serve_sources"), {"files": self.served}, "files"))
        if self.raise_warnings:
            steps.append(Probe(probe_source("probes.raise_warnings"), None, "warnings"))
        return tuple(steps) or (Run(""),)

    def serve_files(self, files: dict[str, list[str]]) -> None:
        """Have every clean kernel from now on import these files (path: text and encoding) as they are given, not as the disk has them."""
        self.served = dict(files)

    def forget_kernels(self) -> None:
        """Start new kernels from now on: a file that they may have seen was replaced."""
        self._close_kernels()

    def _open_frozen_kernel(self, document: Document, seed: int = 0) -> TrialKernel:
        """The frozen kernel of a notebook's folder. Only those of the folder at hand are kept: there may be hundreds of folders."""
        from jupyter_selfheal import engine

        spec, folder = document.kernelspec, document.notebook.folder
        launch = self._build_launch(document, seed)
        if any(key[:2] != (spec, folder) for key in self._opened):
            self._close_kernels()
        if (spec, folder, seed) not in self._opened:
            self._opened[spec, folder, seed] = engine.open_state(launch)
        return self._opened[spec, folder, seed]

    def _build_launch(self, document: Document, seed: int) -> Launch:
        return Launch(
            document.kernelspec,
            document.notebook.folder,
            writes=self.settings.writes,
            network=not self.settings.config.offline,
            seed=seed,
            byte_code=self._prepare_byte_code(document),
        )

    def _prepare_byte_code(self, document: Document) -> str:
        """Where its kernels read the byte code of what the notebook imports from; where their writes stay they write it themselves."""
        from jupyter_selfheal import engine

        if self.settings.writes == "allow":
            return ""
        code = (c.source for c in document.notebook.cells if c.kind == "code")
        modules = dict.fromkeys(name for text in map(keep_imports, code) for name in list_imported(text, "") if name)
        return engine.prepare_byte_code(document.kernelspec, [*modules])

    def open_anew(
        self, document: Document, past: Sequence[PastCell], paths: Sequence[str], number: int, *, other_seed: bool
    ) -> TrialKernel:
        """The state after these cells, made anew by running them again; with ``other_seed`` in a kernel with the n-th other hash seed.

        Raises :class:`KernelError` where that would take too long, or where a cell that ran before now does not.
        """
        seconds = sum(cell.seconds or 0.0 for cell in past)
        if seconds > (OTHER_SEED_SECONDS if other_seed else ANEW_SECONDS):
            raise KernelError(f"running the cells above again would take {seconds:.0f} s")
        why = ""
        for draw in range(DRAWS):
            state, why = self._run_anew(
                document, past, paths, number + draw * 1_000, FIRST_SEED + number if other_seed else 0
            )
            if state is not None:
                return state
        raise KernelError(f"a cell above, which ran before, now does not ({why})"[:300])

    def _run_anew(
        self, document: Document, past: Sequence[PastCell], paths: Sequence[str], draw: int, seed: int
    ) -> tuple[TrialKernel | None, str]:
        """The state after these cells, run with the n-th draw in a kernel of that hash seed, or why a cell failed."""
        runs = tuple(Run(cell.code, cell.cell_id, go_on=cell.failed) for cell in past) or (Run(""),)
        request = TrialRequest(
            (build_reseeding(draw), *runs),
            timeout=30.0 + 10.0 * sum(cell.seconds or 0.0 for cell in past),
            keep=Keep.ALWAYS,
            sandbox=replace(self._sandbox, writes="discard"),
            paths=tuple(paths),
        )
        with contextlib.closing(self.open_clean_state(document, seed)) as clean:
            trial, state = clean.run(request)
        bad = [step for step, cell in zip(trial.steps[1:], past, strict=False) if not step.ok and not cell.failed]
        if bad:
            if state is not None:
                state.close()
            return None, next((f"{e.ename}: {e.evalue}" for step in bad for e in step.errors), bad[0].status)
        if state is None:  # it cannot be forked: in a real kernel the cells run again for each trial
            return self.open_replay_kernel(document, past, paths, seed), ""
        return state, ""

    def _close_kernels(self) -> None:
        with self._opening:
            while self._opened:
                self._opened.popitem()[1].close()

    def close(self) -> None:
        """Let go of every kernel and scratch directory. One that is just being started beside is waited for for a while, then it
        is closed by who starts it, or by the interpreter's end. Idempotent."""
        self._is_closed = True
        if self._opening.acquire(timeout=CLOSE_SECONDS):
            try:
                self._close_kernels()
            finally:
                self._opening.release()
        self._scratch.close()

    def open_replay_kernel(
        self, document: Document, past: Sequence[PastCell], paths: Sequence[str], seed: int = 0
    ) -> TrialKernel:
        from jupyter_selfheal import engine

        if self.served:
            code = f"{probe_source('probes.serve_sources')}\nserve({self.served!r})\n"
            past = (PastCell(f"exec({code!r}, {{}})", "project files"), *past)
        return engine.open_replayed_state(self._build_launch(document, seed), past, paths=paths)

    def install_into_scratch(self, requirement: str, kernelspec: str) -> str:
        """Install for a kernel's Python into a scratch directory that lives as long as the session."""
        from jupyter_selfheal import engine

        python = engine.find_kernel_python(kernelspec)
        if python not in self._installers:
            self._installers[python] = engine.build_installer(self._scratch, python)
        return self._installers[python](requirement)
