"""What would be a guess is a question: nothing is applied, the report asks for one value, and the answer heals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import heal, place, sources, write

__all__ = ["place"]

pytestmark = pytest.mark.kernel

CELLS = {
    "a number in a text": 'age = "42"; print("Next: " + age + 1)',
    "a mean": "def mean(xs):\n    total = 0\n    for i in range(len(xs)):\n        total += xs[i + 1]\n    return total / len(xs)\nmean([1, 2, 3])",
    "a tie of two asserts": "xs = [3, 5, 9]\nout = []\nfor i in range(len(xs)):\n    out.append(xs[i + 1])\nassert len(out) <= 3",
    "a dictionary that was given": "stock = {'a': 1, 'b': 0}\ndef clean(d):\n    for k in d:\n        if not d[k]:\n            del d[k]\n    return d\nclean(stock)",
    "an empty list": "def average(xs):\n    return sum(xs) / len(xs)\nprint(average([]))",
}  # fmt: skip


@pytest.mark.slow
def test_nothing_is_applied_where_two_fixes_are_plausible(place: Path) -> None:
    paths = [write(place / f"n{n}.ipynb", source) for n, source in enumerate(CELLS.values())]
    done = heal(*paths, "--output-dir", "out", "--json", ends=1)
    for (title, source), report in zip(CELLS.items(), json.loads(done.stdout)["notebooks"], strict=True):
        assert [c["status"] for c in report["cells"]] in (["proposed"], ["not healed"]), title
        assert sources(place / "out" / Path(report["path"]).name) == [source]


def test_an_answer_in_a_file_or_in_the_notebook_heals(place: Path) -> None:
    given = write(place / "n.ipynb", CELLS["a mean"])
    asked = heal(given, "-o", "out.ipynb", "--json", ends=1)
    (question,) = asked.notebook["questions"]
    assert question["text"] == "What should `mean([1, 2, 3])` give?"
    answer = next(a for a in question["answers"] if a["value"] == "2.0")
    (place / "answers.toml").write_text(f'{json.dumps(question["id"])} = 2.0\n"n.ipynb#c9:result" = 1\n')
    # the id names the notebook as the command does
    healed = heal(given, "-o", "out.ipynb", "--json", "--answers", "answers.toml", ends=0)
    assert "total += xs[i]" in sources(place / "out.ipynb")[0]
    assert "names no notebook that is healed here" in healed.stderr or healed.notebook["notes"]
    with_line = write(place / "l.ipynb", f"{answer['line']}\n{CELLS['a mean']}")
    heal(with_line, "-o", "out2.ipynb", ends=0)
    assert "total += xs[i]" in sources(place / "out2.ipynb")[0]


@pytest.mark.slow
@pytest.mark.parametrize(("call", "value", "fix"), [("second([1])", "an error (IndexError)", "return xs[-2]")])
def test_an_error_as_the_answer_heals(place: Path, call: str, value: str, fix: str) -> None:
    source = "def second(xs):\n    xs = sorted(xs)\n    return xs[-1]\n\nassert second([1, 5, 3]) == 3\nassert second([7, 2]) == 2\nassert second([4, 4, 1]) == 4"
    given = write(place / "n.ipynb", source)
    (question,) = heal(given, "-o", "out.ipynb", "--json", ends=1).notebook["questions"]
    assert question["text"].startswith(f"What should `{call}` return?")
    (place / "answers.toml").write_text(f'{json.dumps(question["id"])} = "{value}"\n')
    heal(given, "-o", "out.ipynb", "--answers", "answers.toml", ends=0)
    assert fix in sources(place / "out.ipynb")[0]


@pytest.mark.slow
def test_which_fix_is_meant_is_asked_in_the_report_and_answered_in_a_file(place: Path) -> None:
    tables = 'item_a = {"n": 5}\nitem_b = {"n": 5}'
    given = write(place / "n.ipynb", tables, 'total = item_c["n"]\nassert total == 5')
    (question,) = heal(given, "-o", "out.ipynb", "--json", ends=1).notebook["questions"]
    assert question["text"] == "Which is meant: `item_a` or `item_b`?"
    (place / "answers.toml").write_text(f'{json.dumps(question["id"])} = "item_b"\n')
    heal(given, "-o", "out.ipynb", "--answers", "answers.toml", ends=0)
    assert sources(place / "out.ipynb")[1].startswith('total = item_b["n"]')


@pytest.mark.slow
def test_a_misspelt_definition_is_corrected_and_the_assert_stays(place: Path) -> None:
    source = "class Account:\n    def __init__(self, balance):\n        self.balence = balance\n    def deposit(self, n):\n        self.balance += n"
    check = "a = Account(100)\na.deposit(50)\nassert a.balance == 150"
    given = write(place / "n.ipynb", source, check)
    heal(given, "-o", "out.ipynb", ends=0)
    assert sources(place / "out.ipynb") == [source.replace("balence", "balance"), check]
