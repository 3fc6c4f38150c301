"""Stored outputs as an oracle: a healed cell should reproduce what the notebook holds, by nbval's rules.

As nbval does (https://nbval.readthedocs.io), streams of one name are joined, execution counts, metadata, images, widget
views and tracebacks are left out, and the markers ``NBVAL_IGNORE_OUTPUT``, ``NBVAL_SKIP``, ``NBVAL_RAISES_EXCEPTION`` and
their tags switch the comparison off. Beyond nbval, texts are compared token by token (:mod:`.output_text`), and what is not the same
by its values, where it shows any (:mod:`.output_forms`): a comparison has three results. A stored output can be stale: how much a
difference says is measured on the notebook itself.
"""

from __future__ import annotations

import ast
import builtins
import difflib
import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from jupyter_selfheal import source as src
from jupyter_selfheal.inside.difference import SHOWN, show_value
from jupyter_selfheal.inside.parsing import parse_expression
from jupyter_selfheal.model import BASELINE, Case, Cell, FailureKind, Output, Patch, Step, Trial
from jupyter_selfheal.scoring.comparison import NOTHING, Comparison, Match
from jupyter_selfheal.scoring.evidence import Evidence, Part
from jupyter_selfheal.scoring.expected import find_oracle, list_all_outputs
from jupyter_selfheal.scoring.output_forms import differ_in_form_only
from jupyter_selfheal.scoring.output_tables import read_table, unwrap_lines
from jupyter_selfheal.scoring.output_text import (
    are_same_tokens,
    find_words,
    is_number,
    join_texts,
    list_sizes,
    mask_number,
    split_tokens,
)
from jupyter_selfheal.scoring.repeatable import is_passing
from jupyter_selfheal.scoring.size_alone import shows_size_alone

if TYPE_CHECKING:
    from jupyter_selfheal.config import HealConfig

_MARKERS = {
    "PYTEST_VALIDATE_IGNORE_OUTPUT": False,
    "NBVAL_IGNORE_OUTPUT": False,
    "NBVAL_SKIP": False,
    "NBVAL_RAISES_EXCEPTION": False,
    "NBVAL_CHECK_OUTPUT": True,
}
_TAGS = {name.lower().replace("_", "-"): value for name, value in _MARKERS.items()} | {"raises-exception": False}


ORDERED = 4
"""So many different numbers come in 24 orders."""

_BUILTINS = frozenset(dir(builtins)) - {"open", "input", "help", "exec", "eval"}


DRAWING = 3
"""So many lines of signs, each another, are a drawing."""
_DRAWN = re.compile(r"[^\w.:;,?]*[^\w\s.:;,?][^\w.:;,?]*")

LONGEST = 1_000_000
"""Characters beyond which an output is no oracle: nobody reads it, and to tell what only its form is takes ten seconds for each million."""

WINDOWS = 200
"""So many places of a cell are looked at for numbers that an output has in another order."""

BUILT = 3
"""Values of a collection that speak for a fix with a reason, wherever they come from."""
_BRACKETS = dict(zip("([{)]}", "((()))", strict=True))
"""A tuple of what a list holds is no other value."""

_NAMED = re.compile(r"\bName: \w+, ")
"""What a Series of counts is called, which some releases say and others do not."""


def checks_output(cell: Cell) -> bool:
    """Whether nbval's markers and tags leave the cell's output to be compared."""
    settings = [_TAGS[tag] for tag in cell.tags if tag in _TAGS]
    for line in cell.source.splitlines():
        comment = line.strip().lstrip("#").strip() if line.strip().startswith("#") else ""
        if comment in _MARKERS:
            settings.append(_MARKERS[comment])
    return settings[-1] if settings else True


def find_stored_error(cell: Cell) -> str:
    """The name of the exception that the stored outputs show; empty where they show none."""
    return next((o.ename for o in cell.outputs if o.output_type == "error"), "")


def compare(cell: Cell, outputs: Sequence[Output]) -> Comparison:
    """Compare new outputs of a cell with those that the notebook stores for it, where these are an oracle."""
    if cell.stale or not checks_output(cell) or find_stored_error(cell):
        return NOTHING
    return compare_outputs(cell.outputs, outputs, cell.source)


