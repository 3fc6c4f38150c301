"""The engine of a live session: ``python -m jupyter_selfheal.surfaces.worker``, one process for each kernel.

Messages (:mod:`jupyter_selfheal.messages`) come on stdin and go to stdout, one wire line each. :mod:`.service` takes them,
:mod:`.running` is one heal on its thread, :mod:`.spending` counts its money, :mod:`.states` and :mod:`.runs` are what it works
from and what it leaves behind.
"""
