"""What beginners overlook, and near misses in which nothing of it is proposed."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

import pytest

from jupyter_selfheal.healers.syntax.idle_parts import find_idle_part
from jupyter_selfheal.healers.triage.left_alone.raw_data import _compares_a_result
from jupyter_selfheal.inside.positions import splice
from jupyter_selfheal.inside.search.mutations import beginners, conditions, constants, exchanges, missing_code
from jupyter_selfheal.inside.search.propose_mutations import rank_changes
from jupyter_selfheal.inside.search.scope import Change, Scope
from jupyter_selfheal.inside.search.sentinels import describe_doubt_of_sentinel


def list_texts(source: str) -> list[str]:
    """What the operators make of a source."""
    s = Scope(source)
    return [splice(source, c.edits) for node in s.order for propose in beginners.OPERATORS for c in propose(s, node)]


MEANT = {
    "a parameter that is overwritten": (
        "def f(a, b):\n    b = 1\n    return a * b\n",
        "def f(a, b):\n    return a * b\n",
    ),
    "a result that is dropped": (
        "def f(n):\n    out = []\n    for i in range(n):\n        i * i\n    return out",
        "def f(n):\n    out = []\n    for i in range(n):\n        out.append(i * i)\n    return out",
    ),
    "a point in a raw pattern": ("re.match(r'\\d.\\d', x)", "re.match(r'\\d\\.\\d', x)"),
    "a point in a plain pattern": ("re.match('a.b', x)", "re.match('a\\\\.b', x)"),
    "a count that begins anew": (
        "for w in words:\n    d[w] = 1",
        "for w in words:\n    d[w] = (d.get(w, 0) + 1)",
    ),
    "a sum by key": ("for k, v in rows:\n    d[k] = v", "for k, v in rows:\n    d[k] = (d.get(k, 0) + v)"),
    "a list by key": ("for k, v in rows:\n    d[k] = v", "for k, v in rows:\n    d.setdefault(k, []).append(v)"),
    "pieces that overlap": ("[xs[i:i + n] for i in range(len(xs))]", "[xs[i:i + n] for i in range(0, len(xs), n)]"),
    "pieces of a loop": (
        "for i in range(2, len(xs)):\n    print(xs[i:n + i])",
        "for i in range(2, len(xs), n):\n    print(xs[i:n + i])",
    ),
    "half a word": ("' '.join(w[0].upper() for w in s)", "' '.join((w[0].upper() + w[1:]) for w in s)"),
    "texts of digits": ("max(ages)", "max(ages, key=int)"),
    "a greatest one that begins with zero": (
        "def f(xs):\n    best = 0\n    for x in xs:\n        if x > best:\n            best = x\n    return best",
        "def f(xs):\n    best = (xs[0])\n    for x in xs:\n        if x > best:\n            best = x\n    return best",
    ),
}


@pytest.mark.parametrize(("source", "meant"), MEANT.values(), ids=MEANT)
def test_what_was_overlooked_is_proposed(source: str, meant: str) -> None:
    assert meant in list_texts(source)


@pytest.mark.parametrize(
    "source",
    [
        "d[w] = 1",
        "for i in xs:\n    if i not in d:\n        d[i] = 1\n    else:\n        d[i] += 1",
        "for i in xs:\n    d[0] = 1",
        "for i in xs:\n    d[i] = 0",
        "[xs[i:j] for i in range(len(xs))]",
        "[xs[i:i + n] for i in range(0, len(xs), n)]",
        "w[0].upper() + w[1:]",
        "w[0].upper() == 'A'",
        "def f(a, b):\n    b = b or 1\n    return a * b\n",
        "def f(a, b):\n    print(b)\n    b = 1\n    return a * b\n",
        "def f(n):\n    out = []\n    for i in range(n):\n        i * i\n        out.append(i)\n    return out",
        "re.match(r'.*a\\.b[.]', x)",
        "text.split('a.b')",
        "max(ages, default=0)",
        "def f(xs):\n    n = 0\n    for x in xs:\n        n += x\n    return n",
    ],
    ids=["no loop", "a key that is asked for", "one place", "begins at zero", "no pieces", "pieces", "a whole word", "a letter", "a default", "a parameter that was read", "a list that is filled", "points that are meant", "no pattern",
         "a call with arguments of its own", "a sum"],
)  # fmt: skip
def test_what_is_meant_is_left(source: str) -> None:
    assert list_texts(source) == []


def list_made(source: str, propose: Callable[[Scope, ast.AST], Iterator[Change]]) -> list[str]:
    """What one operator makes of a source."""
    s = Scope(source)
    return [splice(source, c.edits) for node in s.order for c in propose(s, node)]


def test_a_name_that_a_loop_adds_to_begins_above_it() -> None:
    loop = "for x in xs:\n    n = n + x\n"
    assert list_made(loop, missing_code.propose_first_value)[0] == "n = 0\n" + loop


@pytest.mark.parametrize(
    "source",
    [
        "n = 1\nfor x in xs:\n    n += x",
        "for n in xs:\n    n += 1",
        "for x in xs:\n    n = 2 * x",
        "def f():\n    for x in xs:\n        n += x",
    ],
)
def test_what_is_bound_or_not_added_to_needs_no_first_value(source: str) -> None:
    assert list_made(source, missing_code.propose_first_value) == []


def test_no_first_value_is_set_in_each_round() -> None:
    source = "def f(xs):\n    for x in xs:\n        n = n + x\n    return n"
    texts = [splice(source, change.edits) for _, change in rank_changes(Scope(source), {})]
    assert texts
    assert not any(
        "        n = x\n        n = n + x" in text or "        n = 0\n        n = n + x" in text for text in texts
    )


def test_a_branch_that_an_earlier_one_takes_comes_first() -> None:
    source = "if a > 1:\n    x = 1\nelif a > 2:\n    x = 2\n    y = 3\nelse:\n    x = 4"
    meant = "if a > 2:\n    x = 2\n    y = 3\nelif a > 1:\n    x = 1\nelse:\n    x = 4"
    assert list_made(source, exchanges.propose_branch_order) == [meant]


@pytest.mark.parametrize(
    "source",
    ["if a:\n    x = 1", "if a:\n    x = 1\nelse:\n    x = 2", "if a:\n    x = 1\nelse:\n    if b:\n        x = 2"],
)
def test_one_branch_has_no_order(source: str) -> None:
    assert list_made(source, exchanges.propose_branch_order) == []


LARGEST = "def f(xs):\n    best = 0\n    for x in xs:\n        if x > best:\n            best = x\n    return best\n"


@pytest.mark.parametrize(
    ("condition", "is_doubted"),
    [
        ("x > best or best == 0", True),
        ("x > best or not best", True),
        ("x > best or best is None", False),
        ("x >= best", False),
    ],
)
def test_a_value_that_means_nothing_yet_may_come_up(condition: str, is_doubted: bool) -> None:
    assert bool(describe_doubt_of_sentinel(LARGEST, LARGEST.replace("x > best", condition))) is is_doubted


def test_a_condition_that_was_there_is_not_doubted() -> None:
    old = LARGEST.replace("x > best", "x > best or not best")
    assert describe_doubt_of_sentinel(old, old.replace("return best", "return best + 1")) == ""


@pytest.mark.parametrize(
    ("source", "is_idle"),
    [
        ("if x > 5 and 10:\n    print(x)", True),
        ("y = name or 'nobody'\nprint(y)", False),
        ("print(x > 5 and x < 10)", False),
    ],
)
def test_a_number_by_itself_asks_nothing(source: str, is_idle: bool) -> None:
    assert bool(find_idle_part(source, frozenset())) is is_idle


@pytest.mark.parametrize(
    ("check", "is_result"),
    [
        ("(C == np.array([[2, 1], [4, 3]])).all()", True),
        ("np.all(C == [1, 2])", True),
        ("(df.a == df.b).all()", False),
        ("(df.price > 0).all()", False),
        ("all(x == 1 for x in xs)", False),
    ],
)
def test_items_that_are_written_down_are_a_result(check: str, is_result: bool) -> None:
    assert _compares_a_result(ast.parse(check, mode="eval").body) is is_result


COUNTING = "n = 0\nfor c in word:\n    if c in {letters!r}:\n        n += 1\n"


def test_a_letter_is_missing_where_one_is_looked_for_among_them() -> None:
    s = Scope(COUNTING.format(letters="aeio"))
    priors = {c.words: c.prior for node in s.order[::-1] for c in list(constants.propose_constants(s, node))[::-1]}
    assert priors["`'aeio'` should be `'aeiou'`"] > priors["`'aeio'` should be `'aeiob'`"] > 0.06


@pytest.mark.parametrize("source", ["c == 'aeio'", "c in 'aa'", "c in 'no way'"])
def test_another_text_gets_no_letter_for_being_looked_in(source: str) -> None:
    s = Scope(source)
    made = [c for node in s.order for c in constants.propose_constants(s, node) if c.prior in (0.2, 0.6)]
    assert made == []


def test_a_branch_seldom_asks_for_what_it_counts() -> None:
    s = Scope(COUNTING.format(letters="aeiou"))
    priors = {c.words: c.prior for node in s.order for c in conditions.propose_longer_condition(s, node)}
    own, other = priors["`c in 'aeiou'` lacks `n == 1`"], priors["`c in 'aeiou'` lacks `c == 1`"]
    assert own < other