def compare_outputs(stored: Sequence[Output], new: Sequence[Output], source: str) -> Comparison:
    """Compare two runs of a cell of that source by what they put out."""
    stored_text, new_text = join_texts(stored), join_texts(new)
    if len(stored_text) > LONGEST:
        return NOTHING
    wanted, got = split_tokens(stored_text), split_tokens(new_text)
    if not wanted:
        return NOTHING
    sizes, new_sizes = list_sizes(stored_text), list_sizes(new_text)
    if len(new_text) > LONGEST or (sizes and new_sizes and sizes != new_sizes):
        match = Match.VALUE  # of a long table only the ends are shown
    elif are_same_tokens(wanted, got):
        match = Match.FORM if any(map(_lost_its_point, wanted, got)) else Match.SAME
    else:
        is_form = differ_in_form_only(stored, new) or _counts_the_same(stored_text, new_text, source)
        is_form = is_form or _is_cut_among_equals(stored_text, new_text, source) or _sums_nothing(wanted, got, source)
        match = Match.FORM if is_form else Match.VALUE
    return Comparison(
        match,
        _measure_similarity(wanted, got, find_words(source)) if match is Match.VALUE else 1.0,
        len(wanted),
        stored_text.strip(),
        new_text.strip(),
        _count_computed(stored, source),
        match is not Match.VALUE or _list_words(stored_text, source) == _list_words(new_text, source),
        match is Match.SAME and _is_built(stored_text, source),
    )


def _lost_its_point(wanted: str, got: str) -> bool:
    """``6.0``, which `/` gives, and ``6``, which `//` does. The other way round Python 2 gave the one where Python 3 gives the other."""
    return got.isdigit() and wanted == f"{got}.0"


_CHOSEN = re.compile(r"\{(?:'\w+': [^{}\n]*?)?(?:\}|\.\.\.)")
"""A dictionary of parameters as it is shown; in a table a long one is cut."""


def _list_words(text: str, source: str) -> list[str]:
    """The tokens of an output without its numbers, and without what a search chose where the cell shows that: a choice is a number, a word, or no
    longer one to be made (`normalize`), and hangs on the model as a score does."""
    if "best_params_" in source and _CHOSEN.search(text):
        text = "\n".join(unwrap_lines(_CHOSEN.sub("{}", text)))
    return [*map(mask_number, split_tokens(text))]


def _counts_the_same(stored: str, new: str, source: str) -> bool:
    """Whether the same lines are there in another order, where values are counted and not sorted: pandas gives any first."""
    if "value_counts" not in source or "sort=False" not in source:
        return False
    old, now = (sorted(map(split_tokens, _NAMED.sub("", text).strip().splitlines())) for text in (stored, new))
    return len(old) == len(now) and all(map(are_same_tokens, old, now))


_SUMS = re.compile(r"\.sum\(|[\"']sum[\"']")
_REDUCED = re.compile(
    r"\.(?:first|last|max|mean|median|min|quantile|std|var)\(|[\"'](?:first|last|max|mean|median|min|std|var)[\"']"
)
"""What is NaN of nothing today as ever: beside it nobody knows which of the numbers was a sum."""


def _sums_nothing(wanted: Sequence[str], got: Sequence[str], source: str) -> bool:
    """Whether nothing differs but sums of what is missing altogether: they are 0 since pandas 0.22, and were NaN."""
    if not _SUMS.search(source) or _REDUCED.search(source) or "NaN" not in wanted or len(wanted) != len(got):
        return False
    old = [w if w == "NaN" and g in ("0", "0.0") else g for w, g in zip(wanted, got, strict=True)]
    return are_same_tokens(wanted, old)


def _is_cut_among_equals(stored: str, new: str, source: str) -> bool:
    """Whether a sorted column is shown as far as several rows of one value, of which the release gives any: `sort_values` keeps no order of equal ones."""
    tables = read_table(stored), read_table(new)
    if not re.search(r"\b(?:sort_values|value_counts)\(.*\.head\(", source) or not all(
        t and t.is_series for t in tables
    ):
        return False
    old, now = ([(row[:-1], row[-1]) for row in t.rows if row] for t in tables if t)
    if len(old) < 2 or [value for _, value in old] != [value for _, value in now]:
        return False
    last = old[-1][1]
    return old[-2][1] == last and sorted(r for r in old if r[1] != last) == sorted(r for r in now if r[1] != last)


def _count_computed(stored: Sequence[Output], source: str) -> int:
    """Tokens of the stored output that say something of what was computed: numbers, and words of a result, that do not stand
    in the cell itself. ``Saving figure ridge_plot`` is printed whatever the cell computes; words count of what is printed where the
    cell uses nothing but what it defines. Where all stand there, as many numbers as
    tell of a new order: ``transpose([[1, 2], [3, 4]])`` gives what it was given, and yet computes; or the lines of a drawing."""
    given = find_words(source)
    results = [o for o in stored if o.output_type != "stream" or _is_self_contained(source)]
    printed = [token for token in split_tokens(join_texts(stored)) if is_number(token)]
    fresh = sum(
        token not in given for token in (*printed, *(w for w in split_tokens(join_texts(results)) if w.isidentifier()))
    )
    reordered = _count_reordered(printed, [token for token in split_tokens(source) if is_number(token)])
    return fresh or reordered or _count_drawn(join_texts(stored), source)


