"""After an exception that no check says more of, a change is worth showing where the exception gives a reason for it."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest

from jupyter_selfheal.healers.search.plan import build_plan
from jupyter_selfheal.inside.search import search
from jupyter_selfheal.inside.search.grounds import Grounds
from jupyter_selfheal.inside.search.program import Program, Unit
from jupyter_selfheal.model import Case, Cell, Failure, FailureKind, Notebook, Output

FIB = "def fib(n):\n    if n == 0:\n        return 0\n    return fib(n - 1) + fib(n - 2)"
DEPTH = "def depth(tree):\n    return 1 + max(depth(c) for c in tree['children'])"
ACCOUNT = "class Account:\n    def __init__(self, balance):\n        balance = balance"
MEAN = "def mean(xs):\n    return sum(xs) / len(xs)"


def has_ground(error: str, old: str, new: str, *others: str, check: str = "assert x is not None") -> bool:
    units = (Unit(old, "cell", True, "c"), *(Unit(o, "cell", True, "c") for o in others), Unit(check, "check"))
    return Grounds(Program(units, error=error), {"math": math, "np": math}).has_ground({0: new})


@pytest.mark.parametrize(
    ("error", "old", "new"),
    [
        # data that is left out, or written otherwise
        ("ValueError", "ax.bar(langs, users)", "ax.bar(langs[1:], users)"),
        ("ValueError", "fit = regress(years, sales)", "fit = regress(years[::2], sales)"),
        ("KeyError", "t = sum(p[i] for i in basket)", "t = sum(p[i] for i in basket[:-1])"),
        ("KeyError", 'basket = ["apple", "cherry"]', 'basket = ["apple"]'),
        ("KeyError", 'basket = ["apple", "cherry"]', 'basket = ["apple", "apple"]'),
        ("ZeroDivisionError", "visits = [10, 0, 5]", "visits = [10, 1, 5]"),
        ("LinAlgError", "A = [[2.0, 1.0], [4.0, 2.0]]", "A = [[1.0, 2.0], [4.0, 2.0]]"),
        ("ValueError", "mat = np.array(rows)", "mat = np.array(rows[0])"),
        ("ValueError", "v = np.array([3, 8, 1])", "v = len(np.array([3, 8, 1]))"),
        # another number, or a name that happens to be there
        ("ValueError", "noon = f(12)", "noon = f(0)"),
        ("ValueError", "cv = score(m, X, y, cv=5)", "cv = score(m, X, y, cv=2)"),
        ("ValueError", "root = brentq(g, 3, 10)", "root = brentq(g, 2, 10)"),
        ("TypeError", "sol = solve(f, (0, 10), [1.0])", "sol = solve(f, (0, 10), t)"),
        ("ValueError", "t = plt.xticks(places, months)", "t = plt.xticks(places, sizes)"),
        ("ZeroDivisionError", "r = s / v", "r = s / (v + age)"),
        ("ZeroDivisionError", "r = s / v", "r = s / (v - 1)"),
        ("ZeroDivisionError", "r = s / (n - 1)", "r = s / (n - 2)"),
        ("ValueError", "nums = [int(p) for p in ps]", "nums = [int(p.isdigit()) for p in ps]"),
        ("ValueError", "nxt = due.replace(month=due.month + 1)", "nxt = due.replace(month=due.month + 2)"),
        ("ValueError", "t = pd.DataFrame(data)", "t = pd.DataFrame(data.items())"),
        # another function, another sum
        ("StopIteration", "ok = all(k % d for d in ds)", "ok = any(k % d for d in ds)"),
        ("ValueError", "t = sum(int(p) for p in ps)", "t = any(int(p) for p in ps)"),
        ("ValueError", "nums = [int(p) for p in ps]", "nums = [str(p) for p in ps]"),
        ("ZeroDivisionError", "r = s / v", "r = s * v"),
        ("ValueError", "d = sqrt(b ** 2 - 4 * a * c)", "d = sqrt(b ** 2 + 4 * a * c)"),
        ("ValueError", "X2 = sc.transform(X)", "X2 = X"),
        ("ValueError", "line = plt.plot(x, y)", "line = plt.plot(y)"),
        ("ValueError", "f = interp1d(hours, temp)", "f = interp1d(temp, hours)"),
        # the failing part is not reached
        ("RecursionError", FIB, FIB.replace("n == 0", "n != 0")),
        ("TypeError", MEAN, MEAN.replace("    return", "    if xs is not None:\n        return 1\n    return")),
        ("ValueError", DEPTH, DEPTH.replace("    return", "    if tree:\n        return True\n    return", 1)),
        ("RuntimeError", MEAN, MEAN.replace("    return", "    if not xs:\n        return 0\n    return")),
        ("ValueError", "w = plt.pie(sizes)", "w = plt.pie(sizes) if not ax else x"),
        ("KeyError", 'need = stock.loc["cherry"]', 'need = stock.loc["cherry"] if df is None else 0'),
        ("ValueError", "m = [p for p in ps]", "m = [p for p in ps if p > header]"),
        ("KeyError", "t = 0\nt += p[k]", "t = 0"),
        ("IndexError", "while xs[i] > t:\n    i += 1", "while i == 0 and xs[i] > t:\n    i += 1"),
        ("IndexError", "while xs[i] != t:\n    i += 1", "while not xs[i] != t:\n    i += 1"),
        ("IndexError", "while xs[i] > t:\n    i += 1", "while xs[i] > t:\n    t //= 2\n    i += 1"),
        ("AttributeError", "while node.nxt.v > n:\n    n += 1", "while node.nxt.v > n and not n:\n    n += 1"),
        ("TypeError", "out.extend(flat(x))", "out.extend(x)"),
        ("TypeError", 'msg = "%d of %d" % (3,)', 'msg = "%d of %d"'),
        ("KeyError", 'g = {"b": ["d"]}', 'g = {"b": []}'),
        ("ZeroDivisionError", 't = {"tue": []}', 't = {"tue": [p]}'),
        ("StopIteration", "first = [next(g) for _ in range(4)]", "first = [next(g) for _ in range(3)]"),
    ],
)
def test_what_only_makes_the_exception_go_away_has_none(error: str, old: str, new: str) -> None:
    assert not has_ground(error, old, new)


@pytest.mark.parametrize(
    ("error", "old", "new"),
    [
        # one too far
        (
            "IndexError",
            "for i in range(len(d)):\n    r.append(d[i + 1])",
            "for i in range(len(d) - 1):\n    r.append(d[i + 1])",
        ),
        ("IndexError", "while lo <= hi:\n    x = xs[lo]", "while lo < hi:\n    x = xs[lo]"),
        ("IndexError", "last = xs[3]", "last = xs[2]"),
        (
            "ValueError",
            "dates = [date(2024, m, 1) for m in range(13)]",
            "dates = [date(2024, m, 1) for m in range(1, 13)]",
        ),
        ("IndexError", "t[i][j] = g[i][j]", "t[i][j] = g[j][i]"),
        ("AxisError", "best = scores.max(axis=1)", "best = scores.max(axis=0)"),
        ("RecursionError", "def f(n):\n    return n and n * f(n)", "def f(n):\n    return n and n * f(n - 1)"),
        # the case that is missing
        ("RecursionError", FIB, FIB.replace("    if n == 0", "    if n == 1:\n        return 1\n    if n == 0")),
        ("ValueError", DEPTH, DEPTH.replace("max(depth", "max((depth").replace("'])", "']), default=0)")),
        ("ZeroDivisionError", MEAN, MEAN.replace("    return", "    if not xs:\n        return 0\n    return")),
        ("ZeroDivisionError", MEAN, MEAN.replace("    return", "    if len(xs) == 0:\n        return 0\n    return")),
        ("ZeroDivisionError", "r = [s / v for s, v in zip(a, b)]", "r = [s / v if v else 0 for s, v in zip(a, b)]"),
        ("ValueError", "logs = [log10(v) for v in vals]", "logs = [log10(v) for v in vals if v > 0]"),
        ("KeyError", "counts[w] = counts[w] + 1", "counts[w] = counts.get(w, 0) + 1"),
        ("IndexError", "while xs[i] > 0:\n    i += 1", "while i < len(xs) and xs[i] > 0:\n    i += 1"),
        ("AttributeError", "while node.v > 0:\n    n += 1", "while node is not None and node.v > 0:\n    n += 1"),
        ("IndexError", "while xs[0] > 0:\n    xs.pop()", "while xs and xs[0] > 0:\n    xs.pop()"),
        ("IndexError", "while xs[i] > 0:\n    n += xs[i]", "while xs[i] > 0:\n    n += xs[i]\n    i += 1"),
        # a name that is like it, or was made for it
        ("ValueError", "reg.fit(X_train, y)", "reg.fit(X_train, y_train)"),
        ("KeyError", 'm = df["salery"]', 'm = df["salary"]'),
        ("KeyError", 'd = d[["nmae", "age"]]', 'd = d[["name", "age"]]'),
        ("AttributeError", "xs.apend(1)", "xs.append(1)"),
        # of the right kind
        ("TypeError", 'msg = "Age: " + age', 'msg = "Age: " + str(age)'),
        ("TypeError", "t = area > 0", "t = area[0] > 0"),
        ("ValueError", "for name, age in ages:\n    pass", "for name, age in ages.items():\n    pass"),
        ("ValueError", "p = lr.predict(x)", "p = lr.predict([x])"),
        ("AttributeError", ACCOUNT, ACCOUNT.replace("        balance =", "        self.balance =")),
        ("TypeError", "def clean(ws):\n    ws.sort()", "def clean(ws):\n    ws.sort()\n    return ws"),
        ("TypeError", "p = fit(model, x, p0=[1, 1, 1])", "p = fit(model, x, p0=[1, 1])"),
        ("ValueError", "y = w @ X", "y = X @ w"),
        ("TypeError", "t = a * b", "t = a + b"),
        ("RuntimeError", "for k in d:\n    d.pop(k)", "for k in d.copy():\n    d.pop(k)"),
        # moved: nothing is lost
        ("IndexError", "for x in xs:\n    t += x\n    n = t", "for x in xs:\n    t += x\nn = t"),
    ],
)
def test_what_the_exception_gives_a_reason_for_has_one(error: str, old: str, new: str) -> None:
    assert has_ground(error, old, new)


def test_a_name_that_nothing_else_reads_was_made_to_be_read() -> None:
    assert has_ground("ValueError", "line = plot(x, t)", "line = plot(x, wave)", "wave = make(x)")
    assert not has_ground("ValueError", "line = plot(x, t)", "line = plot(x, wave)", "wave = make(x)", "print(wave)")


def test_where_a_check_tells_the_value_anything_is_looked_at() -> None:
    assert has_ground("ValueError", "noon = f(12)", "noon = f(0)", check="assert noon == 20.5")
    assert has_ground("", "noon = f(12)", "noon = f(0)")
    assert has_ground("NameError", "noon = f(tmp)", "noon = f(hours)")


def test_a_recursion_lacks_a_case_rather_than_another_step() -> None:
    grounds = Grounds(
        Program((Unit(FIB, "define", True), Unit("assert fib(3) > 0", "check")), error="RecursionError"), {}
    )
    case = FIB.replace("    if n == 0", "    if n == 1:\n        return 1\n    if n == 0")
    assert grounds.weigh({0: FIB.replace("n - 2", "n - 1")}) < grounds.weigh({0: case}) == 1.0


def test_a_check_does_not_vouch_for_data_that_it_reads_itself() -> None:
    old, check = "A = np.array([[2.0, 1.0], [4.0, 2.0]])", "assert np.allclose(A @ x, b)"
    assert not has_ground("LinAlgError", old, "A = np.array([[2.0, 1.0], [4.0, 1.0]])", check=check)
    assert not has_ground("LinAlgError", old, "A = np.array([[1.0, 2.0], [4.0, 2.0]])", check=check)
    assert has_ground("LinAlgError", old, "A = np.array([[2.0, 1.0], [4.0, 1.0]])", check="assert x[0] == 1")
    assert has_ground("KeyError", 'd = d[["nmae"]]', 'd = d[["name"]]', check="assert list(d) == ['name']")
    assert has_ground("TypeError", "total = 0", 'total = ""', check="assert total == 'ab'")
    assert has_ground("TypeError", "seen = []", "seen = {}", check="assert seen == {'a': 1}")
    assert has_ground("", old, "A = np.array([[2.0, 1.0], [4.0, 1.0]])", check=check)
    assert has_ground("LinAlgError", "x = solve(A, b)", "x = lstsq(A, b)", check=check)


BASKET = """prices = {"apple": 0.5, "pear": 0.7, "plum": 0.2}
basket = ["apple", "plum", "cherry"]
total = sum(prices[item] for item in basket)
assert total > 0"""
NUMBERS = "fs = [fib(k) for k in range(8)]\nassert len(fs) == 8"


def search_cell(source: str, error: str, above: str = "", outputs: tuple[Output, ...] = ()) -> dict[str, Any]:
    """What the search says of a failing cell that raises ``error``, below one with definitions."""
    cells = Notebook((Cell("d", above), Cell("t", source, outputs=outputs)))
    plan = build_plan(Case(Failure("t", source, FailureKind.RAISED, error), cells))
    assert plan is not None
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(above, space)
    return search.probe(SimpleNamespace(user_ns=space), None, plan.to_argument(20.0, 1))


def test_what_only_runs_is_not_shown_and_that_is_said() -> None:
    reply = search_cell(BASKET, "KeyError")
    shown = [text for patch in reply["patches"] for text in patch["texts"].values()]
    assert not any("[:-1]" in text or "::2" in text or "any(" in text or '"apple", "plum"]' in text for text in shown)
    assert reply["patches"] or "nothing else speaks for" in reply["why"]


def test_what_the_exception_asks_for_stands_first_and_is_not_applied() -> None:
    first = search_cell(NUMBERS, "RecursionError", FIB)["patches"][0]
    assert "n == 1" in next(iter(first["texts"].values()))
    assert first["rival"]


def test_where_outputs_are_stored_what_only_runs_stands_behind() -> None:
    stored = (Output("stream", name="stdout", text="0.7\n"),)
    shown = search_cell(f"{BASKET}\nprint(total)", "KeyError", outputs=stored)["patches"]
    assert any("basket[:-1]" in text for patch in shown for text in patch["texts"].values())
    assert all(patch["rival"] for patch in shown)


def test_where_a_value_is_asked_for_the_search_is_as_it_was() -> None:
    shown = search_cell(BASKET.replace("> 0", "== 0.7"), "KeyError")["patches"]
    assert any("basket[:-1]" in text for patch in shown for text in patch["texts"].values())


def test_what_comes_late_is_found_behind_what_only_runs() -> None:
    cells = Notebook((Cell("t", f"{FIB}\nfs = [fib(k) for k in range(8)]"), Cell("u", "assert len(fs) == 8")))
    plan = build_plan(Case(Failure("t", cells.cells[0].source, FailureKind.RAISED, "RecursionError"), cells))
    assert plan is not None
    reply = search.probe(SimpleNamespace(user_ns={"__name__": "__main__"}), None, plan.to_argument(20.0, 1))
    assert "n == 1" in next(iter(reply["patches"][0]["texts"].values()))
