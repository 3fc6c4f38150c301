"""A column that an unhealed cell would have named is missing in that table, and in what was made of it since; in no other one."""

from __future__ import annotations

import pytest

from jupyter_selfheal.model import Cell, Failure
from jupyter_selfheal.surfaces.notebook.cascades import find_cascade_root
from jupyter_selfheal.surfaces.notebook.lost_state import find_lost_state

RENAMES = "a.columns = ['price', 'town']"


def find_root(
    asked: str, between: str = "", above: str = "", renames: str = RENAMES, ename: str = "KeyError", statement: int = 0
) -> int:
    """The root of a failure at the column ``price`` of the text ``asked``, below three cells of which the second one is not healed."""
    lost = find_lost_state(2, Cell("2", renames), Failure("2", renames, ename="ValueError", statement=0))
    evalue = "'price'" if ename == "KeyError" else "'DataFrame' object has no attribute 'price'"
    failure = Failure("4", asked, ename=ename, evalue=evalue, statement=statement)
    return find_cascade_root(failure, [lost], [(1, above), (2, renames), (3, between)])


@pytest.mark.parametrize(
    ("between", "asked"),
    [
        ("b = a.dropna().copy()", "b['price'].mean()"),
        ("b = a[a['town'] == 'Oslo']", "b['price'].mean()"),
        ("b = pd.concat([c, a])", "b['price'].mean()"),
        ("b = clean(a, 3)", "b['price'].mean()"),
        ("if cut:\n    b = a.head()", "b['price'].mean()"),
        ("b = a.dropna()\nc = b.copy()\nd = c.join(e)", "d['price'].mean()"),
        ("a = a.dropna()", "a['price'].mean()"),
        ("tables = {}\ntables['x'] = a", "tables['x']['price'].mean()"),
        ("rows = []\nrows.append(a)\nb = pd.concat(rows)", "b['price']"),
        ("def pick(table): return table['price']", "pick(a)"),
        ("def pick(): return a['price']", "pick()"),
        ("key = 'price'", "a[key]"),
        ("", "a.apply(lambda row: row['price'] * 2, axis=1)"),
        ("", "for i, row in a.iterrows():\n    row['price']"),
        ("", "[row['price'] for _, row in a.iterrows()]"),
    ],
)  # fmt: skip
def test_what_was_made_of_the_table_lacks_its_column_too(between: str, asked: str) -> None:
    assert find_root(asked, between) == 2


@pytest.mark.parametrize(
    ("between", "asked"),
    [
        ("", "b['price'].mean()"),
        ("b = c[c['id'].isin(a['id'])]", "b['price'].mean()"),
        ("c['n'] = a['town']", "c['price']"),
        ("b = c.assign(n=a['town'])", "b['price']"),
        ("a = pd.read_csv('other.csv')", "a['price']"),
        ("b = a.dropna()\nb = c.copy()", "b['price']"),
        ("def pick(table): return table['price']", "pick(b)"),
        ("key = 'price'", "b[key]"),
        ("", "b.apply(lambda row: row['price'] * 2, axis=1)"),
        ("", "for i, row in b.iterrows():\n    row['price']"),
        ("", "n = a['town'] + b['price']"),
    ],
)
def test_another_table_has_a_fault_of_its_own(between: str, asked: str) -> None:
    assert find_root(asked, between) == 0


def test_only_the_failing_statement_says_which_table_is_asked() -> None:
    assert find_root("b['price']\na['price']") == 0
    assert find_root("b['n']\na['price']", statement=1) == 2
    assert find_root("b = a.dropna()\nb['price']", statement=1) == 2
    assert find_root("b = c.dropna()\nb['price']", statement=1) == 0


def test_an_attribute_is_asked_likewise() -> None:
    assert find_root("b.price", "b = a.dropna()", ename="AttributeError") == 2
    assert find_root("b.price", ename="AttributeError") == 0
    assert find_root("b.price", renames="b = a.melt()", ename="AttributeError") == 0, (
        "made anew, and not of such a name"
    )


@pytest.mark.parametrize(
    ("above", "renames", "root"),
    [
        ("b = a", RENAMES, 2),
        ("b = a.copy()", RENAMES, 0),
        ("b = a\nb = b.dropna()", RENAMES, 0),
        ("", "for t in [a, b]:\n    t.columns = ['price', 'town']", 2),
        ("tables = [a, b]", "for t in tables:\n    t.columns = ['price', 'town']", 2),
        ("tables = {'x': a, 'y': b}", "for n, t in tables.items():\n    t.columns = ['price', 'town']", 2),
        ("tables = [a, c]", "for t in tables:\n    t.columns = ['price', 'town']", 0),
        ("", "b = a.rename(columns={'cost': 'price'})", 2),
        ("", "c = b.rename(columns={'cost': 'price'})", 0),
        ("", "b.rename(columns={'cost': 'price'}, inplace=True)", 2),
    ],
)
def test_the_same_table_under_another_name_is_the_same(above: str, renames: str, root: int) -> None:
    assert find_root("b['price'].mean()", above=above, renames=renames) == root


def test_an_attribute_of_a_class_that_is_defined_anew_is_its_objects() -> None:
    anew = "x = 1 / 0\nclass Shop:\n    def __init__(self): self.price = 3"
    assert find_root("shop.price", "shop = Shop()", renames=anew, ename="AttributeError") == 2
    assert find_root("shop.price", "shop = Other()", renames=anew, ename="AttributeError") == 0


def test_what_would_have_been_bound_anew_and_is_bound_since_has_a_fault_of_its_own() -> None:
    anew = "people = people.pivt()"
    assert find_root("people['price']", renames=anew) == 2
    assert find_root("people['price']", "people = people.dropna()", renames=anew) == 2
    assert find_root("people['price']", "people = load()", renames=anew) == 0


@pytest.mark.parametrize(
    ("asked", "said", "root"),
    [
        ("a.groupby('town')['price'].sum()", "Column not found: price", 2),
        ("a.groupby('town')[['price']].sum()", "\"Columns not found: 'price'\"", 2),
        ("a.pivot(index='town', values='price')", "\"The following 'values' labels are not columns of the DataFrame: ['price']\"", 2),
        ("a.melt(id_vars='price')", "\"The following id_vars or value_vars are not present in the DataFrame: ['price']\"", 2),
        ("a[['n', 'price']]", "\"['price'] not in index\"", 2),
        ("a.drop(columns='price')", "\"['price'] not found in axis\"", 2),
        ("a[['price', 'town']]", "\"None of [Index(['price', 'town'], dtype='str')] are in the [columns]\"", 2),
        ("a[['price', 'rooms']]", "\"None of [Index(['price', 'rooms'], dtype='str')] are in the [columns]\"", 0),
        ("a.groupby('town')[['price', 'rooms']].sum()", "\"Columns not found: 'price', 'rooms'\"", 0),
        ("b.groupby('town')['price'].sum()", "Column not found: price", 0),
        ("a.groupby('town')['rooms'].sum()", "Column not found: rooms", 0),
    ],
)  # fmt: skip
def test_a_message_may_say_the_columns_in_a_sentence(asked: str, said: str, root: int) -> None:
    lost = find_lost_state(2, Cell("2", RENAMES), Failure("2", RENAMES, ename="ValueError", statement=0))
    failure = Failure("4", asked, ename="KeyError", evalue=said, statement=0)
    assert find_cascade_root(failure, [lost], [(2, RENAMES)]) == root
