"""Readings as patches, each with what speaks against it: another reading that may be meant."""

from __future__ import annotations

import difflib
import itertools
import math
import re
from collections.abc import Sequence

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.syntax.idle_parts import find_idle_part
from jupyter_selfheal.healers.syntax.objections import object_in_notebook
from jupyter_selfheal.healers.syntax.readings import Reading
from jupyter_selfheal.healers.syntax.token_edits import COMPARISONS, OPERATORS
from jupyter_selfheal.healers.syntax.tokens import COMMENT, NEWLINE, split_tokens
from jupyter_selfheal.model import JSON, Applicability, Attempt, Case, Patch, Replace

OFFERED = 3
"""Readings that are offered where nothing tells which is meant."""
PATCHES = 6
"""Sources that meet the oracle and are tried as patches."""
NEAR = 1.0
"""A reading that costs no more than this beyond the cheapest one is as likely meant."""
AS_LIKELY = 0.15
"""Of two readings that pass and cost no more apart than this neither is applied."""
BETWEEN_VALUES = OPERATORS | COMPARISONS | {"and", "or", "in"}
"""Operators that may be put between two values: of two that pass in the same gap neither is applied, whatever they cost."""
WHY = "The cell can be read in more than one way; what is expected of it tells which is meant."
WHY_UNRUN = f"{WHY} A part that stays as it was did not run."
GUESSED = "another value in its place may be meant that gives the same"
LIKELIER = "a likelier way to read the cell prints the same"
_LOST_WORD = re.compile(r"`[\w\"'].*` is too much$")
"""In the words of an edit that deletes a word, a number or a text: ``elif`` with nothing behind it."""
_MOVED = re.compile(r"` belongs behind the `=`$")
"""In the words of an edit that moves what makes a number or a text: ``str(rev) = word[::-1]``, which is a text already."""
CUT_TEXT = "signs of the cell were taken out, and what is left became a text"
UNKNOWN = "The cell parses again, but nothing tells whether this is what was meant."


def build_passing(case: Case, readings: Sequence[Reading], replies: Sequence[JSON]) -> list[Patch]:
    """The sources that meet the oracle. Behind one that is doubted each is: the likelier may be right all the same."""
    used = list_used_below(case)
    patches: list[Patch] = []
    cost = 0.0  # what comes first is shown first
    said = {id(r): (*readings[r["reading"]].words, *r["words"]) for r in replies}
    for raw in replies[:PATCHES]:
        words = said[id(raw)]
        rival = raw["rival"] or find_idle_part(raw["text"], used)
        rival = rival or (GUESSED if readings[raw["reading"]].guessed else "")
        rival = rival or next((f"{w}, and may be the beginning of something" for w in words if _LOST_WORD.match(w)), "")
        rival = rival or next((f"{w}, and may be meant of another value" for w in words if _MOVED.search(w)), "")
        rival = rival or (CUT_TEXT if _makes_text_of_less(words) else "")
        rival = rival or object_in_notebook(raw["text"], case.failure, case.notebook)
        if not rival and any(p.rival for p in patches):
            rival = LIKELIER
        others = (r for r in replies if r is not raw)
        other = next(
            (
                r
                for r in others
                if abs(r["cost"] - raw["cost"]) < AS_LIKELY
                or _differ_in_operators(raw["text"], words, r["text"], said[id(r)])
            ),
            None,
        )
        if not rival and other:
            rival = (
                f"the cell can also be read as {_quote_change(case.failure.source, other['text'])}, and prints the same"
            )
        why = WHY_UNRUN if raw.get("unrun") else WHY
        cost = max(cost + 0.01, float(raw["cost"]))
        patches.append(build_patch(case, raw["text"], words, cost, why, rival))
    return patches


