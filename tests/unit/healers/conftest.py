"""Fixtures for rule tests: a notebook is run until it fails, the rule is asked, and what it says is run again."""

from __future__ import annotations

import importlib
import sys
import types
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from jupyter_selfheal.testing.rule_conformance import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.fixture(autouse=True)
def own_pandas() -> Iterator[None]:
    """What the cells of an example write into pandas (a function that warns, as another release has it) is taken back: they run in this
    process, and pandas is that of every later test."""
    names = vars(importlib.import_module("pandas")) if find_spec("pandas") else {}
    before = dict(names)
    yield
    for name in [n for n, value in names.items() if n not in before and not isinstance(value, types.ModuleType)]:
        del names[name]
    names.update(before)


@pytest.fixture(autouse=True)
def own_figures() -> Iterator[None]:
    """The figures that the cells of an example open are closed: Matplotlib warns of more than twenty, in whatever test comes then."""
    yield
    if (pyplot := sys.modules.get("matplotlib.pyplot")) is not None:
        pyplot.close("all")
