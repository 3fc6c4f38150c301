"""A function that is to sort by itself is not mended by `sorted`."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.propose_mutations import rank_changes
from jupyter_selfheal.inside.search.scope import Scope

BODY = "    out = cards[:]\n    for i in range(len(out)):\n        j = i\n        while j > 1 and out[j] < out[j - 1]:\n            out[j], out[j - 1] = out[j - 1], out[j]\n            j -= 1\n    return out\n"


def weigh(source: str) -> float:
    """The weight of the change to `sorted(cards)`."""
    lines = dict.fromkeys(range(20), 1.0)
    ranked = rank_changes(Scope(source), lines)
    return max(
        weight for weight, change in ranked if any(new.strip("()") == "sorted(cards" for _, _, new in change.edits)
    )


def test_what_sorts_by_itself_is_hardly_given_sorted_cards() -> None:
    assert weigh(f"def sort_cards(cards):\n{BODY}") < 0.3 * weigh(f"def arrange(cards):\n{BODY}")


@pytest.mark.parametrize(
    "body", ["    return cards[0]\n", "    for c in sorted(cards):\n        print(c)\n    return cards[0]\n"]
)
def test_what_has_no_loop_or_asks_for_it_already_may_well_lack_it(body: str) -> None:
    assert weigh(f"def sort_first(cards):\n{body}") == weigh(f"def first_of(cards):\n{body}")
