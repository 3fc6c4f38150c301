"""Processes of our own run our own modules and Python's, never a file of the same name that lies beside the notebook.

``python -m`` and ``python -c`` put the working directory first on ``sys.path``. For a worker that is the notebook's folder, where
a ``queue.py`` or ``types.py`` of the user's would be imported in place of Python's own.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import sys
from pathlib import Path
from typing import Any

_ROOT = str(Path(__file__).parent.parent)

LEAST_FREE_MB = 256
"""Free space below which no byte code is kept; that of a large environment takes half of it."""

_START = """
import os, site, sys
root, module, given = sys.argv[1:]
del sys.argv[1:]
if given:  # kernels that this process starts have it again
    os.environ["PYTHONPATH"] = given
folders = (os.path.abspath(path) for path in given.split(os.pathsep) if path)
others = {*site.getsitepackages(), site.getusersitepackages()}
at = next((n for n, path in enumerate(sys.path) if path in others), len(sys.path))
sys.path[at:at] = [path for path in folders if path != os.getcwd()]
sys.path.append(root)
from importlib import import_module, util
spec = util.spec_from_file_location("jupyter_selfheal", os.path.join(root, "jupyter_selfheal", "__init__.py"))
sys.modules["jupyter_selfheal"] = util.module_from_spec(spec)
spec.loader.exec_module(sys.modules["jupyter_selfheal"])
import_module("jupyter_selfheal.own_process").keep_byte_code()
import_module("jupyter_selfheal." + module).main()
"""


def process_arguments(module: str) -> dict[str, Any]:
    """``args`` and ``env`` for :mod:`subprocess`: run ``main()`` of one of our modules, named as in ``surfaces.worker.__main__``.

    It is this very package that runs, however it was found: installed, editable, by ``PYTHONPATH``, or by a folder that a
    notebook put on ``sys.path``. ``PYTHONPATH`` counts, but only after Python's own modules.
    """
    env = dict(os.environ)
    paths = env.pop("PYTHONPATH", "")
    return {"args": [sys.executable, "-P", "-c", _START, _ROOT, module, paths], "env": env}


def open_byte_code_folder(part: str = "own") -> str:
    """A folder of byte code that is not beside its source, in the user's cache (https://specifications.freedesktop.org/basedir-spec).

    Made where it is not there. What is read from it is run: so it is empty where anybody but its owner and root may write to it or
    change what leads there, and where the disk is nearly full, as Python leaves byte code that was cut off, and fails of it.
    """
    cache = os.environ.get("XDG_CACHE_HOME", "")
    with contextlib.suppress(OSError, RuntimeError):
        base = Path(cache) if os.path.isabs(cache) else Path.home() / ".cache"
        folder = (base / "jupyter-selfheal" / "bytecode" / part).resolve()
        for place in (*reversed(folder.parents), folder):
            if not place.exists():
                place.mkdir(mode=0o700, exist_ok=True)
            if not _is_closed_to_others(place.stat(), is_own=place == folder):
                return ""
        has_room = shutil.disk_usage(folder).free > LEAST_FREE_MB << 20
        return str(folder) if has_room and os.access(folder, os.W_OK) else ""
    return ""


def _is_closed_to_others(told: os.stat_result, *, is_own: bool) -> bool:
    """Whether nobody but us (and root, above a folder of our ``own``) can put something else in a folder's place or, in our own, into it."""
    if not hasattr(os, "getuid"):
        return True
    others = stat.S_IWGRP | stat.S_IWOTH
    if is_own:
        return told.st_uid == os.getuid() and not told.st_mode & others
    if told.st_gid == told.st_uid:  # a group that the user is alone in
        others = stat.S_IWOTH
    return told.st_uid in (0, os.getuid()) and (not told.st_mode & others or bool(told.st_mode & stat.S_ISVTX))


def keep_byte_code() -> None:
    """Where this package was installed without byte code, and Python keeps none, have this process, which is all ours, keep it in the user's cache.

    Else all that it imports is compiled at every start, for two seconds and more.
    """
    beside = __spec__.cached if __spec__ else None
    if sys.pycache_prefix or beside is None or os.path.exists(beside):
        return
    if folder := open_byte_code_folder():
        sys.pycache_prefix, sys.dont_write_bytecode = folder, False
