"""What speaks against a plausible candidate by how it runs: for what is checked, and for inputs near that."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection, Sequence
from types import CodeType
from typing import Any

from jupyter_selfheal.inside.search import strange_results
from jupyter_selfheal.inside.search.added_statements import adds_statement
from jupyter_selfheal.inside.search.broken_laws import describe_broken_law, describe_unfinished
from jupyter_selfheal.inside.search.called_functions import is_defined_in, list_changed_functions
from jupyter_selfheal.inside.search.candidates import Candidate, Maker
from jupyter_selfheal.inside.search.compare_behaviour import Input
from jupyter_selfheal.inside.search.confined_forks import run_in_fork
from jupyter_selfheal.inside.search.empty_inputs import (
    asks_for_empty,
    asks_for_item,
    describe_failure_when_empty,
    describe_new_failure,
    describe_uneven_failure,
    list_empty_inputs,
    takes_number_from_size,
)
from jupyter_selfheal.inside.search.exact_divisions import leaves_no_rest, note_division
from jupyter_selfheal.inside.search.first_or_last import finds_two, list_kept
from jupyter_selfheal.inside.search.hypotheses import Hypotheses
from jupyter_selfheal.inside.search.idle_conditions import SEVERAL_TIMES, change_condition, list_outcomes
from jupyter_selfheal.inside.search.idle_loops import change_rounds, find_idle_loop, is_emptied
from jupyter_selfheal.inside.search.localise_faults import Sight, list_ran_lines
from jupyter_selfheal.inside.search.loose_membership import add_called, describe_loose_membership
from jupyter_selfheal.inside.search.near_failures import (
    describe_near_failure,
    describe_unbound,
    find_unknown_name,
    list_bound,
    list_near_inputs,
)
from jupyter_selfheal.inside.search.open_boundaries import describe_open_boundary
from jupyter_selfheal.inside.search.place_of_value import (
    describe_dropped_twice,
    describe_place_of_value,
    replace_places,
)
from jupyter_selfheal.inside.search.program import (
    CELL,
    REPLAY,
    compile_unit,
)
from jupyter_selfheal.inside.search.result_sizes import describe_other_size
from jupyter_selfheal.inside.search.run_candidate import Runner
from jupyter_selfheal.inside.search.second_faults import (
    LEAST_CHECKS,
    describe_second_fault,
    is_weak,
)
from jupyter_selfheal.inside.search.twin_bounds import describe_twin_bound
from jupyter_selfheal.inside.search.unrun_statements import measure_unrun_share
from jupyter_selfheal.inside.search.unseen_errors import describe_unseen_error
from jupyter_selfheal.inside.search.untold_statements import drop_changed_statement, replace_changed_argument

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


class RunDoubts:
    """The doubts about the candidates of one ranking that running them shows; a candidate is named by its place in ``candidates``."""

    def __init__(
        self, candidates: Sequence[Candidate], hypotheses: Hypotheses, runner: Runner, sight: Sight, maker: Maker
    ) -> None:
        self.candidates, self.hypotheses, self.runner = candidates, hypotheses, runner
        self.sight, self.maker = sight, maker
        self.units = runner.program.units
        self.idle: dict[int, str] = {}
        self.untold: dict[int, str] = {}

    @functools.cached_property
    def bound(self) -> set[str]:
        """The global names that the program binds."""
        return list_bound(u.text for u in self.units)

    def describe(self, n: int) -> str:
        """The doubt about a patch with which something runs no longer, or always; looked for in the first few hypotheses only. What is put in,
        and no check sees, is asked of each patch by itself: of two that come to the same one may put in something else than the other."""
        c, place = self.candidates[n], self.hypotheses.place[n]
        if n not in self.untold and len(self.untold) < LOOKED_AT:
            self.untold[n] = self._describe_untold_statement(c) or self._describe_untold_argument(c)
        if untold := self.untold.get(n):
            return untold
        if place not in self.idle and len(self.idle) < LOOKED_AT:
            is_weak = self.hypotheses.is_weakly_proven(n)
            self.idle[place] = (
                self._describe_idle_loop(c)
                or (self._describe_weak_run(n) if is_weak else "")
                or self._describe_second_fault(n)
            )
        return self.idle.get(place, "")

    def _describe_weak_run(self, n: int) -> str:
        """The doubt about a patch that few checks decide about, by how it runs for these and for empty input."""
        return (
            self._describe_idle_condition(self.candidates[n])
            or self._describe_emptied_loop(self.candidates[n])
            or self._describe_exact_division(self.candidates[n])
            or self._describe_unrun_code(self.candidates[n])
            or self._describe_untold_rest(n)
            or self._describe_kept_item(n)
            or self._describe_near_failure(n)
            or self._describe_open_boundary(n)
            or self._describe_twin_bound(n)
            or self._describe_other_size(n)
            or self._describe_empty_input(n)
        )

    def _describe_unrun_code(self, c: Candidate) -> str:
        """The doubt about a patch of a function that no check runs most of: another fault may be there, or the patch may lead past it."""
        changed = {n: (c.texts[n], code) for n, code in c.codes.items()}
        ran = self._list_ran_lines(changed)
        for n, text in c.texts.items():
            for _, function in list_changed_functions(self.units[n].text, text) if n in ran else ():
                if measure_unrun_share(text, ran[n], within=function) > HALF:
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
            if text.startswith(("def ", "async def ", "class ", "@")) and (name := find_unknown_name(text, known)):
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

    def _describe_second_fault(self, n: int) -> str:
        """The doubt about a function that breaks where no check comes to what holds of each checked call, or that comes to its end; and
        about what is put in, is of several edits, or has weak checks, where a likely slip beside it makes no difference to the checks."""
        c, calls = self.candidates[n], self.sight.calls
        divides_by_size = all(takes_number_from_size(self.units[k].text, text) for k, text in c.texts.items())
        divides_by_size |= self.maker.count_outside_reads(c.texts) < self.maker.count_outside_reads({})

        def describe(function: str, checked: list[tuple[Any, ...]]) -> str:
            given = calls.get(function, ())
            text = next((t for t in c.texts.values() if is_defined_in(t, function)), "")
            return (
                describe_broken_law(self.runner, c.codes, function, given, checked)
                or describe_unfinished(self.runner, c.codes, function, text, given, checked)
                or describe_new_failure(
                    self.runner, c.codes, self.sight.checked, function, divides_by_size=divides_by_size
                )
                or describe_uneven_failure(self.runner, c.codes, function, checked)
            )

        if doubt := (
            self._ask_functions(n, describe)
            or self._describe_unbound(n)
            or self._describe_unseen_error(n)
            or self._describe_membership(c)
            or self._describe_place(n)
        ):
            return doubt
        is_added = any(adds_statement(self.units[k].text, text) for k, text in c.texts.items())
        is_several = c.edits > 1 and not c.is_slip
        checks = self.hypotheses.count_checks(n)
        is_asked = (is_added or is_several) and checks >= LEAST_CHECKS
        if not is_asked and not is_weak(checks, self.hypotheses.share_missed):
            return ""
        told = (
            describe_second_fault(c, self.runner, self.maker, function, calls.get(function, ()), checked)
            for function, checked in self.sight.checked.items()
        )
        return next((doubt for doubt in told if doubt), "")

    def _describe_unbound(self, n: int) -> str:
        """The doubt about a variable that nothing has set for some call, in a function that is changed, or that reads one which is."""
        c = self.candidates[n]
        names = {f.name for k, text in c.texts.items() for _, f in list_changed_functions(self.units[k].text, text)}
        texts = [c.texts.get(k, u.text) for k, u in enumerate(self.units)]
        reading = [text for text in texts if names.intersection(_WORD.findall(text))]
        return self._ask_functions(
            n,
            lambda function, checked: describe_unbound(
                self.runner, c.codes, function, self.sight.calls.get(function, ()), checked
            ),
            reading,
        )

    def _describe_unseen_error(self, n: int) -> str:
        """The doubt about an error that comes up, for a call like the checked ones, in a line that no check runs."""
        c, calls = self.candidates[n], self.sight.calls
        ran = self._list_ran_lines({unit: (c.texts[unit], code) for unit, code in c.codes.items()})
        return self._ask_functions(
            n,
            lambda function, checked: describe_unseen_error(
                self.runner, c.texts, c.codes, function, calls.get(function, ()), checked, ran
            ),
        )

    def _describe_place(self, n: int) -> str:
        """The doubt about what is another thing for an item that stands twice, where no check has one: a place that is asked for by the value there,
        and a patch that keeps each once."""
        c = self.candidates[n]
        called = [arguments for calls in self.sight.checked.values() for arguments in calls]
        changes = ((self.units[k].text, text) for k, text in c.texts.items())
        if once := next((d for old, text in changes if (d := describe_dropped_twice(old, text, called))), ""):
            return once
        placed = {k: self.maker.compile_text(k, new) for k, text in c.texts.items() if (new := replace_places(text)[0])}
        other = c.codes | {k: code for k, code in placed.items() if code is not None}
        if not placed:
            return ""
        return self._ask_functions(
            n, lambda function, checked: describe_place_of_value(self.runner, c.codes, other, function, checked)
        )

    def _describe_membership(self, c: Candidate) -> str:
        texts = add_called(self.units, c.texts)
        doubt = run_in_fork(lambda: describe_loose_membership(self.runner, self.maker, texts, c.codes), WAIT)
        return doubt if isinstance(doubt, str) else ""

    def _describe_open_boundary(self, n: int) -> str:
        """The doubt about a function that is odd for a number which it compares with, where no check comes to."""
        c, calls = self.candidates[n], self.sight.calls
        return self._ask_functions(
            n,
            lambda function, checked: describe_open_boundary(
                self.runner, self.maker, c.texts, c.codes, function, calls.get(function, ()), checked
            ),
        )

    def _describe_twin_bound(self, n: int) -> str:
        """The doubt about one of two bounds that is changed, where the other one is as it was."""
        c, before = self.candidates[n], {k: u.text for k, u in enumerate(self.units)}
        doubt = run_in_fork(
            lambda: describe_twin_bound(self.runner, self.maker.compile_text, before, c.texts, c.codes), WAIT
        )
        return doubt if isinstance(doubt, str) else ""

    def _ask_functions(
        self, n: int, describe: Callable[[str, list[tuple[Any, ...]]], str], texts: Collection[str] = ()
    ) -> str:
        """The first doubt that is said, in a fork, of a function that is changed, or is defined in these ``texts``, and the calls of it that
        the checks make."""
        texts = texts or self.candidates[n].texts.values()
        for function, checked in self.sight.checked.items():
            if any(is_defined_in(text, function) for text in texts):
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
        names = [name for name in self.sight.checked if any(is_defined_in(text, name) for text in c.texts.values())]
        inputs = list_empty_inputs(self.sight.checked, names)
        types = strange_results.collect_expected_types(self.runner.program)
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

    def _describe_emptied_loop(self, c: Candidate) -> str:
        """The doubt about a loop that goes through something else now, and through nothing wherever the checks gave it something before."""
        for unit, text in c.texts.items():
            if changed := change_rounds(self.units[unit].text, text):
                noted, now = changed
                if run_in_fork(lambda u=unit, t=noted: is_emptied(self.runner, c.codes, u, t, LOOK), WAIT) is True:  # type: ignore[misc]
                    return f"`{now}` has no round wherever there were some before"
        return ""

    def _describe_exact_division(self, c: Candidate) -> str:
        """The doubt about a changed reckoning whose division comes out even in every check: they do not tell which way it rounds."""
        for unit, text in c.texts.items():
            if changed := note_division(self.units[unit].text, text):
                noted, words = changed
                if "//" not in words and "float" in strange_results.collect_expected_types(self.runner.program):
                    continue  # a check that expects `3.0` tells that no whole number is meant
                if run_in_fork(lambda u=unit, t=noted: leaves_no_rest(self.runner, c.codes, u, t, LOOK), WAIT) is True:  # type: ignore[misc]
                    untold = "which way it is to round" if "//" in words else "whether a whole number is meant"
                    return f"`{words}` leaves no rest in any check, and none tells {untold}"
        return ""

    def _describe_untold_statement(self, c: Candidate) -> str:
        """The doubt about a changed statement without which every check holds as well."""
        for unit, text in c.texts.items():
            if changed := drop_changed_statement(self.units[unit].text, text):
                statement, without = changed
                codes = {**c.codes, unit: compile_unit(self.runner.program, unit, without)}
                if run_in_fork(lambda k=codes: self.runner.run(k, LOOK).plausible, WAIT) is True:  # type: ignore[misc]
                    return f"every check holds as well without `{statement.splitlines()[0]}`"
        return ""

    def _describe_untold_argument(self, c: Candidate) -> str:
        """The doubt about a changed argument of a method in whose place every check takes anything."""
        for unit, text in c.texts.items() if c.edits == 1 else ():
            argument, others = replace_changed_argument(self.units[unit].text, text) or ("", ())
            for other in others:
                codes = {**c.codes, unit: compile_unit(self.runner.program, unit, other)}
                if run_in_fork(lambda k=codes: self.runner.run(k, LOOK).plausible, WAIT) is True:  # type: ignore[misc]
                    return f"every check holds as well with anything in place of `{argument}`"
        return ""

    def _describe_idle_loop(self, c: Candidate) -> str:
        """The doubt about a patch with which a loop of the cells has no round: the checks below it then hold for nothing."""
        if not any(_LOOP.match(line) for u in self.units if u.role in (CELL, REPLAY) for line in u.text.splitlines()):
            return ""
        changed = {n: (c.texts[n], code) for n, code in c.codes.items()}
        loop = find_idle_loop(self.units, c.texts, self._list_ran_lines(changed))
        return f"`{loop}` has no round with it" if loop else ""
