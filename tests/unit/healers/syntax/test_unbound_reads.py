"""Names that nothing binds where they are read, though the value is there; and near misses, where the name is bound after all."""

from __future__ import annotations

import ast

import pytest

from jupyter_selfheal.inside.positions import LineTable, splice
from jupyter_selfheal.inside.search.name_changes import list_name_changes
from jupyter_selfheal.inside.search.unbound_reads import list_lost_reads, list_renamed_targets
from jupyter_selfheal.inside.tree_names import keep_nodes, list_defined_names, walk
from tests.unit.healers.syntax.readings import run


def _list_changed(source: str, *known: str) -> list[tuple[str, str]]:
    changes = list_renamed_targets(ast.parse(source), LineTable(source), frozenset(known))
    return [(splice(source, c.edits), c.kind) for c in changes]


MENDED = {
    "set a second time": (
        "w = 20\nw = w * 3\nprint(w, area)\n", "w = 20\narea = w * 3\nprint(w, area)\n", "guess",
    ),
    "set and overwritten": (
        "w = 2\nside = w + 1\nside = w * 3\nprint(side, area)\n", "w = 2\narea = w + 1\nside = w * 3\nprint(side, area)\n", "name",
    ),
    "a parameter": ("def f(n):\n    n = n + 1\n    return m\n", "def f(n):\n    m = n + 1\n    return m\n", "guess"),
}  # fmt: skip


@pytest.mark.parametrize(("source", "meant", "kind"), MENDED.values(), ids=MENDED)
def test_the_value_gets_the_name_that_is_read(source: str, meant: str, kind: str) -> None:
    assert (meant, kind) in _list_changed(source)


@pytest.mark.parametrize(
    "source",
    [
        "w = 20\nw = w * 3\nprint(w)\n",  # every name is bound
        "w = 20\nh = w * 3\nprint(w, area)\n",  # each is set once: which is meant is asked elsewhere
        "w = 20\nw = w * 3\nprint(w, len)\n",  # a builtin
        "print(area)\nw = 20\nw = w * 3\n",  # it is read before
        "w = 20\nw = w * 3\nprint(w, t)\n",  # a cell above has it
    ],
)
def test_what_is_bound_is_left_alone(source: str) -> None:
    assert _list_changed(source, "t") == []


LOST = {
    "set further down": ("n = 12\ns = str(rev)\nrev = s[::-1]\n", ("rev", 2), "n = 12\ns = str(n)\nrev = s[::-1]\n"),
    "set in a later round": (
        "def f(a):\n    for n in a:\n        if key in a:\n            key = n\n", ("key", 3),
        "def f(a):\n    for n in a:\n        if n in a:\n            key = n\n",
    ),
    "of a comprehension": (
        "def f(xs):\n    m = min(x for x in xs)\n    return x\n", ("x", 3), "def f(xs):\n    m = min(x for x in xs)\n    return m\n",
    ),
    "called": ("def f(xs):\n    m = [x for x in xs]\n    return m\nx([1])\nx([2])\n", ("x", 4), "def f(xs):\n    m = [x for x in xs]\n    return m\nf([1])\nf([2])\n"),
    "of another function": (
        "def f(n):\n    return n\ndef g(m):\n    return n\n", ("n", 4), "def f(n):\n    return n\ndef g(m):\n    return m\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("source", "lost", "meant"), LOST.values(), ids=LOST)
def test_a_name_that_a_run_does_not_find_is_one_in_sight(source: str, lost: tuple[str, int], meant: str) -> None:
    changes = list(list_lost_reads(ast.parse(source), LineTable(source), lost))
    assert splice(source, changes[0].edits) == meant
    assert {c.kind for c in changes} == {"guess"}


@pytest.mark.parametrize(
    ("source", "lost"),
    [("print(n)\n", ("n", 1)), ("n = 1\nprint(n)\n", ("m", 2)), ("xs = [n for n in []]\nprint(xs)\n", ("n", 1)), ("x = 1\nx()\ny()\n", ("y", 3))],
)  # fmt: skip
def test_where_nothing_is_in_sight_nothing_is_tried(source: str, lost: tuple[str, int]) -> None:
    assert list(list_lost_reads(ast.parse(source), LineTable(source), lost)) == []


def test_errors_behind_one_another_are_followed() -> None:
    source = "def shortest(xs):\n    least = min(len(x) for x in xs)\n    return x\nprint(x([[1], [1, 2]]))\n"
    first = run([source], "1\n")["passing"][0]
    assert first["text"] == source.replace("return x", "return least").replace("print(x(", "print(shortest(")
    assert first["rival"]


def test_a_lost_name_is_found_by_what_is_expected_and_offered() -> None:
    first = run(["w = 20\nw = w * 3\nprint(w, area)\n"], "20 60")["passing"][0]
    assert first["text"] == "w = 20\narea = w * 3\nprint(w, area)\n"
    assert first["rival"]


@pytest.mark.parametrize(("name", "meant"), [("usm", "sum"), ("lne", "len"), ("mus", ""), ("sun", "")])
def test_two_letters_that_changed_places_are_a_builtin(name: str, meant: str) -> None:
    source = f"print({name}([1, 2]))\n"
    changes = list_name_changes(ast.parse(source), LineTable(source), frozenset())
    assert [splice(source, c.edits) for c in changes] == ([f"print({meant}([1, 2]))\n"] if meant else [])


def test_nodes_that_are_kept_are_those_that_are_walked_through() -> None:
    tree = ast.parse("x = [y for y in f(z)]\n")
    before = [*ast.walk(tree)], list_defined_names(tree)
    assert ([*walk(keep_nodes(tree))], list_defined_names(tree)) == before
    assert [*walk(tree.body[0])] == [*ast.walk(tree.body[0])]
