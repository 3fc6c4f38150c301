"""A name that a library took out of a package is no misspelling of what is left there."""

from __future__ import annotations

import pytest

from jupyter_selfheal.healers.rules.misspelt_module import MisspeltModule
from jupyter_selfheal.model import Applicability
from jupyter_selfheal.testing.rule_conformance import Bench

FILES = {
    "farm/__init__.py": "def cfexecutor(): pass\nclass Scheduler: pass\ndef square_root(x): return x\nclass Sampler: pass\n",
    "farm/client.py": "",
    "farm/sampler.py": "",
}


def list_levels(bench: Bench, cell: str) -> list[Applicability]:
    for name, text in FILES.items():
        bench.write_file(name, text)
    path = "import sys\nsys.path.insert(0, '')"
    return [p.applicability for p in bench.fail(path, cell).propose_patches(MisspeltModule())]


@pytest.mark.parametrize(
    "cell",
    [
        "from farm import Executor",
        "from farm import wsquare_root",
        "from farm import Client\nClient",
        "import farm.client\nfrom farm import Client",
    ],
)
def test_what_is_gone_is_not_taken_for_what_is_left(bench: Bench, cell: str) -> None:
    assert Applicability.SAFE not in list_levels(bench, cell)


@pytest.mark.parametrize(
    "cell", ["from farm import Schedular", "from farm import scheduler", "from farm import Square_root"]
)
def test_a_slip_is_one_all_the_same(bench: Bench, cell: str) -> None:
    assert list_levels(bench, cell) == [Applicability.SAFE]
