"""What a model's client stands on is imported ahead of its first call, and only where a model may be asked."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import sys
from jupyter_selfheal import engine
from jupyter_selfheal.config import HealConfig
config = HealConfig(provider="openai_compatible", base_url="http://127.0.0.1:9/v1", model="m", consent={consent},
    healers=("rules", "language_model"))
thread = engine.import_in_background(config)
if thread is not None:
    thread.join()
print("httpx2" in sys.modules, thread is not None, engine.import_in_background(config) is None)
"""


@pytest.mark.parametrize("consent", [True, False])
def test_libraries_are_imported_only_where_a_model_may_be_asked(consent: bool) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(consent=consent)], capture_output=True, text=True, timeout=300
    )
    assert done.stdout.split() == [str(consent), str(consent), "True"], done.stderr
    assert done.stderr == ""
