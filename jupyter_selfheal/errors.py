"""Every exception that jupyter_selfheal raises of its own machinery.

What happens to the user's code, or to a patch of it, is data (see :mod:`jupyter_selfheal.model`); an exception
here means that *our* machinery cannot go on. Each message says what happened and what to do about it.

    SelfHealError
    ├── UsageError                 what was asked cannot be understood (exit code 2)
    │   ├── NotebookError          the notebook cannot be read, or is not one
    │   ├── PackageMissing         a part of ours stands on a package that is not installed (an ImportError too)
    │   └── ConfigError            an option has a value that makes no sense
    ├── InfrastructureError        something we stand on failed (exit code 2)
    │   ├── KernelError            a kernel could not be started, or died
    │   │   ├── ForkRefused        the gate found forking unsafe; a fallback may go on
    │   │   └── SandboxError       a layer that was probed as available then failed
    │   ├── ProviderError          a language model could not be reached, or refused us
    │   ├── RepositoryError        git, or the service that holds the repository, refused
    │   ├── JournalError           a journal is damaged, or cannot be written
    │   └── MemoryStoreError       the memory of approved patches is damaged
    ├── PatchError                 a patch does not fit the notebook that it is made for
    └── WireError                  a message that is not of our form or version
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jupyter_selfheal.model.cost import Cost

__all__ = [
    "INTERRUPTED",
    "NOT_ON_WINDOWS",
    "RUN_AGAIN",
    "ConfigError",
    "ForkRefused",
    "InfrastructureError",
    "JournalError",
    "KernelError",
    "MemoryStoreError",
    "NotebookError",
    "PackageMissing",
    "PatchError",
    "ProviderError",
    "RepositoryError",
    "SandboxError",
    "SelfHealError",
    "UsageError",
    "WireError",
    "explain_import_error",
]

INTERRUPTED = "interrupted: nothing more was written, and nothing is left running"
"""What is said of a Ctrl-C, whenever it comes."""

NOT_ON_WINDOWS = "Windows is not supported: run Jupyter and this in WSL 2"
"""What is said there instead of anything else, as modules of POSIX are missing."""

RUN_AGAIN = ": run the cell again"
"""What a person can do about a state that is gone; a batch does it by itself."""


class SelfHealError(Exception):
    """Root of the tree. ``str()`` of it is one line that says what happened and what to do."""


class UsageError(SelfHealError):
    """What was asked for cannot be understood."""


class NotebookError(UsageError):
    """The notebook cannot be read, is not a notebook, or cannot be written."""


class PackageMissing(UsageError, ImportError):
    """A part of ours stands on a package that is not installed. Who guards an import by ``except ImportError`` catches it."""


def explain_import_error(error: ImportError, package: str, part: str, install: str = "") -> ImportError:
    """What to raise where ``package`` could not be imported for ``part``: the error itself where the package is there, and something in it fails."""
    if (error.name or "").partition(".")[0] != package:
        return error
    return PackageMissing(f"{part} needs {package}: pip install {install or package}", name=package)


class ConfigError(UsageError):
    """An option has a value that makes no sense."""


class PatchError(SelfHealError):
    """A patch does not fit: a cell is not there, or no longer holds what the patch replaces."""


class InfrastructureError(SelfHealError):
    """Something that we stand on (a kernel, a disk, a service) failed."""


class KernelError(InfrastructureError):
    """A kernel could not be started, or died, or does not answer."""


class RepositoryError(InfrastructureError):
    """Git, or the service that holds the repository, refused what was asked of it."""


class ForkRefused(KernelError):
    """The gate found that forking this process now is unsafe.

    ``reason`` names what was found ("a user thread is alive: Thread-3 (poll)"), so that the card and the report
    can say why a slower fallback was used.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(f"this kernel cannot be forked now: {reason}")
        self.reason = reason


class SandboxError(KernelError):
    """A sandbox layer was probed as available and then failed: the trial must not run."""


class ProviderError(InfrastructureError):
    """A language model could not be reached or would not answer.

    ``kind`` is one of ``auth``, ``quota``, ``rate_limited``, ``overloaded``, ``server``, ``timeout``, ``network``,
    ``invalid``, ``budget`` (it was not asked, as it could not be paid). ``cost`` is what the failed attempts cost as far as it is known
    (None: nothing).
    """

    def __init__(
        self, message: str, *, kind: str, status: int = 0, request_id: str = "", cost: Cost | None = None
    ) -> None:
        super().__init__(message)
        self.cost = cost
        self.kind = kind
        self.status = status
        self.request_id = request_id


class JournalError(InfrastructureError):
    """A journal is damaged (the message names the line) or cannot be written."""


class MemoryStoreError(InfrastructureError):
    """The memory of approved patches is damaged; it was set aside, never reset."""


class WireError(SelfHealError):
    """A message that is not of our form, or of a version that this release does not read."""
