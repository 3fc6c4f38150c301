"""A table that an object keeps: a write into its columns that is lost since pandas 3, where pandas warned of it."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context.called_functions import Place, walk_with_places
from jupyter_selfheal.healers.rules.lost_write import WARNING, LostWrite
from jupyter_selfheal.model import Applicability, Patch, Replace
from jupyter_selfheal.testing.rule_conformance import Bench

MADE = """import pandas as pd
class Riders:
    def __init__(self):
        self.data = pd.DataFrame({'sex': ['male', 'female'], 'age': [31.0, None]})
    def clean(self):
        WRITE
    def count(self):
        return len(self.data)"""
LAST = "x = riders.data.to_numpy(dtype=float)"


def propose_in(bench: Bench, cells: tuple[str, ...], call: str = "") -> tuple[Patch, ...]:
    """What the rule proposes for the last cell, where pandas warned when the cells with this call ran."""
    broken = bench.fail(*cells)
    notebook = broken.case.notebook
    warned = tuple(replace(c, warned=(WARNING,)) if call and call in c.source else c for c in notebook.cells)
    case = replace(broken.case, notebook=replace(notebook, cells=warned))
    return replace(broken, case=case).propose_patches(LostWrite())


def propose(bench: Bench, write: str, call: str, *, warned: bool) -> tuple[Patch, ...]:
    cells = (MADE.replace("WRITE", write), f"riders = Riders()\n{call}", LAST)
    return propose_in(bench, cells, call if warned else "")


@pytest.mark.parametrize(
    ("write", "becomes"),
    [
        ("self.data['sex'].replace({'male': 0, 'female': 1}, inplace=True)", "self.data['sex'] = self.data['sex'].replace({'male': 0, 'female': 1}).infer_objects()"),
        ("self.data.sex.replace('male', 0, inplace=True)", "self.data.sex = self.data.sex.replace('male', 0).infer_objects()"),
    ],
)  # fmt: skip
def test_what_pandas_warned_of_is_written_into_the_objects_own_table(bench: Bench, write: str, becomes: str) -> None:
    (patch,) = propose(bench, write, "riders.clean()", warned=True)
    assert any(becomes in getattr(edit, "source", "") for edit in patch.edits)


@pytest.mark.parametrize(
    ("write", "call", "warned"),
    [
        ("self.data['sex'].replace({'male': 0}, inplace=True)", "riders.clean()", False),
        ("self.data['sex'].replace({'male': 0}, inplace=True)", "riders.count()", True),
        ("self.data.fillna(0, inplace=True)", "riders.clean()", True),
        ("self.data[['sex']].replace({'male': 0}, inplace=True)", "riders.clean()", True),
    ],
)
def test_what_pandas_did_not_warn_of_and_a_whole_table_are_left_alone(
    bench: Bench, write: str, call: str, warned: bool
) -> None:
    assert not propose(bench, write, call, warned=warned)


BOX = """import pandas as pd
s = pd.Series(['x', None])
class B:
    def __init__(self):
        self.data = {'k': s}
    def clean(self):
        self.data['k'].fillna('?', inplace=True)
class V:
    def __init__(self, data):
        self.data = data
    def clean(self, t):
        t['age'].fillna(0, inplace=True)
class W:
    def clean(self, t):
        return t
df = pd.DataFrame({'age': [1.0, None]})"""


@pytest.mark.parametrize(
    "call",
    [
        "b = B()\nb.clean()",  # a dictionary's series is changed in place today
        "w = W()\nw.clean(df)",  # V's is never called
    ],
)
def test_a_warning_of_another_write_of_the_cell_says_nothing_of_a_method(bench: Bench, call: str) -> None:
    cell = f"{call}\ndf['age'].fillna(0, inplace=True)"
    (patch,) = propose_in(bench, (BOX, cell, "df['age'].astype(int)"), call)
    assert patch.applicability is Applicability.SAFE
    assert not any("self.data['k'] =" in edit.source or "t['age'] =" in edit.source for edit in replaced(patch))


@pytest.mark.parametrize(
    "call", ["for o in [q, p]:\n    o.clean()", "o = q\no.clean()\no = p\no.clean()", "q.clean()\np.clean()"]
)
def test_a_method_of_which_an_object_holds_no_table_is_left_alone(bench: Bench, call: str) -> None:
    made = """import pandas as pd
class P:
    def __init__(self, data):
        self.data = data
    def clean(self):
        self.data['age'].fillna(0, inplace=True)
p = P(pd.DataFrame({'age': [1.0, None]}))
q = P({'age': pd.Series([None, 1.0])})"""
    assert not propose_in(bench, (made, call, "p.data['age'].astype(int)"), call)


def replaced(patch: Patch) -> list[Replace]:
    return [edit for edit in patch.edits if isinstance(edit, Replace)]


def test_what_only_a_warning_of_the_cell_speaks_for_is_offered(bench: Bench) -> None:
    made = """import pandas as pd
df = pd.DataFrame({'age': [1.0, None]})
def load():
    return {'age': pd.Series([None, 2.0])}
def clean(parts):
    parts['age'].fillna(0, inplace=True)"""
    cell = "clean(load())\ndf['age'].fillna(0, inplace=True)"
    (patch,) = propose_in(bench, (made, cell, "df['age'].astype(int)"), "clean(load())")
    assert patch.applicability is Applicability.UNSAFE


@pytest.mark.parametrize(
    ("head", "call"),
    [
        ("def clean(cls, n, t):", "Tools().clean(1, df)"),
        ("@staticmethod\n    def clean(n, t):", "Tools.clean(1, df)"),
        ("@classmethod\n    def clean(cls, n, t):", "Tools.clean(1, df)"),
        ("def clean(this, n, t):", "tools = Tools()\ntools.clean(1, t=df)"),
    ],
)
def test_what_a_method_is_given_is_found_by_its_place(bench: Bench, head: str, call: str) -> None:
    made = f"import pandas as pd\nclass Tools:\n    {head}\n        t['age'].fillna(0, inplace=True)"
    cell = f"df = pd.DataFrame({{'age': [1.0, None]}})\n{call}"
    (patch,) = propose_in(bench, (made, cell, "df['age'].astype(int)"))
    assert patch.applicability is Applicability.SAFE


def test_a_function_under_a_condition_is_no_code_of_the_top_level() -> None:
    """It was read twice, once with the table as a name of the cell's."""
    (statement,) = src.list_statements("if True:\n    def clean(df):\n        df['a'].fillna(0, inplace=True)")
    calls = [place for place, node in walk_with_places(statement.node) if isinstance(node, ast.Call)]
    assert calls == [Place("clean")]


TABLE = """import pandas as pd
df = pd.DataFrame({'age': [1.0, None], 'n': [1, 2]})"""


@pytest.mark.parametrize(
    ("above", "warned", "found"),
    [
        ("", "fillna", 1),
        ("", "", 0),
        ("import warnings\nwarnings.filterwarnings('ignore')\n", "", 1),
        ("import warnings\nwarnings.filterwarnings('error')\n", "", 0),
    ],
)
def test_a_name_that_holds_an_array_by_now_was_a_table_where_pandas_warned_or_could_not(
    bench: Bench, above: str, warned: str, found: int
) -> None:
    cells = (above + TABLE, "df['age'].fillna(0, inplace=True)", "df = df.to_numpy()", "[int(n) for n in df[:, 0]]")
    patches = propose_in(bench, cells, warned)
    assert len(patches) == found
    assert all("df['age'] = df['age'].fillna(0)" in str(p.edits) for p in patches)
