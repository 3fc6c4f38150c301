"""A cell that fails on a value which an unhealed cell above left half-made is a cascade of it."""

from __future__ import annotations

import pytest

from jupyter_selfheal.model import (
    Applicability,
    Candidate,
    Cell,
    Diagnosis,
    Ending,
    Failure,
    FailureKind,
    Isolation,
    Outcome,
    Patch,
    Proposal,
    Reason,
    Start,
    Trial,
    Verdict,
)
from jupyter_selfheal.surfaces.notebook import cascades
from jupyter_selfheal.surfaces.notebook.cascades import find_failed_check_root, find_half_made_root, find_needed_in_text
from jupyter_selfheal.surfaces.notebook.lost_state import LostState, find_lost_state

LOST = (
    LostState(2, frozenset({"total"})),
    LostState(4, frozenset({"rows"}), changed=frozenset({"table", "np"}), assigned=frozenset({"table"})),
)


def find_root(source: str, statement: int = 0, *, stale: bool = True) -> int:
    failure = Failure("c", source, ename="ValueError", evalue="no", statement=statement)
    return find_half_made_root(Cell("c", source, stale=stale), failure, LOST)


@pytest.mark.parametrize(("source", "number"), [("inverse(total)", 2), ("x = 1 / len(rows)", 4)])
def test_what_reads_a_half_made_value_follows_from_the_cell_that_left_it(source: str, number: int) -> None:
    assert find_root(source) == number


@pytest.mark.parametrize("source", ["inverse(other)", "np.linalg.inv(other)", "table.merge(other)"])
def test_what_reads_none_is_a_failure_of_its_own(source: str) -> None:
    assert find_root(source) == 0


def test_another_statement_of_the_cell_does_not_count() -> None:
    assert find_root("inverse(other)\nshow(total)") == 0


def test_what_the_cell_made_of_it_is_no_better() -> None:
    assert find_root("means = total.mean()\nmeans.index = days\nmeans.plot()", statement=1) == 2
    assert find_root("means = total.mean()\nmeans = [1]\nmeans.index = days", statement=2) == 0
    assert find_root("means = total.mean()\nothers.index = days", statement=1) == 0


def test_a_name_that_was_bound_anew_is_whole() -> None:
    assert find_root("inverse(total)", stale=False) == 0


def find_root_of_missing(source: str, unhealed: str, ename: str = "KeyError") -> int:
    lost = find_lost_state(3, Cell("3", unhealed), Failure("3", unhealed, statement=1))
    failure = Failure("c", source, ename=ename, evalue="'oslo'", statement=0)
    return find_half_made_root(Cell("c", source, stale=True), failure, (lost,))


FILLS = "means = {}\nfor town, rows in groups: means[town] = reckon(rows)"


def test_a_key_that_the_unhealed_cell_would_have_filled_in_follows_from_it() -> None:
    assert find_root_of_missing("print(means['oslo'])", FILLS) == 3
    assert find_root_of_missing("print(found[2])", "found = []\nfor r in rows: found.append(r)", "IndexError") == 3


def test_a_key_of_what_it_would_not_have_filled_does_not() -> None:
    assert find_root_of_missing("print(other['oslo'])", FILLS) == 0
    assert find_root_of_missing("print(means['oslo'])", FILLS, "TypeError") == 0
    assert find_root_of_missing("print(means['oslo'])", "means = {}\nmeans['rome'] = reckon(groups)") == 0


ABOVE = ("def drop(shelf): ...", "stock = {}\nwords = []", "n = drop(stock)\nwords.append(1)", "count = len(stock)")


def find_check_root(source: str, *above: str, statement: int = 0, ename: str = "AssertionError") -> int:
    cells = (*ABOVE, *above)
    lost = find_lost_state(3, Cell("3", ABOVE[2]), Failure("3", ABOVE[2], statement=0))
    failure = Failure("c", source, ename=ename, statement=statement)
    return find_failed_check_root(failure, (lost,), enumerate(cells, 1))


@pytest.mark.parametrize("source", ["assert stock == {}", "assert words", "assert n", "assert count == 0"])
def test_an_assert_on_what_the_unhealed_cell_would_have_changed_follows_from_it(source: str) -> None:
    assert find_check_root(source) == 3


@pytest.mark.parametrize("source", ["assert other", "len(stock) / 0", "assert other\nassert stock"])
def test_what_reads_none_of_it_or_is_no_assert_does_not(source: str) -> None:
    assert find_check_root(source) == 0


def test_an_assert_on_what_was_made_anew_is_a_failure_of_its_own() -> None:
    assert find_check_root("assert stock", "stock = {'a': 1}") == 0
    assert find_check_root("assert count", "count = 4") == 0
    assert find_check_root("assert stock", ename="KeyError") == 0


TABLE = "df = load()\nk = 'k'"


def find_root_of_table(unhealed: str, check: str = "assert len(df) == 4", given: str = "") -> int:
    cells = (TABLE, given, unhealed, "x = 1")
    lost = find_lost_state(3, Cell("3", unhealed), Failure("3", unhealed, statement=0))
    failure = Failure("c", check, ename="AssertionError", statement=0)
    return find_failed_check_root(failure, (lost,), enumerate(cells, 1))


@pytest.mark.parametrize(
    "unhealed",
    [
        "m = df.groupby('k').avg()",
        "wide = df.pivt('a')",
        "print(df.hed())",
        "plot(df, hu='a')",
        "df.pivt('a')\ndisplay(df)",
        "def tidy(df):\n    df.clear()\nnothing()",
    ],
)
def test_what_only_reads_a_table_is_no_root_of_what_is_wrong_with_it(unhealed: str) -> None:
    assert find_root_of_table(unhealed) == 0


