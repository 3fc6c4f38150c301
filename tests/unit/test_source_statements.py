"""Blanking statements: what is left keeps its lines, whatever IPython syntax stands before it."""

from __future__ import annotations

import pytest

from jupyter_selfheal.source import canonicalise, dump_tree, keep_statements, list_statements, parse


@pytest.mark.parametrize(
    ("source", "index", "left"),
    [
        ("%matplotlib inline\nx = 1\ny", 1, "#\nx = 1\ny"),
        ("!ls -l /tmp\nx = 1\ny", 2, "#\n\ny"),
        ("a = 1; b = 2\nc", 1, "b = 2\nc"),
        ("@d\ndef f():\n    return 1\n\nf()", 1, "#\n\n\n\nf()"),
    ],
)
def test_earlier_statements_are_blanked_whole(source: str, index: int, left: str) -> None:
    found = keep_statements(source, range(index, len(list_statements(source))))
    assert [line.strip() for line in found.split("\n")] == left.split("\n")
    assert len(found) == len(source)


def test_statements_in_the_middle_can_be_kept_alone() -> None:
    assert keep_statements("a = 1\n%time b\nc = 3", [1]).split() == ["#", "%time", "b"]


@pytest.mark.parametrize("source", ["a = 1\nb", "\n\na = 1\nb", "%time a\nb", "a = (\n 1,\n)\nb", "a = 1; c\nb"])
def test_ipython_keeps_the_lines_of_what_is_left(source: str) -> None:
    from IPython.core.inputtransformer2 import TransformerManager

    last = len(source.split("\n")) - 1
    whole = TransformerManager().transform_cell(source).split("\n")
    left = keep_statements(source, range(source.count(";") + 1, len(list_statements(source))))
    rest = TransformerManager().transform_cell(left).split("\n")
    assert rest.index("b") == whole.index("b") <= last


LADDER = "if x == 0:\n    y = 0\n" + "".join(f"elif x == {n}:\n    y = {n}\n" for n in range(1, 400))


def test_a_long_chain_of_branches_has_a_text_of_its_own() -> None:
    assert canonicalise(LADDER) == canonicalise(LADDER.replace(" == ", "=="))
    assert canonicalise(LADDER) != canonicalise(LADDER.replace("y = 399", "y = 398"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("f(a, b)", "f((a, b))"),
        ("'1'", "1"),
        ("1", "True"),
        ("[a, [b]]", "[[a], b]"),
        ("x = y", "x: y"),
        ("a.b", "a['b']"),
    ],
)
def test_trees_that_differ_have_other_texts(one: str, other: str) -> None:
    trees = [parse(text) for text in (one, other, f"{one}  # said again")]
    texts = [dump_tree(tree) for tree in trees if tree is not None]
    assert texts[0] == texts[2] != texts[1]
