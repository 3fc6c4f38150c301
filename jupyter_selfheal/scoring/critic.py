"""A language model as the critic: what could go wrong with a patch, in one line, before it is run.

One cheap call for up to three patches, with the judge's model. It changes no score: its line is shown beside the diff, and
to the user who is asked whether a patch may be tried at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jupyter_selfheal.inside.difference import cut_text
from jupyter_selfheal.model import JSON, Case, Cost, Patch, diff_patch, format_diff
from jupyter_selfheal.ports import ModelReply, Redacts
from jupyter_selfheal.scoring.judge import CONTEXT_CHARS, SOURCE_CHARS, format_context
from jupyter_selfheal.scoring.model_caller import ModelCaller, parse_first_object

AT_MOST = 3
"""Patches of one call."""

DIFF_CHARS, LINE_CHARS = 2_000, 200
TOKENS = 300
"""Characters of a patch's diff and of a risk, and tokens of a reply."""

SECONDS = 20.0
"""How long a trial waits for the critic."""

SCHEMA: dict[str, JSON] = {
    "type": "object",
    "properties": {
        "risks": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"patch": {"type": "string"}, "risk": {"type": "string"}},
                "required": ["patch", "risk"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["risks"],
    "additionalProperties": False,
}


class ModelCritic(ModelCaller):
    """Asks ``config.judge_model``."""

    prompt = purpose = "critic"
    schema = SCHEMA
    tokens = TOKENS
    seconds = SECONDS

    def worst_case(self, case: Case) -> Cost:
        """See :class:`~jupyter_selfheal.ports.Critic`: every text as long as it can be."""
        return self._price_longest(CONTEXT_CHARS + SOURCE_CHARS + AT_MOST * (DIFF_CHARS + 500))

    def ask_risks(
        self, case: Case, patches: Sequence[tuple[Patch, Sequence[str]]]
    ) -> tuple[Mapping[str, str], Cost, JSON]:
        """See :class:`~jupyter_selfheal.ports.Critic`. A reply that cannot be read says nothing, and is paid."""
        if self._config.offline or not patches:
            return {}, Cost(), None
        chosen = patches[:AT_MOST]
        shown = (_format_patch(f"P{n}", case, patch, adds) for n, (patch, adds) in enumerate(chosen, 1))
        failing = f"The failing cell:\n```python\n{case.failure.source[:SOURCE_CHARS]}\n```"
        reply, record = self._ask("\n\n".join((format_context(case), failing, *shown)))
        lines = _parse_risks(reply, self._redactor)
        risks = {patch.id: lines[f"P{n}"] for n, (patch, _) in enumerate(chosen, 1) if lines.get(f"P{n}")}
        return risks, reply.cost, {"calls": [record]}


def _parse_risks(reply: ModelReply, redactor: Redacts) -> dict[str, str]:
    """What a reply says of each patch, on one line. Secrets are not put back: the line is for the eye."""
    raw = parse_first_object(reply.text) if reply.stop == "end" else None
    entries = raw.get("risks") if raw is not None else None
    risks: dict[str, str] = {}
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get("risk"), str):
            line = " ".join(redactor.redact(redactor.restore(entry["risk"])).split())
            risks[str(entry.get("patch"))] = cut_text(line, LINE_CHARS)
    return risks


def _format_patch(name: str, case: Case, patch: Patch, adds: Sequence[str]) -> str:
    says = f"\nIt can do what the cells could not: {', '.join(adds)}." if adds else ""
    text = format_diff(diff_patch(patch, lambda cell_id: f"cell {_format_cell_number(case, cell_id)}"))
    return f"# Patch {name}{says}\n```diff\n{text[:DIFF_CHARS]}\n```"


def _format_cell_number(case: Case, cell_id: str) -> str:
    at = case.notebook.index(cell_id)
    return str(at + 1) if at >= 0 else "?"
