"""What is done once in place of many times gives just what it gave each time: copies of arguments, trees of texts, the nodes in them."""

from __future__ import annotations

import ast
import random
from typing import Any

import pytest

from jupyter_selfheal.inside.search.parsed_once import parse_once
from jupyter_selfheal.inside.search.plain_data import copy_plain_data, make_copier
from jupyter_selfheal.inside.tree_names import list_nodes, walk

ATOMS = (None, True, 0, -7, 2.5, 1j, "", "text", b"x", 2**70)
SOURCES = (
    "def f(x, *rest, y=1):\n    '''doc'''\n    return [a for a in x if a > y] + [*rest]\n",
    "class C(B):\n    @property\n    def p(self) -> int:\n        try:\n            return self.q\n        except (A, B) as e:\n            raise\n",
    "match v:\n    case [1, *_] | {'k': w}:\n        print(f'{w!r:>{n}}')\n    case _:\n        pass\n",
    "x = y = lambda a, /, b, *, c=2: (yield a)\nfor i, j in z:\n    continue\nelse:\n    del q[1:2, ::3]\n",
)


def make_data(draw: random.Random, depth: int = 0) -> Any:
    """Plain data: atoms, and collections of these and of one another."""
    if depth == 3 or draw.random() < 0.4:
        return draw.choice(ATOMS)
    items = [make_data(draw, depth + 1) for _ in range(draw.randrange(5))]
    hashable = [item for item in items if is_hashable(item)]
    kind = draw.choice((list, tuple, set, frozenset, dict))
    if kind is dict:
        return dict(zip(hashable, items, strict=False))
    return kind(hashable if kind in (set, frozenset) else items)


def is_hashable(value: Any) -> bool:
    """Whether a value can stand in a set."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def list_changing(value: Any) -> list[int]:
    """The identities of all that could be changed in place within a value."""
    inner = [*value.keys(), *value.values()] if isinstance(value, dict) else list(value) if is_collection(value) else []
    own = [id(value)] if isinstance(value, list | dict | set) else []
    return own + [n for item in inner for n in list_changing(item)]


def is_collection(value: Any) -> bool:
    """Whether a value holds others."""
    return isinstance(value, list | tuple | set | frozenset | dict)


@pytest.mark.parametrize("seed", range(200))
def test_a_copy_of_a_plan_is_the_copy_made_by_hand(seed: int) -> None:
    value = make_data(random.Random(seed))
    copier = make_copier(value)
    if copier is None:
        assert list_changing(value) == []
        return
    first, second, by_hand = copier(), copier(), copy_plain_data(value)
    assert repr(first) == repr(second) == repr(by_hand) == repr(copy_plain_data(value))
    assert type(first) is type(by_hand)
    assert not {*list_changing(first)} & {*list_changing(value), *list_changing(second)}


@pytest.mark.parametrize("value", [object(), [object()], "x" * 2000, [[[[[[1]]]]]], [0] * 301, bytearray(b"x")])
def test_what_is_no_plain_data_has_no_plan(value: Any) -> None:
    with pytest.raises(ValueError, match="not plain data"):
        copy_plain_data(value)
    with pytest.raises(ValueError, match="not plain data"):
        make_copier(value)


def test_a_set_is_copied_in_its_order() -> None:
    value = [{n * 8 for n in range(9)} - {8, 32}, {"b", "a", "c"}]
    copier = make_copier(value)
    assert copier is not None
    assert [list(s) for s in copier()] == [list(s) for s in copy_plain_data(value)]


@pytest.mark.parametrize("source", SOURCES)
def test_nodes_come_in_the_order_of_ast_walk(source: str) -> None:
    tree = ast.parse(source)
    assert list_nodes(tree) == list(ast.walk(tree))
    assert all(list_nodes(node) == list(ast.walk(node)) for node in ast.walk(tree))


@pytest.mark.parametrize("source", SOURCES)
def test_a_text_is_parsed_once(source: str) -> None:
    tree = parse_once(source)
    assert parse_once(source) is tree
    assert ast.dump(tree) == ast.dump(ast.parse(source))
    assert list(walk(tree)) == list(ast.walk(tree))


def test_what_does_not_parse_says_so_each_time() -> None:
    for _ in range(2):
        with pytest.raises(SyntaxError):
            parse_once("def f(:")
