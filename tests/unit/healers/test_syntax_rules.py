"""SYNxxx: cells that do not parse, and what must become of them."""

from __future__ import annotations

import pytest

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.healer import RulesHealer
from jupyter_selfheal.healers.rules.syntax_bracket import Bracket
from jupyter_selfheal.healers.syntax.fault import find_fault
from jupyter_selfheal.model import Applicability, Case, Cell, Failure, FailureKind, Notebook, Patch, Replace
from jupyter_selfheal.ports import Starts
from jupyter_selfheal.testing.rule_conformance import Bench


class NoFacts:
    """Syntax needs no live state."""

    def ask(self, source: str, argument: object = None) -> object:
        return None


def best(source: str) -> Patch | None:
    failure = Failure("c", source, FailureKind.SYNTAX, "SyntaxError")
    case = Case(failure, Notebook((Cell("c", source),)))
    answer = RulesHealer().propose(case, Starts(), NoFacts(), ())
    assert not answer.note
    return answer.patches[0] if answer.patches else None


def mended(source: str) -> str:
    patch = best(source)
    assert patch is not None, "nothing is proposed"
    (edit,) = patch.edits
    assert isinstance(edit, Replace)
    assert src.can_compile(edit.source)
    return edit.source


@pytest.mark.parametrize(
    ("broken", "whole"),
    [
        ("print 'a', 1,\nprint 'b'", "print('a', 1, end=' ')\nprint('b')"),
        ("print 'x = %.2f' % 3", "print('x = %.2f' % 3)"),
        ("%time f()\nprint 'a'\n!ls", "%time f()\nprint('a')\n!ls"),
        ("exec 'x = 1' in ns", "exec('x = 1', ns)"),
        ("raise ValueError, 'no'", "raise ValueError('no')"),
        ("print \"a\" if x else \"b\"  # why", 'print("a" if x else "b")  # why'),
        ("while True\n    pass", "while True:\n    pass"),
        ("class A\n    x = 1", "class A:\n    x = 1"),
        ("f(g(1, h(2))", "f(g(1, h(2)))"),
        ("x = {'a': [1, 2, 'b': 3}", "x = {'a': [1, 2], 'b': 3}"),
        ("print('a' + 'b'\nx = 1\ny = 2", "print('a' + 'b')\nx = 1\ny = 2"),
        ("x = [1, 2, 3]]", "x = [1, 2, 3]"),
        ("s = 'don't'", "s = 'don\\'t'"),
        ("print(‘a’)", "print('a')"),
        ("x\u00a0= 1", "x = 1"),
        ('f("a, 1)', 'f("a, 1")'),
        ("if x == 1:\nprint(x)", "if x == 1:\n    print(x)"),
        ("if x:\n\ty = 1\n        z = 2", "if x:\n        y = 1\n        z = 2"),
        ("while x = 1:\n    pass", "while x == 1:\n    pass"),
        ("$ pip install a\nimport a", "%pip install a\nimport a"),
        ("cd data\nx = 1", "%cd data\nx = 1"),
        ("x = True\nif !x:\n    y = 1", "x = True\nif not x:\n    y = 1"),
        ("import numpy np", "import numpy as np"),
        ("pritn = 1\nfro i in range(3):\n    x = i", "pritn = 1\nfor i in range(3):\n    x = i"),
        ("x = (1, 2 3)", "x = (1, 2, 3)"),
        ("d = {'a': 1, 'b' 2}", "d = {'a': 1, 'b': 2}"),
        ("f(\n    a=1\n    b=2\n)", "f(\n    a=1,\n    b=2\n)"),
        ("os.chmod(p, 0755)", "os.chmod(p, 0o755)"),
        ("def f(x)\n    if x = 1\n        print 'one'\n    retrun x", None),
        ("for name names:\n    print(name)", "for name in names:\n    print(name)"),
        ("for i in range 10:\n    print(i)", "for i in range(10):\n    print(i)"),
        ("if !a || b:\n    x = 1", "if not a or b:\n    x = 1"),
        ("y = 3\ny + = 1", "y = 3\ny += 1"),
        ('n = 3\nprint(f"{n} of {n * 2:.2f")', 'n = 3\nprint(f"{n} of {n * 2:.2f}")'),
    ],
)  # fmt: skip
def test_a_cell_is_mended(broken: str, whole: str | None) -> None:
    found = mended(broken)
    assert whole is None or found == whole


