"""Processes of our own run our own modules and Python's, never a file of the same name that lies beside the notebook.

``python -m`` and ``python -c`` put the working directory first on ``sys.path``. For a worker that is the notebook's folder, where
a ``queue.py`` or ``types.py`` of the user's would be imported in place of Python's own.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

_ROOT = str(Path(__file__).parent.parent)

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
