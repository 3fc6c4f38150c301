"""What is done for each of hundreds of sources that are made of a reading, counted in trees."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from jupyter_selfheal.healers.syntax import best_first
from jupyter_selfheal.healers.syntax.site import Slip
from jupyter_selfheal.inside import parsing
from jupyter_selfheal.inside.search.explore_reading import Explorer, Node
from jupyter_selfheal.inside.search.program import VALUE, Program, Unit, compile_unit
from jupyter_selfheal.inside.search.run_candidate import Runner
from jupyter_selfheal.inside.search.source_text import drop_idle_parentheses

READING = "total = 0\nfor n in range(4):\n    total += n\nprint(total)\ntotal * 2"


@pytest.fixture
def count_trees(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], int]:
    made: list[int] = []

    def counted(parse: Callable[..., ast.AST]) -> Callable[..., ast.AST]:
        def parse_counted(*given: Any, **named: Any) -> ast.AST:
            made.append(1)
            return parse(*given, **named)

        return parse_counted

    def count(work: Callable[[], object]) -> int:
        before = len(made)
        work()
        return len(made) - before

    monkeypatch.setattr(ast, "parse", counted(ast.parse))
    monkeypatch.setattr(parsing, "parse_tree", counted(parsing.parse_tree))
    return count


def make_explorer(**oracle: str) -> Explorer:
    program = Program((Unit(READING, "cell", mutable=True, cell="c"),), **oracle)
    return Explorer(Runner(program, {}), 0, frozenset())


def test_no_tree_is_made_of_a_source_whose_value_nobody_asks_for(
    count_trees: Callable[[Callable[[], object]], int],
) -> None:
    explorer = make_explorer(stdout="6\n")
    assert explorer.run(READING)[0]
    sources = [READING.replace("total = 0", f"total = {n}") for n in range(20)]
    count_trees(lambda: explorer.run(sources[0]))  # what is countable is read of the reading once
    assert count_trees(lambda: [explorer.run(source) for source in sources]) == 0


def test_a_value_that_is_asked_for_is_kept_and_tells_sources_apart(
    count_trees: Callable[[Callable[[], object]], int],
) -> None:
    explorer = make_explorer(expect="12")
    assert explorer.run(READING)[0]
    assert not explorer.run(READING.replace("* 2", "* 3"))[0]
    assert count_trees(lambda: explorer.run(READING)) == 1


@pytest.mark.parametrize(
    ("text", "kept"),
    [("x = 3\nx + 1", 4), ("x = 3", 3), ("x = 3\nx += 4", 7), ("x = y = 3", None), ("if True:\n    x = 5", None)],
)
def test_the_value_of_the_last_statement_is_bound_where_it_has_one(text: str, kept: object) -> None:
    program = Program((Unit(text, "cell", cell="c"),))
    for is_asked in (True, False):
        space: dict[str, Any] = {}
        exec(compile_unit(program, 0, text, is_asked=is_asked), space)
        assert space.get(VALUE) == (kept if is_asked else None)


def test_an_error_in_the_last_statement_is_told_in_its_line() -> None:
    program = Program((Unit(READING, "cell", cell="c"),))
    code = compile_unit(program, 0, "x = 1\ny = (\n    x / 0\n)")
    with pytest.raises(ZeroDivisionError) as caught:
        exec(code, {})
    assert caught.traceback[-1].lineno + 1 in (2, 3)


def test_parentheses_are_looked_for_only_where_there_are_any(
    count_trees: Callable[[Callable[[], object]], int],
) -> None:
    assert count_trees(lambda: drop_idle_parentheses("y = a + b", ((4, 5, "c"),))) == 0
    assert count_trees(lambda: drop_idle_parentheses("y = a + b", ((4, 5, "(c)"),))) == 2
    assert drop_idle_parentheses("y = a + b", ((4, 5, "(c)"),)) == ((4, 5, "c"),)


def test_what_was_tried_is_not_read_again(count_trees: Callable[[Callable[[], object]], int]) -> None:
    explorer = make_explorer(stdout="7\n")
    tried, new = Node("print(1 == 1)", 1.0, ()), Node("print(2 == 2)", 1.0, ())
    explorer.try_node(tried)
    assert count_trees(lambda: explorer._is_new(tried, Counter())) == 0
    assert count_trees(lambda: explorer._is_new(new, Counter())) == 1
    assert not explorer._is_new(new, Counter()), "it asks nothing"
    assert explorer._is_new(Node("print(2 == 3)", 1.0, ()), Counter())


def test_slips_that_cost_too_much_are_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    listed, made = list[int](), list[int]()
    list_slips, apply = best_first._list_slips, Slip.apply

    def list_counted(*given: Any) -> list[Slip]:
        slips = list_slips(*given)
        listed.append(len(slips))
        return slips

    def apply_counted(self: Slip, source: str) -> str:
        made.append(1)
        return apply(self, source)

    monkeypatch.setattr(best_first, "_list_slips", list_counted)
    monkeypatch.setattr(Slip, "apply", apply_counted)
    readings = best_first.find_readings("print('Hi' +, name)\nfor n in range(3)\n    print(n)\n", frozenset({"name"}))
    assert readings[0].source.startswith("print('Hi'")
    assert 50 < len(made) < 0.7 * sum(listed)
