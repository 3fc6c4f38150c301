"""The search itself: states of a source, the likeliest edits first, until enough ways to make it parse are known.

A state costs what its edits cost. One that does not parse yet needs at least one edit more, and more is added where the parser now
stops earlier than before. The work is counted in compiled sources and in their characters, not in seconds, so that the same cell is
read the same way on any machine.
"""

from __future__ import annotations

import heapq
import itertools
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context.syntax import list_syntax_rules
from jupyter_selfheal.healers.syntax import (
    layouts,
    line_edits,
    lists_of_arguments,
    loops_in_brackets,
    missing_tokens,
    name_edits,
    other_languages,
    print_lines,
    quotes,
    token_edits,
    word_edits,
    wrapping,
)
from jupyter_selfheal.healers.syntax.doubts import count_doubts
from jupyter_selfheal.healers.syntax.fault import Fault, find_fault
from jupyter_selfheal.healers.syntax.objections import find_objection
from jupyter_selfheal.healers.syntax.parser import BELOW, Parser, count_open, find_tail
from jupyter_selfheal.healers.syntax.readings import LAYOUTS, Reading, choose_readings
from jupyter_selfheal.healers.syntax.site import Site, Slip, find_site
from jupyter_selfheal.healers.syntax.slips import find_cost
from jupyter_selfheal.healers.syntax.tokens import find_position
from jupyter_selfheal.healers.syntax.touching_values import list_completions

READINGS = 48
"""Ways to make a cell parse that are kept."""
MARGIN = 2.6
"""How much more than the cheapest reading another one may cost."""
FOUND, FOUND_OF_ONE = 160, 16
"""Ways that are looked at, and those of one state behind the first."""
ALIKE, PUT_TOGETHER, PASSED_ON = 2, 20, 6
"""States with the same rest that are searched; of the others (a quote has a dozen places in its line), and of the ways to mend that rest,
those that are put together."""
PUT_OFF = 0.4
"""What a state is put off by for each one that was searched and is the same down to its fault: they differ in what was mended below it."""
PATIENCE = 4
"""How much more work is done as long as there is no reading."""
DEEPEST = 30
"""Edits of one reading."""
MENDS = 5
"""What one rule says of one fault."""
LONGEST = 20_000
"""Characters of a cell that is searched."""


def follow_rules(site: Site) -> Iterator[Slip]:
    """What the rules know of this fault."""
    for rule in list_syntax_rules():
        for mend in itertools.islice(rule.mends(site.source, site.fault), MENDS):
            cost = find_cost("rule.sure" if mend.sure else "rule.unsure") + 1.0 - mend.prior
            words = _describe_sign(site.source, mend.source) or mend.title[:1].lower() + mend.title[1:]
            yield Slip(0, len(site.source), mend.source, cost, words)


def _describe_sign(old: str, new: str) -> str:
    """What a mend does that puts a comma or a sign of a sum in, in the words of the search: to make the same slip again costs less, whoever
    finds it. Empty for any other mend."""
    if len(new) <= len(old):
        return ""
    start = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), len(old))
    behind = new[start : start + len(new) - len(old)]
    sign = behind.strip()
    return f"`{sign}` is missing" if sign in (",", "+", "*") and old[start:] == new[start + len(behind) :] else ""


