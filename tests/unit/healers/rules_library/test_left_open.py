"""What is restored or given unasked is evident; where another thing may be meant, it is offered."""

from __future__ import annotations

import pytest

from jupyter_selfheal.model import Applicability
from jupyter_selfheal.testing.rule_conformance import Bench

SAFE, UNSAFE = Applicability.SAFE, Applicability.UNSAFE

SQL = "import sqlite3\nimport pandas as pd\n"
READ = "pd.read_sql('select 1')"


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ("conn = sqlite3.connect(':memory:')", SAFE),
        ("dbs = {'sales': sqlite3.connect(':memory:')}\ntest_conn = sqlite3.connect(':memory:')", UNSAFE),
        ("def open_one():\n    return sqlite3.connect(':memory:')\nconn, others = open_one(), [open_one()]", UNSAFE),
        ("dbs = [sqlite3.connect(':memory:') for _ in range(2)]\nconn = dbs[0]", UNSAFE),
    ],
)
def test_a_connection_that_may_not_be_the_only_one_is_offered(bench: Bench, made: str, expected: Applicability) -> None:
    assert [p.applicability for p in bench.propose_patches("PDA165", SQL + made, READ)] == [expected]


def test_a_connection_of_a_class_of_its_own_is_one(bench: Bench) -> None:
    made = "class Db(sqlite3.Connection):\n    pass\nsales = sqlite3.connect(':memory:', factory=Db)"
    assert bench.heal("PDA165", SQL + made, READ)[1] == "pd.read_sql('select 1', sales)"


PANDAS = "import pandas as pd\n"
CSV = PANDAS + "df = pd.read_csv('data.csv')"
LENGTHS = "[len(x) for x in {}]"


@pytest.mark.parametrize(
    ("cells", "text", "expected"),
    [
        ((PANDAS + "df = pd.DataFrame({'c': ['b', None]})\ndf['c'] = df['c'].astype(str)", "df.c"), "nan", UNSAFE),
        ((PANDAS + "df = pd.DataFrame({'c': ['b', None]})\ntext = df['c'].astype(str)", "text"), "nan", UNSAFE),
        ((PANDAS + "df = pd.DataFrame({'c': [1.5, None]})\ntext = df['c'].astype(str)", "text"), "nan", SAFE),
        ((PANDAS + "df = pd.DataFrame({'c': [1.5, None]})\ndf['c'] = df['c'].astype(str)", "df.c"), "nan", UNSAFE),
        ((PANDAS + "c = pd.Series([1, None], dtype='Int64')\ntext = c.astype(str)", "text"), "<NA>", SAFE),
        ((PANDAS + "c = pd.Series([1, 'a', None], dtype=object)\ntext = c.astype(str)", "text"), "None", SAFE),
        # the column was cast before it became dates
        ((PANDAS + "df = pd.DataFrame({'c': ['2024-01-01', None]})\ntext = df['c'].astype(str)",
          "df['c'] = pd.to_datetime(df['c'])", "text"), "nan", UNSAFE),
        ((CSV, "df['c'] = df['c'].astype(str)", "df['c']"), "nan", SAFE),
        ((CSV, "df['d'] = df['c'].astype(str)\ndf['x'] = df['n'].fillna(0)", "df['d']"), "nan", SAFE),
        ((CSV, "for k in ['c']:\n    df[k] = df[k].astype(str)", "df['c']"), "nan", SAFE),
        ((CSV, "df = df.replace('b', None)", "df['c'] = df['c'].astype(str)", "df['c']"), "nan", UNSAFE),
        ((CSV, "df.loc[0, 'c'] = None", "df['c'] = df['c'].astype(str)", "df['c']"), "nan", UNSAFE),
        ((CSV.replace("csv')", "csv', parse_dates=['c'])"), "df['c'] = df['c'].astype(str)", "df['c']"), "nan", UNSAFE),
    ],
)  # fmt: skip
def test_what_was_written_for_missing_values_must_be_known(
    bench: Bench, cells: tuple[str, ...], text: str, expected: Applicability
) -> None:
    bench.write_file("data.csv", "c,n\nb,1\n,2\na,\n")
    (patch,) = bench.propose_patches("PDA164", *cells[:-1], LENGTHS.format(cells[-1]))
    assert (f"fillna({text!r})" in patch.title, patch.applicability) == (True, expected)
    assert bool(patch.restores) == (expected is SAFE)