@pytest.mark.parametrize(
    "source",
    [
        'n = 12\nprint(str(n)) + "!")',
        'name = "a"\nprint("Name:, name)',
        "rows = [[r for c in xs for r in ys]\nflat = [v for row in rows for v in row\nprint(1)",
        "import math\nn = 3\n```python\nx = math.sqrt(n)\n```",
    ],
)
def test_what_can_be_read_in_two_ways_is_not_safe(source: str) -> None:
    patch = best(source)
    assert patch is not None
    assert patch.applicability is Applicability.UNSAFE


@pytest.mark.parametrize("source", ["x = ", "def f(:", "x y z", "1 +* 2", "for for in in", "return", "a b = c d"])
def test_what_cannot_be_told_is_left(source: str) -> None:
    patch = best(source)
    assert patch is None or patch.applicability is not Applicability.SAFE


def test_no_line_is_commented_out_or_deleted(bench: Bench) -> None:
    source = "x = 1\ny = (2\nz = 3 +\nw = 4"
    patch = best(source)
    assert patch is None or all(f"{n} =" in patch.source_of("c", "") for n in "xyzw")


def test_an_ambiguous_bracket_is_not_called_safe() -> None:
    patch = best("a, b, c = 1, 2, 3\nx = 2 * (a + b * c")
    assert patch is not None
    assert patch.applicability is Applicability.UNSAFE


@pytest.mark.parametrize(
    ("line", "is_sure"),
    [
        ('ages = {"a" 1}', False),  # a set, or a pair
        ('ages = {"a": 1 "b": 2}', True),
        ('ages = ["a" 1]', True),
        ("print((a + b * c)", False),
        ("print('x', (a - b / c", False),
        ("x = int((a + b // 2)", False),
        ("if (a > 1 or b > 1 and c > 1:\n    print(a)", False),
        ("print((a * b)", True),
        ("print((a + b) * c", True),
        ("print(int(a + b * c)", True),  # the call's own bracket
        ("print(a + b * c", True),
    ],
)
def test_a_bracket_that_would_group_nothing_is_not_called_safe(line: str, is_sure: bool) -> None:
    patch = best(f"a, b, c = 1, 2, 3\n{line}")
    assert patch is not None
    assert (patch.applicability is Applicability.SAFE) == is_sure


def test_the_number_of_several_errors_does_not_matter() -> None:
    source = "\n".join(f"print 'line {n}'" for n in range(60))
    assert mended(source).count("print('line") == 60


def test_how_far_a_loop_without_indentation_reaches_is_not_called_sure() -> None:
    """Every number of lines makes a program; the first line alone is the likeliest, and a `return` is none of them."""
    patch = best("def mean(xs):\n    total = 0\n    for x in xs:\n    total += x\n    return total / len(xs)")
    assert patch is not None
    assert patch.applicability is Applicability.UNSAFE
    (edit,) = patch.edits
    assert isinstance(edit, Replace)
    assert edit.source.endswith("        total += x\n    return total / len(xs)")


@pytest.mark.parametrize(
    ("source", "is_sure"),
    [
        ("total = sum([1, 2, 3]", True),
        ("age = int(input('Age? ')", True),
        ("y = sin(array(x)", True),
        ("first = sorted(xs[0]", False),
        ("age = int(text + 1", False),
        ("x = Dense(units(3)", False),
        ("y = (a + b) * (c - d", False),
        ("low = min(a, b - 1", False),
        ("best = max(counts, key=counts.get", True),
        ("xs = [1, 2, 3\nprint(xs)", True),
        ("xs = [1, 2\n", True),
        ("x, y = [1, 2\nprint(x)", False),
        ("xs = [1] + [2, 3\nprint(xs)", False),
        ("xs = [1, 2 + ys", False),
        ("same = [1, 2, 3 == xs", False),
        ("mode = [1, 2 if big else None", False),
        ("low = {1, 2 <= s", False),
        ("words = ['a', 'b' in text", False),
        ("d = {'a': 1, 'b': 2 or other", False),
        ("rest = [7, 8 % n", False),
        ("names = ['log in', 'a == b', 'c.d'\nprint(names)", True),
        ("xs = [x for x in ys\nprint(xs)", True),
        ("X = pd.get_dummies(data=s.values", False),
        ("m = df.rename(columns=names.T", False),
        ("m = model.fit(X=train.coef_", False),
        ("m = pd.DataFrame(data=train.index", False),
        ("t = store.get(key=settings.table", False),
        ("t = Thread(target=worker.run", True),
        ("rows = sorted(rows, key=table.weight  # heaviest last", True),
        ("rows = sort_by(rows, order=counts.get", True),
        ("first = table.sort_values(by=column.head()", False),
        ("turned = np.array(a.T", False),
        ("text = str(a.strip()", False),
    ],
)
def test_a_bracket_is_closed_surely_where_no_other_place_makes_sense(source: str, is_sure: bool) -> None:
    fault = find_fault(source)
    assert fault is not None
    assert next(Bracket().mends(source, fault)).sure is is_sure


