"""Puts what the page "Try it here" loads beside it: ``python docs/gather_pyodide.py node_modules/pyodide``.

Python's files come from the npm package ``pyodide`` in that folder, our wheel from this clone, the rest from pip's index.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "docs" / "_static" / "pyodide"
RUNTIME = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
NEEDED = ("fissix", "pyflakes", "pygments")
"""Pure-Python packages that the rules import."""


LIBRARIES = ("numpy", "pandas", "python-dateutil", "pytz", "six")
"""Packages of Pyodide's full distribution that are copied where the folder holds them: pandas and what it needs."""


def gather_files(pyodide: Path, target: Path = TARGET) -> list[str]:
    """Copy and build everything; returns the names of the wheels. Raises ``OSError`` or ``CalledProcessError`` where one is missing."""
    target.mkdir(parents=True, exist_ok=True)
    for name in RUNTIME:
        shutil.copy(pyodide / name, target / name)
    for old in target.glob("*.whl"):
        old.unlink()
    lock = json.loads((pyodide / "pyodide-lock.json").read_text(encoding="utf-8"))["packages"]
    copied = {
        lock[name]["file_name"] for name in LIBRARIES if name in lock and (pyodide / lock[name]["file_name"]).exists()
    }
    for name in copied:
        shutil.copy(pyodide / name, target / name)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(target)]
    subprocess.run([*pip, str(ROOT), *NEEDED], check=True, env={**os.environ, "SELFHEAL_NO_LABEXTENSION": "1"})
    wheels = sorted(path.name for path in target.glob("*.whl") if path.name not in copied)
    (target / "wheels.json").write_text(json.dumps(wheels) + "\n", encoding="utf-8")
    return wheels


if __name__ == "__main__":
    print("\n".join(gather_files(Path(sys.argv[1]))))
