"""What speaks against a plausible candidate, in words: by what it gives, what it reads, and how little decides about it."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable, Collection, Sequence
from types import CodeType
from typing import Any

from jupyter_selfheal.inside.search import compare_behaviour
from jupyter_selfheal.inside.search.argument_literals import describe_doubt_of_literal
from jupyter_selfheal.inside.search.candidates import Candidate, Maker
from jupyter_selfheal.inside.search.compare_behaviour import Input
from jupyter_selfheal.inside.search.empty_inputs import (
    asks_for_empty,
    asks_for_item,
    describe_failure_when_empty,
    list_empty_inputs,
)
from jupyter_selfheal.inside.search.first_or_last import finds_two, list_kept
from jupyter_selfheal.inside.search.given_back import find_given_back
from jupyter_selfheal.inside.search.hypotheses import Hypotheses
from jupyter_selfheal.inside.search.idle_conditions import SEVERAL_TIMES, change_condition, list_outcomes
from jupyter_selfheal.inside.search.idle_loops import find_fewer_rounds, find_idle_loop
from jupyter_selfheal.inside.search.localise_faults import Sight, list_ran_lines
from jupyter_selfheal.inside.search.lost_names import (
    find_counted_name,
    find_doubled_name,
    find_dropped_name,
    find_exchanged_call,
    find_lost_name,
    find_unread_items,
)
from jupyter_selfheal.inside.search.mutations.empty_bodies import describe_doubt_of_body
from jupyter_selfheal.inside.search.near_failures import (
    describe_near_failure,
    find_unknown_name,
    list_bound,
    list_near_inputs,
)
from jupyter_selfheal.inside.search.odd_values import describe_nothing, describe_other_value
from jupyter_selfheal.inside.search.open_boundaries import describe_open_boundary
from jupyter_selfheal.inside.search.oracle_strength import (
    describe_constant_shift,
    describe_doubt_of_answer,
    describe_doubt_of_number,
    describe_doubt_of_text,
)
from jupyter_selfheal.inside.search.process_pool import run_in_fork
from jupyter_selfheal.inside.search.program import (
    CELL,
    REPLAY,
    count_expected_items,
    expects_negative,
    list_expected_texts,
)
from jupyter_selfheal.inside.search.result_sizes import describe_other_size
from jupyter_selfheal.inside.search.run_candidate import Runner
from jupyter_selfheal.inside.search.sentinels import describe_doubt_of_sentinel
from jupyter_selfheal.inside.search.set_orders import find_set_order
from jupyter_selfheal.inside.search.several_edits import describe_doubt_of_several
from jupyter_selfheal.inside.search.shallow_changes import describe_shallow_change
from jupyter_selfheal.inside.search.turned_comparisons import list_turned
from jupyter_selfheal.inside.search.two_items import describe_doubt_of_end, describe_doubt_of_order
from jupyter_selfheal.inside.search.unrun_statements import measure_unrun_share

LOOKED_AT = 10
"""Hypotheses that are looked at for code that runs no longer: those that are shown."""
WAIT = 60.0
"""Seconds on the clock after which a look is given up: a machine may be busy."""
FEW_CHECKS = 3
"""Up to so many checks the smallest inputs that they leave out may show a fault that is left."""
TWO_CHECKS = 2
"""Up to so many checks of which one gives an empty collection."""
HALF = 0.5
"""The share of a function's statements that may be run by no check: of what is more, the checks say too little."""
LOOK = 400_000
"""Steps for seeing which lines of a patched program run."""
_WORD = re.compile(r"\w+")
_LOOP = re.compile(r"\s*(for|while)\b")


