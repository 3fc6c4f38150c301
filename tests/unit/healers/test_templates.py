from __future__ import annotations

import pytest

from jupyter_selfheal.healers.memory.templates import apply_changes, learn_changes, rename_variables

# (old, new, copy with other names, what must come of it)
COPIES = [
    ("df.append(row)", "pd.concat([df, row])", "frame.append(line)", "pd.concat([frame, line])"),
    ("x = 1\ntotal =+ x\ny = 2", "x = 1\ntotal += x\ny = 2", "s = 'other'\nacc =+ v\nz()", "s = 'other'\nacc += v\nz()"),
    (
        "def mean(xs):\n    s = 0\n    for x in xs:\n        s = x\n    return s",
        "def mean(xs):\n    s = 0\n    for x in xs:\n        s += x\n    return s",
        "def avg(vs):\n    total = 0\n    for v in vs:\n        total = v\n    return total",
        "def avg(vs):\n    total = 0\n    for v in vs:\n        total += v\n    return total",
    ),
    ("y = np.mean(x)", "import numpy as np\ny = np.mean(x)", "# c\nb = 5\nz = np.sum(b)", "# c\nimport numpy as np\nb = 5\nz = np.sum(b)"),
    ("a = f(x)\nb = g(a)", "a = f(x)\na.sort()\nb = g(a)", "p = f(q)\nr = g(p)", "p = f(q)\np.sort()\nr = g(p)"),
    ("a = f(x)", "a = f(x)\na.sort()", "p = f(q)", "p = f(q)\np.sort()"),
    ("a = 1\nb = a.items\nprint(b)", "a = 1\nprint(b)", "p = 1\nq = p.items\nprint(q)", "p = 1\nprint(q)"),
    ("plot(x, x=x)", "plot(x, y=x)", "plot(t, x=t)", "plot(t, y=t)"),
    (
        "for i in range(len(x)):\n    y.append(x[i + 1] - x[i])",
        "for i in range(len(x) - 1):\n    y.append(x[i + 1] - x[i])",
        "for i in range(len(v)):\n    w.append(v[i+1]-v[i])",
        "for i in range(len(v) - 1):\n    w.append(v[i+1]-v[i])",
    ),
    ("if a:\n    b = a[0]\nelse:\n    b = 1", "if a:\n    b = a[-1]\nelse:\n    b = 1", "if p:\n    q = p[0]", "if p:\n    q = p[-1]"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "copy", "wanted"), COPIES, ids=[c[0][:25] for c in COPIES])
def test_a_renamed_copy_is_changed_in_the_same_way(old: str, new: str, copy: str, wanted: str) -> None:
    fixed = {"plot", "f", "g"}
    changes = learn_changes(old, new, fixed)
    assert apply_changes(changes, old, fixed) == new
    assert apply_changes(changes, copy, fixed) == wanted


@pytest.mark.parametrize(
    ("old", "new", "copy", "wanted"),
    [
        ("a = f( 1 )\nb = a.itms", "a = f( 1 )\nb = a.items", "p = f( 1 )\nq = p.itms", "p = f( 1 )\nq = p.items"),
        ("a = g('x\u2028y').itms", "a = g('x\u2028y').items", "p = g('x\u2028y').itms", "p = g('x\u2028y').items"),
        (
            'a = g("""\n  x = 1\n""")',
            'a = g("""\n  x =  1\n""")',
            'p = g("""\n  x = 1\n""")',
            'p = g("""\n  x =  1\n""")',
        ),
    ],
    ids=["white space of the copy", "a line end that is none", "white space within a text"],
)
def test_a_copy_keeps_its_lines_and_a_text_gets_its_own(old: str, new: str, copy: str, wanted: str) -> None:
    changes = learn_changes(old, new, {"f", "g"})
    assert apply_changes(changes, copy, {"f", "g"}) == wanted


@pytest.mark.parametrize(
    ("old", "new", "other"),
    [
        ("df.append(row)", "pd.concat([df, row])", "df.extend(row)"),
        ("df.append(row)", "pd.concat([df, row])", "df.append(row, 1)"),
        ("df.append(row)", "pd.concat([df, row])", "df.append(df)"),
        ("x = a[1]", "x = a[0]", "x = a[2]"),
        ("x = f(a, key=b)", "x = f(a)", "x = f(a, keys=b)"),
        ("x = a + b", "x = b + a", "y = p + q\nz = r + s"),
        ("x = a", "x = a", "x = a"),
        ("x = (", "x = 1", "x = ("),
    ],
)
def test_a_look_alike_is_left_alone(old: str, new: str, other: str) -> None:
    changes = learn_changes(old, new)
    assert not changes or apply_changes(changes, other) is None


@pytest.mark.parametrize(
    ("text", "names", "wanted"),
    [
        ("f(x=x).x + x  # x", {"x": "y"}, "f(x=y).x + y  # x"),
        ("a, b = b, a", {"a": "b", "b": "a"}, "b, a = a, b"),
        ("x = tmp", {"x": "tmp"}, None),
        ("print(f'{x}')", {"x": "y"}, None),
        ("def f(x):\n    return x", {"f": "g", "x": "ä"}, "def g(ä):\n    return ä"),
        ("ä = x; y = x", {"x": "z"}, "ä = z; y = z"),
    ],
)
def test_renaming_keeps_the_text_or_refuses(text: str, names: dict[str, str], wanted: str | None) -> None:
    assert rename_variables(text, names) == wanted