@pytest.mark.parametrize(
    ("derived", "expected"),
    [
        ("labels = text.str.upper()\nlabels.dropna()", UNSAFE),
        ("labels = text.str.upper()\nlabels.str.replace('A', 'b')", SAFE),
        ("df['d'] = text\ndf2 = df[['c', 'd']].copy()\ndf2['d'].isna()", UNSAFE),
        ("df['d'] = text\ndf['c'].isna()\ndf[['c', 'n']].dropna()", SAFE),
        ("df['d'] = text\ndf.isna().sum()", UNSAFE),
        ("[x for x in text if not pd.isna(x)]", UNSAFE),
        ("df.n.fillna(0)\ndf = df.copy()\ndf['c'].notna()", SAFE),
    ],
)
def test_what_comes_of_a_cast_and_is_treated_as_missing_is_left_to_the_user(
    bench: Bench, derived: str, expected: Applicability
) -> None:
    bench.write_file("data.csv", "c,n\nb,1\n,2\na,\n")
    cells = (CSV, "text = df['c'].astype(str)", derived, LENGTHS.format("text"))
    assert [p.applicability for p in bench.propose_patches("PDA164", *cells)] == [expected]
    below = (CSV, "text = df['c'].astype(str)", LENGTHS.format("text"), f"# not run\n{derived}")
    assert [p.applicability for p in bench.propose_patches("PDA164", *below)] == [expected]


@pytest.mark.parametrize(
    ("source", "offered"),
    [
        ("scores = [3, 1]\nx = maxscores)", True),
        ("x = maxscores)", False),  # nothing is called `scores`
        ("scores = [3, 1]\nx = mixscores)", False),  # nor is there a `mix`
        ("scores = [3, 1]\nx = maxscores]", False),
    ],
)
def test_a_call_whose_bracket_was_left_out_is_offered(bench: Bench, source: str, offered: bool) -> None:
    patches = [p for p in bench.propose_patches("SYN103", source) if "max(scores)" in p.source_of("c1", "")]
    assert [p.applicability for p in patches] == [UNSAFE] * offered


TABLE = PANDAS + "homes = pd.DataFrame({'price': [10, 300], 'rooms': [1, 2]})\n"
SET_AGAIN, COPIED = "homes['price'] = v", ".values.copy()"


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (("v = homes['price'].values", "v[0] = 1", "v.sum()"), [(COPIED, SAFE)]),
        (("v = homes['price'].values", "v[0] = 1", "homes.price.sum()"), [(SET_AGAIN, UNSAFE), (COPIED, UNSAFE)]),
        (("v = homes['price'].values", "v[0] = 1", "homes.rooms.sum()\nhomes[['rooms']]\nhomes.drop('price', axis=1)"), [(COPIED, SAFE)]),
        (("v = homes['price'].values", "v[0] = 1", "homes.drop('rooms', axis=1)"), [(SET_AGAIN, UNSAFE), (COPIED, UNSAFE)]),
        (("v = homes['price'].values", "v[0] = 1", "homes[names]"), [(SET_AGAIN, UNSAFE), (COPIED, UNSAFE)]),
        (("v = homes['price'].values", "for i in range(len(homes)):\n    v[i] = 1\n    print(homes.price)", ""), [(COPIED, UNSAFE)]),
        # another write would have to reach the table, too
        (("v = homes['price'].values", "v[0] = 1", "v[1] = 2\nhomes.price.sum()"), [(COPIED, UNSAFE)]),
        # no column alone
        (("v = homes.values", "v[0] = 1", "homes.sum()"), [(COPIED, UNSAFE)]),
        (("v = homes['price'].values[:1]", "v[0] = 1", "homes.sum()"), [(".values[:1].copy()", UNSAFE)]),
    ],
)  # fmt: skip
def test_a_write_that_may_have_reached_the_table_is_offered(
    bench: Bench, cells: tuple[str, ...], expected: list[tuple[str, Applicability]]
) -> None:
    patches = bench.propose_patches("NPA102", TABLE + cells[0], cells[1], f"# not run\n{cells[2]}")
    assert [p.applicability for p in patches] == [level for _, level in expected]
    written = ["".join(getattr(e, "source", "") for e in p.edits) for p in patches]
    assert all(text in source for (text, _), source in zip(expected, written, strict=True))


def test_a_reduction_below_a_question_for_text_is_offered_alone(bench: Bench) -> None:
    """What the question would have encoded is no text that may be left out."""
    above = (
        TABLE + "homes['zone'] = ['a', 'b']\nfor c in homes:\n    if homes[c].dtype == object:\n        homes[c] = 0"
    )
    together, alone = bench.propose_patches("PDA103", above, "homes.mean()")
    assert (together.applicability, alone.applicability) == (SAFE, UNSAFE)
