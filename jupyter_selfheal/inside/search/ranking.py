"""Which plausible candidate is meant: by weight, by what is left unread, by agreement, and what to ask where they differ."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Collection, Sequence
from types import CodeType
from typing import Any

from jupyter_selfheal.inside.positions import splice
from jupyter_selfheal.inside.search import compare_behaviour, generate_inputs, strange_results
from jupyter_selfheal.inside.search.called_functions import Defined, find_callable, is_one_of, list_changed_functions
from jupyter_selfheal.inside.search.candidates import Candidate
from jupyter_selfheal.inside.search.compare_behaviour import Input
from jupyter_selfheal.inside.search.confined_forks import run_in_fork
from jupyter_selfheal.inside.search.doubts import Doubts
from jupyter_selfheal.inside.search.hypotheses import Behaviour, Checks, Hypotheses
from jupyter_selfheal.inside.search.input_domain import (
    conform_inputs,
    infer_domain,
    list_covered,
    list_properties,
    shrink_input,
)
from jupyter_selfheal.inside.search.localise_faults import Sight
from jupyter_selfheal.inside.search.lost_names import list_recursive
from jupyter_selfheal.inside.search.measuring_functions import ASIDE, find_measures
from jupyter_selfheal.inside.search.needless_places import weigh_needless_places
from jupyter_selfheal.inside.search.odd_values import describe_nothing
from jupyter_selfheal.inside.search.oracle_strength import Mutants, measure_strength
from jupyter_selfheal.inside.search.parsed_once import parse_once
from jupyter_selfheal.inside.search.program import (
    CELL,
    CHECK,
    DEFINE,
    count_idle_checks,
)
from jupyter_selfheal.inside.search.propose_mutations import find_unread_names
from jupyter_selfheal.inside.search.reaching_checks import count_reaching
from jupyter_selfheal.inside.search.source_text import drop_idle_parentheses
from jupyter_selfheal.inside.search.vary_checks import Variation, make_variations, run_variations
from jupyter_selfheal.inside.tree_names import walk

ASKED = 10
"""Patches that a question must tell apart: those that are shown."""
LATER = "others come before it"
"""What is said against those that are not shown: nobody asks what else there is."""
SHRINKING = 2_000_000
"""Steps for making a telling input shorter."""
WAIT = 60.0
"""Seconds on the clock after which candidates are compared no longer: their CPU time is limited, and a machine may be busy."""
_WORD = re.compile(r"\w+")
_WHOLE = re.compile(r"(?<![\w.])(\d+)\.0(?![\w.])")
_HOLDS = re.compile(r"^\s+(async )?def __init__\(|^@dataclass|^@dataclasses\.", re.MULTILINE)
"""A class whose instances hold what they were made with."""
FITTED = 0.45
"""What the weight of a number in place of another counts for its place, where a single check of one or two values decides and names it:
some number meets any such check."""
LEFT_OUT = 0.35
"""What remains of a patch's weight for each name that it leaves unread, and each variable of the notebook that it still reads in place of what a function is given."""
PLAUSIBLE = 40
"""Plausible candidates that are looked at."""