class Doubts:
    """The doubts about the candidates of one ranking; a candidate is named by its place in ``candidates``."""

    def __init__(
        self,
        candidates: Sequence[Candidate],
        hypotheses: Hypotheses,
        runner: Runner,
        sight: Sight,
        maker: Maker,
        domain: Collection[tuple[int, str]],
        rushed: str,
    ) -> None:
        self.candidates, self.hypotheses, self.runner = candidates, hypotheses, runner
        self.sight, self.maker, self.domain, self.rushed = sight, maker, domain, rushed
        self.units = runner.program.units
        self.items = count_expected_items(runner.program)
        self.answers = list_expected_texts(runner.program)
        self.idle: dict[int, str] = {}
        self.turned = list_turned(candidates, {k: u.text for k, u in enumerate(self.units)})

    @functools.cached_property
    def bound(self) -> set[str]:
        """The global names that the program binds."""
        return list_bound(u.text for u in self.units)

    def describe(self, n: int, likeliest: int) -> str:
        """The first doubt about a candidate, empty where there is none; ``likeliest`` is the one that does the same in the likeliest way."""
        is_odd = self.hypotheses.count_mended(n) < SEVERAL_TIMES
        return (
            (self._describe_nothing(n) if is_odd else "")
            or self.hypotheses.describe_doubt(n, self.rushed)
            or self._describe_turned(n)
            or self._describe_odd_patch(n)
            or describe_doubt_of_several(
                self.candidates[n], self.hypotheses.count_mended(n), self.hypotheses.count_checks(n)
            )
            or describe_doubt_of_body(
                (self.units[k].text for k in self.candidates[n].texts), self.hypotheses.count_mended(n)
            )
            or self._describe_literal(n, likeliest)
            or self._describe_idle_code(n)
        )

    def _describe_turned(self, n: int) -> str:
        """The doubt about a comparison that is turned round, or asks for another number, where another change of it meets the checks as well."""
        group = self.hypotheses.place[n]
        others = (m for k, m in self.turned if self.hypotheses.place[k] == group != self.hypotheses.place[m])
        return next((d for m in others if (d := self.hypotheses.describe_difference(n, m))), "")

    def describe_number(self, n: int) -> str:
        """The doubt about a number in place of another, by how much speaks for it."""
        c = self.candidates[n]
        old = {k: self.units[k].text for k in c.texts}
        return describe_doubt_of_number(c, old, self._count_deciding(n), self.items)

    def _count_deciding(self, n: int) -> int:
        """The checks that say something of a change: one, where the one that failed is the only one that comes to the changed line."""
        suspicion = self.sight.suspicion.get(self.candidates[n].unit, {})
        is_only = suspicion.get(self.candidates[n].line, 0.0) >= 1.0 and self.hypotheses.count_mended(n) == 1
        return 1 if is_only else self.hypotheses.count_checks(n)

    def _describe_odd_patch(self, n: int) -> str:
        """The doubt about a patch that few failing checks speak for, and that is odd: by what it gives, or by what it reads."""
        if self.hypotheses.count_mended(n) >= SEVERAL_TIMES:
            return ""
        return (
            self._describe_sentinel(n)
            or self._describe_odd_value(n)
            or self._describe_foreign_name(n)
            or self._describe_lost_name(n)
            or self._describe_shallow_change(n)
            or self._describe_doubt_of_order(n)
            or self._describe_argument_literal(n)
            or self.describe_shift(n)
        )

    def _describe_shallow_change(self, n: int) -> str:
        """The doubt about a patch that would meet the check whatever is wrong, or that does the same as a likelier one which would."""
        mended, own = self.hypotheses.count_mended(n), self.candidates[n].weight
        group = self.hypotheses.groups[self.hypotheses.place[n]]
        alike = [
            self.candidates[m] for m in group if m == n or (self.hypotheses.inputs and self.candidates[m].weight > own)
        ]
        changes = ((self.units[k].text, text) for c in alike for k, text in c.texts.items())
        return next((d for old, text in changes if (d := describe_shallow_change(old, text, mended))), "")

    def _describe_argument_literal(self, n: int) -> str:
        changes = ((self.units[k].text, text) for k, text in self.candidates[n].texts.items())
        return next((d for old, text in changes if (d := describe_doubt_of_literal(old, text, self.sight.checked))), "")

    def _describe_doubt_of_order(self, n: int) -> str:
        """The doubt about a patch that orders otherwise, where two items at most are to be ordered, or one number is expected."""
        checked = [arguments for calls in self.sight.checked.values() for arguments in calls]
        changes = [(self.units[k].text, text) for k, text in self.candidates[n].texts.items()]
        if self.hypotheses.count_mended(n) == 1:
            types = compare_behaviour.collect_expected_types(self.runner.program)
            if doubt := next((d for old, text in changes if (d := describe_doubt_of_end(old, text, types))), ""):
                return doubt
        space = self.runner.ns
        return next((d for old, text in changes if (d := describe_doubt_of_order(old, text, checked, space))), "")

    def describe_shift(self, n: int) -> str:
        """The doubt about a patch that moves every result by the same number, where one check decides."""
        if self.hypotheses.count_checks(n) > 1:
            return ""
        c, old = self.candidates[n], {k: self.units[k].text for k in self.candidates[n].texts}
        return describe_constant_shift(
            c,
            old,
            self.hypotheses.shown[n],
            self.hypotheses.before,
            names_negative=expects_negative(self.runner.program),
        )

    def _describe_sentinel(self, n: int) -> str:
        """The doubt about a patch that asks whether a variable still holds the number that it began with."""
        texts = self.candidates[n].texts
        return next((d for k, text in texts.items() if (d := describe_doubt_of_sentinel(self.units[k].text, text))), "")

    def _describe_lost_name(self, n: int) -> str:
        """The doubt about a patch that drops what a check asks about, or that mends in a function what its caller may have mixed up."""
        texts = self.candidates[n].texts
        if lost := find_lost_name(texts, self.units):
            return f"a check asks about `{lost}`, which is no longer read"
        if doubled := find_doubled_name(texts, self.units):
            return f"`{doubled}` is combined with itself"
        if not self.runner.program.crashed and (dropped := find_dropped_name(texts, self.units)):
            return f"`{dropped}` is no longer read, and nothing else in its place"
        changes = ((self.units[k].text, text) for k, text in texts.items()) if self.runner.program.crashed else ()
        if rounds := next((r for old, text in changes if (r := find_fewer_rounds(old, text))), ""):
            return f"what raised is only not reached with `{rounds}`"
        if unread := find_unread_items(texts, self.units):
            return f"of `{unread}` nothing but its length is read"
        if counted := find_counted_name(texts, self.units):
            return f"of `{counted}` nothing but its length is asked"
        if handed := find_given_back(texts, self.units):
            return f"`{handed}` is what the check expects in its result"
        if ordered := find_set_order(texts, self.units):
            return f"the order of `{ordered}` is by chance"
        others = (c.texts for c in self.candidates if c.edits <= self.candidates[n].edits)
        call = find_exchanged_call(texts, self.units, others)
        return f"the arguments of `{call}` may be in the wrong order" if call else ""

    def _describe_foreign_name(self, n: int) -> str:
        """The doubt about a patch that reads a variable of another cell which nothing here speaks of: among many one fits by chance.

        What was assigned together with a name that is read here (``distance, hours, stops = …``) is spoken of.
        """
        new = {word for text in self.candidates[n].texts.values() for word in _WORD.findall(text)}
        here = {word for u in self.units for word in _WORD.findall(u.text)} | set(self.maker.given.get("beside", ()))
        foreign = sorted((new - here) & set(self.maker.given.get("nearby", ())))
        return f"`{foreign[0]}` is a variable of another cell that nothing here reads" if foreign else ""

    def _describe_nothing(self, n: int) -> str:
        types = compare_behaviour.collect_expected_types(self.runner.program)
        return describe_nothing(
            self.hypotheses.inputs, self.hypotheses.shown[n], self.sight.checked, bool(self.domain), types
        )

    def _describe_odd_value(self, n: int) -> str:
        is_asked = self.domain and self.runner.program.crashed
        return (
            describe_other_value(self.hypotheses.inputs, self.hypotheses.shown[n], self.hypotheses.before)
            if is_asked
            else ""
        )

    def _describe_idle_code(self, n: int) -> str:
        """The doubt about a patch with which something runs no longer, or always; looked for in the first few hypotheses only."""
        place = self.hypotheses.place[n]
        if place not in self.idle and len(self.idle) < LOOKED_AT:
            c = self.candidates[n]
            is_weak = self.hypotheses.is_weakly_proven(n)
            self.idle[place] = self._describe_idle_loop(c) or (self._describe_weak_run(n) if is_weak else "")
        return self.idle.get(place, "")

    def _describe_weak_run(self, n: int) -> str:
        """The doubt about a patch that few checks decide about, by how it runs for these and for empty input."""
        return (
            self._describe_idle_condition(self.candidates[n])
            or self._describe_unrun_code(self.candidates[n])
            or self._describe_untold_rest(n)
            or self._describe_kept_item(n)
            or self._describe_near_failure(n)
            or self._describe_open_boundary(n)
            or self._describe_other_size(n)
            or self._describe_empty_input(n)
        )

    def _describe_unrun_code(self, c: Candidate) -> str:
        """The doubt about a patch of a function that no check runs most of: another fault may be there, or the patch may lead past it."""
        changed = {n: (c.texts[n], code) for n, code in c.codes.items()}
        ran = self._list_ran_lines(changed)
        for n, text in c.texts.items():
            function = ast.parse(text).body[0]
            if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) or n not in ran:
                continue
            if measure_unrun_share(text, ran[n]) > HALF:
                return f"most of `{function.name}` is run by no check"
        return ""

    def _list_ran_lines(self, changed: dict[int, tuple[str, CodeType]]) -> dict[int, frozenset[int]]:
        """The lines of each unit that run with changed ones; nothing where that could not be seen."""
        ran = run_in_fork(lambda: list_ran_lines(self.runner, changed, LOOK), WAIT)
        return {unit: frozenset(numbers) for unit, numbers in ran} if isinstance(ran, list) else {}

    def _describe_near_failure(self, n: int) -> str:
        """The doubt about a patched function that fails where no check comes to: it reads what nothing defines, or leaves its list."""
        c = self.candidates[n]
        known = {*self.runner.ns, *self.bound, *list_bound(c.texts.values())}
        for text in c.texts.values():
            if text.startswith(("def ", "async def ")) and (name := find_unknown_name(text, known)):
                return f"`{name}` isn't defined anywhere"
        return self._ask_functions(
            n,
            lambda function, checked: describe_near_failure(
                self.runner, c.codes, list_near_inputs(self.sight.calls.get(function, ()), checked, function)
            ),
        )

    def _describe_other_size(self, n: int) -> str:
        """The doubt about a function that gives another number of items than it is asked for, where no check comes to."""
        c = self.candidates[n]
        return self._ask_functions(
            n, lambda function, given: describe_other_size(self.runner, c.codes, function, given)
        )

    def _describe_open_boundary(self, n: int) -> str:
        """The doubt about a function that is odd for a number which it compares with, where no check comes to."""
        c, calls = self.candidates[n], self.sight.calls
        return self._ask_functions(
            n,
            lambda function, checked: describe_open_boundary(
                self.runner, self.maker, c.texts, c.codes, function, calls.get(function, ()), checked
            ),
        )

    def _ask_functions(self, n: int, describe: Callable[[str, list[tuple[Any, ...]]], str]) -> str:
        """The first doubt that is said, in a fork, of a changed function and the calls of it that the checks make."""
        for function, checked in self.sight.checked.items():
            if any(f"def {function}(" in text for text in self.candidates[n].texts.values()):
                doubt = run_in_fork(lambda f=function, g=checked: describe(f, g), WAIT)  # type: ignore[misc]
                if isinstance(doubt, str) and doubt:
                    return doubt
        return ""

    def _describe_untold_rest(self, n: int) -> str:
        """The doubt about a patch that changes nothing but what empty collections give, where one other check tells of all the rest."""
        if self.hypotheses.count_checks(n) > TWO_CHECKS or not self.sight.empty:
            return ""
        told = zip(self.hypotheses.inputs, self.hypotheses.shown[n], self.hypotheses.before, strict=False)
        changed = [given for given, now, then in told if isinstance(given, Input) and now != then]
        if changed and all(any(a in ([], (), "", {}) for a in given.arguments) for given in changed):
            return "it changes only what an empty collection gives, and no two checks tell that the rest is right"
        return ""

    def _describe_kept_item(self, n: int) -> str:
        """The doubt about a loop that keeps the last of what it finds, where no check has two to be found: the first may be meant."""
        if self.hypotheses.count_checks(n) > FEW_CHECKS:
            return ""
        c = self.candidates[n]
        for unit, text in c.texts.items():
            for noted, kept, asked in list_kept(text):
                two = run_in_fork(lambda u=unit, t=noted: finds_two(self.runner, c.codes, u, t, LOOK), WAIT)  # type: ignore[misc]
                if two is False:
                    return f"`{kept}` is of the last with `{asked}`, and no check has two to tell whether the first is meant"
        return ""

    def _describe_empty_input(self, n: int) -> str:
        if self.hypotheses.count_checks(n) > FEW_CHECKS:
            return ""
        c = self.candidates[n]
        names = [name for name in self.sight.checked if any(f"def {name}(" in text for text in c.texts.values())]
        inputs = list_empty_inputs(self.sight.checked, names)
        types = compare_behaviour.collect_expected_types(self.runner.program)
        is_asked = any(map(asks_for_empty, c.texts.values())) or any(
            asks_for_item(text, m, self.sight.checked[m]) for m in names for text in c.texts.values()
        )
        doubt = run_in_fork(
            lambda: describe_failure_when_empty(self.runner, c.codes, inputs, types, is_asked=is_asked), WAIT
        )
        return doubt if isinstance(doubt, str) else ""

    def _describe_idle_condition(self, c: Candidate) -> str:
        """The doubt about a condition that a patch changed and that comes out the same way whatever the checks ask: it may as well not be there."""
        found = [
            (n, *changed) for n, text in c.texts.items() if (changed := change_condition(self.units[n].text, text))
        ]
        if len(found) != 1:
            return ""
        unit, noted, condition = found[0]
        outcomes = run_in_fork(lambda: list_outcomes(self.runner, c.codes, unit, noted, LOOK), WAIT)
        if not isinstance(outcomes, list) or len(outcomes) < SEVERAL_TIMES or len(set(outcomes)) > 1:
            return ""
        return f"`{condition}` is {'true' if outcomes[0] else 'false'} each time in what was checked"

    def _describe_idle_loop(self, c: Candidate) -> str:
        """The doubt about a patch with which a loop of the cells has no round: the checks below it then hold for nothing."""
        if not any(_LOOP.match(line) for u in self.units if u.role in (CELL, REPLAY) for line in u.text.splitlines()):
            return ""
        changed = {n: (c.texts[n], code) for n, code in c.codes.items()}
        loop = find_idle_loop(self.units, c.texts, self._list_ran_lines(changed))
        return f"`{loop}` has no round with it" if loop else ""

    def _describe_literal(self, n: int, likeliest: int) -> str:
        """The doubt about a number or a text in place of another, which all that does the same shares where that is the likeliest way to
        do it."""
        c = self.candidates[likeliest]
        old = {k: self.units[k].text for k in c.texts}
        return (
            self.describe_number(likeliest)
            or describe_doubt_of_text(c, old, self._count_deciding(likeliest), self.items)
            or describe_doubt_of_answer(
                c, old, self.hypotheses.count_mended(n), self.answers - self._list_given_before()
            )
        )

    def _list_given_before(self) -> set[str]:
        """What checked calls gave before any change: a text among these is expected by a check that held, too."""
        pairs = zip(self.hypotheses.inputs, self.hypotheses.before, strict=False)
        return {then for given, then in pairs if isinstance(given, Input) and given.is_checked}
