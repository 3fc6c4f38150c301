"""REV301: an example in a docstring does not give what it says."""

from __future__ import annotations

import ast
import doctest
import re
from collections.abc import Iterator

from jupyter_selfheal.inside.difference import cut_text
from jupyter_selfheal.model import Doubt
from jupyter_selfheal.scoring.docstrings import list_examples_of_cell
from jupyter_selfheal.scoring.review.context import Check, ReviewedCell
from jupyter_selfheal.source.chance import find_chance

_ILLUSTRATES = re.compile(r"(?m)^\s*(NameError|ModuleNotFoundError|ImportError|FileNotFoundError): ")
"""Errors of an example that is there to be read: it names what the notebook does not have."""

SHOWN = 90
"""Characters that are shown of an example, and of what it gives."""


class DocstringExamples(Check):
    """A docstring's example gives another result than it says.

    **Doubt** An example (`>>> f(2)`) of a function or class of the cell is run after the cell and after the notebook, and both times
    gives something else than the docstring says.

    **Silent** On examples that an assert of the notebook contradicts, on ones that lack a name, a module or a file, as an example that
    only illustrates does, on `# doctest: +SKIP`, where the text differs in form alone, and in cells that draw on chance.

    **What to do** Mend the function, or the example.
    """

    code = "REV301"
    name = "failing example of a docstring"
    must_last = True

    def review_cell(self, cell: ReviewedCell) -> Iterator[Doubt]:
        above = [c.source for c in cell.notebook.list_code_before(cell.cell.id)]
        if ">>>" not in cell.cell.source or find_chance(cell.cell.source, above).sources:
            return
        for definition, example in list_examples_of_cell(cell.cell, cell.notebook):
            if definition.name in cell.rebound:
                continue
            answer = cell.ask_doctests([example])
            if isinstance(answer, dict) and answer.get("failed") and not _ILLUSTRATES.search(str(answer.get("why"))):
                yield cell.build_doubt(
                    self.code, definition, *_describe_example(definition, str(answer.get("why", "")))
                )


def _describe_example(definition: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, why: str) -> tuple[str, str]:
    """What is said of the first failure of doctest's report: the example, what it says, what came."""
    parts = {"Failed example:": "", "Expected:": "", "Got:": ""}
    current = ""
    for line in why.splitlines():
        if line.strip() in parts:
            current = line.strip()
        elif line.startswith("Exception raised"):
            current = ""
            parts["Got:"] = "an error: " + why.strip().splitlines()[-1].strip()
        elif current:
            parts[current] = f"{parts[current]} {line.strip()}".strip()
    example, expected, got = parts.values()
    expected = expected or _find_expected(definition, example)  # of an example that raises the report does not say it
    said, wanted, came = (cut_text(text or "nothing", SHOWN) for text in (example, expected, got))
    what = f"The docstring of `{definition.name}` says that `{said}` gives {wanted}; it gives {came}."
    return what, "Mend the function, or the example."


def _find_expected(definition: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, example: str) -> str:
    """What the docstring says that an example gives, on one line; empty where it says nothing."""
    examples = doctest.DocTestParser().get_examples(ast.get_docstring(definition) or "")
    wanted = (e.want for e in examples if " ".join(e.source.split()) == " ".join(example.split()))
    return " ".join(next(wanted, "").split())
