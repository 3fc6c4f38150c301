"""The indentation of a whole cell, searched at once."""

from __future__ import annotations

import textwrap

import pytest

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.syntax.best_first import find_readings
from jupyter_selfheal.healers.syntax.fault import find_fault
from jupyter_selfheal.healers.syntax.layouts import LAYOUTS, propose_layouts
from jupyter_selfheal.healers.syntax.site import find_site

COUNTED = """n = 4
total = 0
for i in range(n):
    if i % 2 == 0:
        total += i
    else:
        total -= 1
print(total)
"""
DEFINED = """def longest(words):
    best = ''
    for word in words:
        if len(word) > len(best):
            best = word
    return best

print(longest(['a', 'bcd', 'ef']))
"""
CLASS = """class Lamp:
    def __init__(self, on):
        self.on = on

    def switch(self):
        self.on = not self.on
        return self.on

lamp = Lamp(False)
print(lamp.switch())
"""
CAUGHT = """try:
    price = float('3.5')
    while price < 10:
        price = price * 2
except ValueError:
    print('no number')
print(price)
"""


def list_layouts(source: str) -> list[str]:
    fault = find_fault(source)
    assert fault is not None
    return [slip.apply(source) for slip in propose_layouts(find_site(source, fault, frozenset()))]


@pytest.mark.parametrize("program", [COUNTED, DEFINED, CLASS, CAUGHT])
def test_a_paste_without_any_indentation_is_laid_out(program: str) -> None:
    flat = "\n".join(line.lstrip() for line in program.split("\n"))
    found = [src.canonicalise(text) for text in list_layouts(flat)]
    assert src.canonicalise(program) in found
    assert len(found) <= LAYOUTS


@pytest.mark.parametrize("program", [DEFINED, CLASS])
def test_a_flattened_body_is_among_the_readings(program: str) -> None:
    head, _, rest = program.partition("\n")
    body, blank, behind = rest.partition("\n\n")
    broken = f"{head}\n{textwrap.dedent(body)}{blank}{behind}"
    assert src.canonicalise(program) in [src.canonicalise(r.source) for r in find_readings(broken)]


def test_what_goes_on_from_a_line_stays_where_it_is() -> None:
    broken = "def f():\nvalues = [1,\n              2]\ntext = '''\n  two\n'''\nreturn values, text\n"
    assert any(
        "    values = [1,\n              2]\n    text = '''\n  two\n'''\n" in text for text in list_layouts(broken)
    )


def test_a_return_stands_in_a_function_and_a_break_in_a_loop() -> None:
    for text in list_layouts("def f(xs):\nfor x in xs:\nif x:\nbreak\nreturn x\nprint(f([1]))\n"):
        assert find_fault(text) is None


@pytest.mark.parametrize(
    "source",
    [
        "x = (1 + 2\nprint(x)\n",
        "if x = 3:\n    print(x)\n",
        "print('a)\n",
    ],
)
def test_other_faults_say_nothing_of_the_indentation(source: str) -> None:
    assert not list_layouts(source)
