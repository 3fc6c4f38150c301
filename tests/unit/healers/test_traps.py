"""What looks like a slip and is none; what a rule must not call safe; what it must not touch."""

from __future__ import annotations

import pytest

from jupyter_selfheal.healers.rules.context.spelling import is_plain_slip
from jupyter_selfheal.model import Applicability, Move, RunCells
from jupyter_selfheal.testing.rule_conformance import Bench


@pytest.mark.parametrize(
    ("why", "cells"),
    [
        ("another month", ["sales = {'sales_jun': 1}", "sales['sales_jan']"]),
        ("another short word", ["test = 1", "text + 1"]),
        ("another number", ["x1 = 1", "x2 + 1"]),
        ("a plural", ["trains = [1]", "train + 1"]),
        ("two candidates", ["counter_a = 1\ncounter_b = 2", "counter_c + 1"]),
        ("a default would hide it", ["d = {'alpha': 1}", "d['omega']"]),
        ("a guard changes the result", ["n = 0", "1 / n"]),
        ("an assert is right", ["def f(x):\n    return x", "assert f(1) == 2"]),
        ("bad data", ["int('twelve')"]),
        ("one of two readings", ["a = '1'", "a + 1"]),
        ("the function's effect is meant", ["def show(x):\n    print(x)", "show(1) + 1"]),
        ("an exercise", ["value = 3", "# YOUR CODE HERE\nvalues + 1"]),
        ("what follows is not known", ["x = 2 * (3 + 4 * 5"]),
        ("a cell of another language", ["SELECT a FROM b WHERE c = 1;"]),
        ("a percentage and a number", ["share = '45%'", "share + 5"]),
        ("a text that was multiplied", ["price = '3.5'", "total = price * 2\ntotal + 1"]),
        ("None would be printed", ["d = {}", "'name: ' + d.get('name')"]),
        ("the sequence has a near name", ["rows = [1, 2]\nrow = 5", "for r in row:\n    pass"]),
        ("the sequence was overwritten", ["found = [1]", "found = 3", "for f in found:\n    pass"]),
        ("a plural is no count", ["prices = 3", "for price in prices:\n    pass"]),
        ("an index beyond the end", ["x = [1, 2]", "x[7]"]),
        ("an attribute of another release", ["class Frame:\n    def iat(self): pass\nf = Frame()", "f.ix"]),
    ],
)  # fmt: skip
def test_nothing_safe_is_proposed(bench: Bench, why: str, cells: list[str]) -> None:
    safe = [p for p in bench.fail(*cells).propose_patches() if p.applicability is Applicability.SAFE]
    assert not safe, f"{why}: {safe[0].title}"


def test_another_file_of_the_same_kind_is_not_opened_for_the_missing_one(bench: Bench) -> None:
    bench.write_file("sales_jun.csv", "1")
    safe = [p for p in bench.fail("open('sales_jan.csv')").propose_patches() if p.applicability is Applicability.SAFE]
    assert not safe


def test_a_placeholder_or_a_slip_of_an_installed_module_is_never_installed(bench: Bench) -> None:
    for module in ("your_module", "module_name", "utils", "pands", "urllib2", "solutions"):
        assert bench.is_silent("IMP104", f"import {module}"), module


def test_state_comes_before_spelling_and_imports(bench: Bench) -> None:
    broken = bench.fail("rate = 2", "# not run\nrates = [1, 2]", "sum(rates)")
    first = broken.propose_patches()[0]
    assert (first.rule, first.edits) == ("STA101", (RunCells(("c2",)),))
    assert "NAM101" not in {p.rule for p in broken.propose_patches()}


def test_unrun_cells_bring_what_they_need_in_order_and_no_more(bench: Bench) -> None:
    broken = bench.fail(
        "# not run\nprint('nothing to do with it')",
        "# not run\nbase = 2",
        "ran = 1",
        "# not run\ndef scaled(x):\n    return base * x",
        "scaled(3)",
    )
    assert broken.propose_patches()[0].edits == (RunCells(("c2", "c4")),)


