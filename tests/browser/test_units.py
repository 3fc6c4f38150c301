"""The pure modules of the JupyterLab side have tests of their own, in TypeScript: ``labextension/src/test``."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

COMPILED = Path(__file__).parents[2] / "labextension/lib/test"


def test_typescript_units_pass() -> None:
    node = shutil.which("node")
    if node is None or not COMPILED.is_dir():
        pytest.skip("the extension was not compiled here, or there is no Node to run its tests")
    files = sorted(str(path) for path in COMPILED.glob("*.test.js"))
    assert files
    found = subprocess.run([node, "--test", *files], capture_output=True, text=True, timeout=120)
    assert found.returncode == 0, found.stdout[-3000:]
    assert "# fail 0" in found.stdout
