"""Rules ask about all statements of a cell at once: a question costs a fork of the state, however short it is."""

from __future__ import annotations

from jupyter_selfheal.healers.rules.healer import RulesHealer
from jupyter_selfheal.model import JSON, Case, Cell, Failure, FailureKind, Notebook
from jupyter_selfheal.ports import Starts


class CountingFacts:
    """Counts what is asked, and knows nothing."""

    def __init__(self) -> None:
        self.count = 0

    def ask(self, source: str, argument: JSON = None) -> JSON:
        self.count += 1
        return None


def count_questions(lines: int) -> int:
    text = "x = 1\n" + "".join(f"a{n} = x{n} + {n}\nx{n + 1} = {n} * 3\n" for n in range(lines)) + "assert x == 2\n"
    last = text.count("\n")
    failure = Failure("c", text, FailureKind.RAISED, "AssertionError", line=last, statement=last - 1)
    facts = CountingFacts()
    RulesHealer().propose(Case(failure, Notebook((Cell("c", text),))), Starts(), facts, ())
    return facts.count


def test_no_more_is_asked_of_a_long_cell() -> None:
    assert 0 < count_questions(200) == count_questions(5) < 15
