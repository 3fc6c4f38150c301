"""The cells below: those that depend on the patched cells are run in the trial too, as far as that is cheap and harmless."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from jupyter_selfheal import source as src
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.model import Case, Cell, Patch, Probe, Role, Run, Step, StepResult, Trial
from jupyter_selfheal.scoring import stored
from jupyter_selfheal.scoring.asserts import (
    collect_patched_names,
    list_asserts_run,
    list_imports_above,
    list_names,
    list_names_above,
    list_patched_cells,
)
from jupyter_selfheal.scoring.comparison import NOTHING, Comparison
from jupyter_selfheal.scoring.evidence import CellBelow, Evidence
from jupyter_selfheal.scoring.expected import build_expectation, find_stdout_difference
from jupyter_selfheal.scoring.hanging_names import follow_names
from jupyter_selfheal.scoring.lost_writes import find_cells_with_lost_writes
from jupyter_selfheal.scoring.repeatable import is_own_work, is_repeatable, is_trained
from jupyter_selfheal.scoring.size_alone import asks_size_alone, shows_size_alone
from jupyter_selfheal.source.rerun import is_harmless

AT_MOST = 6
"""Cells below that are run in one trial, nearest first."""

_ASKS_FOR_OBJECT = re.compile(r"""\bdtypes?\b\S*\s*[!=]=\s*(?:["'](?:object|O)["']|(?:np\.|numpy\.)?object_?\b)""")
"""A question that columns of texts answer otherwise since pandas 3.0: their type is ``str``."""
_PANDAS = Probe(
    "import sys\n\n\ndef probe(shell, last, argument):\n    return getattr(sys.modules.get('pandas'), '__version__', '')",
    name="pandas",
)
_ITERATOR = re.compile(r"<(zip|map|filter)(?: object)? at 0x[0-9a-f]+>")


@dataclass(frozen=True, slots=True)
class Chosen:
    """A cell below to run, with its patched source. One that does not depend on the patched cells makes what another reads that does."""

    cell: Cell
    depends: bool


_BOUND = re.compile(r"^(\w+)[ \t]*=(?!=)", re.MULTILINE)


def choose_cells(case: Case, patch: Patch) -> tuple[Chosen, ...]:
    """The cells below to run, in order: those whose names depend on the patched cells, and what these need."""
    if not case.notebook.cells:
        return ()
    own = collect_patched_names(case, patch)
    assigned = {n for _, _, after in list_patched_cells(case, patch) for n in _list_assigned(after)}
    # `np.zeros(3)` changes nothing of `np`: what else reads it hangs on nothing here
    modules = list_imports_above(case) - assigned
    tainted = own.binds | (own.changes - modules)
    left_out = _LeftOut(list_names_above(case) | tainted)
    chosen: list[Chosen] = []
    for original in case.notebook.list_code_after(case.failure.cell_id):
        if len(chosen) >= AT_MOST:
            break
        cell = replace(original, source=patch.source_of(original.id, original.source))
        names = list_names(cell.source)
        harmless = is_harmless(cell) and not stored.find_stored_error(cell)
        prerequisites = left_out.find_prerequisites(names.uses) if harmless and names.uses & tainted else None
        if prerequisites is None:
            left_out.leave_out(cell, may_run_later=harmless)
            tainted -= names.binds | _find_bound_in_text(cell.source)
            continue
        left_out.take_in(cell, prerequisites)
        chosen += [*(Chosen(c, depends=False) for c in prerequisites), Chosen(cell, depends=True)]
        tainted |= names.binds | (names.changes - modules)
    return tuple(chosen)


class _LeftOut:
    """The cells below that are not run so far, and which names hold, without them, what they hold in the notebook."""

    def __init__(self, there: frozenset[str]) -> None:
        self._there = set(there)
        self._lost = set[str]()  # what a cell writes that is never run
        self._aside: list[Cell] = []

    def find_prerequisites(self, uses: frozenset[str]) -> list[Cell] | None:
        """Those that must run first for the names that a cell uses to be as in the notebook; None where they cannot."""
        written = {name for cell in self._aside for name in _list_written(cell)}
        missing = uses - (self._there - self._lost - written)
        sources = [cell.source for cell in self._aside]
        if not src.find_needed_names(sources, missing) <= self._there - self._lost:
            return None
        return [self._aside[n] for n in src.find_backward_slice(sources, missing)]

    def leave_out(self, cell: Cell, *, may_run_later: bool) -> None:
        """A cell that is not run, or not before another one needs it."""
        if may_run_later:
            self._aside.append(cell)
        else:
            self._lost |= _list_written(cell)

    def take_in(self, cell: Cell, prerequisites: Sequence[Cell]) -> None:
        """A cell that is run behind those it needs. What stays aside and shares a name with them would come too late."""
        run = [*prerequisites, cell]
        written = frozenset[str]().union(*map(_list_written, run))
        aside = [c for c in self._aside if c not in prerequisites]
        late = [c for c in aside if not written.isdisjoint(_list_written(c) | list_names(c.source).uses)]
        self._aside = [c for c in aside if c not in late]
        bound = frozenset[str]().union(*(list_names(c.source).binds for c in run))
        self._there |= bound
        self._lost -= bound
        for one in late:
            self._lost |= _list_written(one) - list_names(cell.source).binds


def _list_written(cell: Cell) -> frozenset[str]:
    names = list_names(cell.source)
    return names.binds | names.changes | names.deletes | _find_bound_in_text(cell.source)


def _find_bound_in_text(source: str) -> frozenset[str]:
    """The names that a cell binds that does not parse (of Python 2, say): what reads one of them below reads nothing of what stands above."""
    return frozenset() if src.list_statements(source) else frozenset(_BOUND.findall(source))


def _list_assigned(source: str) -> tuple[str, ...]:
    return tuple(src.find_assigned_roots(s.node for s in src.list_statements(source)))


def _read_cells_below(case: Case, patch: Patch, trial: Trial) -> tuple[CellBelow, ...]:
    has_text_dtype = int(f"{trial.probe(_PANDAS.name) or 0}".partition(".")[0]) >= 3
    below: list[CellBelow] = []
    lost = find_cells_with_lost_writes(case, patch, trial)
    for cell, step in _list_telling_steps(choose_cells(case, patch), trial):
        missed = trial.probe(f"expected:{cell.id}")
        compared = _compare_outputs(cell, case, patch, step, has_text_dtype, cell.id in lost) if step.ok else NOTHING
        below.append(
            CellBelow(
                cell.id,
                step.ok,
                _format_step_error(step),
                compared,
                missed=str(missed.get("why", "")) if isinstance(missed, dict) and step.ok else "",
                misprinted=_find_misprint(cell, step),
                asserts=sum(not asks_size_alone(case, patch, node) for node in list_asserts_run(cell.source)),
                own_work=compared.differs and is_own_work(cell, case.notebook),
            )
        )
    return tuple(below)


def _list_telling_steps(chosen: Sequence[Chosen], trial: Trial) -> Iterator[tuple[Cell, StepResult]]:
    """The cells that depend on the patch, as they ended; not those that read what a cell failed to make that does not: no fault of the patch."""
    by_id = {one.cell.id: one for one in chosen}
    broken = set[str]()
    for step in trial.steps:
        if step.role != Role.DOWNSTREAM.value or step.cell_id not in by_id or step.status not in ("ok", "error"):
            continue
        one = by_id[step.cell_id]
        if not broken.isdisjoint(list_names(one.cell.source).uses) or not (step.ok or one.depends):
            broken |= _list_written(one.cell)
            continue
        broken -= list_names(one.cell.source).binds
        if one.depends:
            yield one.cell, step


def _find_misprint(cell: Cell, step: StepResult) -> str:
    if not (step.ok and cell.oracle.stdout):
        return ""
    printed = "".join(o.text for o in step.outputs if o.output_type == "stream" and o.name != "stderr")
    return find_stdout_difference(cell.oracle.stdout, printed) or ""


def _compare_outputs(
    cell: Cell, case: Case, patch: Patch, step: StepResult, has_text_dtype: bool, is_lost: bool
) -> Comparison:
    """How a cell's output compares with what is stored; another one says nothing where the cell never gives the same, nor where it shows
    what was a list in Python 2, nor what lacks a write that ``is_lost``, nor, where texts have a type of their own, what hangs on which columns are of
    type ``object``."""
    notebook = case.notebook
    compared = stored.compare(cell, step.outputs)
    if compared.differs and is_lost:
        return NOTHING  # a root of its own
    if compared.same and compared.tells and "\n" not in compared.stored and shows_size_alone(case, patch, cell.source):
        return replace(compared, computed=0, built=False)
    by_chance = compared.differs and not is_repeatable(cell, notebook)
    lazy = _ITERATOR.fullmatch(compared.got) if compared.differs and compared.stored.startswith("[") else None
    if lazy is not None and f"{lazy[1]}(" in cell.source:
        return NOTHING
    if by_chance or (compared.differs and compared.worded and is_trained(cell, notebook)):
        return NOTHING
    if compared.differs and has_text_dtype:
        cells = [c for c in notebook.cells[: notebook.index(cell.id)] if c.kind == "code"]
        if shows_only_by_dtype(cell.source, [patch.source_of(c.id, c.source) for c in cells]):
            return NOTHING  # a root of its own
    return compared


def shows_only_by_dtype(source: str, above: Sequence[str]) -> bool:
    """Whether all that a cell shows hangs on a question which columns are of type ``object``, its own or that of a cell above."""
    hanging, imports = set[str](), set[str]()
    for text in above if any(map(_ASKS_FOR_OBJECT.search, above)) else ():
        imports |= src.find_names(text).imports
        follow_names(text, hanging, _asks_for_object, frozenset(imports))
    asks = _ASKS_FOR_OBJECT.search(source) is not None
    shown = follow_names(source, hanging, _asks_for_object) if asks or hanging else []
    return all(shown) if shown else asks


def _asks_for_object(text: str, _: ast.stmt) -> bool:
    return _ASKS_FOR_OBJECT.search(text) is not None


def _format_step_error(step: StepResult) -> str:
    return f"{step.errors[0].ename}: {step.errors[0].evalue}"[:160].rstrip(": ") if step.errors else ""


class CellsBelow:
    """The oracle of the cells below that depend on the patched ones: they still run, and print what is stored."""

    def list_steps(self, case: Case, patch: Patch, config: HealConfig) -> Iterator[Step]:
        """The chosen cells, within the seconds for all of them, each followed by its own expectation where it has one."""
        seconds = config.downstream_seconds
        chosen = choose_cells(case, patch) if seconds > 0 else ()
        if chosen and any(_ASKS_FOR_OBJECT.search(cell.source) for cell in case.notebook.cells):
            yield _PANDAS
        for one in chosen:
            cell = one.cell
            yield Run(cell.source, cell.id, Role.DOWNSTREAM, go_on=True, timeout=seconds / len(chosen))
            if cell.oracle.expect and one.depends:
                yield build_expectation(cell.oracle.expect, cell.source, f"expected:{cell.id}")

    def add_evidence(self, evidence: Evidence, case: Case, patch: Patch, trial: Trial) -> Evidence:
        return replace(evidence, below=_read_cells_below(case, patch, trial))
