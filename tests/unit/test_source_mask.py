"""Masking: what is IPython's own syntax, and what only looks like it."""

from __future__ import annotations

import ast
import gc
from collections.abc import Callable, Iterator

import pytest

from jupyter_selfheal.healers.syntax.idle_parts import find_idle_part
from jupyter_selfheal.inside import loader
from jupyter_selfheal.source import find_names, mask, parse


@pytest.mark.parametrize(
    ("line", "masked"),
    [
        ("files = !ls", "files = None"),
        ("d['now'] = %time 1", "d['now'] = None"),
        ('print "x = %.3f" % 1', 'print "x = %.3f" % 1'),
        ("total = a % b", "total = a % b"),
        ("x\n;", "x\npass"),
        ("%time y = f(x)", "if 1: y = f(x)"),
        ("  %timeit -n 3 -r2 f(x)", "  if 1:            f(x)"),
        ("%timeit f(x,", "pass"),
        ("%time for x in y: pass", "pass"),
        ("%time", "pass"),
        ("'''\n;\n'''", "'''\n;\n'''"),
    ],
)
def test_an_assigned_command_is_masked_and_a_text_of_python_2_is_not(line: str, masked: str) -> None:
    assert mask(line) == masked


def parse_deeper(frames: int) -> None:
    if frames:
        parse_deeper(frames - 1)
    else:
        ast.parse("y")


@pytest.fixture
def spoilt() -> Iterator[None]:
    """Two garbage collections, in the midst of whatever runs, parse something from a deeper stack, as another thread may."""
    left = [2]

    def meanwhile(phase: str, info: dict[str, int]) -> None:
        if phase == "start" and left[0]:
            left[0] -= 1
            parse_deeper(10)

    before = gc.get_threshold()
    gc.collect()
    gc.callbacks.append(meanwhile)
    gc.set_threshold(50)
    yield
    gc.callbacks.remove(meanwhile)
    gc.set_threshold(*before)


@pytest.mark.usefixtures("spoilt")
def test_parsing_survives_another_thread_that_parses_meanwhile() -> None:
    tree = parse("\n".join(f"a{n} = [{n}, b{n} + 1]" for n in range(300)))
    assert tree is not None
    assert len(tree.body) == 300


@pytest.mark.usefixtures("spoilt")
@pytest.mark.parametrize(
    "parses",
    [
        lambda: loader._list_imports("search.search"),
        lambda: find_idle_part("\n".join(f"a{n} = b{n} + [1]\nprint(a{n})" for n in range(300)), frozenset()) == "",
    ],
    ids=["what a trial needs", "a reading"],
)
def test_so_does_what_a_trial_parses_beside_others(parses: Callable[[], object]) -> None:
    """A heal ended with an internal error where what a trial needs was listed on two threads at once."""
    assert parses()


@pytest.mark.parametrize(
    ("first", "bound"),
    [
        ("%%script --bg --out lines bash", {"lines"}),
        ("%%bash --out here --err there", {"here", "there"}),
        ("%%capture --no-stderr printed", {"printed"}),
        ("%%capture", set()),
        ("%%time", set()),
        ("x = 1  # %%capture x", {"x"}),
    ],
)
def test_a_cell_magic_binds_the_names_that_it_is_told(first: str, bound: set[str]) -> None:
    """Else a state that is reconstructed lacks them: the cell that makes them is left out."""
    assert find_names(first + "\npass").binds == bound
