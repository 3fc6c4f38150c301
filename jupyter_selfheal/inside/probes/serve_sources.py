"""Files of the project, imported with another text than the disk holds. Sent as the source of a probe: standard library only.

In a clean kernel the import that follows is a fresh one: no byte code is read or written, and nothing is reloaded.
"""

from __future__ import annotations

import importlib.machinery
import os
import sys
from typing import Any


def probe(shell: Any, last: Any, argument: Any) -> Any:
    """Serve ``argument["files"]`` (path → [text, encoding]) to every import from now on; how many they are."""
    return serve(argument["files"])


def serve(files: Any) -> int:
    """Put a finder for these files before all others."""
    served = {os.path.realpath(path): text.encode(encoding) for path, (text, encoding) in files.items()}

    class ServedLoader(importlib.machinery.SourceFileLoader):
        def get_data(self, path: str) -> bytes:
            text = served.get(os.path.realpath(path))
            return super().get_data(path) if text is None else text

        def path_stats(self, path: str) -> Any:
            raise OSError("no byte code is kept of it")

    class ServedFinder:
        @staticmethod
        def find_spec(name: str, path: Any = None, target: Any = None) -> Any:
            spec = importlib.machinery.PathFinder.find_spec(name, path, target)
            if spec is None or not spec.origin or os.path.realpath(spec.origin) not in served:
                return None
            spec.loader, spec.cached = ServedLoader(name, spec.origin), None
            return spec

    sys.meta_path.insert(0, ServedFinder)
    return len(served)
