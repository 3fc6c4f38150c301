"""Rules find the place of a failure below ``%%time``, where frames count their lines from the one after the magic."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_selfheal.kernels.freeze import open_state
from jupyter_selfheal.model import Launch
from jupyter_selfheal.testing.rule_conformance import build_notebook, find_first_failure

pytestmark = pytest.mark.kernel


@pytest.mark.parametrize("fresh", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["forked", "fresh"])
def test_a_failure_below_time_is_healed(tmp_path: Path, fresh: bool) -> None:
    state = open_state(Launch("python3", str(tmp_path)), fresh=fresh)
    try:
        for cell, wanted in (
            ("%%time\nx = 1\nprint(d['wieght'])", "%%time\nx = 1\nprint(d['weight'])"),
            ("%%time\nd['wieght'] + 1", "%%time\nd['weight'] + 1"),
        ):
            broken = find_first_failure(build_notebook(["d = {'weight': 1}", cell], tmp_path), state)
            assert broken is not None
            (patch, *_) = broken.propose_patches()
            assert broken.apply_patch(patch).cells[1].source == wanted
            broken.facts.close()
    finally:
        state.close()
