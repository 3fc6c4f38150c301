"""A way round a failure is offered, and a mend is not taken for one."""

from __future__ import annotations

import pytest

from jupyter_selfheal.model import Case, Cell, Frame
from jupyter_selfheal.scoring.dodges import find_dodge
from jupyter_selfheal.scoring.ways_round import find_way_round
from tests.scoring_cases import case_of, patch_of

DIFFS = "def diffs(xs):\n    return [xs[i + 1] - xs[i] for i in range(len(xs))]"
FIND = "def find(items, name):\n    for n, price in items:\n        if n == name:\n            return price"
TOTAL = "def total(items):\n    s = 0\n    for name, price, qty in items:\n        s += price * qty\n    return s"
RATE = "def convert(amount, currency):\n    return amount * RATES[curr]"
SLUG = "def slug(title):\n    return '-'.join(title.lower().splitt())"
ROWS = "def count(rows):\n    out = []\n    for i in range(len(rows)):\n        out.append(out[i] + rows[i])\n    return out"
MEAN = "def mean(xs):\n    return sum(xs) / len(x)"
PRICES = "def cost(prices):\n    total = pirces['a']\n    return total"
SHOW = "def show(items):\n    for i in range(2):\n        print(itms[i])"
SAME = "def same(a, b):\n    return a == b"
PADDED = DIFFS.replace("diffs", "pad_diffs")
MISSING = {
    PRICES: ("NameError", "name 'pirces' is not defined", 2),
    SHOW: ("NameError", "name 'itms' is not defined", 3),
    SAME: ("AssertionError", "", 0),
    DIFFS: ("IndexError", "list index out of range", 2),
    ROWS: ("IndexError", "list index out of range", 4),
    FIND: ("TypeError", "unsupported operand type(s)", 0),
    TOTAL: ("ValueError", "not enough values to unpack (expected 3, got 2)", 3),
    RATE: ("NameError", "name 'curr' is not defined", 2),
    SLUG: ("AttributeError", "'str' object has no attribute 'splitt'", 2),
    MEAN: ("NameError", "name 'x' is not defined", 2),
}


def fail(definition: str, *above: Cell) -> Case:
    """A cell that calls what is defined above fails in there, as such a definition does."""
    name, said, line = MISSING.get(definition, MISSING[DIFFS])
    frames = (Frame("", 1, "<module>", cell_id="call"), *([Frame("", line, "f", cell_id="made")] if line else []))
    cells = [*above, Cell("made", definition), Cell("call", "x = call_it()\nx")]
    return case_of(cells, len(cells) - 1, ename=name, evalue=said, frames=frames)


@pytest.mark.parametrize(
    ("definition", "was", "now", "said"),
    [
        (DIFFS, "    return", "    xs = xs + xs[-1:]\n    return", "It makes `xs` longer"),
        (DIFFS, "xs[i + 1]", "(xs + [0])[i + 1]", "It makes `xs` longer"),
        (DIFFS, "xs[i + 1]", "[*xs, xs[-1]][i + 1]", "It makes `xs` longer"),
        (DIFFS, "    return", "    xs.append(xs[-1])\n    return", "It makes `xs` longer"),
        (FIND, "n == name", "n[1:] == name[1:]", "It compares only a part"),
        (FIND, "n == name", "len(n) == len(name)", "It compares only a part"),
        (SAME, "a == b", "type(a) == type(b)", "It compares only a part"),
        (TOTAL, "name, price, qty in items:\n        s += price * qty", "name, *numbers in items:\n        s += sum(numbers)", "It does without `price * qty`"),
        (TOTAL, "qty in items:\n        s += price * qty", "*rest in items:\n        s += price + sum(rest)", "It does without `price * qty`"),
        (RATE, "def", "curr = 'usd'\n\ndef", "It gives the missing `curr` a value of its own beside `currency`"),
        (RATE, "RATES[curr]", "min(RATES.values())", "It does without `RATES[…]`"),
        (SLUG, "'-'.join(title.lower().splitt())", "title.lower().replace(' ', '-')", "It does without `join`"),
        (SLUG, "def", "class Text(str):\n    def splitt(self):\n        return [self]\n\ndef", "It gives the missing `splitt` a meaning of its own"),
    ],
)  # fmt: skip
def test_a_way_round_is_named(definition: str, was: str, now: str, said: str) -> None:
    case = fail(definition)
    patch = patch_of(case, definition.replace(was, now), "made")
    assert find_way_round(case, patch).startswith(said)
    assert find_dodge(case, patch, ()).startswith(said)
    assert not find_dodge(case, patch_of(case, definition.replace(was, now), "made", healer="search"), ()), "ours"