def _is_built(shown: str, source: str) -> bool:
    """Whether an output is one collection of several values, none of which need be new, that does not stand so in the cell: ``(3, 4, 7)`` of
    ``f(3, 4, 7)`` does. A slip gives such a value by luck less easily than one of its words."""
    try:
        tree = parse_expression(shown)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    values = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    if not isinstance(tree, ast.List | ast.Tuple | ast.Set | ast.Dict) or len(values) < BUILT or len({*values}) < 2:
        return False
    tokens, written = ([_BRACKETS.get(t, t) for t in split_tokens(text)] for text in (shown, source))
    return all(written[n : n + len(tokens)] != tokens for n in range(len(written) - len(tokens) + 1))


def _is_self_contained(source: str) -> bool:
    """True for a cell that reads no name but Python's own and those that it binds: what it prints, it has made."""
    names = src.find_names(source)
    return not names.imports and not (names.uses | names.changes) - names.binds - _BUILTINS


def _count_drawn(text: str, source: str) -> int:
    """Lines of a drawing (a triangle of stars), which are made of signs alone and differ; 0 for a rule or two between parts of an output."""
    lines = {line.rstrip() for line in text.splitlines() if _DRAWN.fullmatch(line)}
    computed = [line for line in lines if line.strip() not in source]
    return len(computed) if len(lines) >= DRAWING and len(computed) > 1 else 0


def _count_reordered(printed: list[str], given: list[str]) -> int:
    """Numbers of an output that are those of its cell in another order; 0 where there are too few to tell that from chance, or where
    they stand in the cell as they are."""
    size = len(printed)
    if len(set(printed)) < ORDERED:
        return 0
    windows = [given[at : at + size] for at in range(len(given) - size + 1)][:WINDOWS]
    reordered = printed not in windows and any(sorted(window) == sorted(printed) for window in windows)
    return size if reordered else 0


def _measure_similarity(wanted: Sequence[str], got: Sequence[str], given: Collection[str]) -> float:
    """The share of tokens that match in order, long outputs cut to their first 2,000 tokens.

    What stands in the cell is printed whatever it computes: `total: 20` is nothing like `total: 30`.
    """
    computed = [
        [t for t in tokens if t not in given and (t.isidentifier() or is_number(t))] for tokens in (wanted, got)
    ]
    one, other = computed if all(computed) else (wanted, got)
    matcher = difflib.SequenceMatcher(None, one[:2000], other[:2000], autojunk=False)
    return round(matcher.ratio(), 3)


def read_expected_output(case: Case, trial: Trial, patch: Patch = BASELINE) -> tuple[Part, ...]:
    """How a trial meets the stored output, alone in a tuple, where that is the user's word; nothing where none can be compared."""
    at = case.notebook.index(case.failure.cell_id)
    if at < 0 or not find_oracle(case).as_stored:
        return ()
    compared = compare(case.notebook.cells[at], list_all_outputs(case, trial, patch))
    why = f"stored {show_value(compared.stored, SHOWN)}, now {show_value(compared.got, SHOWN)}"
    return (
        (Part("stored output", not compared.differs, why if compared.differs else ""),) if compared.can_decide else ()
    )


class StoredOutput:
    """The oracle of the output that the notebook holds from when the cell last ran."""

    def list_steps(self, case: Case, patch: Patch, config: HealConfig) -> tuple[Step, ...]:
        return ()

    def add_evidence(self, evidence: Evidence, case: Case, patch: Patch, trial: Trial) -> Evidence:
        failure = case.failure
        if find_oracle(case).as_stored:
            return replace(evidence, user=(*evidence.user, *read_expected_output(case, trial, patch)))
        if case.notebook.index(failure.cell_id) < 0 or failure.kind is FailureKind.MISSED:
            return evidence  # what a wrong program left in the notebook is no oracle
        cell = case.notebook.cell(failure.cell_id)
        compared = compare(replace(cell, stale=False), list_all_outputs(case, trial, patch))
        if cell.stale and not (compared.same and compared.tells and patch.healer != "search"):
            compared = NOTHING  # the same value comes of the same state; a search would find one that makes up for what is lost
        if compared.same and compared.tells and "\n" not in compared.stored and shows_size_alone(case, patch):
            compared = replace(compared, computed=0, built=False)  # it is the same whatever the patch puts there
        if compared.differs and is_passing(cell, case.notebook):
            compared = NOTHING
        return replace(evidence, output=compared)
