"""The examples of docstrings that a trial is held to."""

from __future__ import annotations

import ast
import doctest
from collections.abc import Iterator
from dataclasses import replace
from typing import TypeAlias

from jupyter_selfheal import source as src
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.inside.loader import probe_source
from jupyter_selfheal.model import JSON, Applicability, Case, Cell, Notebook, Patch, Probe, Step, Trial
from jupyter_selfheal.numbers import read_count
from jupyter_selfheal.scoring.asserts import list_patched_cells
from jupyter_selfheal.scoring.documented_handlers import are_handlers_documented
from jupyter_selfheal.scoring.evidence import Count, Evidence
from jupyter_selfheal.source.asserted_results import collect_asserted_results, is_contradicted

DOCTESTS = "doctests"
"""Name of the probe that runs docstring examples."""

DOCTEST_SECONDS = 10.0

Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def list_docstring_examples(case: Case, patch: Patch) -> list[JSON]:
    """Docstrings with examples in the cells concerned, as they were before the patch: {"name", "docstring", "but"}. Of a cell that did not parse
    those that stand in it line by line, for a *safe* patch: it changes nothing but what could not be read.

    ``but`` are the examples that an assert of the notebook contradicts (the same call, another result): documentation grows
    old, and nothing could meet both.
    """
    asserted = _collect_asserted_results(case.notebook)
    is_safe = patch.applicability is Applicability.SAFE
    found: list[JSON] = []
    for _, before, after in list_patched_cells(case, patch):
        if src.parse(before) is not None:
            found += [example for _, example in _list_examples(before, asserted)]
        elif is_safe:
            lines = _list_lines(before)
            examples = (example for _, example in _list_examples(after, asserted))
            found += [e for e in examples if lines.issuperset(_list_lines(e["docstring"]))]
    return found


def _list_lines(text: str) -> set[str]:
    """Lines without their indentation, and without the quotes of a docstring."""
    return {line.strip().strip("\"'") for line in text.splitlines()} | {""}


def list_examples_of_cell(cell: Cell, notebook: Notebook) -> list[tuple[Definition, JSON]]:
    """The definitions of a cell whose docstrings have examples, with those: {"name", "docstring", "but"}."""
    return list(_list_examples(cell.source, _collect_asserted_results(notebook)))


def _list_examples(source: str, asserted: dict[str, object]) -> Iterator[tuple[Definition, JSON]]:
    for node in src.walk(source):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            text = ast.get_docstring(node) or ""
            if ">>>" in text:
                yield node, {"name": node.name, "docstring": text, "but": _list_contradicted(text, asserted)}


def _collect_asserted_results(notebook: Notebook) -> dict[str, object]:
    return collect_asserted_results(c.source for c in notebook.cells if c.kind == "code")


def list_example_calls(docstring: str) -> list[str]:
    """What the examples of a docstring ask, as :func:`src.dump_tree` writes it."""
    try:
        trees = [src.parse(e.source) for e in doctest.DocTestParser().get_examples(docstring)]
    except ValueError:
        return []
    return [src.dump_tree(t.body[0].value) for t in trees if t is not None and isinstance(t.body[0], ast.Expr)]


def _list_contradicted(docstring: str, asserted: dict[str, object]) -> list[JSON]:
    try:
        examples = doctest.DocTestParser().get_examples(docstring)
    except ValueError:  # inconsistent indentation: the probe says so
        return []
    return [e.source.strip() for e in examples if is_contradicted(e.source, e.want, asserted)]


class Doctests:
    """The oracle of docstring examples, as they were before the patch."""

    def list_steps(self, case: Case, patch: Patch, config: HealConfig) -> Iterator[Step]:
        examples = list_docstring_examples(case, patch)
        if examples and are_handlers_documented(case, patch):
            examples = [{**example, "was": _find_definition(case, patch, example["name"])} for example in examples]
        if examples:
            yield Probe(probe_source("probes.doctests"), examples, name=DOCTESTS, timeout=DOCTEST_SECONDS)

    def add_evidence(self, evidence: Evidence, case: Case, patch: Patch, trial: Trial) -> Evidence:
        value = trial.probe(DOCTESTS)
        counted = count_examples(value)
        if counted is None or not isinstance(value, dict):
            return evidence
        if (
            counted.held < counted.asked
            and src.parse(case.failure.source) is None
            and not src.is_foreign(case.failure.source)
        ):
            return evidence  # what could not be read is mended all the same: the examples have said nothing of it yet
        is_mended = bool(value.get("mended")) and counted.held == counted.asked
        return replace(evidence, doctests=counted, example_mended=is_mended)


def count_examples(value: JSON) -> Count | None:
    """How many examples a probe of doctests ran, and how many held; None where it gave no answer."""
    if not isinstance(value, dict):
        return None
    tried, failed = read_count(value.get("tried")) or 0, read_count(value.get("failed")) or 0
    return Count(tried, max(tried - failed, 0), str(value.get("why", "")))


def _find_definition(case: Case, patch: Patch, name: str) -> str:
    """A function's definition before the patch."""
    nodes = (node for _, before, _ in list_patched_cells(case, patch) for node in src.walk(before))
    return next((ast.unparse(n) for n in nodes if isinstance(n, ast.FunctionDef) and n.name == name), "")
