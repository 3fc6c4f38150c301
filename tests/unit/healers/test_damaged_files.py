"""A JSON file that is damaged is named and left alone; what code may have done to it is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_selfheal.healers.triage.left_alone.damaged_file import may_be_written
from jupyter_selfheal.testing.rule_conformance import Bench
from tests.unit.healers.triage import diagnose

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # cells open files as people do

DAMAGED = '{"a": [1, 2}'


@pytest.mark.parametrize("read", ["json.load(open('d.json'))", "with open('d.json') as f:\n    data = json.load(f)"])
def test_a_damaged_file_is_named_and_left_alone(bench: Bench, read: str) -> None:
    Path(bench.folder, "d.json").write_text(DAMAGED)
    found = diagnose(bench.fail("import json", read))
    assert found.skip_reason == "bad data"
    assert (
        found.cause == "The file d.json is damaged: it is no JSON from line 1, column 12 on (Expecting ',' delimiter)."
    )


def test_a_line_with_more_fields_is_named_and_left_alone(bench: Bench) -> None:
    Path(bench.folder, "people.csv").write_text("name,age\nAnn,30\nBo,41,extra\nCy,22\nDi,37\n")
    found = diagnose(bench.fail("import pandas as pd", "pd.read_csv('people.csv')"))
    assert found.skip_reason == "bad data"
    assert found.cause == "Line 3 of people.csv has 3 fields where the lines above have 2: `Bo,41,extra`."


def test_a_file_with_nothing_in_it_and_one_that_is_no_database_are_named(bench: Bench) -> None:
    Path(bench.folder, "none.csv").write_text("\n")
    Path(bench.folder, "shop.db").write_text("a text that is long enough to be looked at " * 5)
    found = diagnose(bench.fail("import pandas as pd", "pd.read_csv('none.csv')"))
    assert (found.skip_reason, found.cause) == ("bad data", "The file none.csv is empty.")
    found = diagnose(
        bench.fail("import sqlite3\ncon = sqlite3.connect('shop.db')", "con.execute('SELECT 1 FROM item')")
    )
    assert (found.skip_reason, found.cause) == ("bad data", "The file shop.db is no database.")
    written = ["open('own.csv', 'w').close()", "import pandas as pd", "pd.read_csv('own.csv')"]
    assert diagnose(bench.fail(*written)).skip_reason is None


@pytest.mark.parametrize(
    ("is_named", "cells"),
    [
        (True, ["t = pd.read_csv('far.csv')", "t['age']"]),
        (True, ["t = pd.read_csv('far.csv')\nt['age']"]),
        (True, ["t = pd.read_csv('far.csv')", "rows = t[1:]", "rows.age.mean()"]),
        (False, ["t = pd.read_csv('near.csv')", "u = pd.read_csv('far.csv')", "t['age']"]),
        (False, ["t = pd.read_csv('far.csv')", "ages(t)"]),
        (False, ["t = pd.read_csv('far.csv')", "1 / 0 * len(t)"]),
        (False, ["t = pd.read_csv('near.csv')", "print('far.csv of Git LFS')", "t['age']"]),
    ],
)
def test_a_pointer_of_git_lfs_is_named_where_data_of_it_are_read(
    bench: Bench, is_named: bool, cells: list[str]
) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:02e5\nsize 38819\n"
    Path(bench.folder, "far.csv").write_text(pointer)
    Path(bench.folder, "near.csv").write_text("k\n1\n")
    found = diagnose(bench.fail("import pandas as pd", *cells))
    assert ("far.csv is not there: git has a pointer" in found.cause) is is_named
    assert (found.skip_reason == "missing data") is is_named


@pytest.mark.parametrize(
    ("is_left", "cells"),
    [
        (True, ["t = pd.read_csv('rows.csv')", "assert t.shape == (891, 12)"]),
        (True, ["t = pd.read_csv('rows.csv')", "assert len(t) == 891, 'rows'"]),
        (False, ["t = pd.read_csv('rows.csv')\nt = t[t['k'] > 1]", "assert t.shape == (891, 12)"]),
        (False, ["t = pd.read_csv('rows.csv')", "assert t['k'].sum() == 891"]),
        (False, ["t = pd.read_csv('signs.csv')", "assert t.shape == (1, 2)"]),
        (True, ["t = pd.read_csv('rows.csv')\nboth = t.merge(t, on='k', how='left')", "assert len(both) == len(t)"]),
        (False, ["t = pd.read_csv('rows.csv')\nboth = t.merge(t[t['k'] > 1], on='k')", "assert len(both) == len(t)"]),
        (False, ["t = pd.read_csv('rows.csv')\nboth = t.merge(t, how='cross')", "assert len(both) == len(t)"]),
    ],
)
def test_how_many_rows_a_table_has_as_it_was_read_or_joined_the_data_decide(
    bench: Bench, is_left: bool, cells: list[str]
) -> None:
    Path(bench.folder, "rows.csv").write_text("k\n1\n1\n2\n")
    Path(bench.folder, "signs.csv").write_text("k;n\n1;2\n")
    assert (diagnose(bench.fail("import pandas as pd", *cells)).skip_reason == "bad data") is is_left


def test_a_file_most_of_whose_lines_have_more_fields_is_not_damaged(bench: Bench) -> None:
    Path(bench.folder, "log.csv").write_text("made by,Ann\nplace,Ulm\nday,n,m\n1,2,3\n2,3,4\n3,4,5\n")
    assert diagnose(bench.fail("import pandas as pd", "pd.read_csv('log.csv')")).skip_reason != "bad data"


@pytest.mark.parametrize(
    ("name", "read", "others"),
    [
        ("answers.json", "open('answers.json')", ()),  # no mode, for its first letter
        ("d.json", "open('d.json', encoding='ascii')", ()),
        ("d.json", "open('d.json')", ("with open('notes.txt', 'w') as f:\n    f.write('x')",)),  # another file
        ("d.json", "open('d.json')", ("import os\npath = 'd.json'", "print(os.path.exists(path))")),
        ("d.json", "open('d.json')", ("text = 'd.json!'\nprint(text)",)),
    ],
)
def test_reading_a_file_is_not_taken_for_writing_it(
    bench: Bench, name: str, read: str, others: tuple[str, ...]
) -> None:
    Path(bench.folder, name).write_text(DAMAGED)
    assert diagnose(bench.fail(*others, "import json", f"json.load({read})")).skip_reason == "bad data"


@pytest.mark.parametrize(
    ("cells", "is_so"),
    [
        (["%%writefile d.json\n{}"], True),
        (["path = 'data/d.json'", "with open(path, 'w') as f:\n    f.write('{')"], True),
        (["folder = Path('data')\npath = folder / 'd.json'", "path.write_text('{')"], True),
        (
            ["def keep(data, to):\n    with open(to, mode='wt') as f:\n        f.write(data)", "keep('{', 'd.json')"],
            True,
        ),
        (["!curl -o d.json https://example.org"], True),
        (["path = 'd.json'", "!wget -O {path} https://example.org"], True),
        (["!cat head.json tail.json > d.json"], True),
        (["urlretrieve(url, 'd.json')"], True),
        (["shutil.copy('old.json', 'd.json')"], True),
        (["%%writefile e.json\n{}"], False),
        (["!pip install orjson\ndata = json.load(open('d.json'))"], False),
        (["!head -3 d.json"], False),
        (["path = 'd.json'\nd = json.load(open(path))\nprint(json.dumps(d.copy()))"], False),
        (["shutil.copy('old.json', 'e.json')", "open('d.json', 'rb')"], False),
    ],
)
def test_what_may_write_a_file(cells: list[str], is_so: bool) -> None:
    assert may_be_written(cells, "d.json") is is_so


@pytest.mark.parametrize(
    ("content", "cells"),
    [
        (DAMAGED, ["import json\nf = open('d.json')", "json.loads(f.read())"]),  # a text, from wherever
        ('{"a": 1}\n{"a": 2}\n', ["import json", "json.load(open('d.json'))"]),  # a JSON text in each line
        ('{"a": 1}', ["import json\nf = open('d.json')\nf.read()", "json.load(f)"]),  # read to its end before
        (
            DAMAGED,
            ["import json\nopen('d.json', 'w').write('{\"a\": [1}')", "json.load(open('d.json'))"],
        ),  # written here
    ],
)
def test_what_the_code_may_have_done_is_not_called_damage(bench: Bench, content: str, cells: list[str]) -> None:
    Path(bench.folder, "d.json").write_text(content)
    assert diagnose(bench.fail(*cells)).skip_reason is None
