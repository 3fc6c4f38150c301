"""Slips of drafts: what beginners' first versions leave unbegun, uncalled, unquoted or unclosed; and near misses of each."""

from __future__ import annotations

import ast

import pytest

from jupyter_selfheal.healers.syntax.fault import find_fault
from jupyter_selfheal.healers.syntax.quotes import close_fields
from jupyter_selfheal.healers.syntax.site import find_site
from jupyter_selfheal.inside.positions import LineTable, splice
from jupyter_selfheal.inside.search.beginner_changes import list_beginner_changes
from jupyter_selfheal.inside.search.endless_loops import has_fixed_loop
from jupyter_selfheal.inside.search.explore_reading import Explorer
from jupyter_selfheal.inside.search.left_out_parts import list_left_out
from jupyter_selfheal.inside.search.lost_values import list_lost_values
from jupyter_selfheal.inside.search.method_changes import list_method_changes
from jupyter_selfheal.inside.search.program import Program, Unit
from jupyter_selfheal.inside.search.reading_changes import list_reading_changes
from jupyter_selfheal.inside.search.run_candidate import Runner
from jupyter_selfheal.inside.search.scope import Change
from jupyter_selfheal.inside.search.source_text import Source
from jupyter_selfheal.inside.search.unbegun_bests import list_unbegun_bests
from jupyter_selfheal.inside.search.unbound_reads import list_lost_reads
from tests.unit.healers.syntax.readings import run

FIELDS = {
    "a call": ('print(f"Due: {worth(a , b}")\n', 'print(f"Due: {worth(a , b)}")\n'),
    "two of them": ('print(f"{max(a, b} {xs[0}")\n', 'print(f"{max(a, b)} {xs[0]}")\n'),
    "before a format": ('print(f"{round(x, 2:.1f}")\n', 'print(f"{round(x, 2):.1f}")\n'),
    "a bracket in a bracket": ('print(f"{len(xs[0}")\n', 'print(f"{len(xs[0])}")\n'),
}


def _close(source: str) -> list[str]:
    fault = find_fault(source)
    assert fault is not None
    return [slip.apply(source) for slip in close_fields(find_site(source, fault, frozenset()))]


@pytest.mark.parametrize(("source", "meant"), FIELDS.values(), ids=FIELDS)
def test_a_bracket_ends_with_its_field(source: str, meant: str) -> None:
    assert _close(source) == [meant]


@pytest.mark.parametrize(
    "source",
    [
        'print(f"{worth(a)}" "b" c)\n',  # closed, and another fault
        'print("{worth(a}" c)\n',  # no f-string
        'print((f"{{a(b}}"}\n',  # braces that are printed
        'print(f"{a}", (b}\n',  # the bracket is outside of the text
    ],
)
def test_a_field_that_is_closed_stays(source: str) -> None:
    assert _close(source) == []


def _methods(source: str) -> list[str]:
    changes = list_method_changes(ast.parse(source), source, LineTable(source), frozenset())
    return [splice(source, c.edits) for c in changes]


CALLS = {
    "a method that is set": (
        "for i in r:\n    xs.append = i**2\n    ys.append = i\n", "for i in r:\n    xs.append(i**2)\n    ys.append(i)\n",
    ),
    "a number in a text": (
        "s = input()\nc = 1\nr = r + s[0] + c\nprint(s + c)\n", "s = input()\nc = 1\nr = r + s[0] + str(c)\nprint(s + str(c))\n",
    ),
    "print of Python 2": ("for i in r:\n    print\nprint\n", "for i in r:\n    print()\nprint()\n"),
}  # fmt: skip


@pytest.mark.parametrize(("source", "meant"), CALLS.values(), ids=CALLS)
def test_what_is_not_called_is_called(source: str, meant: str) -> None:
    assert meant in _methods(source)


@pytest.mark.parametrize(
    "source",
    [
        "self.append = 3\n",  # an object's own
        "box.width = 3\n",  # an attribute
        "xs.append(3)\n",  # called already
        "print()\n",
        "print = log\nprint\n",  # a variable of the cell
        "total\n",  # shown in a notebook
        "c = 1\nr = r + xs[0] + c\n",  # nothing says that it is a text
        "s = input()\nr = s + c\n",  # nor that this is a number
        "s = input()\nc = '1'\nr = s + c\n",
    ],
)
def test_what_is_called_or_set_stays(source: str) -> None:
    assert _methods(source) == []


