"""Compiles what a notebook imports of installed packages, into a folder of ours; run by the notebook's Python, in a process of its own.

Where an environment holds no byte code (``uv pip install``, ``PYTHONDONTWRITEBYTECODE``, an image that was stripped of it), each kernel compiles
all that it imports, and what it writes of that is thrown away with all else that it writes. Nothing of a notebook runs here: only what is
installed is imported. Standard library only.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import marshal
import os
import py_compile
import sys
import time
from types import CodeType

from jupyter_selfheal.inside.probes.warm_imports import INSTALLED

KERNEL = (
    "ipykernel.kernelapp",
    "ipykernel.ipkernel",
    "ipykernel.zmqshell",
    "jupyter_client.client",
    "stack_data",
    "pygments.formatters.terminal256",
    "IPython.core.debugger",
    "tornado.platform.asyncio",
)
"""What every kernel imports, and what it shows an error with."""

_LATER = {
    "matplotlib": ("matplotlib_inline.backend_inline", "matplotlib.backends.backend_agg", "mpl_toolkits.mplot3d"),
    "pandas": ("pandas.plotting._matplotlib", "pandas.io.formats.style", "pandas.io.formats.html", "pandas.io.parsers.readers"),
    "seaborn": ("matplotlib_inline.backend_inline", "pandas.plotting._matplotlib"),
}  # fmt: skip
"""By package, what it loads at its first use."""

_HEAD = 16
"""Bytes of a file of byte code before the code itself (PEP 552)."""

_CLOCK = 2.0
"""Seconds that the clock of files may lag behind."""


def find_uncompiled(names: list[str], folder: str) -> list[str] | None:
    """Of the modules that are installed, those that are not compiled in ``folder`` yet; None where most of the packages bring their byte code along."""
    files = {name: file for name in dict.fromkeys([*KERNEL, *names]) if (file := _find_file(name))}
    tops = [
        file
        for top in dict.fromkeys(name.partition(".")[0] for name in [KERNEL[0], *names])
        if (file := _find_file(top))
    ]
    if 2 * sum(not is_compiled(file, None) for file in tops) <= len(tops):
        return None
    return [name for name, file in files.items() if not is_compiled(file, folder)]


def compile_modules(names: list[str]) -> None:
    """Import modules where byte code is written to ``sys.pycache_prefix``, and what they load later."""
    began = time.time()
    packages = dict.fromkeys(name.partition(".")[0] for name in names)
    for name in dict.fromkeys([*names, *(later for package in packages for later in _LATER.get(package, ()))]):
        with contextlib.suppress(BaseException):  # what cannot be imported is the notebook's affair
            importlib.import_module(name)
    for name in names:  # below a package that cannot be imported: not to be tried at each start
        if (file := _find_file(name)) and not is_compiled(file, sys.pycache_prefix):
            with contextlib.suppress(Exception):
                py_compile.compile(file, doraise=True)
    remove_cut_off(sys.pycache_prefix or "", began)


def remove_cut_off(folder: str, since: float) -> None:
    """Remove byte code written since then that cannot be loaded: a disk that fills leaves its beginning, of which an import fails."""
    for place, _, files in os.walk(folder):
        for file in (os.path.join(place, name) for name in files):
            with contextlib.suppress(OSError):
                if os.stat(file).st_mtime >= since - _CLOCK and not _can_be_loaded(file):
                    os.unlink(file)


def _can_be_loaded(file: str) -> bool:
    try:
        with open(file, "rb") as cached:
            cached.seek(_HEAD)
            return isinstance(marshal.load(cached), CodeType)
    except (EOFError, ValueError, TypeError):
        return False


def is_compiled(file: str, folder: str | None) -> bool:
    """Whether the byte code of a source file is there and of its present text: beside it, or below ``folder``."""
    before, sys.pycache_prefix = sys.pycache_prefix, folder
    try:
        with open(importlib.util.cache_from_source(file), "rb") as cached:
            head = cached.read(_HEAD)
        if head[:4] != importlib.util.MAGIC_NUMBER or len(head) < _HEAD:
            return False
        told = os.stat(file)
        dated = (int(told.st_mtime) & 0xFFFFFFFF).to_bytes(4, "little") + (told.st_size & 0xFFFFFFFF).to_bytes(
            4, "little"
        )
        return head[4:8] != bytes(4) or head[8:] == dated
    except (OSError, NotImplementedError):
        return False
    finally:
        sys.pycache_prefix = before


def _find_file(name: str) -> str:
    """The source of an installed module, found without importing anything of it."""
    top, *parts = name.split(".")
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return ""
    if spec is None or not any(part in str(spec.origin) for part in INSTALLED):
        return ""
    if not parts:
        return str(spec.origin) if str(spec.origin).endswith(".py") else ""
    stem = os.path.join(next(iter(spec.submodule_search_locations or ()), ""), *parts)
    return next((file for file in (os.path.join(stem, "__init__.py"), f"{stem}.py") if os.path.isfile(file)), "")
