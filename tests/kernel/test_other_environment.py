"""A notebook whose kernel lives in an environment of its own, which has never heard of this package."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from jupyter_selfheal.inside.fork import sandbox
from jupyter_selfheal.kernels.freeze import open_state
from jupyter_selfheal.model import Keep, Launch, Run, Sandbox, TrialRequest
from jupyter_selfheal.testing.processes import is_gone, list_marked, mark_descendants
from jupyter_selfheal.testing.trials import read_stream, run_trial
from tests.command import heal, nothing_is_left_running, place, write

__all__ = ["place"]

pytestmark = pytest.mark.kernel

INSTALLING = 240
"""Seconds until the registry is taken to be out of reach."""


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for ``JUPYTER_PATH`` with the kernelspec ``elsewhere``, made once."""
    folder = tmp_path_factory.mktemp("elsewhere")
    python = folder / "env" / "bin" / "python"
    uv = shutil.which("uv") or shutil.which("uv", path=str(Path(sys.executable).parent))
    make = [uv, "venv", "-q", "--python", sys.executable] if uv else [sys.executable, "-m", "venv"]
    install = (
        [uv, "pip", "install", "-q", "--python", str(python)] if uv else [str(python), "-m", "pip", "install", "-q"]
    )
    clean = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    try:
        subprocess.run([*make, str(folder / "env")], check=True, capture_output=True, timeout=INSTALLING, env=clean)
        subprocess.run([*install, "ipykernel"], check=True, capture_output=True, timeout=INSTALLING, env=clean)
    except (subprocess.SubprocessError, OSError) as error:
        pytest.skip(f"no environment with ipykernel can be made here: {getattr(error, 'stderr', b'') or error!r}")
    has_ours = subprocess.run(
        [python, "-I", "-c", "import jupyter_selfheal"], capture_output=True, check=False, env=clean
    )
    assert has_ours.returncode
    kernel = folder / "kernels" / "elsewhere"
    kernel.mkdir(parents=True)
    argv = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (kernel / "kernel.json").write_text(json.dumps({"argv": argv, "display_name": "Elsewhere", "language": "python"}))
    return folder


@pytest.fixture(autouse=True)
def found(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTER_PATH", str(spec))
    monkeypatch.delenv("PYTHONPATH", raising=False)


@pytest.mark.slow
def test_its_trials_are_forked_gated_and_sandboxed(spec: Path, tmp_path: Path) -> None:
    mark_descendants()
    state = open_state(Launch("elsewhere", str(tmp_path)), say=pytest.fail)
    try:
        assert state.isolation.kernel == "forked"
        look = "import sys\ntry:\n    import jupyter_selfheal\nexcept ImportError:\n    print(sys.prefix)"
        trial = run_trial(state, look)
        assert read_stream(trial).strip() == str(spec / "env")
        trial, kept = state.run(TrialRequest((Run("x = [1]", "a"),), keep=Keep.ALWAYS, timeout=60))
        assert kept is not None, trial
        after = run_trial(kept, "open('new', 'w').write('y'); x.append(2); print(x)", sandbox=Sandbox())
        assert read_stream(after) == "[1, 2]\n"
        assert read_stream(run_trial(kept, "import os; print(x, os.path.exists('new'))")) == "[1] False\n"
        if sandbox.OVERLAY in state.isolation.layers:
            assert not (tmp_path / "new").exists()
        thread = "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), name='poller', daemon=True).start()"
        trial, none = kept.run(TrialRequest((Run(thread, "b"),), keep=Keep.ALWAYS, timeout=60))
        assert none is None
        assert "poller" in trial.detail
        kept.close()
    finally:
        state.close()
    assert all(is_gone(pid) for pid in list_marked())


@pytest.mark.slow
def test_its_notebook_is_healed_and_proven_in_forks(place: Path) -> None:
    given = write(
        place / "n.ipynb",
        "import sys\ntotal = 6",
        "print(totl)",
        "assert total == 6",
        kernelspec={"name": "elsewhere", "display_name": "Elsewhere", "language": "python"},
    )
    done = heal(given, "-o", "out.ipynb", "--report", "r.json", cwd=place)
    assert done.returncode == 0, done.stdout + done.stderr
    cells = json.loads((place / "out.ipynb").read_text())["cells"]
    assert "".join(cells[1]["source"]) == "print(total)"
    report = json.loads((place / "r.json").read_text())["notebooks"][0]
    assert "fork" in report["cells"][1]["fix"]["isolation"]
    assert report["survived_clean_run"]
    assert nothing_is_left_running(place)
