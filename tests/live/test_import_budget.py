"""What loading the extension costs the user's kernel."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

HEAVY = {
    "anthropic", "httpx2", "httpx", "nbformat", "jsonschema", "ipywidgets", "anywidget", "jinja2", "fissix", "libcst",
    "numpy", "pandas", "genai_prices", "tqdm", "sqlite3", "jupyter_client.manager",
}  # fmt: skip

SCRIPT = """
import sys, json
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
before = set(sys.modules)
shell.run_line_magic("load_ext", "jupyter_selfheal")
loaded = sorted(set(sys.modules) - before)
shell.run_line_magic("unload_ext", "jupyter_selfheal")
print(json.dumps(loaded))
"""


def test_loading_imports_nothing_heavy(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=120,
        env={"PATH": "", "HOME": str(tmp_path), "IPYTHONDIR": str(tmp_path), "JUPYTER_DATA_DIR": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    loaded = json.loads(done.stdout.splitlines()[-1])
    ours = [name for name in loaded if name.startswith("jupyter_selfheal")]
    assert ours
    assert not HEAVY & set(loaded)
    only_a_failure_needs = {
        "messages",
        "model.trial",
        "model.proposal",
        "surfaces.card",
        "surfaces.live.live_heal",
        "surfaces.live.magics",
        "source",
    }
    names = {f"jupyter_selfheal.{name}" for name in only_a_failure_needs}
    assert all(importlib.util.find_spec(name) for name in names)
    assert not names & set(loaded)
    assert len(loaded) - len(ours) <= 40, sorted(set(loaded) - set(ours))
