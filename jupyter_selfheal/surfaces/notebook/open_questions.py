"""The questions that a batch run leaves open: what each is called, and what an answer to it says as an expectation of its cell.

The id of a question is ``notebook#cell:what``, the same in every run: what is asked about is the value of an expression after the cell
(``mean([-1])``, ``total``), ``result``, the cell's last value, ``printed`` and ``printed line 2``, what it prints, or ``choice``, which of
the fixes is meant where no value of the cell tells them apart.
"""

from __future__ import annotations

import ast
import builtins
import json
import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from jupyter_selfheal import source as src
from jupyter_selfheal.model import JSON, Oracle, Question
from jupyter_selfheal.surfaces.notebook.records import NotebookReport, Record

RESULT, PRINTED, CHOICE = "result", "printed", "choice"
_LINE = re.compile(r"printed line (\d+)")
_ERROR = re.compile(r"an error \((\w+)\)")


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question of a run: its id, the number of its cell, and the value that each offered answer gives."""

    id: str
    cell: int
    text: str
    values: tuple[str, ...]
    what: str

    @property
    def lines(self) -> tuple[str, ...]:
        """For each value what can be put into the notebook: a ``%%heal`` line, or a cell's metadata where that is no single line;
        empty for a value that cannot be written down."""
        return tuple(
            format_expectation(oracle) if oracle else "" for oracle in map(self._build_expectation, self.values)
        )

    def _build_expectation(self, value: str) -> Oracle | None:
        return build_expectation(self.what, value)


def list_open_questions(report: NotebookReport) -> tuple[OpenQuestion, ...]:
    """Every question of a notebook that can be answered in a file, in the order of its cells."""
    return tuple(q for record in report.records for q in _list_of_record(record, report.path))


def _list_of_record(record: Record, path: str) -> Iterator[OpenQuestion]:
    for question in record.questions:
        what = describe_subject(question)
        if what:
            name = f"{path}#{record.cell.id}:{what}"
            yield OpenQuestion(name, record.number, question.text, tuple(question.answers), what)


def describe_subject(question: Question) -> str:
    """What the question is about, as it stands in its id; empty where no expectation can say it, and fixes do not wait for it."""
    if question.kind == "value":
        is_taken = question.subject in (RESULT, PRINTED, CHOICE)
        return f"({question.subject})" if is_taken else question.subject
    if question.kind == "printed":
        line = re.search(r"\(line (\d+)\)", question.text)
        return f"{PRINTED} line {line[1]}" if line else PRINTED
    if question.kind == "result":
        return RESULT
    return CHOICE if question.blocks else ""


def build_expectation(what: str, value: str) -> Oracle | None:
    """What a cell must do if ``value`` is the answer; None where the two cannot be read, and for a choice, which is about the fixes."""
    if what == CHOICE:
        return None
    if what == PRINTED or _LINE.fullmatch(what):
        return Oracle(stdout=f"/^{re.escape(value)}$/" if what != PRINTED or "\n" in value else value)
    error = _ERROR.fullmatch(value)
    if error and what != RESULT:
        return Oracle(checks=(_expect_error(what, error[1]),)) if _is_expression(what) else None
    if not _is_expression(value):
        return None
    if what == RESULT:
        return Oracle(expect=value)
    if not _is_expression(what):
        return None
    is_shown = any(_is_only_shown(n) for n in ast.walk(src.parse_expression(value)))
    return Oracle(checks=(f"assert repr({what}) == {value!r}" if is_shown else f"assert {what} == {value}",))


def _is_only_shown(node: ast.AST) -> bool:
    """Of ``array([1, 2])``, ``datetime.date(2024, 3, 1)`` and ``nan``: what a notebook need not have under this name, and what is not compared as a whole."""
    if isinstance(node, ast.Call):
        name = ast.unparse(node.func)
        return name.startswith("datetime.") or (isinstance(node.func, ast.Name) and not hasattr(builtins, name))
    return isinstance(node, ast.Name) and node.id in ("nan", "inf")


def _expect_error(what: str, name: str) -> str:
    return f"try:\n    {what}\nexcept {name}:\n    pass\nelse:\n    raise AssertionError('no {name}')"


def _is_expression(text: str) -> bool:
    if "\n" in text or not text.strip():
        return False
    try:
        tree = src.parse_expression(text)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return not isinstance(tree, ast.NamedExpr | ast.Yield | ast.Await)


def format_expectation(oracle: Oracle) -> str:
    """``%%heal --expect 3``; as metadata of the cell where one line cannot say it."""
    options = [("--expect", oracle.expect), ("--stdout", oracle.stdout), *(("--check", c) for c in oracle.checks)]
    given = [(name, text) for name, text in options if text]
    if any("\n" in text for _, text in given):
        keys = {"expect": oracle.expect, "stdout": oracle.stdout, "check": list(oracle.checks)}
        return json.dumps({"selfheal": {k: v for k, v in keys.items() if v}}, ensure_ascii=False)
    return "%%heal " + " ".join(f"{name} {shlex.quote(text)}" for name, text in given)


def questions_to_json(questions: Iterable[OpenQuestion]) -> list[JSON]:
    """One object a question; each answer with what says it in the notebook."""
    return [
        {
            "id": q.id,
            "cell": q.cell,
            "text": q.text,
            "answers": [{"value": value, "line": line} for value, line in zip(q.values, q.lines, strict=True)],
        }
        for q in questions
    ]