INSIDE = "if a:\n    b = 1\n    elif c:\n        b = 2\n    else:\n        b = 3\nprint(b)"


@pytest.mark.parametrize(
    ("broken", "whole"),
    [
        (INSIDE, "if a:\n    b = 1\nelif c:\n    b = 2\nelse:\n    b = 3\nprint(b)"),
        ("if a:\n    b = 1\n    else: b = 2", "if a:\n    b = 1\nelse: b = 2"),
        (
            "try:\n    b = 1\n    except ValueError:\n        b = 2",
            "try:\n    b = 1\nexcept ValueError:\n    b = 2",
        ),
        (
            "def f(a):\n    if a:\n        return 1\n        else:\n            return 2",
            "def f(a):\n    if a:\n        return 1\n    else:\n        return 2",
        ),
        # what has its `else` has no other one
        (
            "if a:\n    if b:\n        c = 1\n    else:\n        c = 2\n    else:\n        c = 3",
            "if a:\n    if b:\n        c = 1\n    else:\n        c = 2\nelse:\n    c = 3",
        ),
        (
            "try:\n    if b:\n        c = 1\n    except E:\n        c = 2",
            "try:\n    if b:\n        c = 1\nexcept E:\n    c = 2",
        ),
        # a text of several lines keeps its value
        (
            "if a:\n    b = 1\n    else:\n        b = '''\n        x\n  y'''\nprint(b)",
            "if a:\n    b = 1\nelse:\n    b = '''\n        x\n  y'''\nprint(b)",
        ),
        (
            "if a:\n    b = '''\nif b:\n    for c:\n'''\n    else:\n        b = 1",
            "if a:\n    b = '''\nif b:\n    for c:\n'''\nelse:\n    b = 1",
        ),
    ],
)
def test_a_branch_in_the_body_of_its_if_goes_back(broken: str, whole: str) -> None:
    patch = best(broken)
    assert patch is not None
    assert patch.applicability is Applicability.SAFE
    assert mended(broken) == whole


@pytest.mark.parametrize(
    "broken",
    [
        "if a:\n    for b in c:\n        print(b)\n        else:\n            print(a)",  # of the loop, or of the condition
        "if a:\n    b = 1\n    else:\n        b = 2\n    print(b)",  # a line beside it may belong to it
        "b = 1\nelse:\n    b = 2",  # nothing that it could belong to
        # of the condition right above it, if the line between them belongs into that
        "if a:\n    if b:\n        c = 1\n    print(a)\n    else:\n        c = 2",
        "def f(a, b):\n    if a:\n        c = 1\n        if b:\n            c = 2\n        c += 10\n        else:\n            c = 3\n    return c",
        "if a:\n    for c in b:\n        print(c)\n    c = 1\n    else:\n        c = 2",
        "if a:\n    try:\n        c = 1\n    except E:\n        c = 0\n    c += 1\n    else:\n        c = 2",
        "try:\n    try:\n        c = 1\n    except E:\n        c = 0\n    c += 1\n    except F:\n        c = 2",
        "while a:\n    b = 1\n    elif c:\n        b = 2",
    ],
)
def test_a_branch_is_not_surely_moved_where_it_may_belong_elsewhere(broken: str) -> None:
    patch = best(broken)
    assert patch is None or patch.applicability is not Applicability.SAFE


@pytest.mark.parametrize(
    ("broken", "whole"),
    [
        ("def f():\nx = '''\na\n'''\nreturn x", "def f():\n    x = '''\na\n'''\n    return x"),
        ("def f():\n'''A.\nb\n'''\nreturn 1", "def f():\n    '''A.\n    b\n    '''\n    return 1"),  # a docstring
        ("x = 1\n  y = '''a\n  b\nc'''\n  z = 2", "x = 1\ny = '''a\n  b\nc'''\nz = 2"),
    ],
)
def test_a_text_of_several_lines_keeps_its_value(broken: str, whole: str) -> None:
    assert mended(broken) == whole
