"""Edits that nobody means are no rivals of those that somebody does, and what only fits the one check comes behind what computes."""

from __future__ import annotations

import ast

import pytest

from jupyter_selfheal.inside.search.mutations.mirrored import propose_of_all
from jupyter_selfheal.inside.search.propose_mutations import list_changes
from jupyter_selfheal.inside.search.scope import ITEMS, TEXT, Hints, Scope
from jupyter_selfheal.inside.search.strange_results import measure_strangeness
from tests.unit.healers.search.searching import find


def list_texts(body: str, **kinds: str) -> set[str]:
    """The new texts of all single changes of a function's body; ``kinds`` are those of its parameters."""
    hints = Hints(kinds={name: frozenset({kind}) for name, kind in kinds.items()})
    scope = Scope(f"def f({', '.join(kinds)}):\n{body}\n", hints)
    return {new.strip("()") for c in list_changes(scope) if len(c.edits) == 1 for _, _, new in c.edits}


def test_nothing_is_taken_out_of_a_copy() -> None:
    taken = list_texts("    last = xs.pop()\n    return last, ys", xs=ITEMS, ys=ITEMS)
    assert "ys" in taken
    assert not taken & {"set(xs", "sorted(xs", "xs[:-1]", "xs.copy"}
    assert {"set(xs", "sorted(xs"} <= list_texts("    return xs.count(1)", xs=ITEMS)
    assert "sorted(xs" in list_texts("    return pop(xs)", xs=ITEMS)
    assert "xs[:-1]" in list_texts("    return xs", xs=ITEMS)


@pytest.mark.parametrize(("place", "is_taken"), [("-1", True), ("0", True), ("'city'", False), ("-x", False)])
def test_what_is_asked_for_by_a_text_is_not_something_of_all(place: str, is_taken: bool) -> None:
    scope = Scope(f"def f(row, x):\n    return row[{place}]\n", Hints(kinds={"row": frozenset({ITEMS})}))
    (node,) = (n for n in scope.order if isinstance(n, ast.Subscript))
    new = {text for change in propose_of_all(scope, node) for _, _, text in change.edits}
    assert ("(max(row))" in new) is is_taken


def test_nothing_is_written_into_a_copy() -> None:
    assert "f(xs" not in list_texts("    xs[0] = 1\n    return 2", xs=ITEMS)
    assert "f(xs" in list_texts("    return xs[0]", xs=ITEMS)
    assert "ys" in list_texts("    xs[0] = 1\n    return ys", xs=ITEMS, ys=ITEMS)


def test_what_a_builtin_gives_is_of_the_kind_that_it_is_compared_with() -> None:
    texts = list_texts("    return word == 'no'", word=TEXT)
    assert not texts & {"len(word", "sorted(word", "list(word"}
    assert {"str(word", "word.lower"} <= texts
    assert "len(word" in list_texts("    return word == 3", word=TEXT)
    assert "len(word" in list_texts("    return word == other", word=TEXT, other=TEXT)
    assert "sorted(word" in list_texts("    return word in 'no'", word=TEXT)


def test_of_a_single_letter_nothing_is_cut_or_sorted() -> None:
    loop = "    for c in text:\n        if c in seen:\n            return c"
    texts = list_texts(loop, text=TEXT, seen=TEXT)
    assert not texts & {"sorted(c", "c[1:]", "c[::-1]", "c.split"}
    assert {"c.lower", "text[1:]"} <= texts
    assert "c[1:]" in list_texts(loop, text=ITEMS, seen=ITEMS)
    assert "c[1:]" in list_texts(loop.replace("in text", "in words()"), text=TEXT, seen=TEXT)
    again = f"    for c in words():\n        print(c)\n{loop}"
    assert "c[1:]" in list_texts(again, text=TEXT, seen=TEXT)


@pytest.mark.parametrize(
    ("shown", "before", "odd"),
    [
        (["False"] * 4, ["True", "False", "True", "True"], 1.0),
        (["False"] * 4, ["False"] * 4, 0.0),
        (["False"] * 3 + ["True"], ["True", "False", "True", "True"], 0.0),
        (["0"] * 4, ["0", "!ValueError", "0", "!ValueError"], 0.0),
    ],
    ids=["one answer for all", "as before", "another", "errors before"],
)
def test_a_change_with_which_every_answer_is_the_same_is_strange(
    shown: list[str], before: list[str], odd: float
) -> None:
    assert measure_strangeness(shown, before, frozenset()) == odd


LARGEST = """\
def largest_run(xs):
    here = best = 0
    for x in xs:
        here = here + x
        best = max(best, here)
    return best
"""


