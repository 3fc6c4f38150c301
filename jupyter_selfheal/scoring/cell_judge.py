"""A language model asked whether a cell that ran does what words say of it: its specification, the text above it, its docstrings.

Nothing is compared, so it is asked once. A reply that cannot be read says nothing: no cell is changed for it.
"""

from __future__ import annotations

import ast

from jupyter_selfheal import source as src
from jupyter_selfheal.model import BASELINE, JSON, Case, Cost, Trial
from jupyter_selfheal.numbers import read_number
from jupyter_selfheal.ports import CellOpinion, ModelReply
from jupyter_selfheal.scoring.judge import (
    CONTEXT_CHARS,
    OUTPUT_CHARS,
    SOURCE_CHARS,
    describe_run,
    list_needed_cells,
)
from jupyter_selfheal.scoring.model_caller import ModelCaller, parse_first_object

SCHEMA: dict[str, JSON] = {
    "type": "object",
    "properties": {"feedback": {"type": "string"}, "score": {"type": "number"}},
    "required": ["feedback", "score"],
    "additionalProperties": False,
}

WORDS_CHARS = 4_000
"""Characters of what is said of a cell that are sent."""


class ModelCellJudge(ModelCaller):
    """Asks ``config.judge_model`` about one cell."""

    prompt = "cell"
    schema = SCHEMA

    def worst_case(self) -> Cost:
        """The most that one call can cost: every text as long as it can be."""
        return self._price_longest(WORDS_CHARS + CONTEXT_CHARS + SOURCE_CHARS + OUTPUT_CHARS + 500)

    def judge_cell(self, case: Case, trial: Trial | None) -> CellOpinion:
        """What it says of the case's cell, as it ran in the trial, where there is one. Raises :class:`~jupyter_selfheal.errors.ProviderError`."""
        reply, record = self._ask(format_cell(case, trial, self._config.send_values))
        score, reason = _parse_reply(reply)
        return CellOpinion(score, self._redactor.restore(reason), reply.cost, {"calls": [record]})


def format_cell(case: Case, trial: Trial | None, values: bool) -> str:
    """What the judge sees: the words, the cells that the cell depends on, its code, and what it did, where that is known."""
    did = f"# What it did\n{describe_run(case, BASELINE, trial, values)[:OUTPUT_CHARS]}" if trial is not None else ""
    needed = "\n\n".join(f"```python\n{source}\n```" for source in list_needed_cells(case))[:CONTEXT_CHARS]
    return "\n\n".join(
        (
            f"# What it is for\n{case.oracle.spec[:WORDS_CHARS]}",
            *((f"# Cells it depends on\n{needed}",) if needed else ()),
            f"# The cell\n```python\n{case.failure.source[:SOURCE_CHARS]}\n```",
            *((did,) if did else ()),
        )
    )


def list_docstrings(source: str) -> list[str]:
    """The docstrings of a cell's functions and classes."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    texts = (ast.get_docstring(node) for node in src.walk(source) if isinstance(node, kinds))
    return [text for text in texts if text]


def _parse_reply(reply: ModelReply) -> tuple[float | None, str]:
    """The score and the reason; no score where the reply cannot be read."""
    raw = parse_first_object(reply.text) if reply.stop == "end" else None
    if raw is None:
        return None, "the judge's reply could not be read"
    score = read_number(raw.get("score"), 0, 10)
    reason = " ".join(str(raw.get("feedback", "")).split())[:400]
    return (score, reason) if score is not None and reason else (None, "the judge's reply could not be read")