def _bests(source: str) -> list[str]:
    return [c.edits[0][2].strip() for c in list_unbegun_bests(Source(source), frozenset())]


BESTS = {
    "places up to a number": "for i in range(n):\n    if xs[i] > m:\n        m = xs[i]\n",
    "the other side": "for i in range(1, n):\n    if m < xs[i]:\n        m = xs[i]\n",
    "a while": "i = 0\nwhile i < n:\n    if xs[i] > m:\n        m = xs[i]\n    i += 1\n",
}


@pytest.mark.parametrize("source", BESTS.values(), ids=BESTS)
def test_a_best_of_a_list_begins_with_its_first_item(source: str) -> None:
    assert _bests(source) == ["m = xs[0]", "m = 0", 'm = ""']


@pytest.mark.parametrize(
    ("source", "begins"),
    [
        ("for i in range(n):\n    if i > m:\n        m = i\n", "m = 0"),  # no list
        ("for i in range(n):\n    if xs[0] > m:\n        m = xs[0]\n", "m = 0"),  # always the same item
        ("for i in range(n):\n    if xs[i] > k:\n        if i > m:\n            m = i\n", "m = 0"),  # of another value
        ("m = 1\nfor i in range(n):\n    if xs[i] > m:\n        m = xs[i]\n", ""),  # begun
    ],
)
def test_elsewhere_a_best_begins_with_nothing(source: str, begins: str) -> None:
    assert next(iter(_bests(source)), "") == begins


def _lost_reads(source: str, name: str, line: int) -> list[str]:
    return [splice(source, c.edits) for c in list_lost_reads(ast.parse(source), LineTable(source), (name, line))]


def test_what_a_loop_adds_to_is_never_begun_and_no_other_name() -> None:
    source = "n = 3\nwhile n > 0:\n    t = t + n\n    n -= 1\n"
    assert _lost_reads(source, "t", 3) == []
    begun = [splice(source, c.edits) for c in list_lost_values(Source(source), "", frozenset())]
    assert f"n = 3\nt = 0\n{source[6:]}" in begun


@pytest.mark.parametrize(
    ("source", "line", "meant"),
    [
        ("n = 3\nt = t + n\n", 2, "n = 3\nt = n + n\n"),  # no loop
        (
            "n = 3\nfor i in r:\n    k = t + n\n    t = 1\n",
            3,
            "n = 3\nfor i in r:\n    k = n + n\n    t = 1\n",
        ),  # not itself
        ("n = 3\nfor i in r:\n    t = abs(t)\n", 3, "n = 3\nfor i in r:\n    t = abs(n)\n"),  # nothing is added
    ],
)
def test_elsewhere_another_name_may_be_meant(source: str, line: int, meant: str) -> None:
    assert meant in _lost_reads(source, "t", line)


def _begun(source: str) -> list[str]:
    changes: list[Change] = list_lost_values(Source(source), "", frozenset())
    return list(dict.fromkeys(c.edits[0][2].strip() for c in changes if "never begun" in c.words))


def test_what_is_shown_and_counted_may_begin_with_1() -> None:
    assert _begun("for i in r:\n    print(k)\n    k += 1\n") == ["k = 0", "k = 1"]


@pytest.mark.parametrize(
    "source",
    [
        "for i in r:\n    print(k)\n    k += 2\n",  # not counted
        "for i in r:\n    k += 1\nprint(k)\n",  # a number of rounds
        "for i in r:\n    print(k)\n    k = k + i\n",  # a sum
    ],
)
def test_what_is_no_counter_begins_with_nothing(source: str) -> None:
    assert "k = 0" in _begun(source)
    assert "k = 1" not in _begun(source)


def _left_out(source: str, expected: str) -> list[tuple[str, str]]:
    return [(splice(source, c.edits), c.kind) for c in list_left_out(Source(source), expected, frozenset())]


def test_words_that_are_given_back_are_texts() -> None:
    source = "def f(n):\n    if n:\n        return YES\n    return NO\n"
    meant = source.replace("YES", '"YES"').replace("NO", '"NO"')
    assert _left_out(source, "YES") == [(meant, "guess")]


@pytest.mark.parametrize(
    "source",
    [
        "def f(n):\n    return n\n",
        "YES = 1\ndef f():\n    return YES\n",
        "def f():\n    return\n",
        "def f():\n    return len\n",
    ],
)
def test_what_is_bound_is_no_text(source: str) -> None:
    assert _left_out(source, "YES") == []