PROPOSERS: tuple[Callable[[Site], Iterator[Slip]], ...] = (
    follow_rules,
    line_edits.strip_prompts,
    line_edits.comment_prose,
    line_edits.take_out_of_comments,
    line_edits.drop_lines,
    line_edits.mend_bodies,
    line_edits.indent_lines,
    line_edits.move_branches,
    layouts.propose_layouts,
    line_edits.add_colons,
    line_edits.join_lines,
    line_edits.join_statements,
    line_edits.count_loops,
    other_languages.rename_keywords,
    other_languages.turn_choices,
    other_languages.turn_switches,
    other_languages.bracket_parameters,
    other_languages.split_declarations,
    other_languages.name_arguments,
    lists_of_arguments.brace_pairs,
    lists_of_arguments.list_named_values,
    lists_of_arguments.put_named_last,
    other_languages.open_lambdas,
    other_languages.close_calls_later,
    token_edits.join_tokens,
    name_edits.join_names,
    name_edits.join_hyphened,
    name_edits.turn_assignments,
    name_edits.name_literals,
    name_edits.name_parameters,
    word_edits.insert_heads,
    word_edits.define_functions,
    word_edits.strip_placeholders,
    word_edits.open_calls,
    word_edits.replace_bracket_pairs,
    missing_tokens.insert_tokens,
    wrapping.fill_gaps,
    quotes.close_fields,
    wrapping.replace_foreign_signs,
    token_edits.replace_tokens,
    token_edits.multiply_by_letter,
    name_edits.mend_numbers,
    token_edits.delete_tokens,
    token_edits.swap_tokens,
    wrapping.empty_calls,
    wrapping.move_conditions,
    loops_in_brackets.order_loops,
    wrapping.move_brackets,
    wrapping.wrap_calls,
    print_lines.mend_prints,
    print_lines.fill_conversions,
    print_lines.move_commas,
    print_lines.divide_percents,
    wrapping.quote_words,
    wrapping.quote_signs,
    wrapping.quote_keywords,
    quotes.quote_templates,
    quotes.close_before_values,
    quotes.turn_inner_quotes,
    quotes.mend_quotes,
)


@dataclass(frozen=True, slots=True, eq=False)
class _State:
    source: str
    fault: Fault
    cost: float
    words: tuple[str, ...]
    seen: frozenset[tuple[str, int]]
    guessed: bool = False
    parent: _State | None = None
    places: frozenset[tuple[str, int]] = frozenset()
    """What each edit said was wrong, and how many lines stand below it."""


def find_readings(
    source: str, known: frozenset[str] = frozenset(), share: float = 1.0, *, is_sought: bool = True
) -> tuple[Reading, ...]:
    """Ways to make a source parse, the likeliest first; ``known`` are the names that the notebook has. Empty where it parses.

    ``share``: of the work of a whole search; ``is_sought``: no reading is known yet, and a first one is worth more work.
    """
    fault = find_fault(source) if len(source) <= LONGEST and not src.is_foreign(source) else None
    if fault is None:
        return ()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search = _Search(source, fault, known, share, PATIENCE if is_sought else 1)
        search.run()
    return choose_readings(search.readings, READINGS)


