"""What a patch loses, in words: a name that a check asks about, the items of which only the length is left, the call that a function made of itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from jupyter_selfheal.inside.search.given_back import find_given_back
from jupyter_selfheal.inside.search.idle_loops import find_fewer_rounds
from jupyter_selfheal.inside.search.lost_names import (
    find_counted_name,
    find_doubled_name,
    find_dropped_name,
    find_exchanged_call,
    find_left_unread,
    find_lost_name,
    find_lost_recursion,
    find_unread_items,
)
from jupyter_selfheal.inside.search.program import Unit
from jupyter_selfheal.inside.search.set_orders import find_set_order


def describe_loss(
    texts: Mapping[int, str], units: Sequence[Unit], others: Iterable[Mapping[int, str]], *, crashed: bool
) -> str:
    """The first thing that is lost with the new ``texts`` of units, or that a caller may have mixed up; ``others`` are the texts of other patches that meet
    the checks, and ``crashed`` says that the failure is an exception. Empty where there is none."""
    if lost := find_lost_name(texts, units):
        return f"a check asks about `{lost}`, which is no longer read"
    if doubled := find_doubled_name(texts, units):
        return f"`{doubled}` is combined with itself"
    if called := find_lost_recursion(texts, units):
        return f"`{called}` no longer calls itself"
    if not crashed and (dropped := find_dropped_name(texts, units)):
        return f"`{dropped}` is no longer read, and nothing else in its place"
    changes = ((units[k].text, text) for k, text in texts.items()) if crashed else ()
    if rounds := next((r for old, text in changes if (r := find_fewer_rounds(old, text))), ""):
        return f"what raised is only not reached with `{rounds}`"
    if unread := find_unread_items(texts, units):
        return f"of `{unread}` nothing but its length is read"
    if counted := find_counted_name(texts, units):
        return f"of `{counted}` no value is asked, but how much there is"
    if left := find_left_unread(texts, units):
        return f"`{left}` is worked out, and what is returned is not made of it"
    if handed := find_given_back(texts, units):
        return f"`{handed}` is what the check expects in its result"
    if ordered := find_set_order(texts, units):
        return f"the order of `{ordered}` is by chance"
    call = find_exchanged_call(texts, units, others)
    return f"the arguments of `{call}` may be in the wrong order" if call else ""
