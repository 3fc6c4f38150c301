"""Makes a failing notebook small: cells, then statements, then those inside of others, then data; every try is a run in a fork."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from jupyter_selfheal import source as src
from jupyter_selfheal.loop.limits import normalise_message
from jupyter_selfheal.model import OPEN, Ending, Keep, Role, Run, Sandbox, Trial, TrialRequest
from jupyter_selfheal.ports import TrialKernel
from jupyter_selfheal.surfaces.minimize import pieces
from jupyter_selfheal.surfaces.minimize.delta_debugging import minimise_list

Sources = tuple[str, ...]
"""The code cells of a notebook, in order."""


@dataclass(frozen=True, slots=True)
class Symptom:
    """In which way a notebook fails: two with equal symptoms fail in the same way. ``inside`` is the function of a library that raised."""

    ename: str
    message: str
    inside: str = ""
    words: str = field(default="", compare=False)
    """The error as it was raised."""
    line: int = field(default=0, compare=False)
    """Of the failing cell; 0 where that is not known."""


def find_symptom(trial: Trial) -> Symptom | None:
    """How the first failing cell of a trial failed; None where none did."""
    if trial.ending is Ending.TIMED_OUT:
        return Symptom("TimeoutError", "", words="timed out")
    if trial.ending is not Ending.FINISHED:
        return Symptom("KernelDied", trial.detail.partition(";")[0], words=f"the kernel died: {trial.detail}")
    error = next((e for step in trial.steps for e in step.errors), None)
    if error is None:
        return None
    innermost = error.frames[-1] if error.frames else None
    inside = innermost.function if innermost is not None and not innermost.cell_id else ""
    return Symptom(error.ename, normalise_message(error.evalue), inside, error.words, error.line)


LOAD = """\
for _selfheal in {names!r}:
    try:
        __import__(_selfheal)
    except BaseException:
        pass
del _selfheal
"""
"""Loads modules without binding a name of the notebook's."""


def _list_modules(sources: Sources) -> list[str]:
    """Modules that the cells import by their full names, in order; one that is always there where there is none."""
    nodes = [node for source in sources for node in src.walk(source)]
    whole = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    parts = [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module and not node.level]
    return list(dict.fromkeys([*whole, *parts])) or ["builtins"]


