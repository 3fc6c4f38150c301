"""Fixtures for rule tests: a notebook is run until it fails, the rule is asked, and what it says is run again."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_selfheal.testing.rule_conformance import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)
