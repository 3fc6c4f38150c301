"""What a patch gives for inputs like the checked ones that nobody can have meant: nothing, or another value than before."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from jupyter_selfheal.inside.comparator import is_equal_text
from jupyter_selfheal.inside.search.compare_behaviour import Input
from jupyter_selfheal.inside.search.input_domain import is_related
from jupyter_selfheal.inside.search.strange_results import name_type
from jupyter_selfheal.inside.search.vary_checks import Variation

NOTHING = "None"


def describe_nothing(
    inputs: Sequence[Input | Variation],
    shown: Sequence[str],
    checked: Mapping[str, Sequence[tuple[Any, ...]]],
    has_domain: bool,
    expected: Collection[str],
) -> str:
    """The doubt about a patch with which an input like the ``checked`` ones gives nothing where each check expects something: a value of
    one of the ``expected`` types. ``has_domain`` where enough calls were checked to say which inputs are usual."""
    if not expected or "NoneType" in expected:
        return ""
    for given, now in zip(inputs, shown, strict=False):
        if now != NOTHING or not isinstance(given, Input) or not (given.is_covered or (given.is_usual and has_domain)):
            continue
        if is_related(given.arguments, checked.get(given.function, ())):
            return f"`{given.text}` gives nothing with it, and each check expects something"
    return ""


def describe_other_value(inputs: Sequence[Input | Variation], shown: Sequence[str], before: Sequence[str]) -> str:
    """The doubt about a patch of a crash with which a usual input gives another value than ``before``, where nothing failed. Where a
    check asks for another value than that of before, the old ones were no good."""
    told = zip(inputs, shown, before, strict=False)
    if any(
        isinstance(g, Input) and g.is_checked and "!" not in (a[:1], b[:1]) and not is_equal_text(a, b)
        for g, a, b in told
    ):
        return ""
    for given, now, then in zip(inputs, shown, before, strict=False):
        if not given.is_call or not given.is_usual or now[:1] == "!":
            continue
        if name_type(then) not in ("", "NoneType") and not is_equal_text(now, then):
            return f"`{given.text}` gives {now} with it and gave {then} before, where nothing failed"
    return ""