@pytest.mark.parametrize(
    ("unhealed", "given"),
    [
        ("df.drop([1], inplace=Ture)", ""),
        ("df['n'] = df['k'].lenght()", ""),
        ("for table in [df]:\n    table['n'] = hlep(table)", ""),
        ("trim(df, hu='a')", "def trim(table, n):\n    table.drop(table.index[n:], inplace=True)"),
        ("df.depositt() or df.deposit(4)", "class Account:\n    def deposit(self, n):\n        self.n += n"),
    ],
)
def test_what_would_have_changed_it_is(unhealed: str, given: str) -> None:
    assert find_root_of_table(unhealed, given=given) == 3


def test_a_cell_that_only_reads_what_is_lost_and_a_table_spoils_no_table() -> None:
    unhealed = "m = df.groupby('k').avg()"
    lost = find_lost_state(2, Cell("2", unhealed), Failure("2", unhealed, statement=0))
    failure = Failure("c", "assert len(df) == 4", ename="AssertionError", statement=0)
    cells = (TABLE, unhealed, "print(m)\nwide = df.pivt('a')")
    assert find_failed_check_root(failure, (lost,), enumerate(cells, 1)) == 0


@pytest.mark.parametrize(
    ("source", "number"),
    [
        ("e, f = 3, 4\nif e > 2 && f > 3:\n    print(f)", 0),
        ("f: int = 3\nprint f", 0),
        ("first, *f = items()\nprint f", 0),
        ("e = 3\nif e > 2 && f > 3:\n    print(e)", 7),
        ("if f: e = 2 +", 7),
    ],
)
def test_what_a_cell_binds_itself_is_not_what_a_cell_above_would_have_bound(source: str, number: int) -> None:
    failure = Failure("c", source, kind=FailureKind.SYNTAX, ename="SyntaxError", evalue="no")
    assert find_needed_in_text(failure, (LostState(7, frozenset({"f"})),), ()) == number


@pytest.mark.parametrize(
    ("source", "number"),
    [("print f", 7), ("label = f'{total:%d'", 0), ("print 'f'", 0), ('x = F"""f"""  # f\ny = (', 0)],
)
def test_the_letter_before_a_string_is_no_name_that_a_cell_above_would_have_bound(source: str, number: int) -> None:
    failure = Failure("c", source, kind=FailureKind.SYNTAX, ename="SyntaxError", evalue="no")
    assert find_needed_in_text(failure, (LostState(7, frozenset({"f"})),), ()) == number


@pytest.mark.parametrize(
    ("check", "root"), [("orders['price'].min() > 3", 0), ("orders['due'].notna().all()", 9), ("len(orders) > 3", 9)]
)
def test_a_check_of_other_columns_does_not_follow_from_the_one_that_is_lost(check: str, root: int) -> None:
    made = "orders['due'] = orders['day'] + 7"
    state = find_lost_state(9, Cell("a", made), Failure("a", made, ename="TypeError", evalue="no", statement=0))
    failure = Failure("c", f"assert {check}", ename="AssertionError", evalue="", statement=0)
    assert find_failed_check_root(failure, [state], [(9, made)]) == root


@pytest.mark.parametrize(
    ("below", "said", "root"),
    [
        ("x, y = zip(*rows[1])", "not enough values to unpack (expected 2, got 0)", 3),
        ("plt.scatter(sizes, took)", "x and y must be the same size", 3),
        ("print(max(took))", "max() arg is an empty sequence", 3),
        ("plt.scatter(sizes, other)", "x and y must be the same size", 0),
        ("x, y = zip(*sizes)", "not enough values to unpack (expected 2, got 0)", 0),
        ("took.index(4)", "4 is not in list", 0),
    ],
)
def test_too_few_items_follow_from_the_cell_that_would_have_added_them(below: str, said: str, root: int) -> None:
    filling = "for n in sizes:\n    rows[n].append(load(n))\n    took.append(n)"
    failed = Failure("a", filling, ename="FileNotFoundError", evalue="no", statement=0)
    lost = find_lost_state(3, Cell("a", filling), failed)
    failure = Failure("c", below, ename="ValueError", evalue=said, statement=0)
    assert find_half_made_root(Cell("c", below, stale=True), failure, [lost]) == root


@pytest.mark.parametrize(
    ("source", "fix", "stale", "root"),
    [
        ("picture = total.reshape(4, 4)", Applicability.UNSAFE, True, 2),
        ("picture = other.reshape(4, 4)", Applicability.UNSAFE, True, 0),
        ("picture = total.reshape(4, 4)", Applicability.UNSAFE, False, 0),
        ("picture = total.as_matrix()", Applicability.SAFE, True, 0),
    ],
)
def test_a_guess_at_a_value_that_an_unhealed_cell_would_have_made_anew_is_not_offered(
    source: str, fix: Applicability, stale: bool, root: int
) -> None:
    failure = Failure("c", source, ename="ValueError", evalue="no", statement=0)
    patch = Patch((), "reckon it", "too few", healer="rules", applicability=fix)
    shown = Candidate(
        patch, Trial(patch.id, (), Ending.FINISHED, Start.BEFORE_CELL, Isolation("fake")), Verdict(patch.id, 5.0, True)
    )
    proposal = Proposal(failure, Diagnosis("too few"), (shown,), (Start.BEFORE_CELL,))
    outcome = Outcome(Reason.EXHAUSTED, failure, Diagnosis("too few"), proposal=(proposal,))
    assert cascades.find_root(Cell("c", source, stale=stale), failure, outcome, LOST, ()) == root
