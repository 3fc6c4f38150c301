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
        ("x = sorted(ts, key=lambda t: t.split('.'))", "numbers", "key=lambda t: [*map(int, t.split('.'))])"),
        ("def f(t):\n    return max(t.split())\n", "numbers", "max(map(int, t.split()))"),
        ("x = [int(re.search(p, t)[1]) for t in ts]", "finds nothing", "for t in ts if re.search(p, t)]"),
        ("x = {p.match(t).group(): t for t in ts if t}", "finds nothing", "for t in ts if t if p.match(t)}"),
        ("x = [float(r['a']) for r in rows]", "may be missing", "for r in rows if r['a'] is not None]"),
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
        ("x = [float(r['a']) for r in rows if r]", "may be missing"),
        ("x = [float(r) for r in rows]", "may be missing"),
        ("x = [float(a['b']) for r in rows]", "may be missing"),
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


@pytest.mark.parametrize(
    "source",
    [
        "def f(t):\n    plz, n = t.split()\n    return plz, n * 2\n",
        "for r in rows:\n    plz, n = r.split()\n    orders.append((plz, n * 2))",
        "def f(t):\n    name, n = t.split(';')\n    return '%s: %s' % name, n - 1\n",
    ],
    ids=["a postcode", "a postcode put into a list", "a name that is shown"],
)
def test_a_part_that_is_not_reckoned_with_stays_a_text(source: str) -> None:
    assert not list_texts(source, "numbers")


_LOTS = "import re\ndef f(texts):\n    return {}\n"
_READ = "[int(re.search(r'(\\d+) kg', t)[1]) for t in texts]"


@pytest.mark.parametrize(
    ("body", "check", "is_doubted"),
    [
        (f"max({_READ})", "assert f(['12 kg', '5kg', '7 kg']) == 12", True),
        (f"sum({_READ})", "assert f(['12 kg', '5kg', '7 kg']) == 19", True),
        (f"sorted({_READ})[1:]", "assert f(['12 kg', '5kg', '7 kg', '14 kg']) == [12, 14]", True),
        (_READ, "assert f(['12 kg', 'n/a', '7 kg']) == [12, 7]", False),
    ],
)
def test_a_pattern_may_be_at_fault_where_the_check_does_not_ask_for_the_items(body: str, check: str, is_doubted: bool) -> None:  # fmt: skip
    patch = next(p for p in find(_LOTS.format(body), check)["patches"] if "nothing to read" in p["words"])
    assert ("by another pattern" in patch["rival"]) == is_doubted


def test_parts_that_are_compared_as_texts_are_no_matter_of_the_order() -> None:
    """With `reverse=True` three texts came in the order that their numbers have, by luck."""
    order = "assert order(['10.0.0.9', '10.0.0.10', '9.1.1.1']) == ['9.1.1.1', '10.0.0.9', '10.0.0.10']"
    first = find("def order(ips):\n    return sorted(ips, key=lambda ip: ip.split('.'))\n", order)["patches"][0]
    assert "map(int" in "".join(first["texts"].values()) or first["rival"]


_GIVEN = "def f(rows):\n    return {}\n"
_VALUES = "[float(r['x']) for r in rows]"


@pytest.mark.parametrize(
    ("body", "check", "is_doubted"),
    [
        (f"sum({_VALUES})", "assert f([{'x': '10'}, {'x': None}, {'x': '25'}]) == 35", True),
        ("sum(list(float(r['x']) for r in rows))", "assert f([{'x': '10'}, {'x': None}, {'x': '25'}]) == 35", True),
        (f"max({_VALUES})", "assert f([{'x': '10'}, {'x': None}, {'x': '25'}]) == 25", True),
        (_VALUES, "assert f([{'x': '10'}, {'x': None}, {'x': '25'}]) == [10, 25]", False),
    ],
)
def test_a_0_may_be_meant_where_the_check_does_not_ask_for_the_items(body: str, check: str, is_doubted: bool) -> None:
    patch = next(p for p in find(_GIVEN.format(body), check)["patches"] if "left out then" in p["words"])
    assert ("a 0 may be meant" in patch["rival"]) == is_doubted
