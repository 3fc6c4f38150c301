"""A failure that comes by chance: what it hangs on, and what may be done about that."""

from __future__ import annotations

from jupyter_selfheal.healers.rules.context import RuleContext
from jupyter_selfheal.healers.triage.left_alone._checks import Remedies
from jupyter_selfheal.model import Diagnosis, Locus, Repeats, SkipReason
from jupyter_selfheal.source import chance

_ADVICE = {
    chance.RANDOM: "Set a seed to have the same numbers in every run, or make the code right for every draw.",
    chance.SYSTEM: "Make the code right for every value, or try again where it fails.",
    chance.CLOCK: "Take the time as an argument, or wait for what the code needs.",
    chance.THREADS: "Wait for the threads (`join`, a lock, a queue) before using what they make.",
    chance.PROGRAMS: "Wait for the program (`wait`, `communicate`, or `subprocess.run`) before asking what it did.",
    chance.ADDRESSES: "Do not rely on `id`: it is another one in every run.",
    chance.NETWORK: "Try again with a pause where the network fails.",
    chance.SET_ORDER: "Sort the set before its order matters: `sorted(…)`.",
}
"""What may be done about each thing that a cell draws on."""

_UNKNOWN = "Find out what differs between its runs: a seed, the clock, threads, the order of a set, the network."


def diagnose_flaky(context: RuleContext, remedies: Remedies) -> Diagnosis | None:
    """A cell that fails in some runs from one state and not in others, or that did not fail again."""
    repeats = context.case.repeats
    if not repeats.is_flaky:
        return None
    cause = f"This cell is flaky: it {repeats.words}{_explain_repeats(repeats)}."
    advice = " ".join(dict.fromkeys(_ADVICE[s] for s in repeats.sources if s in _ADVICE)) or _UNKNOWN
    return Diagnosis(cause, Locus.CODE, context.failure.cell_id, 95, SkipReason.FLAKY, advice)


def _explain_repeats(repeats: Repeats) -> str:
    sources = repeats.sources
    if not sources:
        return ""
    listed = " and ".join(filter(None, (", ".join(sources[:-1]), sources[-1])))
    return f", as it depends on {listed}"
