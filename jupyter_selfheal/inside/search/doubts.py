"""What speaks against a plausible candidate, in words: by what it gives, what it reads, and how little decides about it."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterator, Sequence

from jupyter_selfheal.inside.search import strange_results
from jupyter_selfheal.inside.search.argument_literals import describe_doubt_of_literal
from jupyter_selfheal.inside.search.bounds_alone import calls_assertion, find_bounds_alone
from jupyter_selfheal.inside.search.candidates import Candidate, Maker
from jupyter_selfheal.inside.search.compare_behaviour import Input
from jupyter_selfheal.inside.search.describe_losses import describe_loss
from jupyter_selfheal.inside.search.empty_answers import describe_empty_answer
from jupyter_selfheal.inside.search.formal_checks import find_formal_check
from jupyter_selfheal.inside.search.given_otherwise import find_given_otherwise
from jupyter_selfheal.inside.search.hypotheses import Hypotheses
from jupyter_selfheal.inside.search.idle_conditions import SEVERAL_TIMES
from jupyter_selfheal.inside.search.last_left_out import describe_left_out, find_end_left_out, find_last_left_out
from jupyter_selfheal.inside.search.localise_faults import Sight
from jupyter_selfheal.inside.search.lost_names import find_made_up, find_unknown_argument
from jupyter_selfheal.inside.search.measuring_functions import find_measures
from jupyter_selfheal.inside.search.mutations.empty_bodies import describe_doubt_of_body
from jupyter_selfheal.inside.search.number_as_condition import find_number_as_condition
from jupyter_selfheal.inside.search.odd_formulas import describe_odd_formula
from jupyter_selfheal.inside.search.odd_values import describe_nothing, describe_other_value
from jupyter_selfheal.inside.search.oracle_strength import (
    describe_constant_shift,
    describe_doubt_of_answer,
    describe_doubt_of_number,
    describe_doubt_of_text,
    find_shift,
)
from jupyter_selfheal.inside.search.other_operands import FEW, describe_other_operands
from jupyter_selfheal.inside.search.outside_reads import describe_made_anew
from jupyter_selfheal.inside.search.program import (
    CHECK,
    count_expected_items,
    expects_negative,
    list_expected_texts,
)
from jupyter_selfheal.inside.search.rounded_up import describe_rounded_up
from jupyter_selfheal.inside.search.run_candidate import Runner
from jupyter_selfheal.inside.search.run_doubts import RunDoubts
from jupyter_selfheal.inside.search.sentinels import describe_doubt_of_sentinel
from jupyter_selfheal.inside.search.several_edits import describe_doubt_of_several
from jupyter_selfheal.inside.search.shallow_changes import describe_shallow_change, turns_condition
from jupyter_selfheal.inside.search.told_apart import find_given_up, find_named_number
from jupyter_selfheal.inside.search.turned_comparisons import list_turned
from jupyter_selfheal.inside.search.two_items import describe_doubt_of_end, describe_doubt_of_order
from jupyter_selfheal.inside.search.unknown_calls import is_call_of_nothing
from jupyter_selfheal.inside.search.ways_past import describe_own_operand, describe_way_past
from jupyter_selfheal.inside.search.widened_writes import find_widened_write
from jupyter_selfheal.inside.search.wrapped_places import find_wrapped_place
from jupyter_selfheal.inside.search.written_anew import describe_doubt_of_new_body, list_expected_values
from jupyter_selfheal.inside.tree_names import list_bound_names

ABOUT_AS_LIKELY = 0.5
"""The share of a patch's weight from which a rival speaks against it."""
TELLING = 5
"""Checks from which they tell what a call was given by a name that nothing binds."""
_WORD = re.compile(r"\w+")
_OTHER_CALL = re.compile(r"`(\w+)(?:\(\))?` (?:should be `(\w+)`|is too many)")
_NOWHERE = re.compile(r"nothing is called `([\w.]+)`")
"""What a change says that puts a function in for one that there is not."""
_MADE_UP = re.compile(r"`(\w+) = (?:-?\d[\d.]*|True|False|None)` is missing")
"""And one that gives a number to a name; where the code only reads that, it is made up."""


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
        self.runs = RunDoubts(candidates, hypotheses, runner, sight, maker)
        self.measures = find_measures(self.units)
        self.turned = list_turned(candidates, {k: u.text for k, u in enumerate(self.units)})

    def describe(self, n: int, likeliest: int) -> str:
        """The first doubt about a candidate, empty where there is none; ``likeliest`` is the one that does the same in the likeliest way."""
        is_odd = self.hypotheses.count_mended(n) < SEVERAL_TIMES
        return (
            (self._describe_nothing(n) if is_odd else "")
            or self.hypotheses.describe_doubt(n, self.rushed)
            or self._describe_turned(n)
            or self._describe_given_up(n)
            or self._describe_left_senseless(n)
            or self._describe_measure(n)
            or self._describe_odd_patch(n)
            or self._describe_given_otherwise(n)
            or describe_doubt_of_several(
                self.candidates[n],
                self.hypotheses.count_mended(n),
                self.hypotheses.count_checks(n),
                "\n".join(self.units[k].text for k in self.candidates[n].texts),
            )
            or self._describe_unknown_argument(n)
            or self._describe_wrapped_place(n)
            or self._describe_statements(n)
            or self._describe_widened_write(n)
            or self._describe_number_as_condition(n)
            or self._describe_last_left_out(n)
            or self._describe_new_body(n)
            or describe_doubt_of_body(
                (self.units[k].text for k in self.candidates[n].texts), self.hypotheses.count_mended(n)
            )
            or self._describe_formal_check()
            or self._describe_literal(n, likeliest)
            or self.runs.describe(n)
        )

    def _describe_left_senseless(self, n: int) -> str:
        """The doubt about a change beside which another one passes, does otherwise, and mends what cannot be meant too: `h`, which nothing reads."""
        mine, place = self.candidates[n], self.hypotheses.place
        others = (c for m, c in enumerate(self.candidates) if place[m] != place[n])
        is_left = any(c.senseless > mine.senseless for c in others)
        return "what cannot be meant stays as it is, and another change mends it too" if is_left else ""

    def _describe_measure(self, n: int) -> str:
        """The doubt about a change of nothing but what the checks measure objects with; of plain data calls tell which function is at fault."""
        texts = self.candidates[n].texts
        names = [self.measures[k] for k in texts if k in self.measures and not self.sight.calls.get(self.measures[k])]
        return f"`{names[0]}` is what the checks measure with" if names and len(names) == len(texts) else ""

    def _describe_given_otherwise(self, n: int) -> str:
        """The doubt about a change of a function where another call of it meets the same check."""
        if self.hypotheses.count_checks(n) > 1:
            return ""
        name = find_given_otherwise(self.units, self.candidates[n].texts, (c.texts for c in self.candidates))
        return f"`{name}` may be given the wrong thing: another call of it passes too" if name else ""

    def _describe_unknown_argument(self, n: int) -> str:
        """The doubt about a patch with which a call is given nothing, or what was made up, for a name that nothing binds, or something is called in place of it."""
        is_told = self.hypotheses.count_checks(n) >= TELLING
        if not is_told and (found := _NOWHERE.search(self.candidates[n].words)):
            return f"what `{found[1]}` was to do, nothing tells"
        made_up = None if is_told else _MADE_UP.search(self.candidates[n].words)
        bound = {b for k in self.candidates[n].texts for b in list_bound_names(ast.parse(self.units[k].text))}
        if made_up and made_up[1] not in bound:
            return f"what `{made_up[1]}` was to be, nothing tells"
        other = next(_OTHER_CALL.finditer(self.candidates[n].words), None) if not is_told else None
        if other and is_call_of_nothing(other[1], other[2] or "", self._list_changes(n), self.runner.ns):
            return f"what `{other[1]}` was to do, nothing tells"
        if made := describe_made_anew(self.candidates[n].words, self.runner.program, self.hypotheses.count_checks(n)):
            return made
        given = self.candidates[n].texts, self.units, self.runner.before
        name = "" if is_told else find_unknown_argument(*given) or find_made_up(*given)
        if self.hypotheses.count_checks(n) == 1:  # `len(values)` for `n`: a number of the program meets it as easily
            name = name or find_made_up(*given, ast.Call)
        return f"what `{name}` was to be, nothing tells" if name else ""

    def _describe_statements(self, n: int) -> str:
        """The doubt about statements that lead past an error which is raised on purpose, leave a value to be compared with itself, or are odd formulas."""
        texts, space = [u.text for u in self.units], self.runner.ns
        return self._find_in_changes(
            n,
            lambda old, text: (
                describe_way_past(old, text)
                or describe_own_operand(old, text)
                or describe_empty_answer(old, text)
                or describe_odd_formula(old, text, texts, space)
                or describe_rounded_up(old, text, self.sight.checked)
            ),
        )

    def _describe_wrapped_place(self, n: int) -> str:
        """The doubt about an index that is moved one back in a loop that begins at 0."""
        place = self._find_in_changes(n, find_wrapped_place)
        return f"`{place}` is the last item in the first round" if place else ""

    def _describe_widened_write(self, n: int) -> str:
        """The doubt about an assignment that takes fewer items out of what it writes into."""
        target = self._find_in_changes(n, find_widened_write)
        return f"`{target} = …` writes more than the cell did" if target else ""

    def _describe_number_as_condition(self, n: int) -> str:
        """The doubt about a number that is a part of a condition by its name alone."""
        name = self._find_in_changes(n, lambda old, text: find_number_as_condition(old, text, self.sight.calls))
        return f"`{name}` is a number, and the condition only asks whether it is 0" if name else ""

    def _describe_last_left_out(self, n: int) -> str:
        """The doubt about a loop by index that ends one item sooner, and reads no item behind; or about a part in all places of a whole."""
        if counted := self._find_in_changes(n, find_last_left_out):
            return f"`{counted}` leaves the last item out, and nothing reads the one behind"
        part = self._find_in_changes(n, find_end_left_out)
        told = describe_left_out(self.candidates[n].words, self.runner.program, self.items)
        return f"with `{part}` one item is read nowhere" if part else told

    def _describe_new_body(self, n: int) -> str:
        """The doubt about a function that is written anew."""
        candidate = self.candidates[n]
        if not candidate.is_anew:
            return ""
        function = self.units[candidate.unit].text.removeprefix("def ").partition("(")[0].strip()
        expected = list_expected_values(self.runner.program, function)
        return describe_doubt_of_new_body(self.hypotheses.count_mended(n), self.hypotheses.count_checks(n), expected)

    def _describe_turned(self, n: int) -> str:
        """The doubt about a comparison that is turned round, or asks for another number, where another change of it meets the checks as well."""
        group = self.hypotheses.place[n]
        others = (m for k, m in self.turned if self.hypotheses.place[k] == group != self.hypotheses.place[m])
        return next((d for m in others if (d := self.hypotheses.describe_difference(n, m))), "")

    def _describe_given_up(self, n: int) -> str:
        """The doubt about another number in place of one that the program told apart and no check has, or that has a name."""
        if named := self._find_in_changes(n, find_named_number):
            return f"`{named}` is named once for all: what reads it may be meant to be another"
        checks = [*self.runner.program.checks, *(d.source for d in self.runner.program.doctests)]
        checks += [u.text for u in self.units if u.role == CHECK or u.tests]
        told = self._find_in_changes(n, lambda old, text: find_given_up(old, text, checks))
        return f"no check has `{told}`, which was told apart and no longer is" if told else ""

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
            or self._describe_turned_answers(n)
            or self._describe_doubt_of_order(n)
            or self._describe_argument_literal(n)
            or self._describe_other_operands(n)
            or self.describe_shift(n)
            or self._describe_bounds_alone()
        )

    def _describe_bounds_alone(self) -> str:
        """The doubt about any patch where the checks only say how large a value is at most or at least."""
        program = self.runner.program
        if program.expect or program.stdout or program.doctests or any(calls_assertion(u.text) for u in self.units):
            return ""
        bound = find_bounds_alone([*program.checks, *(u.text for u in self.units if u.role == CHECK or u.tests)])
        return f"`{bound}` only bounds what many changes give" if bound else ""

    def _describe_formal_check(self) -> str:
        """The doubt about any patch after an exception where no check tells a value, however many there are."""
        formal = find_formal_check(self.runner.program)
        return f"`{formal}` holds with many changes with which the cell runs" if formal else ""

    def _describe_shallow_change(self, n: int) -> str:
        """The doubt about a patch that would meet the check whatever is wrong, or that does the same as a likelier one which would."""
        mended, changes = self.hypotheses.count_mended(n), self._list_changes_alike(n)
        return next((d for old, text in changes if (d := describe_shallow_change(old, text, mended))), "")

    def _find_in_changes(self, n: int, find: Callable[[str, str], str]) -> str:
        """What ``find`` says of the old and the new text of the first change of a patch of which it says something."""
        return next((said for old, text in self._list_changes(n) if (said := find(old, text))), "")

    def _list_changes(self, n: int) -> list[tuple[str, str]]:
        """(old text, new text) of what a patch changes."""
        return [(self.units[k].text, text) for k, text in self.candidates[n].texts.items()]

    def _list_changes_alike(self, n: int) -> Iterator[tuple[str, str]]:
        """(old text, new text) of what a patch changes, and of what likelier ones do that come to the same."""
        own, group = self.candidates[n].weight, self.hypotheses.groups[self.hypotheses.place[n]]
        likelier = (self.hypotheses.inputs and self.candidates[m].weight > own for m in group)
        alike = (self.candidates[m] for m, is_meant in zip(group, likelier, strict=True) if m == n or is_meant)
        return ((self.units[k].text, text) for c in alike for k, text in c.texts.items())

    def _describe_turned_answers(self, n: int) -> str:
        """The doubt about a condition that is turned round, where all checks are of truth values and fail: any such change may turn both."""
        types = strange_results.collect_expected_types(self.runner.program)
        if types != {"bool"} or self.hypotheses.count_checks(n) > self.hypotheses.count_mended(n):
            return ""
        is_turned = any(turns_condition(self.units[k].text, text) for k, text in self.candidates[n].texts.items())
        return "a few truth values are met by whatever condition is turned around" if is_turned else ""

    def _describe_argument_literal(self, n: int) -> str:
        """The doubt about a literal that a call is given in place of another."""
        return self._find_in_changes(n, lambda old, text: describe_doubt_of_literal(old, text, self.sight.checked))

    def _describe_other_operands(self, n: int) -> str:
        """The doubt about a patch with an operand more or less, where one number that was wrong asks for it."""
        types = strange_results.collect_expected_types(self.runner.program)
        is_by_chance = self.hypotheses.count_mended(n) == 1 and self.hypotheses.count_checks(n) <= FEW
        if not is_by_chance or self.runner.program.crashed or not types or not types <= {"int", "float"}:
            return ""
        checks, changes = self.hypotheses.count_checks(n), self._list_changes_alike(n)
        return next((d for old, text in changes if (d := describe_other_operands(old, text, checks))), "")

    def _describe_doubt_of_order(self, n: int) -> str:
        """The doubt about a patch that orders otherwise, where two items at most are to be ordered, or one number is expected."""
        checked = [arguments for calls in self.sight.checked.values() for arguments in calls]
        if self.hypotheses.count_mended(n) == 1:
            types = strange_results.collect_expected_types(self.runner.program)
            if doubt := self._find_in_changes(n, lambda old, text: describe_doubt_of_end(old, text, types)):
                return doubt
        space = self.runner.ns
        return self._find_in_changes(n, lambda old, text: describe_doubt_of_order(old, text, checked, space))

    def describe_shift(self, n: int) -> str:
        """The doubt about a patch that moves every result by the same number, where one check decides; or two, and a rival that is about as
        likely does not."""
        if self.hypotheses.count_checks(n) > 1:
            return self._describe_shift_of_two(n)
        c, old = self.candidates[n], {k: self.units[k].text for k in self.candidates[n].texts}
        return describe_constant_shift(
            c,
            old,
            self.hypotheses.shown[n],
            self.hypotheses.before,
            names_negative=expects_negative(self.runner.program),
        )

    def _describe_shift_of_two(self, n: int) -> str:
        shift = find_shift(self.hypotheses.shown[n], self.hypotheses.before)
        if not shift or self.hypotheses.count_checks(n) > FEW:
            return ""
        least = self.candidates[n].weight * ABOUT_AS_LIKELY
        rivals = (
            m
            for m, c in enumerate(self.candidates)
            if c.weight >= least and self.hypotheses.place[m] != self.hypotheses.place[n]
        )
        is_open = any(not find_shift(self.hypotheses.shown[m], self.hypotheses.before) for m in rivals)
        return f"every result is {shift:+g} of what it was, and two checks decide" if is_open else ""

    def _describe_sentinel(self, n: int) -> str:
        """The doubt about a patch that asks whether a variable still holds the number that it began with."""
        return self._find_in_changes(n, describe_doubt_of_sentinel)

    def _describe_lost_name(self, n: int) -> str:
        """The doubt about a patch that drops what a check asks about, or that mends in a function what its caller may have mixed up."""
        others = (c.texts for c in self.candidates if c.edits <= self.candidates[n].edits)
        return describe_loss(self.candidates[n].texts, self.units, others, crashed=self.runner.program.crashed)

    def _describe_foreign_name(self, n: int) -> str:
        """The doubt about a patch that reads a variable of another cell which nothing here speaks of: among many one fits by chance.

        What was assigned together with a name that is read here (``distance, hours, stops = …``) is spoken of.
        """
        new = {word for text in self.candidates[n].texts.values() for word in _WORD.findall(text)}
        here = {word for u in self.units for word in _WORD.findall(u.text)} | set(self.maker.given.get("beside", ()))
        foreign = sorted((new - here) & set(self.maker.given.get("nearby", ())))
        if foreign:
            return f"`{foreign[0]}` is a variable of another cell that nothing here reads"
        others = sorted((new - here) & set(self.maker.given.get("fields", ())))
        return f"`.{others[0]}` is another part of the object, and nothing tells which was meant" if others else ""

    def _describe_nothing(self, n: int) -> str:
        types = strange_results.collect_expected_types(self.runner.program)
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
