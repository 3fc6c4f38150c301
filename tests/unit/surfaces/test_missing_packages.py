"""A part that stands on another package says so where that is not installed, and hides no other error."""

from __future__ import annotations

import importlib
import sys

import pytest

from jupyter_selfheal.errors import PackageMissing, UsageError, explain_import_error


@pytest.mark.parametrize(
    ("part", "package", "install"),
    [
        ("notebook.papermill", "papermill", "pip install 'jupyter-selfheal[papermill]'"),
        ("notebook.preprocessor", "nbconvert", "pip install nbconvert"),
        ("notebook.client", "nbclient", "pip install nbclient"),
        ("sphinx_pages", "sphinx", "pip install sphinx"),
    ],
)
def test_what_is_missing_is_named_with_what_installs_it(
    part: str, package: str, install: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = f"jupyter_selfheal.surfaces.{part}"
    for name in (package, *(name for name in sys.modules if name.startswith(f"{package}."))):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, module, raising=False)
    with pytest.raises(ImportError) as raised:
        importlib.import_module(module)
    assert isinstance(raised.value, UsageError)
    assert f"needs {package}: {install}" in str(raised.value)
    assert raised.value.name == package


def test_a_package_that_is_there_and_fails_keeps_its_own_error() -> None:
    broken = ModuleNotFoundError("No module named 'tenacity'", name="tenacity")
    assert explain_import_error(broken, "papermill", "the engine") is broken
    missing = ModuleNotFoundError("No module named 'papermill'", name="papermill")
    assert isinstance(explain_import_error(missing, "papermill", "the engine"), PackageMissing)
