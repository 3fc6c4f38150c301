"""Files beside a notebook that its kernel imports in place of Python's own modules.

A kernel looks in the notebook's folder first. That is the user's own rule, which we keep; where the kernel does not start because of
it, the file is named.
"""

from __future__ import annotations

import sys
from pathlib import Path


def describe_hidden_module(folder: str, printed: str) -> str | None:
    """One sentence that names a file in ``folder`` which hides one of Python's own modules; None where there is none.

    ``printed`` is what the kernel said before it ended: a file that is named there goes before others.
    """
    if "Traceback" not in printed:  # not Python, or nothing of an import
        return None
    files = [file for name in sorted(sys.stdlib_module_names) if (file := _find_file(Path(folder, name))) is not None]
    blamed = [file for file in files if str(file) in printed]
    for file in blamed or files:
        shown = file.relative_to(folder)
        return f"{shown} in {folder} hides Python's own module {shown.with_suffix('').parts[0]}: rename it"
    return None


def _find_file(stem: Path) -> Path | None:
    return next((file for file in (stem / "__init__.py", stem.with_suffix(".py")) if file.is_file()), None)
