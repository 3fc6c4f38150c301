"""``jupyter selfheal minimize NOTEBOOK``: a small notebook for a bug report, as a file and as text, checked in a clean kernel."""

from __future__ import annotations

import argparse
import json
from contextlib import closing
from pathlib import Path

from jupyter_selfheal import engine
from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.model import JSON, Launch
from jupyter_selfheal.surfaces.minimize.minimizer import Minimizer, Sources, Symptom
from jupyter_selfheal.surfaces.notebook import write
from jupyter_selfheal.surfaces.notebook.kernel_choice import choose_kernel
from jupyter_selfheal.surfaces.notebook.read import Document, read
from jupyter_selfheal.surfaces.words import print_lines


def minimize(options: argparse.Namespace) -> int:
    """Make the notebook small, write and print it. The exit code: 0 where it is written, 1 where the notebook, or the cell that was named, does not fail."""
    document = read(options.notebook)
    spec, note = choose_kernel(options.kernel or document.kernelspec)
    sources = tuple(c.source for c in document.notebook.cells if c.kind == "code" and c.source.strip())
    if options.cell is not None and options.cell > len(sources):
        raise UsageError(f"--cell {options.cell}: {document.path} has {_count_nouns(len(sources), 'code cell')}")
    if note:
        print_lines([f"note: {note}"])
    with closing(engine.open_state(Launch(spec, document.notebook.folder, network=False))) as state:
        minimizer = Minimizer(state, document.notebook.folder, seconds=options.seconds, timeout=options.timeout)
        symptom, failing = (
            minimizer.find_failing(sources)
            if options.cell is None
            else minimizer.find_failure_of(sources[: options.cell])
        )
        if symptom is None:
            runs = "every cell" if options.cell is None else f"cell {options.cell}"
            print_lines([f"{document.path}: {runs} runs; there is nothing to make small"])
            return 1
        minimizer.warm_up(failing, symptom)
        smallest = minimizer.minimise(failing, symptom)
    is_checked = _fails_in_clean_kernel(spec, document, smallest, symptom, options.timeout)
    output: Path = options.output or document.path.with_suffix(".minimal.ipynb")
    write.write_atomically(output, _format_notebook(document, smallest))
    print(format_text(smallest))
    lines = [sum(len(source.splitlines()) for source in cells) for cells in (sources, smallest)]
    checked = "checked in a clean kernel" if is_checked else "in a clean kernel it does not fail so: it hangs on chance"
    print("\n".join(f"# {line}".rstrip() for line in symptom.words.splitlines()))
    was, now = (
        f"{_count_nouns(len(cells), 'cell')} with {_count_nouns(count, 'line')}"
        for cells, count in zip((sources, smallest), lines, strict=True)
    )
    print(f"# {was} → {now}, in {minimizer.trials} trials\n# {checked}\n# written: {output}")
    if minimizer.is_cut_short:
        print(f"# stopped after {options.seconds:g} s, with the smallest so far: give it more by `--seconds`")
    return 0


def _fails_in_clean_kernel(spec: str, document: Document, sources: Sources, symptom: Symptom, timeout: float) -> bool:
    with closing(engine.open_state(Launch(spec, document.notebook.folder, network=False, seed=1))) as state:
        return Minimizer(state, timeout=timeout).find_failing(sources)[0] == symptom


def format_text(sources: Sources) -> str:
    """The cells as one script that editors and jupytext read as a notebook, for a bug report."""
    return "\n\n".join(f"# %%\n{source}" for source in sources)


def _format_notebook(document: Document, sources: Sources) -> str:
    kept = {
        name: document.raw["metadata"][name]
        for name in ("kernelspec", "language_info")
        if name in document.raw["metadata"]
    }
    cells: list[JSON] = [
        {"cell_type": "code", "id": f"cell-{n}", "metadata": {}, "execution_count": None, "outputs": [], "source": source}
        for n, source in enumerate(sources, 1)
    ]  # fmt: skip
    return json.dumps({"cells": cells, "metadata": kept, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


def _count_nouns(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
