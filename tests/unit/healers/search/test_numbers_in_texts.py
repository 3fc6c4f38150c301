"""Numbers that are meant of the parts of a text, and texts in which a pattern is not found."""

from __future__ import annotations

import re

import pytest

from jupyter_selfheal.inside.search.generate_inputs import generate_inputs
from tests.unit.healers.search.searching import find, list_texts


@pytest.mark.parametrize(
    ("source", "words", "meant"),
    [
        ("def f(t):\n    h, m = t.split(':')\n    return h * 60 + m\n", "numbers", "h, m = map(int, t.split(':'))"),
        ("def f(t):\n    w, h = t.split('x')\n    return w * h\n", "numbers", "w, h = map(float, t.split('x'))"),
        ("def f(t):\n    return max(t.split())\n", "numbers", "max(map(int, t.split()))"),
        ("x = [int(re.search(p, t)[1]) for t in ts]", "finds nothing", "for t in ts if re.search(p, t)]"),
        ("x = {p.match(t).group(): t for t in ts if t}", "finds nothing", "for t in ts if t if p.match(t)}"),
        (
            "for t in ts:\n    x.append(re.search(p, t).group(1))",
            "finds nothing",
            "for t in ts:\n    if re.search(p, t):\n        x.append(re.search(p, t).group(1))",
        ),
    ],
)
def test_what_is_meant_is_tried(source: str, words: str, meant: str) -> None:
    assert any(meant in text for text in list_texts(source, words))


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def f(t):\n    h = t.split(':')\n    return h[0]\n", "numbers"),
        ("def f(t):\n    return max(t)\n", "numbers"),
        ("def f(t):\n    return len(t.split())\n", "numbers"),
        ("x = [re.search(p, t) for t in ts]", "finds nothing"),
        ("x = [(re.search(p, t)[1], re.search(q, t)[1]) for t in ts]", "finds nothing"),
        ("for t in ts:\n    m = 1\n    x.append(re.search(p, t).group(1))", "finds nothing"),
    ],
)
def test_nothing_is_tried_elsewhere(source: str, words: str) -> None:
    assert not list_texts(source, words)


def test_names_are_no_numbers() -> None:
    definition = "def greet(text):\n    first, last = text.split(' ')\n    return last + ' ' + first\n"
    patches = find(definition, "assert greet('Ada King') == 'King, Ada'\nassert greet('A B') == 'B, A'")["patches"]
    assert patches
    assert not any("map(" in text for p in patches for text in p["texts"].values())


def test_texts_of_a_shape_get_others_of_it() -> None:
    inputs = generate_inputs([("10:02:11",)])
    alike = {text for (text,) in inputs if re.fullmatch(r"\d\d:\d\d:\d\d", text)}
    assert len(alike) > 20
    assert generate_inputs([("10:02:11",)]) == inputs


@pytest.mark.parametrize("call", [("1002",), ("Ada",), (12,), ("",)])
def test_other_texts_have_no_shape(call: tuple[object, ...]) -> None:
    text = str(call[0])
    more = [c for c in generate_inputs([call]) if len(str(c[0])) == len(text)]
    assert len(generate_inputs([call])) <= 121, more
