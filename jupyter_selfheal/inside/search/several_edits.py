"""Why several edits together may still not be what is meant: with enough of them, some fit any handful of checks.

Seen on Refactory, questions 1 and 2: two edits of one function that fit all 17 checks were ``xs[1::3]`` for ``xs`` and the like;
what was right were two likely slips, or one slip in each of two functions, which other checks tell of.
"""

from __future__ import annotations

from jupyter_selfheal.inside.search.candidates import Candidate

TOGETHER, TOGETHER_OF_MANY = 0.25, 0.18
"""The least weight (geometric mean) of two edits of one statement or function that are applied together; and where ``MANY`` checks decide."""
APART = 0.06
"""The same of edits in different ones."""
MOST_IN_ONE = 2
"""Edits of one statement or function beyond which they are only offered."""
EACH_OF_MORE = 3
"""With more checks that newly pass for each, and where all of them are likely, there may be one edit more."""
PER_EDIT = 2
"""Checks that must newly pass for each of several edits; of one slip, for each statement or function that has it."""
MANY = 5
"""Checks for each of them, passing ones too, with which one that newly passes is enough."""

POWER = "**"
"""An operation that few functions have, and that any handful of results can be bent with."""


def describe_doubt_of_several(candidate: Candidate, failed: int, checks: int = 0, before: str = "") -> str:
    """The doubt in words; empty for a single edit, or where each is likely and brought checks of its own, as far as its text alone does not speak for it.

    ``before`` is the text of what it changes, ``failed`` is the number of checks that failed before, ``checks`` that of all; one that repeats another is no second one.
    """
    if candidate.edits < 2 or (candidate.is_anew and len(candidate.texts) == 1):
        return ""
    if before.count(POWER) < sum(text.count(POWER) for text in candidate.texts.values()):
        return f"several changes together, of which one takes a power (`{POWER}`), may fit the checks by chance"
    apart = len(candidate.texts) if candidate.is_slip else max(1, candidate.edits - candidate.spoken_for)
    is_well_checked = checks >= MANY * apart
    if failed < (apart if is_well_checked else PER_EDIT * apart):
        return f"{candidate.edits} changes together fit {failed} failing checks too easily"
    in_one = candidate.edits - len(candidate.texts) + 1
    needed = APART if in_one == 1 else TOGETHER_OF_MANY if is_well_checked else TOGETHER
    likely = max(candidate.weight, 0.0) ** (1 / candidate.edits)
    most = MOST_IN_ONE + candidate.spoken_for + (failed > EACH_OF_MORE * apart and likely >= TOGETHER)
    if not candidate.is_slip and (in_one > most or likely < needed):
        return f"{candidate.edits} changes together, none of them likely by itself, may fit the checks by chance"
    return ""
