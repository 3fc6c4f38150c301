"""What is only looked at stays where it is, and what a function is given stays as it was."""

from __future__ import annotations

import pytest

from tests.unit.healers.search.searching import find, list_texts

TAKEN, GIVEN = "takes the item out", "what the function is given is changed"

STACK = """class Stack:
    def __init__(self):
        self.items = []

    def push(self, item):
        self.items.append(item)

    def peek(self):
        return self.items.pop()

    def pop(self):
        return self.items.pop()
"""
REVERSED = "def reversed_copy(xs):\n    xs.reverse()\n    return xs\n"


def test_peek_leaves_the_item_that_it_gives() -> None:
    checks = "t = Stack()\nt.push(1)\nt.push(2)\nassert t.peek() == 2\nassert t.pop() == 2\nassert t.pop() == 1\n"
    mended = STACK.replace("return self.items.pop()", "return self.items[-1]", 1)
    assert find(STACK, checks)["patches"][0]["texts"]["0"] == mended.rstrip("\n")


def test_a_queue_is_looked_at_from_its_front() -> None:
    texts = list_texts("def front(line):\n    return line.pop(0)\n", f"`line.pop(0)` {TAKEN}: `line[0]`")
    assert texts == ["def front(line):\n    return (line[0])\n"]


@pytest.mark.parametrize(
    "source",
    [
        "def peek(table):\n    return table.pop('a', None)\n",
        "def peek(xs):\n    xs.pop()\n    return xs\n",
        "def peek(xs):\n    x = xs.pop()\n    return x\n",
    ],
)
def test_what_is_taken_out_on_purpose_is_taken_out(source: str) -> None:
    assert list_texts(source, TAKEN) == []


def test_a_copy_is_made_before_it_is_turned_round() -> None:
    checks = "data = [1, 2, 3]\nassert reversed_copy(data) == [3, 2, 1]\nassert data == [1, 2, 3]\n"
    mended = REVERSED.replace("    xs.rev", "    xs = list(xs)\n    xs.rev")
    assert find(REVERSED, checks)["patches"][0]["texts"]["0"] == mended.rstrip("\n")


@pytest.mark.parametrize(
    "source",
    [
        "def add(xs, x):\n    xs.append(x)\n",
        "def first(xs):\n    xs = sorted(xs)\n    xs.reverse()\n    return xs\n",
        "def count(xs):\n    xs.count(1)\n    return xs\n",
        "def made(xs):\n    out = []\n    out.append(xs)\n    return out\n",
    ],
)
def test_what_is_not_changed_and_given_back_is_not_copied(source: str) -> None:
    assert list_texts(source, GIVEN) == []