def test_what_only_moves_every_result_comes_behind_what_computes() -> None:
    reply = find(LARGEST, "assert largest_run([4, -5, 2, 1, -1, 3]) == 5")
    texts = [str(p["texts"]) for p in reply["patches"]]
    moved = next(n for n, text in enumerate(texts) if "return best + 1" in text)
    meant = next(n for n, text in enumerate(texts) if "max(0, here + x)" in text)
    assert meant < moved


def test_a_number_of_items_is_seldom_the_largest_of_them() -> None:
    scope = Scope("def f(xs, n):\n    return n // len(xs)\n")
    priors = {c.edits[0][2]: c.prior for c in list_changes(scope) if c.edits[0][2] in ("sum", "max", "min")}
    assert priors["max"] == priors["min"] < priors["sum"]
    swapped = Scope("def f(xs):\n    return min(xs)\n")
    assert next(c.prior for c in list_changes(swapped) if c.edits[0][2] == "max") == priors["sum"]


JOINED = "def joined(words):\n    return ' '.join(words)"
GREET = "def greet(name):\n    if name == 'me':\n        return 'me'\n    return name or 'you'"


@pytest.mark.parametrize(
    ("definition", "checks", "words", "doubted"),
    [
        (JOINED, "assert joined(['a', 'b', 'c']) == 'abc'\nassert joined([]) == ''", "`' '` should be `''`", False),
        (GREET, "assert greet('') == 'me'\nassert greet('Bo') == 'Bo'", "should be `'me'`", True),
        (GREET, "assert greet('') == 'me'\nassert greet('you') == 'you'", "should be `'me'`", True),
        (GREET, "assert greet('') == 'me'\nassert greet('Bo') == 'Bo'\nassert greet('Al') == 'Al'", "should be `'me'`", True),
        (GREET, "assert greet('') == 'me'\nassert greet('me') == 'me'", "should be `'me'`", False),
    ],
    ids=["of nothing", "of it alone", "of one that gives another", "of others", "of another"],
)  # fmt: skip
def test_a_text_that_another_check_expects_and_got_is_no_answer_of_one(
    definition: str, checks: str, words: str, doubted: bool
) -> None:
    patches = [p for p in find(definition, checks)["patches"] if words in p["words"]]
    assert patches
    assert any("is only known to be right for the one check" in p["rival"] for p in patches) == doubted


HALVES = "def root(f, low, high):\n    for _ in range(60):\n        middle = (low + high) / 2\n        if f(low) * f(middle) <= 0:\n            high = {}\n    return round(middle, 6)\n"
ROOTS = "assert root(lambda x: x - 1, 0, 4) == 1\nassert root(lambda x: x * x - 4, 0, 5) == 2\n"


def test_what_a_loop_replaces_by_another_value_is_no_counter() -> None:
    """``high += 1`` passed the two checks by luck, and stood first."""
    best = find(HALVES.format("middle"), ROOTS)["patches"][0]
    assert best["words"] == "`else: low = middle` is missing"
    priors = [
        next(c.prior for c in list_changes(Scope(HALVES.format(value))) if c.words == "`high += 1` is missing")
        for value in ("middle", "0")
    ]
    assert priors[0] < priors[1] / 5


@pytest.mark.parametrize(("keyword", "is_left_out"), [("size", False), ("shape", False), ("scale", True)])
def test_how_many_values_are_drawn_is_not_left_out(keyword: str, is_left_out: bool) -> None:
    """One number runs wherever an array is reckoned with, and is another simulation."""
    texts = list_texts(f"    return draw(0, {keyword}=t)", t=ITEMS)
    assert ("draw(0" in texts) is is_left_out


def test_what_is_written_down_is_not_cut_right_there() -> None:
    written = {t for t in list_texts("    return max([3, 1, 2])") if t.startswith("[3, 1, 2][")}
    assert written
    assert not {t for t in written if ":" in t and "[::-1" not in t}
    assert "xs[1:]" in list_texts("    return max(xs)", xs=ITEMS)
    assert "g(x)[1:]" in list_texts("    return g(x)", x=TEXT)


def weigh_kept(body: str) -> float:
    """The weight of ``s = s.…`` for a method whose result is dropped, as a share of that of returning it."""
    changes = [c for c in list_changes(Scope(f"def f(s, t):\n{body}\n")) if len(c.edits) == 1]
    kept = max(c.prior for c in changes if c.edits[0][2] == "s = ")
    return kept / max(c.prior for c in changes if c.edits[0][2] == "return ")


def test_a_text_that_is_returned_below_is_changed_and_not_returned_at_once() -> None:
    assert weigh_kept("    for c in t:\n        s.replace(c, '')\n    return s") > 1


@pytest.mark.parametrize(
    "body",
    [
        "    for c in t:\n        s.replace(c, '')\n    return t",
        "    s.replace(t, '')",
        "    s.pop(t)\n    return s",
    ],
)
def test_what_is_not_returned_below_or_no_text_is_as_likely_as_before(body: str) -> None:
    assert weigh_kept(body) < 1
