"""The data files: every successor that they name is there, and every entry says where it is from."""

from __future__ import annotations

import importlib
import inspect
import re
import warnings
from typing import Any

import pytest

from jupyter_selfheal.healers.rules.context.knowledge import Change, load_knowledge
from jupyter_selfheal.healers.rules.healer import load_rules
from jupyter_selfheal.inside.probes import libraries
from jupyter_selfheal.testing.rule_conformance import Bench

LIBRARIES = (
    "numpy",
    "pandas",
    "sklearn",
    "matplotlib",
    "seaborn",
    "scipy",
    "statsmodels",
    "sympy",
    "networkx",
    "IPython",
)


def test_since_when_a_style_of_seaborns_is_gone_is_told(bench: Bench) -> None:
    plot = "import matplotlib\nmatplotlib.use('Agg')\nimport matplotlib.pyplot as plt"
    broken = bench.fail(plot, "plt.style.use('seaborn-whitegrid')")
    (patch, *_) = broken.propose_patches(*(r for r in load_rules() if r.code == "API203"))
    assert patch.cause == "`'seaborn-whitegrid'` is no longer accepted (matplotlib 3.8)."


def leads_somewhere(path: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return libraries._resolves(path)


def installed(path: str) -> bool:
    try:
        importlib.import_module(path.split(".")[0])
    except ImportError:
        return False
    return True


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_successor_in_an_installed_library_exists(library: str) -> None:
    pytest.importorskip(library)
    known = load_knowledge()
    changes = [c for table in (known.names, known.modules) for c in table.values() if c.library == library]
    named = [p for c in changes for p in paths_of(c) if p.split(".")[0] in LIBRARIES and installed(p)]
    assert named
    missing = [p for p in named if not leads_somewhere(p)]
    optional = ("matplotlib.backends.backend_qtagg",)
    assert [p for p in missing if not p.startswith(optional)] == []


def paths_of(change: Change) -> list[str]:
    found = [change.new] if change.new and not change.requires else []
    return found + [p for f in change.forms for p in re.findall(r"\{@([\w.]+)\}", f.template)]


def test_every_entry_names_its_release_and_its_source() -> None:
    known = load_knowledge()
    entries: list[Any] = [
        *known.modules.values(),
        *known.names.values(),
        *known.methods.values(),
        *known.values,
        *known.positional,
    ]
    entries += [k for ks in known.keywords.values() for k in ks]
    assert len(entries) > 1000
    assert all(e.version and e.source.startswith("https://") for e in entries)


def test_every_entry_says_what_to_do() -> None:
    known = load_knowledge()
    changes = [*known.modules.values(), *known.names.values(), *known.methods.values()]
    assert [
        c.old
        for c in changes
        if not (c.new or c.forms or c.read or c.statement or c.binds) and c.old not in ("scipy.misc", "scipy.weave")
    ] == []


def test_what_a_keyword_of_scikit_learn_is_called_now_is_a_parameter() -> None:
    pytest.importorskip("sklearn")
    from sklearn.utils.discovery import all_estimators, all_functions

    known = dict(all_estimators()) | dict(all_functions())
    wrong = []
    for keyword in (k for group in load_knowledge().keywords.values() for k in group if k.libraries[0] == "sklearn"):
        for call in (c for c in keyword.calls if c in known):
            parameters = inspect.signature(known[call]).parameters
            for case in keyword.cases:
                new = re.match(r"(\w+)=", case.argument)
                moved = case.callee or case.wrap or keyword.old in parameters  # another callee, or an older release
                if new and not moved and new[1] not in parameters:
                    wrong.append((call, keyword.old, new[1]))
    assert wrong == []