class Ranking:
    """Plausible candidates, best first, and the question that would tell the first two hypotheses apart."""

    def __init__(
        self,
        plausible: Sequence[Candidate],
        sight: Sight,
        steps: int,
        mutants: Mutants,
        rushed: str = "",
    ) -> None:
        self.mutants, self.sight, self.steps = mutants, sight, steps
        self.runner, runner, maker = mutants.runner, mutants.runner, mutants.maker
        self.units = runner.program.units
        measures = find_measures(self.units)
        outside = maker.count_outside_reads({})
        for c in plausible:
            c.weight *= self._measure_neglect(c) * (ASIDE if c.texts.keys() <= measures.keys() else 1)
        if outside and (left := [maker.count_outside_reads(c.texts) for c in plausible]):
            for c, count in zip(plausible, left, strict=True):
                c.weight *= LEFT_OUT ** (count - min(left))
        weigh_needless_places(plausible)
        found = [c for c in plausible if not c.follows]
        self.candidates = sorted(found, key=lambda c: (c.edits, -c.weight, c.size, c.rank))[:PLAUSIBLE]
        self.candidates += [c for c in plausible if c.follows]
        self.leaders: list[Candidate] = []
        self.strange = [0.0] * len(self.candidates)
        self.before: Sequence[str] = ()
        self.domain: frozenset[tuple[int, str]] = frozenset()
        self.inputs, self.shown = self._compare_behaviour()
        self._note_nothing()
        idle, failing = count_idle_checks(runner.program), sight.result.failed
        behaviour = Behaviour(self.inputs, self.shown, self.strange, self.before)
        checks = Checks(idle, failing, runner.program.crashed, self._count_reaching)
        self.hypotheses = Hypotheses(self.candidates, behaviour, checks)
        self.doubts = Doubts(self.candidates, self.hypotheses, runner, sight, maker, self.domain, rushed)

    def _count_reaching(self, n: int) -> int:
        """The checks that come to what a candidate changes; 0 where that could not be seen."""
        c = self.candidates[n]
        count = run_in_fork(lambda: count_reaching(self.runner, self.sight, self.units, c.texts, c.codes), WAIT)
        return count if isinstance(count, int) else 0

    def _measure_neglect(self, c: Candidate) -> float:
        """Less than 1 where a patch leaves a name unread that was read before, or a function that called itself no longer does:
        such patches fit tests, not the intent."""
        lost = 0
        for n, new in c.texts.items():
            (unread_before, recursive_before), (unread, recursive) = map(_read_names, (self.units[n].text, new))
            lost += len(unread - unread_before) + len(recursive_before - recursive)
        return LEFT_OUT**lost

    def _compare_behaviour(self) -> tuple[list[Input | Variation], list[list[str]]]:
        """What each candidate does on generated inputs of the function that most of them change, and, where those do not reach
        every change, with other values in the checks. The program as it was comes into ``before``."""
        nothing: list[list[str]] = [[] for _ in self.candidates]
        if len(self.candidates) < 2:
            return [], nothing
        function, given = self.calls
        changed = {n for c in self.candidates for n in c.texts}
        varied = [] if self._is_reached() else make_variations(self.runner.program, changed)
        variants = [*(c.codes for c in self.candidates), {}]

        def compare() -> list[list[str]]:
            called = compare_behaviour.collect_behaviours(self.runner, variants, function, given, self.steps)
            return [
                a + b for a, b in zip(called, run_variations(self.runner, variants, varied, self.steps), strict=True)
            ]

        shown = run_in_fork(compare, WAIT) if given or varied else None
        if not isinstance(shown, list):
            return [], nothing
        compare_behaviour.unify_rounding(shown)
        self.before = shown[-1]
        self._measure_strangeness(shown, len(given))
        checked = self.sight.checked.get(function, [])
        self.domain = infer_domain(checked)
        inputs = (
            Input(function, g, self.domain <= list_properties(g), is_covered, g in checked)
            for g, is_covered in zip(given, list_covered(given, checked), strict=True)
        )
        return [*inputs, *varied], shown[:-1]

    @functools.cached_property
    def calls(self) -> tuple[str, list[tuple[Any, ...]]]:
        """The function that is called with generated arguments, and these."""
        function = self._choose_function()
        calls = self.sight.calls.get(function, [])
        given = generate_inputs.generate_inputs(calls, known=self._list_literals())
        return function, conform_inputs(given, self.sight.checked.get(function, []))

    def _choose_function(self) -> str:
        """The function that is called with generated inputs: of those called with plain data one that the likeliest candidates change."""
        calls = self.sight.calls
        tests = " ".join(u.text for u in self.units if u.tests)
        names = [
            n
            for n in calls
            if calls[n] and f"def {n}(" not in tests and (find_callable(self.runner.ns, n) or self._is_defined(n))
        ]
        changed = [self._list_changed(c) for c in self.candidates[:5]]
        return min(names, key=lambda n: not any(is_one_of(n, functions) for functions in changed), default="")

    def _list_changed(self, c: Candidate) -> list[Defined]:
        """The functions that a candidate changes, each with its class."""
        return [f for n, text in c.texts.items() for f in list_changed_functions(self.units[n].text, text)]

    def _is_reached(self) -> bool:
        """Whether every changed function was called with plain data, and nothing else is changed. Of a class that holds something, calls
        of fresh instances do not tell all: what one method leaves another one finds."""
        plain = [name for name, calls in self.sight.calls.items() if calls]
        if any(_HOLDS.search(self.units[n].text) for c in self.candidates for n in c.texts):
            return False
        changed = [self._list_changed(c) for c in self.candidates]
        return all(functions and all(any(is_one_of(p, [f]) for p in plain) for f in functions) for functions in changed)

    def _measure_strangeness(self, shown: Sequence[Sequence[str]], calls: int) -> None:
        """How odd what each candidate gives is, by the ``calls`` that come first, else by the varied checks."""
        expected = strange_results.collect_expected_types(self.runner.program) if calls else frozenset[str]()
        end = calls or len(shown[-1])
        self.strange = [
            strange_results.measure_strangeness(texts[:end], shown[-1][:end], expected) for texts in shown[:-1]
        ]

    def _note_nothing(self) -> None:
        """What gives nothing for a usual input, where each check expects something, is as odd as can be: it is left unfinished there."""
        types = strange_results.collect_expected_types(self.runner.program)
        for n, shown in enumerate(self.shown):
            if describe_nothing(self.inputs, shown, self.sight.checked, bool(self.domain), types):
                self.strange[n] = max(self.strange[n], 1.0)

    def _list_literals(self) -> list[Any]:
        """Numbers and texts of the changed statements: inputs near them tell changes apart."""
        trees = [parse_once(text) for c in self.candidates for text in c.texts.values()]
        literals = {repr(n.value): n.value for t in trees for n in walk(t) if isinstance(n, ast.Constant)}
        return [v for v in literals.values() if type(v) in (int, float) or (isinstance(v, str) and len(v) < 40)]

    def _is_defined(self, name: str) -> bool:
        return any(u.role in (DEFINE, CELL) and u.text.startswith(f"def {name}(") for u in self.units)

    def rank(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Patches as data, the best of each hypothesis first, then their look-alikes; with the questions."""
        order = sorted(range(len(self.candidates)), key=self._make_key)
        place = self.hypotheses.place
        first: dict[int, int] = {}
        for n in order:
            first.setdefault(len(place) + n if self.candidates[n].follows else place[n], n)
        leaders = list(first.values())
        self.leaders = [self.candidates[n] for n in leaders]
        order = [*leaders, *(n for n in order if n not in leaders)]
        if order and self.hypotheses.is_weakly_proven(order[0]):
            strength = measure_strength(self.candidates[order[0]], self.mutants, *self.calls)
            self.hypotheses.share_missed = strength.share_missed if strength else 0.0
        telling = self._find_shortest_input(order[0]) if order else None
        patches = [self._build_patch(n, is_shown=place < ASKED) for place, n in enumerate(order)]
        return patches, self._build_questions(order, telling)

    def _find_shortest_input(self, best: int) -> int | None:
        """The shortest call that tells the best candidate from its strongest rival, where both give a value; it is added to the inputs."""
        rival = self.hypotheses.find_strongest_rival(best)
        at = self.hypotheses.find_telling_input(best, rival) if rival != best else None
        given = self.inputs[at] if at is not None else None
        if at is None or not isinstance(given, Input) or any(self.shown[n][at][0] == "!" for n in (best, rival)):
            return at
        shrunk = run_in_fork(lambda: self._shrink_call(given, best, rival), WAIT)
        if isinstance(shrunk, list):
            arguments = ast.literal_eval(shrunk[0])
            self.inputs.append(Input(given.function, arguments, given.is_usual))
            for shown, new in zip(self.shown, shrunk[1], strict=True):
                shown.append(new)
            return len(self.inputs) - 1
        return at

    def _shrink_call(self, given: Input, best: int, rival: int) -> list[Any] | None:
        """A shorter call that still tells two candidates apart, as text, with what each candidate gives; None where there is none."""
        variants = [c.codes for c in self.candidates]
        end = self.runner.counter.total + SHRINKING

        def show(chosen: Sequence[dict[int, CodeType]], arguments: tuple[Any, ...]) -> list[str]:
            shown = compare_behaviour.collect_behaviours(self.runner, chosen, given.function, [arguments], self.steps)
            return [texts[0] if texts else compare_behaviour.LATE for texts in shown]

        def is_telling(arguments: tuple[Any, ...]) -> bool:
            if self.runner.counter.total > end:
                return False
            a, b = show([variants[best], variants[rival]], arguments)
            is_usual = not given.is_usual or self.domain <= list_properties(arguments)
            return is_usual and a[0] != "!" and b[0] != "!" and a != b

        shorter = shrink_input(given.arguments, is_telling)
        is_plain = shorter != given.arguments and ast.literal_eval(repr(shorter)) == shorter
        return [repr(shorter), show(variants, shorter)] if is_plain else None

    def _make_key(self, n: int) -> tuple[float, ...]:
        """One edit before two; then the weight of the whole hypothesis; then the candidate's own, then the shorter edit. A number that
        the one check names, and all that does the same, comes after what is no such number, and as likely; so does what only moves
        every result by one number."""
        c, odd = self.candidates[n], self.strange[n]
        if c.follows:
            return (*self._make_key(self.candidates.index(c.follows))[:-1], c.rank + c.shift, -c.weight)
        group = self.hypotheses.groups[self.hypotheses.place[n]]
        likeliest = max(group, key=lambda m: self.candidates[m].weight)
        is_named = bool(self.doubts.describe_number(likeliest)) and self._is_named_by_check(likeliest)
        fitted = FITTED if is_named or self.doubts.describe_shift(likeliest) else 1.0
        odd = 1.0 if self.hypotheses.find_covered_endless(n) else odd
        weight = self.hypotheses.weigh(n) * (1 - 0.6 * odd) * fitted
        return (c.edits, -round(weight, 6), -c.weight * fitted, c.size, c.rank)

    def _is_named_by_check(self, n: int) -> bool:
        """Whether a candidate's new text stands in a check as it is."""
        words = {word for u in self.units if u.role == CHECK or u.tests for word in _WORD.findall(u.text)}
        return any(new.strip(" ()") in words for edits in self.candidates[n].spliced.values() for _, _, new in edits)

    def _build_patch(self, n: int, is_shown: bool) -> dict[str, Any]:
        c, units = self.candidates[n], self.units
        texts = {unit: _drop_parentheses(units[unit].text, new) for unit, new in c.texts.items()}
        likeliest = min(self.hypotheses.groups[self.hypotheses.place[n]], key=self._make_key)
        return {
            "texts": {str(unit): text for unit, text in texts.items()}, "words": c.words, "unit": c.unit, "line": c.line,
            "weight": round(c.weight, 5), "cluster": len(self.candidates) + n if c.follows else self.hypotheses.place[n], "rank": c.rank, "edits": c.edits, "passed": c.result.passed,
            "rival": (c.doubt or self.doubts.describe(n, likeliest)) if is_shown else LATER,
        }  # fmt: skip

    def _build_questions(self, order: Sequence[int], telling: int | None) -> list[dict[str, Any]]:
        """The call to ask about, with the positions of the patches that give each value: ``telling``, else the one whose right value
        rules out most of what is likely."""
        likely = [n for n in order if len(self.shown[n]) == len(self.inputs)][:ASKED]
        inputs = [
            n
            for n, i in enumerate(self.inputs)
            if i.is_call and _can_ask({_name_answer(self.shown[m][n]) for m in likely})
        ]
        if not inputs:
            return []
        at = telling if telling in inputs else min(inputs, key=lambda n: self._rate_input(n, likely))
        answers: dict[str, tuple[str, list[int]]] = {}
        for position, m in enumerate(order):
            if at < len(self.shown[m]):
                shown = self.shown[m][at]
                answers.setdefault(_name_answer(shown), (shown, []))[1].append(position)
        return [{"call": self.inputs[at].text, "answers": dict(answers.values())}]

    def _rate_input(self, at: int, likely: Sequence[int]) -> tuple[float, int, str]:
        """Less is better: the share of the weight that the likeliest value has (errors count as no answer), then the input's length."""
        shares: dict[str, float] = {}
        for n in likely:
            answer = _name_answer(self.shown[n][at])
            shares[answer] = shares.get(answer, 0.0) + self.candidates[n].weight
        whole = sum(shares.values()) or 1.0
        odd = sum(w for value, w in shares.items() if value.startswith("!"))
        text = self.inputs[at].text
        return round(max(shares.values()) / whole + odd / whole, 1), len(text), text


@functools.lru_cache(maxsize=256)
def _read_names(text: str) -> tuple[set[str], set[str]]:
    """The names that a text binds and never reads, and its functions that call themselves."""
    tree = parse_once(text)
    return find_unread_names(tree), list_recursive(tree)


def _name_answer(shown: str) -> str:
    """What a result is as an answer to a question: `0`, `0.0` and `False` are one, as nobody can say which of them is right."""
    if shown in ("False", "True"):
        return str(int(shown == "True"))
    return shown if "'" in shown or '"' in shown else _WHOLE.sub(r"\1", shown)


def _can_ask(shown: Collection[str]) -> bool:
    """Whether somebody can say which of these is right: they differ, and none is an object that only its address tells."""
    return len(shown) > 1 and not any(text.startswith(("<", compare_behaviour.FUNCTION)) for text in shown)


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