@pytest.mark.parametrize(
    ("definition", "was", "now"),
    [
        (DIFFS, "len(xs)", "len(xs) - 1"),
        (DIFFS, DIFFS, "def diffs(xs):\n    return [b - a for a, b in zip(xs, xs[1:])]"),
        (DIFFS, "len(xs)", "len(xs + xs) // 2 - 1"),
        (ROWS, "out.append(out[i] + rows[i])", "out = out + [sum(rows[:i + 1])]"),
        (ROWS, "    out = []", "    out = [0]"),
        (FIND, "n == name", "n.lower() == name.lower()"),
        (FIND, "n == name", "n[0] == name"),
        (FIND, "n == name", "n in (name, name.title())"),
        (TOTAL, "name, price, qty in items:\n        s += price * qty", "name, price, *rest in items:\n        s += price * (rest[0] if rest else 1)"),
        (TOTAL, TOTAL, "import math\n\ndef total(items):\n    return sum(math.prod(numbers) for _, *numbers in items)"),
        (TOTAL, "    for", "    items = [(*row, 1)[:3] for row in items]\n    for"),
        (RATE, "RATES[curr]", "RATES[currency]"),
        (RATE, "RATES[curr]", "RATES.get(currency, 1)"),
        (RATE, "def convert(amount, currency):", "def convert(amount, currency):\n    curr = currency.lower()"),
        (SLUG, "splitt", "split"),
        (SLUG, "title.lower().splitt()", "re.split(' +', title.lower())"),
        (SLUG, "def", "class Title:\n    def splitt(self):\n        return [self]\n\ndef"),
        (PRICES, "pirces", "prices"),
        (SHOW, "itms", "items"),
        (SAME, "a == b", "sorted(a) == sorted(b)"),
        (SAME, "a == b", "type(a) == type(b) and a == b"),
        (SAME, "    return", "    if len(a) != len(b):\n        return False\n    return"),
        (MEAN, "len(x)", "len(xs)"),
        (MEAN, "def", "x = 4\n\ndef"),
    ],
    ids=["one turn less", "pairs", "two that are joined", "what is built", "what it begins with", "in small letters", "one side", "several", "a default", "a product", "rows made whole", "the name",
         "looked up", "derived", "the method", "another split", "a class of its own", "the table", "the list", "whatever their order", "of one type", "of one length", "a letter", "too short to be a slip"],
)  # fmt: skip
def test_a_mend_is_none(definition: str, was: str, now: str) -> None:
    case = fail(definition)
    assert find_way_round(case, patch_of(case, definition.replace(was, now), "made")) == ""


def test_what_goes_round_is_made_longer_as_is_said() -> None:
    def find(*above: Cell, definition: str = DIFFS) -> str:
        case = fail(definition, *above)
        return find_way_round(case, patch_of(case, definition.replace("xs[i + 1]", "(xs + xs[:1])[i + 1]"), "made"))

    said = Cell("text", "The list is circular: after the last item comes the first.", kind="markdown")
    assert find(said) == ""
    assert find(said, Cell("more", "n = 3")), "of another cell"
    for text in ("We repeat the measurement.", "They extend to the edge, in a padded box.", "He cycled around."):
        assert find(Cell("text", text, kind="markdown")), text
    for definition in (PADDED, DIFFS.replace("(xs):", "(xs):\n    'Of a cyclic list.'")):
        assert find(definition=definition) == ""


def test_a_constant_is_no_slip_of_a_function() -> None:
    source = "def vowels(word):\n    return sum(c in VOWELS for c in word)"
    frames = (Frame("", 1, "<module>", cell_id="c1"), Frame("", 2, "vowels", cell_id="c0"))
    case = case_of([source, "vowels('a')"], 1, ename="NameError", evalue="name 'VOWELS' is not defined", frames=frames)
    assert find_way_round(case, patch_of(case, f"VOWELS = 'aeiou'\n\n{source}", "c0")) == ""
