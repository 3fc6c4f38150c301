from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from jupyter_selfheal.errors import KernelError, NotebookError
from jupyter_selfheal.surfaces.notebook.kernel_choice import choose_kernel


@pytest.fixture(autouse=True)
def specs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three kernelspecs of our own, one of them of another language."""
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("JUPYTER_PATH", "")
    for name, language in (("mine", "python"), ("conda-env-lab-py", "python"), ("ir", "R")):
        folder = tmp_path / "kernels" / name
        folder.mkdir(parents=True)
        spec = {"argv": ["x", "{connection_file}"], "display_name": name, "language": language}
        (folder / "kernel.json").write_text(json.dumps(spec))


@pytest.mark.parametrize("name", ["mine", "python3", "conda-env-lab-py"])
def test_a_kernel_that_is_installed_is_taken_as_it_is(name: str) -> None:
    assert choose_kernel(name) == (name, None)


@pytest.mark.parametrize(
    "name", ["python2", "python", "conda-env-bayes-py", "conda-root-py", "Python [Root]", "Python [conda env:x]"]
)
def test_the_name_of_somebody_elses_python_stands_for_the_default_one(name: str) -> None:
    spec, note = choose_kernel(name)
    assert spec == "python3"
    assert note is not None
    assert repr(name) in note


@pytest.mark.parametrize("name", ["pymc_env", "no-such-kernel", "a/b", ""])
def test_an_environment_that_is_not_there_is_refused_with_what_to_do(name: str) -> None:
    with pytest.raises(KernelError, match="--kernel python3"):
        choose_kernel(name)


def test_the_kernel_of_another_language_is_refused() -> None:
    with pytest.raises(NotebookError, match="runs R; only Python"):
        choose_kernel("ir")


@pytest.mark.skipif(not os.access("/proc", os.W_OK), reason="only root is told that /proc may be written to")
def test_a_home_in_which_ipython_can_make_no_folder_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IPYTHONDIR", "/proc/none")
    with pytest.raises(KernelError, match=r"IPython's folder cannot be made \(/proc/none: .*\): .* set IPYTHONDIR"):
        choose_kernel("python3")
