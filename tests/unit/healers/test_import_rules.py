"""IMP1xx: what was not imported, and what has another name."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_selfheal.model import Applicability, Install, Replace
from jupyter_selfheal.testing.rule_conformance import Bench


@pytest.mark.parametrize(
    ("cell", "line"),
    [
        ("math.sqrt(4)", "import math"),
        ("datetime.now()", "from datetime import datetime"),
        ("datetime.timedelta(1)", "import datetime"),
        ("defaultdict(list)", "from collections import defaultdict"),
        ("ET.fromstring('<a/>')", "import xml.etree.ElementTree as ET"),
        ("time.time()", "import time"),
        ("random.randint(1, 2)", "import random"),
    ],
)
def test_a_usual_name_is_imported_as_its_use_demands(bench: Bench, cell: str, line: str) -> None:
    assert bench.heal("IMP101", "x = 1", cell) == ["x = 1", f"{line}\n{cell}"]


def test_the_notebooks_own_way_of_importing_wins(bench: Bench) -> None:
    cells = ["dt.datetime(2020, 1, 1)", "# not run\nimport datetime as dt"]
    assert bench.heal("IMP101", *cells)[0] == "import datetime as dt\ndt.datetime(2020, 1, 1)"


def test_an_ambiguous_name_is_not_called_safe(bench: Bench) -> None:
    assert bench.propose_patches("IMP101", "sqrt(2)")[0].applicability is Applicability.UNSAFE


@pytest.mark.parametrize(
    "cells", [("total + 1",), ("math", "# not run\nmath = 3"), ("your_name.title()",), ("x = foo(1)",)]
)
def test_a_name_that_is_no_module_is_left_to_other_rules(bench: Bench, cells: tuple[str, ...]) -> None:
    assert bench.is_silent("IMP101", *cells)


def test_the_import_goes_below_a_cell_magic_and_a_docstring(bench: Bench) -> None:
    assert bench.heal("IMP101", '%%time\n"""Roots."""\nmath.sqrt(2)') == [
        '%%time\n"""Roots."""\nimport math\nmath.sqrt(2)'
    ]


@pytest.mark.parametrize(
    ("folder", "applicability"),
    [("site-packages", Applicability.SAFE), ("venv/lib", Applicability.SAFE), ("tools", Applicability.DISPLAY_ONLY)],
)
def test_installed_code_gets_the_old_name_of_what_was_renamed_and_a_file_of_ones_own_is_to_be_mended(
    bench: Bench, folder: str, applicability: Applicability
) -> None:
    bench.write_file(
        f"{folder}/kinds_of_theirs.py",
        "import collections\n\n\ndef is_mapping(x):\n    return isinstance(x, collections.Mapping)\n",
    )
    cells = (f"import sys\nsys.path.insert(0, {folder!r})", "import kinds_of_theirs", "kinds_of_theirs.is_mapping({})")
    (patch,) = bench.propose_patches("IMP107", *cells)
    assert patch.applicability is applicability
    assert patch.title == "Add `collections.Mapping = collections.abc.Mapping`"


@pytest.mark.parametrize(
    ("mark", "place", "is_own"),
    [
        ("", "tools", False),
        ("pyproject.toml", "tools", True),
        ("pyproject.toml", "miniconda3/lib/python3.12/ctypes", False),
    ],
)
def test_a_file_beside_the_notebooks_folder_is_ones_own_where_a_project_holds_both(
    tmp_path: Path, mark: str, place: str, is_own: bool
) -> None:
    bench = Bench(tmp_path / "notebooks")
    code = "import collections\ndef is_mapping(x):\n    return isinstance(x, collections.Mapping)\n"
    module = f"kinds_{Path(place).name}{'_own' * is_own}"  # each its own, as what is imported stays so
    bench.write_file(f"../{place}/{module}.py", code)
    bench.write_file("data.csv", "")
    if mark:
        (tmp_path / mark).touch()
    path = str(tmp_path / place)
    cells = (f"import sys\nsys.path.insert(0, {path!r})", f"import {module}", f"{module}.is_mapping({{}})")
    (patch,) = bench.propose_patches("IMP107", *cells)
    assert (patch.applicability is Applicability.DISPLAY_ONLY) is is_own


def test_a_module_that_took_the_place_of_a_name_is_imported_first(bench: Bench) -> None:
    pytest.importorskip("joblib")
    bench.write_file("stores_of_theirs.py", "from sklearn.externals import joblib\n")
    (patch,) = bench.propose_patches("IMP107", "import sys\nsys.path.insert(0, '')", "import stores_of_theirs")
    (edit,) = patch.edits
    assert isinstance(edit, Replace)
    assert edit.source == (
        "import joblib\nimport sklearn.externals\nsklearn.externals.joblib = joblib\nimport stores_of_theirs"
    )


def test_a_broken_cell_below_that_imports_the_name_is_not_needed(bench: Bench) -> None:
    """What that cell reads of the name is its own slip, and says nothing against the import."""
    cells = ["np.arange(3)", "# not run\nimport numpy as np\nnp.aranje(2)\nmissing_thing"]
    assert bench.heal("IMP101", *cells)[0] == "import numpy as np\nnp.arange(3)"


def write_plotly(bench: Bench) -> str:
    """A plotly of today, without the modules that went to chart-studio; gives the cell that finds it."""
    bench.write_file("libraries/plotly/__init__.py", "")
    bench.write_file("libraries/plotly/offline.py", "def iplot(figure):\n    return figure\n")
    return "import sys\nsys.path.insert(0, 'libraries')"


def test_a_module_of_another_package_that_nothing_uses_is_left_out(bench: Bench) -> None:
    cells = (write_plotly(bench), "import plotly.plotly as py\nfrom plotly.offline import iplot", "iplot(1)")
    (patch,) = bench.propose_patches("API101", *cells[:2], "# not run\n" + cells[2])
    assert patch.applicability is Applicability.SAFE
    assert patch.title == "Leave out the import of plotly.plotly"
    assert patch.removes == "the import of `plotly.plotly`, which nothing in the notebook uses"
    (edit,) = patch.edits
    assert isinstance(edit, Replace)
    assert edit.source == "from plotly.offline import iplot"


@pytest.mark.parametrize(
    ("use", "title", "applicability"),
    [
        ("py.iplot(1)", "Import plotly.offline in place of plotly.plotly", Applicability.UNSAFE),
        ("py.sign_in('me', 'key')", "Import chart_studio.plotly in place of plotly.plotly", Applicability.SAFE),
        ("py.iplot(1)\nshow(py)", "Import chart_studio.plotly in place of plotly.plotly", Applicability.SAFE),
    ],
)
def test_a_module_of_another_package_is_imported_where_it_is_used(
    bench: Bench, use: str, title: str, applicability: Applicability
) -> None:
    cells = (write_plotly(bench), "import plotly.plotly as py\nx = 1", f"# not run\n{use}")
    patches = {p.title: p for p in bench.propose_patches("API101", *cells)}
    assert patches[title].applicability is applicability
    assert any(isinstance(e, Install) for e in patches[title].edits) is ("chart_studio" in title)
    moved = patches["Import plotly in the cell that uses it"]
    assert moved.applicability is Applicability.SAFE
    lines = [e.source.split("\n") for e in moved.edits if isinstance(e, Replace)]
    assert ["import plotly.plotly as py", "# not run", *use.split("\n")] in lines
    assert ["x = 1"] in lines


def test_what_nobody_can_bring_is_imported_where_it_is_used(bench: Bench) -> None:
    head = "import json\nimport elbegauge as eg\nfrom elbegauge.plots import draw, zoom\nimport math"
    cells = ("# not run\nmath.floor(2)", "# not run\nstation = eg.Station()", "# not run\ndraw(station)")
    (moved,) = bench.propose_patches("API101", head, *cells)
    assert moved.applicability is Applicability.SAFE
    sources = [e.source for e in moved.edits if isinstance(e, Replace)]
    assert sources == [
        "import elbegauge as eg\n# not run\nstation = eg.Station()",
        "from elbegauge.plots import draw, zoom\n# not run\ndraw(station)",
        "import json\nimport math",
    ]


def test_what_nothing_uses_goes_with_what_is_used_of_the_same_package(bench: Bench) -> None:
    head = "import elbegauge as eg\nfrom elbegauge.plots import draw\nx = 1"
    (moved,) = bench.propose_patches("API101", head, "# not run\neg.Station(x)")
    sources = [e.source for e in moved.edits if isinstance(e, Replace)]
    assert sources == [
        "import elbegauge as eg\nfrom elbegauge.plots import draw\n# not run\neg.Station(x)",
        "x = 1",
    ]
