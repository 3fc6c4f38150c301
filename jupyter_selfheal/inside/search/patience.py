"""When a search stops because little more is to be expected: counted in changes, so that a busy machine stops at the same one.

Of 222 programs whose fix the search found in ``benchmarks/rows`` (QuixBugs, Refactory, DebugBench, HumanEval, MBPP; 23 and 24 November
2026), 219 had it among the first 2,400 changes; the other three needed several edits, each of which stood among the first 4,000 by
itself. Of the 167 programs without a fix many tried 15,000 to 55,000.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jupyter_selfheal.inside.search.candidates import Candidate
from jupyter_selfheal.inside.search.run_result import OK, Result

LIKELIEST, PER_LINE, MOST = 4_000, 100, 6_000
"""Single changes that are tried, best first: so many, or so many for each suspicious line, but no more than ``MOST``."""
SUSPICIOUS = 0.7
"""Share of the greatest suspicion from which a line counts for that."""
GO_ON, CUT = 800, 25
"""Candidates tried after the first plausible one, so that there is something to rank: one that is cut counts as so many."""
FURTHER = 2_000
"""Changes that are tried in one round of several edits."""
LAST = 13_000
"""Candidates in all after which neither pairs of likely changes nor new bodies are tried: who has waited so long has waited enough."""
LAST_SECONDS = 5.0
"""CPU seconds, and the seconds of the setting as steps, for both of these; less where those before them left less of the setting."""
FULL_SECONDS = 20.0
"""The setting for which these hold; who sets a longer search gets more of them, in proportion."""
TRACED = 50_000
"""Steps the program may take as it is while its lines are looked at, until a check of it counts as looping."""
VARIED = 3
"""Failing checks that one literal written into the code does not make pass unless it belongs there."""
GO_ON_STEPS = 8_000_000
"""Steps for what comes after the first plausible candidate, or a quarter of what it took to find it."""
UNITED_AFTER = (1_200, 2_400)
"""Single changes after which those that together mend all that fails are united, before less likely ones are tried."""
FIRST_FINISHED = 8
"""And of those that were cut while nothing else spoke against them, how many are given more steps then: where the checks take long, each candidate does."""
FIRST_ROUNDS, ROUNDS_AGAIN = 2, 2
"""Rounds of several edits before what was cut is tried again; and rounds without a gain after which there is no more."""
NET, CLOCK = 0.8, 3.0
"""CPU seconds, and seconds on the clock, for each second of the setting, after which a search ends whatever it counts, so that what it found
is ranked and tried within the setting too: 8 live, 16 in a batch. Of what the search finds nearly all comes in the first 4."""
LEAST_NET, LEAST_CLOCK = 5.0, 30.0
"""And the least that each is, so that a search of few steps gives the same answer on a busy machine too."""
UNFOUND = 0.4
"""The same while nothing passes: 8 CPU seconds in a batch. Of 163 fixes (HumanEvalFix, Refactory 1-2, course functions of our own; 27 November 2026,
e1caef56) 64 % came in the first 0.25, 86 % in 0.5, 93 % in 1, 98 % in 2, 99 % in 3 and the last in 4.6: after 5 the chance is below 0.2 % for a second."""
ENOUGH_SINGLES = 0.5
"""Share of the steps after which several edits are tried, where every candidate tells which checks it makes pass."""
ENOUGH_FINISHED = 0.7
"""And the share after which those are left that were cut while all their other checks passed."""
LOOK = 200_000
"""Steps for looking at what fails in a state of several edits."""
RANKED = 8_000_000
"""Steps for comparing what was found."""
LEAST_STEPS, MOST_STEPS, WORTH = 8_000, 25_000, 50
"""Steps for a candidate while screening: so many times what the program takes as it is, within these; ``MOST_STEPS`` where it does not end."""
ENDLESS_STEPS = 1_500
"""And where it is seen to loop without end: most candidates do so too, and what comes to its end is mostly quick."""
RUSHED = "the search had to end before it had tried the changes that are as likely"
"""What is said of a fix that was found then."""


def count_singles(suspicion: Mapping[int, Mapping[int, float]], seconds: float, is_endless: bool = False) -> int:
    """Single changes that are worth trying, by how far fault localisation points: to few lines, or to nearly all of them. Of a program that loops
    without end they cost far more: fewer, and pairs come sooner."""
    if is_endless:
        return _scale_count(UNITED_AFTER[-1], seconds)
    scores = [score for lines in suspicion.values() for score in lines.values()]
    least = SUSPICIOUS * max(scores, default=0.0)
    near = sum(1 for score in scores if score >= least)
    return _scale_count(min(max(LIKELIEST, PER_LINE * near), MOST), seconds)


def count_least(base: Result, is_endless: bool = False) -> int:
    """Steps that each candidate may take while screening: few where the program as it is takes few, and comes to its end, or never does."""
    if is_endless:
        return ENDLESS_STEPS
    if base.status != OK or base.cut:
        return MOST_STEPS
    return min(max(WORTH * base.steps, LEAST_STEPS), MOST_STEPS)


def count_further(seconds: float) -> int:
    """Changes that are worth trying in one round of several edits."""
    return _scale_count(FURTHER, seconds)


def find_last(plausible: Sequence[int], late: Sequence[int]) -> int:
    """Rank of the last candidate that is tried, by the ranks of the plausible ones and of those that were cut."""
    first = min(plausible)
    last = first + GO_ON
    for cut in sorted(rank for rank in late if rank > first):
        if cut > last:
            break
        last = max(last - CUT + 1, cut)
    return last


def _scale_count(count: int, seconds: float) -> int:
    return int(count * max(1.0, seconds / FULL_SECONDS))


def describe_failure(
    base: Result, partial: Sequence[Candidate], left: int, ended: float = 0.0, groundless: int = 0
) -> str:
    """How near a search came that found nothing, how many changes it did not try (``left``), and after how many CPU seconds it was ``ended``
    (0: it came to its end). Of ``groundless`` ones the cell runs, and nothing else speaks for them."""
    if groundless:
        changes = f"{groundless} change{'s' * (groundless != 1)}"
        return f"the cell runs with {changes}, and nothing else speaks for {'any of them' if groundless > 1 else 'it'}"
    rest = f"; {left:,} less likely changes were not tried" if left > 0 else ""
    if ended:
        rest += f"; ended after {ended:.0f} s, as nearly all that is found comes in the first 5"
    if not partial:
        return "no candidate passes" + (", and none makes a failing check pass" if base.failed > 1 else "") + rest
    best = min(base.failed, *(c.result.failed for c in partial))
    return f"no candidate passes: of {base.failed} failing checks the best leaves {best}{rest}"
