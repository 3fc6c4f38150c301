"""Which files a notebook's cells read, as Python's own audit events tell. Sent as the source of a probe: standard library only.

What the events do not show is said in its place: other programs and libraries that read files past Python may have read
anything in the folder, and what came over the network may be another thing tomorrow.
"""

from __future__ import annotations

import os
import sys
import tempfile
from typing import Any

_NAME = "_selfheal_reads"

_PATHS = ("open", "os.listdir", "os.scandir", "sqlite3.connect")
_NETWORK = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "urllib.Request")
_PROGRAMS = ("subprocess.Popen", "os.system", "os.posix_spawn", "os.exec", "os.forkpty")

_READ_PAST_PYTHON = (
    "h5py",
    "netCDF4",
    "pyarrow",
    "polars",
    "duckdb",
    "rasterio",
    "fiona",
    "osgeo",
    "cv2",
    "tables",
    "multiprocessing.popen_fork",
    "multiprocessing.popen_spawn_posix",
    "multiprocessing.popen_forkserver",
    "joblib.externals.loky.backend.popen_loky_posix",
)
"""Modules that open files by themselves, or that start processes in which we do not listen."""

_PACKAGES = {"site-packages", "dist-packages", "__pycache__"}
"""Folders of what is installed: its versions are known otherwise. Byte code stands for a module, whose file is listed."""


def probe(shell: Any, last: Any, argument: Any) -> Any:
    """With ``"begin"``: listen from now on. Else what was heard: ``files``, whether there may be ``more``, and ``network``;
    None where nobody listened."""
    if argument == "begin":
        seen: set[tuple[str, str]] = set()
        setattr(shell, _NAME, seen)
        sys.addaudithook(_build_hook(seen))
        return None
    heard = getattr(shell, _NAME, None)
    return None if heard is None else _sum_up(set(heard), getattr(shell, "ipython_dir", ""))


def _build_hook(seen: set[tuple[str, str]]) -> Any:
    network, programs, paths, add, fspath = _NETWORK, _PROGRAMS, _PATHS, seen.add, os.fspath
    absolute, decode = os.path.abspath, os.fsdecode

    def note_event(event: str, given: tuple[Any, ...]) -> None:
        if event in paths:
            path = given[0] if given and given[0] is not None else "."
            if isinstance(path, int) or (event == "open" and isinstance(given[1], str) and given[1][:1] in "wx"):
                return
            try:
                add(("path", absolute(decode(fspath(path)))))
            except Exception:  # a path of an odd kind: the cell finds out for itself
                add(("more", ""))
        elif event in network:
            add(("network", event))
        elif event in programs:
            add(("more", event))

    return note_event


def _sum_up(heard: set[tuple[str, str]], ipython_dir: str) -> dict[str, Any]:
    installed = {sys.prefix, sys.base_prefix, sys.exec_prefix, "/proc", "/sys", "/dev", ipython_dir, sys.pycache_prefix}
    ours = (*(os.path.join(p, "") for p in installed if p), os.path.join(tempfile.gettempdir(), "selfheal-"))
    modules = {str(f) for m in list(sys.modules.values()) if isinstance(f := getattr(m, "__file__", None), str)}
    files = {text for kind, text in heard if kind == "path"} | {
        os.path.abspath(f) for f in modules if f.endswith(".py")
    }
    kinds = {kind for kind, _ in heard}
    return {
        "files": sorted(
            f for f in files if not f"{f}{os.sep}".startswith(ours) and not _PACKAGES & set(f.split(os.sep))
        ),
        "more": "more" in kinds or any(name in sys.modules for name in _READ_PAST_PYTHON),
        "network": "network" in kinds,
    }
