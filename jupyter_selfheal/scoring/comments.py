"""The results that comments tell of the calls of a cell, as an oracle."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import replace

from jupyter_selfheal import source as src
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.inside.loader import probe_source
from jupyter_selfheal.model import Case, Cell, Patch, Probe, Step, Trial
from jupyter_selfheal.scoring.asserts import list_patched_cells
from jupyter_selfheal.scoring.docstrings import DOCTEST_SECONDS, count_examples
from jupyter_selfheal.scoring.evidence import Evidence, Finding
from jupyter_selfheal.source.commented_results import CommentedResult, list_commented_results

COMMENTS = "comments"
"""Name of the probe that runs what comments tell of."""


def list_results_asked(case: Case, patch: Patch) -> list[CommentedResult]:
    """What comments of the patched cells said before the patch of functions that these cells define."""
    cells = list_patched_cells(case, patch)
    defined = {n.name for _, _, after in cells for n in src.walk(after) if isinstance(n, ast.FunctionDef)}
    found = (_list_results_of(case, cell_id, before) for cell_id, before, _ in cells)
    return [result for results in found for result in results if result.function in defined]


def _list_results_of(case: Case, cell_id: str, before: str) -> Sequence[CommentedResult]:
    """What comments of one cell tell, as it was before a patch."""
    above = (
        [cell.source for cell in case.notebook.list_code_before(cell_id)] if case.notebook.index(cell_id) >= 0 else []
    )
    return list_commented_results(_find_cell(case, cell_id, before), above)


def _find_cell(case: Case, cell_id: str, before: str) -> Cell:
    """A cell as it ran, with what is stored of its outputs; without any where the patch makes it."""
    return (
        replace(case.notebook.cell(cell_id), source=before)
        if case.notebook.index(cell_id) >= 0
        else Cell(cell_id, before)
    )


class CommentedResults:
    """The oracle of results that comments tell."""

    def list_steps(self, case: Case, patch: Patch, config: HealConfig) -> Iterable[Step]:
        if results := list_results_asked(case, patch):
            text = "\n".join(f">>> {r.example}\n{r.result_text}" for r in results)
            entry = {"name": COMMENTS, "docstring": text, "but": []}
            yield Probe(probe_source("probes.doctests"), [entry], name=COMMENTS, timeout=DOCTEST_SECONDS)

    def add_evidence(self, evidence: Evidence, case: Case, patch: Patch, trial: Trial) -> Evidence:
        counted = count_examples(trial.probe(COMMENTS))
        if counted is None:
            return evidence
        if not counted.held and not any(result.told for result in list_results_asked(case, patch)):
            return evidence  # literals that no word calls results, and that are none
        finding = Finding("results that comments tell", counted.asked, counted.held, counted.why, weight=8.6)
        return replace(evidence, findings=(*evidence.findings, finding))
