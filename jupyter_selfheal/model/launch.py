"""How a kernel is started: which one, where, and what it may do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Launch:
    """The kernel of ``kernelspec``, in ``folder``.

    ``writes``: ``discard`` (an overlay, for the kernel's whole life) or ``allow``. ``network``: whether the kernel itself has one; a trial may
    still be without. ``seed`` is that of its hashes (0: Python chooses one), unless the user's environment sets it: then order is no matter of
    chance there. ``byte_code`` is a folder that it reads byte code from (:mod:`~jupyter_selfheal.kernels.byte_code`).
    """

    kernelspec: str
    folder: str
    writes: str = "discard"
    network: bool = True
    seed: int = 0
    byte_code: str = ""
