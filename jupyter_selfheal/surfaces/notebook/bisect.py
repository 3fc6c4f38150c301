"""``jupyter selfheal bisect NOTEBOOK``: the first cell after which the state is no longer the one that the stored outputs tell of.

The cells are run in order in copies of a clean kernel, and each is compared with what is stored for it. What went wrong did so
between the last cell that still gave what is stored and the first that does not.
"""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass

from jupyter_selfheal import engine
from jupyter_selfheal.model import Cell, Keep, Launch, Notebook, Role, Run, TrialRequest
from jupyter_selfheal.ports import TrialKernel
from jupyter_selfheal.scoring.stored import compare
from jupyter_selfheal.surfaces.notebook.kernel_choice import choose_kernel
from jupyter_selfheal.surfaces.notebook.read import read
from jupyter_selfheal.surfaces.words import print_lines

MOST_CHARACTERS = 200
"""Of an output, how much is shown."""


@dataclass(frozen=True, slots=True)
class Departure:
    """The first cell that fails (``error``) or gives ``got`` where ``stored`` is stored.

    ``agreed``: the last cell above it that still gave what is stored; ``between``: those below that, which show nothing to compare.
    """

    cell: Cell
    stored: str = ""
    got: str = ""
    error: str = ""
    agreed: tuple[Cell, ...] = ()
    between: tuple[Cell, ...] = ()


def bisect(options: argparse.Namespace) -> int:
    """Find the departure and print it. The exit code: 0 where every cell gives what is stored, 1 where one does not."""
    document = read(options.notebook)
    spec, note = choose_kernel(options.kernel or document.kernelspec)
    if note:
        print_lines([f"note: {note}"])
    with closing(engine.open_state(Launch(spec, document.notebook.folder, network=False))) as state:
        departure, compared = find_departure(document.notebook, state, options.timeout)
    print("\n".join(format_departure(document.notebook, departure, compared)))
    return 0 if departure is None else 1


def find_departure(notebook: Notebook, state: TrialKernel, timeout: float) -> tuple[Departure | None, int]:
    """The first cell that departs, and how many gave what is stored before it. ``timeout``: seconds for each cell."""
    agreed: tuple[Cell, ...] = ()
    compared, between = 0, list[Cell]()
    with ExitStack() as closing_states:
        for cell in notebook.cells:
            if cell.kind != "code" or not cell.source.strip() or cell.skip:
                continue
            request = TrialRequest((Run(cell.source, cell.id, Role.CELL),), timeout=timeout, keep=Keep.ALWAYS)
            trial, kept = state.run(request)
            if kept is not None:
                closing_states.callback(kept.close)
            step = trial.step(Role.CELL)
            means_to_fail = "raises-exception" in cell.tags
            if step is None or kept is None or not (trial.ran or means_to_fail):
                errors = step.errors if step is not None else ()
                error = errors[-1].words if errors else trial.detail or str(trial.ending)
                return Departure(cell, error=error, agreed=agreed, between=tuple(between)), compared
            state, result = kept, compare(cell, step.outputs)
            if result.differs and result.computed:
                return Departure(cell, result.stored, result.got, "", agreed, tuple(between)), compared
            if result.same:
                agreed, between, compared = (cell,), [], compared + 1
            else:
                between.append(cell)
    return None, compared


def format_departure(notebook: Notebook, departure: Departure | None, compared: int) -> Iterator[str]:
    """What was found, in lines of 80 columns."""
    if departure is None:
        if not compared:
            yield "Every cell runs; no cell has a stored output to compare with."
            return
        cells = "1 cell gives" if compared == 1 else f"{compared} cells give"
        yield f"Every cell runs, and nothing departs from what is stored ({cells} the same)."
        return
    name = notebook.name_cell(departure.cell.id)
    if departure.error:
        yield from _wrap_line(f"{name} is the first that departs: it fails ({departure.error})")
    else:
        yield f"{name} is the first that departs from what is stored:"
        yield from _wrap_line(f"stored: {departure.stored}", "  ")
        yield from _wrap_line(f"now:    {departure.got}", "  ")
    if departure.agreed:
        yield from _wrap_line(f"Up to {notebook.name_cell(departure.agreed[0].id)} the cells give what is stored.")
    suspects = [notebook.name_cell(cell.id) for cell in (*departure.between, departure.cell)]
    yield from _wrap_line(f"Look at {_join_names(suspects)}.")


def _join_names(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _wrap_line(text: str, indent: str = "") -> list[str]:
    shown = text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"
    return textwrap.wrap(shown, 80, initial_indent=indent, subsequent_indent=indent + "  " * bool(indent))
