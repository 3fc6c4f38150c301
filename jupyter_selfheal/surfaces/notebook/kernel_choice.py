"""Which kernel a notebook is healed on: its own where it is installed, the default Python where only its name is foreign."""

from __future__ import annotations

import re

from jupyter_selfheal.errors import KernelError, NotebookError

DEFAULT = "python3"

_SOME_PYTHON = re.compile(
    r"python[\d.]*|ipython\d*|conda-(env|root|base)\b.*|python \[.*\]|anaconda\d*|miniconda\d*", re.IGNORECASE
)
"""Names of kernelspecs that tools give to whatever Python they find. They say which machine the notebook was last saved on."""


def choose_kernel(name: str) -> tuple[str, str | None]:
    """(kernelspec, note) for a notebook that names kernelspec ``name``; the note says where another one is taken, and is None otherwise.

    Raises :class:`NotebookError` where its kernel is not Python's, :class:`KernelError` where it is not installed and may
    matter: an environment that somebody has named holds what its notebooks need.
    """
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

    specs = KernelSpecManager()
    try:
        language = str(specs.get_kernel_spec(name).language or "python")
    except (NoSuchKernel, ValueError):  # a name that no folder could have is a ValueError in some releases
        if name == DEFAULT:
            return DEFAULT, None
        if _SOME_PYTHON.fullmatch(name):
            return DEFAULT, f"its kernel {name!r} is not installed here: it ran on {DEFAULT}"
        installed = ", ".join(sorted(specs.find_kernel_specs())) or "none"
        raise KernelError(
            f"no kernel named {name!r} is installed (installed: {installed}): install it, or name another one with "
            f"--kernel, such as --kernel {DEFAULT}"
        ) from None
    except OSError as error:  # IPython makes its folder to look into it
        raise KernelError(
            f"IPython's folder cannot be made ({error.filename}: {error.strerror}): make room there, or set IPYTHONDIR to one that can be written"
        ) from None
    if not language.lower().startswith(("python", "ipython")):
        raise NotebookError(f"the kernel {name!r} runs {language}; only Python notebooks can be healed")
    return name, None