def _reads(source: str) -> list[str]:
    changes = list_reading_changes(ast.parse(source), source, LineTable(source), "")
    return [splice(source, c.edits) for c in changes]


def test_rows_that_are_kept_are_numbers() -> None:
    assert "rows.append(list(map(int, input().split())))\n" in _reads("rows.append(input().split())\n")


@pytest.mark.parametrize(
    "source", ["rows.append(line.split())\n", "rows.add(input().split())\n", "rows.append(input().split(','))\n"]
)
def test_what_is_no_row_stays(source: str) -> None:
    assert not [text for text in _reads(source) if "map(" in text]


@pytest.mark.parametrize(
    ("source", "is_endless"),
    [
        ("while n > 0:\n    s = s * 10 + n\nn = n // 10\n", True),
        ("while i <= n:\n    print(i)\n", True),
        ("while n > 0:\n    n = n // 10\n", False),
        ("while n > 0:\n    if s > 5:\n        break\n    s += 1\n", False),
        ("while xs != []:\n    xs.pop()\n", False),  # it changes by itself
        ("def f():\n    global n\n    n = 0\nwhile n > 0:\n    f()\n", False),
        ("def f():\n    while n > 0:\n        s += 1\n", False),  # it may not be called
        ("while ready():\n    s += 1\n", False),
    ],
)
def test_a_loop_that_changes_nothing_of_what_it_asks_for_is_told(source: str, is_endless: bool) -> None:
    assert has_fixed_loop(source) is is_endless


def test_numbers_that_grow_without_an_end_leave_time_for_the_mend() -> None:
    source = "n = int('4213')\nr = 0\nwhile n > 0:\n    r = r * 10 + n % 10\nn = n / 10\nprint('Back:', r)\n"
    reply = run([source], "Back: 3124\n")
    assert "    n = n // 10\n" in reply["passing"][0]["text"]
    assert reply["passing"][0]["rival"]


def _lost(source: str, words: str) -> list[str]:
    return [splice(source, c.edits) for c in list_lost_values(Source(source), "", frozenset()) if words in c.words]


@pytest.mark.parametrize(
    ("source", "meant"),
    [
        ("a = a.sort()\nb = b.sort()\n", "a = sorted(a)\nb = sorted(b)\n"),
        ("w = w.reverse()\n", "w = w[::-1]\n"),
    ],
)
def test_a_text_is_put_in_order_anew(source: str, meant: str) -> None:
    assert _lost(source, "anew") == [meant]


@pytest.mark.parametrize(
    "source", ["a.sort()\n", "b = a.sort()\n", "a = a.sort(reverse=True)\n", "a = a.sort()\nb = b.append(3)\n"]
)
def test_what_is_a_list_or_says_more_is_not_put_in_order_anew(source: str) -> None:
    assert _lost(source, "anew") == []


def test_items_that_are_gone_through_are_no_places() -> None:
    source = "for i in xs:\n    if i % 2:\n        s += xs[i]\n"
    assert _lost(source, "no place") == [source.replace("xs[i]", "i")]


@pytest.mark.parametrize(
    "source",
    [
        "for i in xs:\n    s += ys[i]\n",  # of another list
        "for i in xs:\n    s += xs[i] * xs[i + 1]\n",  # two places
        "for i in range(len(xs)):\n    s += xs[i]\n",
    ],
)
def test_places_stay_places(source: str) -> None:
    assert _lost(source, "no place") == []


@pytest.mark.parametrize(
    ("head", "step"), [("i < n", "i += 1"), ("i <= 10", "i += 1"), ("i != n", "i += 1"), ("i > 0", "i -= 1")]
)
def test_what_a_loop_asks_for_is_counted_on(head: str, step: str) -> None:
    source = f"i = 1\nwhile {head}:\n    print(i)\nprint(n)\n"
    assert _lost(source, "counted on") == [source.replace("print(i)", f"print(i)\n    {step}")]


@pytest.mark.parametrize(
    "source",
    [
        "i = 1\nwhile i < n:\n    i *= 2\n",  # it is set
        "i = 1\nwhile i < n:\n    print(i)\ni = i * 2\n",  # a line that belongs into the loop
        "i = input()\nwhile i < n:\n    print(i)\n",  # no number
        "i = 1\nwhile True:\n    print(i)\n",  # nothing is asked
        "i = 1\nwhile n > i:\n    print(i)\n",  # another one is asked for
    ],
)
def test_what_is_set_or_no_number_is_not_counted_on(source: str) -> None:
    assert _lost(source, "counted on") == []


