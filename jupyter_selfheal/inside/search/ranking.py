"""Which plausible candidate is meant: by weight, by what is left unread, by agreement, and what to ask where they differ."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from jupyter_selfheal.inside.positions import splice
from jupyter_selfheal.inside.search import compare_behaviour
from jupyter_selfheal.inside.search.candidates import Candidate
from jupyter_selfheal.inside.search.hypotheses import Hypotheses
from jupyter_selfheal.inside.search.localise_faults import Sight
from jupyter_selfheal.inside.search.process_pool import run_in_fork
from jupyter_selfheal.inside.search.program import CELL, DEFINE
from jupyter_selfheal.inside.search.propose_mutations import find_unread_names
from jupyter_selfheal.inside.search.run_candidate import Runner
from jupyter_selfheal.inside.search.source_text import drop_idle_parentheses

ASKED = 10
"""Patches that a question must tell apart: those that are shown."""
WAIT = 60.0
"""Seconds on the clock after which candidates are compared no longer: their CPU time is limited, and a machine may be busy."""
PLAUSIBLE = 40
"""Plausible candidates that are looked at."""


class Ranking:
    """Plausible candidates, best first, and the question that would tell the first two hypotheses apart."""

    def __init__(self, plausible: Sequence[Candidate], runner: Runner, sight: Sight, seconds: float) -> None:
        self.runner, self.sight, self.seconds = runner, sight, seconds
        self.units = runner.program.units
        for c in plausible:
            c.weight *= self._measure_neglect(c)
        self.candidates = sorted(plausible, key=lambda c: (c.edits, -c.weight, c.size, c.rank))[:PLAUSIBLE]
        self.strange = [0.0] * len(self.candidates)
        self.before: Sequence[str] = ()
        self.function, self.given, self.shown = self._compare_behaviour()
        self.hypotheses = Hypotheses(self.candidates, self.function, self.given, self.shown, self.strange, self.before)

    def _measure_neglect(self, c: Candidate) -> float:
        """Less than 1 where a patch leaves a name unread that was read before: such patches fit tests, not the intent."""
        lost = sum(
            len(find_unread_names(ast.parse(new)) - find_unread_names(ast.parse(self.units[n].text)))
            for n, new in c.texts.items()
        )
        return 0.35**lost

    def _compare_behaviour(self) -> tuple[str, list[tuple[Any, ...]], list[list[str]]]:
        """What each candidate does on generated inputs of the function that most of them change."""
        calls = self.sight.calls
        names = [n for n in calls if callable(self.runner.ns.get(n)) or self._is_defined(n)]
        texts = " ".join(self.units[c.unit].text.split("(")[0] for c in self.candidates[:5])
        names.sort(key=lambda n: f"def {n}" not in texts)
        if names and len(self.candidates) > 1:
            given = compare_behaviour.generate_inputs(calls[names[0]], known=self._list_literals())
            variants = [*(c.codes for c in self.candidates), {}]
            shown = run_in_fork(
                lambda: compare_behaviour.collect_behaviours(self.runner, variants, names[0], given, self.seconds), WAIT
            )
            if isinstance(shown, list):
                expected = compare_behaviour.collect_expected_types(self.runner.program)
                self.strange = [
                    compare_behaviour.measure_strangeness(texts, shown[-1], expected) for texts in shown[:-1]
                ]
                self.before = shown[-1]
                return names[0], given, shown[:-1]
        return "", [], [[] for _ in self.candidates]

    def _list_literals(self) -> list[Any]:
        """Numbers and texts of the changed statements: inputs near them tell changes apart."""
        trees = [ast.parse(text) for c in self.candidates for text in c.texts.values()]
        literals = {repr(n.value): n.value for t in trees for n in ast.walk(t) if isinstance(n, ast.Constant)}
        return [v for v in literals.values() if type(v) in (int, float) or (isinstance(v, str) and len(v) < 40)]

    def _is_defined(self, name: str) -> bool:
        return any(u.role in (DEFINE, CELL) and u.text.startswith(f"def {name}(") for u in self.units)

    def rank(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Patches as data, the best of each hypothesis first, then their look-alikes; with the questions."""
        order = sorted(range(len(self.candidates)), key=self._make_key)
        place = self.hypotheses.place
        first: dict[int, int] = {}
        for n in order:
            first.setdefault(place[n], n)
        leaders = list(first.values())
        order = [*leaders, *(n for n in order if n not in leaders)]
        patches = [self._build_patch(n) for n in order]
        return patches, self._build_questions(order, place)

    def _make_key(self, n: int) -> tuple[float, ...]:
        """One edit before two; then the weight of the whole hypothesis; then the candidate's own, then the shorter edit."""
        c, odd = self.candidates[n], self.strange[n]
        return (c.edits, -self.hypotheses.weigh(n) * (1 - 0.6 * odd), -c.weight, c.size, c.rank)

    def _build_patch(self, n: int) -> dict[str, Any]:
        c, units = self.candidates[n], self.units
        texts = {unit: _drop_parentheses(units[unit].text, new) for unit, new in c.texts.items()}
        return {
            "texts": {str(unit): text for unit, text in texts.items()}, "words": c.words, "unit": c.unit, "line": c.line,
            "weight": round(c.weight, 5), "cluster": self.hypotheses.place[n], "rank": c.rank, "edits": c.edits, "passed": c.result.passed,
            "rival": self.hypotheses.describe_doubt(n),
        }  # fmt: skip

    def _build_questions(self, order: Sequence[int], place: Mapping[int, int]) -> list[dict[str, Any]]:
        """The input whose right value rules out most of what is likely, with the positions of the patches that give each value."""
        if not self.function or not order:
            return []
        likely = [n for n in order if len(self.shown[n]) == len(self.given)][:ASKED]
        inputs = [n for n, _ in enumerate(self.given) if len({self.shown[m][n] for m in likely}) > 1]
        if not inputs:
            return []
        at = min(inputs, key=lambda n: self._rate_input(n, likely))
        answers: dict[str, list[int]] = {}
        for position, m in enumerate(order):
            if at < len(self.shown[m]):
                answers.setdefault(self.shown[m][at], []).append(position)
        return [{"call": compare_behaviour.Input(self.function, self.given[at]).text, "answers": answers}]

    def _rate_input(self, at: int, likely: Sequence[int]) -> tuple[float, int, str]:
        """Less is better: the share of the weight that the likeliest value has (errors count as no answer), then the input's length."""
        shares: dict[str, float] = {}
        for n in likely:
            shares[self.shown[n][at]] = shares.get(self.shown[n][at], 0.0) + self.candidates[n].weight
        whole = sum(shares.values()) or 1.0
        odd = sum(w for value, w in shares.items() if value.startswith("!"))
        text = repr(self.given[at])
        return round(max(shares.values()) / whole + odd / whole, 1), len(text), text


def _drop_parentheses(old: str, new: str) -> str:
    """The new text with idle parentheses of the edit dropped: the differing middle is one edit."""
    if not old.endswith("\n"):
        new = new.rstrip("\n")
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    while end and new[start : len(new) - end].count("(") > new[start : len(new) - end].count(")"):
        end -= 1
    while start and new[start : len(new) - end].count(")") > new[start : len(new) - end].count("("):
        start -= 1
    edit = (start, len(old) - end, new[start : len(new) - end])
    return splice(old, drop_idle_parentheses(old, (edit,)))