class _Search:
    """States by how much more they cost than the cheapest one from which the parser gets as far.

    A slip in one statement says nothing about the slip in the next one: of all the states whose source is the same from the fault on, two
    are searched, and what mends the rest of them mends the rest of the others. So a cell of five slips costs five times
    the work of one, not its fifth power.
    """

    def __init__(self, source: str, fault: Fault, known: frozenset[str], share: float, patience: int) -> None:
        self.known, self.given, self.parser, self.patience = known, source, Parser(source, share), patience
        fault = self.parser.find_fault(source) or fault
        self.base = count_doubts(source, known)
        self.readings: list[Reading] = []
        self._order = itertools.count()
        self._heap = [(0.0, next(self._order), _State(source, fault, 0.0, (), frozenset()))]
        self._met, self._programs = {source}, set[str]()
        self._most = float("inf")
        self._lowest: list[float] = []
        """What the readings that are kept so far cost, negated: a heap with the dearest one first."""
        self._layouts: Counter[str] = Counter()
        self._found = 0
        """Readings so far, those apart that differ in nothing but their layout from enough others."""
        self._least: dict[float, float] = {}
        self._searched: Counter[tuple[str, ...]] = Counter()
        self._heads: Counter[tuple[str, str]] = Counter()
        self._put_off = set[_State]()
        self._waiting: dict[tuple[str, ...], list[_State]] = {}
        self._rests: dict[tuple[str, ...], dict[str, Reading]] = {}

    def run(self) -> None:
        """Search until the work or the states are used up."""
        while self._heap and self._has_work_left and self._found < FOUND:
            order, _, state = heapq.heappop(self._heap)
            head = _find_head(state)
            if self._heads[head] >= ALIKE and state not in self._put_off:
                self._put_off.add(state)
                heapq.heappush(self._heap, (order + PUT_OFF * self._heads[head], next(self._order), state))
                continue
            self._heads[head] += 1
            if state.cost + (find_cost("further_fault") if state.parent else 0.0) > self._limit:
                continue
            key = _find_rest(state)
            self._searched[key] += 1
            if self._searched[key] > ALIKE:
                self._waiting.setdefault(key, []).append(state)
                continue
            self._try_slips(state)
        for _, _, state in self._heap:  # not reached any more, and its rest may be known all the same
            if (key := _find_rest(state)) in self._rests:
                self._waiting.setdefault(key, []).append(state)
        for key in sorted(
            self._waiting, key=lambda k: len(k[1])
        ):  # from below: what is found there is a rest of those above
            rests = sorted(self._rests.get(key, {}).values(), key=lambda r: r.cost)[:PASSED_ON]
            states = sorted(self._waiting[key], key=lambda s: s.cost)[:PUT_TOGETHER]
            for rest, state in sorted(itertools.product(rests, states), key=lambda p: p[0].cost + p[1].cost):
                if len(self.readings) < FOUND + PUT_TOGETHER * PASSED_ON:
                    self._pass_on(state, rest)

    @property
    def _limit(self) -> float:
        """What costs more than this is not kept: doubts only add to what the edits of a reading cost."""
        dearest = -self._lowest[0] if len(self._lowest) == READINGS else float("inf")
        return min(self._most + MARGIN, dearest)

    @property
    def _has_work_left(self) -> bool:
        """Whether more may be tried: for the first reading twice as much as for further ones."""
        return self.parser.has_work_for(1 if self.readings else self.patience)

    def _try_slips(self, state: _State) -> None:
        found, needed = 0, _find_needed(state.fault)
        starts, tail = self.parser.list_starts(state.source, state.fault), find_tail(state.source, state.fault)
        for slip in _list_slips(state, self.known):
            if state.cost + slip.cost * find_cost("again") > self._limit or not self._has_work_left:
                return  # so does each behind it: they are in order, and neither limit grows
            cost = state.cost + slip.cost * (find_cost("again") if slip.words in state.words else 1.0)
            if cost > self._limit or _is_undone(slip, state):
                continue
            new = slip.apply(state.source)
            if new in self._met:
                continue
            if needed and not any(new.count(sign) != state.source.count(sign) for sign in needed):
                continue
            self._met.add(new)
            after = self.parser.find_fault(new, starts, tail)
            words, guessed = (*state.words, slip.words), state.guessed or slip.guessed
            if after is None:
                found += self._keep_reading(new, cost, words, guessed, state)
                if found >= (FOUND_OF_ONE if state.parent else READINGS):
                    return
            elif len(words) < DEEPEST:
                places = state.places | {(slip.words, state.source.count("\n", slip.start))}
                self._push(
                    state, _State(new, after, cost, words, state.seen | {_mark_state(state)}, guessed, state, places)
                )

    def _push(self, state: _State, child: _State) -> None:
        ahead = _estimate_rest(state, child.source, child.fault)
        if ahead is None:
            return
        left = _measure_rest(child)
        self._least[left] = min(child.cost, self._least.get(left, child.cost))
        further = min(cost for reached, cost in self._least.items() if reached <= left)
        heapq.heappush(self._heap, (child.cost - further + ahead, next(self._order), child))

    def _keep_reading(
        self, source: str, cost: float, words: tuple[str, ...], guessed: bool, state: _State | None
    ) -> bool:
        """Whether it is a new program, and no further layout of one. For the states on its way, what made it is a way to mend their rest."""
        program = src.canonicalise(source)
        if program in self._programs:
            return False
        self._programs.add(program)
        whole = cost + max(0.0, count_doubts(source, self.known, self.given) - self.base)
        if whole <= self._limit:  # else it is not kept whatever speaks against it
            whole += find_cost("doubt.objection") * bool(find_objection(source, self.given, None))
        self._most = min(self._most, whole)
        self._layouts[text := "".join(source.split())] += 1
        counts = self._layouts[text] <= LAYOUTS
        if counts:
            self._found += 1
            keep = heapq.heappush if len(self._lowest) < READINGS else heapq.heappushpop
            keep(self._lowest, -whole)
        self.readings.append(Reading(source, whole, words, guessed))
        while state is not None:
            start = find_position(state.source, state.fault.line, 0)
            if source.startswith(state.source[:start]):
                rest = Reading(source[start:], cost - state.cost, words[len(state.words) :], guessed)
                self._rests.setdefault(_find_rest(state), {}).setdefault(rest.source, rest)
            state = state.parent
        for more in list_completions(source, self.known):
            self._keep_reading(more.source, cost + more.cost, (*words, *more.words), guessed, None)
        return counts

    def _pass_on(self, state: _State, rest: Reading) -> None:
        cost = state.cost + rest.cost
        new = state.source[: find_position(state.source, state.fault.line, 0)] + rest.source
        if cost <= self._limit and new not in self._met:
            self._met.add(new)
            if self.parser.find_fault(new) is None:
                self._keep_reading(new, cost, (*state.words, *rest.words), state.guessed or rest.guessed, state)