def test_after_a_restart_the_cell_that_loads_us_has_nothing_to_do_any_more(bench: Bench) -> None:
    loads, others = "# not run\n%load_ext jupyter_selfheal", "# not run\n%load_ext sql_of_others"
    for above, wanted in ((loads, ("c2",)), (others, ("c1", "c2")), (f"{loads}\nk = 1", ("c1", "c2"))):
        assert bench.fail(above, "# not run\nprice = 20", "price * 3").propose_patches()[0].edits == (RunCells(wanted),)


def test_a_cell_that_needs_the_failing_one_is_not_moved_above_it(bench: Bench) -> None:
    assert bench.is_silent("STA102", "x = later + 1", "# not run\nlater = x * 2")


def test_moving_keeps_the_order_of_what_is_moved(bench: Bench) -> None:
    broken = bench.fail("area(2)", "# not run\nPI = 3", "# not run\ndef area(r):\n    return PI * r * r")
    moves = next(p for p in broken.propose_patches() if p.rule == "STA102").edits
    assert moves == (Move("c2", "c1"), Move("c3", "c1"))


def test_a_keyword_is_never_dropped(bench: Bench) -> None:
    for patch in bench.fail("def f(width):\n    return width", "f(1, colour=2)").propose_patches():
        assert "colour" in patch.source_of("c2", "colour") or "2" in patch.source_of("c2", "2")


def test_append_of_lists_stays_a_list(bench: Bench) -> None:
    for patch in bench.fail("rows = ()", "rows.append([1])").propose_patches():
        assert "concat" not in patch.source_of("c2", "")


def test_the_same_patch_of_two_rules_is_proposed_once(bench: Bench) -> None:
    sources = [p.source_of("c2", "") for p in bench.fail("d = {'a': 1}", "d.has_key('a')").propose_patches()]
    assert len(sources) == len(set(sources))


def test_unparsable_neighbours_and_odd_cells_do_no_harm(bench: Bench) -> None:
    broken = bench.fail("# not run\nif (", "%%bash\nls", "", "# only a comment", "undefined_thing_of_mine")
    assert broken.propose_patches() == ()


def test_a_method_that_was_not_called_is_not_written_as_text(bench: Bench) -> None:
    assert bench.is_silent("TYP102", "shout = 'abc'.upper", "shout + '!'")
    assert not bench.is_silent("TYP102", "count = 3", "'all: ' + count")


@pytest.mark.parametrize(
    ("wrong", "right", "slip"),
    [
        ("y_test", "X_test", False),
        ("mean_y", "mean_x", False),
        ("loss_a", "loss_b", False),
        ("X_val", "X_vol", False),
        ("read_cvs", "read_csv", True),
        ("totl_sum", "total_sum", True),
        ("colour", "color", True),
        ("Pirce", "Price", True),
    ],
)
def test_names_that_differ_in_a_short_word_are_other_names(wrong: str, right: str, slip: bool) -> None:
    assert is_plain_slip(wrong, right) is slip


@pytest.mark.parametrize(
    ("code", "cells"),
    [
        (
            "NAM103",
            (
                "total = 12",
                "def mean(xs):\n    for x in xs:\n        total += x\n    return total / len(xs)",
                "mean([1, 2])",
            ),
        ),
        ("CAL102", ("number = 472", "total = 0\nfor digit in number:\n    total += digit")),
        (
            "PDA103",
            (
                "import pandas as pd",
                "t = pd.DataFrame({'k': ['a', 'b'], 'v': ['3.5', '4'], 'n': [1, 2]}, dtype=object)",
                "t.groupby('k').mean()",
            ),
        ),
        ("STA102", ("f(2)", "# not run\ndef f(x):\n    return x", "# not run\ndef f(x):\n    return 2 * x")),
    ],
)
def test_what_may_be_meant_otherwise_is_not_called_safe(bench: Bench, code: str, cells: tuple[str, ...]) -> None:
    assert all(p.applicability is not Applicability.SAFE for p in bench.propose_patches(code, *cells))