WANTED = (
    "def same(a, b):\n    return a != b\na = 'x'\nb = 'x'\nif same(a, b):\n    print('Yes')\nelse:\n    print('No')\n"
)


def test_no_change_takes_the_last_call_of_a_function_away() -> None:
    texts = [found["text"] for found in run([WANTED], "Yes\n")["passing"]]
    assert texts
    assert not [text for text in texts if text.count("same(") < 2]


@pytest.mark.parametrize(
    ("source", "kept"),
    [
        ("def same(a):\n    return a\nprint(same(1))\n", "def same(a):\n    return a\nprint(a)\n"),
        (
            "def f(n):\n    return n\ndef g(n):\n    return n\ng(f(1))\n",
            "def f(n):\n    return n\ndef g(n):\n    return n\ng(1)\n",
        ),
    ],
)
def test_a_call_is_noted_where_there_is_one(source: str, kept: str) -> None:
    explorer = Explorer(Runner(Program((Unit(source, "cell", True),)), {}), 0, frozenset())
    explorer.note_calls(source)
    assert explorer.keeps_calls(source)
    assert not explorer.keeps_calls(kept)
    explorer.note_calls(kept)  # it is not called there
    assert explorer.keeps_calls(kept)


def test_parts_of_a_line_that_are_summed_are_numbers() -> None:
    source = "p = input().split()\nmarks = p[1:]\nprint(sum(marks))\n"
    changed = _lost(source, "no numbers yet")
    assert changed[0] == source.replace("p[1:]", "list(map(int, p[1:]))")


@pytest.mark.parametrize(
    "source",
    [
        "p = input().split()\nmarks = p[1:]\nprint(marks)\n",  # nothing is reckoned
        "p = [1, 2]\nmarks = p[1:]\nprint(sum(marks))\n",  # numbers already
        "p = input().split()\nmark = p[1]\nprint(sum(mark))\n",  # one part
    ],
)
def test_what_is_not_summed_stays_a_text(source: str) -> None:
    assert _lost(source, "no numbers yet") == []


def test_what_did_not_run_gets_its_import() -> None:
    source = "x = 2.0\nif x > 5:\n    print(pi * x)\nelse:\n    print(x * x)\n"
    found = run([source], "4.0\n")["passing"][0]
    assert found["text"] == "import math\n" + source.replace("pi", "math.pi")
    assert found["rival"]


@pytest.mark.parametrize(
    "source",
    [
        "pi = 3\nx = 2.0\nif x > 5:\n    print(pi * x)\nelse:\n    print(x * x)\n",
        "from math import *\nx = 2.0\nif x > 5:\n    print(pi * x)\nelse:\n    print(x * x)\n",
        "from math import pi\nx = 2.0\nif x > 5:\n    print(pi * x)\nelse:\n    print(x * x)\n",
        "def area(pi):\n    return pi\nx = 2.0\nif x > 5:\n    print(area(x))\nelse:\n    print(x * x)\n",
    ],
)
def test_what_is_bound_gets_no_import(source: str) -> None:
    assert run([source], "4.0\n")["passing"][0]["text"] == source


def _gathered(source: str) -> list[str]:
    changes = list_beginner_changes(ast.parse(source), source, LineTable(source), "", frozenset())
    return [splice(source, c.edits) for c in changes if "gathered" in c.words]


@pytest.mark.parametrize("step", ["b = b + str(r)", "b += str(r)"])
def test_what_comes_out_last_to_first_is_gathered_before(step: str) -> None:
    source = f"b = ''\nwhile n > 0:\n    r = n % 2\n    {step}\n    n = n // 2\nprint(b)\n"
    assert _gathered(source) == [source.replace(step, "b = str(r) + b")]


@pytest.mark.parametrize(
    "source",
    [
        "b = 0\nfor r in xs:\n    b = b + r\n",  # a number
        "b = ''\nb = b + 'x'\n",  # no loop
        "b = ''\nfor r in xs:\n    b = str(r) + b\n",  # it comes before it
        "b = ''\nfor r in xs:\n    c = b + r\n",  # nothing is gathered
    ],
)
def test_what_is_no_gathered_text_keeps_its_order(source: str) -> None:
    assert _gathered(source) == []
