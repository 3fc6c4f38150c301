"""A cell that imports something heavy itself: its trials go on from after the import."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_selfheal.loop.warm_imports import find_first_imports
from tests.live.conftest import LiveKernel

HEAVY = """import os, sys, types
maker = os.getpid()
for n in range(60):
    sys.modules[f"heavy_library.part{n}"] = types.ModuleType("part")
"""
CELL = "import os\nimport heavy_library\nprint('own import:', heavy_library.maker == os.getpid())\npritn('done')"


@pytest.mark.kernel
def test_no_trial_pays_for_the_import_of_its_cell_again(loaded: LiveKernel, tmp_path: Path) -> None:
    packages = tmp_path / "site-packages"
    packages.mkdir()
    (packages / "heavy_library.py").write_text(HEAVY)
    loaded.run(f"import sys; sys.path.insert(0, {str(packages)!r})", "a")
    loaded.run(CELL, "b", allow_stdin=True)
    loaded.card("fix ready, tested")
    told = "".join(path.read_text() for path in loaded.data.rglob("*.jsonl"))
    assert "own import: False" in told
    assert "own import: True" not in told, "a trial imported it once more"


def test_imports_of_installed_packages_that_stand_first_are_found() -> None:
    source = '"""Fit."""\nimport os, sys\nimport numpy as np\nfrom sklearn.svm import SVC\nx = 1\nimport pandas'
    assert find_first_imports("import os\nfrom sklearn.svm import SVC\nx = 1\nimport pandas") == (
        "from sklearn.svm import SVC",
    )
    assert find_first_imports(source) == (), "a text stands first"
    assert find_first_imports("from . import helper") == ()
    assert find_first_imports("import numpy as np, sys") == (), "half of it is always there"
