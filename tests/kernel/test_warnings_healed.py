"""``--warnings``: what a cell's own line is warned of is healed where the same comes out, else named; nothing else is touched."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import heal, place, sources, write

__all__ = ["place"]

pytestmark = pytest.mark.kernel

SHOP = """import warnings


def fit(data, max_iter=10, **old):
    if old:
        warnings.warn("'n_iter' was renamed to 'max_iter'", FutureWarning, stacklevel=2)
        max_iter = old["n_iter"]
    return len(data) * max_iter


def split(n, parts=2, **old):
    if old:
        warnings.warn("'pieces' was renamed to 'parts'", FutureWarning, stacklevel=2)
    return n // parts


def inner():
    warnings.warn("not the cell's doing", DeprecationWarning)
    return 2
"""
CELLS = "import shop", "print(shop.fit([1, 2], n_iter=3))", "print(shop.split(12, pieces=6))", "shop.inner()"


def test_a_warning_is_healed_where_the_cell_gives_the_same(place: Path) -> None:
    (place / "shop.py").write_text(SHOP)
    given = write(place / "n.ipynb", *CELLS)
    done = heal(given, "-o", "out.ipynb", "--json", "--warnings", ends=0)
    found = {w["cell"]: (w["warning"].partition(":")[0], w["status"]) for w in done.notebook["warnings"]}
    assert found[2] == ("FutureWarning", "healed")
    assert found[3][1] in ("offered", "not healed")  # with the new name it gives another value
    drift = done.notebook["drift"]
    assert [c["cell"] for c in drift["cells"]] == [1, 2, 3, 4], "each cell ran with its warning, and without"
    assert 10 < drift["before_mb"] < 2 * drift["after_mb"] < 4 * drift["before_mb"]
    assert sources(place / "out.ipynb") == [CELLS[0], "print(shop.fit([1, 2], max_iter=3))", *CELLS[2:]]