def put_unlike_first(replies: Sequence[JSON]) -> list[JSON]:
    """The likeliest source, what mends the form of its numbers, and of the others first those that do something else for other inputs: a second one
    that does the same tells nobody anything."""
    programs: dict[str, JSON] = {}
    for raw in replies:
        programs.setdefault(src.canonicalise(raw["text"]), raw)
    kept = list(programs.values())
    leaders: dict[object, JSON] = {}
    for raw in kept:
        known = raw.get("behaviour")
        leaders.setdefault(id(raw) if known is None else f"{known}", raw)
    unlike = [r for r in leaders.values() if not r.get("form")]
    return [
        *unlike[:1],
        *(r for r in kept if r.get("form")),
        *unlike[1:],
        *(r for r in kept if r not in leaders.values()),
    ]


def _makes_text_of_less(words: Sequence[str]) -> bool:
    """``if c in [a, e:`` as ``if c in "a e":``."""
    return any(w.startswith("the quotes around") for w in words) and any(w.endswith("is too much") for w in words)


def _differ_in_operators(text: str, words: Sequence[str], other: str, other_words: Sequence[str]) -> bool:
    """Whether two sources have other operators in the gaps that were filled, and nothing else: that a sum is written more often than a
    product does not say which was meant where both give the same."""
    one, two = ([t.text for t in split_tokens(s) if t.kind not in (COMMENT, NEWLINE)] for s in (text, other))
    pairs = {(a, b) for a, b in zip(one, two, strict=False) if a != b}
    put_in = all(
        any(w.startswith(f"`{sign}` is missing") for w in told)
        for a, b in pairs
        for sign, told in ((a, words), (b, other_words))
    )
    return len(one) == len(two) and bool(pairs) and put_in and all({a, b} <= BETWEEN_VALUES for a, b in pairs)


def build_patch(case: Case, source: str, words: Sequence[str], cost: float, why: str, rival: str = "") -> Patch:
    """A reading as a patch: ``words`` say what was mended, ``cost`` how unlikely that is."""
    cause = "; ".join(dict.fromkeys(words))
    return Patch(
        (Replace(case.failure.cell_id, case.failure.source, source),), title=cause[:1].upper() + cause[1:], cause=cause,
        healer="search", applicability=Applicability.UNSAFE, why=why, prior=0.9 * math.exp(-0.15 * cost),
        rival=rival, weight=rate_cost(cost),
    )  # fmt: skip


def rate_cost(cost: float) -> float:
    """How likely what costs so much is, 0 to 1: all that a slip of the pen costs is as likely as can be."""
    return min(1.0, math.exp(-0.15 * max(cost - 1.0, 0.0)))


def offer_readings(case: Case, readings: Sequence[Reading], history: Sequence[Attempt]) -> tuple[Patch, ...]:
    """The likeliest readings, each with the one that it must be told from. One with a value that nobody knows is none."""
    tried = {a.patch.id for a in history}
    least = readings[0].cost
    if readings[0].guessed:
        return ()
    readings = [r for r in readings if not r.guessed]
    likely = (r for r in readings if r.cost <= least + NEAR)
    meant = (r for r in likely if r is readings[0] or not object_in_notebook(r.source, case.failure, case.notebook))
    near = list(itertools.islice(meant, OFFERED))
    patches = []
    for reading in near:
        other = next((r for r in near if r is not reading), None)
        rival = f"the cell can also be read as {_quote_change(case.failure.source, other.source)}" if other else ""
        patches.append(build_patch(case, reading.source, reading.words, reading.cost, UNKNOWN, rival))
    return tuple(p for p in patches if p.id not in tried)


def _quote_change(old: str, new: str) -> str:
    """The first line that a reading changes, as it makes it."""
    lines = difflib.ndiff(old.splitlines(), new.splitlines())
    changed = [(line[:2], line[2:].strip()) for line in lines if line[:2] in ("+ ", "- ")]
    added = next((text for sign, text in changed if sign == "+ "), "")
    return f"`{added[:80]}`" if added or not changed else f"nothing in place of `{changed[0][1][:80]}`"


def list_used_below(case: Case) -> frozenset[str]:
    """What the cells below read."""
    below = case.notebook.list_code_after(case.failure.cell_id)
    return frozenset[str]().union(*(src.find_names(c.source).uses for c in below))