def _find_needed(fault: Fault) -> str:
    """The signs without one more or less of which the fault stays: brackets and quotes are counted before anything is parsed."""
    if any(m in fault.message for m in ("never closed", "unmatched", "does not match opening")):
        return "()[]{}'\"#"
    return "'\"#\\\n" if "unterminated string" in fault.message else ""


def _measure_rest(state: _State) -> float:
    """Lines that the parser has not reached (a deletion gets nobody further); in the line of a bracket that is never closed, a little for
    each one that is open."""
    lines = state.source.count("\n", _find_at(state.source, state.fault))
    if "never closed" not in state.fault.message:
        return lines
    return lines + 0.01 * min(max(count_open(state.source), 0), 50)


def _find_rest(state: _State) -> tuple[str, ...]:
    """What the slips that are left hang on: the source from the fault's line on, the block and the brackets around it."""
    start = find_position(state.source, state.fault.line, 0)
    lines = [line for line in state.source[:start].splitlines() if line.strip()]
    above = lines[-1] if lines else ""
    indent = above[: len(above) - len(above.lstrip())]
    return re.sub(r"\d+", "", state.fault.message), state.source[start:], indent, above.rstrip()[-1:]


def _find_head(state: _State) -> tuple[str, str]:
    """What the slips of this fault hang on: the source down to the lines below it."""
    lines = state.source.split("\n")
    return re.sub(r"\d+", "", state.fault.message), "\n".join(lines[: state.fault.line + BELOW])


def _mark_state(state: _State) -> tuple[str, int]:
    return state.fault.message, len(state.source) - _find_at(state.source, state.fault)


def _is_undone(slip: Slip, state: _State) -> bool:
    """True where an earlier edit of the same line put in what this one takes out, or the reverse: together they are no slip."""
    missing, surplus = " is missing", " is too much"
    if not state.places or not slip.words.endswith((missing, surplus)):
        return False
    below = state.source.count("\n", slip.start)
    if slip.words.endswith(missing):
        return (slip.words.removesuffix(missing) + surplus, below) in state.places
    return (slip.words.removesuffix(surplus) + missing, below) in state.places


def _list_slips(state: _State, known: frozenset[str]) -> list[Slip]:
    site = find_site(state.source, state.fault, known)
    slips = [slip for propose in PROPOSERS for slip in propose(site)]
    return sorted(slips, key=lambda s: s.cost)


def _find_at(source: str, fault: Fault) -> int:
    return find_position(source, fault.line, fault.column)


def _estimate_rest(state: _State, new: str, after: Fault) -> float | None:
    """What is still to come at the least; None where nothing was gained."""
    before_left = len(state.source) - _find_at(state.source, state.fault)
    left = len(new) - _find_at(new, after)
    # a bracket that is never closed is named where it opens, though all was read to the end; of several the last one
    higher = _find_at(new, after) < _find_at(state.source, state.fault)
    was_open, is_open = ("never closed" in fault.message for fault in (state.fault, after))
    further = higher if was_open and is_open else left < before_left
    further = further and not (
        was_open and "does not match opening" in after.message
    )  # another bracket, and still one too few
    # a closing bracket that nothing opens, or a quote that nothing closes, is found before anything is parsed, and hides what is wrong above it
    signs = ("unmatched", "does not match opening", "unterminated string")
    shows = any(m in state.fault.message for m in signs) and not _find_needed(after)
    # what was wrong within brackets is mended, and all was read to the end: only now it is said that one of them is not closed
    ends = is_open and not was_open and after.line <= state.fault.line and count_open(new) <= count_open(state.source)
    if further or shows or ends or ("unterminated" in state.fault.message and is_open):
        return find_cost("further_fault")
    if (after.message, left) in state.seen or (after.message == state.fault.message and left == before_left):
        return None
    return find_cost("further_fault") + find_cost("no_progress")