@dataclass
class Minimizer:
    """Tries smaller notebooks from ``state``, in which nothing has run. ``most_trials`` and ``seconds`` end it; what was reached counts."""

    state: TrialKernel
    folder: str = "."
    most_trials: int = 1_000
    seconds: float = 60.0
    timeout: float = 30.0
    clock: Callable[[], float] = time.monotonic
    trials: int = 0
    is_cut_short: bool = False
    """Whether the time or the trials ran out: it may get smaller still."""
    _began: float = 0.0
    _seen: dict[Sources, bool] = field(default_factory=dict)
    _symptom: Symptom | None = None

    def find_failing(self, sources: Sources) -> tuple[Symptom | None, Sources]:
        """How the notebook fails, and its cells up to the one that does."""
        trial = self._run_cells(sources)
        symptom = find_symptom(trial)
        ran = sum(step.ok for step in trial.steps)
        return symptom, sources[: ran + 1] if symptom is not None else sources

    def find_failure_of(self, sources: Sources) -> tuple[Symptom | None, Sources]:
        """How the last of these cells fails, and they without the cells above it that fail too."""
        while True:
            symptom, failing = self.find_failing(sources)
            if symptom is None or len(failing) == len(sources):
                return symptom, failing
            sources = (*failing[:-1], *sources[len(failing) :])

    def warm_up(self, sources: Sources, symptom: Symptom) -> None:
        """Go on from a state in which the modules that the notebook imports are loaded, and no name is bound, so that no trial
        pays for them again. Where the notebook then fails otherwise, or such a state cannot be kept, all stays as it is."""
        load = Run(LOAD.format(names=_list_modules(sources)), "load", Role.SETUP)
        _, warm = self.state.run(TrialRequest((load,), timeout=self.timeout, keep=Keep.ON_SUCCESS, sandbox=OPEN))
        if warm is None:
            return
        cold, self.state = self.state, warm
        if self.find_failing(sources)[0] != symptom:
            warm.close()
            self.state = cold

    def minimise(self, sources: Sources, symptom: Symptom) -> Sources:
        """The smallest notebook that was found to fail with that symptom; ``sources`` does."""
        self._symptom, self._began = symptom, self.clock()
        sources = self._minimise_cells(self._leave_out_below(sources, symptom.line))
        sources = self._minimise_statements(sources)
        sources = self._use_first_that_fails(sources, self._list_with_files_inside)
        sources = self._use_first_that_fails(sources, pieces.list_without_inner_statement)
        sources = self._minimise_data(sources)
        return self._minimise_statements(sources)

    def _leave_out_below(self, sources: Sources, line: int) -> Sources:
        """The cells without what stands below the statement that failed, where they still fail so."""
        up_to = src.list_statements(sources[-1])
        end = next((s.last for s in up_to if s.first <= line <= s.last), 0)
        cut = (*sources[:-1], "\n".join(sources[-1].splitlines()[:end]))
        return cut if end and cut != sources and self._fails_alike(cut) else sources

    def _minimise_cells(self, sources: Sources) -> Sources:
        *above, last = sources
        needed = src.find_backward_slice(above, src.find_names(last).uses)
        sliced = (*(above[n] for n in needed), last)
        kept = sliced if self._fails_alike(sliced) else sources
        return minimise_list(kept, self._fails_alike)

    def _minimise_statements(self, sources: Sources) -> Sources:
        statements = [(n, text) for n, source in enumerate(sources) for text in pieces.split_statements(source)]

        def to_sources(chosen: Iterable[tuple[int, str]]) -> Sources:
            cells: dict[int, list[str]] = {}
            for n, text in chosen:
                cells.setdefault(n, []).append(text)
            return tuple("\n".join(texts) for texts in cells.values())

        *above, (_, last) = statements
        needed = src.find_backward_slice([text for _, text in above], src.find_names(last).uses)
        sliced = [*(above[n] for n in needed), statements[-1]]
        kept = sliced if self._fails_alike(to_sources(sliced)) else statements
        return to_sources(minimise_list(kept, lambda chosen: self._fails_alike(to_sources(chosen))))

    def _use_first_that_fails(self, sources: Sources, ways: Callable[[str], Iterable[str]]) -> Sources:
        """Cell by cell one way after another that still fails, until none does."""
        for n in range(len(sources)):
            while True:
                tries = ((*sources[:n], way, *sources[n + 1 :]) for way in ways(sources[n]))
                smaller = next((cells for cells in tries if self._fails_alike(cells)), None)
                if smaller is None:
                    break
                sources = smaller
        return sources

    def _list_with_files_inside(self, source: str) -> Iterable[str]:
        return pieces.list_with_file_inside(source, self.folder)

    def _minimise_data(self, sources: Sources) -> Sources:
        for n in range(len(sources)):
            at = 0
            while at < pieces.count_literals(sources[n]):
                sources = self._minimise_literal(sources, n, at)
                at += 1
        return sources

    def _minimise_literal(self, sources: Sources, n: int, at: int) -> Sources:
        def to_sources(parts: Sequence[str]) -> Sources:
            return (*sources[:n], pieces.replace_parts(sources[n], at, parts), *sources[n + 1 :])

        parts = pieces.list_parts(sources[n], at)
        kept = minimise_list(parts, lambda chosen: self._fails_alike(to_sources(chosen)))
        return to_sources(kept) if len(kept) < len(parts) else sources

    def _fails_alike(self, sources: Sources) -> bool:
        """Whether these cells fail in the same way. No, once there is no time left."""
        if sources not in self._seen:
            is_over = self.trials >= self.most_trials or self.clock() - self._began > self.seconds
            self.is_cut_short = self.is_cut_short or is_over
            if is_over or not sources:
                return False
            self._seen[sources] = find_symptom(self._run_cells(sources)) == self._symptom
        return self._seen[sources]

    def _run_cells(self, sources: Sources) -> Trial:
        self.trials += 1
        steps = tuple(Run(source, f"cell-{n}", Role.CELL) for n, source in enumerate(sources, 1))
        trial, kept = self.state.run(TrialRequest(steps, timeout=self.timeout, sandbox=Sandbox(), is_brief=True))
        if kept is not None:
            kept.close()
        return trial
